package transport

import (
	"sync"
)

// Quota bounds how much of something is in use at once. Whoever has as many as
// are left gets no more: one has half of all at most, beside them another one a
// quarter, so that it takes many to keep the next one out.
// Concurrency: any goroutine.
type Quota struct {
	all int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// NewQuota makes a quota of so many.
func NewQuota(all int) *Quota { return &Quota{all: all, by: map[string]int{}} }

// Take takes one for somebody; "" is who need not leave any to others. Give gives
// it back, if it was taken.
// Shape: when it was not, has is how many they have; all of them where none is left.
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

// Give gives back what Take took.
func (q *Quota) Give(who string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used--
	if q.by[who]--; q.by[who] == 0 {
		delete(q.by, who)
	}
}

// All is how many there are.
func (q *Quota) All() int { return q.all }
