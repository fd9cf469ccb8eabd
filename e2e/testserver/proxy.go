package testserver

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"testing"
)

// BehindProxy returns the address of a proxy for HTTPS that asks every client for a user
// and a password, in a process whose requests go through it. Go reads HTTPS_PROXY once in
// a process: the calling test runs again in one of its own. inside reports whether this is
// that process; the other one has nothing more to do.
func BehindProxy(t *testing.T) (address string, inside bool) {
	t.Helper()
	const mark = "LOAM_TEST_BEHIND_PROXY"
	if os.Getenv(mark) == t.Name() {
		proxy, err := url.Parse(os.Getenv("HTTPS_PROXY"))
		if err != nil {
			t.Fatal(err)
		}
		return proxy.Host, true
	}
	asked := make(chan string, 100)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	child.Env = append(os.Environ(), mark+"="+t.Name(), "HTTPS_PROXY="+proxy.URL, "NO_PROXY=")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("behind the proxy: %v\n%s", err, out)
	}
	if len(asked) != 1 || <-asked != http.MethodConnect {
		t.Errorf("the proxy was not asked once")
	}
	return "", false
}
