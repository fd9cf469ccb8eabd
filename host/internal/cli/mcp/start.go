package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

type startFlags struct {
	host, token          string
	port                 int
	foreground, detached bool
	hosts, origins       []string
	trustedProxy         bool
	tools                mcpserver.Selection
	rate                 rateFlags
	// sessions of clients, in all and of one address.
	sessions, addressSessions uint
}

func (a *commands) mcpStartCommand() *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Serve MCP clients over Streamable HTTP, in the background",
		Long: `Starts an MCP server over Streamable HTTP at /mcp, in the background. The command ends when
the server answers; loam mcp stop ends the server, loam mcp logs shows its log. A project
has one such server.

Without --host the server listens on this machine only. For other addresses it requires a
token: one of loam token add, or the one of LOAM_MCP_TOKEN or --token.`,
		Example: `  loam mcp start
  loam mcp start --port 0                     any free port
  loam mcp start --foreground                 for a terminal or a service manager
  loam token add ada                          then ada may use a server for others:
  loam mcp start --host 0.0.0.0 --allowed-host loam.internal`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.start(cmd, f) },
	}
	flags := cmd.Flags()
	placeFlags(flags, &f.host, &f.port)
	flags.StringVar(&f.token, "token", "", "bearer token that every request must have (better: "+tokenVariable+")")
	flags.BoolVar(&f.foreground, "foreground", false, "stay in the foreground and log to the terminal")
	flags.StringArrayVar(&f.hosts, "allowed-host", nil, "accept this Host header too (repeatable)")
	flags.StringArrayVar(&f.origins, "allowed-origin", nil, "accept this Origin, scheme://host[:port] (repeatable)")
	flags.BoolVar(&f.trustedProxy, "trusted-proxy", false, "believe X-Forwarded-Proto: only behind a proxy that sets it")
	toolFlags(flags, &f.tools)
	f.rate.add(flags, 10)
	flags.UintVar(&f.sessions, "sessions", 1024, "most sessions of clients; a further one replaces the longest unused")
	flags.UintVar(&f.addressSessions, "sessions-per-address", 256, "most sessions of one address")
	flags.BoolVar(&f.detached, "detached", false, "be the server that start has put into the background")
	flags.Lookup("detached").Hidden = true
	return cmd
}

// placeFlags adds the flags that say where a server listens.
func placeFlags(flags *pflag.FlagSet, host *string, port *int) {
	flags.StringVar(host, "host", "127.0.0.1", "address to listen on")
	flags.IntVar(port, "port", 7878, "port to listen on; 0 = any free one")
}

// mostSessions is the most that --sessions can say; one takes about 10 KiB.
const mostSessions = 100_000

func isPort(n int) bool { return 0 <= n && n <= 65535 }

func (a *commands) start(cmd *cobra.Command, f startFlags) error {
	switch {
	case !isPort(f.port):
		return command.Usage(cmd, "there is no port %d", f.port)
	case f.sessions == 0 || f.sessions > mostSessions || f.addressSessions == 0 || f.addressSessions > mostSessions:
		return command.Usage(cmd, "--sessions and --sessions-per-address are numbers from 1 to %d", mostSessions)
	}
	onCommandLine := f.token != ""
	if !onCommandLine {
		f.token = os.Getenv(tokenVariable)
	}
	switch {
	case f.foreground && onCommandLine:
		// As long as a process runs, everybody sees its command line.
		launch, err := launch(f.token, givenFlags(cmd.Flags(), "token"))
		if err == nil {
			err = daemon.Become(launch)
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		return a.serveHTTP(cmd, f)
	case f.foreground, f.detached:
		return a.serveHTTP(cmd, f)
	}
	return a.open(cmd.Context(), func(services *Services) error { return a.startDetached(cmd, f, services) })
}

// launch is the command of a server; the token is in its environment alone.
func launch(token string, flags []string) (daemon.Launch, error) {
	program, err := daemon.Program()
	return daemon.Launch{Program: program, Args: append([]string{"mcp", "start"}, flags...), Env: withToken(token)}, err
}

// startServer starts the project's server in the background, with flags of start, and returns when it answers.
// Errors: *daemon.AlreadyError; KindUnsupported for a project that cannot be written; the server's own.
func startServer(ctx context.Context, services *Services, token string, flags []string) (*daemon.State, error) {
	if services.InMemory {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "the project folder cannot be written, and other processes could not find a server in the background").
			WithHint("set %s to a folder that this user can write, or serve in the foreground: loam mcp start --foreground", project.StateVariable)
	}
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	launch, err := launch(token, append(flags, "--detached", "--json", "--project-dir="+current.Dir))
	if err != nil {
		return nil, err
	}
	launch.Dir = current.Dir
	state, err := services.Daemon.Start(ctx, launch)
	if ended, ok := errors.AsType[*daemon.EndedError](err); ok {
		return nil, whyEnded(ended, services.Daemon.LogPath())
	}
	return state, err
}

func (a *commands) startDetached(cmd *cobra.Command, f startFlags, services *Services) error {
	ctx := cmd.Context()
	state, err := startServer(ctx, services, f.token, givenFlags(cmd.Flags(), "token", "project-dir", "json", "quiet", "no-color"))
	if running, ok := errors.AsType[*daemon.AlreadyError](err); ok {
		return a.alreadyRuns(ctx, cmd, f, &running.State)
	}
	if err != nil {
		return err
	}
	if a.term.JSON {
		return a.term.Document(newStarted(state, services.Daemon.LogPath()))
	}
	url := state.URL(transport.Endpoint)
	a.term.Infof("serving MCP at %s (process %d, log %s)", url, state.PID, services.Daemon.LogPath())
	a.term.Infof("configure your clients: loam agents setup, or by hand:\n  %s", clientConfig(url, state.Token))
	if current, err := services.Project.Current(ctx); err == nil && current.Console.LoginAt(state.Host) != project.ConsoleClosed {
		a.term.Infof("review what agents propose: loam console")
	}
	a.term.Infof("end it: loam mcp stop")
	return nil
}

// clientConfig is what most clients have in their configuration.
func clientConfig(url string, token bool) string {
	headers := ""
	if token {
		headers = `, "headers": {"Authorization": "Bearer ${` + tokenVariable + `}"}`
	}
	return `{"mcpServers": {"loam": {"type": "http", "url": ` + strconv.Quote(url) + headers + `}}}`
}

// startedDocument is what start prints with --json.
type startedDocument struct {
	URL            string    `json:"url"`
	PID            int       `json:"pid"`
	Version        string    `json:"version"`
	StartedAt      time.Time `json:"startedAt"`
	Token          bool      `json:"token"`
	Log            string    `json:"log,omitempty"`
	AlreadyRunning bool      `json:"alreadyRunning"`
	// Restart says why the server that runs is not the one that was asked for.
	Restart []string `json:"restart,omitempty"`
}

func newStarted(s *daemon.State, log string) startedDocument {
	return startedDocument{URL: s.URL(transport.Endpoint), PID: s.PID, Version: s.Version, StartedAt: s.StartedAt, Token: s.Token, Log: log}
}

// alreadyRuns tells of the server that runs, and in what it is not the one that
// was asked for.
func (a *commands) alreadyRuns(ctx context.Context, cmd *cobra.Command, f startFlags, s *daemon.State) error {
	d := newStarted(s, "")
	d.AlreadyRunning, d.Restart = true, a.differences(ctx, cmd, f, s)
	if a.term.JSON {
		return a.term.Document(d)
	}
	a.term.Infof("already serving MCP at %s (process %d, for %s)", d.URL, d.PID, text.Elapsed(time.Since(s.StartedAt)))
	for _, difference := range d.Restart {
		a.term.Infof("  %s", difference)
	}
	if len(d.Restart) > 0 {
		a.term.Infof("restart it: loam mcp stop, then this command again")
	}
	return nil
}

// differences are between the server that runs and the one that was asked for.
func (a *commands) differences(ctx context.Context, cmd *cobra.Command, f startFlags, s *daemon.State) []string {
	all := a.otherFlags(cmd, s, "token")
	switch {
	case f.token == "":
	case !s.Token:
		all = append(all, "it asks for no token")
	default:
		if ok, err := s.Accepts(ctx, transport.Endpoint, f.token); err == nil && !ok {
			all = append(all, "it asks for another token")
		}
	}
	return all
}

// otherFlags lists in what version and flags of a command differ from those of the server that runs.
func (a *commands) otherFlags(cmd *cobra.Command, s *daemon.State, except ...string) (all []string) {
	if s.Version != a.invocation.Version {
		all = append(all, "it has version "+s.Version+", this is "+a.invocation.Version)
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed || slices.Contains(except, flag.Name) {
			return
		}
		asked, runs := flagValues(flag), recorded(flag, s)
		if !slices.Equal(asked, runs) {
			all = append(all, "it runs with --"+flag.Name+" "+orNone(runs)+", asked for is "+orNone(asked))
		}
	})
	return all
}

// recorded returns the values with which a server runs.
func recorded(flag *pflag.Flag, s *daemon.State) []string {
	switch {
	case flag.Name == "host":
		return []string{s.Host}
	case flag.Name == "port" && flag.Value.String() != "0": // any will do
		return []string{strconv.Itoa(s.Port)}
	}
	var values []string
	for _, given := range s.Flags {
		if value, ok := strings.CutPrefix(given, "--"+flag.Name+"="); ok {
			values = append(values, value)
		}
	}
	if _, many := flag.Value.(pflag.SliceValue); !many && values == nil {
		return []string{flag.DefValue}
	}
	return values
}

func orNone(values []string) string {
	if len(values) == 0 {
		return "none"
	}
	return strings.Join(values, ", ")
}

// givenFlags returns those of the flags that were given, as --name=value.
func givenFlags(flags *pflag.FlagSet, except ...string) []string {
	given := []string{}
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed || slices.Contains(except, flag.Name) {
			return
		}
		for _, value := range flagValues(flag) {
			given = append(given, "--"+flag.Name+"="+value)
		}
	})
	return given
}

func flagValues(flag *pflag.Flag) []string {
	if many, ok := flag.Value.(pflag.SliceValue); ok {
		return many.GetSlice()
	}
	return []string{flag.Value.String()}
}

// whyEnded makes an error of the end of a server's log: the one the server has
// ended with, where it could say it.
func whyEnded(e *daemon.EndedError, log string) error {
	lines := strings.Split(strings.TrimSpace(e.Output), "\n")
	for _, line := range slices.Backward(lines) {
		var said struct {
			Error *terminal.Failure `json:"error"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Error != nil && slices.Contains(sdk.Kinds(), said.Error.Kind) {
			return &sdk.Error{
				Kind: said.Error.Kind, Source: said.Error.Source, Msg: said.Error.Message, Hint: said.Error.Hint,
				Candidates: said.Error.Candidates, Retry: said.Error.Retryable, Err: e,
			}
		}
	}
	const most = 10
	return &sdk.Error{
		Kind: sdk.KindInternal, Source: sdk.SourceHost, Err: e,
		Msg:  strings.TrimSpace(e.Error() + "\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")),
		Hint: "see all of its log: " + log,
	}
}
