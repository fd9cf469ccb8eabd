package finding

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config has the dependencies of a Service. All fields are required, except Uses.
type Config struct {
	Warehouses *warehouse.Set
	Catalogs   *catalog.Set
	Keys       *foreignkey.Set
	Layer      *layer.Layer
	// Uses returns the recorded statements; nil = none are recorded.
	Uses func(context.Context) ([]history.Use, error)
	// Try returns an error unless the semantic layer of a connection can answer a request.
	Try    func(ctx context.Context, id connection.ID, request json.RawMessage) error
	Now    func() time.Time
	Logger *slog.Logger
}

// Service finds.
// Concurrency: its methods may be called concurrently.
type Service struct {
	Config

	mu    sync.Mutex
	links map[connection.ID]*links
	usage usage
}

// New returns a Service.
func New(c Config) *Service { return &Service{Config: c, links: map[connection.ID]*links{}} }

// Of returns the findings of a statement of a connection; id "" = the only connection, d nil =
// the dialect of its last known server. A statement that is not understood has none.
// Shape: at most Most, in the order of their positions; nil = none.
func (s *Service) Of(ctx context.Context, id connection.ID, sql string, d *dialect.Dialect) []Finding {
	return s.find(ctx, id, sql, d, false)
}

// OfEmpty is Of for a statement that returned nothing: no row, or a single one of zeros and
// NULLs.
func (s *Service) OfEmpty(ctx context.Context, id connection.ID, sql string) []Finding {
	return s.find(ctx, id, sql, nil, true)
}

func (s *Service) find(ctx context.Context, id connection.ID, sql string, d *dialect.Dialect, empty bool) []Finding {
	w, err := s.Warehouses.Choose(ctx, id)
	if err != nil {
		return nil
	}
	if d == nil {
		known, _ := w.Known(ctx) // without its connector there is no dialect
		d = known.Dialect()
	}
	snapshot, err := s.Catalogs.Of(string(w.ID)).Latest()
	if err != nil || d == nil {
		return nil
	}
	r := &reading{service: s, warehouse: w, empty: empty, schema: newSchema(snapshot, d)}
	r.statement = statement.New(d, r.schema).Read(sql)
	if !r.statement.Understood() {
		return nil
	}
	r.values()
	r.joins(ctx)
	r.usualFilters(ctx)
	r.measures(ctx)
	return r.result()
}

// reading is a statement and what the project knows of its tables.
type reading struct {
	service   *Service
	warehouse warehouse.Warehouse
	schema    *schema
	statement *statement.Statement
	// empty: the statement returned nothing.
	empty bool
	found []placed
	state *layer.State // nil until it is asked for
}

// placed is a finding with the byte offset of its place.
type placed struct {
	Finding
	at int
}

// add appends a finding about the text at a byte offset.
func (r *reading) add(f Finding, at int) { r.found = append(r.found, placed{f, at}) }

// maxFound bounds the findings that are collected: no more are compared for the few that are
// returned.
const maxFound = 50

// full reports whether enough is found.
func (r *reading) full() bool { return len(r.found) >= maxFound }

// ranks orders the codes by how certainly the answer is wrong.
var ranks = map[Code]int{ValueNotFound: 0, TypeMismatch: 1, JoinNotKnown: 2, AlwaysFiltered: 3, MetricExists: 4}

// result returns the most important findings in the order of their positions.
func (r *reading) result() (all []Finding) {
	slices.SortStableFunc(r.found, func(a, b placed) int {
		return cmp.Or(cmp.Compare(ranks[a.Code], ranks[b.Code]), cmp.Compare(a.at, b.at))
	})
	found := slices.CompactFunc(r.found, func(a, b placed) bool { return a.Code == b.Code && a.Message == b.Message })
	found = found[:min(Most, len(found))]
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	for _, f := range found {
		p := sdk.PositionAt(r.statement.Text, utf8.RuneCountInString(r.statement.Text[:f.at]))
		f.Position = &refusal.Position{Line: p.Line, Column: p.Column}
		all = append(all, f.Finding)
	}
	return all
}

// model returns the semantic layer of the connection; nil = it cannot be read.
func (r *reading) model(ctx context.Context) *layer.State {
	if r.state == nil {
		state, err := r.service.Layer.Current(ctx, r.warehouse.ID, r.schema.dialect)
		if err != nil {
			r.service.Logger.DebugContext(ctx, "a statement is compared without the semantic layer", "connection", r.warehouse.ID, "error", err)
			return nil
		}
		r.state = state
	}
	return r.state
}
