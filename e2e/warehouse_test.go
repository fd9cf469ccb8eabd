package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// secretFile writes a password to a file and returns the reference to it.
func secretFile(t testing.TB, password string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file:" + path
}

// rowsOf is a statement and its rows as JSON.
type rowsOf struct{ name, sql, rows string }

// checkRows runs statements everywhere and compares their rows cell by cell.
func checkRows(t *testing.T, dir string, stdio, http *server, connection string, cases []rowsOf) {
	t.Helper()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := &answer{}
			if i > 0 && testing.Short() {
				t.Log("-short: rows of the engine over HTTP and on the command line")
				var failed *failure
				if got, failed = stdio.sql(t.Context(), t, connection, c.sql, nil); failed != nil {
					t.Fatalf("%+v", failed)
				}
			} else {
				got = everywhere(t, dir, stdio, http, connection, c.sql)
			}
			rows, err := json.Marshal(got.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.rows, string(rows)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// statementsEnd: a cancel, a deadline and a client that goes away end the
// statement in the engine, as running sees it. busy returns a statement that
// runs for minutes and has a tag in a comment.
func statementsEnd(t *testing.T, dir string, busy func(tag string) string, running func(tag string) bool) {
	t.Helper()
	stdio := stdioServer(t, dir)
	_, url := startHTTP(t, dir)
	type stop struct {
		name string
		// start begins the statement and returns how it is taken back.
		start func(tag string) (end func())
	}
	stops := []stop{
		{"cancel over stdio", func(tag string) func() {
			ctx, cancel := context.WithCancel(t.Context())
			go call(ctx, stdio, busy(tag))
			return cancel
		}},
		{"client disconnects from HTTP", func(tag string) func() {
			s := client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}})
			ctx, cancel := context.WithCancel(t.Context())
			go call(ctx, s, busy(tag))
			return cancel
		}},
		{"host is told to end", func(tag string) func() {
			s := stdioServer(t, dir)
			go call(t.Context(), s, busy(tag))
			return func() { _ = s.cmd.Process.Signal(syscall.SIGTERM) }
		}},
		{"host is killed", func(tag string) func() {
			s := stdioServer(t, dir)
			go call(t.Context(), s, busy(tag))
			return func() { _ = s.cmd.Process.Kill() }
		}},
	}
	for _, c := range stops {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "host is told to end" { // its statement has seconds to finish
				heavy(t, "the end of the host with a statement in the warehouse")
			}
			tag := strings.ReplaceAll(c.name, " ", "_")
			end := c.start(tag)
			eventually(t, 2*time.Minute, "the statement runs", func() bool { return running(tag) })
			end()
			took := eventually(t, settle, "the statement ends in the engine", func() bool { return !running(tag) })
			t.Logf("ended after %v", took)
		})
	}
	t.Run("deadline", func(t *testing.T) {
		started := time.Now()
		r := loam(t, dir, "sql", "--timeout", "700ms", busy("deadline"))
		if r.code != 12 || running("deadline") {
			t.Errorf("exit %d after %v, still running: %v: %s", r.code, time.Since(started), running("deadline"), r.stderr)
		}
	})
}

func call(ctx context.Context, s *server, sql string) {
	_, _ = s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "warehouse", "sql": sql}})
}

// wrong is a statement that fails: with an exit code, and saying what.
type wrong struct {
	name, dir, sql string
	code           int
	says           []string
}

// checkErrors: each says what, where and what to do, and no secret.
func checkErrors(t *testing.T, secret string, cases []wrong) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := loam(t, c.dir, "sql", c.sql)
			if r.code != c.code {
				t.Errorf("exit %d, want %d: %s", r.code, c.code, r.stderr)
			}
			for _, s := range c.says {
				if !strings.Contains(r.stderr, s) {
					t.Errorf("does not say %q: %s", s, r.stderr)
				}
			}
			if secret != "" && strings.Contains(r.stderr, secret) {
				t.Errorf("the password is in the error: %s", r.stderr)
			}
		})
	}
}

func edit(t *testing.T, dir, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("no %q in loam.yaml", from)
	}
	return project(t, strings.Replace(string(text), from, to, 1))
}

// connects runs the commands with which a person looks at a new connection.
func connects(t *testing.T, dir, connection, server string) {
	t.Helper()
	if r := loam(t, dir, "sql", "SELECT 1 AS n"); r.code != 0 || !strings.Contains(r.stdout, "1") {
		t.Errorf("sql: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "connection", "list"); r.code != 0 || !strings.Contains(r.stdout, connection) {
		t.Errorf("connection list: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	r := loam(t, dir, "connection", "test", connection)
	for _, step := range []string{"config", "read", "no_write"} {
		if !strings.Contains(r.stdout, step) {
			t.Errorf("connection test has no step %s: %s%s", step, r.stdout, r.stderr)
		}
	}
	if r.code != 0 || !strings.Contains(r.stdout, server) {
		t.Errorf("connection test: exit %d, no %q: %s%s", r.code, server, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "status"); r.code != 0 || !strings.Contains(r.stdout, server) {
		t.Errorf("status: exit %d, no %q: %s%s", r.code, server, r.stdout, r.stderr)
	}
}

// survivesKill: a connector that is killed in the middle of a statement costs
// that statement alone.
func survivesKill(t *testing.T, dir, busy string, running func(*server) bool) {
	t.Helper()
	s := stdioServer(t, dir)
	if _, f := s.sql(t.Context(), t, "warehouse", "SELECT 1 AS n", nil); f != nil { // a connector that starts is busy, too
		t.Fatalf("before the kill: %+v", f)
	}
	failed := make(chan *failure, 1)
	go func() {
		_, f := s.sql(context.WithoutCancel(t.Context()), t, "warehouse", busy, nil)
		failed <- f
	}()
	eventually(t, 2*time.Minute, "the statement runs", func() bool { return running(s) })
	for _, pid := range connectors(t, s.cmd.Process.Pid) {
		process, err := os.FindProcess(pid)
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if f := <-failed; f == nil || f.Code != "unavailable" || !f.Retryable {
		t.Errorf("the statement of the killed connector: %+v", f)
	}
	got, f := s.sql(t.Context(), t, "warehouse", "SELECT 1 AS n", nil)
	if f != nil || fmt.Sprintf("%s", got.Rows) != "[[1]]" {
		t.Errorf("the next statement: %+v, %+v", got, f)
	}
}
