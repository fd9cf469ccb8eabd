package sqlkit

import (
	"context"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Calls ends the calls of a session with it: Close ends running calls, and none
// begins afterwards. The zero value is ready.
// Concurrency: safe for several goroutines.
type Calls struct {
	mu      sync.Mutex
	closed  bool
	cancels map[*context.CancelCauseFunc]struct{}
	running sync.WaitGroup
}

// Begin starts a call; end must be called at its end.
// Errors: KindUnavailable after Close.
func (c *Calls) Begin(ctx context.Context) (_ context.Context, end func(), _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errClosed()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if c.cancels == nil {
		c.cancels = map[*context.CancelCauseFunc]struct{}{}
	}
	c.cancels[&cancel] = struct{}{}
	c.running.Add(1)
	return ctx, func() {
		c.mu.Lock()
		delete(c.cancels, &cancel)
		c.mu.Unlock()
		cancel(nil)
		c.running.Done()
	}, nil
}

// Run runs f as one call, bounded as WithTimeout says.
// Errors: KindUnavailable after Close; those of f.
func (c *Calls) Run(ctx context.Context, limit, fallback time.Duration, f func(context.Context) error) error {
	ctx, end, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	ctx, stop := WithTimeout(ctx, limit, fallback)
	defer stop()
	return f(ctx)
}

// Close cancels the calls under way and waits for their end, as long as ctx
// allows. Idempotent.
func (c *Calls) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	for cancel := range c.cancels {
		(*cancel)(errClosed())
	}
	c.mu.Unlock()
	done := make(chan struct{})
	go func() { // outlives Close only if a call ignores its context
		defer close(done)
		c.running.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ContextError(ctx)
	}
}

func errClosed() *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "the connection was closed").WithHint("repeat the call")
	e.Retry = true
	return e
}
