package relationship

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	weightName, weightKey, weightSurprise = .55, .20, .25
	// least is the score of a candidate that is worth a query, and leastName that
	// of a name that says anything.
	least, leastName = .40, .5
	// perColumn is how many parents of one column are tried.
	perColumn = 3
	// contained is the least estimate of a candidate: with five in a hundred rows
	// orphaned more than half of a column's distinct values may be.
	contained = .4

	goodName, enoughContained = .85, .95
	fullyContained            = .99
	strongValues              = .5
)

// candidate is a link under consideration.
type candidate struct {
	from, to      *table
	column        int
	score         float64
	evidence      Evidence
	child, parent *column
}

func (c *candidate) link() Link {
	return Link{From: c.from.ref, Columns: []string{c.child.name}, To: c.to.ref, ToColumns: []string{c.parent.name}}
}

// candidates returns the links worth a query, best first.
func (w *warehouse) candidates(open func(sdk.TableRef, string) bool) []*candidate {
	index := w.index()
	var all []*candidate
	for _, from := range w.tables {
		for i := range from.columns {
			c := &from.columns[i]
			if c.class == noKey || c.measure || !open(from.ref, c.name) || w.ownKey(from, i) {
				continue
			}
			var found []*candidate
			for _, to := range index.parents(w, from, c) {
				if one := w.consider(from, i, to); one != nil {
					found = append(found, one)
				}
			}
			slices.SortStableFunc(found, better)
			all = append(all, found[:min(perColumn, len(found))]...)
		}
	}
	slices.SortStableFunc(all, better)
	return all
}

func better(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.evidence.Name, a.evidence.Name))
}

// ownKey reports whether a column is its table's key and named so: what others
// refer to.
func (w *warehouse) ownKey(t *table, i int) bool {
	c := &t.columns[i]
	return i == t.key && (len(c.core) == 0 || w.match(c.core, t.words) > 0)
}

// parentIndex finds the tables that a name may refer to by the first letters of
// any of their words; under one letter and "*" are those for a word whose
// vowels were left out.
type parentIndex map[string][]*table

const initials = 3

func (w *warehouse) index() parentIndex {
	index := parentIndex{}
	for _, t := range w.tables {
		if t.key < 0 {
			continue
		}
		seen := map[string]bool{}
		for _, word := range append(slices.Clone(t.words), t.columns[t.key].core...) {
			for _, one := range append([]string{word}, w.expand(word)...) {
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
		for _, one := range append([]string{word}, w.expand(word)...) {
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
	name := w.name(from, child, to)
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
	e.Surprise = surprise(child, parent)
	score := weightName*e.Name + weightKey*e.Key + weightSurprise*e.Surprise*max(0, e.Containment)
	if score < least {
		return nil
	}
	return &candidate{from: from, to: to, column: i, score: score, evidence: e, child: child, parent: parent}
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

// validate asks the warehouse about the candidates, best first, one parent of a
// column after the other until one holds.
func (f *finding) validate(ctx context.Context, candidates []*candidate) error {
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return err
		}
		link := c.link()
		if !f.open(c.from.ref, c.child.name) || f.Decisions.rejected(link) {
			continue
		}
		r := Relationship{Link: link, Origin: Inferred, Status: Review, Score: c.score, Evidence: c.evidence}
		if c.child.empty() {
			r.Evidence.Reason = "the column holds no values"
		} else if done, err := f.check(ctx, Candidate{Link: link, Unique: c.parent.unique() || c.parent.declaredKey}, &r); err != nil {
			return err
		} else if !done {
			continue
		}
		if r.Status == Rejected {
			f.result.Refuted = append(f.result.Refuted, r)
			continue
		}
		f.taken[child(c.from.ref, c.child.name)] = true
		f.add(r)
	}
	return nil
}

// check validates a link and decides on it; false when the budget leaves it out.
// Errors: those of ctx.
func (f *finding) check(ctx context.Context, c Candidate, r *Relationship) (done bool, err error) {
	e := &r.Evidence
	if known, ok := f.earlier[c.key()]; ok {
		score := r.Score
		*r = known
		r.Score = score
		return true, nil
	}
	if f.Validate == nil {
		e.Reason = "nothing was validated"
		return true, nil
	}
	if f.left == 0 {
		f.result.Unchecked++
		return false, nil
	}
	n, err := f.Validate(ctx, c)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if errors.Is(err, ErrEnough) {
		f.left = 0
		f.result.Unchecked++
		return false, nil
	}
	f.left--
	f.result.Validations++
	if err != nil {
		e.Reason = "the validation failed: " + err.Error()
		return true, nil //nolint:nilerr // one failed query is part of the evidence
	}
	e.Checked, e.Missing, e.ValidatedAt = n.Checked, n.Missing, f.Now()
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
