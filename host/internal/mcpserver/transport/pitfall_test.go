package transport

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

// Each test of this file is a behaviour of the library alone that would be a
// fault of ours.

const steps = 20

// checkSteps fails unless a stream holds every progress message of a call, in
// order, and then its answer.
func checkSteps(t *testing.T, id int, body string) {
	t.Helper()
	var got, want []string
	for _, m := range events(t, body) {
		if m["method"] != nil {
			p, _ := m["params"].(map[string]any)
			got = append(got, fmt.Sprint(p["progressToken"], " ", p["progress"]))
			continue
		}
		got = append(got, fmt.Sprint("answer ", m["id"]))
	}
	for i := range steps {
		want = append(want, fmt.Sprint("t", id, " ", i))
	}
	want = append(want, fmt.Sprint("answer ", id))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("call %d (-want +got):\n%s", id, diff)
	}
}

func stepsCall(id int, meta string) string {
	return call(id, "steps", fmt.Sprintf(`{"steps":%d,"text":"call %d"}`, steps, id), fmt.Sprintf(`"progressToken":"t%d"%s`, id, meta))
}

func TestPitfallNotificationsAreLostBetweenHandlerAndResponse(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	for id := range 200 {
		r := do(t, http.MethodPost, s.url, stepsCall(id, ""), session...)
		if r.header.Get("Content-Type") != eventStream || r.header.Get("X-Accel-Buffering") != "no" {
			t.Fatalf("headers: %v", r.header)
		}
		checkSteps(t, id, r.body)
	}
}

func TestPitfallNotificationsOfParallelCallsAreMisrouted(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	for era, meta := range map[string]string{"legacy": "", "modern": "," + modernMeta} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			header := modernHeader("steps")
			if meta == "" {
				header = s.session(t)
			}
			var wg sync.WaitGroup
			for id := range 64 {
				wg.Go(func() {
					r, err := try(t.Context(), http.MethodPost, s.url, stepsCall(id, meta), header...)
					if err != nil {
						t.Error(err)
						return
					}
					checkSteps(t, id, r.body)
				})
			}
			wg.Wait()
		})
	}
}

func TestPitfallProgressArrivesAfterTheResponseOnStdio(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	const calls = 64
	go func() {
		for id := range calls {
			_, _ = io.WriteString(p.in, stepsCall(id, "")+"\n")
		}
	}()
	seen := map[string]int{}
	for answered := 0; answered < calls; {
		m := p.next(t)
		if m["method"] == nil {
			answered++
			if id := fmt.Sprint("t", m["id"]); seen[id] != steps {
				t.Errorf("call %s was answered after %d of %d progress messages", id, seen[id], steps)
			}
			continue
		}
		params, _ := m["params"].(map[string]any)
		token := fmt.Sprint(params["progressToken"])
		if params["progress"] != float64(seen[token]) {
			t.Errorf("%s: progress %v, want %d", token, params["progress"], seen[token])
		}
		seen[token]++
	}
}

func TestPitfallACancelReachesTheCallOfAnotherClient(t *testing.T) {
	t.Parallel()
	t.Run("modern", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{}, Access{})
		answer := make(chan reply, 1)
		go func() {
			r, err := try(context.Background(), http.MethodPost, s.url, call(7, "block", "", modernMeta), modernHeader("block")...)
			if err != nil {
				r.body = err.Error()
			}
			answer <- r
		}()
		receive(t, s.started)
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{` + modernMeta + `}}}`
		for _, header := range [][]string{{mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728}, nil} {
			if r := do(t, http.MethodPost, s.url, cancel, header...); r.status != http.StatusAccepted {
				t.Fatalf("cancel: %d %s", r.status, r.body)
			}
		}
		s.release <- struct{}{}
		if r := receive(t, answer); !strings.Contains(r.body, "released") {
			t.Errorf("answer: %s", r.body)
		}
	})
	t.Run("legacy", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{}, Access{})
		mine, other := s.blocked(t), s.session(t)
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		if r := do(t, http.MethodPost, s.url, cancel, other...); r.status != http.StatusAccepted {
			t.Fatalf("cancel: %d %s", r.status, r.body)
		}
		s.release <- struct{}{}
		if r := receive(t, mine); !strings.Contains(r.body, "released") {
			t.Errorf("answer: %s", r.body)
		}
	})
}

func TestPitfallGetWithAJunkSessionOpensAStream(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	r := do(t, http.MethodGet, s.url, "", server.HeaderKeySessionID, "mcp-session-11111111-2222-3333-4444-555555555555")
	if r.status != http.StatusNotFound || s.http.sessions.count() != 0 {
		t.Errorf("status %d, %d sessions", r.status, s.http.sessions.count())
	}
}

func TestPitfallAbandonedSessionsAreNeverForgotten(t *testing.T) {
	s := serve(t, Limits{Sessions: 100}, Access{})
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // the first one's finalizers keep memory
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	keepAlive := &http.Client{Timeout: patience}
	defer keepAlive.CloseIdleConnections()
	open := func(n int) {
		for range n {
			resp, err := keepAlive.Post(s.url, "application/json", strings.NewReader(initialize))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	open(200) // full
	before := heap()
	open(9_800)
	grown := int64(heap()) - int64(before)
	t.Logf("heap grew by %d KiB for 9,800 abandoned sessions", grown>>10)
	if grown > 4<<20 || s.http.sessions.count() != 100 {
		t.Errorf("heap grew by %d bytes; %d sessions", grown, s.http.sessions.count())
	}
}

// A session that ends while its initialize is answered: the library registers
// it after that, and must forget it all the same.
func TestSessionThatEndsBeforeItIsRegistered(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	hooks := s.library.GetHooks()
	forgotten := make(chan string, 1)
	hooks.AddAfterInitialize(func(context.Context, any, *mcp.InitializeRequest, *mcp.InitializeResult) {
		s.http.sessions.mu.Lock()
		live := slices.Collect(maps.Values(s.http.sessions.live))
		s.http.sessions.mu.Unlock()
		for _, open := range live {
			s.http.sessions.end(open)
		}
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, ended server.ClientSession) { forgotten <- ended.SessionID() })
	session := s.session(t)
	if id := receive(t, forgotten); id != session[1] {
		t.Errorf("session %s was forgotten instead of %s", id, session[1])
	}
}

func TestPitfallAPanicCutsTheConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	r := do(t, http.MethodPost, s.url, call(1, "panic", "", ""), s.session(t)...)
	if r.status != http.StatusInternalServerError || rpcCode(t, r.body) != codeRefused || strings.Contains(r.body, "broken tool") {
		t.Errorf("status %d: %s", r.status, r.body)
	}
	p := serveStdio(t, Limits{})
	p.send(t, call(1, "panic", "", ""))
	if m := p.next(t); m["error"] == nil || m["id"] != 1.0 {
		t.Errorf("stdio: %v", m)
	}
}

func TestPitfallFiveWorkersOnStdio(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	for id := range 64 {
		p.send(t, call(id, "block", "", ""))
	}
	for range 64 {
		receive(t, p.started) // all of them run at once
	}
	p.send(t, `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	if m := p.next(t); m["id"] != "list" {
		t.Errorf("first answer: %v", m)
	}
	for range 64 {
		p.release <- struct{}{}
	}
	for range 64 {
		p.next(t)
	}
}

func TestClientDisconnectCancelsItsCall(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	calls := map[string]struct {
		meta   string
		header []string
	}{
		"legacy":          {"", s.session(t)},
		"modern":          {modernMeta, modernHeader("block")},
		"legacy streamed": {`"progressToken":1`, s.session(t)},
	}
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = try(ctx, http.MethodPost, s.url, call(1, "block", "", c.meta), c.header...)
			}()
			receive(t, s.started)
			leave()
			receive(t, s.ended)
			<-done
		})
	}
}

func TestCancelEndsTheCallOfASession(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	for _, id := range []any{1, `"one"`} {
		answer := make(chan reply, 1)
		go func() {
			r, err := try(context.Background(), http.MethodPost, s.url, call(id, "block", "", ""), session...)
			if err != nil {
				r.body = err.Error()
			}
			answer <- r
		}()
		receive(t, s.started)
		cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, id)
		if r := do(t, http.MethodPost, s.url, cancel, session...); r.status != http.StatusAccepted {
			t.Fatalf("cancel: %d %s", r.status, r.body)
		}
		receive(t, s.ended)
		if r := receive(t, answer); !strings.Contains(r.body, "cancelled") {
			t.Errorf("answer: %s", r.body)
		}
	}
}

func TestEndOfASessionCancelsItsCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
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
	if r := do(t, http.MethodDelete, s.url, "", session...); r.status != http.StatusOK {
		t.Fatalf("DELETE: %d", r.status)
	}
	if cause := receive(t, s.ended); sdk.KindOf(cause) != sdk.KindCanceled {
		t.Errorf("cause: %v", cause)
	}
	receive(t, answer)
}

// Without a progress message a call stays plain JSON; a client that takes no
// stream gets no progress.
func TestResponseWithoutProgressIsPlainJSON(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	tests := map[string]reply{
		"no progress": do(t, http.MethodPost, s.url, call(1, "echo", `{"text":"hi"}`, ""), session...),
		"no stream":   do(t, http.MethodPost, s.url, stepsCall(1, ""), append(session, "Accept", "application/json")...),
	}
	if r := tests["no progress"]; r.header.Get("Content-Type") != "application/json" || !strings.Contains(r.body, `"text":"hi"`) {
		t.Errorf("%v %s", r.header, r.body)
	}
	if r := tests["no stream"]; r.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v %s", r.header, r.body)
	}
}

// A subscription ends with the server, not after the grace for calls.
func TestSubscriptionEndsWithTheServer(t *testing.T) {
	t.Parallel()
	listen := `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` + modernMeta + `}}}`
	t.Run("HTTP", func(t *testing.T) {
		t.Parallel()
		s := serve(t, Limits{Grace: time.Minute}, Access{})
		header := []string{mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728, "Mcp-Method", "subscriptions/listen"}
		answer := make(chan reply, 1)
		go func() {
			r, err := try(context.Background(), http.MethodPost, s.url, listen, header...)
			if err != nil {
				r.body = err.Error()
			}
			answer <- r
		}()
		waitUntil(t, "the subscription is there", func() bool { return s.http.requests.inUse() == 1 })
		s.stop()
		receive(t, answer)
	})
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		p := serveStdio(t, Limits{Grace: time.Minute})
		p.send(t, listen)
		if m := p.next(t); m["method"] != "notifications/subscriptions/acknowledged" {
			t.Errorf("first message: %v", m)
		}
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if m := p.next(t); m["id"] != "s" {
			t.Errorf("second message: %v", m)
		}
		if err := receive(t, p.done); err != nil {
			t.Error(err)
		}
	})
}
