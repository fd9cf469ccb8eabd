package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Live holds the segment that is current and swaps it under its readers. A
// reader never waits: it keeps the segment it took until it releases it, and the
// last one to release a segment that was replaced closes it.
// The zero value holds none. Concurrency: any number of goroutines.
type Live struct {
	current atomic.Pointer[held]
	refresh sync.Mutex // one refresh at a time; readers do not take it
	closed  atomic.Bool
}

// held is a segment and how many use it, the holder among them.
type held struct {
	segment *Segment
	users   atomic.Int64
}

// release ends one use; the last one closes the segment.
func (h *held) release() error {
	if h.users.Add(-1) > 0 {
		return nil
	}
	return h.segment.Close()
}

// Acquire returns the current segment and what to call when done with it, or
// nil when there is none.
// Errors: release returns the error of closing a segment that was replaced.
func (l *Live) Acquire() (s *Segment, release func() error) {
	for {
		h := l.current.Load()
		if h == nil {
			return nil, func() error { return nil }
		}
		// One without users is being closed: a newer one is in its place.
		if n := h.users.Load(); n > 0 && h.users.CompareAndSwap(n, n+1) {
			return h.segment, sync.OnceValue(h.release)
		}
	}
}

// Swap makes a segment current and takes charge of closing it; nil takes the
// current one away.
// Errors: those of closing the one before, if nobody uses it any more.
func (l *Live) Swap(s *Segment) error {
	var next *held
	if s != nil {
		next = &held{segment: s}
		next.users.Store(1)
	}
	before := l.current.Swap(next)
	var err error
	if before != nil {
		err = before.release()
	}
	if l.closed.Load() && next != nil && l.current.CompareAndSwap(next, nil) {
		err = errors.Join(err, next.release())
	}
	return err
}

// Identity returns what the current segment was made of; the zero value when
// there is none.
func (l *Live) Identity() Identity {
	s, release := l.Acquire()
	if s == nil {
		return Identity{}
	}
	id := s.Identity()
	if release() != nil {
		return Identity{} // replaced in this moment; whoever asks again sees the new one
	}
	return id
}

// Refresh makes sure that the current segment is of the wanted content, and
// loads it if not. Of several callers at once one loads; the others wait for it
// here, while readers go on with the one before.
// Errors: those of load; the segment before stays.
func (l *Live) Refresh(ctx context.Context, content string, load func(context.Context) (*Segment, error)) error {
	if l.Identity().Content == content {
		return nil
	}
	l.refresh.Lock()
	defer l.refresh.Unlock()
	if l.Identity().Content == content {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := load(ctx)
	if err != nil {
		return err
	}
	return l.Swap(s)
}

// Close takes the segment away; readers that have it go on. It may be called
// again.
func (l *Live) Close() error {
	l.closed.Store(true)
	return l.Swap(nil)
}
