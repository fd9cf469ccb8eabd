package search

import (
	"slices"
	"sync"
)

// An index of many near-equal names, such as 100,000 tables from fact_000001 to fact_100000, has many documents with
// equal scores, of which the first by their ids are on the page. A ceiling is the most that documents in the rest of a
// segment score, but for a few that get more than usual of a word. When the ceilings are not above the scores of the
// page, and the ids in the rest come after those of the page, a pass goes on with these few alone.

// ceiling is the most that a document of a kind scores in the rest of a segment.
type ceiling struct {
	kind  Kind
	score float32
	// named is the number of documents up to the last one that may have the name that was asked for.
	named uint32
}

// traits are facts about all documents of a segment.
type traits struct {
	// ordered: the documents without a parent are in the order of compareRoots.
	ordered bool
	// roots are the kinds of the documents without a parent, children those of the others.
	roots, children [kinds]bool
	// best are the flags that reduce the score of a document of a kind least.
	best [kinds]uint8
}

func (s *Segment) findTraits() *traits {
	t := &traits{ordered: true}
	var seen [kinds]bool
	last := uint32(none)
	for document, flags := range s.flags {
		kind := flags & kindMask
		if !seen[kind] || worthOf(flags) > worthOf(t.best[kind]) {
			seen[kind], t.best[kind] = true, flags
		}
		if s.parent[document] != none {
			t.children[kind] = true
			continue
		}
		t.roots[kind] = true
		if last != none && t.ordered {
			t.ordered = compareRoots(s, last, s, uint32(document)) <= 0
		}
		last = uint32(document)
	}
	return t
}

// peaks are what the postings of a term give documents at most, by kind, but for a few documents that are listed.
type peaks struct {
	impact [kinds]uint8
	// named is the number of documents up to the last one whose whole name is the term; 0 = there is none.
	named [kinds]uint32
	// above are the documents that get more, or are named so, in order.
	above []uint32
}

const (
	// fewPostings is how many postings a term has at most of which all documents are above the peaks, which are 0.
	fewPostings = 32
	// shareAbove is the part of a longer list that is above at most, of each kind.
	shareAbove = 32
)

// peakCache caches the peaks of terms of a segment.
type peakCache struct {
	mu  sync.RWMutex
	all map[uint32]*peaks // by term
}

// peaksOf returns the peaks of a cursor with more than fewPostings.
func (s *Segment) peaksOf(c *cursor) *peaks {
	if c.term == none {
		return s.findPeaks(c)
	}
	s.peaks.mu.RLock()
	p := s.peaks.all[c.term]
	s.peaks.mu.RUnlock()
	if p != nil {
		return p
	}
	p = s.findPeaks(c)
	s.peaks.mu.Lock()
	defer s.peaks.mu.Unlock()
	if s.peaks.all == nil {
		s.peaks.all = map[uint32]*peaks{}
	}
	s.peaks.all[c.term] = p
	return p
}

func (s *Segment) findPeaks(c *cursor) *peaks {
	var impacts [kinds][maxImpact + 1]uint32 // how many documents get each
	var named [kinds]int
	for i := range c.documents.len() {
		kind := s.flags[c.documents.at(i)] & kindMask
		impacts[kind][c.impacts[i]]++
		if c.sources[i]&keyFlag != 0 {
			named[kind]++
		}
	}
	most := c.documents.len() / shareAbove
	p := &peaks{}
	for kind := range impacts {
		above, impact := 0, maxImpact
		for ; impact > 0 && above+int(impacts[kind][impact]) <= most; impact-- {
			above += int(impacts[kind][impact])
		}
		p.impact[kind] = uint8(impact)
	}
	for i := range c.documents.len() {
		document := c.documents.at(i)
		kind := s.flags[document] & kindMask
		switch key := c.sources[i]&keyFlag != 0; {
		case c.impacts[i] > p.impact[kind] || key && named[kind] <= most:
			p.above = append(p.above, document)
		case key:
			p.named[kind] = document + 1
		}
	}
	return p
}

// above returns the first document from one on that gets more of the cursor than its peaks; none = there is none.
func (c *cursor) above(document uint32) uint32 {
	if c.peaks == nil {
		if at, _ := c.documents.search(document); at < c.documents.len() {
			return c.documents.at(at)
		}
		return none
	}
	if at, _ := slices.BinarySearch(c.peaks.above, document); at < len(c.peaks.above) {
		return c.peaks.above[at]
	}
	return none
}

// next returns the document at which a pass continues that has come to a document: that one, or a later one if none in
// between can be on the page; none = the pass is over. live is the number of cursors of the pass that are not at their end.
func (r *run) next(document uint32, live int) uint32 {
	s := r.part.s
	root := s.root(document)
	if root == r.checked { // the rest of a family
		return document
	}
	r.checked = root
	r.families++
	if r.families < fewPostings && !slices.ContainsFunc(r.returned, r.isFull) || !s.traits().ordered {
		return document
	}
	if live != r.live {
		r.live = live
		r.findCeilings()
	}
	for _, c := range r.ceilings {
		if !r.below(c, root) {
			return document
		}
	}
	to := r.part.used.next(root)
	for i := range r.part.groups {
		for j := range r.part.groups[i].cursors {
			to = min(to, r.part.groups[i].cursors[j].above(root))
		}
	}
	if to != none {
		to = s.root(to)
	}
	return max(document, to)
}

func (r *run) isFull(kind Kind) bool { return r.tops[kind].full }

// below reports whether no document from a root on, with at most a ceiling's score, is on the page or moves the cut.
func (r *run) below(c ceiling, root uint32) bool {
	named := c.named > root
	switch {
	case c.score == 0:
		return true
	case c.score > r.best[medium(c.kind)]:
		return false
	case c.score < r.needed(c.kind) && !named:
		return true
	case !r.isFull(c.kind):
		return false
	}
	worst := &r.tops[c.kind].worst
	level := int8(0)
	if named {
		level = 1
	}
	switch s := worst.part.s; {
	case level != worst.level:
		return level < worst.level
	case c.score != worst.score:
		return c.score < worst.score
	default:
		return compareRoots(s, s.root(worst.document), r.part.s, root) <= 0
	}
}

// findCeilings sets the ceilings of the kinds that are returned. It computes as score does, so that the ceiling of
// documents with equal scores is their score.
func (r *run) findCeilings() {
	traits := r.part.s.traits()
	var some, all [kinds]float32 // the most of a document with some of the words, and with all
	var named [kinds]uint32
	child := float32(0)
	for kind := range Kind(kinds) {
		if r.part.s.Count(kind) == 0 {
			continue
		}
		sum, matched, last := r.part.most(kind)
		some[kind] = r.weighAs(traits.best[kind], sum, matched)
		if matched == float32(r.words) {
			all[kind] = some[kind]
		}
		if traits.children[kind] {
			child = max(child, some[kind])
		}
		if r.all && (traits.roots[kind] || r.named(kind)) {
			named[kind] = last
		}
	}
	r.ceilings = r.ceilings[:0]
	for _, kind := range r.returned {
		c := ceiling{kind: kind, score: some[kind], named: named[kind]}
		if r.all {
			c.score = all[kind]
		}
		if c.score > 0 && traits.roots[kind] {
			c.score = withChild(c.score, child)
		}
		if r.part.counts != nil {
			c.score *= slices.Max(r.part.counts)
		}
		r.ceilings = append(r.ceilings, c)
	}
}

// most returns the most that the words give a document of a kind in the rest of the segment, how many of the words give
// anything, and the number of documents up to the last one with the name that was asked for. Documents above the peaks
// do not count.
func (p *part) most(kind Kind) (sum, matched float32, named uint32) {
	for i := range p.groups {
		best := float32(0)
		for j := range p.groups[i].cursors {
			c := &p.groups[i].cursors[j]
			if c.at == c.documents.len() || c.documents.len() <= fewPostings {
				continue
			}
			if c.peaks == nil {
				c.peaks = p.s.peaksOf(c)
			}
			best = max(best, c.scale*float32(c.peaks.impact[kind]))
			if c.names {
				named = max(named, c.peaks.named[kind])
			}
		}
		if best > 0 {
			sum += best
			matched++
		}
	}
	return sum, matched, named
}
