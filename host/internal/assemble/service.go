// Package assemble puts together bounded texts about a project: what get_context and search_schema answer. It reads
// snapshots, foreign keys, the semantic layer, the wiki and the index; it starts no connector and queries no warehouse.
//
// An answer of Context never exceeds its budget of tokens. Without a scan, a semantic layer or profiles it has less,
// and notes name the commands that help. The same state of the project gives the same answer.
package assemble

import (
	"context"
	"log/slog"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
)

// Config has the dependencies of a Service. All fields are required, except those that say what nil means.
type Config struct {
	Warehouses *warehouse.Set
	Catalogs   *catalog.Set
	Index      *indexer.Indexer
	Keys       *foreignkey.Set
	// Used returns how much tables and measures were used lately; nil = not known.
	Used func(context.Context) *search.Use
	// Approved returns the saved queries that people approved; nil = there are none.
	Approved func(context.Context) ([]ApprovedQuery, error)
	// Extracting returns how far a scan or an import of a connection is, nil without one; nil = there is none ever.
	Extracting func(context.Context, connection.ID) (*Progress, error)
	Logger     *slog.Logger
}

// Service assembles answers.
// Concurrency: its methods may be called concurrently.
type Service struct {
	Config
	analyzer *text.Analyzer // finds the columns that have a word of the question
	outlines outlines
}

// New returns a Service.
func New(c Config) *Service { return &Service{Config: c, analyzer: text.New()} }

// open returns the current state, restricted to the connections that the caller of ctx may use.
func (s *Service) open(ctx context.Context) (*indexer.State, error) {
	state, err := s.Index.Current(ctx)
	if who := caller.Of(ctx); err == nil && who.Narrows() {
		state.Only(func(id connection.ID) bool { return who.AllowsConnection(string(id)) })
	}
	return state, err
}

// asked returns the connection that a request names, or all that the caller may use if it names none.
// Errors: KindNotFound with the known ids; those of warehouse.Set.Connections.
func (s *Service) asked(ctx context.Context, id connection.ID) ([]connection.Connection, error) {
	registry, err := s.Warehouses.Connections(ctx)
	switch {
	case err != nil:
		return nil, err
	case id == "":
		return registry.All(), nil
	}
	one, err := registry.Get(id)
	return []connection.Connection{one}, err
}

// tooLong is the error of a text that is longer than it may be. Units: characters.
func tooLong(what string, has, most int) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s has %d characters; the limit is %d", what, has, most).
		WithHint("ask with the few words that matter")
}
