package network_test

import (
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

// A proxy that wants a password is named, and so is the variable that gives it.
func TestProxyThatAsksForAPassword(t *testing.T) {
	t.Parallel()
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:right"))
		if r.Header.Get("Proxy-Authorization") == want {
			w.WriteHeader(http.StatusBadGateway) // past the check
			return
		}
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	for _, c := range []struct {
		user *url.Userinfo
		says string // "" = the proxy is satisfied
	}{
		{nil, "asks for a user and a password"},
		{url.UserPassword("ann", "wrong"), "refuses the user ann"},
		{url.UserPassword("ann", "right"), ""},
	} {
		at, err := url.Parse(proxy.URL)
		if err != nil {
			t.Fatal(err)
		}
		at.User = c.user
		transport := network.NewTransport()
		transport.Proxy = http.ProxyURL(at)
		_, err = (&http.Client{Transport: transport}).Get("https://warehouse.example/")
		e, ok := errors.AsType[*sdk.Error](err)
		if c.says == "" {
			if ok || err == nil || asked != http.MethodConnect {
				t.Errorf("with the password: %v", err)
			}
			continue
		}
		if !ok || e.Kind != sdk.KindUnavailable || e.Retry || !strings.Contains(e.Msg, at.Host) || !strings.Contains(e.Msg, c.says) ||
			!strings.Contains(e.Hint, "HTTPS_PROXY=http://USER:PASSWORD@"+at.Host) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v (%+v), want one that says %q", err, e, c.says)
		}
	}
}

func TestWebErrors(t *testing.T) {
	t.Parallel()
	unknown := httptest.NewTLSServer(nil)
	t.Cleanup(unknown.Close)
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	for address, hint := range map[string]string{
		unknown.URL: "SSL_CERT_FILE", "https://127.0.0.1:1": "nothing listens there",
	} {
		transport := network.NewTransport()
		_, err := (&http.Client{Transport: transport}).Get(address)
		if e := sdk.AsError(network.WebError(err), ""); e.Kind != sdk.KindUnavailable || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v became %+v", address, err, e)
		}
		transport.CloseIdleConnections()
	}
	if e := sdk.AsError(network.WebError(io.ErrUnexpectedEOF), ""); e.Kind != sdk.KindUnavailable || !e.Retry {
		t.Errorf("a broken connection became %+v", e)
	}
}

func TestSkew(t *testing.T) {
	t.Parallel()
	for ahead, says := range map[time.Duration]string{0: "", 30 * time.Second: "", -30 * time.Second: "", time.Hour: "behind", -time.Hour: "ahead of"} {
		header := http.Header{"Date": {time.Now().Add(ahead).UTC().Format(http.TimeFormat)}}
		if got := network.Skew(header); got == "" && says != "" || !strings.Contains(got, says) || says == "" && got != "" {
			t.Errorf("a service that is %s ahead: %q", ahead, got)
		}
	}
	if got := network.Skew(http.Header{}); got != "" {
		t.Errorf("an answer without a date: %q", got)
	}
}
