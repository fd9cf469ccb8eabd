package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// quantified is a condition on the related rows of each home row: some, none or each
// of them satisfy it.
type quantified struct {
	quantifier expression.Quantifier
	tree       expression.Node
	x          *scoped // as a home sees it
}

// quantifiedMark is the first part of a name that stands for a quantified condition.
const quantifiedMark = "\x00quantified"

// quantify returns the name of a quantified condition.
func (q *question) quantify(by expression.Quantifier, tree expression.Node) expression.Node {
	q.world.quantified = append(q.world.quantified, &quantified{quantifier: by, tree: tree})
	return &expression.Name{Parts: []string{quantifiedMark, strconv.Itoa(len(q.world.quantified) - 1)}}
}

// findQuantified is a quantified condition as a home sees it. It is about rows of which
// each row of the home has several.
func (w *world) findQuantified(home model.SourceID, number string) (place, error) {
	at, err := strconv.Atoi(number)
	if err != nil {
		return place{}, err
	}
	bound := *w.quantified[at]
	if bound.x, err = w.bind(home, bound.tree); err != nil {
		return place{}, err
	}
	branches := map[string]bool{}
	for _, p := range bound.x.places {
		if p.quantified != nil {
			return place{}, refuse(refusal.CodeFilter, "%s of what each row has one of", bound.quantifier)
		}
		if b := p.branch(); b != "" {
			branches[b] = true
		}
	}
	switch {
	case len(branches) == 0:
		return place{}, refuse(refusal.CodeFilter, "%s of rows of which there is one", bound.quantifier)
	case len(branches) > 1 && bound.quantifier == expression.EachRow:
		return place{}, refuse(refusal.CodeFilter, "all rows of two sources")
	}
	for _, term := range expression.Conjuncts(bound.x.tree) {
		if mixes(term, bound.x) {
			return place{}, refuse(refusal.CodeFilter, "a choice between rows")
		}
	}
	return place{quantified: &bound}, nil
}

// of reports whether the rows that are related to one satisfy the condition.
func (q *quantified) of(w *world, home row) bool {
	var need []place
	for _, p := range q.x.places {
		need = append(need, p)
	}
	some, each := false, true
	for _, c := range w.choices(home, need) {
		there := true
		for _, p := range need {
			there = there && c[p.branch()].at >= 0
		}
		if there {
			holds := w.compute(c, q.x) == true
			some, each = some || holds, each && holds
		}
	}
	switch q.quantifier {
	case expression.AnyRow:
		return some
	case expression.NoRow:
		return !some
	}
	return each
}

// mixes reports whether a condition chooses between or negates conditions on different
// rows, one of which may be missing while the other one is there.
func mixes(term expression.Node, s *scoped) bool {
	chooses := false
	expression.Walk(term, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Logic:
			chooses = chooses || n.Op == expression.Or
		case *expression.Unary:
			chooses = chooses || n.Op == expression.Not
		case *expression.Case:
			chooses = true
		}
		return true
	})
	branches := map[string]bool{}
	for _, n := range expression.Names(term) {
		branches[s.places[n.String()].branch()] = true
	}
	return chooses && len(branches) > 1
}

// unclear returns why conditions of the request that are about related rows, and are
// satisfied when some row satisfies all of them, would be read otherwise than written.
// A dimension that takes the same step down makes each of these rows a group, where
// they mean what they say.
func (v *view) unclear(all []*scoped, written int, dims []place) error {
	edges := func(s *scoped) (found []any) {
		for _, p := range s.places {
			if p.downs() > 0 {
				found = append(found, p.steps[0].Edge)
			}
		}
		return found
	}
	joined := map[any]bool{}
	for _, p := range dims {
		if p.downs() > 0 {
			joined[p.steps[0].Edge] = true
		}
	}
	for range all { // what shares a step with what is joined is joined
		for _, s := range all {
			if found := edges(s); slices.ContainsFunc(found, func(e any) bool { return joined[e] }) {
				for _, e := range found {
					joined[e] = true
				}
			}
		}
	}
	equal := map[string][]string{}
	for _, s := range all[:written] {
		found := edges(s)
		if len(found) == 0 || joined[found[0]] {
			continue
		}
		for _, term := range expression.Conjuncts(s.tree) {
			if why := v.misread(term, s, equal); why != "" {
				return refuse(refusal.CodeFilter, "%s", why)
			}
		}
	}
	return nil
}

// misread says why a condition that becomes an EXISTS would not mean what it says, "" =
// it does. equal are the values that fields were compared with so far.
func (v *view) misread(term expression.Node, s *scoped, equal map[string][]string) (why string) {
	if mixes(term, s) {
		return "a choice between rows"
	}
	expression.Walk(term, func(n expression.Node) bool {
		if not, ok := n.(*expression.Unary); ok && not.Op == expression.Not {
			why = "NOT of related rows"
		}
		return true
	})
	if null, ok := term.(*expression.IsNull); ok && !null.Negated {
		if name, ok := null.X.(*expression.Name); ok {
			p := s.places[name.String()]
			if downs := p.downs(); downs > 0 && downs == len(p.steps) && slices.Contains(v.world.model.Source(p.source).Grain, p.field) {
				return "a key that is NULL"
			}
		}
	}
	name, values := equality(term)
	if why != "" || name == nil {
		return why
	}
	p := s.places[name.String()]
	if p.downs() == 0 {
		return ""
	}
	var here []string
	for _, v := range values {
		literal, ok := v.(*expression.Literal)
		if !ok {
			return ""
		}
		here = append(here, strings.ToLower(literal.Value))
	}
	key := branchOf(p.steps) + fmt.Sprint(p.field)
	if before, ok := equal[key]; ok {
		if here = slices.DeleteFunc(here, func(v string) bool { return !slices.Contains(before, v) }); len(here) == 0 {
			return "equalities that exclude each other"
		}
	}
	equal[key] = here
	return ""
}

// equality are the values that a condition wants a name to be one of; nil = it is
// another condition.
func equality(term expression.Node) (name *expression.Name, values []expression.Node) {
	switch n := term.(type) {
	case *expression.Binary:
		if n.Op == expression.Equal {
			name, _ = n.Left.(*expression.Name)
			values = []expression.Node{n.Right}
		}
	case *expression.In:
		if !n.Negated {
			name, _ = n.X.(*expression.Name)
			values = n.List
		}
	case *expression.Logic: // of a list
		for _, t := range n.Terms {
			x, v := equality(t)
			if n.Op != expression.Or || x == nil || name != nil && x.String() != name.String() {
				return nil, nil
			}
			name, values = x, append(values, v...)
		}
	}
	return name, values
}
