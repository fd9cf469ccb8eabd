// Package caller identifies who makes a request and what they may use. The MCP server and
// the command line put the caller into the context of a request; packages below read it
// where the answer depends on it: which call is served next, which connections are
// visible.
package caller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// The transports of a request.
const (
	Stdio   = "stdio"
	HTTP    = "http"
	Console = "console" // a person in a browser
)

// The principals without a named token. No token can have these names.
const (
	None  = "none"  // the server asks for no token
	Token = "token" // the one token that the server was started with
)

// Caller is who makes a request. It never changes.
type Caller struct {
	// Transport is Stdio, HTTP or Console; "" = the command line, for this program's own user.
	Transport string
	// Principal is the name of the token that let the request in, or Token, or None.
	Principal string
	// Named: the principal is a named token, which one person or program has.
	Named bool
	// Client identifies a client of a principal: the id of its session, else its name and
	// address. The id of a session is a secret: only its digest leaves the host. "" =
	// there is only one client.
	Client string
	Grant
}

// itself is the caller of the program's own work.
var itself = &Caller{Principal: None}

type key struct{}

// With returns the context of a request of c.
func With(ctx context.Context, c *Caller) context.Context { return context.WithValue(ctx, key{}, c) }

// Of returns the caller of a context; this program's own user when the context has none.
// It is never nil.
func Of(ctx context.Context) *Caller {
	if c, ok := ctx.Value(key{}).(*Caller); ok {
		return c
	}
	return itself
}

// Record is a caller for logs and the history.
type Record struct {
	Client, Version string // as the client names itself, or ""
	// Transport and Principal of the Caller, and its Session.
	Transport, Principal, Session string
}

// Session returns a digest of Client, of 8 hexadecimal digits; "" without a Client.
func (c *Caller) Session() string {
	if c.Client == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.Client))
	return hex.EncodeToString(sum[:4])
}

// Shared reports whether the server may have other callers than c.
func (c *Caller) Shared() bool { return c.Transport == HTTP || c.Transport == Console }
