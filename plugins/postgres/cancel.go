package postgres

import (
	"context"
	"time"

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
	// An error means that the connection is closed, which ends the statement too.
	_ = c.conn.Conn().SetDeadline(time.Now().Add(sqlkit.SettleTime))
	c.stopper = sqlkit.NewStopper(ended, func(ctx context.Context) error {
		_ = c.conn.CancelRequest(ctx) // one that failed is repeated
		return nil
	}, nil)
}

func (c *canceler) HandleUnwatchAfterCancel() {
	c.stopper.End()
	_ = c.conn.Conn().SetDeadline(time.Time{})
}
