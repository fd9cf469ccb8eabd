package clickhouse

import (
	"context"
	"errors"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// query is one statement on its way to the server.
type query struct {
	id       string
	sql      string
	settings proto.Settings
	// block is called for each piece of the result, the first of which may have
	// columns only. An error from it ends the query in the server; run returns it.
	block func(*block) error
	// progress hears how much more was read since it was last called; total is
	// what the server found to read since then. Optional.
	progress func(rows, bytes, total uint64)
	// header asks for the names and types of the columns alone, over HTTP: a
	// result without rows has no block there.
	header bool
	// caller is the statement of a caller that stands in sql, offset bytes further
	// than there; "" = sql itself.
	caller string
	offset int
	// bound has the values of the parameters in sql, and where the caller's text is shorter; nil = there are none.
	bound *bound
}

// binds reports whether the query has parameters.
func (q *query) binds() bool { return q.bound != nil && len(q.bound.params) > 0 }

// transport runs statements over one of the protocols.
// Concurrency: safe for several goroutines.
type transport interface {
	// run runs a statement to its end. When ctx ends, it ends the query in the
	// server and returns after that, or after sqlkit.SettleTime.
	// Errors: *proto.Exception for what the server said; an *sdk.Error where the
	// fact is known; others are of the network.
	run(ctx context.Context, q *query) error
	close() error
}

// errStray is an answer that no ClickHouse server gives on this port.
var errStray = errors.New("the answer is not of this protocol")
