package query

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxRunning bounds the statements of one session at a time.
	maxRunning = 8
	// maxWaiting is how long a statement may wait for its page to be sent: the person left before.
	maxWaiting = time.Minute
)

// running are the statements that run, so that their session can end them.
// Concurrency: any number of goroutines; the zero value is ready.
type running struct {
	mu  sync.Mutex
	all map[string]*run
}

// run is one statement.
type run struct {
	id, session string
	form        Form
	at          time.Time

	// The fields below are guarded by running.mu.
	stop    context.CancelFunc // nil = it has not begun
	stopped bool
}

// add registers a statement before its page is sent.
// Errors: KindRateLimited when the session has too many.
func (r *running) add(session string, f Form, now time.Time) (*run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := 0
	for id, one := range r.all {
		switch {
		case one.stop == nil && now.Sub(one.at) > maxWaiting:
			delete(r.all, id)
		case one.session == session:
			own++
		}
	}
	if own >= maxRunning {
		return nil, sdk.Errorf(sdk.KindRateLimited, sdk.SourceCaller, "%d statements of this login run already", own).WithHint("wait for one of them, or cancel it")
	}
	if r.all == nil {
		r.all = map[string]*run{}
	}
	one := &run{id: rand.Text(), session: session, form: f, at: now}
	r.all[one.id] = one
	return one, nil
}

// begin returns the context of a statement, which ends with ctx and when the statement is cancelled. end removes it.
func (r *running) begin(ctx context.Context, one *run) (_ context.Context, end func()) {
	ctx, stop := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.stop = stop; one.stopped {
		stop()
	}
	return ctx, func() {
		stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.all, one.id)
	}
}

// cancel ends a statement of a session and returns it.
// Errors: KindNotFound for one that has ended, or that another session runs.
func (r *running) cancel(session, id string) (*run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.all[id]
	if one == nil || one.session != session {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "this statement does not run any more").WithHint("its text is among the recent ones")
	}
	if one.stopped = true; one.stop != nil {
		one.stop()
	}
	return one, nil
}

// wasStopped reports whether a person cancelled a statement.
func (r *running) wasStopped(one *run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return one.stopped
}
