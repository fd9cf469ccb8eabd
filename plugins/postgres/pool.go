package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

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

// acquire returns a connection that is ready for a statement.
// Errors: those of connect; KindTimeout or KindCanceled when ctx ends first.
func (p *pool) acquire(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, sqlkit.ContextError(ctx)
	}
	for {
		c := p.pop()
		if c == nil {
			break
		}
		if c.settle(ctx) {
			return c, nil
		}
		c.close(ctx)
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

// release takes a connection back. What the statement left behind is rolled
// back and discarded at once, but nobody waits for the server's answer here:
// the next one to acquire the connection reads it.
func (p *pool) release(c *conn) {
	defer func() { <-p.slots }()
	c.notice, c.fresh = nil, false
	if !c.sendReset() {
		p.discard(c)
		return
	}
	c.idleSince = time.Now()
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

// sendReset sends the clean-up; false: the connection is of no more use.
func (c *conn) sendReset() bool {
	if c.pg.IsClosed() || c.pg.IsBusy() {
		return false
	}
	c.reset = c.pg.StartPipeline(context.Background())
	c.reset.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	c.reset.SendPipelineSync()
	c.reset.SendQueryParams("DISCARD ALL", nil, nil, nil, nil)
	return c.reset.Sync() == nil
}

// settle reads the answer to the clean-up; false: the connection is of no more use.
func (c *conn) settle(ctx context.Context) bool {
	if c.reset == nil {
		return !c.pg.IsClosed()
	}
	ctx, cancel := context.WithTimeout(ctx, resetTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.pg.Conn().SetDeadline(time.Unix(1, 0)) })
	err := c.reset.Close()
	c.reset = nil
	return stop() && err == nil && !c.pg.IsClosed() && c.pg.TxStatus() == 'I'
}
