package wire

import (
	"context"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// admission counts the calls that run at once, on each connection and in all.
type admission struct {
	perSession int
	mu         sync.Mutex
	total      int
	sessions   map[string]int
	freed      chan struct{} // closed and made anew when a call leaves
}

// admissionPatience is how long a call waits to be counted in. The host counts
// its calls too and sends no more than fit; but one that it canceled may still
// be ending here.
const admissionPatience = 2 * time.Second

func newAdmission(perSession int) *admission {
	if perSession <= 0 {
		perSession = sessionStreams
	}
	return &admission{perSession: perSession, sessions: map[string]int{}, freed: make(chan struct{})}
}

// await is enter for a call that may wait a moment for another one's end.
// Errors: KindRateLimited; the context's own.
func (a *admission) await(ctx context.Context, id string) (leave func(), err error) {
	if leave, err = a.enter(id); err == nil {
		return leave, nil
	}
	patience := time.NewTimer(admissionPatience)
	defer patience.Stop()
	for {
		a.mu.Lock()
		freed := a.freed
		a.mu.Unlock()
		if leave, err = a.enter(id); err == nil {
			return leave, nil
		}
		select {
		case <-freed:
		case <-patience.C:
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enter counts one call in; leave counts it out.
// Errors: KindRateLimited.
func (a *admission) enter(id string) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[id] >= a.perSession {
		return nil, tooMany("connection %q has %d calls running, as many as it takes", id, a.perSession)
	}
	if a.total >= maxStreams {
		return nil, tooMany("the connector has %d calls running, as many as it takes", maxStreams)
	}
	a.total++
	a.sessions[id]++
	return func() { a.leave(id) }, nil
}

func (a *admission) leave(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total--
	if a.sessions[id]--; a.sessions[id] == 0 {
		delete(a.sessions, id)
	}
	close(a.freed)
	a.freed = make(chan struct{})
}

func tooMany(format string, args ...any) *sdk.Error {
	e := sdk.Errorf(sdk.KindRateLimited, sdk.SourceCaller, format, args...).
		WithHint("wait until a running call ends, then repeat this one")
	e.Retry, e.RetryAfter = true, time.Second
	return e
}
