package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 10 * time.Second

// world is everything below the server, in the state that a test wants.
type world struct {
	started chan string // SQL of the statements that block
	ended   chan error  // why their contexts ended
	states  map[connection.ID]connection.State
	// forgotten is why nothing can be remembered.
	forgotten error
	// scanned are the last snapshots, and damaged why others are not readable.
	scanned map[connection.ID]*catalog.Identity
	damaged map[connection.ID]error

	mu       sync.Mutex
	last     query.Request
	deadline bool // the last request had one
	looked   any  // the last request to discover
}

func newWorld() *world {
	return &world{started: make(chan string, 1024), ended: make(chan error, 1024), states: map[connection.ID]connection.State{
		"warehouse": {
			OpenedAt: time.Unix(1, 0),
			Server: sdk.ServerInfo{
				Product: "FooDB", ReadOnly: sdk.ReadOnlySession, ReadOnlyMechanism: "read-only transaction",
				Warnings: []sdk.Diagnostic{{Summary: "the account may create tables"}},
			},
		},
		"lake": {Failure: sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "connection refused").WithHint("start it")},
	}}
}

func (w *world) config() Config {
	return Config{
		Skill:   Skill{Name: "riding", Description: "How to ride.", Body: "# Sit up\n", File: []byte("---\nname: riding\n---\n\n# Sit up\n")},
		Version: "1.2.3", Logger: slog.New(slog.DiscardHandler), CheckOutput: true,
		Warehouses: warehouse.New(w.connections, w, slog.New(slog.DiscardHandler)), Query: w, Discover: w, Findings: w, Approved: w, Ask: w, Memory: w, Changes: w, Writing: w, Files: w, Jobs: worldJobs{w},
		Limits: transport.Limits{Rate: -1},
	}
}

func (*world) connections(context.Context) (*connection.Registry, error) {
	return connection.New([]connection.Connection{
		{ID: "warehouse", Connector: "foodb", DisplayName: "The warehouse", Description: "Orders.", Limits: connection.Limits{Timeout: 90 * time.Second}},
		{ID: "lake", Connector: "foodb"},
		{ID: "gone", Connector: "acme/bardb"},
	})
}

func (*world) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return nil, nil, errors.New("nothing is started")
}

func (w *world) Describe(c connection.Connection) (sdk.Description, error) {
	if c.Connector != "foodb" {
		return sdk.Description{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector %s is not installed", c.Connector).WithHint("install it")
	}
	return sdk.Description{
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlySession, Explain: true, ServerCancel: true, Features: []string{"x.turbo"}},
		Dialects:     []dialect.Dialect{{Name: "foosql", MinVersion: "2"}, {Name: "foosql"}},
	}, nil
}

func (w *world) LastKnown(_ context.Context, c connection.Connection) (connection.State, error) {
	return w.states[c.ID], w.forgotten
}

func (w *world) remember(ctx context.Context, req query.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = req
	_, w.deadline = ctx.Deadline()
}

// Run plays the statements of the tests: "rows N", "steps N", "back", "block",
// "write", "crash", "nothing", "untyped".
func (w *world) Run(ctx context.Context, req query.Request, sink query.Sink) (query.Summary, error) {
	w.remember(ctx, req)
	verb, argument, _ := strings.Cut(req.SQL, " ")
	n, _ := strconv.Atoi(argument)
	columns := []sdk.Column{{Name: "n", Type: sdk.TypeInt64, NativeType: "BIGINT"}, {Name: "n", Type: sdk.TypeText, NativeType: "TEXT<>"}}
	switch verb {
	case "block":
		w.started <- argument
		<-ctx.Done()
		w.ended <- context.Cause(ctx)
		return query.Summary{}, ctx.Err()
	case "steps":
		for i := range n {
			req.Progress(float64(i+1)/float64(n), "step "+strconv.Itoa(i))
		}
		n = 1
	case "back":
		for _, fraction := range []float64{0.5, 0.4, 0.5, 0.9} {
			req.Progress(fraction, fmt.Sprint(fraction))
		}
	case "write":
		err := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "DELETE changes data").WithHint("send one SELECT")
		err.Pos = sdk.Position{Line: 1, Column: 1}
		return query.Summary{}, err
	case "crash":
		panic("the querier is broken")
	case "nothing":
		columns = nil
	case "untyped":
		columns = []sdk.Column{{Name: "<a>"}, {Name: ""}}
	}
	return w.rows(req, sink, columns, n)
}

func (w *world) rows(req query.Request, sink query.Sink, columns []sdk.Column, n int) (query.Summary, error) {
	if err := sink.Columns(columns); err != nil {
		return query.Summary{}, err
	}
	summary := query.Summary{RowCount: n, Nothing: n == 0, Elapsed: 1234 * time.Microsecond}
	if req.MaxRows == 0 {
		req.MaxRows = query.DefaultMaxRows
	}
	if n > req.MaxRows {
		summary = query.Summary{RowCount: req.MaxRows, Truncated: true, TruncatedBy: sdk.TruncatedByRows, Notes: []string{"There are more rows: aggregate, filter or raise maxRows."}}
	}
	for i := range summary.RowCount {
		cells := [][]byte{strconv.AppendInt(nil, int64(i), 10), []byte(`"row ` + strconv.Itoa(i) + ` äöü"`)}
		if err := sink.Row(cells[:len(columns)]); err != nil {
			return query.Summary{}, err
		}
	}
	return summary, nil
}

// background serves in the background until the test ends.
func background(t testing.TB, serve func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := receive(t, done); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

func receive[T any](t testing.TB, c <-chan T) T {
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

// startHTTP serves a configuration and returns the endpoint.
func startHTTP(t testing.TB, c Config) string {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	background(t, func(ctx context.Context) error { return s.Serve(ctx, l) })
	return "http://" + l.Addr().String() + "/mcp"
}

// startStdio serves a configuration over pipes.
func startStdio(t testing.TB, c Config) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	background(t, func(ctx context.Context) error {
		return errors.Join(s.ServeStdio(ctx, serverIn, serverOut), serverOut.Close(), serverIn.Close())
	})
	return in, out
}

// A line is one way a client can reach the server.
type line struct{ transport, era string }

func (l line) String() string { return l.transport + " " + l.era }

var lines = []line{{"http", "2025-11-25"}, {"http", "2025-06-18"}, {"http", "2026-07-28"}, {"stdio", "2025-11-25"}, {"stdio", "2026-07-28"}}

// eachLine runs a test against a new server over every line.
func eachLine(t *testing.T, options *sdkmcp.ClientOptions, test func(t *testing.T, w *world, c *sdkmcp.ClientSession)) {
	t.Helper()
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			test(t, w, connect(t, l, w.config(), options))
		})
	}
}

// connect connects the official SDK's client.
func connect(t *testing.T, l line, c Config, options *sdkmcp.ClientOptions) *sdkmcp.ClientSession {
	t.Helper()
	var transport sdkmcp.Transport
	if l.transport == "http" {
		pool := &http.Transport{}
		t.Cleanup(pool.CloseIdleConnections)
		transport = &sdkmcp.StreamableClientTransport{Endpoint: startHTTP(t, c), HTTPClient: &http.Client{Transport: pool}, MaxRetries: -1}
	} else {
		in, out := startStdio(t, c)
		transport = &sdkmcp.IOTransport{Reader: out, Writer: in, MaxLineLength: 32 << 20}
	}
	client := sdkmcp.NewClient(&sdkmcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), transport, &sdkmcp.ClientSessionOptions{ProtocolVersion: l.era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have ended first
	if got := session.InitializeResult().ProtocolVersion; got != l.era {
		t.Fatalf("the server speaks %s", got)
	}
	return session
}

// callTool makes a call that must not be a protocol error.
func callTool(t *testing.T, c *sdkmcp.ClientSession, name string, args map[string]any) *sdkmcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

func sqlArgs(sql string) map[string]any {
	return map[string]any{"connectionId": "warehouse", "sql": sql}
}

func textOf(t *testing.T, r *sdkmcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d content blocks", len(r.Content))
	}
	block, ok := r.Content[0].(*sdkmcp.TextContent)
	if !ok {
		t.Fatalf("content is a %T", r.Content[0])
	}
	return block.Text
}

// compact renders a value as JSON with sorted keys, to compare.
func compact(t *testing.T, value any) string {
	t.Helper()
	if text, ok := value.(string); ok {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("no JSON: %s", text)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post sends a raw message.
func post(ctx context.Context, url, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
}

func readAll(t testing.TB, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return string(text)
}

// openSession opens a session of the legacy era and returns its header.
func openSession(t testing.TB, url string) []string {
	t.Helper()
	resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	readAll(t, resp, err)
	return []string{"Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id")}
}

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func rawCall(id int, tool, args, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`, id, tool, args, meta)
}

func modernHeader(tool string) []string {
	return []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
}
