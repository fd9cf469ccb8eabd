package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

var update = flag.Bool("update", false, "write the golden files")

// run executes a command line of a program whose project cannot be opened.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	program := Program{Version: "1.2.3", Open: func(context.Context, string, *slog.Logger) (*Rooms, error) {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no project").WithHint("run `loam init`")
	}}
	code = Run(t.Context(), program, args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func TestExitCodesCoverEveryKind(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for _, row := range exitCodes {
		if seen[row.code] {
			t.Errorf("exit code %d has two meanings", row.code)
		}
		seen[row.code] = true
	}
	for _, kind := range sdk.Kinds() {
		code := exitCode(&sdk.Error{Kind: kind})
		if code == 0 || code == 1 && kind != sdk.KindInternal {
			t.Errorf("kind %s has exit code %d", kind, code)
		}
	}
	if code := exitCode(errors.New("any")); code != 1 {
		t.Errorf("a foreign error has exit code %d", code)
	}
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

func TestErrorAsJSON(t *testing.T) {
	t.Parallel()
	_, stdout, stderr := run(t, "status", "--json")
	want := `{"error":{"kind":"not_found","source":"caller","message":"there is no project","hint":"run ` + "`loam init`" + `","retryable":false}}` + "\n"
	if stdout != "" || stderr != want {
		t.Errorf("stdout %q, stderr %q, want %q", stdout, stderr, want)
	}
}

// TestHelp holds every help text, as docs/cli.md has it; each command has an
// example.
func TestHelp(t *testing.T) {
	t.Parallel()
	a := &app{output: output{out: &bytes.Buffer{}, err: &bytes.Buffer{}}}
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

func cells(texts ...string) [][]byte {
	row := make([][]byte, len(texts))
	for i, text := range texts {
		row[i] = []byte(text)
	}
	return row
}

func TestResultFormats(t *testing.T) {
	t.Parallel()
	columns := []sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint"}, {Name: `a "b"`, Type: sdk.TypeText, NativeType: "text"}}
	for format, want := range map[string]string{
		"table": "id  a \"b\"\n 7  NULL\n10  x\\ny\n",
		"csv":   "\"id\",\"a \"\"b\"\"\"\r\n7,\r\n10,\"x\ny\"\r\n",
		"json": `{"headers":["id","a \"b\""],"headerTypes":["bigint","text"],"rows":[` + "\n" + `[7,null],` + "\n" + `[10,"x\ny"]],` +
			`"rowCount":2,"truncated":true,"truncatedBy":"rows","elapsedMs":3}` + "\n",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := newResultWriter(format, &output{out: &out, err: &bytes.Buffer{}})
			if err := w.Columns(columns); err != nil {
				t.Fatal(err)
			}
			for _, row := range [][][]byte{cells("7", "null"), cells("10", `"x\ny"`)} {
				if err := w.Row(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.finish(query.Summary{RowCount: 2, Truncated: true, TruncatedBy: sdk.TruncatedByRows, Elapsed: 3 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
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
	if code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

func TestTableStreams(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	table := newTable(&out, []string{"n"}, nil)
	for range 10 * sampleRows {
		if err := table.row([]string{"1"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(table.sample) != 0 {
		t.Errorf("%d rows are held back after the sample", len(table.sample))
	}
	if err := table.flush(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 10*sampleRows+1 {
		t.Errorf("%d lines", lines)
	}
}

func TestTypedConfig(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"properties":{"port":{"type":"integer"},"schemas":{"type":"array"},"strict":{"type":"boolean"},"host":{"type":"string"},"tls":{"properties":{"depth":{"type":"integer"}}}}}`)
	got, err := typedConfig(schema, map[string]string{"port": "5432", "schemas": "a, b", "strict": "true", "host": "5432", "tls.depth": "2", "unknown": "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"port": float64(5432), "schemas": []any{"a", "b"}, "strict": true, "host": "5432", "tls": map[string]any{"depth": float64(2)}, "unknown": "x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCancelledWhileListing: a cancel that comes after the state was read is an
// error too, not an empty list.
func TestCancelledWhileListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte("version: 1\nconnections:\n  a: {connector: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a := &app{output: output{out: &bytes.Buffer{}, err: &bytes.Buffer{}}}
	_, docs, err := a.known(ctx, &Rooms{
		Project:  project.NewSource(dir, time.Now),
		Catalogs: catalog.NewSet(project.CatalogPath(dir)),
		Known: func(context.Context, connection.Connection) (connection.State, error) {
			cancel()
			return connection.State{}, nil
		},
	})
	if !errors.Is(err, context.Canceled) || docs != nil {
		t.Errorf("%v, %v", docs, err)
	}
}

func TestNoControlCharacterReachesATerminal(t *testing.T) {
	t.Parallel()
	if got, want := shown("a\x1b[2Jb\u009bc\x00\a\tZürich 日本\\n"), `a\x1b[2Jb\u009bc\x00\a\tZürich 日本\n`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
