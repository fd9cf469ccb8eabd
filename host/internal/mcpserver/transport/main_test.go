package transport

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen.
const patience = time.Minute

// fixture is a library server with tools that tests can steer.
type fixture struct {
	library *server.MCPServer
	started chan string   // ids of the "block" calls that run
	ended   chan error    // why their contexts ended
	release chan struct{} // lets one "block" call finish
}

func newFixture() *fixture {
	f := &fixture{
		library: server.NewMCPServer("fixture", "1", server.WithToolCapabilities(true), server.WithToolHandlerMiddleware(EndCalls), server.WithHooks(&server.Hooks{})),
		started: make(chan string, 1024), ended: make(chan error, 1024), release: make(chan struct{}),
	}
	add := func(name string, h server.ToolHandlerFunc) {
		f.library.AddTool(mcp.NewToolWithRawSchema(name, name, json.RawMessage(`{"type":"object"}`)), h)
	}
	add("echo", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	add("big", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(strings.Repeat("x", r.GetInt("size", 0))), nil
	})
	add("panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("broken tool") })
	add("block", f.block)
	add("endless", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for ctx.Err() == nil {
			_ = Notify(ctx, "notifications/progress", map[string]any{"message": strings.Repeat("x", 10_000)})
		}
		f.ended <- context.Cause(ctx)
		return mcp.NewToolResultText(""), nil
	})
	add("steps", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range r.GetInt("steps", 0) {
			if err := Notify(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": i}); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	return f
}

// block runs until its context ends or it is released.
func (f *fixture) block(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	f.started <- r.GetString("text", "")
	select {
	case <-ctx.Done():
		f.ended <- context.Cause(ctx)
		return mcp.NewToolResultError("cancelled"), nil
	case <-f.release:
		return mcp.NewToolResultText("released"), nil
	}
}

func (f *fixture) config(l Limits) Config {
	return Config{Library: f.library, Admit: admitted, Check: func(context.Context, Params) (server.ToolHandlerFunc, *Error) { return nil, nil }, Logger: slog.New(slog.DiscardHandler), Limits: l}
}

// site is a running HTTP server.
type site struct {
	*fixture
	http *HTTP
	url  string
	addr string
	stop context.CancelFunc
	done chan error
}

func serve(t *testing.T, l Limits, a Access) *site {
	t.Helper()
	return serveLogged(t, l, a, slog.DiscardHandler)
}

func serveLogged(t *testing.T, l Limits, a Access, log slog.Handler) *site {
	t.Helper()
	f := newFixture()
	c := f.config(l)
	c.Logger = slog.New(log)
	h, err := NewHTTP(c, a, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &site{fixture: f, http: h, addr: listener.Addr().String(), stop: stop, done: make(chan error, 1)}
	s.url = "http://" + s.addr + Endpoint
	go func() { s.done <- h.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := receive(t, s.done); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatal("nothing arrived in time")
		panic("unreachable")
	}
}

// reply is an HTTP response, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 60 * time.Second}

func do(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	r, err := try(t.Context(), method, url, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func try(ctx context.Context, method, url, body string, header ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		switch header[i] {
		case "Host":
			req.Host = header[i+1]
		case "Content-Type":
			req.Header.Set(header[i], header[i+1])
		default:
			req.Header.Add(header[i], header[i+1])
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	text, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// session opens a session of the legacy era and returns its header.
func (s *site) session(t *testing.T) []string {
	t.Helper()
	r := do(t, http.MethodPost, s.url, initialize)
	id := r.header.Get(server.HeaderKeySessionID)
	if r.status != http.StatusOK || id == "" {
		t.Fatalf("initialize: status %d, session %q, body %s", r.status, id, r.body)
	}
	return []string{server.HeaderKeySessionID, id}
}

// modernHeader is what a tools/call of the stateless era carries.
func modernHeader(tool string) []string {
	return []string{mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728, "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

// call renders a tools/call. meta is the inside of _meta.
func call(id any, tool, args, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`, id, tool, cmp.Or(args, "{}"), meta)
}

// events splits the body of an event stream into its messages.
func events(t *testing.T, body string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		text, ok := strings.CutPrefix(part, "event: message\ndata: ")
		var m map[string]any
		if !ok || json.Unmarshal([]byte(text), &m) != nil {
			t.Fatalf("no event: %q", part)
		}
		all = append(all, m)
	}
	return all
}

// pipes is a stdio server and its client's ends.
type pipes struct {
	*fixture
	in   *io.PipeWriter
	out  *io.PipeReader
	read chan string // lines the server wrote
	stop context.CancelFunc
	done chan error
}

func serveStdio(t *testing.T, l Limits) *pipes {
	t.Helper()
	f := newFixture()
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	p := &pipes{fixture: f, in: in, out: out, read: make(chan string), stop: stop, done: make(chan error, 1)}
	unread := make(chan struct{})
	go func() {
		defer close(p.read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			select {
			case p.read <- lines.Text():
			case <-unread:
				return
			}
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			t.Error(lines.Err())
		}
	}()
	go func() {
		p.done <- ServeStdio(ctx, f.config(l), serverIn, serverOut)
		_ = serverOut.Close()
	}()
	t.Cleanup(func() {
		stop()
		close(unread)
		_ = in.Close()
		_ = out.Close()
	})
	return p
}

func (p *pipes) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

// next returns the next message the server wrote.
func (p *pipes) next(t *testing.T) map[string]any {
	t.Helper()
	return decoded(t, receive(t, p.read))
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("no message: %q", text)
	}
	return m
}

func rpcCode(t *testing.T, body string) int {
	t.Helper()
	var m struct{ Error *Error }
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Error == nil {
		t.Fatalf("no JSON-RPC error: %s", body)
	}
	return m.Error.Code
}

// admitted admits every request.
func admitted(ctx context.Context, _ string, _ Params, work Work) (json.RawMessage, *Error) {
	return work(ctx)
}
