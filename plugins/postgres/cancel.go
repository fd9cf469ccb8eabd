package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// settleTime is how long the server has to answer a cancel request with the
	// end of the statement. After that the connection is given up.
	settleTime = 3 * time.Second
	// cancelEvery repeats the request: one that reaches the server just before
	// the statement does is ignored there.
	cancelEvery = 200 * time.Millisecond
)

// canceler ends a statement in the server when the context of its call ends.
// The driver starts it and, when the statement's end was read, stops it and
// waits.
//
// A cancel request is a signal to the server process, which drops it while it
// waits for a command. The server closes the request's connection after the
// signal was sent, and stopping waits for that: the signal cannot hit a later
// statement on this connection.
// Source: the manual, 55.2.8, and ProcessInterrupts in tcop/postgres.c.
type canceler struct {
	conn *pgconn.PgConn
	stop chan struct{}
	done chan struct{}
}

func (c *canceler) HandleCancel(context.Context) {
	deadline := time.Now().Add(settleTime)
	// An error means that the connection is closed, which ends the statement too.
	_ = c.conn.Conn().SetDeadline(deadline)
	c.stop, c.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(c.done)
		c.repeat(deadline)
	}()
}

func (c *canceler) repeat(deadline time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for {
		// What counts is that the statement ends, which the reader of its result
		// sees; a request that failed is repeated.
		_ = c.conn.CancelRequest(ctx)
		select {
		case <-tick.C:
		case <-c.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *canceler) HandleUnwatchAfterCancel() {
	close(c.stop)
	<-c.done
	_ = c.conn.Conn().SetDeadline(time.Time{})
}
