package transport

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
)

// principal is whose token let a request in.
type principal struct {
	name string
	// Of a named token alone: the token, and a context that is done when it was
	// revoked or has expired.
	token *token.Token
	ctx   context.Context
	stop  context.CancelCauseFunc
}

// Requests without a token, and with the one that the server was started with.
var nobody, holder = &principal{name: caller.None}, &principal{name: caller.Token}

// What a request is told that is not let in.
const (
	noToken      = "a bearer token is required: the server's LOAM_MCP_TOKEN, or one of loam token add"
	expiredToken = "the token %s has expired: ask for another one (loam token add)"
)

// authorize returns who makes a request, or why it is not let in. It compares the
// bearer token in constant time, its length included.
func (a *access) authorize(r *http.Request) (*principal, string) {
	carried := r.Header.Values("Authorization")
	if len(carried) == 1 { // of several, which one counts is not for us to choose
		scheme, secret, _ := strings.Cut(carried[0], " ")
		digest := token.Digest(strings.TrimSpace(secret))
		switch {
		case !strings.EqualFold(scheme, "Bearer"):
		case a.token != nil && subtle.ConstantTimeCompare(digest[:], a.token[:]) == 1:
			return holder, ""
		default:
			if p, refusal := a.people.find(digest); p != nil || refusal != "" {
				return p, refusal
			}
		}
	}
	if a.asks() {
		return nil, noToken
	}
	return nobody, ""
}

// asks reports whether every request must carry a token.
func (a *access) asks() bool { return a.token != nil || a.people.asked.Load() }

// people are the principals of named tokens that have made a request.
// Concurrency: any goroutine.
type people struct {
	tokens *token.Store // nil = none
	// asked: there was a file of named tokens since the server began. Taking it
	// away, or revoking the last one, does not open the server to everybody.
	asked atomic.Bool

	mu       sync.Mutex
	known    map[[sha256.Size]byte]*principal
	replaced bool // one of them, since the last sweep
}

// init has the named tokens of a store looked up.
// Errors: those of reading it: a server that cannot tell whom to let in does not
// begin.
func (p *people) init(tokens *token.Store) error {
	p.tokens, p.known = tokens, map[[sha256.Size]byte]*principal{}
	_, err := p.current()
	return err
}

// current returns the tokens as they are now.
func (p *people) current() (*token.Set, error) {
	if p.tokens == nil {
		return &token.Set{}, nil
	}
	set, err := p.tokens.Current()
	if set.Kept {
		p.asked.Store(true)
	}
	return set, err
}

// some reports whether there is a named token that lets somebody in.
func (p *people) some() bool {
	set, err := p.current()
	now := time.Now()
	for _, t := range set.Tokens {
		if err == nil && !t.Expired(now) {
			return true
		}
	}
	return false
}

// find returns whose token has a digest; neither a principal nor a refusal when it
// is nobody's.
func (p *people) find(digest [sha256.Size]byte) (*principal, string) {
	set, _ := p.current() // sweep says what is wrong with the file; nobody is let in by it
	t := set.Find(digest)
	switch {
	case t == nil:
		return nil, ""
	case t.Expired(time.Now()):
		return nil, fmt.Sprintf(expiredToken, t.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.known[digest]
	if known != nil && known.token.Equal(t) {
		return known, ""
	}
	if known != nil { // somebody changed in the file what is open to it
		known.stop(errNarrowed)
		p.replaced = true
	}
	known = &principal{name: t.Name, token: t}
	known.ctx, known.stop = context.WithCancelCause(context.Background())
	p.known[digest] = known
	return known, ""
}

// Why the requests of a token end.
var (
	errRevoked  error = ended("the token was revoked")
	errExpired  error = ended("the token has expired")
	errNarrowed error = ended("what is open to the token has changed")
)

func ended(why string) *sdk.Error {
	return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceCaller, "%s", why).WithHint("ask whoever runs the server for a token")
}

// sweep ends what runs with tokens that are no more, and reports whether it did.
// Errors: those of reading the tokens, in which case there are none.
func (p *people) sweep() (some bool, err error) {
	set, err := p.current()
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	some, p.replaced = p.replaced, false
	for digest, known := range p.known {
		var why error
		switch t := set.Find(digest); {
		case t == nil:
			why = errRevoked
		case t.Expired(now):
			why = errExpired
		case !t.Equal(known.token):
			why = errNarrowed
		default:
			continue
		}
		known.stop(why)
		delete(p.known, digest)
		some = true
	}
	return some, err
}

// over reports whether the token of the principal is no more.
func (p *principal) over() bool { return p.ctx != nil && p.ctx.Err() != nil }

// endWith has end called when the token is no more; stop undoes that.
func (p *principal) endWith(end context.CancelCauseFunc) (stop func() bool) {
	if p.ctx == nil {
		return func() bool { return false }
	}
	return endWith(end, p.ctx)
}

// caller is a client of the principal.
func (p *principal) caller(client string) *caller.Caller {
	c := &caller.Caller{Transport: caller.HTTP, Principal: p.name, Client: client}
	if p.token != nil {
		c.Named, c.Grant = true, p.token.Grant
	}
	return c
}

// place is where a client of the principal is, for what each place may have so
// much of. Of IPv6, a client has a whole network.
func (p *principal) place(remote string) string {
	host := hostOf(remote)
	if p.token != nil {
		return p.name + " " + host // those of a token are not mixed up with others behind one proxy
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() && !addr.Is4In6() {
		const network = 64 // bits
		prefix, _ := addr.WithZone("").Prefix(network)
		return prefix.String()
	}
	return host
}

// hostOf is a remote address without its port.
func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}
