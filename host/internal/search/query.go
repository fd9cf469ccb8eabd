package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
)

// Query asks for a page of documents.
type Query struct {
	Text        string
	Kinds       []Kind   // none = all
	Connections []string // whose documents are searched, beside those without a connection; none = all
	Limit       int      // 0 = 15
	// Depth is how many documents are ranked to fill a page of Limit when Keep refuses some; less than Limit = Limit.
	Depth int
	// Keep reports whether a document is on the page. It is called for the ranked documents, best first, until the page is
	// full; nil = all are.
	Keep func(Ranked) bool
	Use  *Use // nil = no document was used
	// Worth returns the weight of a document that is no table and no column; nil = equal weights. It is called for
	// candidates of the page.
	Worth func(Used) Worth
}

// Hit is a document in a result.
type Hit struct {
	Kind       Kind
	ID         string
	Connection string // as in Document: "" for none, several joined by Several
	// Name is the part of the ID after the parent's, such as a column's name; the ID without a parent.
	Name string
	// Parent is the ID of the parent document, such as a column's table, or "".
	Parent string
	// Score is the fused score divided by the best one, in thousandths: a rank,
	// not a probability.
	Score float64
	// MatchedOn is the field with the largest share of the score.
	MatchedOn Field
	// Partial: it matches only some of the words, or synonyms, and is returned because too few documents match more.
	Partial bool
	// Terms are the matched terms, for finding their place in a text.
	Terms []string

	at location
}

// Ranked is a document that may be on the page.
// Shape: Root is the ID of its parent, or of itself without one; Name is as in Hit. Both are valid while the index is open.
type Ranked struct {
	Kind                   Kind
	Connection, Root, Name string
}

// location is the place of a document in the index.
type location struct {
	s        *Segment
	document uint32
}

func locate(c candidate) location { return location{c.part.s, c.document} }

// Result is a page.
type Result struct {
	Hits []Hit
	// Ranked is the number of documents that were ranked, at most Depth: those of Hits and those that Keep refused.
	Ranked int
	// Unknown are the words that match neither the index nor the id of a connection.
	Unknown []string
}

// Search returns the best documents, best first.
// Shape: documents whose name equals the question come first. Documents with only some of the words are returned if
// those with all of them do not fill the page, synonyms if no document has all words. Equal scores are ordered by kind
// and id. The distribution of documents over segments does not matter.
func (x *Index) Search(q Query) Result { return x.Question(q.Text).Search(q) }

// Question is a text whose words were looked up in an index, for several searches with it.
// Concurrency: any number of goroutines, until the index is closed.
type Question struct {
	index *Index
	text  string
	words words
}

// Question returns a question to the index. It looks its words up when it is first searched for.
func (x *Index) Question(question string) *Question {
	return &Question{x, question, x.words(question)}
}

// Search is Index.Search with this text in place of that of the query.
func (a *Question) Search(q Query) Result {
	return a.search(q, (*run).allWords, (*run).fewerWords)
}

// search answers with two passes over a segment: for what has all words, and any.
func (a *Question) search(q Query, all, any func(*run)) Result {
	q.Text = a.text
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	q.Depth = max(q.Depth, q.Limit)
	x, words := a.index, &a.words
	question := words.own()
	if len(question.Unknown) > 0 && len(words.others().Unknown) < len(question.Unknown) {
		question = words.others()
	}
	r := x.plan(question, q)
	defer func() { r.release() }()
	r.each(all)
	if r.found() == 0 && words.more(question) {
		question = words.others()
		r.release()
		r = x.plan(question, q)
		r.each(all)
	}
	if r.found() < q.Depth && r.words > 1 {
		r.each(any)
	}
	result := Result{Unknown: slices.DeleteFunc(slices.Clone(question.Unknown), x.isConnection)}
	found := r.rank(&q)
	found = found[:min(q.Depth, len(found))]
	result.add(found, &q)
	if len(result.Hits) < q.Limit && result.Ranked < q.Depth && words.more(question) {
		broad := x.plan(words.others(), q)
		defer broad.release()
		broad.each(any)
		result.fill(found, broad.rank(&q), &q)
	}
	return result
}

// words are the two ways to read a question, each made when it is asked for: in its own
// words, and with others for them.
type words struct{ own, others func() text.Query }

func (x *Index) words(question string) words {
	v := vocabulary(x.segments)
	return words{
		own:    sync.OnceValue(func() text.Query { return x.analyzer.Expand(question, v) }),
		others: sync.OnceValue(func() text.Query { return x.analyzer.Broaden(question, v) }),
	}
}

// more reports whether other words add something to a question as it was read.
func (w *words) more(question text.Query) bool {
	return w.others().Alternatives() > question.Alternatives()
}

// add adds the best of what was ranked, and of these to the page what is kept.
func (r *Result) add(all []ranked, q *Query) {
	n := min(q.Depth-r.Ranked, len(all))
	r.Ranked += n
	for i := range all[:n] {
		if len(r.Hits) == q.Limit {
			return
		}
		if q.Keep == nil || q.Keep(all[i].about()) {
			r.Hits = append(r.Hits, all[i].hit())
		}
	}
}

// fill goes on with what has other words for those of a question, where its own do not
// find enough.
func (r *Result) fill(had, broad []ranked, q *Query) {
	last, known := 1.0, make(map[location]bool, len(had))
	for i := range had {
		last = had[i].score
		known[locate(had[i].candidate)] = true
	}
	all := slices.DeleteFunc(broad, func(one ranked) bool { return known[locate(one.candidate)] })
	for i := range all {
		all[i].partial, all[i].score = true, math.Round(1000*last*all[i].score)/1000
	}
	r.add(all, q)
}

// plan looks up the question's terms and what may be returned.
func (x *Index) plan(question text.Query, q Query) *run {
	r := &run{room: rooms.Get().(*room), asked: float32(len(question.Groups)), leaves: question.Parts > 1, targets: x.targets, parts: make([]part, len(x.segments))}
	for i := range r.tops {
		r.tops[i].limit, r.tops[i].items = max(q.Depth, depth), r.room.tops[i]
		r.wanted[i] = len(q.Kinds) == 0 || slices.Contains(q.Kinds, Kind(i))
	}
	for i, s := range x.segments {
		r.parts[i] = part{s: s, groups: make([]group, 0, len(question.Groups)), connections: s.wanted(q.Connections), used: s.used(q.Use)}
	}
	var scales []float32
	words := make([]string, 0, len(question.Groups)+len(question.Unknown))
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
			words = append(words, g.Word)
		}
	}
	for i := range r.parts {
		r.parts[i].groups = r.parts[i].groups[:r.words]
	}
	r.relate(append(words, question.Unknown...), vocabulary(x.segments))
	return r
}

// scales returns what an impact of 1 is worth in each alternative of a word.
func (v vocabulary) scales(g text.Group, out []float32) []float32 {
	own := math.Inf(1)
	if v.Count(g.Word) > 0 {
		own = v.rarity(g.Word)
	}
	for _, a := range g.Alternatives {
		rarity := 0.0
		for _, t := range a.Terms {
			rarity += v.rarity(t)
		}
		rarity /= float64(len(a.Terms))
		if a.Other {
			rarity = min(rarity, own)
		}
		out = append(out, float32(a.Weight*rarity/maxImpact))
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

// ranked is a candidate with its place on the page.
type ranked struct {
	candidate
	kind    Kind
	partial bool
	behind  bool    // what is there says it already, but for a little
	share   float64 // of the fused score that counts
	fused   float64
	score   float64
}

// rank orders what was found: the exact name first, then by the fusion of a
// document's place among all with its place within its kind, and last what is below the
// cut.
func (r *run) rank(q *Query) []ranked {
	question := strings.TrimSpace(q.Text)
	r.widen()
	all := r.room.ranked
	for kind := range r.tops {
		for _, c := range r.tops[kind].best() {
			one := ranked{candidate: c, kind: Kind(kind), share: 1}
			if r.leftOut(c, Kind(kind)) {
				continue
			}
			if c.level == 0 && c.score < r.cut(Kind(kind)) {
				one.level, one.partial = -1, true
			}
			if s := c.part.s; (s.parent[c.document] == none || r.named(Kind(kind))) && s.isNamed(c.document, question) {
				one.level = 2
			}
			if q.Worth != nil {
				one.weigh(q.Worth)
			}
			all = append(all, one)
		}
	}
	r.room.ranked = all
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.candidate.score, a.candidate.score), a.tie(&b))
	})
	var within [kinds]int
	for i := range all {
		one := &all[i]
		within[one.kind]++
		one.fused = one.share * (1/float64(fusionRank+1+i) + 1/float64(fusionRank+within[one.kind]))
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.fused, a.fused), a.tie(&b))
	})
	spread(all, r.room.columns)
	last := 1.0
	for i := range all {
		// An exact name may stand before a higher fused score: scores never rise.
		last = min(last, math.Round(1000*all[i].fused/all[0].fused)/1000)
		all[i].score = last
	}
	return all
}

// tie orders equal ones by their kinds and ids.
func (a *ranked) tie(b *ranked) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	s, t := a.part.s, b.part.s
	order := strings.Compare(a.id, b.id)
	if order == 0 {
		order = compareRoots(s, s.root(a.document), t, t.root(b.document))
	}
	if order == 0 && s.parent[a.document] != none && t.parent[b.document] != none {
		order = strings.Compare(s.labels.View(s.label[a.document]), t.labels.View(t.label[b.document]))
	}
	return order
}

// isNamed reports whether a document's id is what was asked for, or ends with it.
func (s *Segment) isNamed(document uint32, question string) bool {
	name := s.labels.View(s.label[document])
	if question == "" {
		return false
	}
	if len(name) >= len(question) || s.parent[document] == none {
		return endsWith(name, question)
	}
	rest, ok := strings.CutSuffix(question[:len(question)-len(name)], ".")
	return ok && strings.EqualFold(question[len(question)-len(name):], name) && endsWith(s.labels.View(s.label[s.parent[document]]), rest)
}

// endsWith reports whether an id is a name, or ends with it.
func endsWith(id, name string) bool {
	if len(id) < len(name) {
		return false
	}
	rest := id[:len(id)-len(name)]
	return strings.EqualFold(id[len(rest):], name) && (rest == "" || strings.HasSuffix(rest, "."))
}

// about says which document it is, without a copy of its names.
func (a *ranked) about() Ranked {
	s := a.part.s
	return Ranked{a.kind, s.meta.Connections[s.connection[a.document]], s.labels.View(s.label[s.root(a.document)]), s.labels.View(s.label[a.document])}
}

// hit says what was found, and in which field by which terms.
func (a *ranked) hit() Hit {
	s := a.part.s
	h := Hit{Kind: a.kind, Connection: s.meta.Connections[s.connection[a.document]], Score: a.score, Partial: a.partial, at: locate(a.candidate)}
	h.ID, h.Parent, h.Name = s.id(a.document)
	var shares [fields]float32
	for i := range a.part.groups {
		best, from := float32(0), -1
		var field Field
		cursors := a.part.groups[i].cursors
		for j := range cursors {
			c := &cursors[j]
			at, ok := c.documents.search(a.document)
			if !ok || c.passes(at) {
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
	return h
}
