package sqlkit

import (
	"context"
	"sync"
	"time"
)

const (
	// SettleTime is how long an engine has to end a statement that it was told to
	// end. After that its connection is given up.
	SettleTime = 3 * time.Second
	// stopEvery repeats the order: one that reaches the engine just before the
	// statement does may be lost.
	stopEvery = 200 * time.Millisecond
)

// Stopper ends in the engine what runs for a call, when the context of the call
// ends or when the rest is not wanted any more. It repeats the order until End
// says that the work is over, and End waits for an order under way: it cannot hit
// the next statement.
type Stopper struct {
	order  func(context.Context) error
	giveUp func()
	once   sync.Once
	work   sync.WaitGroup
	// over ends when nothing runs any more.
	over  context.Context
	quiet context.CancelFunc
	// unwatch stops watching the call's context.
	unwatch func() bool
	watched chan struct{} // closed when the context's end was noticed
	stopped bool
}

// NewStopper watches ctx, the context of a call. order tells the engine to end
// what runs, and is repeated until End, whatever it returns: what counts is that
// the statement ends. giveUp is called when that takes longer than SettleTime, and
// makes the work fail at once; nil = it fails by itself.
func NewStopper(ctx context.Context, order func(context.Context) error, giveUp func()) *Stopper {
	s := &Stopper{order: order, giveUp: giveUp, watched: make(chan struct{})}
	s.over, s.quiet = context.WithCancel(context.Background())
	s.unwatch = context.AfterFunc(ctx, func() {
		defer close(s.watched)
		s.Stop()
	})
	return s
}

// Stop ends what runs. It does not wait.
func (s *Stopper) Stop() {
	s.once.Do(func() {
		s.stopped = true
		s.work.Go(s.run)
	})
}

// End says that the work is over, waits until no order is under way, and reports
// whether one was given.
func (s *Stopper) End() bool {
	if !s.unwatch() {
		<-s.watched
	}
	s.quiet()
	s.work.Wait()
	return s.stopped
}

func (s *Stopper) run() {
	ctx, cancel := context.WithTimeout(s.over, SettleTime)
	defer cancel()
	for Repeat(ctx, s.order) != nil && pause(ctx) {
	}
	<-ctx.Done()
	if s.over.Err() == nil && s.giveUp != nil {
		s.giveUp()
	}
}

// Repeat calls f again and again, a pause apart, until it fails or ctx ends,
// which is no error.
func Repeat(ctx context.Context, f func(context.Context) error) error {
	for {
		if err := f(ctx); err != nil {
			return err
		}
		if !pause(ctx) {
			return nil
		}
	}
}

// pause reports whether it is time for another order.
func pause(ctx context.Context) bool {
	timer := time.NewTimer(stopEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
