// Package discover finds and describes the content of a project: one ranked search over everything, details of
// tables, the columns that contain a value, and wiki pages. It reads snapshots, the index and the wiki; it starts
// no connector and queries no warehouse.
//
// Answers are current: each call checks the heads of the catalogs, the files of the semantic layers, the pages and
// the relationships files. Caches are keyed by content. Only the usage that influences ranking may be a minute old.
package discover

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config has the dependencies of a Service. All fields are required, except those that say what nil means.
type Config struct {
	Warehouses *warehouse.Set
	Catalogs   *catalog.Set
	Index      currenter
	Wiki       *wiki.Wiki
	Keys       *foreignkey.Set
	// Files is the index of the collected files, Texts returns their chunks. Only searches of the kind file use them.
	Files currenter
	Texts texter
	// Notes are the checkpoints and remediations; nil = there are none. Only searches of these kinds use them.
	Notes noter
	// Uses returns which tables and measures past calls used. Searches call it at most once a minute; nil = usage
	// does not influence ranking.
	Uses func(context.Context) ([]history.Use, error)
	// Disputes returns the contradictions that wait for a person's decision; nil = there are none.
	Disputes func(context.Context) (*change.Disputes, error)
	Now      func() time.Time
	Logger   *slog.Logger
}

type currenter interface {
	Current(context.Context) (*indexer.State, error)
}

// A texter reads chunks of files; *chunk.Engine implements it.
type texter interface {
	Find(ctx context.Context, id string) (*chunk.Piece, error)
}

// A noter finds notes; *note.Engine implements it.
type noter interface {
	FindCheckpoints(context.Context, note.Query) ([]note.Found[note.Checkpoint], error)
	FindRemediations(context.Context, note.Query) ([]note.Found[note.Remediation], error)
}

// Service answers questions about the content of a project.
// Concurrency: its methods may be called concurrently.
type Service struct {
	Config
	analyzer *text.Analyzer // finds the matching place in a text
	families families
	use      use
	stale    staleness
	// repeats has an element for each search that is repeated: see maxHits.
	repeats chan struct{}
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{Config: c, analyzer: text.New(), repeats: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Scanned returns the identity of a connection's last snapshot; nil when it was never
// scanned. It reads the list of snapshots, not the snapshot.
// Errors: as of catalog.Catalog.History.
func (s *Service) Scanned(id connection.ID) (*catalog.Identity, error) {
	all, err := s.Catalogs.Of(string(id)).History()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// asked returns the connection that a request names, or all that the caller may use if it
// names none.
// Errors: KindNotFound with the known ids; those of warehouse.Set.Connections.
func (s *Service) asked(ctx context.Context, id connection.ID) ([]connection.Connection, error) {
	registry, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return registry.All(), nil
	}
	c, err := registry.Get(id)
	if err != nil {
		return nil, err
	}
	return []connection.Connection{c}, nil
}

// filter returns the ids of the connections to search: the one that a request names, else
// those that its caller may use; nil = all.
func filter(ctx context.Context, id connection.ID, open []connection.Connection) (ids []string) {
	if id != "" {
		return []string{string(id)}
	}
	if !caller.Of(ctx).Narrows() {
		return nil
	}
	ids = []string{noConnection} // an empty list would mean all
	for _, c := range open {
		ids = append(ids, string(c.ID))
	}
	return ids
}

// noConnection is not a valid connection id.
const noConnection = "-"

// open returns the current state, restricted to the connections that the caller of ctx may use.
func (s *Service) open(ctx context.Context) (*indexer.State, error) {
	state, err := s.Index.Current(ctx)
	if err == nil && caller.Of(ctx).Narrows() {
		state.Only(allowed(ctx))
	}
	return state, err
}

// allowed returns a function that reports whether the caller of ctx may use a connection.
func allowed(ctx context.Context) func(connection.ID) bool {
	who := caller.Of(ctx)
	return func(id connection.ID) bool { return who.AllowsConnection(string(id)) }
}

// readable returns an error when the connection that a request names has a damaged catalog:
// an empty answer would claim that the warehouse is empty.
func (s *Service) readable(state *indexer.State, id connection.ID) error {
	if id == "" || state.Snapshots[id] != nil {
		return nil
	}
	_, err := s.Catalogs.Of(string(id)).Latest()
	if sdk.KindOf(err) == sdk.KindNotFound { // never scanned
		return nil
	}
	return err
}

// neverScanned returns a note for each connection that was never scanned. Damaged snapshots
// are in the state's own notes.
func (s *Service) neverScanned(state *indexer.State, connections []connection.Connection) (notes []string) {
	for _, c := range connections {
		if state.Snapshots[c.ID] != nil {
			continue
		}
		if id, err := s.Scanned(c.ID); err == nil && id == nil {
			notes = append(notes, fmt.Sprintf("Connection %s was never scanned, so none of its tables can be found: run loam scan %s.", c.ID, c.ID))
		}
	}
	return notes
}

// known returns a pointer to a text; nil for "".
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// count returns a pointer to a number; nil when it is not known.
func count[N int | int64](n N, known bool) *N {
	if !known {
		return nil
	}
	return &n
}

// moment formats a time for answers: RFC 3339 in UTC.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// list returns an empty list for nil, so that JSON has [] and not null.
func list(of []string) []string {
	if of == nil {
		return []string{}
	}
	return of
}
