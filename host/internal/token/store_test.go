package token

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newStore(t *testing.T) *Store {
	t.Helper()
	return New(filepath.Join(t.TempDir(), ".loam", "tokens.json"), func() time.Time { return noon })
}

func mustAdd(t *testing.T, s *Store, token Token) string {
	t.Helper()
	secret, err := s.Add(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

func current(t *testing.T, s *Store) *Set {
	t.Helper()
	set, err := s.Current()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestTokensAreKept(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if set := current(t, s); set.Kept || len(set.Tokens) != 0 {
		t.Errorf("before the first token: %+v", set)
	}
	ada := mustAdd(t, s, Token{Name: "ada", Expires: noon.Add(time.Hour), Grant: caller.Grant{Toolsets: []string{"research"}, Connections: []string{"shop"}}})
	bob := mustAdd(t, s, Token{Name: "bob"})
	if ada == bob || !pattern().MatchString(ada) {
		t.Errorf("secrets %q and %q", ada, bob)
	}
	set := current(t, New(s.path, s.now)) // another process
	found := set.Find(Digest(ada))
	if found == nil || found.Name != "ada" || !found.Created.Equal(noon) || !found.Expires.Equal(noon.Add(time.Hour)) {
		t.Fatalf("found %+v", found)
	}
	if diff := cmp.Diff(caller.Grant{Toolsets: []string{"research"}, Connections: []string{"shop"}}, found.Grant); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if set.Find(Digest(bob)).Name != "bob" || set.Find(Digest("loam_")) != nil || set.Find(Digest("")) != nil {
		t.Error("another one was found")
	}
	for at, expired := range map[time.Duration]bool{time.Hour - time.Nanosecond: false, time.Hour: true} {
		if found.Expired(noon.Add(at)) != expired || set.Find(Digest(bob)).Expired(noon.Add(at)) {
			t.Errorf("after %v: expired is not %v", at, expired)
		}
	}
	text, err := os.ReadFile(s.path)
	if err != nil || strings.Contains(string(text), ada) || strings.Contains(string(text), bob) {
		t.Errorf("the secret is in the file, or: %v", err)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTokensAreRevoked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	secret := mustAdd(t, s, Token{Name: "ada"})
	mustAdd(t, s, Token{Name: "bob"})
	if err := s.Revoke(t.Context(), "bob", "adda"); sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(fmt.Sprint(sdk.AsError(err, sdk.SourceHost).Candidates), "ada") {
		t.Errorf("an unknown one: %v", err)
	}
	if got := current(t, s).Names(); len(got) != 2 {
		t.Errorf("after a change that failed: %v", got)
	}
	if err := s.Revoke(t.Context(), "ada", "bob"); err != nil {
		t.Fatal(err)
	}
	if set := current(t, s); !set.Kept || len(set.Tokens) != 0 || set.Find(Digest(secret)) != nil {
		t.Errorf("after the last one: %+v", set)
	}
	if again := mustAdd(t, s, Token{Name: "ada"}); current(t, s).Find(Digest(secret)) != nil || current(t, s).Find(Digest(again)) == nil {
		t.Error("a token of the same name lets the one before in")
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustAdd(t, s, Token{Name: "ada"})
	for _, tt := range []struct {
		token Token
		kind  sdk.Kind
		says  string
	}{
		{Token{Name: "ada"}, sdk.KindConflict, "loam token revoke ada"},
		{Token{Name: ""}, sdk.KindInvalid, "lower-case"},
		{Token{Name: "Ada"}, sdk.KindInvalid, "lower-case"},
		{Token{Name: "-x"}, sdk.KindInvalid, "lower-case"},
		{Token{Name: "a b"}, sdk.KindInvalid, "lower-case"},
		{Token{Name: "ada\n"}, sdk.KindInvalid, "lower-case"},
		{Token{Name: "../x"}, sdk.KindInvalid, "lower-case"},
		{Token{Name: strings.Repeat("a", 64)}, sdk.KindInvalid, "at most 63"},
		{Token{Name: "token"}, sdk.KindInvalid, "another name"},
		{Token{Name: "none"}, sdk.KindInvalid, "another name"},
		{Token{Name: "late", Expires: noon}, sdk.KindInvalid, "90d"},
		{Token{Name: "late", Expires: noon.Add(-time.Hour)}, sdk.KindInvalid, "90d"},
	} {
		_, err := s.Add(t.Context(), tt.token)
		if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != tt.kind || !strings.Contains(e.Hint, tt.says) {
			t.Errorf("%q: %v", tt.token.Name, err)
		}
	}
	for _, good := range []string{"0", strings.Repeat("a", 63), "ci.nightly-2_x", "tokens"} {
		mustAdd(t, s, Token{Name: good})
	}
	if n := len(current(t, s).Tokens); n != 5 {
		t.Errorf("%d tokens", n)
	}
}

// A project has 1000 tokens at most.
func TestTokensAreLimited(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tokens := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"t%d","sha256":"%064x","createdAt":"2026-05-01T12:00:00Z"}`, i, i))
		}
		return `{"version":1,"tokens":[` + strings.Join(list, ",") + `]}`
	}
	write(t, s.path, tokens(999))
	mustAdd(t, s, Token{Name: "last"})
	if _, err := s.Add(t.Context(), Token{Name: "more"}); sdk.KindOf(err) != sdk.KindLimit {
		t.Errorf("one more: %v", err)
	}
	if n := len(current(t, s).Tokens); n != 1000 {
		t.Errorf("%d tokens", n)
	}
}

// A file that has not changed for a while is not read again.
func TestUnchangedFileIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustAdd(t, s, Token{Name: "ada"})
	changed := noon.Add(-time.Hour)
	if err := os.Chtimes(s.path, changed, changed); err != nil {
		t.Fatal(err)
	}
	first := current(t, s)
	if current(t, s) != first {
		t.Error("it was read again")
	}
	mustAdd(t, s, Token{Name: "bob"})
	if got := current(t, s); got == first || len(got.Tokens) != 2 {
		t.Errorf("after a change: %v", got.Names())
	}
}

// A file that is not understood lets nobody in, and is not written over.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	good := func(more string) string {
		return `{"version":1,"tokens":[{"name":"ada","sha256":"` + strings.Repeat("ab", 32) + `","createdAt":"2026-05-01T12:00:00Z"` + more + `}]}`
	}
	for _, tt := range []struct {
		name, text string
		kind       sdk.Kind
	}{
		{"empty", "", sdk.KindInvalid},
		{"no JSON", "tokens", sdk.KindInvalid},
		{"cut", good("")[:60], sdk.KindInvalid},
		{"another shape", "[]", sdk.KindInvalid},
		{"no version", `{"tokens":[]}`, sdk.KindInvalid},
		{"a later version", `{"version":2,"grants":{}}`, sdk.KindUnsupported},
		{"unknown key", good(`,"tools":["x"]`), sdk.KindInvalid},
		{"no digest", strings.Replace(good(""), "ab", "zz", 1), sdk.KindInvalid},
		{"a short digest", strings.Replace(good(""), "abab", "ab", 1), sdk.KindInvalid},
		{"a bad name", strings.Replace(good(""), "ada", "a/b", 1), sdk.KindInvalid},
		{"a list of nothing", good(`,"connections":[]`), sdk.KindInvalid},
		{"a list of no toolset", good(`,"toolsets":[]`), sdk.KindInvalid},
		{"two of a name", strings.Replace(good(""), "[", "["+good("")[24:len(good(""))-2]+",", 1), sdk.KindInvalid},
		{"two documents", good("") + "{}", sdk.KindInvalid},
		{"large", good("") + strings.Repeat(" ", maxBytes), sdk.KindInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			write(t, s.path, tt.text)
			set, err := s.Current()
			if sdk.KindOf(err) != tt.kind || !set.Kept || len(set.Tokens) != 0 {
				t.Errorf("%v, %+v", err, set)
			}
			if _, err := s.Add(t.Context(), Token{Name: "bob"}); sdk.KindOf(err) != tt.kind {
				t.Errorf("add: %v", err)
			}
			if text, err := os.ReadFile(s.path); err != nil || string(text) != tt.text {
				t.Errorf("it was written over: %q, %v", text, err)
			}
		})
	}
	s := newStore(t)
	for _, text := range []string{good(""), good("") + strings.Repeat(" ", maxBytes-len(good("")))} {
		write(t, s.path, text)
		if set := current(t, s); len(set.Tokens) != 1 {
			t.Errorf("a good file of %d bytes: %+v", len(text), set)
		}
	}
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if set, err := s.Current(); sdk.KindOf(err) != sdk.KindDenied || !set.Kept {
		t.Errorf("a folder in its place: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Several processes that add tokens at once lose none.
func TestTokensAddedAtOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := New(s.path, s.now).Add(t.Context(), Token{Name: fmt.Sprint("t", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(current(t, s).Tokens); n != 16 {
		t.Errorf("%d tokens", n)
	}
}

// Who waits for the lock can be cancelled.
func TestChangeIsCancelled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustAdd(t, s, Token{Name: "ada"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Revoke(ctx, "ada"); sdk.KindOf(err) != sdk.KindCanceled && !strings.Contains(fmt.Sprint(err), "canceled") {
		t.Errorf("%v", err)
	}
}

// A change that gives up waiting for another one says why, not that the file
// cannot be written.
func TestChangeIsCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustAdd(t, s, Token{Name: "ada"})
	unlock, err := file.Lock(s.path + ".lock")
	if err != nil || unlock == nil {
		t.Fatal(unlock == nil, err)
	}
	defer func() { _ = unlock() }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Revoke(ctx, "ada"); err != context.DeadlineExceeded { //nolint:errorlint // a denial would wrap it
		t.Errorf("%v", err)
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	with := func(change func(*Token)) *Token {
		token := &Token{
			Name: "ada", Created: noon, Expires: noon.Add(time.Hour), digest: Digest("x"),
			Grant: caller.Grant{Toolsets: []string{"research"}, Connections: []string{"shop"}},
		}
		change(token)
		return token
	}
	for name, tt := range map[string]struct {
		change func(*Token)
		want   bool
	}{
		"the same":            {func(*Token) {}, true},
		"in another zone":     {func(o *Token) { o.Expires = o.Expires.In(time.FixedZone("x", 3600)) }, true},
		"another secret":      {func(o *Token) { o.digest = Digest("y") }, false},
		"another name":        {func(o *Token) { o.Name = "bob" }, false},
		"another end":         {func(o *Token) { o.Expires = noon }, false},
		"other toolsets":      {func(o *Token) { o.Toolsets = nil }, false},
		"another connection":  {func(o *Token) { o.Connections = []string{"crm"} }, false},
		"one connection more": {func(o *Token) { o.Connections = []string{"shop", "crm"} }, false},
	} {
		if got := with(func(*Token) {}).Equal(with(tt.change)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	secret := newSecret()
	for text, want := range map[string]string{
		"":                         "",
		"Bearer " + secret:         "Bearer [redacted]",
		secret + secret:            "[redacted][redacted]",
		`{"a":"x` + secret + `"}`:  `{"a":"x[redacted]"}`,
		"loam_orders, loam_ORDERS": "loam_orders, loam_ORDERS",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
