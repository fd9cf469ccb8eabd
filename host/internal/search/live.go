package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Live holds the segment that is current and swaps it under its readers. A
// reader never waits: it keeps the segment it took until it releases it, and a
// segment that was replaced is closed when nobody has it any more.
// The zero value holds none. Concurrency: any number of goroutines.
type Live struct {
	current atomic.Pointer[held]
	refresh sync.Mutex // one Refresh at a time

	mu      sync.Mutex // of what follows; readers do not take it
	closed  bool
	closing sync.WaitGroup // one for each segment that is not closed yet
	err     error          // of closing replaced segments
}

// held is a segment and how many use it, Live among them.
type held struct {
	segment *Segment
	users   atomic.Int64
	unused  chan struct{} // closed when nobody uses it
}

func (h *held) release() {
	if h.users.Add(-1) == 0 {
		close(h.unused)
	}
}

// Acquire returns the current segment and what to call when done with it; nil
// when there is none. Calling it again does nothing.
func (l *Live) Acquire() (s *Segment, release func()) {
	for {
		h := l.current.Load()
		if h == nil {
			return nil, func() {}
		}
		// One without users is being closed: another is in its place.
		if n := h.users.Load(); n > 0 && h.users.CompareAndSwap(n, n+1) {
			return h.segment, sync.OnceFunc(h.release)
		}
	}
}

// Swap makes a segment current and takes charge of closing it; nil takes the
// current one away. After Close it closes the segment at once.
// Errors: those of closing a segment that comes after Close.
func (l *Live) Swap(s *Segment) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed && s != nil {
		return s.Close()
	}
	l.swap(s)
	return nil
}

func (l *Live) swap(s *Segment) {
	var next *held
	if s != nil {
		next = &held{segment: s, unused: make(chan struct{})}
		next.users.Store(1)
		l.closing.Go(func() { l.closeUnused(next) })
	}
	if before := l.current.Swap(next); before != nil {
		before.release()
	}
}

// closeUnused closes a segment after its last use, off its readers' way.
func (l *Live) closeUnused(h *held) {
	<-h.unused
	if err := h.segment.Close(); err != nil {
		l.mu.Lock()
		l.err = errors.Join(l.err, err)
		l.mu.Unlock()
	}
}

// Identity returns what the current segment was made of; the zero value when
// there is none.
func (l *Live) Identity() Identity {
	s, release := l.Acquire()
	if s == nil {
		return Identity{}
	}
	defer release()
	return s.Identity()
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

// Close takes the segment away and waits until its readers are done with it,
// and with all that were before. It may be called again.
// Errors: those of closing any of the segments.
func (l *Live) Close() error {
	l.mu.Lock()
	l.closed = true
	l.swap(nil)
	l.mu.Unlock()
	l.closing.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
