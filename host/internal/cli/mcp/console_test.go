package mcp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// projectOf returns a project with settings of the console.
func projectOf(t *testing.T, settings string) *project.Project {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, project.FileName), []byte("version: 1\n"+settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A server without a console says why, and which command comes next.
func TestClosedConsole(t *testing.T) {
	t.Parallel()
	served := &daemon.Console{Path: "/console/"}
	none, off, token := projectOf(t, ""), projectOf(t, "console:\n  enabled: false\n"), projectOf(t, "console: {token: 'env:CONSOLE'}\n")
	for _, tt := range []struct {
		name       string
		console    *daemon.Console
		host       string
		now        *project.Project
		kind       sdk.Kind // "" = it is open
		says, hint string
	}{
		{"open", served, "127.0.0.1", none, "", "", ""},
		{"token", served, "0.0.0.0", token, "", "", ""},
		{"older version", nil, "127.0.0.1", none, sdk.KindUnsupported, "version 0.1 has no console", "loam mcp stop, then loam console"},
		{"older version, now off", nil, "127.0.0.1", off, sdk.KindUnsupported, "version 0.1 has no console", "loam mcp stop"},
		{"off", served, "127.0.0.1", off, sdk.KindUnsupported, "loam.yaml (line 3)", "set it to true, then loam console"},
		{"other machines", served, "0.0.0.0", none, sdk.KindDenied, "listens on 0.0.0.0", "env:LOAM_CONSOLE_TOKEN"},
	} {
		err := closed(&daemon.State{Version: "0.1", Host: tt.host, Console: tt.console}, tt.now)
		if tt.kind == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: it is open", tt.name)
			continue
		}
		if e := sdk.AsError(err, sdk.SourceHost); e.Kind != tt.kind || !strings.Contains(strings.ReplaceAll(e.Msg, "(version 0.1)", "version 0.1"), tt.says) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %s %q, hint %q", tt.name, e.Kind, e.Msg, e.Hint)
		}
	}
}

// A server that runs has no variable that console.token names since its start; it reads files and the key ring at each login.
func TestUnknownToken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		started, now string
		unknown      bool
	}{
		{"", "", false}, {"env:A", "env:A", false}, {"env:A", "", false}, {"", "env:A", true}, {"env:A", "env:B", true}, {"", "file:token", false}, {"env:A", "keyring:a", false},
	} {
		got := unknownToken(&daemon.Console{Token: tt.started}, &project.Console{Token: tt.now})
		if (len(got) > 0) != tt.unknown || tt.unknown && !strings.Contains(got[0], tt.now) {
			t.Errorf("from %q to %q: %q", tt.started, tt.now, got)
		}
	}
}

// Without a terminal the address is printed and no browser is opened; what else is said goes to standard error.
func TestShowConsole(t *testing.T) {
	t.Parallel()
	state := &daemon.State{Host: "127.0.0.1", Port: 7878, Console: &daemon.Console{Path: "/console/"}}
	for _, tt := range []struct {
		name     string
		document consoleDocument
		print    bool
		says     []string
	}{
		{"code", consoleDocument{Login: project.ConsoleCode}, false, []string{"no browser was opened", "within a minute"}},
		{"token", consoleDocument{Login: project.ConsoleToken}, false, []string{"no browser was opened"}},
		{"print", consoleDocument{Login: project.ConsoleCode}, true, nil},
		{"other settings", consoleDocument{Login: project.ConsoleCode, Restart: []string{"it has other settings"}}, true, []string{"the server that runs: it has other settings", "loam mcp stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, said bytes.Buffer
			a := &commands{term: &terminal.Terminal{Out: &out, Err: &said}}
			tt.document.URL = "http://127.0.0.1:7878/console/login"
			if err := a.showConsole(&tt.document, state, tt.print); err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.document.URL+"\n" {
				t.Errorf("printed %q", out.String())
			}
			for _, text := range tt.says {
				if !strings.Contains(said.String(), text) {
					t.Errorf("no %q in %q", text, said.String())
				}
			}
			if len(tt.says) == 0 && said.Len() > 0 {
				t.Errorf("said %q", said.String())
			}
		})
	}
}

func TestHasDesktop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goos, set string
		want      bool
	}{
		{"linux", "", false}, {"linux", "DISPLAY", true}, {"linux", "WAYLAND_DISPLAY", true}, {"freebsd", "", false}, {"darwin", "", true}, {"windows", "", true},
	} {
		if got := hasDesktop(tt.goos, func(name string) string { return map[string]string{tt.set: "x"}[name] }); got != tt.want {
			t.Errorf("%s with %s: %v", tt.goos, tt.set, got)
		}
	}
}

// The server that runs is compared in what the command was given, and in its version.
func TestOtherFlags(t *testing.T) {
	t.Parallel()
	a := &commands{invocation: &command.Invocation{Version: "0.2"}}
	cmd := &cobra.Command{}
	var f consoleFlags
	placeFlags(cmd.Flags(), &f.host, &f.port)
	cmd.Flags().BoolVar(&f.print, "print", false, "")
	if err := cmd.ParseFlags([]string{"--port=8000", "--print"}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(a.otherFlags(cmd, &daemon.State{Host: "127.0.0.1", Port: 7878, Version: "0.1"}, "print"), "; ")
	if want := "it has version 0.1, this is 0.2; it runs with --port 7878, asked for is 8000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := a.otherFlags(cmd, &daemon.State{Host: "127.0.0.1", Port: 8000, Version: "0.2"}, "print"); got != nil {
		t.Errorf("%q", got)
	}
}
