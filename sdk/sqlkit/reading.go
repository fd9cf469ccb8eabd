package sqlkit

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Connections runs the calls of a session on the connections of a driver: each call has
// a connection of its own, in a read-only transaction or its equivalent.
type Connections[C Connection] struct {
	Pool *Pool[C]
	// Begin makes a connection ready for statements that take no longer than limit
	// in the engine. Optional.
	Begin func(c C, ctx context.Context, limit time.Duration) error
	// End ends the transaction of Begin and reports whether the connection can be used
	// again. nil = never: every call gets a new connection.
	End func(C) bool
	// Grace is how long after the engine's own time limit a statement is canceled, so
	// that the engine reports the timeout itself.
	Grace time.Duration
	// Kill cancels the statement of a connection over another connection to the engine,
	// and is repeated until the statement has ended. nil: the driver cancels it when
	// the context of its call ends, and returns after that.
	Kill func(context.Context, C) error
	// Interrupt makes a call on a connection fail at once, and Settle waits until the
	// engine has ended a killed statement. Both belong to Kill.
	Interrupt, Settle func(C)
	// Broken reports whether an error means that the connection cannot be used again.
	Broken func(error) bool
	// Forget drops cached facts about an engine that may have been restarted. Optional.
	Forget func()
	// Stopped reports whether an error, or nil, may only mean that the statement was
	// canceled; nil = every error after the end of the call's context. Errors of Broken
	// always may.
	Stopped func(error) bool
	// Native maps the engine's error; nil for an error that is not the engine's.
	Native func(error) *sdk.Error
	// Cause returns the network's error of a broken connection, where the driver does
	// not report it. Optional.
	Cause func(C) error
}

// Readings returns Engine.Read over connections; of makes the resource of a call from its
// reading.
func Readings[C Connection, R any](p *Connections[C], of func(*Reading[C]) R) func(context.Context, time.Duration, func(context.Context, R) error) error {
	return func(ctx context.Context, limit time.Duration, f func(context.Context, R) error) error {
		return p.Read(ctx, limit, func(ctx context.Context, r *Reading[C]) error { return f(ctx, of(r)) })
	}
}

// Read runs f with a reading, no statement of which takes longer than limit. A
// connection that is dead before its first answer is replaced.
// Errors: those of f, mapped by Ending; KindTimeout and KindCanceled after the
// statement has ended in the engine. ErrLimit from f is not an error.
func (p *Connections[C]) Read(ctx context.Context, limit time.Duration, f func(context.Context, *Reading[C]) error) error {
	for {
		if again, err := p.attempt(ctx, limit, f); !again {
			return err
		}
	}
}

// attempt is Read on one connection; again: it was dead.
func (p *Connections[C]) attempt(ctx context.Context, limit time.Duration, f func(context.Context, *Reading[C]) error) (again bool, _ error) {
	c, wasIdle, err := p.Pool.AcquireWithin(ctx, limit)
	if err != nil {
		return false, err
	}
	started := time.Now()
	work, cancel := WithTimeout(ctx, limit+p.Grace, 0)
	defer cancel()
	of, stop := context.WithCancel(work)
	defer stop()
	r := &Reading[C]{Conn: c, Stop: stop, over: work.Done(), broken: p.broken, native: p.Native}
	var stopper *Stopper
	if p.Kill != nil {
		stopper = NewStopper(work, func(ctx context.Context) error { return p.Kill(ctx, c) }, func() { p.Interrupt(c) })
		of, r.Stop = context.WithoutCancel(work), stopper.Stop
	}
	if p.Begin != nil {
		err = p.Begin(c, of, limit)
	}
	if err == nil {
		err = f(of, r)
	}
	if err == nil {
		err = r.Running() // the order to cancel may come too late for the engine; the caller is gone nevertheless
	}
	took := time.Since(started)
	killed := stopper != nil && stopper.End()
	again = wasIdle && !r.answered && !killed && p.broken(err)
	p.giveBack(r, killed, err)
	if again {
		return true, nil
	}
	return false, p.Ended(work, c, err, took, limit)
}

// Ended returns the error of an ended call, as Ending does.
func (p *Connections[C]) Ended(ctx context.Context, c C, err error, took, limit time.Duration) error {
	end := Ending{Err: err, Took: took, Limit: limit, Native: p.Native}
	if p.Stopped != nil {
		end.Stopped = p.Stopped(err)
	} else {
		end.Stopped = err != nil && ctx.Err() != nil
	}
	end.Stopped = end.Stopped || p.broken(err) || errors.Is(err, errOver)
	if p.broken(err) {
		end.Lost = func(err error) error {
			if p.Cause != nil {
				err = cmp.Or(p.Cause(c), err)
			}
			return Lost(err)
		}
	}
	return end.Error(ctx)
}

func (p *Connections[C]) broken(err error) bool { return err != nil && p.Broken(err) }

// giveBack decides what becomes of a connection.
func (p *Connections[C]) giveBack(r *Reading[C], killed bool, err error) {
	if killed && !p.broken(err) {
		p.Settle(r.Conn)
	}
	switch {
	case p.broken(err):
		p.Pool.Drop(r.Conn)
		if p.Forget != nil {
			p.Forget()
		}
	case r.Clean && err == nil && !killed, p.End != nil && !killed && p.End(r.Conn):
		p.Pool.Release(r.Conn)
	default:
		p.Pool.Replace(r.Conn)
	}
}

// errOver ends the work of a call that is over; Ending says why it is.
var errOver = errors.New("the call is over")

// Reading is one call on a connection.
// Concurrency: one goroutine, except Stop.
type Reading[C Connection] struct {
	Conn C
	// Stop cancels the running statement: the rest of a result, say.
	Stop func()
	// Clean: no statement changed the connection's state, so that it may serve another
	// call.
	Clean    bool
	answered bool
	over     <-chan struct{}
	broken   func(error) bool
	native   func(error) *sdk.Error
}

// Running returns an error when the call is over: nothing more may be sent.
func (r *Reading[C]) Running() error {
	select {
	case <-r.over:
		return errOver
	default:
		return nil
	}
}

// Heard records that the engine answered, so that the call is not repeated on another
// connection. It returns err.
func (r *Reading[C]) Heard(err error) error {
	r.answered = r.answered || !r.broken(err)
	return err
}

// Exec runs a statement of the connector's own that returns no rows.
func (r *Reading[C]) Exec(ctx context.Context, sql string) error {
	if err := r.Running(); err != nil {
		return err
	}
	return r.Heard(r.Conn.Base().Exec(ctx, sql))
}

// Query runs a statement of the connector's own. A row is valid until the function
// returns.
func (r *Reading[C]) Query(ctx context.Context, sql string, row func(Row) error) error {
	if err := r.Running(); err != nil {
		return err
	}
	return r.Heard(r.Conn.Base().Query(ctx, sql, row))
}

// Prepare prepares a statement and calls f with it.
func (r *Reading[C]) Prepare(ctx context.Context, sql string, f func(driver.Stmt) error) (err error) {
	if err := r.Running(); err != nil {
		return err
	}
	statement, err := r.Conn.Base().Prepare(ctx, sql)
	if err != nil {
		return r.Heard(err)
	}
	defer func() { err = errors.Join(err, statement.Close()) }()
	if statement.NumInput() >= 0 { // a driver that does not know it has asked nobody
		_ = r.Heard(nil)
	}
	return f(statement)
}

// Prepared runs a statement with parameters and calls rows with the result.
func (r *Reading[C]) Prepared(ctx context.Context, sql string, params []sdk.Value, rows func(driver.Rows) error) error {
	if base := r.Conn.Base(); base.Direct {
		if err := r.Running(); err != nil {
			return err
		}
		result, err := base.Driver.(driver.QueryerContext).QueryContext(ctx, sql, namedValues(params))
		if r.Heard(err) != nil {
			return err
		}
		return r.drain(result, result.Close, rows)
	}
	return r.Prepare(ctx, sql, func(statement driver.Stmt) error {
		if n := statement.NumInput(); n >= 0 { // the driver may not know
			if err := CheckParameters(n, len(params)); err != nil {
				return err
			}
		}
		if err := r.Running(); err != nil {
			return err
		}
		result, err := r.Conn.Base().run(ctx, statement, params)
		if r.Heard(err) != nil {
			return err
		}
		return r.drain(result, result.Close, rows)
	})
}

// Direct runs a statement without preparing it, and calls rows with the result.
func (r *Reading[C]) Direct(ctx context.Context, sql string, rows func(driver.Rows) error) error {
	if err := r.Running(); err != nil {
		return err
	}
	result, end, err := r.Conn.Base().open(ctx, sql)
	if err != nil {
		return err
	}
	return r.drain(result, end, rows)
}

// drain hands a result over and closes it; what is left of it is ended in the
// engine first.
func (r *Reading[C]) drain(result driver.Rows, end func() error, rows func(driver.Rows) error) error {
	err := rows(result)
	if err != nil && !r.broken(err) && (errors.Is(err, sdk.ErrLimit) || r.native(err) == nil) {
		r.Stop() // the engine does not know that nobody wants the rest
	}
	closing := end()
	if err != nil {
		return err // closing says the same, or that the statement was ended
	}
	return closing
}
