package sqlkit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Pool keeps the connections of a session whose driver is used without database/sql.
// Connections in use, idle or being opened never exceed its size.
// Concurrency: safe for several goroutines.
type Pool[C any] struct {
	options PoolOptions[C]
	slots   chan struct{} // one token per connection, also while it is made
	ready   chan struct{} // one token per idle connection

	work context.Context // of connections that are made ahead; ends with the pool
	stop context.CancelFunc
	jobs sync.WaitGroup // connections being made ahead, and reapers

	mu     sync.Mutex
	idle   []idler[C] // the one that became idle last is at the end
	reaper *time.Timer
	closed bool
	ahead  bool      // Spare has a connection made
	failed time.Time // when Spare could not have one made
}

type idler[C any] struct {
	conn  C
	since time.Time
}

// PoolOptions are the options of a Pool.
type PoolOptions[C any] struct {
	MaxOpen     int           // at least 1
	IdleTimeout time.Duration // more than 0
	Connect     func(context.Context) (C, error)
	// Alive reports whether an idle connection still works, as far as is known
	// without asking the server. Optional.
	Alive func(C) bool
	// Close ends a connection, whatever its state. It must not block for long.
	Close func(C)
}

// NewPool returns a pool without connections.
func NewPool[C any](options PoolOptions[C]) *Pool[C] {
	p := &Pool[C]{options: options, slots: make(chan struct{}, options.MaxOpen), ready: make(chan struct{}, options.MaxOpen)}
	p.work, p.stop = context.WithCancel(context.Background())
	return p
}

// Acquire returns a connection for one call, which returns it with Release, Replace,
// Discard or Drop. A connection that was idle may be dead.
// Errors: those of Connect; KindTimeout or KindCanceled when ctx ends first.
func (p *Pool[C]) Acquire(ctx context.Context) (c C, wasIdle bool, err error) {
	select {
	case <-p.ready: // preferred
	default:
		select {
		case <-p.ready:
		case p.slots <- struct{}{}:
			c, err = p.open(ctx)
			return c, false, err
		case <-ctx.Done():
			return c, false, ContextError(ctx)
		}
	}
	c = p.pop()
	if p.options.Alive == nil || p.options.Alive(c) {
		return c, true, nil
	}
	p.options.Close(c)
	c, err = p.open(ctx)
	return c, false, err
}

// AcquireWithin is Acquire that waits for a free connection no longer than limit.
func (p *Pool[C]) AcquireWithin(ctx context.Context, limit time.Duration) (c C, wasIdle bool, err error) {
	ctx, cancel := WithTimeout(ctx, limit, 0)
	defer cancel()
	return p.Acquire(ctx)
}

// open connects in a slot that the caller has.
func (p *Pool[C]) open(ctx context.Context) (C, error) {
	c, err := p.options.Connect(ctx)
	if err != nil {
		<-p.slots
	}
	return c, err
}

// pop takes an idle connection, for which the caller has a token.
func (p *Pool[C]) pop() C {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.idle[len(p.idle)-1].conn
	p.idle = slices.Delete(p.idle, len(p.idle)-1, len(p.idle))
	return c
}

// Release returns a connection for another call.
func (p *Pool[C]) Release(c C) {
	if !p.keep(c) {
		p.Discard(c)
	}
}

// keep makes a connection idle, unless the pool is closed.
func (p *Pool[C]) keep(c C) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.idle = append(p.idle, idler[C]{c, time.Now()})
	p.ready <- struct{}{}
	if p.reaper == nil {
		p.setReaper(p.options.IdleTimeout)
	}
	return true
}

// Discard closes a connection that cannot be used again.
func (p *Pool[C]) Discard(c C) {
	p.options.Close(c)
	<-p.slots
}

// Drop closes a dead connection and the idle ones, which a restart of the server,
// say, ended as well.
func (p *Pool[C]) Drop(c C) {
	p.Discard(c)
	p.discardIdle(func(idler[C]) bool { return true })
}

// Spare returns the connection that was idle for longest, for a short statement
// beside a call, and never waits: false when none is idle. Below the pool's size it
// then opens another one ahead, unless that failed a short while ago.
func (p *Pool[C]) Spare() (c C, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ready:
		c = p.idle[0].conn
		p.idle = slices.Delete(p.idle, 0, 1)
		return c, true
	default:
	}
	if p.closed || p.ahead || time.Since(p.failed) < p.options.IdleTimeout {
		return c, false
	}
	select {
	case p.slots <- struct{}{}:
		p.ahead = true
		p.jobs.Go(p.makeAhead)
	default:
	}
	return c, false
}

// makeAhead makes an idle connection in a slot that Spare took.
func (p *Pool[C]) makeAhead() {
	c, err := p.open(p.work)
	p.mu.Lock()
	p.ahead = false
	if err != nil {
		p.failed = time.Now()
	}
	p.mu.Unlock()
	if err == nil {
		p.Release(c)
	}
}

// Replace closes a connection that must not serve another call, and opens another
// one ahead of the next call.
func (p *Pool[C]) Replace(c C) {
	p.options.Close(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		<-p.slots
		return
	}
	p.jobs.Go(func() {
		// Who asks next hears why it cannot be done.
		if next, err := p.open(p.work); err == nil {
			p.Release(next)
		}
	})
}

// discardIdle ends the idle connections that old selects.
func (p *Pool[C]) discardIdle(old func(idler[C]) bool) {
	for _, c := range p.take(old) {
		p.Discard(c)
	}
}

// take removes the idle connections that old selects.
func (p *Pool[C]) take(old func(idler[C]) bool) []C {
	p.mu.Lock()
	defer p.mu.Unlock()
	var taken []C
	p.idle = slices.DeleteFunc(p.idle, func(i idler[C]) bool {
		if !old(i) {
			return false
		}
		select {
		case <-p.ready:
			taken = append(taken, i.conn)
			return true
		default: // somebody has the token and is about to take one
			return false
		}
	})
	return taken
}

// setReaper has reap called after d; it needs p.mu.
func (p *Pool[C]) setReaper(d time.Duration) {
	p.jobs.Add(1)
	p.reaper = time.AfterFunc(d, p.reap)
}

// reap ends what was idle for too long.
func (p *Pool[C]) reap() {
	defer p.jobs.Done()
	now := time.Now()
	p.discardIdle(func(i idler[C]) bool { return now.Sub(i.since) >= p.options.IdleTimeout })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaper = nil
	if len(p.idle) > 0 && !p.closed {
		p.setReaper(max(p.options.IdleTimeout-now.Sub(p.idle[0].since), time.Millisecond))
	}
}

// Close closes the idle connections and waits for those being opened; connections in
// use are closed when they are returned. Idempotent.
func (p *Pool[C]) Close() {
	p.mu.Lock()
	p.closed = true
	if p.reaper != nil && p.reaper.Stop() {
		p.reaper = nil
		p.jobs.Done()
	}
	p.mu.Unlock()
	p.stop()
	p.discardIdle(func(idler[C]) bool { return true })
	p.jobs.Wait()
}
