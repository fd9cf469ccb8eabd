package install

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/install/fetch"
	"github.com/loam-data/loam/sdk"
)

// guarded makes a registry ask for the token of a scope that anybody gets, and returns the queries of its
// server of tokens. reply is its answer, by the scope.
func (d *distribution) guarded(t *testing.T, challenge string, reply func(w http.ResponseWriter, scope string)) *[]url.Values {
	t.Helper()
	queries := &[]url.Values{}
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*queries = append(*queries, r.URL.Query())
		reply(w, r.URL.Query().Get("scope"))
	}))
	t.Cleanup(tokens.Close)
	d.answer = func(w http.ResponseWriter, r *http.Request) bool {
		scope := "repository:acme/foodb:pull,push"
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			scope = "repository:acme/foodb:pull"
		}
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "+scope) {
			return false
		}
		w.Header().Set("WWW-Authenticate", strings.NewReplacer("REALM", tokens.URL+"/token?kept=1", "SCOPE", scope).Replace(challenge))
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	return queries
}

func token(key string) func(w http.ResponseWriter, scope string) {
	return func(w http.ResponseWriter, scope string) {
		_ = json.NewEncoder(w).Encode(map[string]string{key: scope})
	}
}

// A token that anybody gets is fetched for a pull, and another one for a push.
func TestTokensForAnybody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ challenge, key, service string }{
		"a scope is asked for": {`Bearer realm="REALM",service="registry.example",scope="SCOPE"`, "token", "registry.example"},
		"no scope is":          {`bearer realm=REALM`, "access_token", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.release("0.3.0")
			d := newDistribution(t)
			queries := d.guarded(t, c.challenge, token(c.key))
			p.push(d.at(":1"), p.releaseFiles()...)
			if len(*queries) != 2 {
				t.Errorf("a push fetched %d tokens", len(*queries))
			}
			if _, err := fetch.New().Files(t.Context(), fetch.Location(d.at(":1"))); err != nil {
				t.Fatal(err)
			}
			if len(*queries) != 3 {
				t.Errorf("a pull after it fetched %d tokens", len(*queries)-2)
			}
			last := (*queries)[2]
			if last.Get("kept") != "1" || last.Get("service") != c.service || last.Get("scope") != "repository:acme/foodb:pull" {
				t.Errorf("asked with %v", last)
			}
		})
	}
}

func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	const good = `Bearer realm="REALM",scope="SCOPE"`
	status := func(n int) func(w http.ResponseWriter, scope string) {
		return func(w http.ResponseWriter, _ string) { w.WriteHeader(n) }
	}
	text := func(s string) func(w http.ResponseWriter, scope string) {
		return func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(s)) }
	}
	for name, c := range map[string]struct {
		challenge string
		reply     func(w http.ResponseWriter, scope string)
		kind      sdk.Kind
		tokens    int
	}{
		"only with an account":      {good, status(http.StatusUnauthorized), sdk.KindUnauthenticated, 1},
		"too many":                  {good, status(http.StatusTooManyRequests), sdk.KindRateLimited, 1},
		"no token":                  {good, text(`{}`), sdk.KindUnauthenticated, 1},
		"no JSON":                   {good, text(`<html>`), sdk.KindUnavailable, 1},
		"an endless token":          {good, text(`{"token":"` + strings.Repeat("x", 1<<20) + `"}`), sdk.KindUnavailable, 1},
		"no server of tokens":       {`Bearer service="x"`, text(``), sdk.KindUnavailable, 0},
		"a token that is not taken": {good, text(`{"token":"other"}`), sdk.KindUnauthenticated, 1},
		"a server with a password":  {`Bearer realm="http://a:b@127.0.0.1/"`, text(``), sdk.KindDenied, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDistribution(t)
			queries := d.guarded(t, c.challenge, c.reply)
			_, err := fetch.New().Files(t.Context(), fetch.Location(d.at(":1")))
			if sdk.KindOf(err) != c.kind || len(*queries) != c.tokens {
				t.Errorf("%v after %d tokens", err, len(*queries))
			}
		})
	}
}

// Storage beside a registry is followed, and gets the token neither of a pull nor of a push on its demand.
func TestStorageBesideTheRegistry(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	d := newDistribution(t)
	queries := d.guarded(t, `Bearer realm="REALM",scope="SCOPE"`, token("token"))
	guard := d.answer
	asks := false
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.Header.Get("Authorization") != "" {
			t.Errorf("storage got the token of a push")
		}
		if asks {
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://127.0.0.1:1/token"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer := d.answer
		d.answer = nil
		d.ServeHTTP(w, r)
		d.answer = answer
	}))
	t.Cleanup(storage.Close)
	d.answer = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case guard(w, r):
		case r.Method == http.MethodPost:
			w.Header().Set("Location", storage.URL+"/v2/acme/foodb/blobs/uploads/1?state=x")
			w.WriteHeader(http.StatusAccepted)
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/"):
			http.Redirect(w, r, storage.URL+r.URL.Path, http.StatusTemporaryRedirect)
		default:
			return false
		}
		return true
	}
	p.push(d.at(":0.3.0"), p.releaseFiles()...)
	if r := install(t, newService(t, p), Request{Source: d.at(":0.3.0"), Key: p.key(), Yes: true}); r.Version != "0.3.0" {
		t.Errorf("installed is %+v", r)
	}
	asks = true
	before := len(*queries)
	_, err := fetch.New().Bytes(t.Context(), fetch.Location(d.at(":0.3.0/SHA256SUMS")), 1000)
	if sdk.KindOf(err) != sdk.KindUnauthenticated || len(*queries) != before+1 {
		t.Errorf("storage that asks for a token: %v, %d tokens", err, len(*queries)-before)
	}
}

func TestCancelEndsARequest(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		d := newDistribution(t)
		ctx, cancel := context.WithCancel(t.Context())
		d.answer = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != method {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body) // of a request that was read, its end is seen
			cancel()
			<-r.Context().Done()
			return true
		}
		_, err := fetch.New().Push(ctx, fetch.Location(d.at(":1")), p.dir, p.releaseFiles())
		if method == http.MethodGet {
			_, err = fetch.New().Files(ctx, fetch.Location(d.at(":1")))
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestPushRefusedByTheRegistry(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.release("0.3.0")
	for name, c := range map[string]struct {
		method string
		answer func(w http.ResponseWriter)
		kind   sdk.Kind
		want   string
	}{
		"no place to upload":   {http.MethodPost, func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, sdk.KindUnavailable, "where to upload"},
		"an upload in pieces":  {http.MethodPut, func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, sdk.KindUnavailable, "status 202"},
		"too large":            {http.MethodPut, func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestEntityTooLarge) }, sdk.KindUnavailable, "status 413"},
		"only with an account": {http.MethodPost, func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, sdk.KindUnauthenticated, "credentials"},
		"too often":            {http.MethodHead, func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, sdk.KindRateLimited, "no more requests"},
		"storage in the clear": {http.MethodPost, func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://192.0.2.1/upload")
			w.WriteHeader(http.StatusAccepted)
		}, sdk.KindDenied, "http://192.0.2.1/upload"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDistribution(t)
			d.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != c.method {
					return false
				}
				c.answer(w)
				return true
			}
			_, err := fetch.New().Push(t.Context(), fetch.Location(d.at(":1")), p.dir, p.releaseFiles())
			if sdk.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if len(d.manifests) != 0 {
				t.Errorf("a manifest was pushed")
			}
		})
	}
}
