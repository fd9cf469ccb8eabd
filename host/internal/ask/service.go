// Package ask answers questions about statements before and after they run: whether a statement would run, how the
// engine would run it, which statements ran lately; and it reads some rows of a table.
package ask

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config has the dependencies of a Service. All fields are required.
type Config struct {
	Warehouses *warehouse.Set
	Query      querier
	Catalogs   *catalog.Set
	History    historian
	// Findings compares a statement with what the project knows.
	Findings func(ctx context.Context, id connection.ID, sql string, d *dialect.Dialect) []finding.Finding
	// Tables returns the names of the tables that a statement reads, as far as they are certain.
	Tables func(ctx context.Context, id connection.ID, sql string) []string
	// Offer adds existing tables with similar names to the error of a statement.
	Offer func(ctx context.Context, id connection.ID, sql string, err error) error
	Now   func() time.Time
}

// A querier checks and runs statements; *query.Service implements it.
type querier interface {
	Examine(context.Context, query.Request) (query.Examination, error)
	Explain(context.Context, query.Request) (sdk.Explanation, *dialect.Dialect, error)
	Run(context.Context, query.Request, query.Sink) (query.Summary, error)
}

// A historian reads the recorded calls; *history.Recorder implements it.
type historian interface {
	Runs(context.Context, history.RunsFilter) (history.Runs, error)
}

// Service answers.
// Concurrency: its methods may be called concurrently.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Statement is a statement to be checked or explained.
type Statement struct {
	// Connection "" = the only one.
	Connection connection.ID
	SQL        string
	// Parameters are the values of its placeholders, in their order; nil = they are not given.
	Parameters Values
}
