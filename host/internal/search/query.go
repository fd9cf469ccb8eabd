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
	Connection string // as of the Document: "" for none, several joined by Several
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

	found candidate
	fused float64
}

// Result is a page.
type Result struct {
	Hits []Hit
	// Unknown are the words that nothing in the index matches.
	Unknown []string
}

// Search returns the best documents, best first.
// Shape: a document whose whole name is the question comes before all others.
// Those with fewer of its words are found where those with all of them do not
// fill the page. Equal ones are in the order of their kinds and ids. How the documents
// are shared out among segments changes nothing.
func (x *Index) Search(q Query) Result {
	question := x.analyzer.Expand(q.Text, vocabulary(x.segments))
	result := Result{Unknown: question.Unknown}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	r := x.plan(question, q, limit)
	if r.words == 0 {
		return result
	}
	r.each((*run).allWords)
	if r.found() < limit && r.words > 1 {
		r.each((*run).fewerWords)
	}
	hits := r.rank(q.Text)
	result.Hits = hits[:min(limit, len(hits))]
	for i := range result.Hits {
		result.Hits[i].explain()
	}
	return result
}

// plan looks up the question's terms and what may be returned.
func (x *Index) plan(question text.Query, q Query, limit int) *run {
	r := &run{asked: float32(len(question.Groups)), leaves: question.Parts > 1, parts: make([]part, len(x.segments))}
	for i := range r.tops {
		r.tops[i].limit = max(limit, depth)
		r.wanted[i] = len(q.Kinds) == 0 || slices.Contains(q.Kinds, Kind(i))
	}
	for i, s := range x.segments {
		r.parts[i] = part{s: s, groups: make([]group, 0, len(question.Groups)), connections: s.wanted(q.Connections)}
	}
	var scales []float32
	for _, g := range question.Groups {
		scales = vocabulary(x.segments).scales(g, scales[:0])
		found := false
		for i := range r.parts {
			p := &r.parts[i]
			p.groups = append(p.groups[:r.words], p.s.lookUp(g, scales, question.Names))
			found = found || len(p.groups[r.words].cursors) > 0
		}
		if found {
			r.words++
		}
	}
	for i := range r.parts {
		r.parts[i].groups = r.parts[i].groups[:r.words]
	}
	return r
}

// scales returns what an impact of 1 is worth in each alternative of a word.
func (v vocabulary) scales(g text.Group, out []float32) []float32 {
	for _, a := range g.Alternatives {
		rarity := 0.0
		for _, t := range a.Terms {
			rarity += v.rarity(t)
		}
		out = append(out, float32(a.Weight*rarity/float64(len(a.Terms))/maxImpact))
	}
	return out
}

// wanted returns which of the segment's connections are asked about; nil when
// they all are.
func (s *Segment) wanted(connections []string) []bool {
	if len(connections) == 0 {
		return nil
	}
	out := make([]bool, len(s.meta.Connections))
	for i, id := range s.meta.Connections {
		asked := func(one string) bool { return slices.Contains(connections, one) }
		out[i] = id == "" || slices.ContainsFunc(strings.Split(id, Several), asked)
	}
	return out
}

// rank orders what was found: the exact name first, then by the fusion of a
// document's place among all with its place within its kind.
func (r *run) rank(question string) []Hit {
	var hits []Hit
	for kind := range r.tops {
		for _, c := range r.tops[kind].items {
			if c.level == 0 && c.score < r.cut(Kind(kind)) {
				continue
			}
			s := c.part.s
			h := Hit{Kind: Kind(kind), Connection: s.meta.Connections[s.connection[c.document]], found: c}
			h.ID, h.Parent, h.Name = s.id(c.document)
			if (h.Parent == "" || r.named(h.Kind)) && isNamed(h.ID, question) {
				h.found.level = 2
			}
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.found.level, a.found.level), cmp.Compare(b.found.score, a.found.score), tie(&a, &b))
	})
	var within [kinds]int
	for i := range hits {
		within[hits[i].Kind]++
		hits[i].fused = 1/float64(fusionRank+1+i) + 1/float64(fusionRank+within[hits[i].Kind])
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.found.level, a.found.level), cmp.Compare(b.fused, a.fused), tie(&a, &b))
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
func (h *Hit) explain() {
	var shares [fields]float32
	for i := range h.found.part.groups {
		best, from := float32(0), -1
		var field Field
		cursors := h.found.part.groups[i].cursors
		for j := range cursors {
			c := &cursors[j]
			at, ok := slices.BinarySearch(c.documents, h.found.document)
			if !ok {
				continue
			}
			if v := c.scale * float32(c.impacts[at]); v > best {
				best, from, field = v, j, Field(c.sources[at]&fieldMask)
			}
		}
		if from >= 0 {
			shares[field] += best
			h.Terms = append(h.Terms, cursors[from].terms...)
		}
	}
	for f, share := range shares {
		if share > shares[h.MatchedOn] {
			h.MatchedOn = Field(f)
		}
	}
}
