package transport

import (
	"sync"
)

// Quota bounds the concurrent use of a resource. A user that has as many units as
// are left gets no more: the first has at most half of all, the next a quarter, so
// that few users cannot block another one.
// Concurrency: any goroutine.
type Quota struct {
	all int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// NewQuota makes a quota of all units.
func NewQuota(all int) *Quota { return &Quota{all: all, by: map[string]int{}} }

// Take takes a unit for a user; "" is a user without a bound of its own. Give
// returns it, if taken.
// Shape: otherwise has is the number of units that the user has; all units where
// none is left.
func (q *Quota) Take(who string) (has int, taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := q.all - q.used
	switch has = q.by[who]; {
	case left == 0:
		return q.all, false
	case who != "" && has > 0 && has >= left:
		return has, false
	}
	q.used++
	q.by[who]++
	return has + 1, true
}

// Give returns a unit of Take.
func (q *Quota) Give(who string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used--
	if q.by[who]--; q.by[who] == 0 {
		delete(q.by, who)
	}
}

// All returns the number of units.
func (q *Quota) All() int { return q.all }
