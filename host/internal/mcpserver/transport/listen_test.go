package transport

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// At the end a connection is closed when nothing can be on its way any more; one
// with a request is not closed.
func TestConnectionsAreClosedWhenTheyAreQuiet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		state http.ConnState
		idle  time.Duration // before the end
		want  time.Duration // after which it is closed; 0 = not at all
	}{
		{"long idle", http.StateIdle, time.Hour, unread},
		{"idle a moment ago", http.StateIdle, 0, quiet},
		{"idle for half of it", http.StateIdle, quiet / 2, quiet / 2},
		{"new", http.StateNew, 0, quiet},
		{"with a request", http.StateActive, time.Hour, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				open := &conns{waiting: map[net.Conn]time.Time{}, busy: map[net.Conn]struct{}{}}
				ours, theirs := net.Pipe()
				defer func() { _ = ours.Close() }()
				open.track(ours, tt.state)
				time.Sleep(tt.idle) // of the bubble: it takes no time
				closed := make(chan time.Duration, 1)
				began := time.Now()
				go func() {
					_, _ = theirs.Read(make([]byte, 1))
					closed <- time.Since(began)
				}()
				if all := open.end(time.Second); all != (tt.want > 0) {
					t.Errorf("all connections are closed: %v", all)
				}
				_ = ours.Close()
				if after := <-closed; tt.want > 0 && (after < tt.want || after > tt.want+look) {
					t.Errorf("closed after %v, want %v", after, tt.want)
				}
			})
		})
	}
}

// An answer that is given at the end says that its connection closes: its client
// does not send the next request there.
func TestAnswersAtTheEndCloseTheirConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	conn := s.dial(t)
	s.write(t, conn, s.session(t), call(1, "block", "", ""))
	receive(t, s.started)
	s.stop()
	<-s.http.streaming.Done()
	s.release <- struct{}{}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK || !resp.Close {
		t.Errorf("status %d, close %v, %v", resp.StatusCode, resp.Close, err)
	}
}

// write sends a request and does not read its answer.
func (s *site) write(t *testing.T, conn net.Conn, session []string, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", session[0], session[1], len(body), body); err != nil {
		t.Fatal(err)
	}
}

// Clients that do not read cannot hold the end up beyond the grace, however long
// they may take otherwise.
func TestSlowReadersDoNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Write: time.Hour, Grace: 20 * time.Millisecond}, Access{})
	session := s.session(t)
	for _, body := range []string{call(1, "endless", "", ""), call(2, "big", fmt.Sprintf(`{"size":%d}`, 32<<20), "")} {
		s.write(t, s.dial(t), session, body)
	}
	waitUntil(t, "both are being answered", func() bool { return s.http.requests.inUse() == 2 })
	s.stop()
	if err := receive(t, s.done); err != nil {
		t.Error(err)
	}
	s.done <- nil // for the end of the test
	waitUntil(t, "both are given up", func() bool { return s.http.requests.inUse() == 0 })
}

// Many clients that do not read cost their requests for a while, and leave
// nothing behind.
func TestManySlowReaders(t *testing.T) {
	t.Parallel()
	const readers = 100
	s := serve(t, Limits{Write: 50 * time.Millisecond, Requests: 2 * readers}, Access{})
	session := s.session(t)
	body := call(1, "endless", "", "")
	for range readers {
		s.write(t, s.dial(t), session, body)
	}
	for range readers {
		receive(t, s.ended)
	}
	waitUntil(t, "all are given up", func() bool { return s.http.requests.inUse() == 0 })
	r, err := try(context.Background(), http.MethodPost, s.url, call(2, "echo", "", ""), session...)
	if err != nil || r.status != http.StatusOK {
		t.Errorf("afterwards: %v, %d", err, r.status)
	}
}

// A client that speaks no version of ours is told which there are: by the answer
// to initialize, which offers one, and in the era without it by the refusal.
func TestClientThatSpeaksNoKnownVersion(t *testing.T) {
	t.Parallel()
	const latest = "2025-11-25"
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-12-31","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	stateless := `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-12-31","io.modelcontextprotocol/clientCapabilities":{}}}}`
	offered := func(m map[string]any) string {
		result, _ := m["result"].(map[string]any)
		version, _ := result["protocolVersion"].(string)
		return version
	}
	supported := func(m map[string]any) []any {
		e, _ := m["error"].(map[string]any)
		data, _ := e["data"].(map[string]any)
		versions, _ := data["supported"].([]any)
		return versions
	}
	s, p := serve(t, Limits{}, Access{}), serveStdio(t, Limits{})
	if r := do(t, http.MethodPost, s.url, initialize); offered(decoded(t, r.body)) != latest {
		t.Errorf("initialize over HTTP: %d %s", r.status, r.body)
	}
	if r := do(t, http.MethodPost, s.url, stateless, "Mcp-Protocol-Version", "2099-12-31", "Mcp-Method", "tools/list"); r.status != http.StatusBadRequest || len(supported(decoded(t, r.body))) == 0 {
		t.Errorf("stateless over HTTP: %d %s", r.status, r.body)
	}
	p.send(t, initialize)
	if m := p.next(t); offered(m) != latest {
		t.Errorf("initialize over stdio: %v", m)
	}
	p.send(t, stateless)
	if m := p.next(t); len(supported(m)) == 0 || m["id"] != 2.0 {
		t.Errorf("stateless over stdio: %v", m)
	}
}
