// Package warehouse resolves the warehouse of a request: its connection, its connector's
// manifest, the server that was last seen, and sessions.
package warehouse

import (
	"context"
	"log/slog"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// Backend finds connectors and runs them.
type Backend interface {
	// Describe returns a connector's manifest. It starts no connector.
	Describe(c connection.Connection) (sdk.Description, error)
	// LastKnown returns the last known state of a connection. It starts no connector.
	LastKnown(ctx context.Context, c connection.Connection) (connection.State, error)
	// Lease starts the connector and opens the connection if need be. release ends the
	// use of the session and is called exactly once.
	Lease(ctx context.Context, c connection.Connection) (session sdk.Session, release func(), err error)
}

// Set is the warehouses of a project. Concurrency: any number of calls at once.
type Set struct {
	connections func(context.Context) (*connection.Registry, error)
	backend     Backend
	log         *slog.Logger

	mu   sync.RWMutex
	seen map[connection.ID]server // of the sessions that this process leased
}

// New makes a Set. connections returns the connections that the caller of a context may
// use.
func New(connections func(context.Context) (*connection.Registry, error), b Backend, log *slog.Logger) *Set {
	return &Set{connections: connections, backend: b, log: log, seen: map[connection.ID]server{}}
}

// Connections returns the connections that the caller of ctx may use.
func (s *Set) Connections(ctx context.Context) (*connection.Registry, error) {
	return s.connections(ctx)
}

// Of returns the warehouse of a connection.
func (s *Set) Of(c connection.Connection) Warehouse { return Warehouse{c, s} }

// Get returns the warehouse of a named connection.
// Errors: those of connection.Registry.Get.
func (s *Set) Get(ctx context.Context, id connection.ID) (Warehouse, error) {
	registry, err := s.connections(ctx)
	if err != nil {
		return Warehouse{}, err
	}
	c, err := registry.Get(id)
	return Warehouse{c, s}, err
}

// Choose returns the warehouse of a request that may name no connection; see
// connection.Registry.Choose.
func (s *Set) Choose(ctx context.Context, id connection.ID, fits ...func(connection.Connection) bool) (Warehouse, error) {
	registry, err := s.connections(ctx)
	if err != nil {
		return Warehouse{}, err
	}
	c, err := registry.Choose(id, fits...)
	return Warehouse{c, s}, err
}

// Warehouse is one configured connection with its connector, its last known server and
// its sessions.
type Warehouse struct {
	connection.Connection
	set *Set
}

// Description returns the manifest of the connector. It starts no connector.
// Errors: KindNotFound for a connector that is not installed.
func (w Warehouse) Description() (sdk.Description, error) {
	return w.set.backend.Describe(w.Connection)
}

// LastKnown returns the last known state of the connection; the zero value when it cannot
// be read, which is logged. It starts no connector.
func (w Warehouse) LastKnown(ctx context.Context) connection.State {
	state, err := w.set.backend.LastKnown(ctx, w.Connection)
	if err != nil {
		w.set.log.WarnContext(ctx, "last known state of a connection is not readable", "connection", w.ID, "error", err)
	}
	return state
}

// Lease opens a session. release ends the use of the session and is called exactly once.
// Errors: those of starting the connector and of opening the connection.
func (w Warehouse) Lease(ctx context.Context) (session sdk.Session, release func(), err error) {
	session, release, err = w.set.backend.Lease(ctx, w.Connection)
	if err == nil {
		w.set.see(w.Connection, session.Server())
	}
	return session, release, err
}
