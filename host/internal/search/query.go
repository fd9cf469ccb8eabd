package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// Query asks for a page of documents.
type Query struct {
	Text        string
	Kinds       []Kind   // none = all
	Connections []string // none = all, and what belongs to no connection; else only theirs and what belongs to none
	Limit       int      // 0 = 15
}

// Hit is a document that was found.
type Hit struct {
	Kind       Kind
	ID         string
	Connection string
	// Name is what the document adds to its parent's ID, a column's own name; the
	// ID where it has no parent.
	Name string
	// Parent is the ID of the document that it belongs to, a column's table; "" for none.
	Parent string
	// Score is the fused score divided by the best one, in thousandths: a rank,
	// not a probability.
	Score float64
	// MatchedOn is the field with the largest share of the score.
	MatchedOn Field
	// Terms are the terms that matched, for finding the place in a text.
	Terms []string

	document uint32
	score    float32
	level    int8
	fused    float64
}

// Result is a page.
type Result struct {
	Hits []Hit
	// Unknown are the words that nothing in the segment matches.
	Unknown []string
}

// Search returns the best documents, best first.
// Shape: a document whose whole name is the question comes before all others;
// then those with all its words; where those do not fill the page, those with
// fewer. Equal ones are in the order of their kinds and ids.
func (s *Segment) Search(q Query) Result {
	question := s.analyzer.Expand(q.Text, vocabulary{s})
	r := Result{Unknown: question.Unknown}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	run := s.plan(question, q, limit)
	if len(run.groups) == 0 {
		return r
	}
	run.allWords()
	if run.found() < limit && len(run.groups) > 1 {
		run.fewerWords()
	}
	hits := run.rank(q.Text)
	r.Hits = hits[:min(limit, len(hits))]
	for i := range r.Hits {
		run.explain(&r.Hits[i])
	}
	return r
}

// plan looks up the question's terms and what may be returned.
func (s *Segment) plan(question text.Query, q Query, limit int) *run {
	r := &run{s: s, asked: float32(len(question.Groups)), leaves: question.Parts > 1}
	for i := range r.tops {
		r.tops[i].limit = max(limit, depth)
		r.wanted[i] = len(q.Kinds) == 0 || slices.Contains(q.Kinds, Kind(i))
	}
	if len(q.Connections) > 0 {
		r.connections = make([]bool, len(s.meta.Connections))
		for i, id := range s.meta.Connections {
			r.connections[i] = id == "" || slices.Contains(q.Connections, id)
		}
	}
	for _, g := range question.Groups {
		if looked := s.lookUp(g, question.Names); len(looked.cursors) > 0 {
			r.groups = append(r.groups, looked)
		}
	}
	return r
}

// rank orders what was found: the exact name first, then by the fusion of a
// document's place among all with its place within its kind.
func (r *run) rank(question string) []Hit {
	var hits []Hit
	for kind := range r.tops {
		for _, c := range r.tops[kind].items {
			if c.score < leastShare*r.best {
				continue
			}
			h := Hit{Kind: Kind(kind), document: c.document, score: c.score, level: c.level}
			h.ID, h.Parent, h.Name = r.s.id(c.document)
			h.Connection = r.s.meta.Connections[r.s.connection[c.document]]
			if (r.leaves || r.s.parent[c.document] == none) && isNamed(h.ID, question) {
				h.level = 2
			}
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.score, a.score), tie(&a, &b))
	})
	var within [kinds]int
	for i := range hits {
		within[hits[i].Kind]++
		hits[i].fused = 1/float64(fusionRank+1+i) + 1/float64(fusionRank+within[hits[i].Kind])
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.fused, a.fused), tie(&a, &b))
	})
	last := 1.0
	for i := range hits {
		// An exact name may stand before a higher fused score: scores never rise.
		last = min(last, math.Round(1000*hits[i].fused/hits[0].fused)/1000)
		hits[i].Score = last
	}
	return hits
}

func tie(a, b *Hit) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Connection, b.Connection))
}

// isNamed reports whether an id is what was asked for, or ends with it.
func isNamed(id, question string) bool {
	question = strings.TrimSpace(question)
	if len(question) == 0 || len(id) < len(question) {
		return false
	}
	rest := id[:len(id)-len(question)]
	return strings.EqualFold(id[len(rest):], question) && (rest == "" || strings.HasSuffix(rest, "."))
}

// explain says in which field a document was found, and by which terms.
func (r *run) explain(h *Hit) {
	var shares [fields]float32
	for i := range r.groups {
		best, from := float32(0), -1
		var field Field
		for j := range r.groups[i].cursors {
			c := &r.groups[i].cursors[j]
			at, ok := slices.BinarySearch(c.documents, h.document)
			if !ok {
				continue
			}
			if v := c.scale * float32(c.impacts[at]); v > best {
				best, from, field = v, j, Field(c.sources[at]&fieldMask)
			}
		}
		if from >= 0 {
			shares[field] += best
			h.Terms = append(h.Terms, r.groups[i].cursors[from].terms...)
		}
	}
	for f, share := range shares {
		if share > shares[h.MatchedOn] {
			h.MatchedOn = Field(f)
		}
	}
}
