// Package scan fills the catalog: it reads a warehouse's structure, profiles its
// tables, infers what its keys do not say, and commits all of it as one
// snapshot.
package scan

import (
	"context"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Config is what a Service is made of. All fields are required.
type Config struct {
	// Connections returns the configured connections as they are now.
	Connections func(context.Context) (*connection.Registry, error)
	// Connectors knows connectors from their manifests.
	Connectors describer
	// Sessions lends open sessions.
	Sessions leaser
	Catalogs *catalog.Set
	// Index makes what was scanned searchable.
	Index refresher
	// Decisions returns the file of a connection's decisions on relationships.
	Decisions func(connection.ID) string
	Logger    *slog.Logger
	Now       func() time.Time
}

// A describer never starts a process.
type describer interface {
	Describe(c connection.Connection) (sdk.Description, error)
}

// A leaser starts what the connection needs. The release func ends the use of
// the session and is called exactly once.
type leaser interface {
	Lease(ctx context.Context, c connection.Connection) (session sdk.Session, release func(), err error)
}

type refresher interface {
	Refresh(context.Context, func(sdk.Progress)) error
}

// Service scans. Concurrency: any number of calls; of one connection one scan
// at a time, also among processes.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Request says what to scan and how deep.
type Request struct {
	Connection connection.ID
	Mode       catalog.Mode // "" = the connection's, else enriched
	// Include and Exclude are globs; none = the connection's.
	Include, Exclude []string
	// Full takes nothing over from earlier snapshots.
	Full bool
	// Budget bounds the time spent on profiles; 0 = the connection's.
	Budget time.Duration
	// Progress is told what happens; may be nil.
	Progress func(sdk.Progress)
}

// Result is a committed snapshot.
type Result struct {
	catalog.Identity
	// Before is the snapshot before it; nil when there was none.
	Before *catalog.Identity
	// Added, Removed and Changed are how many tables differ from Before's.
	Added, Removed, Changed int
	// Profiled is how many tables were profiled now, and Kept how many profiles
	// were taken over.
	Profiled, Kept int
	Relationships  relationship.Result
	Elapsed        time.Duration
}

// Run scans a connection and commits the snapshot. After an error the snapshots
// are as before.
func (s *Service) Run(context.Context, Request) (*Result, error) {
	return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "not built")
}
