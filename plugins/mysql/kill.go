package mysql

import (
	"context"
	"sync"
	"time"
)

const (
	// settleTime is how long the server has to answer a KILL with the end of the
	// statement. After that the connection is given up.
	settleTime = 3 * time.Second
	// killEvery repeats it: one that reaches the server just before the statement
	// does may be lost.
	killEvery = 200 * time.Millisecond
)

// killer ends the statements of one connection in the server, when the context
// of its call ends or when they are not wanted any more. The connection serves
// no other call afterwards, so that a KILL, however late it is, hits nothing
// else.
type killer struct {
	s    *Session
	c    *conn
	once sync.Once
	work sync.WaitGroup
	// over is closed when the connection is quiet.
	over  context.Context
	quiet context.CancelFunc
	// unwatch stops watching the call's context.
	unwatch func() bool
	watched chan struct{} // closed when the context's end was noticed
	started bool
}

// watch begins to watch a call that uses a connection.
func (s *Session) watch(ctx context.Context, c *conn) *killer {
	k := &killer{s: s, c: c, watched: make(chan struct{})}
	k.over, k.quiet = context.WithCancel(context.Background())
	k.unwatch = context.AfterFunc(ctx, func() {
		defer close(k.watched)
		k.start()
	})
	return k
}

// start ends what runs on the connection; it does not wait.
func (k *killer) start() {
	k.once.Do(func() {
		k.started = true
		k.work.Go(k.run)
	})
}

// end says that the connection is quiet, waits until nothing is under way for
// it, and reports whether something was.
func (k *killer) end() bool {
	if !k.unwatch() {
		<-k.watched
	}
	k.quiet()
	k.work.Wait()
	return k.started
}

// run repeats the KILL until the connection is quiet, and gives the connection
// up when that takes too long.
func (k *killer) run() {
	ctx, cancel := context.WithTimeout(k.over, settleTime)
	defer cancel()
	// What counts is that the statement ends, which the reader of its result
	// sees: a KILL that failed is repeated.
	for k.kill(ctx) != nil && wait(ctx) {
	}
	<-ctx.Done()
	if k.over.Err() == nil {
		k.c.interrupt()
	}
}

// kill repeats the KILL on one connection on the side.
func (k *killer) kill(ctx context.Context) error {
	var at stages
	side, err := k.s.dialer.login(ctx, &at)
	if err != nil {
		return err
	}
	defer side.close()
	for {
		if err := side.exec(ctx, "KILL QUERY "+k.c.id); err != nil {
			return err
		}
		if !wait(ctx) {
			return nil
		}
	}
}

// wait reports whether it is time for another KILL.
func wait(ctx context.Context) bool {
	timer := time.NewTimer(killEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
