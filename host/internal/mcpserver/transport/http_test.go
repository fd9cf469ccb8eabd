package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{AllowedHosts: []string{"loam.internal"}, AllowedOrigins: []string{"https://app.example.com", "http://localhost:3000"}})
	tests := []struct {
		name   string
		header []string
		status int
	}{
		{"address", nil, http.StatusOK},
		{"localhost", []string{"Host", "localhost"}, http.StatusOK},
		{"localhost with another port", []string{"Host", "LOCALHOST:1"}, http.StatusOK},
		{"loopback IPv6", []string{"Host", "[::1]:7878"}, http.StatusOK},
		{"allowed host", []string{"Host", "Loam.Internal:9"}, http.StatusOK},
		{"rebound host", []string{"Host", "evil.example.com"}, http.StatusForbidden},
		{"host with the allowed one inside", []string{"Host", "localhost.evil.example.com"}, http.StatusForbidden},
		{"private address", []string{"Host", "192.168.1.1"}, http.StatusForbidden},
		{"allowed origin", []string{"Origin", "https://app.example.com"}, http.StatusOK},
		{"allowed origin with its default port", []string{"Origin", "https://app.example.com:443"}, http.StatusOK},
		{"allowed local origin", []string{"Origin", "http://localhost:3000"}, http.StatusOK},
		{"origin on another port", []string{"Origin", "http://localhost:3001"}, http.StatusForbidden},
		{"origin with another scheme", []string{"Origin", "http://app.example.com"}, http.StatusForbidden},
		{"subdomain", []string{"Origin", "https://x.app.example.com"}, http.StatusForbidden},
		{"null origin", []string{"Origin", "null"}, http.StatusForbidden},
		{"two origins", []string{"Origin", "https://app.example.com", "Origin", "https://evil.example.com"}, http.StatusForbidden},
		{"empty origin", []string{"Origin", ""}, http.StatusForbidden},
	}
	for _, tt := range tests {
		for _, path := range []string{Endpoint, Health} {
			t.Run(tt.name+path, func(t *testing.T) {
				t.Parallel()
				url, method, body := "http://"+s.addr+path, http.MethodPost, initialize
				if path == Health {
					method, body = http.MethodGet, ""
				}
				if r := do(t, method, url, body, tt.header...); r.status != tt.status {
					t.Errorf("status %d, want %d: %s", r.status, tt.status, r.body)
				}
			})
		}
	}
}

func TestBearerOnEveryMethod(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{Token: sdk.NewSecret("s3cret")})
	good := []string{"Authorization", "Bearer s3cret"}
	id := do(t, http.MethodPost, s.url, initialize, good...).header.Get(server.HeaderKeySessionID)
	session := []string{server.HeaderKeySessionID, id}
	carried := []struct {
		name, value string
		ok          bool
	}{
		{"none", "", false},
		{"wrong", "Bearer s3creT", false},
		{"longer", "Bearer s3cret2", false},
		{"empty", "Bearer ", false},
		{"bare", "s3cret", false},
		{"another scheme", "Basic s3cret", false},
		{"scheme alone", "Bearer", false},
		{"inside of another", "Bearer x s3cret", false},
		{"two words", "Bearer s3cret x", false},
		{"quoted", `Bearer "s3cret"`, false},
		{"a list", "Bearer s3cret, Bearer s3cret", false},
		{"right and wrong", "Bearer s3cret|Bearer x", false},
		{"wrong and right", "Bearer x|Bearer s3cret", false},
		{"right twice", "Bearer s3cret|Bearer s3cret", false},
		{"right after two spaces", "Bearer  s3cret", true},
		{"right", "Bearer s3cret", true},
		{"right, scheme in lower case", "bearer s3cret", true},
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodOptions, http.MethodHead} {
		for _, c := range carried {
			t.Run(method+" "+c.name, func(t *testing.T) {
				header := append([]string{}, session...)
				if method == http.MethodGet { // or it would stay open
					header = append(header, mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728)
				}
				for _, value := range strings.Split(c.value, "|") {
					if value != "" {
						header = append(header, "Authorization", value)
					}
				}
				r := do(t, method, s.url, "", header...)
				if (r.status != http.StatusUnauthorized) != c.ok {
					t.Errorf("status %d", r.status)
				}
				if !c.ok && !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("WWW-Authenticate = %q", r.header.Get("WWW-Authenticate"))
				}
				if strings.Contains(r.body, "s3cret") {
					t.Error("the answer names the token")
				}
			})
		}
	}
	if r := do(t, http.MethodGet, "http://"+s.addr+Health, ""); r.status != http.StatusOK {
		t.Errorf("health without a token: %d", r.status)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	url := "http://" + s.addr + Health
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	if r := do(t, http.MethodGet, url, ""); !strings.HasPrefix(r.body, `{"status":"ok","version":"1.2.3","uptimeSeconds":`) || !strings.HasSuffix(r.body, `,"port":`+port+"}\n") {
		t.Errorf("health: %s", r.body)
	}
	if r := do(t, http.MethodPost, url, "{}"); r.status != http.StatusMethodNotAllowed || r.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", r.status, r.header.Get("Allow"))
	}
	if r := do(t, http.MethodGet, "http://"+s.addr+"/", ""); r.status != http.StatusNotFound || !strings.Contains(r.body, Endpoint) {
		t.Errorf("another path: %d %s", r.status, r.body)
	}
}

func TestSessionIsAskedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	live := s.session(t)
	ended := s.session(t)
	if r := do(t, http.MethodDelete, s.url, "", ended...); r.status != http.StatusOK {
		t.Fatalf("DELETE: %d", r.status)
	}
	junk := []string{server.HeaderKeySessionID, "junk"}
	modern := []string{mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728}
	tests := []struct {
		name, method, body string
		header             []string
		status             int
	}{
		{"POST without", http.MethodPost, list, nil, http.StatusBadRequest},
		{"POST unknown", http.MethodPost, list, junk, http.StatusNotFound},
		{"POST ended", http.MethodPost, list, ended, http.StatusNotFound},
		{"POST live", http.MethodPost, list, live, http.StatusOK},
		{"notification without", http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, http.StatusBadRequest},
		{"response without", http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, nil, http.StatusBadRequest},
		{"GET without", http.MethodGet, "", nil, http.StatusBadRequest},
		{"GET unknown", http.MethodGet, "", junk, http.StatusNotFound},
		{"GET ended", http.MethodGet, "", ended, http.StatusNotFound},
		{"DELETE without", http.MethodDelete, "", nil, http.StatusBadRequest},
		{"DELETE unknown", http.MethodDelete, "", junk, http.StatusNotFound},
		{"DELETE ended", http.MethodDelete, "", ended, http.StatusNotFound},
		{"modern GET", http.MethodGet, "", modern, http.StatusMethodNotAllowed},
		{"modern DELETE", http.MethodDelete, "", modern, http.StatusMethodNotAllowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if r := do(t, tt.method, s.url, tt.body, tt.header...); r.status != tt.status {
				t.Errorf("status %d, want %d: %s", r.status, tt.status, r.body)
			}
		})
	}
}

func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Body: 1000}, Access{})
	session := s.session(t)
	tests := []struct {
		name, body   string
		status, code int
	}{
		{"no JSON", `{`, http.StatusBadRequest, mcp.PARSE_ERROR},
		{"invalid UTF-8", "{\"id\":1,\"method\":\"p\xffng\"}", http.StatusBadRequest, mcp.PARSE_ERROR},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, http.StatusBadRequest, mcp.INVALID_REQUEST},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, http.StatusBadRequest, mcp.INVALID_REQUEST},
		{"too large", call(1, "echo", `{"text":"`+strings.Repeat("x", 1000)+`"}`, ""), http.StatusRequestEntityTooLarge, mcp.INVALID_REQUEST},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := do(t, http.MethodPost, s.url, tt.body, session...)
			if code := rpcCode(t, r.body); r.status != tt.status || code != tt.code {
				t.Errorf("status %d, code %d; want %d, %d", r.status, code, tt.status, tt.code)
			}
		})
	}
}

// A body of 64 MiB is refused without being read: at once when its length is
// said, and after the limit when it is not.
func TestHugeBodyIsNotRead(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	bodies := map[string]string{
		"length said":   fmt.Sprintf("Content-Length: %d\r\n\r\n", 64<<20),
		"length unsaid": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", 64<<20, strings.Repeat("x", 4<<20+1)),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.dial(t)
			if _, err := io.WriteString(conn, head+body); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if closed := resp.Body.Close(); err != nil || closed != nil {
				t.Fatal(err, closed)
			}
			if resp.StatusCode != http.StatusRequestEntityTooLarge || !resp.Close || rpcCode(t, string(text)) != mcp.INVALID_REQUEST {
				t.Errorf("status %d, close %v: %s", resp.StatusCode, resp.Close, text)
			}
		})
	}
}

func (s *site) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func readStatus(t *testing.T, conn net.Conn) int {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestMethodNotAllowed(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodOptions, http.MethodHead} {
		r := do(t, method, s.url, "")
		if r.status != http.StatusMethodNotAllowed || r.header.Get("Allow") != "POST, GET, DELETE" {
			t.Errorf("%s: status %d, Allow %q", method, r.status, r.header.Get("Allow"))
		}
	}
}

func TestRequestsAreCapped(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Requests: 1}, Access{})
	session := s.session(t)
	first := make(chan error, 1)
	go func() {
		_, err := try(t.Context(), http.MethodPost, s.url, call(1, "block", "", ""), session...)
		first <- err
	}()
	receive(t, s.started)
	if r := do(t, http.MethodPost, s.url, call(2, "echo", "", ""), session...); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
	}
	s.release <- struct{}{}
	if err := receive(t, first); err != nil {
		t.Error(err)
	}
}

// The stream of a session ends with the session, which the library forgets.
func TestStreamOfASession(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	ended := make(chan error, 1)
	ready := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, nil)
		if err != nil {
			ended <- err
			return
		}
		req.Header.Set(session[0], session[1])
		resp, err := client.Do(req)
		if err != nil {
			ended <- err
			return
		}
		ready <- resp.StatusCode
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		ended <- err
	}()
	if status := receive(t, ready); status != http.StatusOK {
		t.Fatalf("GET: %d", status)
	}
	if r := do(t, http.MethodDelete, s.url, "", session...); r.status != http.StatusOK {
		t.Fatalf("DELETE: %d", r.status)
	}
	if err := receive(t, ended); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
}

// The time for a request is no limit for its call.
func TestCallOutlivesTheReadLimit(t *testing.T) {
	t.Parallel()
	const limit = time.Second // a busy machine takes a while to read a request
	s := serve(t, Limits{Read: limit, Header: limit}, Access{})
	session := s.session(t)
	answer := make(chan reply, 1)
	go func() {
		r, err := try(context.Background(), http.MethodPost, s.url, call(1, "block", "", ""), session...)
		if err != nil {
			r.body = err.Error()
		}
		answer <- r
	}()
	receive(t, s.started)
	timer := time.NewTimer(limit + limit/4)
	defer timer.Stop()
	select {
	case err := <-s.ended:
		t.Errorf("the call was cancelled: %v", err)
	case <-timer.C:
		s.release <- struct{}{}
	}
	if r := receive(t, answer); !strings.Contains(r.body, "released") {
		t.Errorf("answer: %s", r.body)
	}
}

func TestSlowBodyIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Read: 50 * time.Millisecond}, Access{})
	conn := s.dial(t)
	fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if status := readStatus(t, conn); status != http.StatusRequestTimeout {
		t.Errorf("status %d", status)
	}
}

// A client that does not read is cut off, and its call ends.
func TestSlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Write: 50 * time.Millisecond}, Access{})
	s.write(t, s.dial(t), s.session(t), call(1, "endless", "", ""))
	if cause := receive(t, s.ended); !errors.Is(cause, context.Canceled) {
		t.Errorf("cause: %v", cause)
	}
}

// So is one that does not read a long answer.
func TestSlowReaderOfAnAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{Write: 50 * time.Millisecond}, Access{})
	// More than the buffers of both ends take.
	s.write(t, s.dial(t), s.session(t), call(1, "big", fmt.Sprintf(`{"size":%d}`, 16<<20), ""))
	waitUntil(t, "the answer begins", func() bool { return s.http.requests.inUse() == 1 })
	waitUntil(t, "the answer is given up", func() bool { return s.http.requests.inUse() == 0 })
}

// waitUntil polls what cannot be waited for.
func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in time", what)
		}
	}
}

func TestServeEnds(t *testing.T) {
	t.Parallel()
	t.Run("a call finishes within the grace", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{}, Access{})
		answer := s.blocked(t)
		s.stop()
		s.release <- struct{}{}
		if r := receive(t, answer); !strings.Contains(r.body, "released") {
			t.Errorf("answer: %s", r.body)
		}
	})
	t.Run("a call is cancelled after the grace and answers", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{Grace: 20 * time.Millisecond}, Access{})
		answer := s.blocked(t)
		s.stop()
		if cause := receive(t, s.ended); sdk.KindOf(cause) != sdk.KindUnavailable {
			t.Errorf("cause: %v", cause)
		}
		if r := receive(t, answer); !strings.Contains(r.body, "cancelled") {
			t.Errorf("answer: %s", r.body)
		}
	})
	t.Run("a connection without a request does not hold it up", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{Grace: patience}, Access{})
		conn := s.dial(t)
		s.session(t) // the connection was accepted before this one
		started := time.Now()
		s.stop()
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
		if took := time.Since(started); took > patience/2 {
			t.Errorf("it took %v", took)
		}
	})
}

// A request on a connection that is kept open is answered, whenever the server
// ends: a client loses none that it had no reason to hold back.
func TestServeEndsUnderLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	var answered atomic.Int64
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			transport := &http.Transport{MaxConnsPerHost: 1}
			defer transport.CloseIdleConnections()
			for before := time.Now(); ; {
				sent := time.Now()
				reused, err := s.echo(transport, session)
				switch {
				case err == nil:
					answered.Add(1)
				case reused && time.Since(before) < quiet:
					t.Errorf("a request on an open connection was lost: %v", err)
					return
				default:
					return // nobody listens any more, or the machine is so busy that the connection was quiet
				}
				before = sent
			}
		})
	}
	waitUntil(t, "every client has called", func() bool { return answered.Load() > 200 })
	s.stop()
	clients.Wait()
	t.Logf("%d calls answered", answered.Load())
}

// echo makes a call and reports whether it went over a connection that was open.
func (s *site) echo(transport http.RoundTripper, session []string) (reused bool, err error) {
	trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), http.MethodPost, s.url, io.NopCloser(strings.NewReader(call(1, "echo", `{"text":"x"}`, ""))))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(session[0], session[1])
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return reused, err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return reused, err
}

// blocked starts a call that runs until it is released or cancelled.
func (s *site) blocked(t *testing.T) <-chan reply {
	t.Helper()
	session := s.session(t)
	answer := make(chan reply, 1)
	go func() {
		r, err := try(context.Background(), http.MethodPost, s.url, call(1, "block", "", ""), session...)
		if err != nil {
			r.body = err.Error()
		}
		answer <- r
	}()
	receive(t, s.started)
	return answer
}

func TestServeRefusesAnOpenListenerWithoutAToken(t *testing.T) {
	t.Parallel()
	h, err := NewHTTP(newFixture().config(Limits{}), Access{}, "1")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Serve(t.Context(), l); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("Serve: %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
