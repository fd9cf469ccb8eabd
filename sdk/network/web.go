package network

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// ProxyVariables are the variables that name a proxy to Go's transports. A connector that
// lists them in EnvPassthrough gets them with the user and password that a proxy may want.
var ProxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// NewTransport returns a transport of its own for a session, so that closing the session
// can close its connections.
// Errors: those of [ProxyAnswer], inside what net/http returns.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.OnProxyConnectResponse = ProxyAnswer
	return t
}

// WebError maps an error of the way to a service, as a transport returns it. Transports
// trust the authorities that this machine does. An *sdk.Error inside err, such as a proxy's
// refusal, is returned as it is.
// Errors: KindUnavailable, but for those inside err.
func WebError(err error) error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	failed := func(cause error, hint string) error {
		e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "TLS: %w", cause).WithHint("%s", hint)
		e.Op = "connect"
		return e
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return failed(e, "if a proxy or the company signs certificates, set SSL_CERT_FILE to a PEM file with its authority")
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return failed(e, "check the names in the connection's configuration, and the proxy")
	}
	if e := (&TLS{}).Error(err); e != nil {
		return e
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Error(context.Background(), err)
	}
	return sqlkit.Lost(err)
}

// ProxyAnswer implements http.Transport.OnProxyConnectResponse.
// Errors: KindUnavailable for a proxy that asks for a user and a password.
func ProxyAnswer(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusProxyAuthRequired {
		return nil
	}
	return ProxyRefusal(proxy)
}

// ProxyRefusal is the error of a proxy that answered 407.
func ProxyRefusal(proxy *url.URL) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the proxy %s asks for a user and a password (407)", proxy.Host)
	if proxy.User != nil {
		e.Msg = "the proxy " + proxy.Host + " refuses the user " + proxy.User.Username() + " or the password (407)"
	}
	e.Op, e.Code = "connect", "407"
	return e.WithHint("start loam with HTTPS_PROXY=http://USER:PASSWORD@%s; or have the proxy let this machine through", proxy.Host)
}

// clockTolerance is what services allow between their clock and a client's.
const clockTolerance = time.Minute

// Skew compares this machine's clock with that of a service, by the header Date of an
// answer that just arrived.
// Shape: "" within a minute, and for an answer without a date.
func Skew(answer http.Header) string {
	date, err := http.ParseTime(answer.Get("Date"))
	if err != nil {
		return ""
	}
	switch ahead := time.Since(date).Round(time.Second); {
	case ahead > clockTolerance:
		return "this machine's clock is " + ahead.String() + " ahead of the service's"
	case ahead < -clockTolerance:
		return "this machine's clock is " + (-ahead).String() + " behind the service's"
	}
	return ""
}

// ClockHint is the hint of an error that a wrong clock explains.
const ClockHint = "set this machine's clock (timedatectl set-ntp true)"
