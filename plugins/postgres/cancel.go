package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk/sqlkit"
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
	conn    *pgconn.PgConn
	stopper *sqlkit.Stopper
}

func (c *canceler) HandleCancel(ended context.Context) {
	c.stopper = sqlkit.NewStopper(ended, c.conn.CancelRequest, func() {
		// An error means that it is closed already, which ends the statement too.
		_ = c.conn.Conn().Close()
	})
}

func (c *canceler) HandleUnwatchAfterCancel() { c.stopper.End() }
