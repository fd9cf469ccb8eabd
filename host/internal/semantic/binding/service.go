// Package binding binds a semantic layer to its warehouse. It finds sources by name,
// reports problems with their files, asks the engine for the columns of sources that
// are queries, and refuses a dialect that the compiler cannot write.
package binding

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is the configuration of the services of the semantic layer. Fields are
// required unless noted.
type Config struct {
	Warehouses *warehouse.Set
	Layer      layers
	// Query runs compiled statements.
	Query engine
	Now   func() time.Time
	// FiscalYear returns the month in which the fiscal year of the project starts, 0 = it has none; may be nil.
	FiscalYear func(context.Context) (time.Month, error)
	// Memory has the learned facts about measures; may be nil.
	Memory remembering
}

// remembering is a memory.Service.
type remembering interface {
	Disputes(context.Context) (*change.Disputes, error)
	DraftOf(ctx context.Context, connection, target string) (*change.Change, error)
}

// An engine is a query.Service.
type engine interface {
	Run(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error)
	Describe(ctx context.Context, id connection.ID, sql string) ([]sdk.Column, error)
}

type layers interface {
	Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*layer.State, error)
	Learn(ctx context.Context, id connection.ID, s *layer.State, found []*model.Query) error
	Strangers(ctx context.Context, known []connection.ID) ([]string, error)
}
