package search

import (
	"cmp"
	"slices"
)

// run answers one question, one segment after the other. It goes through the
// candidates in the order of the documents, so that a parent and its children
// pass by together, and leaves out only what cannot be on the page: its answers
// are those of scoring everything.
type run struct {
	room *room // that its candidates are in

	parts  []part
	words  int     // of the question that something matches
	asked  float32 // how many words the question has
	leaves bool    // any child may be the exact name that was asked for
	wanted [kinds]bool
	tops   [kinds]top
	best   [2]float32 // of prose and of data, but for exact names

	targets func() map[target]location // of the index

	part *part // the one at hand

	all    bool    // only documents with all words count
	unseen float32 // no document that is no candidate scores more
	family family

	considered int    // documents, in all passes
	returned   []Kind // kinds that are asked about and that the segment has
	ceilings   []ceiling
	families   int    // in this pass
	live       int    // cursors that the ceilings are of
	checked    uint32 // the last document without a parent that next was called for

	order   []int     // in which the words are looked up in a document
	rest    []float32 // by place in order: what the words from there on give at most
	values  []float32 // by word
	scratch []float32
}

// part is what a run needs of a segment.
type part struct {
	s           *Segment
	groups      []group // in the order of the question; empty where nothing matches
	connections []bool  // nil = all
	// counts is what the documents of each connection count, at most 1; nil = all 1.
	counts []float32
	used   *usedIn // nil = nothing of it was used
}

// family is a parent with its children as they pass by.
type family struct {
	parent uint32
	own    float32 // the parent's score without its share of a child
	scored bool    // the parent was a candidate
	named  bool
	child  float32 // the best child so far
	// skipped is what a child that was not scored to the end scores at most.
	skipped float32
}

// merge goes through several lists as one, in order: a heap by the next document.
type merge []*cursor

func (m merge) next() uint32 { return m[0].documents.at(m[0].at) }

func (m merge) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m) {
			return
		}
		if child+1 < len(m) && m[child+1].documents.at(m[child+1].at) < m[child].documents.at(m[child].at) {
			child++
		}
		if m[i].documents.at(m[i].at) <= m[child].documents.at(m[child].at) {
			return
		}
		m[i], m[child] = m[child], m[i]
		i = child
	}
}

// pass leaves a document behind.
func (m *merge) pass(document uint32) {
	h := *m
	for len(h) > 0 && h.next() == document {
		if h[0].at++; h[0].at == h[0].documents.len() {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		h.down(0)
	}
	*m = h
}

// skip leaves the documents before one behind.
func (m *merge) skip(to uint32) {
	h := (*m)[:0]
	for _, c := range *m {
		if c.seek(to); c.at < c.documents.len() {
			h = append(h, c)
		}
	}
	h.order()
	*m = h
}

func (m merge) order() {
	for i := len(m)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
}

func newMerge(groups ...*group) merge {
	var m merge
	for _, g := range groups {
		for i := range g.cursors {
			if c := &g.cursors[i]; c.at < c.documents.len() {
				m = append(m, c)
			}
		}
	}
	m.order()
	return m
}

// each makes a pass over every segment that has something to return. The page is
// empty but for exact names: they have all words, and were found before.
func (r *run) each(pass func(*run)) {
	if r.words == 0 {
		return
	}
	for i := range r.tops {
		r.tops[i].keepNamed()
	}
	r.rest, r.values = make([]float32, r.words+1), make([]float32, r.words)
	for i := range r.parts {
		if r.part = &r.parts[i]; r.returnsAny() {
			pass(r)
		}
	}
}

// returnsAny reports whether the segment has documents that are asked about.
func (r *run) returnsAny() bool {
	if r.part.connections != nil && !slices.Contains(r.part.connections, true) {
		return false
	}
	for kind := range Kind(kinds) {
		if r.returns(kind) {
			return true
		}
	}
	return false
}

// returns reports whether the segment has documents of a kind that is asked about.
func (r *run) returns(kind Kind) bool { return r.wanted[kind] && r.part.s.Count(kind) > 0 }

// allWords ranks the documents that have every word. The rarest word's
// documents are the candidates.
func (r *run) allWords() {
	r.all = true
	rarest, sum, least := 0, float32(0), r.part.groups[0].bound
	for i, g := range r.part.groups {
		if g.size == 0 {
			return
		}
		if g.size < r.part.groups[rarest].size {
			rarest = i
		}
		sum += g.bound
		least = min(least, g.bound)
	}
	// A child of a match may lack one word or more.
	r.unseen = (sum - least) * (r.asked - 1) / r.asked
	r.begin(func(a, b *group) int { return cmp.Compare(a.size, b.size) })
	for m := newMerge(&r.part.groups[rarest]); len(m) > 0; {
		document := m.next()
		if to := r.next(document, len(m)); to > document {
			m.skip(to)
			continue
		}
		r.consider(document)
		m.pass(document)
	}
	r.endFamily()
}

// fewerWords ranks the documents that have any of the words. As better ones are
// found, words that alone cannot reach them stop making candidates.
func (r *run) fewerWords() {
	r.all = false
	r.begin(func(a, b *group) int { return cmp.Compare(b.bound, a.bound) })
	order := make([]*group, 0, len(r.order)) // the weakest first
	for _, i := range slices.Backward(r.order) {
		order = append(order, &r.part.groups[i])
	}
	if slack*r.rest[0]*float32(len(order))/r.asked*(1+childShare) < r.least() {
		return
	}
	passive := r.passive(order, 0)
	m := newMerge(order[passive:]...)
	for n := 1; len(m) > 0; n++ {
		document := m.next()
		if to := r.next(document, len(m)); to > document {
			m.skip(to)
			continue
		}
		r.consider(document)
		m.pass(document)
		if n%256 == 0 {
			if now := r.passive(order, passive); now > passive {
				passive = now
				m = newMerge(order[passive:]...)
			}
		}
	}
	r.endFamily()
}

// begin makes ready for a pass over the segment that looks words up in an order.
func (r *run) begin(order func(a, b *group) int) {
	r.family = family{parent: none}
	r.checked, r.families, r.live, r.returned = none, 0, -1, r.returned[:0]
	for kind := range Kind(kinds) {
		if r.returns(kind) {
			r.returned = append(r.returned, kind)
		}
	}
	r.order = r.order[:0]
	clear(r.rest)
	clear(r.values)
	for i := range r.part.groups {
		if r.part.groups[i].size > 0 {
			r.order = append(r.order, i)
		}
		for j := range r.part.groups[i].cursors {
			r.part.groups[i].cursors[j].at = 0
		}
	}
	slices.SortStableFunc(r.order, func(a, b int) int { return order(&r.part.groups[a], &r.part.groups[b]) })
	for at, i := range slices.Backward(r.order) {
		r.rest[at] = r.rest[at+1] + r.part.groups[i].bound
	}
}

// passive returns how many of the weakest words need no candidates of their
// own, at least from, and sets what a document of them alone may score.
func (r *run) passive(order []*group, from int) int {
	least, n, sum := r.least(), 0, float32(0)
	r.unseen = 0
	for i, g := range order[:max(0, len(order)-1)] {
		sum += g.bound
		alone := sum * float32(i+1) / r.asked
		if i >= from && alone*(1+childShare) >= least {
			break
		}
		n, r.unseen = i+1, alone
	}
	return n
}

// least is the score below which no document of the segment can be on the page.
func (r *run) least() float32 {
	least := float32(maxScore)
	for kind := range Kind(kinds) {
		if r.returns(kind) {
			least = min(least, r.needed(kind))
		}
	}
	return least
}

// needed is the score below which a document of a kind cannot be on the page.
func (r *run) needed(kind Kind) float32 {
	return max(r.tops[kind].threshold(), leastPartial*r.cut(kind)) * r.part.used.least()
}

// cut is the score below which a document of a kind comes after all others. Prose and data
// are held to their own best: a page that has all words of a question says
// nothing against a table that has some, unless the table has next to nothing.
func (r *run) cut(kind Kind) float32 {
	own := medium(kind)
	return max(leastShare*r.best[own], leastOther*r.best[1-own])
}

// medium returns the place in best of a kind: 0 = prose, 1 = data.
func medium(kind Kind) int {
	if kind == Wiki {
		return 0
	}
	return 1
}

// found returns how many documents can be on the page. Of those below the cut it depends on
// the order of the segments which were kept.
func (r *run) found() (n int) {
	for kind := range r.tops {
		for _, c := range r.tops[kind].best() {
			if !r.leftOut(c, Kind(kind)) {
				n++
			}
		}
	}
	return n
}

// leftOut reports whether a candidate is too weak for the page.
func (r *run) leftOut(c candidate, kind Kind) bool {
	return c.level == 0 && c.score < leastPartial*r.cut(kind)
}

func (r *run) kind(document uint32) Kind { return Kind(r.part.s.flags[document] & kindMask) }

// consider scores a candidate that passes by.
func (r *run) consider(document uint32) {
	r.considered++
	if r.part.connections != nil && !r.part.connections[r.part.s.connection[document]] {
		return
	}
	parent := r.part.s.parent[document]
	if !r.wanted[r.kind(document)] && (parent == none || !r.wanted[r.kind(parent)]) {
		return
	}
	if parent == none {
		r.endFamily()
		if score, named, _ := r.score(document, 0); score > 0 {
			r.family = family{parent: document, own: score, scored: true, named: named}
		}
		return
	}
	if parent != r.family.parent {
		r.endFamily()
		r.family = family{parent: parent}
	}
	score, named, most := r.score(document, r.needed(r.kind(document)))
	r.family.skipped = max(r.family.skipped, most)
	r.family.child = max(r.family.child, score)
	r.keep(document, score, named && r.named(r.kind(document)))
}

// named reports whether a child of a kind may be the exact name that was asked
// for. One word is the name of too many columns; a measure is chosen with care,
// and is an answer.
func (r *run) named(kind Kind) bool { return r.leaves || kind == Measure }

// score returns what a document scores by itself, 0 when it does not count. It
// gives up where it sees that the score stays below needed, and returns the most
// that it could have been. A document with the exact name has every word.
func (r *run) score(document uint32, needed float32) (score float32, anyNamed bool, most float32) {
	got, matched := float32(0), float32(0)
	for at, i := range r.order {
		v, named := r.part.groups[i].value(document)
		r.values[i] = v
		anyNamed = anyNamed || named
		if v > 0 {
			got += v
			matched++
			continue
		}
		if r.all {
			return 0, false, 0
		}
		left := float32(len(r.order) - at - 1)
		if most := slack * (got + r.rest[at+1]) * (matched + left) / r.asked; most < needed {
			return 0, false, most
		}
	}
	sum := float32(0)
	for _, v := range r.values { // in the order of the question, always
		sum += v
	}
	return r.weigh(document, sum, matched), anyNamed, 0
}

// weigh makes a score of the sum of what the words give.
func (r *run) weigh(document uint32, sum, matched float32) float32 {
	return r.weighAs(r.part.s.flags[document], sum, matched)
}

// weighAs is weigh for a document with flags.
func (r *run) weighAs(flags uint8, sum, matched float32) float32 {
	sum *= matched / r.asked
	if flags := flags >> sizeShift; flags != 0 {
		sum *= sizeWorth[flags&sizeMask]
		if flags&(flagOld>>sizeShift) != 0 {
			sum *= leftOver
		}
	}
	return sum
}

// worthOf is the factor of weighAs that flags make.
func worthOf(flags uint8) float32 {
	worth := sizeWorth[flags>>sizeShift&sizeMask]
	if flags&flagOld != 0 {
		worth *= leftOver
	}
	return worth
}

// withChild returns a score with the share of a child's score. The conversion keeps processors that multiply and add at
// once from rounding differently in different places.
func withChild(own, child float32) float32 { return own + float32(childShare*child) }

// keep offers a document to the page.
func (r *run) keep(document uint32, score float32, named bool) {
	kind := r.kind(document)
	if score <= 0 || !r.wanted[kind] || named && !r.all {
		return
	}
	score = r.part.related(document, score)
	s := r.part.s
	c := candidate{part: r.part, document: document, score: r.part.used.settle(document, score), id: s.labels.View(s.label[s.root(document)])}
	if named {
		c.level = 1
	} else {
		best := &r.best[medium(kind)]
		*best = max(*best, score)
	}
	r.tops[kind].offer(c)
}

// endFamily keeps the parent of the children that have passed by, with its
// share of the best of them.
func (r *run) endFamily() {
	f := r.family
	r.family = family{parent: none}
	if f.parent == none || !r.wanted[r.kind(f.parent)] {
		return
	}
	needed := r.needed(r.kind(f.parent))
	child := max(r.unseen, f.skipped) // no child that was not scored has more
	if !f.scored {
		// It has none of the words that make candidates; or not all, if all count.
		if r.all || r.unseen == 0 || r.unseen+childShare*max(f.child, child) < needed {
			return
		}
		f.own, f.named = r.lookBack(f.parent)
		if f.own == 0 {
			return
		}
	}
	if f.child < child && (f.named || f.own+childShare*child >= needed) {
		f.child = max(f.child, r.bestChild(f.parent))
	}
	r.keep(f.parent, withChild(f.own, f.child), f.named)
}

// lookBack is score for a document that has passed by, with any of the words.
func (r *run) lookBack(document uint32) (float32, bool) {
	sum, matched, anyNamed := float32(0), float32(0), false
	for i := range r.part.groups {
		v, named := r.part.groups[i].lookBack(document)
		if v > 0 {
			sum += v
			matched++
		}
		anyNamed = anyNamed || named
	}
	return r.weigh(document, sum, matched), anyNamed
}

// bestChild returns the best score among all children of a document.
func (r *run) bestChild(parent uint32) float32 {
	from, to := parent+1, r.part.s.children(parent)
	if from == to {
		return 0
	}
	n := int(to - from)
	r.scratch = slices.Grow(r.scratch[:0], 3*n)[:3*n]
	clear(r.scratch)
	sums, matched, values := r.scratch[:n], r.scratch[n:2*n], r.scratch[2*n:]
	for i := range r.part.groups {
		clear(values)
		for j := range r.part.groups[i].cursors {
			c := &r.part.groups[i].cursors[j]
			at, _ := c.documents.search(from)
			for ; at < c.documents.len() && c.documents.at(at) < to; at++ {
				child := c.documents.at(at) - from
				values[child] = max(values[child], c.scale*float32(c.impacts[at]))
			}
		}
		for child, v := range values {
			if v > 0 {
				sums[child] += v
				matched[child]++
			}
		}
	}
	best := float32(0)
	for child := range sums {
		best = max(best, r.weigh(from+uint32(child), sums[child], matched[child]))
	}
	return best
}
