package search

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Live holds the index that is current and swaps it under its readers. A reader
// never waits: it keeps the index it took until it releases it, and an index
// that was replaced is closed when nobody has it any more.
// The zero value holds none. Concurrency: any number of goroutines.
type Live struct {
	current atomic.Pointer[held]

	mu      sync.Mutex // of what follows; readers do not take it
	closed  bool
	closing sync.WaitGroup // one for each index that is not closed yet
	err     error          // of closing replaced indexes
}

// held is an index and how many use it, Live among them.
type held struct {
	index  *Index
	users  atomic.Int64
	unused chan struct{} // closed when nobody uses it
}

func (h *held) release() {
	if h.users.Add(-1) == 0 {
		close(h.unused)
	}
}

// Acquire returns the current index and what to call when done with it; nil
// when there is none. Calling it again does nothing.
func (l *Live) Acquire() (x *Index, release func()) {
	for {
		h := l.current.Load()
		if h == nil {
			return nil, func() {}
		}
		// One without users is being closed: another is in its place.
		if n := h.users.Load(); n > 0 && h.users.CompareAndSwap(n, n+1) {
			return h.index, sync.OnceFunc(h.release)
		}
	}
}

// Swap makes an index current and takes charge of closing it; nil takes the
// current one away. After Close it closes the index at once.
// Errors: those of closing an index that comes after Close.
func (l *Live) Swap(x *Index) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed && x != nil {
		return x.Close()
	}
	l.swap(x)
	return nil
}

func (l *Live) swap(x *Index) {
	var next *held
	if x != nil {
		next = &held{index: x, unused: make(chan struct{})}
		next.users.Store(1)
		l.closing.Go(func() { l.closeUnused(next) })
	}
	if before := l.current.Swap(next); before != nil {
		before.release()
	}
}

// closeUnused closes an index after its last use, off its readers' way.
func (l *Live) closeUnused(h *held) {
	<-h.unused
	if err := h.index.Close(); err != nil {
		l.mu.Lock()
		l.err = errors.Join(l.err, err)
		l.mu.Unlock()
	}
}

// Close takes the index away and waits until its readers are done with it,
// and with all that were before. It may be called again.
// Errors: those of closing any of the indexes.
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
