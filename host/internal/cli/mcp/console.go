package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/console/code"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

type consoleFlags struct {
	host  string
	port  int
	print bool
}

func (a *commands) consoleCommand() *cobra.Command {
	var f consoleFlags
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Open the console of the project in the browser",
		Long: `Opens the console in the browser: what agents want to be remembered, what of it to keep, what
the warehouses hold and what the numbers mean. It is a part of the server of loam mcp start,
which is started if it does not run.

The address has a code that signs you in. It can be used once, within a minute. With
console.token in loam.yaml the console asks for that token instead. Without a browser or a
terminal, and with --print or --json, the address is printed.`,
		Example: `  loam console
  loam console --print                        open the address yourself
  loam console --port 0                       start the server on any free port`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !isPort(f.port) {
				return command.Usage(cmd, "there is no port %d", f.port)
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.console(cmd, f, services) })
		},
	}
	placeFlags(cmd.Flags(), &f.host, &f.port)
	cmd.Flags().BoolVar(&f.print, "print", false, "print the address, and open no browser")
	return cmd
}

// consoleDocument is what console prints with --json.
type consoleDocument struct {
	// URL signs in with its code, or asks for the token.
	URL   string               `json:"url"`
	Login project.ConsoleLogin `json:"login"`
	// ExpiresAt is when the code of the URL ends.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	PID       int       `json:"pid"`
	// Started: this command started the server.
	Started bool `json:"started"`
	// Restart says why the server that runs is not the one that loam.yaml and the flags describe.
	Restart []string `json:"restart,omitempty"`
}

func (a *commands) console(cmd *cobra.Command, f consoleFlags, services *Services) error {
	ctx := cmd.Context()
	if services.InMemory {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "the project folder cannot be written: no server can be found there, and no login code kept").
			WithHint("set %s to a folder that this user can write, then loam console", project.StateVariable)
	}
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	state, started, err := consoleServer(ctx, cmd, f, services, current)
	if err != nil {
		return err
	}
	if err := closed(state, current); err != nil {
		return err
	}
	d := consoleDocument{Login: current.Console.LoginAt(state.Host), PID: state.PID, Started: started}
	if !started {
		d.Restart = append(a.otherFlags(cmd, state, "print"), unknownToken(state.Console, &current.Console)...)
	}
	d.URL = state.ConsoleURL() + "login"
	if d.Login == project.ConsoleCode {
		if d.URL, d.ExpiresAt, err = withCode(d.URL, current.Dir); err != nil {
			return err
		}
	}
	return a.showConsole(&d, state, f.print)
}

// consoleServer returns the server that runs, or starts one.
func consoleServer(ctx context.Context, cmd *cobra.Command, f consoleFlags, services *Services, current *project.Project) (state *daemon.State, started bool, err error) {
	phase, state, err := services.Daemon.Status(ctx)
	if err != nil || phase == daemon.Running {
		return state, false, err
	}
	if current.Console.LoginAt(f.host) == project.ConsoleClosed {
		return nil, false, whyClosed(current, f.host)
	}
	state, err = startServer(ctx, services, os.Getenv(tokenVariable), givenFlags(cmd.LocalNonPersistentFlags(), "print"))
	if running, ok := errors.AsType[*daemon.AlreadyError](err); ok { // it was started meanwhile
		return &running.State, false, nil
	}
	return state, err == nil, err
}

// closed returns why a server that runs has no console, nil when it has one.
func closed(s *daemon.State, current *project.Project) error {
	switch {
	case s.Console == nil:
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "the server that runs (version %s) has no console", s.Version).
			WithHint("restart it: loam mcp stop, then loam console")
	case current.Console.LoginAt(s.Host) == project.ConsoleClosed:
		return whyClosed(current, s.Host)
	}
	return nil
}

// unknownToken says when a server that runs cannot know the token: it has the environment of its start.
func unknownToken(started *daemon.Console, now *project.Console) []string {
	ref, ok := secret.Parse(now.Token)
	if !ok || ref.Scheme != secret.Variable || started.Token == now.Token {
		return nil
	}
	return []string{"it was started before console.token referred to " + ref.String() + ", and knows only the variables of then"}
}

// whyClosed returns why the settings allow no console to a server that listens on host.
func whyClosed(current *project.Project, host string) error {
	if current.Console.Off {
		where := ""
		if line := current.Line("console.enabled"); line > 0 {
			where = fmt.Sprintf(" (line %d)", line)
		}
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "the console is switched off by console.enabled in %s%s", current.File, where).
			WithHint("set it to true, then loam console")
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "without a token the console is for this machine alone, and the server listens on %s", host).
		WithHint(`set console: {token: "env:LOAM_CONSOLE_TOKEN"} in %s and that variable, run loam mcp stop, then loam mcp start as before; or listen on 127.0.0.1`, project.FileName)
}

// withCode adds a new code to the address of the login page.
func withCode(login, projectDir string) (address string, expires time.Time, err error) {
	own, err := project.FindState(projectDir, os.Getenv)
	if err != nil {
		return "", time.Time{}, err
	}
	now := time.Now()
	made, err := code.Make(string(own), now)
	if err != nil {
		return "", time.Time{}, err
	}
	return login + "?" + url.Values{"code": {made}}.Encode(), now.Add(code.Lifetime).UTC().Truncate(time.Second), nil
}

// showConsole opens the browser, or prints the address.
func (a *commands) showConsole(d *consoleDocument, state *daemon.State, printed bool) error {
	if a.term.JSON {
		return a.term.Document(d)
	}
	for _, r := range d.Restart {
		a.term.Infof("the server that runs: %s", r)
	}
	if len(d.Restart) > 0 {
		a.term.Infof("restart it: loam mcp stop, then this command again")
	}
	if !printed {
		if terminal.IsTerminal(a.term.Out) && hasDesktop(runtime.GOOS, os.Getenv) {
			err := terminal.OpenBrowser(d.URL)
			if err == nil {
				a.term.Infof("opened %s in the browser; end the server: loam mcp stop", state.ConsoleURL())
				return nil
			}
			a.term.Warn(err)
		}
		limit := ""
		if d.Login == project.ConsoleCode {
			limit = " within a minute; it can be used once"
		}
		a.term.Infof("no browser was opened: open this address on this machine%s", limit)
	}
	_, err := fmt.Fprintln(a.term.Out, d.URL)
	return err
}

// hasDesktop reports whether a browser with a window can be expected. Without one, xdg-open would start a browser of text
// in the terminal.
func hasDesktop(goos string, getenv func(string) string) bool {
	if goos == "windows" || goos == "darwin" {
		return true
	}
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"} {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}
