package relationship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	weightName, weightKey, weightSurprise = .55, .20, .25
	// least is the score of a candidate that is worth a query, and leastName that
	// of a name that says anything.
	least, leastName = .40, .5
	// perColumn is how many parents of one column are asked at most, and margin how
	// far a parent's score may be below that of one that holds to be asked as well.
	perColumn, margin = 4, .2
	// contained is the least estimate of a candidate: with five in a hundred rows
	// orphaned more than half of a column's distinct values may be.
	contained = .4

	goodName, enoughContained = .85, .95
	fullyContained            = .99
	strongValues              = .5
	// sureName is the name that makes a table's own key refer to another's.
	sureName = .95
	// clear is how far the preference for one parent must be above that for another
	// that holds as well. near is worth a parent in the same schema, stale takes off
	// what is called a copy, and valuesSay what coverage and surprise are worth.
	clear, near, stale, valuesSay = .08, .15, .2, .1
)

// candidate is a link under consideration.
type candidate struct {
	from, to      *table
	score         float64
	evidence      Evidence
	child, parent *column
}

func (c *candidate) link() Link {
	return Link{From: c.from.ref, Columns: []string{c.child.name}, To: c.to.ref, ToColumns: []string{c.parent.name}}
}

// candidates returns the links worth a query: those of a column together, the best
// first, and the columns in turns of their tables, so that no table waits for all
// columns of another one.
func (w *warehouse) candidates(open func(sdk.TableRef, string) bool) [][]*candidate {
	index := w.index()
	type turn struct {
		nth int
		all []*candidate
	}
	var turns []turn
	for _, from := range w.tables {
		if from.first != nil {
			continue // a copy: the first one is asked
		}
		var columns [][]*candidate
		for i := range from.columns {
			c := &from.columns[i]
			if c.class == noKey || c.measure || c.empty() || !open(from.ref, c.name) || w.ownKey(from, i) {
				continue
			}
			var found []*candidate
			for _, to := range index.parents(w, from, c) {
				if one := w.consider(from, i, to); one != nil {
					found = append(found, one)
				}
			}
			slices.SortStableFunc(found, better)
			if found = found[:min(perColumn, len(found))]; len(found) > 0 {
				columns = append(columns, found)
			}
		}
		slices.SortStableFunc(columns, func(a, b []*candidate) int { return better(a[0], b[0]) })
		for n, all := range columns {
			turns = append(turns, turn{n, all})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Or(a.nth-b.nth, better(a.all[0], b.all[0])) })
	all := make([][]*candidate, len(turns))
	for i := range turns {
		all[i] = turns[i].all
	}
	return all
}

func better(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.evidence.Name, a.evidence.Name))
}

// ownKey reports whether a column is its table's key and named so: what others
// refer to.
func (w *warehouse) ownKey(t *table, i int) bool {
	c := &t.columns[i]
	return i == t.key && (len(c.core) == 0 || w.namer.match(c.core, t.words) > 0)
}

// parentIndex finds the tables that a name may refer to by the first letters of
// any of their words; under one letter and "*" are those for a word whose
// vowels were left out.
type parentIndex map[string][]*table

const initials = 3

func (w *warehouse) index() parentIndex {
	index := parentIndex{}
	for _, t := range w.tables {
		if t.key < 0 || t.first != nil {
			continue
		}
		seen := map[string]bool{}
		for _, word := range append(slices.Clone(t.words), t.columns[t.key].core...) {
			for _, one := range append([]string{word}, w.namer.expand(word)...) {
				for _, at := range []string{one[:min(initials, len(one))], one[:1] + "*"} {
					if !seen[at] {
						seen[at] = true
						index[at] = append(index[at], t)
					}
				}
			}
		}
	}
	return index
}

// parents returns the tables with a key that a column may refer to, each once.
func (x parentIndex) parents(w *warehouse, from *table, c *column) []*table {
	var found []*table
	seen := map[*table]bool{}
	add := func(tables ...*table) {
		for _, t := range tables {
			if !seen[t] {
				seen[t] = true
				found = append(found, t)
			}
		}
	}
	for _, word := range c.core {
		for _, one := range append([]string{word}, w.namer.expand(word)...) {
			add(x[one[:min(initials, len(one))]]...)
		}
		if text.Skeleton(word) {
			add(x[word[:1]+"*"]...)
		}
	}
	if from.key >= 0 {
		add(from)
	}
	return found
}

// consider scores a link; nil when it is not worth a query.
func (w *warehouse) consider(from *table, i int, to *table) *candidate {
	child, parent := &from.columns[i], &to.columns[to.key]
	if child.class != parent.class || child == parent {
		return nil
	}
	name := w.namer.name(from, child, to)
	if name < leastName {
		return nil
	}
	if child.ranged && parent.ranged && (child.high < parent.low || child.low > parent.high) {
		return nil
	}
	e := Evidence{Name: name, Key: keyLike(child), Containment: containment(child, parent), Coverage: coverage(child, parent)}
	if e.Containment >= 0 && e.Containment < contained {
		return nil
	}
	if i == from.key && child.unique() && name < sureName {
		return nil // a table's own key refers to another's only where it is named after it
	}
	e.Surprise = surprise(child, parent)
	score := weightName*e.Name + weightKey*e.Key + weightSurprise*e.Surprise*max(0, e.Containment)
	if score < least {
		return nil
	}
	return &candidate{from: from, to: to, score: score, evidence: e, child: child, parent: parent}
}

// counts reports whether a column looks as if it counted within something: it is
// called a number, and holds the first few numbers of a parent that has them all.
func (c *candidate) counts() bool {
	last := c.child.last
	return ordinals[last] && c.child.ranged && c.parent.ranged && c.evidence.Coverage < .5 &&
		c.child.low <= c.parent.low+1 && c.child.dense() >= .9 && c.parent.dense() >= .9
}

// keyLike is how much a column looks as if it referred to something.
func keyLike(c *column) float64 {
	score := .5
	if c.keyed {
		score = 1
	}
	if c.class == texts && c.length > 36 {
		score /= 2
	}
	return score
}

// preference is how much speaks for one parent of a column before another one that
// holds as well.
func (c *candidate) preference() float64 {
	p := c.evidence.Name + valuesSay*(max(0, c.evidence.Coverage)+c.evidence.Surprise)
	if c.from.ref.Catalog == c.to.ref.Catalog && c.from.ref.Schema == c.to.ref.Schema {
		p += near
	}
	if c.to.copied && !c.from.copied {
		p -= stale
	}
	return p
}

// validate asks the warehouse about the candidates of each column: first about
// those that nobody ever asked about.
func (f *finding) validate(ctx context.Context, columns [][]*candidate) error {
	asked := func(all []*candidate) int {
		if _, ok := f.earlier[all[0].link().key()]; ok {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(columns, func(a, b []*candidate) int { return asked(a) - asked(b) })
	for _, candidates := range columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !f.open(candidates[0].from.ref, candidates[0].child.name) {
			continue
		}
		if err := f.column(ctx, candidates); err != nil {
			return err
		}
	}
	return nil
}

// held is a candidate that holds, or may.
type held struct {
	candidate    *candidate
	relationship Relationship
}

// column asks about the parents of one column. The first that holds does not win:
// those whose score is near are asked as well, and it is accepted if it is clearly
// preferred to them.
func (f *finding) column(ctx context.Context, candidates []*candidate) error {
	var holding, unknown, doubtful []held
	for _, c := range candidates {
		link := c.link()
		if f.request.Decisions.rejected(link) {
			continue
		}
		if len(holding) > 0 && c.score < holding[0].candidate.score-margin {
			break
		}
		r := Relationship{Link: link, Origin: Inferred, Status: Review, Score: c.score, Evidence: c.evidence}
		done, err := f.check(ctx, Candidate{Link: link, Unique: c.parent.unique() || c.parent.declaredKey}, &r)
		if err != nil || !done { // one that was not asked about may be the better one
			return err
		}
		c.doubt(&r)
		switch {
		case r.Status == Accepted:
			holding = append(holding, held{c, r})
		case r.Status == Rejected:
			f.result.Refuted = append(f.result.Refuted, r)
		case r.Evidence.ValidatedAt.IsZero():
			unknown = append(unknown, held{c, r})
		default:
			doubtful = append(doubtful, held{c, r})
		}
	}
	switch {
	case len(holding) > 0:
		f.choose(append(holding, unknown...))
	case len(doubtful) > 0:
		f.add(doubtful[0].relationship)
	case len(unknown) > 0:
		f.add(unknown[0].relationship)
	default:
		return nil
	}
	f.taken[child(candidates[0].from.ref, candidates[0].child.name)] = true
	return nil
}

// doubt has a person look at a link that holds, where that says little.
func (c *candidate) doubt(r *Relationship) {
	if r.Status != Accepted {
		return
	}
	switch {
	case c.counts():
		r.Status, r.Evidence.Reason = Review, "its numbers are the first ones, as those of a position are"
	case c.to.copies != nil && (c.from.copies == nil || c.from.digits != c.to.digits):
		r.Status, r.Evidence.Reason = Review, fmt.Sprintf("%s is one of %d tables that have the same columns", c.to.ref, len(c.to.copies)+1)
	}
}

// choose adds the parent of a column that is clearly preferred to the others, else
// all that are not, for a person to look at.
func (f *finding) choose(all []held) {
	slices.SortStableFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(b.candidate.preference(), a.candidate.preference()), better(a.candidate, b.candidate))
	})
	all = slices.DeleteFunc(all, func(h held) bool { return all[0].candidate.preference()-h.candidate.preference() >= clear })
	for i, h := range all {
		r := h.relationship
		for j, o := range all {
			if i != j {
				r.Evidence.Rivals = append(r.Evidence.Rivals, o.candidate.link())
			}
		}
		if r.Status == Accepted && len(all) > 1 {
			r.Status, r.Evidence.Reason = Review, rivalled(r.Evidence.Rivals)
		}
		f.add(r)
	}
}

// check validates a link and decides on it; false when Validate had enough before.
// Errors: those of ctx.
func (f *finding) check(ctx context.Context, c Candidate, r *Relationship) (done bool, err error) {
	e := &r.Evidence
	known, ok := f.earlier[c.key()]
	recall := func() (bool, error) {
		score := r.Score
		*r = known.Relationship
		r.Score = score
		return true, nil
	}
	if known.fresh {
		return recall()
	}
	if f.request.Validate == nil {
		e.Reason = "nothing was validated"
		return true, nil
	}
	n := Check{}
	if !f.enough {
		n, err = f.request.Validate(ctx, c)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		f.enough = errors.Is(err, ErrEnough)
	}
	switch {
	case f.enough && ok:
		return recall()
	case f.enough:
		f.result.Unchecked++
		return false, nil
	}
	f.result.Validations++
	if err != nil {
		e.Reason = "the validation failed: " + err.Error()
		return true, nil //nolint:nilerr // one failed query is part of the evidence
	}
	e.Checked, e.Missing, e.ValidatedAt = n.Checked, n.Missing, f.request.Now()
	if n.Checked == 0 {
		e.Reason = "the column holds no values"
		return true, nil
	}
	e.Containment = float64(n.Checked-n.Missing) / float64(n.Checked)
	r.Status, e.Reason = decide(*e, n.Duplicates)
	return true, nil
}

// decide says what evidence is enough for.
func decide(e Evidence, duplicates int64) (Status, string) {
	switch {
	case duplicates > 0:
		return Rejected, "the columns it refers to are not unique"
	case e.Name >= goodName && e.Containment >= enoughContained:
		return Accepted, ""
	case e.Containment >= fullyContained && max(e.Coverage, e.Surprise) >= strongValues:
		return Accepted, ""
	case e.Containment >= fullyContained:
		return Review, "neither the name nor the values say enough"
	case e.Containment >= goodName && e.Name >= leastName, e.Containment >= contained && e.Name >= goodName:
		return Review, "some values are not in the table it would refer to"
	}
	return Rejected, "most values are not in the table it would refer to"
}
