// Package scan fills the catalog: it reads a warehouse's structure, profiles its
// tables, infers undeclared foreign keys, and commits the result as one snapshot.
package scan

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
)

// Config is the configuration of a Service. All fields are required.
type Config struct {
	Warehouses *warehouse.Set
	Catalogs   *catalog.Set
	// Index indexes the new snapshot.
	Index refresher
	// Decisions returns the file of a connection's decisions on relationships.
	Decisions func(connection.ID) string
	// Tags returns the tags of a statement of the scan, by what the engine takes.
	Tags   func(context.Context, sdk.TagRules, string) map[string]string
	Logger *slog.Logger
	Now    func() time.Time
}

type refresher interface {
	Refresh(context.Context, func(sdk.Progress)) error
}

// Service scans connections. Concurrency: any number of calls; one scan per
// connection at a time, over all processes.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Request selects what to scan.
type Request struct {
	Connection connection.ID
	Mode       catalog.Mode // "" = the connection's, else enriched
	// Include and Exclude are globs; none = the connection's.
	Include, Exclude []string
	// Full: reuse nothing of earlier snapshots.
	Full bool
	// Budget bounds the time spent on profiles; 0 = the connection's.
	Budget time.Duration
	// Progress receives the progress, one call at a time; may be nil.
	Progress func(Progress)
}

// Result is a committed snapshot.
type Result struct {
	catalog.Identity
	// Before is the previous snapshot; nil when there was none.
	Before *catalog.Identity
	// Added, Removed and Changed count the tables that differ from Before.
	Added, Removed, Changed int
	// Profiled counts the tables that this scan profiled, Kept the reused
	// profiles, and LeftOut the tables that the budget left out.
	Profiled, Kept, LeftOut int
	Relationships           relationship.Result
	// Queries counts the queries for relationships.
	Queries int
	// BytesBilled are the bytes that the warehouse billed for the scan; 0 =
	// unknown.
	BytesBilled int64
	// Notes are sentences about the scan beside the snapshot: parts that could not
	// be reused, or an index that is not ready.
	Notes   []string
	Elapsed time.Duration
}

// Run scans a connection and commits the snapshot. After an error the snapshots
// are unchanged. Tables and schemas that cannot be read are warnings of the
// snapshot.
// Errors: KindNotFound (no such connection or connector, or an include that fits
// nothing), KindConflict while another scan of the connection runs, KindInvalid
// for a glob or a file of decisions that cannot be understood, KindUnavailable
// for a scan that was not complete, KindCanceled; what the connector reports.
// Concurrency: a cancelled context ends what runs in the warehouse; Run returns
// after that.
func (s *Service) Run(ctx context.Context, req Request) (*Result, error) {
	started := time.Now()
	j, err := s.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	defer j.progress.stop()
	err = j.run(ctx, req.Full)
	if errors.Is(err, catalog.ErrDamaged) && !req.Full {
		s.Logger.WarnContext(ctx, "a damaged snapshot is scanned anew", "connection", req.Connection, "error", err)
		j.note("The last snapshot is damaged; nothing was taken over from it.")
		err = j.run(ctx, true)
	}
	if err != nil {
		return nil, j.explain(ctx, err)
	}
	if err := s.Index.Refresh(ctx, j.progress.report); err != nil {
		s.Logger.WarnContext(ctx, "the index was not refreshed after a scan", "connection", req.Connection, "error", err)
		j.note("The snapshot is not searchable yet: %v.", err)
	}
	r := &j.result
	r.Elapsed, r.BytesBilled = time.Since(started), j.purse.spent()
	s.Logger.InfoContext(ctx, "scanned", "connection", req.Connection, "sync_id", r.SyncID, "tables", r.Counts.Tables, "columns", r.Counts.Columns,
		"profiled", r.Profiled, "queries", r.Queries, "warnings", len(r.Coverage.Warnings), "elapsed_ms", r.Elapsed.Milliseconds())
	return r, nil
}
