package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/demo"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/telemetry"
)

// Two small calls: what they cost is the way of a call through the host.
const (
	smallStatement = `{"name":"sql_execution","arguments":{"connectionId":"shop","sql":"SELECT id, name, country_code FROM regions WHERE id = 3","maxRows":100}}`
	smallQuery     = `{"name":"sl_query","arguments":{"connection_id":"shop","measures":["order_items.revenue"],"dimensions":["orders.currency"]}}`
)

// client is one MCP client of the whole host over pipes: all is real, from the bytes
// of a request to the connector's process, the history and the log.
type client struct {
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// serve serves the sample project, until the test ends.
func serve(t testing.TB) *client {
	t.Helper()
	installSQLite(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", home)
	dir := filepath.Join(t.TempDir(), "demo")
	if _, err := demo.Build(t.Context(), dir, store.WriteDatabase); err != nil {
		t.Fatal(err)
	}
	log := slog.New(telemetry.LogHandler(slog.NewTextHandler(io.Discard, nil)))
	app, err := open("test", dir, log)
	if err != nil {
		t.Fatal(err)
	}
	allow(t, app)
	if _, err := app.scan.Run(t.Context(), scan.Request{Connection: "shop"}); err != nil {
		t.Fatal(err)
	}
	server, err := app.newServer(mcpserver.Config{Limits: transport.Limits{Rate: -1}})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, server, app)
}

// allow has the person trust what the project asks for.
func allow(t testing.TB, app *application) {
	t.Helper()
	connections, err := app.project.Connections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range connections.All() {
		found, err := app.registry.Find(c.Connector, c.Path)
		if err == nil {
			err = app.trust.AcceptOwn(t.Context(), c, found)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func connect(t testing.TB, server *mcpserver.Server, app *application) *client {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(context.Background(), serverIn, serverOut) }()
	t.Cleanup(func() {
		err := in.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(err, <-served, app.close(ctx)); err != nil {
			t.Error(err)
		}
	})
	c := &client{in: in, out: bufio.NewReaderSize(out, 1<<16)}
	c.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	return c
}

// installSQLite has the connector found by this process.
func installSQLite(t testing.TB) {
	t.Helper()
	built := program.Connector(t, "sqlite")
	manifest := filepath.Join(filepath.Dir(built), "loam-connector-sqlite.json")
	if _, err := os.Stat(manifest); err != nil {
		if out, err := exec.CommandContext(t.Context(), built, "manifest", "--output", manifest).CombinedOutput(); err != nil {
			t.Fatalf("manifest: %v\n%s", err, out)
		}
	}
	t.Setenv(connector.EnvPath, filepath.Dir(built))
}

// ask sends a request and returns its answer.
func (c *client) ask(t testing.TB, method, params string) string {
	c.id++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params); err != nil {
		t.Fatal(err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// call calls a tool, which must succeed.
func (c *client) call(t testing.TB, params string) {
	if answer := c.ask(t, "tools/call", params); !strings.Contains(answer, `"rowCount":`) || strings.Contains(answer, `"isError":true`) {
		t.Fatalf("answer: %s", answer)
	}
}

// mostAllocations is what a small sql_execution may take, all that the host does beside
// it included: 60 % of the 612 that it took at c85d98e.
const mostAllocations = 367

func TestCallAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	c := serve(t)
	for range 300 { // buffers, pools and the history's statement are there
		c.call(t, smallStatement)
	}
	got := testing.AllocsPerRun(2000, func() { c.call(t, smallStatement) })
	t.Logf("%v allocations", got)
	if got > mostAllocations {
		t.Errorf("%v allocations in a call, at most %d", got, mostAllocations)
	}
}

// BenchmarkCall is a small call of each kind, from the bytes of its request to those
// of its answer, with a connector in a process of its own.
func BenchmarkCall(b *testing.B) {
	for _, params := range []string{smallStatement, smallQuery} {
		var named struct{ Name string }
		if err := json.Unmarshal([]byte(params), &named); err != nil {
			b.Fatal(err)
		}
		b.Run(named.Name, func(b *testing.B) {
			c := serve(b)
			c.call(b, params)
			b.ReportAllocs()
			for b.Loop() {
				c.call(b, params)
			}
		})
	}
}
