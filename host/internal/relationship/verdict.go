package relationship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

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
// those whose score is near are asked as well, and those of the same schema when it is
// in another one, and it is accepted if it is clearly preferred to them.
func (f *finding) column(ctx context.Context, candidates []*candidate) error {
	var holding, unknown, doubtful []held
	for _, c := range candidates {
		link := c.link()
		if f.request.Decisions.rejected(link) {
			continue
		}
		if len(holding) > 0 && c.score < holding[0].candidate.score-margin && (c.abroad() || !holding[0].candidate.abroad()) {
			continue
		}
		r := Relationship{Link: link, Origin: Inferred, Status: Review, Score: c.score, Evidence: c.evidence}
		if lacks(c.child, c.parent) {
			r.Evidence.None = c.child.none
		}
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
	case c.alike && c.abroad():
		r.Status, r.Evidence.Reason = Review, "both tables are called alike, in different schemas, and each may count its own rows"
	case c.to.copies != nil && (c.from.copies == nil || c.from.digits != c.to.digits):
		r.Status, r.Evidence.Reason = Review, fmt.Sprintf("%s is one of %d tables that have the same columns", c.to.ref, len(c.to.copies)+1)
	}
}

// choose adds the parent of a column that is clearly preferred to the others, else
// all that are not, for a person to look at.
func (f *finding) choose(all []held) {
	worth := f.preferences(all)
	slices.SortStableFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(worth[b.candidate], worth[a.candidate]), better(a.candidate, b.candidate))
	})
	most := worth[all[0].candidate]
	all = slices.DeleteFunc(all, func(h held) bool { return most-worth[h.candidate] >= clear })
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
		f.result.Failed++
		e.Reason = "the validation failed: " + err.Error()
		return true, nil //nolint:nilerr // one failed query is part of the evidence
	}
	e.Checked, e.Missing, e.ValidatedAt = n.Checked, n.Missing, f.request.Now()
	if n.Checked == 0 {
		e.Reason = "the column holds no values"
		return true, nil
	}
	missing, checked := n.Missing, n.Checked
	if e.None != "" && missing > 0 && checked > 1 {
		missing, checked = missing-1, checked-1
	}
	e.Containment = float64(checked-missing) / float64(checked)
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
	case e.Containment >= fullyContained && (e.Surprise >= strongValues || e.Name >= fairName && e.Coverage >= strongValues):
		return Accepted, ""
	case e.Containment >= enoughContained && e.Surprise >= certain:
		return Accepted, ""
	case e.Containment >= fullyContained && e.Name >= leastName:
		return Review, "neither the name nor the values say enough"
	case e.Containment >= goodName && max(e.Name, e.Surprise) >= leastName, e.Containment >= contained && e.Name >= goodName:
		return Review, "some values are not in the table it would refer to"
	case e.Containment >= fullyContained:
		return Rejected, "neither the name nor the values say enough"
	}
	return Rejected, "most values are not in the table it would refer to"
}
