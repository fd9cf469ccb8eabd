package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// resetTime bounds the clean-up of a connection between two statements.
const resetTime = 5 * time.Second

// queueReset queues what makes a connection as good as new.
func queueReset(p *pgconn.Pipeline) {
	p.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	p.SendPipelineSync()
	p.SendQueryParams("DISCARD ALL", nil, nil, nil, nil)
	p.SendPipelineSync()
}

// reset makes the connection as good as new; false: it is of no more use.
func (c *conn) reset() bool {
	ctx, cancel := context.WithTimeout(context.Background(), resetTime)
	defer cancel()
	p := c.pg.StartPipeline(ctx)
	queueReset(p)
	err := p.Flush()
	if closeErr := p.Close(); err == nil {
		err = closeErr
	}
	return err == nil && !c.pg.IsClosed() && c.pg.TxStatus() == 'I'
}

// release gives a connection back to the pool. Unless it is clean, what the last
// transaction left behind is rolled back and discarded first.
func (s *Session) release(c *conn, clean bool) {
	c.notice, c.prepared = nil, nil
	if clean || c.reset() {
		s.pool.Release(c)
	} else {
		s.pool.Discard(c)
	}
}
