package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

var update = flag.Bool("update", false, "write the golden files")

// run executes a command line of a program whose project cannot be opened.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	program := Program{Version: "1.2.3", Open: func(context.Context, string, *slog.Logger) (*Services, error) {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no project").WithHint("run `loam init`")
	}}
	code = Run(t.Context(), program, args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"typo", []string{"conection"}, 2, "did you mean: connection"},
		{"typo below", []string{"connection", "lst"}, 2, "did you mean: list"},
		{"unknown flag", []string{"sql", "--no-such"}, 2, "loam sql --help"},
		{"typo of a flag", []string{"sql", "--fromat", "csv", "select 1"}, 2, "did you mean: --format"},
		{"flag by what it is about", []string{"sl", "query", "--sql"}, 2, "did you mean: --format"},
		{"flag by another word", []string{"sl", "query", "--filter", "a = 1"}, 2, "--where"},
		{"unknown letter", []string{"sql", "-z"}, 2, "loam sql --help"},
		{"unquoted statement", []string{"sql", "select", "1"}, 2, "quotes"},
		{"two sources", []string{"sql", "--file", "x", "select 1"}, 2, "either"},
		{"no such file", []string{"sql", "--file", "no/such/file"}, 5, "no/such/file"},
		{"format", []string{"sql", "--format", "xml", "select 1"}, 2, "table, json or csv"},
		{"rows", []string{"sql", "--max-rows", "-1", "select 1"}, 2, "negative"},
		{"no project", []string{"sql", "select 1"}, 5, "loam init"},
		{"not key=value", []string{"connection", "add", "a", "b", "c"}, 2, "key=value"},
		{"twice", []string{"connection", "add", "a", "b", "c=1", "c=2"}, 2, "twice"},
		{"too few", []string{"connection", "test"}, 2, "1 expected"},
		{"background", []string{"mcp", "start"}, 5, "loam init"},
		{"port", []string{"mcp", "start", "--port", "65536"}, 2, "no port 65536"},
		{"negative port", []string{"mcp", "start", "--foreground", "--port", "-1"}, 2, "no port -1"},
		{"lines", []string{"mcp", "logs", "--lines", "-1"}, 2, "negative"},
		{"following a document", []string{"mcp", "logs", "--follow", "--json"}, 2, "--follow"},
		{"no time to end", []string{"mcp", "stop", "--timeout", "-1s"}, 2, "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := run(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" {
				t.Errorf("exit %d, want %d; stdout %q; stderr %q should say %q", code, c.code, stdout, stderr, c.says)
			}
		})
	}
}

// TestTimeoutOfACommand: a limit that ends something before the statement runs says so as a statement's end does.
func TestTimeoutOfACommand(t *testing.T) {
	t.Parallel()
	slow := Program{Version: "1", Open: func(ctx context.Context, _ string, _ *slog.Logger) (*Services, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("read the folder: %w", ctx.Err())
	}}
	for _, args := range [][]string{
		{"sql", "select 1"}, {"sql", "--explain", "select 1"}, {"sl", "query", "-m", "orders.revenue"},
	} {
		var out, err bytes.Buffer
		code := Run(t.Context(), slow, append(args, "--timeout", "1ms"), strings.NewReader(""), &out, &err)
		if code != 12 || out.Len() > 0 || !strings.Contains(err.String(), "took longer than --timeout 1ms") || !strings.Contains(err.String(), "a longer --timeout") {
			t.Errorf("%q: exit %d, %s%s", args, code, out.String(), err.String())
		}
	}
}

func TestErrorAsJSON(t *testing.T) {
	t.Parallel()
	_, stdout, stderr := run(t, "status", "--json")
	want := `{"error":{"kind":"not_found","source":"caller","message":"there is no project","hint":"run ` + "`loam init`" + `","retryable":false}}` + "\n"
	if stdout != "" || stderr != want {
		t.Errorf("stdout %q, stderr %q, want %q", stdout, stderr, want)
	}
}

// TestHelp tests every help text, as docs/cli.md has it; each command has an
// example.
func TestHelp(t *testing.T) {
	t.Parallel()
	a := &app{invocation: &command.Invocation{Terminal: &terminal.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}}}
	var text bytes.Buffer
	if err := writeCommands(&text, a.root()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "..", "docs", "cli.md")
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("help texts changed (-want +got), -update accepts:\n%s", diff)
	}
	for _, section := range strings.Split(text.String(), "\n## ")[3:] {
		if !strings.Contains(section, "Example:") {
			t.Errorf("no example: %s", strings.SplitN(section, "\n", 2)[0])
		}
	}
}

// brokenPipe fails like a pipe whose reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	code := Run(t.Context(), Program{Version: "1"}, []string{"version"}, strings.NewReader(""), brokenPipe{}, &stderr)
	if code != terminal.ExitPipe || stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}
