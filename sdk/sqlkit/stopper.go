package sqlkit

import (
	"context"
	"sync"
	"time"
)

const (
	// SettleTime is how long an engine may take to end a canceled statement. After
	// that its connection is dropped.
	SettleTime = 3 * time.Second
	// stopEvery repeats the order: one that reaches the engine just before the
	// statement does may be lost.
	stopEvery = 200 * time.Millisecond
)

// Stopper cancels the statement of a call in the engine when the call's context
// ends, or on Stop. It repeats the order until End. End waits for a running order,
// which could otherwise reach the engine later and cancel the next statement.
type Stopper struct {
	order  func(context.Context) error
	giveUp func()
	once   sync.Once
	work   sync.WaitGroup
	// over is closed when nothing runs any more.
	over chan struct{}
	// unwatch stops watching the call's context.
	unwatch func() bool
	watched chan struct{} // closed when the context's end was noticed
	stopped bool
}

// NewStopper watches ctx, the context of a call. order sends one cancel order to
// the engine and returns when the engine has accepted it; it is repeated until End,
// whatever it returns. Its context ends after SettleTime. giveUp is called when the
// statement, or an order, takes longer than that. It makes the statement fail at
// once, and the connection cannot be used again.
func NewStopper(ctx context.Context, order func(context.Context) error, giveUp func()) *Stopper {
	s := &Stopper{order: order, giveUp: giveUp, over: make(chan struct{}), watched: make(chan struct{})}
	s.unwatch = context.AfterFunc(ctx, func() {
		defer close(s.watched)
		s.Stop()
	})
	return s
}

// Stop cancels the statement. It does not wait.
func (s *Stopper) Stop() {
	s.once.Do(func() {
		s.stopped = true
		s.work.Go(s.run)
	})
}

// End ends the watch after the statement ended, waits for a running order, and
// reports whether any was sent.
func (s *Stopper) End() bool {
	if !s.unwatch() {
		<-s.watched
	}
	close(s.over)
	s.work.Wait()
	return s.stopped
}

func (s *Stopper) run() {
	ctx, cancel := context.WithTimeout(context.Background(), SettleTime)
	defer cancel()
	again := time.NewTicker(stopEvery)
	defer again.Stop()
	for ctx.Err() == nil {
		// One that failed is repeated; of one that did not return in time it is not
		// known what it will do.
		if _ = s.order(ctx); ctx.Err() != nil {
			break
		}
		select {
		case <-s.over:
			return
		case <-ctx.Done():
		case <-again.C:
		}
	}
	s.giveUp()
}
