//go:build cgo

package engine

import (
	"context"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// Conn is a connection.
// Concurrency: one goroutine, but for Progress.
type Conn struct{ conn duck.Connection }

// Close frees the connection, and rolls back what it left open. Idempotent.
func (c *Conn) Close() { duck.Disconnect(&c.conn) }

// interruptEvery is how often a statement is interrupted until it stops: the
// library forgets an interrupt that comes before a statement starts.
const interruptEvery = 5 * time.Millisecond

// Watch interrupts what the connection runs when ctx ends. release must be
// called when the work is over; it waits for the watcher.
func (c *Conn) Watch(ctx context.Context) (release func()) {
	over, watching := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(watching)
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			duck.Interrupt(c.conn)
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(over)
		if !stop() {
			<-watching
		}
	}
}

// Progress returns how much of the running statement is done, in percent, and
// the rows of that; a negative percentage is unknown.
// Concurrency: from any goroutine, while the connection is open.
func (c *Conn) Progress() (percent float64, done, total uint64) {
	p := duck.QueryProgress(c.conn)
	return duck.QueryProgressTypeMembers(&p)
}

// Exec runs the statements of a text of the connector's own.
func (c *Conn) Exec(sql string) error {
	var result duck.Result
	defer duck.DestroyResult(&result)
	if duck.Query(c.conn, sql, &result) == duck.StateError {
		return parseError(duck.ResultError(&result))
	}
	return nil
}
