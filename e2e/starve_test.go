package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// flood has a client run statements without an end on a connection, each again
// when it was answered, until the test is over. It returns how many were answered.
func flood(t *testing.T, s *server, connection string, statements int) *atomic.Int64 {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var answered atomic.Int64
	var wg sync.WaitGroup
	for i := range statements {
		wg.Go(func() {
			endless := "WITH RECURSIVE n(i) AS (SELECT " + strconv.Itoa(i) + " UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
			for ctx.Err() == nil {
				_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": connection, "sql": endless}})
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("the flood: %v", err)
					}
					return
				}
				answered.Add(1)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		wg.Wait()
	})
	return &answered
}

// running is how many statements a connector's program has under way.
func running(t *testing.T, dir string, want int) {
	t.Helper()
	eventually(t, 2*settle, fmt.Sprintf("%d calls run", want), func() bool {
		st := serverStatus(t, dir)
		for _, c := range st.Connections {
			if c.Calls == want && c.Waiting > 0 {
				return true
			}
		}
		return false
	})
}

// TestNobodyStarves: while one client floods a connection with 150 statements
// that do not end, another one's small queries are answered, before any of those.
func TestNobodyStarves(t *testing.T) {
	t.Parallel()
	heavy(t, "many clients at once")
	dir := demoProject(t)
	s := startDaemon(t, dir, "--rate", "0")
	connect := func(name string) *server {
		return clientNamed(t, name, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{}})
	}
	loud, quiet := connect("loud"), connect("quiet")
	answered := flood(t, loud, "shop", 150)
	running(t, dir, 3) // of four: the last one is left to others
	const small = 10
	for i := range small {
		a, failed := quiet.sql(t.Context(), t, "shop", "SELECT "+strconv.Itoa(i), nil)
		if failed != nil {
			t.Fatalf("small query %d of %d, after %d statements of the flood: %+v", i, small, answered.Load(), failed)
		}
		if string(a.Rows[0][0]) != strconv.Itoa(i) {
			t.Fatalf("query %d: %s", i, a.Rows)
		}
	}
	late := &caller{url: s.URL, http: &http.Transport{}} // with a session, of the era that has them
	defer late.http.CloseIdleConnections()
	if _, _, err := late.call("initialize", initializeParams); err != nil {
		t.Fatal(err)
	}
	if a, _, err := late.call("tools/call", `{"name":"sql_execution","arguments":{"connectionId":"shop","sql":"SELECT 1"}}`); err != nil || a.outcome() != "ok" {
		t.Errorf("a third client: %+v, %v", a, err)
	}
	if n := answered.Load(); n > 0 {
		t.Errorf("%d statements of the flood ended before the third client had its answer", n)
	}
	running(t, dir, 3)
}

// TestOneUserHasEverySlot: a client over stdio is alone in its process, which
// leaves no slot to anybody.
func TestOneUserHasEverySlot(t *testing.T) {
	heavy(t, "one client over stdio that takes all slots")
	t.Parallel()
	s := stdioServer(t, demoProject(t))
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, _ = s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{
				"connectionId": "shop", "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
			}})
		})
	}
	defer wg.Wait()
	defer stop()
	eventually(t, settle, "four statements hold every slot", func() bool {
		ctx, giveUp := context.WithTimeout(t.Context(), time.Second)
		defer giveUp()
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "shop", "sql": "SELECT 1"}})
		return errors.Is(err, context.DeadlineExceeded)
	})
	if _, failed := s.sql(t.Context(), t, "crm", "SELECT 1", nil); failed != nil { // another connection is not touched
		t.Errorf("%+v", failed)
	}
}
