package search

import (
	"math/rand/v2"
	"sync"
)

// top keeps the best candidates of a kind. A page of thousands of hits is offered tens of thousands of candidates, so
// that an offer compares with one candidate alone, and the others are compared when the list is twice as long as needed.
type top struct {
	items []candidate // with others up to twice the limit; see best
	limit int
	full  bool // limit candidates were offered
	// worst is the last of the best ones when they were last compared. It is set when full is.
	worst candidate
}

func (t *top) offer(c candidate) {
	if t.full && !c.before(t.worst) {
		return
	}
	t.items = append(t.items, c)
	if n := len(t.items); n == 2*t.limit || !t.full && n == t.limit {
		t.best()
	}
}

// best returns at most limit candidates, the best ones that were offered, in no order. It is valid until the next offer.
func (t *top) best() []candidate {
	if len(t.items) < t.limit || t.full && len(t.items) == t.limit {
		return t.items
	}
	t.part()
	t.items = t.items[:t.limit]
	t.worst, t.full = t.items[t.limit-1], true
	return t.items
}

// part moves the best candidates to the front, the worst of them to the place before limit.
func (t *top) part() {
	at := t.limit - 1
	for left := t.items; len(left) > 1; {
		pivot := rand.IntN(len(left))
		left[0], left[pivot] = left[pivot], left[0]
		last := 0 // of those before the pivot
		for i := range left[1:] {
			if left[1+i].before(left[0]) {
				last++
				left[last], left[1+i] = left[1+i], left[last]
			}
		}
		left[0], left[last] = left[last], left[0]
		switch {
		case at == last:
			return
		case at < last:
			left = left[:last]
		default:
			left, at = left[last+1:], at-last-1
		}
	}
}

// keepNamed drops all but exact names.
func (t *top) keepNamed() {
	kept := t.best()
	t.items, t.full = t.items[:0], false
	for _, c := range kept {
		if c.level > 0 {
			t.offer(c)
		}
	}
}

// threshold is the score that a candidate without an exact name must reach to
// be kept; 0 while there is room.
func (t *top) threshold() float32 {
	if !t.full {
		return 0
	}
	if t.worst.level > 0 {
		return maxScore
	}
	return t.worst.score
}

const maxScore = 1e30

// room is the memory of a run's candidates: that of a page of thousands of hits has hundreds of kilobytes, which the next
// question uses again.
type room struct {
	tops   [kinds][]candidate
	ranked []ranked
	// columns counts the columns of each table among them.
	columns map[location]int
}

var rooms = sync.Pool{New: func() any { return &room{columns: map[location]int{}} }}

// release gives the memory of the candidates back. They are cleared, because they refer to the index.
func (r *run) release() {
	for kind := range r.tops {
		all := r.tops[kind].items
		clear(all[:cap(all)])
		r.room.tops[kind] = all[:0]
		r.tops[kind] = top{}
	}
	clear(r.room.columns)
	clear(r.room.ranked)
	r.room.ranked = r.room.ranked[:0]
	rooms.Put(r.room)
	r.room = nil
}
