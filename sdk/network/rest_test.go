package network_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

func TestRepeatable(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, c := range []struct {
		name    string
		body    io.Reader
		rewrite func([]byte) ([]byte, error)
		want    string
		err     error
	}{
		{"no body", nil, nil, "", nil},
		{"as it is", io.MultiReader(strings.NewReader("a"), strings.NewReader("b")), nil, "ab", nil},
		{"rewritten", strings.NewReader("ab"), func(b []byte) ([]byte, error) { return append(b, 'c'), nil }, "abc", nil},
		{"refused", strings.NewReader("ab"), func([]byte) ([]byte, error) { return nil, refused }, "", refused},
		{"refused without a body", nil, func([]byte) ([]byte, error) { return nil, refused }, "", refused},
	} {
		given, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://host/", c.body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := network.Repeatable(given, c.rewrite)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil || got.Body == nil {
			continue
		}
		first, _ := io.ReadAll(got.Body)
		again, err := got.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		second, _ := io.ReadAll(again)
		if string(first) != c.want || string(second) != c.want || got.ContentLength != int64(len(c.want)) {
			t.Errorf("%s: %q, then %q, of %d bytes", c.name, first, second, got.ContentLength)
		}
		if _, marked := got.Header["Idempotency-Key"]; !marked {
			t.Errorf("%s: net/http would not repeat it", c.name)
		}
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]sdk.Kind{
		http.StatusOK: "", http.StatusNotFound: "", http.StatusTooManyRequests: sdk.KindRateLimited, http.StatusRequestTimeout: sdk.KindUnavailable,
		http.StatusServiceUnavailable: sdk.KindUnavailable, http.StatusProxyAuthRequired: sdk.KindUnavailable,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := network.Answered(http.DefaultTransport.RoundTrip(r))
		if sdk.KindOf(err) != want || (res == nil) != (want != "") {
			t.Errorf("status %d: %v, %v", status, res, err)
		}
		if e, ok := errors.AsType[*sdk.Error](err); ok && status != http.StatusProxyAuthRequired && !e.Retry {
			t.Errorf("status %d is not to be tried again", status)
		}
		if res != nil {
			_ = res.Body.Close()
		}
	}
}

func TestPostJSON(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/odd" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(`{"got": ` + string(body) + `, "accept": "` + r.Header.Get("Accept") + `"}`))
	}))
	t.Cleanup(server.Close)
	type answer struct {
		Got    map[string]int
		Accept string
	}
	for path, want := range map[string]answer{"/": {map[string]int{"a": 1}, "x/y"}, "/odd": {}} {
		var got answer
		status, err := network.PostJSON(t.Context(), http.DefaultTransport, server.URL+path, http.Header{"Accept": {"x/y"}}, map[string]int{"a": 1}, &got)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || (status == http.StatusOK) != (path == "/") {
			t.Errorf("%s: %d, %v (-want +got):\n%s", path, status, err, diff)
		}
	}
	if status, err := network.PostJSON(t.Context(), http.DefaultTransport, "http://127.0.0.1:1/", nil, nil, nil); status != 0 || err == nil {
		t.Errorf("nobody answers: %d, %v", status, err)
	}
}

// The call returns when the service has ended the work, which it was told to do.
func TestSettle(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(running)
		<-ended
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := network.Settle(http.DefaultTransport, r, func(context.Context) error {
		close(ended)
		return nil
	})
	if !errors.Is(err, context.Canceled) || res != nil {
		t.Errorf("%v, %v", res, err)
	}
	select {
	case <-ended:
	default:
		t.Error("the work was not ended")
	}
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	b, err := network.NewBrowser(func(v url.Values) bool { return v.Get("state") == "s" && v.Get("code") != "" })
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	base := url.URL{Scheme: "http", Host: "127.0.0.1:" + strconv.Itoa(b.Port())}
	for query, want := range map[string]int{"/?state=other&code=1": http.StatusNotFound, "/favicon.ico": http.StatusNotFound, "/?state=s&code=2": http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base.String()+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("%s: %s", query, res.Status)
		}
	}
	if came, err := b.Wait(t.Context()); err != nil || came.Get("code") != "2" {
		t.Errorf("%v, %v", came, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Wait(over); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("nobody comes: %v", err)
	}
}
