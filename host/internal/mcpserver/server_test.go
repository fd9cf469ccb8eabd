package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*Config)
		text  string
	}{
		{"a host that others reach, without a token", func(c *Config) { c.Host = "0.0.0.0" }, "needs a token"},
		{"an unknown toolset", func(c *Config) { c.Selection.Toolsets = []string{"reserch"} }, "no toolset"},
		{"a negative answer", func(c *Config) { c.AnswerSize = -1 }, "answer of -1"},
		{"an answer of 9 Mi", func(c *Config) { c.AnswerSize = 9 << 20 }, "not possible"},
		{"an origin that is none", func(c *Config) { c.AllowedOrigins = []string{"*"} }, "no origin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newWorld().config()
			tt.spoil(&c)
			_, err := New(c)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindInvalid || e.Hint == "" || !strings.Contains(e.Msg, tt.text) {
				t.Errorf("New: %v", err)
			}
		})
	}
}

// A flag's list stands in for the file's; read-only holds when either says so.
func TestSelectionOfFlagsAndFile(t *testing.T) {
	t.Parallel()
	file := Selection{Toolsets: []string{"a"}, Tools: []string{"b"}, ExcludeTools: []string{"c"}}
	tests := []struct {
		name                 string
		flags, file, expects Selection
	}{
		{"nothing said", Selection{}, Selection{}, Selection{Toolsets: []string{"research"}}},
		{"the file alone", Selection{}, file, file},
		{"flags alone", file, Selection{}, file},
		{"another toolset", Selection{Toolsets: []string{"x"}}, file, Selection{Toolsets: []string{"x"}, Tools: []string{"b"}, ExcludeTools: []string{"c"}}},
		{"other tools", Selection{Tools: []string{"x"}}, file, Selection{Toolsets: []string{"a"}, Tools: []string{"x"}, ExcludeTools: []string{"c"}}},
		{"other exclusions", Selection{ExcludeTools: []string{"x"}}, file, Selection{Toolsets: []string{"a"}, Tools: []string{"b"}, ExcludeTools: []string{"x"}}},
		{"tools alone", Selection{Tools: []string{"x"}}, Selection{}, Selection{Tools: []string{"x"}}},
		{"exclusions alone", Selection{}, Selection{ExcludeTools: []string{"x"}}, Selection{Toolsets: []string{"research"}, ExcludeTools: []string{"x"}}},
		{"read-only by a flag", Selection{ReadOnly: true}, Selection{}, Selection{Toolsets: []string{"research"}, ReadOnly: true}},
		{"read-only by the file", Selection{}, Selection{ReadOnly: true}, Selection{Toolsets: []string{"research"}, ReadOnly: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.expects, Config{Selection: tt.flags, Configured: tt.file}.selection()); diff != "" {
				t.Errorf("selection (-want +got):\n%s", diff)
			}
		})
	}
}

// A server that only reads loses the tool that remembers, and no other.
func TestReadOnlyKeepsWhatReads(t *testing.T) {
	t.Parallel()
	listed := func(s Selection) (names []string) {
		set, err := register(Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Select(s); err != nil {
			t.Fatal(err)
		}
		for _, tool := range set.List() {
			names = append(names, tool.Name)
		}
		return names
	}
	all := slices.DeleteFunc(listed(Selection{Toolsets: []string{toolsetResearch}}), func(name string) bool { return name == "memory_ingest" })
	if diff := cmp.Diff(all, listed(Selection{Toolsets: []string{toolsetResearch}, ReadOnly: true})); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Nothing is ever answered with -32603, and what is no tool call is a protocol
// error in both eras.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	url := startHTTP(t, newWorld().config())
	session := openSession(t, url)
	tests := []struct {
		name, body     string
		legacy, modern int // HTTP status
		code           int
	}{
		{"unknown tool", rawCall(1, "nonsense", `{}`, "META"), http.StatusOK, http.StatusBadRequest, -32602},
		{"arguments of a wrong type", rawCall(1, "sql_execution", `[]`, "META"), http.StatusOK, http.StatusBadRequest, -32602},
		{"no name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META}}}`, http.StatusOK, http.StatusBadRequest, -32602},
		{"name of a wrong type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7,"_meta":{META}}}`, http.StatusOK, http.StatusBadRequest, -32602},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"nonsense","params":{"_meta":{META}}}`, http.StatusOK, http.StatusNotFound, -32601},
		{"tasks", `{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"_meta":{META}}}`, http.StatusOK, http.StatusNotFound, -32601},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"tools/list","params":{"_meta":{META}}}`, http.StatusBadRequest, http.StatusBadRequest, -32600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := strings.ReplaceAll(tt.body, "META", modernMeta)
			var m struct {
				Method string
				Params struct{ Name any }
			}
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatal(err)
			}
			modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", m.Method}
			if name, ok := m.Params.Name.(string); ok {
				modern = append(modern, "Mcp-Name", name)
			}
			check := func(era, message string, status int, header []string) {
				resp, err := post(t.Context(), url, message, header...)
				body := readAll(t, resp, err)
				var answer struct{ Error struct{ Code int } }
				if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != status || answer.Error.Code != tt.code {
					t.Errorf("%s: status %d, want %d, code %d: %s", era, resp.StatusCode, status, tt.code, body)
				}
			}
			check("legacy", strings.ReplaceAll(tt.body, "META", ""), tt.legacy, session)
			check("modern", body, tt.modern, modern)
		})
	}
}

// A question to the client hangs without its stream and ignores what it can
// answer, so no tool may ask one with the library's own calls.
func TestPitfallQuestionsToTheClientHang(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"conformance", "tool", "transport"} {
		more, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	// The one place that may: with a capability, and a deadline.
	asking := filepath.Join("tool", "legacy.go")
	if !slices.Contains(files, asking) {
		t.Errorf("%s is gone", asking)
	}
	for _, f := range files {
		if f == asking || strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{".Request" + "Elicitation(", ".Request" + "Sampling(", ".Request" + "Roots("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s", f, call)
			}
		}
	}
}

// What the caller and the configuration ask for reaches the query.
func TestLimitsReachTheQuery(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		answerSize int
		maxRows    int
	}{
		{"nothing asked", `{"connectionId":"lake","sql":"rows 1"}`, 0, 0},
		{"rows and size", `{"connectionId":"warehouse","sql":"rows 1","maxRows":7}`, 123, 7},
		{"a connection that does not exist", `{"connectionId":"nowhere","sql":"rows 1"}`, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := w.config()
			c.AnswerSize = tt.answerSize
			url := startHTTP(t, c)
			resp, err := post(t.Context(), url, rawCall(1, "sql_execution", tt.args, ""), openSession(t, url)...)
			readAll(t, resp, err)
			if w.last.MaxRows != tt.maxRows || w.last.MaxBytes != tt.answerSize || w.last.Progress != nil {
				t.Errorf("request: %+v", w.last)
			}
			if w.deadline {
				t.Error("the edge bounds a statement, whose connection does")
			}
		})
	}
}

// Progress never falls, and none comes after the answer.
func TestProgressOnlyGrowsAndEnds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	in, out := startStdio(t, w.config())
	lines := bufio.NewScanner(out)
	next := func(message string) (progress []float64) {
		t.Helper()
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			var m struct {
				Method string
				Params struct{ Progress float64 }
			}
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Fatal(err)
			}
			if m.Method == "" {
				return progress
			}
			progress = append(progress, m.Params.Progress)
		}
		t.Fatal("no answer", lines.Err())
		return nil
	}
	call := rawCall(1, "sql_execution", `{"connectionId":"warehouse","sql":"back"}`, `"progressToken":1`)
	if diff := cmp.Diff([]float64{0.5, 0.9}, next(call)); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	dropped := make(chan struct{})
	go func() {
		defer close(dropped)
		w.last.Progress(1, "too late")
	}()
	receive(t, dropped)
	if late := next(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); late != nil {
		t.Errorf("progress after the answer: %v", late)
	}
}

// A server that ends says so to the calls it has to end.
func TestCallsAreToldThatTheServerEnds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.config()
	c.Limits.Grace = time.Millisecond
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done, answer := make(chan error, 1), make(chan string, 1)
	go func() { done <- s.Serve(ctx, l) }()
	url := "http://" + l.Addr().String() + "/mcp"
	session := openSession(t, url)
	go func() {
		resp, err := post(context.Background(), url, rawCall(1, "sql_execution", `{"connectionId":"warehouse","sql":"block"}`, ""), session...)
		answer <- readAll(t, resp, err)
	}()
	receive(t, w.started)
	stop()
	if body := receive(t, answer); !strings.Contains(body, `"code":"unavailable"`) || !strings.Contains(body, `"retryable":true`) {
		t.Errorf("answer: %s", body)
	}
	if err := receive(t, done); err != nil {
		t.Error(err)
	}
}

func TestAuditAndRedactionAreWired(t *testing.T) {
	t.Parallel()
	c := newWorld().config()
	records := make(chan tool.Record, 1)
	c.Audit = func(_ context.Context, r tool.Record) { records <- r }
	c.Redact = func(text string) string { return strings.ReplaceAll(text, "DELETE", "***") }
	url := startHTTP(t, c)
	resp, err := post(t.Context(), url, rawCall(1, "sql_execution", `{"connectionId":"warehouse","sql":"write"}`, ""), openSession(t, url)...)
	if body := readAll(t, resp, err); !strings.Contains(body, "*** changes data") {
		t.Errorf("answer: %s", body)
	}
	if r := receive(t, records); r.Tool != "sql_execution" || r.Outcome != "not_read_only" {
		t.Errorf("record: %+v", r)
	}
}

func TestModernCallOverRawHTTP(t *testing.T) {
	t.Parallel()
	url := startHTTP(t, newWorld().config())
	resp, err := post(t.Context(), url, rawCall(1, "sql_execution", `{"connectionId":"warehouse","sql":"steps 3"}`, `"progressToken":7,`+modernMeta), modernHeader("sql_execution")...)
	body := readAll(t, resp, err)
	parts := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
	if len(parts) != 4 || !strings.Contains(parts[0], `"progressToken":7`) || !strings.Contains(parts[3], `"resultType":"complete"`) {
		t.Errorf("stream: %s", body)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("a session for a modern request: %s", id)
	}
}

func BenchmarkNew(b *testing.B) {
	c := newWorld().config()
	for b.Loop() {
		if _, err := New(c); err != nil {
			b.Fatal(err)
		}
	}
}

// The rows come from memory, so this is the price of the edge alone.
func BenchmarkRowsOverHTTP(b *testing.B) {
	c := newWorld().config()
	c.CheckOutput = false
	url := startHTTP(b, c)
	session := openSession(b, url)
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for _, rows := range []int{1, 1000} {
		body := rawCall(1, "sql_execution", fmt.Sprintf(`{"connectionId":"warehouse","sql":"rows %d"}`, rows), "")
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set(session[0], session[1])
				resp, err := client.Do(req)
				readAll(b, resp, err)
			}
		})
	}
}

func BenchmarkRowOverStdio(b *testing.B) {
	c := newWorld().config()
	c.CheckOutput = false
	in, out := startStdio(b, c)
	answers := bufio.NewReader(out)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(in, rawCall(1, "sql_execution", `{"connectionId":"warehouse","sql":"rows 1"}`, "")+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := answers.ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
	}
}
