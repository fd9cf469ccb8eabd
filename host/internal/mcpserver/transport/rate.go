package transport

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"
)

// maxBuckets bounds the buckets of a Rates. Beyond it the longest unused one is
// forgotten, as if it were full.
const maxBuckets = 16_384

// maxBurst is a burst that is as good as none.
const maxBurst = 1_000_000

// Pace says how often a client may call a tool, compared with the configured rate.
type Pace uint8

// The paces: Reading has the whole rate and burst; Writing a fifth of the rate and half of the burst, 2 a second and 10
// at once by default; Costly, for tools that search much or ask a person to review, a fifth and a quarter, 2 and 5.
const (
	Reading Pace = iota
	Writing
	Costly
	paces int = iota
)

// pace is a rate. Its fields are zero if there is none.
type pace struct {
	interval time.Duration // in which one call is added
	burst    time.Duration // in which a whole bucket is
}

// Rates limits the calls of each client and tool by a token bucket. A client is
// a session, a pipe, or, in the version of the protocol without sessions, a
// client's name and address.
// Units: one bucket for each client and tool, until it is full again.
// Concurrency: any goroutine.
type Rates struct {
	paces [paces]pace
	now   func() time.Time

	mu      sync.Mutex
	buckets map[rateKey]*list.Element
	used    *list.List // of *bucket, the longest unused first
}

type rateKey struct{ client, tool string }

type bucket struct {
	key  rateKey
	full time.Time // when it is full again
}

// NewRates makes the rate limiter of the limits.
func NewRates(l Limits) *Rates {
	l = l.orDefault()
	r := &Rates{now: time.Now, buckets: map[rateKey]*list.Element{}, used: list.New()}
	if l.Rate > 0 {
		burst := min(l.Burst, maxBurst)
		r.paces = [paces]pace{Reading: newPace(l.Rate, burst), Writing: newPace(l.Rate/5, burst/2), Costly: newPace(l.Rate/5, burst/4)}
	}
	return r
}

// newPace returns the pace of a rate per second and a burst, 1 and 1 at least.
func newPace(rate, burst int) pace {
	interval := time.Second / time.Duration(max(1, rate))
	return pace{interval, time.Duration(max(1, burst)) * interval}
}

// Take counts a call of a tool with a pace by the client of ctx.
// Errors: KindRateLimited with the time until the next call is allowed.
func (r *Rates) Take(ctx context.Context, tool string, p Pace) error {
	of := r.paces[p]
	if of.interval == 0 {
		return nil
	}
	wait := r.take(rateKey{caller.Of(ctx).Client, tool}, of)
	if wait == 0 {
		return nil
	}
	wait = (wait + time.Millisecond - 1).Truncate(time.Millisecond)
	err := sdk.Errorf(sdk.KindRateLimited, sdk.SourceCaller, "%s is called more than %d times in a second", tool, time.Second/of.interval).
		WithHint("wait %d ms and call again, or ask for more with one call", wait.Milliseconds())
	err.Retry, err.RetryAfter = true, wait
	return err
}

// take returns how long the client has to wait; 0 = it has a call.
func (r *Rates) take(key rateKey, p pace) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.forgetFull(now)
	e, ok := r.buckets[key]
	if !ok {
		if len(r.buckets) >= maxBuckets {
			r.forget(r.used.Front())
		}
		e = r.used.PushBack(&bucket{key: key, full: now})
		r.buckets[key] = e
	}
	r.used.MoveToBack(e)
	b := e.Value.(*bucket)
	if b.full.Before(now) {
		b.full = now
	}
	if wait := b.full.Add(p.interval).Sub(now) - p.burst; wait > 0 {
		return wait
	}
	b.full = b.full.Add(p.interval)
	return 0
}

// forgetFull forgets the longest unused buckets that are full: a new one is no
// different.
func (r *Rates) forgetFull(now time.Time) {
	for e := r.used.Front(); e != nil && !e.Value.(*bucket).full.After(now); e = r.used.Front() {
		r.forget(e)
	}
}

func (r *Rates) forget(e *list.Element) {
	delete(r.buckets, e.Value.(*bucket).key)
	r.used.Remove(e)
}
