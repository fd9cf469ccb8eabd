package transport

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
)

// keep makes tokens that tests add to.
func keep(t *testing.T, now func() time.Time) *token.Store {
	t.Helper()
	return token.New(filepath.Join(t.TempDir(), "tokens.json"), now)
}

func add(t *testing.T, tokens *token.Store, one token.Token) []string {
	t.Helper()
	secret, err := tokens.Add(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"Authorization", "Bearer " + secret.Reveal()}
}

// opened opens a session and returns the header with which one speaks in it.
func opened(t *testing.T, s *site, header []string) []string {
	t.Helper()
	r := do(t, http.MethodPost, s.url, initialize, header...)
	if r.status != http.StatusOK {
		t.Fatalf("initialize: %d %s", r.status, r.body)
	}
	return append([]string{server.HeaderKeySessionID, r.header.Get(server.HeaderKeySessionID)}, header...)
}

func TestNamedTokens(t *testing.T) {
	t.Parallel()
	tokens := keep(t, time.Now)
	s := serve(t, Limits{}, Access{Tokens: tokens, Token: sdk.NewSecret("s3cret")})
	ada, bob := add(t, tokens, token.Token{Name: "ada"}), add(t, tokens, token.Token{Name: "bob"})
	inAdas := opened(t, s, ada)
	inBobs := opened(t, s, bob)
	opened(t, s, []string{"Authorization", "Bearer s3cret"})
	for name, tt := range map[string]struct {
		header []string
		status int
	}{
		"in its own session":           {inAdas, http.StatusOK},
		"in the session of another":    {append(inBobs[:2:2], ada...), http.StatusNotFound},
		"as the holder of the other":   {append(inAdas[:2:2], "Authorization", "Bearer s3cret"), http.StatusNotFound},
		"a part of a token":            {append(inAdas[:2:2], "Authorization", ada[1][:len(ada[1])-1]), http.StatusUnauthorized},
		"another scheme":               {append(inAdas[:2:2], "Authorization", strings.Replace(ada[1], "Bearer", "Basic", 1)), http.StatusUnauthorized},
		"twice":                        {append(inAdas, ada...), http.StatusUnauthorized},
		"none":                         {inAdas[:2], http.StatusUnauthorized},
		"the digest, as if it were it": {append(inAdas[:2:2], "Authorization", "Bearer "+strings.Repeat("ab", 32)), http.StatusUnauthorized},
	} {
		if r := do(t, http.MethodPost, s.url, call(1, "echo", "", ""), tt.header...); r.status != tt.status {
			t.Errorf("%s: %d, want %d: %s", name, r.status, tt.status, r.body)
		}
	}
}

// Revoking a token ends its calls and streams, and nobody else's.
func TestRevoking(t *testing.T) {
	t.Parallel()
	tokens := keep(t, time.Now)
	s := serve(t, Limits{}, Access{Tokens: tokens})
	ada, bob := opened(t, s, add(t, tokens, token.Token{Name: "ada"})), opened(t, s, add(t, tokens, token.Token{Name: "bob"}))
	ended := make(chan error, 2)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		body := ""
		if method == http.MethodPost {
			body = call(1, "block", "", "")
		}
		go func() {
			_, err := try(context.Background(), method, s.url, body, ada...)
			ended <- err
		}()
	}
	receive(t, s.started)
	waitUntil(t, "the stream is open", func() bool { return s.http.requests.inUse() == 2 })
	block(t, s, bob)
	if err := tokens.Revoke(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	if r := do(t, http.MethodPost, s.url, call(2, "echo", "", ""), ada...); r.status != http.StatusUnauthorized {
		t.Errorf("the next request: %d %s", r.status, r.body)
	}
	if why := receive(t, s.ended); why != errRevoked {
		t.Errorf("the call ended: %v", why)
	}
	for range 2 {
		receive(t, ended)
	}
	waitUntil(t, "its session has ended", func() bool { return s.http.Sessions() == 1 })
	if r := do(t, http.MethodPost, s.url, call(3, "echo", "", ""), bob...); r.status != http.StatusOK {
		t.Errorf("another one's: %d %s", r.status, r.body)
	}
}

// An open server is closed by the first named token, and stays closed.
func TestFirstTokenCloses(t *testing.T) {
	t.Parallel()
	tokens := keep(t, time.Now)
	s := serve(t, Limits{}, Access{Tokens: tokens})
	open := opened(t, s, nil)
	status := func(header ...string) int {
		return do(t, http.MethodPost, s.url, call(1, "echo", "", ""), header...).status
	}
	if got := status(append(open, "Authorization", "Bearer whatever")...); got != http.StatusOK {
		t.Errorf("an open server refuses a token that it does not ask for: %d", got)
	}
	narrow := add(t, tokens, token.Token{Name: "ada", Grant: caller.Grant{Connections: []string{"shop"}}})
	opened(t, s, narrow) // at once
	waitUntil(t, "it is closed", func() bool { return status(open...) == http.StatusUnauthorized })
	if err := os.Remove(tokens.Path()); err != nil {
		t.Fatal(err)
	}
	if got := status(open...); got != http.StatusUnauthorized || !s.http.AsksForToken() {
		t.Errorf("without the file: %d", got)
	}
	if got := status(narrow...); got != http.StatusUnauthorized {
		t.Errorf("a token that is no more: %d", got)
	}
}

// A file of tokens that is damaged lets nobody in by name, and the log says so once.
func TestDamagedTokens(t *testing.T) {
	t.Parallel()
	tokens := keep(t, time.Now)
	ada := add(t, tokens, token.Token{Name: "ada"})
	var log journal
	f := newFixture()
	c := f.config(Limits{})
	c.Logger = slog.New(log.handler())
	h, err := NewHTTP(c, Access{Tokens: tokens}, "1")
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(tokens.Path())
	if err != nil {
		t.Fatal(err)
	}
	authorized := func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(ada[0], ada[1])
		who, _ := h.access.authorize(r)
		return who != nil && who.name == "ada"
	}
	failing := false
	for _, tt := range []struct {
		text string
		in   bool
		logs string
	}{
		{string(good), true, ""},
		{"{", false, "no named token is accepted"},
		{"{}", false, ""},
		{string(good), true, "accepted again"},
	} {
		if err := os.WriteFile(tokens.Path(), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := authorized(); got != tt.in {
			t.Errorf("%.20q: let in: %v", tt.text, got)
		}
		failing = h.sweepTokens(failing)
		if got := log.take(); (got == "") != (tt.logs == "") || !strings.Contains(got, tt.logs) {
			t.Errorf("%.20q: logged %q, want %q", tt.text, got, tt.logs)
		}
	}
	if err := os.WriteFile(tokens.Path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHTTP(c, Access{Tokens: tokens}, "1"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a server that cannot tell whom to let in begins: %v", err)
	}
}

// A token that has expired is told so, and what runs with it ends.
func TestExpiredToken(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Hour)
	tokens := keep(t, func() time.Time { return past }) // of then it is good
	late := add(t, tokens, token.Token{Name: "late", Expires: past.Add(time.Minute)})
	if _, err := NewHTTP(newFixture().config(Limits{}), Access{Host: "0.0.0.0", Tokens: tokens}, "1"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("with a token that has expired alone it listens for others: %v", err)
	}
	s := serve(t, Limits{}, Access{Tokens: tokens})
	if r := do(t, http.MethodPost, s.url, initialize, late...); r.status != http.StatusUnauthorized || !strings.Contains(r.body, "the token late has expired") {
		t.Errorf("%d %s", r.status, r.body)
	}
	p := &s.http.access.people
	good := add(t, tokens, token.Token{Name: "good"})
	opened(t, s, good)
	digest := token.Digest(strings.TrimPrefix(good[1], "Bearer "))
	p.mu.Lock()
	known := p.known[digest]
	p.mu.Unlock()
	changed := *known.token
	changed.Connections = []string{"shop"}
	p.mu.Lock()
	known.token = &changed // as if somebody had narrowed it in the file
	p.mu.Unlock()
	waitUntil(t, "its session has ended", func() bool { return s.http.Sessions() == 0 })
	if known.ctx.Err() == nil || context.Cause(known.ctx) != errNarrowed {
		t.Errorf("%v", context.Cause(known.ctx))
	}
}
