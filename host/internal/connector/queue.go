package connector

import (
	"container/list"
	"context"
	"sync"

	"github.com/loam-data/loam/host/internal/caller"
)

// queue lends the slots of a connection, or of a process, to calls.
//
// A free slot goes to the client with the fewest of them; among equals, clients
// take turns. While others wait, no client so gets more than its part, which is
// half for two. The clients of a named principal share its part in the same way.
//
// A statement that runs keeps its slot until it ends. Where several principals
// are served, one slot is therefore left to those that have none: one client
// cannot have them all. From four slots on, another one is left to the other
// clients of the same named principal.
// Units: a step looks at no more clients than there are slots.
// Concurrency: any number of goroutines.
type queue struct {
	limit int

	mu   sync.Mutex
	free int
	root share
}

// share is a part of a queue: all of it, that of a principal, that of a client.
// One of a client has waiters, others have children.
type share struct {
	key     shareKey
	parent  *share
	leaves  bool // a slot to others: see queue
	running int  // slots that it has
	waiting int  // calls that wait for one

	waiters  list.List // of *waiting, in the order in which they came
	children map[shareKey]*share
	sweepAt  int // so many children have the idle ones forgotten
	// queues are the children for which calls wait, by the slots that they have,
	// first come, first served.
	queues []list.List // of *share
	place  *list.Element
	at     int // of queues
}

// shareKey is one of the two.
type shareKey struct{ principal, client string }

// waiting is a call that waits.
type waiting struct {
	granted chan struct{} // closed when it has a slot
	place   *list.Element // in share.waiters; nil = it does not wait any more
}

// fewIdle is how many idle shares are kept: a client that calls again finds its
// own.
const fewIdle = 64

func newQueue(limit int) *queue {
	q := &queue{limit: limit, free: limit}
	q.root.queues = make([]list.List, limit+1)
	return q
}

// take waits for a slot; the caller gives it back with give.
// Errors: those of ctx, after which nothing of the call is left in the queue.
func (q *queue) take(ctx context.Context) (*share, error) {
	q.mu.Lock()
	s := q.shareOf(caller.Of(ctx))
	if s.waiting == 0 && q.needs(s) <= q.free { // nobody who waits could have it
		q.start(s)
		q.mu.Unlock()
		return s, nil
	}
	w := &waiting{granted: make(chan struct{})}
	w.place = s.waiters.PushBack(w)
	s.wait(1)
	q.mu.Unlock()
	select {
	case <-w.granted:
		return s, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.place == nil { // granted in this moment
		q.end(s)
		return nil, ctx.Err()
	}
	s.waiters.Remove(w.place)
	s.wait(-1)
	return nil, ctx.Err()
}

// give gives a slot back.
func (q *queue) give(s *share) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(s)
}

func (q *queue) start(s *share) {
	q.free--
	s.run(1)
}

func (q *queue) end(s *share) {
	q.free++
	s.run(-1)
	for next := q.next(&q.root, 1); next != nil; next = q.next(&q.root, 1) {
		w := next.waiters.Remove(next.waiters.Front()).(*waiting)
		w.place = nil
		next.wait(-1)
		q.start(next)
		close(w.granted)
	}
}

// Load counts the calls of a connection.
type Load struct{ Running, Waiting int }

// Loads returns the connections with running or waiting calls, by id.
func (s *Supervisor) Loads() map[string]Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Load{}
	for of, q := range s.queues {
		if l := q.load(); l != (Load{}) {
			sum := all[of.connection]
			all[of.connection] = Load{sum.Running + l.Running, sum.Waiting + l.Waiting}
		}
	}
	return all
}

func (q *queue) load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Load{q.root.running, q.root.waiting}
}

// next returns the client below s that is served next, and may have a slot when so
// many are free; nil when there is none.
func (q *queue) next(s *share, free int) *share {
	switch {
	case free > q.free || s.waiting == 0:
		return nil
	case s.waiters.Len() > 0:
		return s
	}
	for i := range s.queues {
		for e := s.queues[i].Front(); e != nil; e = e.Next() {
			child := e.Value.(*share)
			if found := q.next(child, free+child.left()); found != nil {
				return found
			}
		}
	}
	return nil
}

// needs is how many slots must be free for a client to have one.
func (q *queue) needs(s *share) int {
	free := 1
	for ; s != &q.root; s = s.parent {
		free += s.left()
	}
	return free
}

// left is how many slots a share leaves to others.
func (s *share) left() int {
	if s.leaves && s.running > 0 {
		return 1
	}
	return 0
}

// shareOf returns the share of a client, a new one if need be.
func (q *queue) shareOf(c *caller.Caller) *share {
	if !c.Named {
		return q.root.child(shareKey{client: c.Client}, c.Shared() && q.limit > 1)
	}
	of := q.root.child(shareKey{principal: c.Principal}, c.Shared() && q.limit > 1)
	if of.queues == nil {
		of.queues = make([]list.List, q.limit+1)
	}
	const forBoth = 4 // slots, of which two are left to others
	return of.child(shareKey{client: c.Client}, c.Shared() && q.limit >= forBoth)
}

// child returns a part of a share, a new one if need be.
func (s *share) child(key shareKey, leaves bool) *share {
	if c, ok := s.children[key]; ok {
		return c
	}
	if s.children == nil {
		s.children, s.sweepAt = map[shareKey]*share{}, fewIdle
	}
	if len(s.children) >= s.sweepAt {
		s.forgetIdle()
		s.sweepAt = max(fewIdle, 2*len(s.children)) // as many new ones pay for a sweep
	}
	c := &share{key: key, parent: s, leaves: leaves}
	s.children[key] = c
	return c
}

// forgetIdle forgets the children for which nothing runs or waits.
func (s *share) forgetIdle() {
	for key, child := range s.children {
		if child.running == 0 && child.waiting == 0 {
			delete(s.children, key)
		}
	}
}

// run counts slots that a client has got, up to the root.
func (s *share) run(slots int) {
	for ; s != nil; s = s.parent {
		s.running += slots
		s.requeue()
	}
}

// wait counts calls that wait for a client, up to the root.
func (s *share) wait(calls int) {
	for ; s != nil; s = s.parent {
		s.waiting += calls
		if s.place == nil || s.waiting == 0 {
			s.requeue()
		}
	}
}

// requeue puts a share behind those that have as many slots, if calls wait for it.
func (s *share) requeue() {
	if s.parent == nil {
		return
	}
	if s.place != nil {
		s.parent.queues[s.at].Remove(s.place)
		s.place = nil
	}
	if s.waiting > 0 {
		s.at = s.running
		s.place = s.parent.queues[s.at].PushBack(s)
	}
}
