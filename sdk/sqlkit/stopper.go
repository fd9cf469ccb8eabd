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
// says that the work is over. An order under way is never given up for that, for
// it might reach the engine later and end the next statement: End waits for it.
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

// NewStopper watches ctx, the context of a call. order tells the engine once to
// end what runs, and returns when the engine has taken it; it is repeated until
// End, whatever it returns: what counts is that the statement ends. Its context
// ends after SettleTime. giveUp is called when the statement, or an order, takes
// longer than that. It makes the work fail at once, and the connection is of no
// more use.
func NewStopper(ctx context.Context, order func(context.Context) error, giveUp func()) *Stopper {
	s := &Stopper{order: order, giveUp: giveUp, over: make(chan struct{}), watched: make(chan struct{})}
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
