package warehouse

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Known is the manifest and the last known server of a warehouse, found without asking a
// server.
type Known struct {
	Description sdk.Description
	// Server is the last known server; the zero value when none was seen yet, or when the
	// connector has one dialect only and this process has not opened the connection. Only
	// the process that opened a session knows that session's own dialect.
	Server sdk.ServerInfo
}

// Known returns the manifest and the last known server. It starts no connector.
// Errors: those of Description.
func (w Warehouse) Known(ctx context.Context) (Known, error) {
	description, err := w.Description()
	if err != nil {
		return Known{}, err
	}
	known := Known{Description: description}
	if seen, ok := w.seen(); ok {
		known.Server = seen
	} else if len(description.Dialects) > 1 {
		known.Server = w.LastKnown(ctx).Server
	}
	return known, nil
}

// Dialect returns the dialect of the last known server, else the one for any server; nil
// when the connector describes none.
// Shape: a pointer into Description, equal as long as that is.
func (k Known) Dialect() *dialect.Dialect { return k.Of(k.Server) }

// Of returns the dialect of a server.
func (k Known) Of(server sdk.ServerInfo) *dialect.Dialect {
	return server.DialectOf(k.Description.Dialects)
}

// Certain reports whether Dialect is known rather than assumed.
func (k Known) Certain() bool {
	return len(k.Description.Dialects) < 2 || k.Server.Product != "" || k.Server.Version != ""
}

// server is what a session reported of its server, under one configuration.
type server struct {
	fingerprint string
	info        sdk.ServerInfo
}

// seen returns the server that this process saw last.
func (w Warehouse) seen() (sdk.ServerInfo, bool) {
	w.set.mu.RLock()
	seen, ok := w.set.seen[w.ID]
	w.set.mu.RUnlock()
	if !ok || seen.fingerprint != w.Fingerprint() {
		return sdk.ServerInfo{}, false
	}
	return seen.info, true
}

// see keeps the server of a session.
func (s *Set) see(c connection.Connection, info sdk.ServerInfo) {
	now := server{c.Fingerprint(), info}
	s.mu.Lock()
	s.seen[c.ID] = now
	s.mu.Unlock()
}
