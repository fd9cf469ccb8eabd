// Package query runs one read-only statement: it checks the text with the guard, leases
// a session, runs the statement within its limits and forwards the rows as JSON. Every
// statement of a user goes through it.
package query

import (
	"reflect"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// DefaultMaxRows is the row limit of a request without one.
	DefaultMaxRows = 1000
	// DefaultMaxBytes is the size limit of a request without one: common MCP clients cut
	// or refuse a longer answer.
	DefaultMaxBytes = 40_000
)

// Request asks for the rows of one statement.
type Request struct {
	// Connection "" = the only one.
	Connection connection.ID
	SQL        string
	// Params are the values of the placeholders of SQL, in the engine's own style of
	// placeholders; a connector that binds none refuses them before anything is sent.
	Params []sdk.Value
	// MaxRows bounds the rows; 0 = DefaultMaxRows, negative = only the connection's own
	// limit.
	MaxRows int
	// MaxBytes bounds the rows rendered as JSON, in characters (code points);
	// 0 = DefaultMaxBytes, negative = no limit.
	MaxBytes int
	// Dialect is that in which SQL is written: a server with another one does not run it,
	// and the error is *OtherDialect. nil = every server may.
	Dialect *dialect.Dialect
	// Progress receives strictly growing fractions from 0 to 1, one call at a time, none
	// after Run has returned; nil = no reports.
	Progress func(fraction float64, message string)
}

// OtherDialect is the error of a statement whose server has another dialect, Is, than
// that in which it is written. It is written anew and asked again.
type OtherDialect struct {
	error
	Is *dialect.Dialect
}

func (e *OtherDialect) Unwrap() error { return e.error }

// Fits returns *OtherDialect for a server whose dialect is another than the request's.
func (r *Request) Fits(is *dialect.Dialect) error {
	if r.Dialect == nil || is == r.Dialect || reflect.DeepEqual(is, r.Dialect) { // a session's own is another one each time
		return nil
	}
	err := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the server of connection %s speaks another dialect by now", r.Connection).
		WithHint("repeat the query")
	err.Retry = true
	return &OtherDialect{err, is}
}

// Sink receives a result: Columns once, then each row.
// Shape: cells has one JSON value per column, in the columns' order; names may
// repeat. The cells are valid until Row returns.
// Errors: an error ends the statement, and Run returns it unchanged.
type Sink interface {
	Columns(columns []sdk.Column) error
	Row(cells [][]byte) error
}

// Summary ends a result.
type Summary struct {
	RowCount int
	// Truncated: the result has more rows than were delivered.
	Truncated   bool
	TruncatedBy sdk.TruncatedBy
	// Nothing: there is no row, or a single one of which each cell is 0 or NULL.
	Nothing bool
	Elapsed time.Duration
	// Notes are sentences for the reader of the rows: about values that were cut or
	// converted, with advice, and the engine's own notices.
	Notes []string
}

// HeaderTypes returns the engine's own type names, verbatim, or nil when the engine
// names none.
func HeaderTypes(columns []sdk.Column) []string {
	types := make([]string, len(columns))
	named := false
	for i, c := range columns {
		types[i] = c.NativeType
		named = named || c.NativeType != ""
	}
	if !named {
		return nil
	}
	return types
}
