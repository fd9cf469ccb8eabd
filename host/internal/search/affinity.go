package search

import (
	"slices"
	"strings"
)

// A question has one subject, and a warehouse of another subject has some of its words by
// chance: each has customers. So a document counts less where its connection, taken
// together, knows less of the question than another connection does. A connection knows a
// word as well as its best document, and its own id as well as a word can be known. A table
// that lacks a word loses nothing by this as long as its connection has it elsewhere.
const (
	// leastRelated is the share of the question from which on a connection has to do with it.
	leastRelated = 0.75
	// unrelated is what a document of a connection counts that knows nothing of it.
	unrelated = 0.4
)

// affinity is how well connections know the words of a question.
type affinity struct {
	connections []string
	words       int
	known       []float32 // by connection, then by word
}

// relate sets what the documents of each connection count. words are those of the question
// that something matches, as in the groups, and then those that nothing does.
func (r *run) relate(words []string, v vocabulary) {
	a := affinity{words: len(words)}
	for i := range r.parts {
		r.parts[i].contribute(&a)
	}
	if len(a.connections) < 2 {
		return
	}
	a.known = make([]float32, len(a.connections)*len(words))
	for at, id := range a.connections {
		for _, part := range idWords(id) {
			if i := slices.Index(words, part); i >= 0 {
				a.note(at, i, float32(v.rarity(part)))
			}
		}
	}
	var at []int
	for i := range r.parts {
		at = r.parts[i].know(&a, at[:0])
	}
	counts := a.counts()
	if slices.Min(counts) == 1 {
		return
	}
	for i := range r.parts {
		p := &r.parts[i]
		p.counts = make([]float32, len(p.s.meta.Connections))
		for c, id := range p.s.meta.Connections {
			p.counts[c] = 1
			if at := slices.Index(a.connections, id); at >= 0 {
				p.counts[c] = counts[at]
			}
		}
	}
}

// related returns a score of a document as much as its connection makes it count.
func (p *part) related(document uint32, score float32) float32 {
	if p.counts != nil {
		score *= p.counts[p.s.connection[document]]
	}
	return score
}

// idWords are the words that the id of a connection is made of.
func idWords(id string) []string {
	return strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return strings.ContainsRune("_-. ", r) })
}

// isConnection reports whether a word is one of the id of a connection.
func (x *Index) isConnection(word string) bool {
	return slices.ContainsFunc(x.segments, func(s *Segment) bool {
		return slices.ContainsFunc(s.meta.Connections, func(id string) bool { return slices.Contains(idWords(id), word) })
	})
}

// contribute adds the connections of the segment that are asked about and have data in it.
func (p *part) contribute(a *affinity) {
	if p.s.Count(Wiki) == len(p.s.flags) {
		return
	}
	for i, id := range p.s.meta.Connections {
		if id != "" && !strings.Contains(id, Several) && (p.connections == nil || p.connections[i]) && !slices.Contains(a.connections, id) {
			a.connections = append(a.connections, id)
		}
	}
}

// know notes the most that each word gives a document of a connection. Where a segment is
// of one connection, as those of a project are, that is the highest of the postings. at is
// working memory, which it returns.
func (p *part) know(a *affinity, at []int) []int {
	for _, id := range p.s.meta.Connections {
		at = append(at, slices.Index(a.connections, id))
	}
	for word := range p.groups {
		for i := range p.groups[word].cursors {
			c := &p.groups[word].cursors[i]
			if len(at) == 1 && p.s.Count(Wiki) == 0 {
				a.note(at[0], word, c.scale*float32(c.highest))
				continue
			}
			for n := range c.documents.len() {
				document := c.documents.at(n)
				if Kind(p.s.flags[document]&kindMask) != Wiki {
					a.note(at[p.s.connection[document]], word, c.scale*float32(c.impacts[n]))
				}
			}
		}
	}
	return at
}

// note notes what a word gives a document of a connection; one below 0 is not asked about.
func (a *affinity) note(connection, word int, v float32) {
	if connection >= 0 {
		at := connection*a.words + word
		a.known[at] = max(a.known[at], v)
	}
}

// counts returns what the documents of each connection count: 1 where it knows its share of
// the question, less the less it knows. A word that no connection knows is left out.
func (a *affinity) counts() []float32 {
	all, counts := float32(0), make([]float32, len(a.connections))
	for word := range a.words {
		best := float32(0)
		for i := range counts {
			v := a.known[i*a.words+word]
			best = max(best, v)
			counts[i] += v
		}
		all += best
	}
	for i, known := range counts {
		counts[i] = 1
		if known < leastRelated*all {
			counts[i] = unrelated + (1-unrelated)*known/(leastRelated*all)
		}
	}
	return counts
}
