package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// resetTime bounds the clean-up of a connection between two statements.
const resetTime = 5 * time.Second

// pool keeps the connections of a session.
// Concurrency: safe for several goroutines.
type pool struct {
	connect     func(context.Context) (*conn, error)
	idleTimeout time.Duration
	slots       chan struct{} // one token per connection in use

	mu     sync.Mutex
	idle   []*conn // the one used last is at the end
	reaper *time.Timer
	closed bool
	reaps  sync.WaitGroup // reapers that are set or at work
}

func newPool(connect func(context.Context) (*conn, error), maxOpen int, idleTimeout time.Duration) *pool {
	return &pool{connect: connect, idleTimeout: idleTimeout, slots: make(chan struct{}, maxOpen)}
}

// acquire returns a connection that is ready for a transaction. One that was idle
// may have died meanwhile.
// Errors: those of connect; KindTimeout or KindCanceled when ctx ends first.
func (p *pool) acquire(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, sqlkit.ContextError(ctx)
	}
	if c := p.pop(); c != nil {
		return c, nil
	}
	c, err := p.connect(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return c, nil
}

func (p *pool) pop() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c
}

// release takes a connection back. Unless it is clean, what the last transaction
// left behind is rolled back and discarded first.
func (p *pool) release(c *conn, clean bool) {
	defer func() { <-p.slots }()
	c.notice, c.fresh, c.idleSince = nil, false, time.Now()
	if !clean && !c.reset() {
		p.discard(c)
		return
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, c)
		if p.reaper == nil {
			p.setReaper(p.idleTimeout)
		}
	}
	p.mu.Unlock()
	if closed {
		p.discard(c)
	}
}

// drop gives up a connection that is of no more use, and all idle ones that are
// as old: what ended one, a restart of the server, say, ended them as well.
func (p *pool) drop(c *conn) {
	defer func() { <-p.slots }()
	p.discard(c)
	p.mu.Lock()
	stale := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range stale {
		p.discard(c)
	}
}

func (p *pool) discard(c *conn) {
	ctx, cancel := context.WithTimeout(context.Background(), resetTime)
	defer cancel()
	c.close(ctx)
}

// setReaper has reap called after d; it needs p.mu.
func (p *pool) setReaper(d time.Duration) {
	p.reaps.Add(1)
	p.reaper = time.AfterFunc(d, p.reap)
}

// reap closes what was idle for too long.
func (p *pool) reap() {
	defer p.reaps.Done()
	p.mu.Lock()
	now := time.Now()
	fresh := slices.IndexFunc(p.idle, func(c *conn) bool { return now.Sub(c.idleSince) < p.idleTimeout })
	if fresh < 0 {
		fresh = len(p.idle)
	}
	old := slices.Clone(p.idle[:fresh])
	p.idle = slices.Delete(p.idle, 0, fresh)
	p.reaper = nil
	if len(p.idle) > 0 && !p.closed {
		p.setReaper(p.idleTimeout - now.Sub(p.idle[0].idleSince))
	}
	p.mu.Unlock()
	for _, c := range old {
		p.discard(c)
	}
}

// close closes the idle connections; those in use follow as they are released.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	if p.reaper != nil && p.reaper.Stop() {
		p.reaps.Done()
	}
	p.mu.Unlock()
	for _, c := range idle {
		c.close(ctx)
	}
	p.reaps.Wait()
}

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
