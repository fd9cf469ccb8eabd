package transport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Caller is by what way a request came.
type Caller struct {
	Transport string // "stdio" or "http"
	// Principal is by what it was let in: "token", or "none" when no one is asked for.
	Principal string
	// Session tells the requests of one client from those of others; those of a
	// client without a session are told by its address and name. It is a digest:
	// whoever has the id of a session can speak in it.
	Session string
}

// CallerOf returns by what way the request of ctx came.
func CallerOf(ctx context.Context) Caller {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		c = Caller{Transport: "stdio", Principal: "none"}
	}
	if client := clientOf(ctx); client != "" {
		sum := sha256.Sum256([]byte(client))
		c.Session = hex.EncodeToString(sum[:4])
	}
	return c
}

type callerKey struct{}

// withCaller says by what way a request over HTTP came.
func (a *access) withCaller(ctx context.Context) context.Context {
	c := Caller{Transport: "http", Principal: "none"}
	if a.token != nil {
		c.Principal = "token"
	}
	return context.WithValue(ctx, callerKey{}, c)
}

// introduced is what the client of a pipe said of itself.
// Concurrency: any goroutine.
type introduced struct {
	info         atomic.Pointer[mcp.Implementation]
	capabilities atomic.Pointer[mcp.ClientCapabilities]
}

var _ server.SessionWithClientInfo = (*stdioSession)(nil)

// GetClientInfo implements server.SessionWithClientInfo.
func (c *introduced) GetClientInfo() mcp.Implementation {
	if info := c.info.Load(); info != nil {
		return *info
	}
	return mcp.Implementation{}
}

// SetClientInfo implements server.SessionWithClientInfo.
func (c *introduced) SetClientInfo(info mcp.Implementation) { c.info.Store(&info) }

// GetClientCapabilities implements server.SessionWithClientInfo.
func (c *introduced) GetClientCapabilities() mcp.ClientCapabilities {
	if capabilities := c.capabilities.Load(); capabilities != nil {
		return *capabilities
	}
	return mcp.ClientCapabilities{}
}

// SetClientCapabilities implements server.SessionWithClientInfo.
func (c *introduced) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	c.capabilities.Store(&capabilities)
}
