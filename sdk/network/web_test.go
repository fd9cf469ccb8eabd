package network_test

import (
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
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
	refused := sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the proxy asks for a password")
	if e := network.WebError(&net.OpError{Op: "dial", Err: refused}); e != error(refused) {
		t.Errorf("a refusal became %+v", e)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	res := &http.Response{Body: io.NopCloser(strings.NewReader("rows"))}
	for range 2 { // the first reader leaves a copy
		if body, err := network.Body(res); err != nil || string(body) != "rows" {
			t.Errorf("%q, %v", body, err)
		}
	}
	cut := &http.Response{Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))}
	if _, err := network.Body(cut); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an answer that is cut off: %v", err)
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
