package transport

import (
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// introduced is what the client of a pipe or a session said of itself.
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
