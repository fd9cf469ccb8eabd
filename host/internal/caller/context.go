// Package caller identifies who makes a request and what is open to them. The edge
// puts the caller into the context of a request. The packages below read it where the
// answer depends on it: which call is served next, which connections exist.
package caller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// The transports of a request.
const (
	Stdio = "stdio"
	HTTP  = "http"
)

// The principals that are no named token. No token can have their names.
const (
	None  = "none"  // nobody is asked for a token
	Token = "token" // the one token that the server was started with
)

// Caller is who makes a request. It never changes.
type Caller struct {
	// Transport is Stdio or HTTP; "" = this program itself, for its own user.
	Transport string
	// Principal is the name of the token that let the request in, or Token, or None.
	Principal string
	// Named: the principal is a token of its own, so that all requests with it
	// are of one person or program.
	Named bool
	// Client identifies a client of a principal: the id of its session, else its own name
	// and its address. The id of a session is a secret: only its digest leaves the host.
	// "" = there is one client only.
	Client string
	Grant
}

// itself is the caller of the program's own work.
var itself = &Caller{Principal: None}

type key struct{}

// With returns the context of a request of c.
func With(ctx context.Context, c *Caller) context.Context { return context.WithValue(ctx, key{}, c) }

// Of returns the caller of a context; this program itself when the context has none. It is
// never nil.
func Of(ctx context.Context) *Caller {
	if c, ok := ctx.Value(key{}).(*Caller); ok {
		return c
	}
	return itself
}

// Record is a caller as logs and the history have it.
type Record struct {
	Client, Version string // as the client calls itself, "" when it does not
	// Transport and Principal as of Caller, Session as of Caller.Session.
	Transport, Principal, Session string
}

// Session is a digest of Client, "" for none: 8 hexadecimal digits.
func (c *Caller) Session() string {
	if c.Client == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.Client))
	return hex.EncodeToString(sum[:4])
}

// Shared reports whether other callers are served beside c.
func (c *Caller) Shared() bool { return c.Transport == HTTP }
