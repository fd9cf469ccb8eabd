package connection

import (
	"context"
	"log/slog"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// A Describer knows connectors from their manifests. It never starts a process.
type Describer interface {
	Describe(c Connection) (sdk.Description, error)
}

// A Rememberer knows what was last known of a connection.
type Rememberer interface {
	LastKnown(ctx context.Context, c Connection) (State, error)
}

// Known is what is known of the SQL of a connection without asking its server.
type Known struct {
	Description sdk.Description
	// Server is what was last known of it; the zero value when it was never seen,
	// or when there is one dialect only.
	Server sdk.ServerInfo
}

// Know returns what is known of a connection's SQL.
// Errors: those of d.
func Know(ctx context.Context, c Connection, d Describer, r Rememberer, log *slog.Logger) (Known, error) {
	description, err := d.Describe(c)
	if err != nil {
		return Known{}, err
	}
	known := Known{Description: description}
	if len(description.Dialects) > 1 {
		known.Server = LastServer(ctx, c, r, log)
	}
	return known, nil
}

// Dialect returns the dialect of the server that was last seen, else the one for
// any server; nil when the connector describes none.
// Shape: a pointer into Description, equal as long as that is.
func (k Known) Dialect() *dialect.Dialect { return k.Of(k.Server) }

// Of returns the dialect of a server.
func (k Known) Of(server sdk.ServerInfo) *dialect.Dialect {
	return dialect.Pick(k.Description.Dialects, server.Product, server.Version)
}

// Certain reports whether Dialect is no guess.
func (k Known) Certain() bool {
	return len(k.Description.Dialects) < 2 || k.Server.Product != "" || k.Server.Version != ""
}

// LastServer returns what was last known of a connection's server, or nothing. It
// is worth a guess at the dialect only, so a failure is logged and stops nobody.
func LastServer(ctx context.Context, c Connection, r Rememberer, log *slog.Logger) sdk.ServerInfo {
	if r == nil {
		return sdk.ServerInfo{}
	}
	state, err := r.LastKnown(ctx, c)
	if err != nil {
		log.WarnContext(ctx, "last known state of a connection is not readable", "connection", c.ID, "error", err)
	}
	return state.Server
}
