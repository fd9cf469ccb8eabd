package search

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// slack covers what rounding adds to a sum of bounds.
const slack = 1.0001

// cursor reads the postings of one alternative, forwards.
type cursor struct {
	documents numbers
	impacts   []uint8
	sources   []uint8
	scale     float32 // what an impact of 1 is worth
	highest   uint8
	at        int
	names     bool // the term is the key of the whole question
	other     bool // the terms are other words for one of the question
	terms     []string
	term      uint32 // none = several
	peaks     *peaks // nil until a ceiling needs them; of few postings always
}

// group is a word of the question with its alternatives.
type group struct {
	cursors []cursor
	bound   float32 // no document gets more of it
	size    int
}

// lookUp opens the postings of a group's alternatives. scales are what an impact
// of 1 is worth in each.
func (s *Segment) lookUp(g text.Group, scales []float32, names []string) group {
	var out group
	for i, alternative := range g.Alternatives {
		c := s.open(alternative.Terms)
		if c.documents.len() == 0 {
			continue
		}
		c.scale, c.other = scales[i], alternative.Other
		c.names = len(c.terms) == 1 && slices.Contains(names, c.terms[0])
		out.bound = max(out.bound, slack*c.scale*float32(c.highest))
		out.size += c.documents.len()
		out.cursors = append(out.cursors, c)
	}
	return out
}

// open returns the postings of a term; those of several terms are in the
// documents that have them all, with the mean of their impacts.
func (s *Segment) open(terms []string) cursor {
	var c cursor
	for i, t := range terms {
		number, ok := s.term(t)
		if !ok {
			return cursor{}
		}
		from, to := s.start[number], s.start[number]+s.count[number]
		next := cursor{documents: s.postings.part(from, to), impacts: s.impacts[from:to], sources: s.sources[from:to], highest: s.impact[number], term: number}
		if i == 0 {
			c = next
		} else {
			c = intersect(c, next, i)
		}
	}
	c.terms = terms
	return c
}

// intersect keeps the documents of both. sofar is how many terms a stands for.
func intersect(a, b cursor, sofar int) cursor {
	out := cursor{term: none}
	for i := range a.documents.len() {
		d := a.documents.at(i)
		b.seek(d)
		if b.at == b.documents.len() {
			break
		}
		if b.documents.at(b.at) != d {
			continue
		}
		mean := (int(a.impacts[i])*sofar + int(b.impacts[b.at])) / (sofar + 1)
		out.documents.large = append(out.documents.large, d)
		out.impacts = append(out.impacts, uint8(mean))
		out.sources = append(out.sources, a.sources[i]&fieldMask)
		out.highest = max(out.highest, uint8(mean))
	}
	return out
}

// seek moves to the first posting of a document or one after it, by steps that
// double.
func (c *cursor) seek(document uint32) {
	documents, at := c.documents, c.at
	if at >= documents.len() || documents.at(at) >= document {
		return
	}
	step := 1
	for at+step < documents.len() && documents.at(at+step) < document {
		at += step
		step *= 2
	}
	// documents[at] is before it, documents[at+step] is not.
	low, high := at+1, min(at+step, documents.len())
	for low < high {
		middle := int(uint(low+high) >> 1)
		if documents.at(middle) < document {
			low = middle + 1
		} else {
			high = middle
		}
	}
	c.at = low
}

// passes reports whether a posting does not count: other words than those of the question
// say nothing within the text of a page, which has many.
func (c *cursor) passes(at int) bool {
	return c.other && Field(c.sources[at]&fieldMask) == Body
}

// value returns what the group gives a document at or after the cursors, and
// whether the document's whole name is what was asked for.
func (g *group) value(document uint32) (best float32, named bool) {
	for i := range g.cursors {
		c := &g.cursors[i]
		c.seek(document)
		if c.at < c.documents.len() && c.documents.at(c.at) == document && !c.passes(c.at) {
			best = max(best, c.scale*float32(c.impacts[c.at]))
			named = named || c.names && c.sources[c.at]&keyFlag != 0
		}
	}
	return best, named
}

// lookBack is value for a document anywhere; it leaves the cursors where they are.
func (g *group) lookBack(document uint32) (best float32, named bool) {
	for i := range g.cursors {
		c := &g.cursors[i]
		at, ok := c.documents.search(document)
		if ok && !c.passes(at) {
			best = max(best, c.scale*float32(c.impacts[at]))
			named = named || c.names && c.sources[at]&keyFlag != 0
		}
	}
	return best, named
}

// candidate is a document with its score. level 1: its whole name was asked for.
type candidate struct {
	part     *part
	document uint32
	score    float32
	level    int8
	id       string // of its root, valid while the index is open
}

// before orders candidates, better ones first. Equal ones are in the order of the
// ids of what they belong to, and within that as they were added.
func (a candidate) before(b candidate) bool {
	switch {
	case a.level != b.level:
		return a.level > b.level
	case a.score != b.score:
		return a.score > b.score
	}
	if order := strings.Compare(a.id, b.id); order != 0 {
		return order < 0
	}
	s, t := a.part.s, b.part.s
	x, y := s.root(a.document), t.root(b.document)
	if s == t && x == y {
		return a.document < b.document
	}
	return compareRoots(s, x, t, y) < 0
}
