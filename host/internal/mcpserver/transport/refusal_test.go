package transport

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/sdk"
)

var update = flag.Bool("update", false, "write the golden files anew")

// journal is a log whose lines a test reads, without what differs between runs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// take returns the lines since the last take.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.text.Reset()
	return j.text.String()
}

func (j *journal) handler() slog.Handler {
	return slog.NewTextHandler(j, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey:
			return slog.Attr{}
		case "remote":
			return slog.String("remote", "…")
		}
		return a
	}})
}

const secretToken = "s3cret-t0ken"

// refusal is a request that is refused. Its header is added to what makes a
// request good: the token and a session.
type refusal struct {
	name, method, path, body string
	header                   []string
	limits                   Limits
	before                   func(t *testing.T, s *site, session []string)
}

var refusals = []refusal{
	{name: "Host that is not served", header: []string{"Host", "evil.example.com"}},
	{name: "Host that is not served, for health", method: http.MethodGet, path: Health, header: []string{"Host", "evil.example.com:7878"}},
	{name: "Host that is a private address", header: []string{"Host", "192.168.1.1:7878"}},
	{name: "Origin that is not served", header: []string{"Origin", "https://evil.example.com"}},
	{name: "Origin of a file", header: []string{"Origin", "null"}},
	{name: "two Origins", header: []string{"Origin", "https://app.example.com", "Origin", "https://evil.example.com"}},
	{name: "question of an Origin that is not served", method: http.MethodOptions, header: []string{"Origin", "https://evil.example.com", "Access-Control-Request-Method", "POST"}},
	{name: "no token", header: []string{"Authorization", ""}},
	{name: "no token, on a stream", method: http.MethodGet, header: []string{"Authorization", ""}},
	{name: "no token, at the end of a session", method: http.MethodDelete, header: []string{"Authorization", ""}},
	{name: "no token, from an allowed Origin", header: []string{"Authorization", "", "Origin", "https://app.example.com"}},
	{name: "wrong token", header: []string{"Authorization", "Bearer s3cret-t0kem"}},
	{name: "another scheme", header: []string{"Authorization", "Basic " + secretToken}},
	{name: "another path", path: "/"},
	{name: "method that is not served", method: http.MethodPut, body: "{}"},
	{name: "OPTIONS that is no question of a browser", method: http.MethodOptions},
	{name: "health with another method", path: Health},
	{name: "no session", header: []string{"Mcp-Session-Id", ""}},
	{name: "unknown session", header: []string{"Mcp-Session-Id", "junk"}},
	{name: "ended session", method: http.MethodGet, before: func(t *testing.T, s *site, session []string) {
		if r := do(t, http.MethodDelete, s.url, "", session...); r.status != http.StatusOK {
			t.Fatalf("DELETE: %d", r.status)
		}
	}},
	{name: "unknown protocol version", header: []string{mcp.HeaderProtocolVersion, "1999-12-31"}},
	{name: "no JSON content", header: []string{"Content-Type", "text/plain"}},
	{name: "body that is too large", body: strings.Repeat(" ", 2000), limits: Limits{Body: 1000}},
	{name: "no JSON", body: "{"},
	{name: "invalid UTF-8", body: "{\"id\":1,\"method\":\"p\xffng\"}"},
	{name: "batch", body: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`},
	{name: "id null", body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`},
	{name: "method that is no text", body: `{"jsonrpc":"2.0","id":1,"method":3}`},
	{name: "too many requests", limits: Limits{Requests: 1}, before: block},
	{name: "too many requests of an address", limits: Limits{Requests: 2}, before: block},
	{name: "too many sessions", body: initialize, limits: Limits{Sessions: 1}, before: block},
	{name: "too many sessions of an address", body: initialize, limits: Limits{AddressSessions: 1}, before: block},
}

// block makes a call of the session that runs until the test has ended.
func block(t *testing.T, s *site, session []string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = try(context.Background(), http.MethodPost, s.url, call(1, "block", "", ""), session...)
	}()
	receive(t, s.started)
	t.Cleanup(func() {
		s.release <- struct{}{}
		<-done
	})
}

// Each refusal has its status, says in its body what to do, and is one line in
// the log. No secret is in any of them.
func TestRefusals(t *testing.T) {
	t.Parallel()
	texts := make([]string, len(refusals))
	t.Run("all", func(t *testing.T) {
		for i, tt := range refusals {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				texts[i] = refused(t, tt)
			})
		}
	})
	got := strings.Join(texts, "\n")
	if strings.Contains(got, secretToken) {
		t.Error("the token is told")
	}
	const golden = "testdata/refusals.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v: run go test -update and review the file", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

// refused makes the request and renders what came of it.
func refused(t *testing.T, tt refusal) string {
	t.Helper()
	var log journal
	s := serveLogged(t, tt.limits, Access{Token: sdk.NewSecret(secretToken), AllowedOrigins: []string{"https://app.example.com"}}, log.handler())
	good := []string{"Authorization", "Bearer " + secretToken}
	good = append(good, "Mcp-Session-Id", do(t, http.MethodPost, s.url, initialize, good...).header.Get("Mcp-Session-Id"))
	if tt.before != nil {
		tt.before(t, s, good)
	}
	if tt.method == "" {
		tt.method = http.MethodPost
	}
	if tt.path == "" {
		tt.path = Endpoint
	}
	if tt.body == "" && tt.method == http.MethodPost {
		tt.body = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	}
	log.take()
	r := do(t, tt.method, "http://"+s.addr+tt.path, tt.body, replaced(good, tt.header)...)
	line := log.take()
	if strings.Count(line, "\n") != 1 {
		t.Errorf("the log has %d lines", strings.Count(line, "\n"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s %s\n%d\n", tt.name, tt.method, tt.path, r.status)
	for _, name := range []string{"Www-Authenticate", "Allow", "Retry-After", "Access-Control-Allow-Origin", "Content-Type"} {
		for _, value := range r.header.Values(name) {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String() + r.body + line
}

// replaced returns the headers with some replaced; an empty value removes one.
func replaced(header, with []string) []string {
	var all []string
	for i := 0; i < len(header); i += 2 {
		for k := 0; ; k += 2 {
			if k == len(with) {
				all = append(all, header[i:i+2]...)
				break
			}
			if header[i] == with[k] {
				break
			}
		}
	}
	for k := 0; k < len(with); k += 2 {
		if with[k+1] != "" {
			all = append(all, with[k:k+2]...)
		}
	}
	return all
}

// A body that does not arrive in time is refused as well.
func TestRefusalOfASlowBodyIsLogged(t *testing.T) {
	t.Parallel()
	var log journal
	s := serveLogged(t, Limits{Read: 50 * time.Millisecond}, Access{}, log.handler())
	conn := s.dial(t)
	fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if status := readStatus(t, conn); status != http.StatusRequestTimeout {
		t.Errorf("status %d", status)
	}
	const want = `level=WARN msg="mcp request refused" http_status=408 rpc_code=-32000 reason="the message did not arrive" http_method=POST path=/mcp remote=…` + "\n"
	if diff := cmp.Diff(want, log.take()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// What net/http refuses by itself does not reach the protocol.
func TestRequestsThatAreNoHTTPOfOurs(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	for name, tt := range map[string]struct {
		text   string
		status int
	}{
		"two Hosts":            {"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", http.StatusBadRequest},
		"no Host":              {"GET /health HTTP/1.1\r\n\r\n", http.StatusBadRequest},
		"no Host of old":       {"GET /health HTTP/1.0\r\n\r\n", http.StatusForbidden},
		"empty Host":           {"GET /health HTTP/1.1\r\nHost:\r\n\r\n", http.StatusForbidden},
		"another one in a URL": {"GET http://evil.example.com/health HTTP/1.1\r\nHost: localhost\r\n\r\n", http.StatusForbidden},
		"Host beyond ASCII":    {"GET /health HTTP/1.1\r\nHost: lo\u212aalhost\r\n\r\n", http.StatusBadRequest},
		"huge header":          {"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n", http.StatusRequestHeaderFieldsTooLarge},
		"good":                 {"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.dial(t)
			if _, err := conn.Write([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			if status := readStatus(t, conn); status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
		})
	}
}
