package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"time"

	"github.com/loam-data/loam/sdk"
)

var (
	// errOutdated: what was seen is not there any more; look again.
	errOutdated = &sdk.Error{
		Kind: sdk.KindUnavailable, Source: sdk.SourceHost, Retry: true,
		Msg: "the project changes while its index is made", Hint: "ask again in a moment",
	}
	// errSuperseded: a newer look is waiting for what it has seen.
	errSuperseded = errors.New("another state of the project is wanted by now")
)

// rest is how long what could not be made is left alone: a full disk is not
// emptied by filling it again at every call.
const rest = 10 * time.Second

// maxTries is how often a call looks again after the project has changed.
const maxTries = 20

// outcome is how making what a look has seen ended.
type outcome struct {
	round int64
	units map[key]*unit
	err   error
	until time.Time // when what failed is worth another try
}

// await has the state made that s is, and waits until it is the current one or
// it is late. It returns what was seen last.
// Shape: late is nil for a call that waits as long as it takes.
// Errors: what keeps the state from being made; those of ctx.
func (x *Indexer) await(ctx context.Context, s *sight, late <-chan time.Time) (*sight, error) {
	for tries := 0; ; {
		changed, ended, err := x.want(s)
		if ended && errors.Is(err, errOutdated) && tries < maxTries {
			tries++
			again, err := x.look(ctx)
			if err != nil {
				return s, err
			}
			s = again
			continue
		}
		if ended {
			return s, err
		}
		select {
		case <-changed:
		case <-late:
			return s, nil
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}

// want orders the state that s is, unless it is there or was tried. ended: there
// is nothing to wait for, err says how it ended; else changed is closed when
// something did.
func (x *Indexer) want(s *sight) (changed <-chan struct{}, ended bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return nil, true, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the host is being stopped").WithHint("start it again")
	case x.state != nil && maps.Equal(x.state.units, s.units):
		return nil, true, nil
	case x.done.round >= s.round && x.done.err != nil:
		return nil, true, x.done.err
	case x.done.round >= s.round: // one that was seen later
		return nil, true, errOutdated
	case x.done.err != nil && maps.Equal(x.done.units, s.units) && time.Now().Before(x.done.until):
		return nil, true, x.done.err
	}
	if s.round > x.ordered {
		x.order, x.ordered = s, s.round
	}
	if !x.active {
		x.active = true
		x.running.Go(x.work)
	}
	return x.changed, false, nil
}

// broadcast tells those who wait that something changed. The caller holds mu.
func (x *Indexer) broadcast() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// work makes what is ordered, one after the other, until nothing is.
func (x *Indexer) work() {
	for {
		x.mu.Lock()
		s := x.order
		if x.order = nil; s == nil || x.closed {
			x.active = false
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
		err := x.guarded(s)
		if errors.Is(err, errSuperseded) {
			continue
		}
		x.mu.Lock()
		x.done = outcome{round: s.round, units: s.units, err: err}
		if err != nil && !errors.Is(err, errOutdated) && !x.closed {
			x.done.until = time.Now().Add(rest)
			x.config.Logger.Warn("the search index was not made", "error", err)
		}
		x.broadcast()
		x.mu.Unlock()
	}
}

// guarded is bring, with a panic as an error: a fault in making the index must
// not end the host.
func (x *Indexer) guarded(s *sight) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			x.config.Logger.Error("making the search index failed", "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "making the search index failed").WithHint("report this with the log of the host")
		}
	}()
	return x.bring(x.background, s)
}

// superseded reports whether something newer is ordered.
func (x *Indexer) superseded() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.order != nil
}

// shut ends the work and gives up what is open.
func (x *Indexer) shut() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.cancel()
	x.running.Wait()
	x.mu.Lock()
	last := x.state
	x.state = nil
	x.broadcast()
	x.mu.Unlock()
	if last != nil {
		x.release(last)
	}
	return x.forget(nil)
}

// watch calls a function with the progress until stop is called.
func (x *Indexer) watch(progress *func(sdk.Progress)) (stop func()) {
	x.watching.Lock()
	defer x.watching.Unlock()
	x.watchers[progress] = true
	return func() {
		x.watching.Lock()
		defer x.watching.Unlock()
		delete(x.watchers, progress)
	}
}

func (x *Indexer) notify(p sdk.Progress) {
	x.watching.Lock()
	defer x.watching.Unlock()
	for progress := range x.watchers {
		(*progress)(p)
	}
}
