package e2e

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a running `loam mcp …` with a client of another library on it.
type server struct {
	*mcp.ClientSession
	cmd      *exec.Cmd
	url      string
	progress chan mcp.ProgressNotificationParams
}

func client(t testing.TB, transport mcp.Transport) *server {
	t.Helper()
	return clientNamed(t, "e2e", transport)
}

// clientNamed is a client that calls itself so: a server tells those without a
// session apart by that.
func clientNamed(t testing.TB, name string, transport mcp.Transport) *server {
	t.Helper()
	s := &server{progress: make(chan mcp.ProgressNotificationParams, 1024)}
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			select {
			case s.progress <- *r.Params:
			default:
			}
		},
	})
	session, err := c.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	s.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return s
}

// stdioServer starts `loam mcp stdio` on a project.
func stdioServer(t testing.TB, dir string, env ...string) *server {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--rate", "0", "--project-dir", dir)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	s := client(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second})
	s.cmd = cmd
	return s
}

var served = regexp.MustCompile(`http://\S+/mcp`)

// startHTTP starts `loam mcp start --foreground` on a free port and returns its
// URL; the process is ended with the test.
func startHTTP(t testing.TB, dir string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	return startLogging(t, func(line string) { t.Log(line) }, dir, args...)
}

// startLogging does so with the server's log going where the caller wants it.
func startLogging(t testing.TB, log func(line string), dir string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "loam"), append([]string{"mcp", "start", "--foreground", "--port", "0", "--rate", "0", "--project-dir", dir}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			log(lines.Text())
			if found := served.FindString(lines.Text()); found != "" {
				url <- found
			}
		}
	})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		wg.Wait()
		_ = cmd.Wait()
	})
	select {
	case u := <-url:
		return cmd, u
	case <-time.After(2 * time.Minute):
		t.Fatal("the server did not say its URL")
		return nil, ""
	}
}

func httpServer(t testing.TB, dir string) *server {
	t.Helper()
	cmd, url := startHTTP(t, dir)
	s := client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}})
	s.cmd, s.url = cmd, url
	return s
}

// answer is what sql_execution returns, rows as raw JSON.
type answer struct {
	Headers     []string            `json:"headers"`
	HeaderTypes []string            `json:"headerTypes"`
	Rows        [][]json.RawMessage `json:"rows"`
	RowCount    int                 `json:"rowCount"`
	Truncated   bool                `json:"truncated"`
	TruncatedBy string              `json:"truncatedBy"`
}

// failure is a tool's error.
type failure struct {
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Hint      string          `json:"hint"`
	Retryable bool            `json:"retryable"`
	Details   json.RawMessage `json:"details"`
}

// sql calls sql_execution; exactly one of the results is non-nil.
func (s *server) sql(ctx context.Context, t testing.TB, connection, text string, more map[string]any) (*answer, *failure) {
	t.Helper()
	args := map[string]any{"connectionId": connection, "sql": text}
	for k, v := range more {
		args[k] = v
	}
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: args})
	if err != nil {
		t.Fatalf("sql_execution %.80q: %v", text, err)
	}
	body, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		f := &failure{}
		unmarshal(t, body, f)
		return nil, f
	}
	a := &answer{}
	unmarshal(t, body, a)
	a.exact(t, r.Content[0].(*mcp.TextContent).Text)
	return a, nil
}

// exact takes numbers and documents as the text block spells them: the client's library
// decodes those of the structured content, and loses the zero of 1.50. Everything else
// must be the same in both.
func (a *answer) exact(t testing.TB, text string) {
	t.Helper()
	null := func(row []json.RawMessage) bool { return len(row) == 1 && string(row[0]) == "null" }
	if len(a.Headers) == 0 || a.RowCount == 0 || slices.ContainsFunc(a.Rows, null) {
		return // a line that is empty is no row to the reader of CSV
	}
	lines := csv.NewReader(strings.NewReader(text))
	lines.FieldsPerRecord = len(a.Headers)
	all := [][]string{}
	for len(all) <= len(a.Rows) {
		fields, err := lines.Read()
		if err != nil {
			t.Fatalf("%d rows: %v in the text %.300s", a.RowCount, err, text)
		}
		all = append(all, fields)
	}
	for i, row := range a.Rows {
		for j, cell := range row {
			var said any
			field := all[i+1][j]
			switch unmarshal(t, cell, &said); said := said.(type) {
			case nil:
				if field != "" {
					t.Errorf("a NULL is %q in the text", field)
				}
			case string:
				if strings.ReplaceAll(said, "\r\n", "\n") != field { // which that reader does
					t.Errorf("%q is %q in the text", said, field)
				}
			default:
				var again any
				if unmarshal(t, []byte(field), &again); !reflect.DeepEqual(said, again) {
					t.Errorf("%s is %s in the text", cell, field)
				}
				row[j] = json.RawMessage(field)
			}
		}
	}
}

func unmarshal(t testing.TB, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
}

// settle is how long a test waits for what takes milliseconds on a quiet
// machine; what it took is logged.
const settle = 2 * time.Minute

// eventually polls until ok returns true; it fails the test after the limit.
func eventually(t testing.TB, limit time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	started := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Since(started) > limit {
			t.Fatalf("%s: not within %v", what, limit)
		}
		<-tick.C
	}
	return time.Since(started)
}
