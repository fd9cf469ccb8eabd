package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-sql-driver/mysql"

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

// reading is a read-only transaction under way on a connection.
// Concurrency: one goroutine, but for stop.
type reading struct {
	s *Session
	c *conn
	// untouched: no statement ran, so that the connection may serve again.
	untouched bool
	// answered: the server answered something.
	answered bool
	comment  string // in front of the caller's statement
	stop     func() // ends what runs in the server
	over     <-chan struct{}
}

// read runs fn in a read-only transaction on a connection of the pool, which
// ends with it; timeout is for the whole. A connection that turns out to be dead
// before it answered anything is replaced.
// Errors: what fn returns; those of the driver are mapped. KindTimeout and
// KindCanceled when ctx ended, after the statement has ended in the server.
// ErrLimit from fn ends the statement and is no error.
func (s *Session) read(ctx context.Context, timeout time.Duration, fn func(*reading) error) error {
	for {
		c, wasIdle, err := s.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		started := time.Now()
		work, cancel := sqlkit.WithTimeout(ctx, timeout+graceTime, 0)
		k := s.watch(work, c)
		r := &reading{s: s, c: c, stop: k.start, over: work.Done()}
		if err = r.setLimit(timeout); err == nil {
			err = fn(r)
		}
		took := time.Since(started)
		killed := k.end()
		if killed && !broken(err) {
			c.settle()
		}
		stale := err != nil && wasIdle && !r.answered && !killed && broken(err)
		switch {
		case broken(err):
			s.pool.Drop(c)
			s.catalog.forget()
		case r.untouched && err == nil && !killed:
			s.pool.Release(c)
		default:
			s.pool.Replace(c)
		}
		if !stale {
			err = readError(work, err, c.socket.err, took, timeout)
			cancel()
			return err
		}
		cancel()
	}
}

// broken reports whether an error means that the connection is of no more use.
func broken(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.ErrUnexpectedEOF)
}

// setLimit makes the server end statements after the time, unless it is the
// connection's own.
func (r *reading) setLimit(limit time.Duration) error {
	if limit == r.c.limit {
		return nil
	}
	r.c.limit = limit
	return r.exec("SET SESSION " + r.c.server.timeLimit(limit))
}

// errOver ends a transaction whose call is over; readError says why it is.
var errOver = errors.New("the call is over")

// running reports with errOver that the call is over: nothing more may be sent.
func (r *reading) running() error {
	select {
	case <-r.over:
		return errOver
	default:
		return nil
	}
}

// exec runs a statement of the connector's own that returns no rows.
func (r *reading) exec(sql string) error {
	if err := r.running(); err != nil {
		return err
	}
	return r.heard(r.c.exec(context.Background(), sql))
}

// query runs a statement of the connector's own. A row is valid until each
// returns.
func (r *reading) query(sql string, each func([]driver.Value) error) error {
	if err := r.running(); err != nil {
		return err
	}
	return r.heard(r.c.query(context.Background(), sql, each))
}

// heard notes that the server answered.
func (r *reading) heard(err error) error {
	if err == nil || isServerError(err) {
		r.answered = true
	}
	return err
}

// prepared runs a statement in the binary protocol, with its parameters, and
// hands over its rows: before the rows, their columns.
func (r *reading) prepared(sql string, params []driver.NamedValue, rows func(driver.Rows) error) (err error) {
	if err := r.running(); err != nil {
		return err
	}
	statement, err := r.c.driver.(driver.ConnPrepareContext).PrepareContext(context.Background(), sql)
	if r.heard(err) != nil {
		return err
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	if err := sqlkit.CheckParameters(statement.NumInput(), len(params)); err != nil {
		return err
	}
	if err := r.running(); err != nil {
		return err
	}
	result, err := statement.(driver.StmtQueryContext).QueryContext(context.Background(), params)
	if err != nil {
		return err
	}
	return r.drain(result, rows)
}

// drain hands a result over and closes it; what is left of it is ended in the
// server first.
func (r *reading) drain(result driver.Rows, rows func(driver.Rows) error) error {
	err := rows(result)
	if err != nil && !isServerError(err) && !broken(err) {
		r.stop()
	}
	closing := result.Close()
	if err != nil {
		return err // closing says the same, or that the statement was ended
	}
	return closing
}

// queryf is query with the arguments in the format.
func (r *reading) queryf(format string, args []any, each func([]driver.Value) error) error {
	return r.query(fmt.Sprintf(format, args...), each)
}

// end returns nil for the end of a result.
func end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
