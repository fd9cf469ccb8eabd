package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	beginReadOnly = "START TRANSACTION READ ONLY"
	// beginSnapshot is for several statements that must see one state.
	beginSnapshot = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"

	// graceTime is how much later than the server's own limit a statement is
	// killed: the server then says itself that the time was over.
	graceTime = 300 * time.Millisecond
)

// reading is a read-only transaction under way on a connection. Its statements
// run without the context of their call, at whose end the driver would close the
// connection: the KILL ends them.
// Concurrency: one goroutine, but for Stop.
type reading struct {
	*sqlkit.Reading[*conn]
	s       *Session
	comment string // in front of the caller's statement
}

// broken reports whether an error means that the connection is of no more use.
func broken(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.ErrUnexpectedEOF)
}

// setLimit makes the server end statements after the time, unless it is the
// connection's own.
func (c *conn) setLimit(ctx context.Context, limit time.Duration) error {
	if limit == c.limit {
		return nil
	}
	c.limit = limit
	return c.Exec(ctx, "SET SESSION "+c.server.timeLimit(limit))
}

// exec runs a statement of the connector's own that returns no rows.
func (r *reading) exec(sql string) error { return r.Exec(context.Background(), sql) }

// query runs a statement of the connector's own. A row is valid until each
// returns.
func (r *reading) query(sql string, each func(sqlkit.Row) error) error {
	return r.Query(context.Background(), sql, each)
}

// queryf is query with the arguments in the format.
func (r *reading) queryf(format string, args []any, each func(sqlkit.Row) error) error {
	return r.query(fmt.Sprintf(format, args...), each)
}

// prepare has the server parse a statement and resolve its names.
func (r *reading) prepare(sql string) error {
	return r.Prepare(context.Background(), sql, func(driver.Stmt) error { return nil })
}

// prepared runs a statement in the binary protocol, with its parameters.
func (r *reading) prepared(sql string, params []sdk.Value, rows func(driver.Rows) error) error {
	return r.Prepared(context.Background(), sql, params, rows)
}
