// Package discover finds and describes the content of a project: one ranked search over everything, details of
// tables, the columns that contain a value, and wiki pages. It reads snapshots, the index and the wiki; it starts
// no connector and queries no warehouse.
//
// Every answer is current: each call checks the heads of the catalogs, the pages and the files of decisions.
// Caches are per snapshot.
package discover

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config is what a Service is made of. All fields are required but those that say so.
type Config struct {
	Warehouses *warehouse.Set
	Catalogs   *catalog.Set
	Index      currenter
	Wiki       *wiki.Wiki
	Keys       *foreignkey.Set
	// Files is the index of the collected files, and Texts what they say. They are asked for the kind file alone.
	Files currenter
	Texts texter
	// Uses returns what calls have used. It is asked by searches, at most once a minute.
	Uses func(context.Context) ([]history.Use, error)
	// Disputes returns the contradictions that wait for a person; nil = there are none.
	Disputes func(context.Context) (*change.Disputes, error)
	Now      func() time.Time
	Logger   *slog.Logger
}

type currenter interface {
	Current(context.Context) (*indexer.State, error)
}

// A texter has the chunks of files; *chunk.Engine is one.
type texter interface {
	Find(ctx context.Context, id string) (*chunk.Piece, error)
}

// Service answers. Concurrency: any number of calls at once.
type Service struct {
	Config
	analyzer *text.Analyzer // finds the place in a text that matched
	graphs   graphs
	use      use
	stale    staleness
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{Config: c, analyzer: text.New()}
}

// TableRef names a table on the wire; a part that the engine has not is null.
type TableRef struct {
	Catalog *string `json:"catalog,omitempty"`
	DB      *string `json:"db,omitempty"`
	Name    string  `json:"name"`
}

func newTableRef(r sdk.TableRef) TableRef {
	return TableRef{Catalog: known(r.Catalog), DB: known(r.Schema), Name: r.Name}
}

// Scanned returns what the last snapshot of a connection is; nil when it was
// never scanned. It reads the list of the snapshots and none of them.
// Errors: as of catalog.Catalog.History.
func (s *Service) Scanned(id connection.ID) (*catalog.Identity, error) {
	all, err := s.Catalogs.Of(string(id)).History()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// asked returns the connections that a request is about: the one it names, or
// all of them.
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

// filter returns the connections that the index is searched for: the one that a request
// names, else those that are open to its caller; nil means all.
func filter(ctx context.Context, id connection.ID, open []connection.Connection) (ids []string) {
	if id != "" {
		return []string{string(id)}
	}
	if !caller.Of(ctx).Narrows() {
		return nil
	}
	ids = []string{noConnection} // an empty list would be all of them
	for _, c := range open {
		ids = append(ids, string(c.ID))
	}
	return ids
}

// noConnection is no valid id of a connection.
const noConnection = "-"

// open returns the state that the caller of ctx may see.
func (s *Service) open(ctx context.Context) (*indexer.State, error) {
	state, err := s.Index.Current(ctx)
	if err == nil && caller.Of(ctx).Narrows() {
		state.Only(allowed(ctx))
	}
	return state, err
}

// allowed reports whether a connection is open to the caller of ctx.
func allowed(ctx context.Context) func(connection.ID) bool {
	who := caller.Of(ctx)
	return func(id connection.ID) bool { return who.AllowsConnection(string(id)) }
}

// readable refuses to answer for a connection that is asked for by name and
// whose catalog is damaged: an empty answer would say that it holds nothing.
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

// neverScanned says of each connection without a snapshot what to do. One whose
// snapshot is damaged has one; the state's own notes name it.
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

// known is a text that is null when there is none.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// count is a number that is null when it is not known.
func count[N int | int64](n N, known bool) *N {
	if !known {
		return nil
	}
	return &n
}

// moment is a time as answers show it: RFC 3339 in UTC.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// list is never null on the wire.
func list(of []string) []string {
	if of == nil {
		return []string{}
	}
	return of
}
