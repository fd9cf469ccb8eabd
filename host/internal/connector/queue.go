package connector

import (
	"container/list"
	"context"
	"sync"

	"github.com/loam-data/loam/host/internal/caller"
)

// queue assigns the slots of a connection, or of a process, to calls.
//
// A free slot goes to the client with the fewest slots; clients with equally many
// take turns. So while others wait, no client gets more than its share, which for
// two clients is half. The clients of a named principal divide its share in the same
// way.
//
// A running statement keeps its slot until it ends. With several principals, one
// slot is therefore reserved for principals without a slot, so that one client
// cannot take all. With four or more slots, another one is reserved for the other
// clients of the same named principal.
// Units: each operation examines at most as many clients as there are slots.
// Concurrency: its methods may be called concurrently.
type queue struct {
	limit int

	mu   sync.Mutex
	free int
	root share
}

// share is a node of the tree of shares: the root, a principal or a client. Clients have
// waiters, the others have children.
type share struct {
	key     shareKey
	parent  *share
	leaves  bool // a slot is reserved for others: see queue
	running int  // slots in use
	waiting int  // waiting calls

	waiters  list.List // of *waiting, in the order in which they came
	children map[shareKey]*share
	sweepAt  int // the number of children at which idle ones are removed
	// queues are the children with waiting calls, by their number of running slots; each in
	// FIFO order.
	queues []list.List // of *share
	place  *list.Element
	at     int // its index in the parent's queues
}

// shareKey identifies a child: by its principal or by its client.
type shareKey struct{ principal, client string }

// waiting is a call that waits.
type waiting struct {
	granted chan struct{} // closed when it has a slot
	place   *list.Element // in share.waiters; nil = it no longer waits
}

// fewIdle is the number of idle shares that are kept for clients that call again.
const fewIdle = 64

func newQueue(limit int) *queue {
	q := &queue{limit: limit, free: limit}
	q.root.queues = make([]list.List, limit+1)
	return q
}

// take waits for a slot. The caller calls give.
// Errors: those of ctx; then the call is no longer in the queue.
func (q *queue) take(ctx context.Context) (*share, error) {
	q.mu.Lock()
	s := q.shareOf(caller.Of(ctx))
	if s.waiting == 0 && q.needs(s) <= q.free { // no waiting call may have it
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
	if w.place == nil { // granted meanwhile
		q.end(s)
		return nil, ctx.Err()
	}
	s.waiters.Remove(w.place)
	s.wait(-1)
	return nil, ctx.Err()
}

// give returns a slot.
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

// Load counts the running and the waiting calls of a connection.
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

// next returns the client below s that gets the next slot, given the number of free ones; nil = none
// may have one.
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

// needs returns the number of free slots that a client needs to get one: those that its shares leave
// to others, and its own.
func (q *queue) needs(s *share) int {
	free := 1
	for ; s != &q.root; s = s.parent {
		free += s.left()
	}
	return free
}

// left returns the number of slots that a share leaves to others.
func (s *share) left() int {
	if s.leaves && s.running > 0 {
		return 1
	}
	return 0
}

// shareOf returns the share of a client, and creates it if needed.
func (q *queue) shareOf(c *caller.Caller) *share {
	if !c.Named {
		return q.root.child(shareKey{client: c.Client}, c.Shared() && q.limit > 1)
	}
	of := q.root.child(shareKey{principal: c.Principal}, c.Shared() && q.limit > 1)
	if of.queues == nil {
		of.queues = make([]list.List, q.limit+1)
	}
	const forBoth = 4 // slots from which on both reservations apply
	return of.child(shareKey{client: c.Client}, c.Shared() && q.limit >= forBoth)
}

// child returns a child of a share, and creates it if needed.
func (s *share) child(key shareKey, leaves bool) *share {
	if c, ok := s.children[key]; ok {
		return c
	}
	if s.children == nil {
		s.children, s.sweepAt = map[shareKey]*share{}, fewIdle
	}
	if len(s.children) >= s.sweepAt {
		s.forgetIdle()
		s.sweepAt = max(fewIdle, 2*len(s.children)) // amortizes the sweep over new children
	}
	c := &share{key: key, parent: s, leaves: leaves}
	s.children[key] = c
	return c
}

// forgetIdle removes the children without running and waiting calls.
func (s *share) forgetIdle() {
	for key, child := range s.children {
		if child.running == 0 && child.waiting == 0 {
			delete(s.children, key)
		}
	}
}

// run adds to the running slots of a client and its ancestors.
func (s *share) run(slots int) {
	for ; s != nil; s = s.parent {
		s.running += slots
		s.requeue()
	}
}

// wait adds to the waiting calls of a client and its ancestors.
func (s *share) wait(calls int) {
	for ; s != nil; s = s.parent {
		s.waiting += calls
		if s.place == nil || s.waiting == 0 {
			s.requeue()
		}
	}
}

// requeue moves a share with waiting calls to the end of the queue for its number of running slots.
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
