package transport

import (
	"crypto/sha256"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
)

// Access is the access control of the HTTP server.
type Access struct {
	// Host is the address the server listens on; "" = 127.0.0.1.
	Host string
	// Token, or one of Tokens, is required in every request; a server needs one
	// when Host is not a loopback address.
	Token sdk.Secret
	// Tokens are the named tokens of the project; nil = none. As soon as there
	// is one, every request must have a token.
	Tokens *token.Store
	// AllowedHosts are accepted as Host header besides the loopback names and
	// Host.
	AllowedHosts []string
	// AllowedOrigins are accepted as Origin header: scheme://host[:port]. A
	// request without the header is accepted, and so is the server's own address
	// on this machine, which no other page can have.
	AllowedOrigins []string
}

// access is an Access made ready for comparing.
type access struct {
	hosts   map[string]bool
	origins map[string]bool
	token   *[sha256.Size]byte // nil = there is none but the named ones
	people
}

func newAccess(a Access) (*access, error) {
	host := a.Host
	if host == "" {
		host = "127.0.0.1"
	}
	out := &access{hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}, origins: map[string]bool{}}
	if err := out.people.init(a.Tokens); err != nil {
		return nil, err
	}
	if a.Token.IsZero() && !isLoopback(host) && !out.people.some() {
		return nil, needsToken(host)
	}
	for _, h := range append([]string{host}, a.AllowedHosts...) {
		name, ok := hostName(h)
		if !ok {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no host name", h).
				WithHint("give --allowed-host a name or an address, without scheme or path")
		}
		out.hosts[name] = true
	}
	for _, o := range a.AllowedOrigins {
		origin, ok := originName(o)
		if !ok {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no origin", o).
				WithHint("give --allowed-origin as scheme://host[:port], like https://app.example.com")
		}
		out.origins[origin] = true
	}
	if !a.Token.IsZero() {
		if !canBeSent(a.Token.Reveal()) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the token has a character that no client can send").
				WithHint("use letters, digits and punctuation without spaces, like the output of: openssl rand -hex 32")
		}
		sum := sha256.Sum256([]byte(a.Token.Reveal()))
		out.token = &sum
	}
	return out, nil
}

// canBeSent reports whether a token arrives as it is: clients differ in what
// they make of spaces around it, and of characters beyond ASCII.
func canBeSent(token string) bool {
	return !strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' })
}

func needsToken(host string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "listening on %s needs a token", host).
		WithHint("make one with `loam token add NAME`, set LOAM_MCP_TOKEN or give --token, or listen on 127.0.0.1")
}

func isLoopback(host string) bool {
	name, ok := hostName(host)
	if !ok {
		return false
	}
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || (err == nil && addr.IsLoopback())
}

// hostName returns a Host header in the form in which hosts are compared:
// lower case, without port, brackets and the dot of a fully qualified name.
func hostName(header string) (string, bool) {
	host := strings.ToLower(header)
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String(), true // an IPv6 address without brackets is no host:port
	}
	if _, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
		host = strings.TrimSuffix(host, ":"+port) // with its brackets
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !ok || err != nil || !addr.Is6() {
			return "", false
		}
		return addr.String(), true
	}
	host = strings.TrimSuffix(host, ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String(), true
	}
	if host == "" || strings.ContainsAny(host, "/:@?#[]% \t") {
		return "", false
	}
	return host, true
}

// originName returns an Origin header in the form in which origins are
// compared: lower case, without the scheme's default port.
func originName(header string) (string, bool) {
	u, err := url.Parse(header)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(header, "#") {
		return "", false
	}
	if _, ok := hostName(u.Host); !ok {
		return "", false
	}
	host := strings.ToLower(u.Host)
	switch port := u.Port(); {
	case port == "80" && u.Scheme == "http", port == "443" && u.Scheme == "https":
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, true
}

func (a *access) allowsHost(r *http.Request) bool {
	name, ok := hostName(r.Host)
	return ok && a.hosts[name]
}

func (a *access) allowsOrigin(r *http.Request) bool {
	carried := r.Header.Values("Origin")
	if len(carried) == 0 {
		return true
	}
	origin, ok := originName(carried[0])
	return ok && len(carried) == 1 && (a.origins[origin] || sameOrigin(origin, r.Host))
}

// sameOrigin reports whether a request comes from the address on this machine to
// which it goes.
func sameOrigin(origin, host string) bool {
	own, ok := originName("http://" + host)
	return ok && own == origin && isLoopback(host)
}
