package compile

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// A join can be declared to-one although a scan found several matching rows. Where only
// conditions use the joined row, a row of the home is counted once: if any matching row
// satisfies all of the conditions, or if none matches and the row of NULLs satisfies them. A
// dimension or a value of the joined row needs the join itself, which counts a row of the home
// once for each match; a note says so.

// someRow replaces the conditions that use such a join by one condition. Shape: nil = the
// rows must be joined, because something else uses the join, or because the conditions do not
// fit into one EXISTS.
func (s *rowset) someRow(g *together) (expression.Node, error) {
	if len(g.edges) > 0 || len(g.several) != 1 || s.joins(g.several[0]) || slices.ContainsFunc(g.all, besideRows) {
		return nil, nil
	}
	tried := s.clone()
	p := place{scope: s.c.scope(s.nodes[0].source, g.all), several: true}
	var terms []expression.Node
	for _, f := range g.all {
		term, err := tried.condition(f, p)
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
	}
	first := tried.first(p.scope)
	others := func(i int) bool {
		return i != first && tried.nodes[i].scope == p.scope && tried.outside(&tried.nodes[i])
	}
	for i := range tried.nodes {
		if first < 0 || others(i) {
			return nil, nil // rows of two joins: one may be there where the other is not
		}
	}
	beside, all := tried.besides(p.scope, expression.Conjuncts(expression.Conjoin(terms...)))
	term, err := tried.orNone(p.scope, first, all)
	if term == nil || err != nil {
		return nil, err
	}
	*s = *tried
	return expression.Check(expression.Disjoin(append(beside, term)...), ownType)
}

// besides splits a condition of terms joined by OR into the terms that do not use the joined
// row, and the rest. Several conditions are not split.
func (s *rowset) besides(scope int, all []expression.Node) (beside, rest []expression.Node) {
	or, ok := all[0].(*expression.Logic)
	if len(all) > 1 || !ok || or.Op != expression.Or {
		return nil, all
	}
	for _, t := range or.Terms {
		if expression.AnyColumn(t, s.within(scope)) {
			rest = append(rest, t)
		} else {
			beside = append(beside, t)
		}
	}
	return beside, []expression.Node{expression.Disjoin(rest...)}
}

// someRow does the same for a measure's own conditions, together with those of the request
// about the same row. An engine whose joins need dialect.Nullable supports one such condition.
func (br *branch) someRow(g *together) (expression.Node, error) {
	for _, o := range br.several {
		if !o.shares(g) {
			continue
		}
		if br.rows.c.has(dialect.Nullable) {
			return nil, nil
		}
		g.add(o)
	}
	return br.rows.someRow(g)
}

// joins reports whether the rows of a join are, or must be, joined.
func (s *rowset) joins(e *model.Edge) bool {
	return slices.Contains(s.c.joined, e) || slices.ContainsFunc(s.nodes, func(n row) bool { return n.step.Edge == e && n.scope == 0 })
}

// besideRows reports whether a condition uses more than fields of rows: quantifiers, or values
// per entity.
func besideRows(f formula) bool {
	if f.expr != nil {
		return false
	}
	return len(expression.Quantifieds(f.tree)) > 0 || slices.ContainsFunc(expression.Names(f.tree), func(n *expression.Name) bool { return entityOf(n) != nil })
}

// orNone returns the condition that a row of a scope satisfies conditions, or that the scope
// has no row and a row of NULLs satisfies them. Shape: nil = it is unknown whether a row of
// NULLs satisfies them.
func (s *rowset) orNone(scope, first int, conditions []expression.Node) (expression.Node, error) {
	here := s.within(scope)
	none, known := absent(expression.Conjoin(conditions...), here)
	if slices.ContainsFunc(conditions, func(t expression.Node) bool { return strictIn(t, here) }) {
		none, known = expression.Bool(false), true
	}
	if !known {
		return nil, nil
	}
	if conditions = s.exceptPresence(first, conditions); s.c.has(dialect.Nullable) && slices.ContainsFunc(conditions, func(t expression.Node) bool { return s.losesNull(scope, t) }) {
		return nil, nil
	}
	exists, err := s.exists(scope, conditions)
	if err != nil {
		return nil, err
	}
	literal, decided := none.(*expression.Literal)
	if decided && literal.Value != "true" {
		return exists, nil
	}
	key, err := s.field(first, s.nodes[first].step.Equal[0].To)
	if err != nil {
		return nil, err
	}
	there, err := s.exists(scope, []expression.Node{&expression.IsNull{X: key, Negated: true}})
	if err != nil {
		return nil, err
	}
	var alone expression.Node = &expression.Unary{Op: expression.Not, X: there}
	if !decided {
		alone = expression.Conjoin(alone, none)
	}
	return expression.Disjoin(exists, alone), nil
}

// exceptPresence returns the conditions without those that only test that the row exists:
// inside of an EXISTS it does.
func (s *rowset) exceptPresence(at int, conditions []expression.Node) (all []expression.Node) {
	on := expression.String(s.nodes[at].on)
	for _, t := range conditions {
		there, err := expression.Transform(t, func(n expression.Node) (expression.Node, error) {
			if c, ok := n.(*expression.Case); ok && c.Else == nil && len(c.Whens) == 1 && expression.String(c.Whens[0].Condition) == on {
				return c.Whens[0].Result, nil
			}
			return n, nil
		})
		if err != nil {
			panic(err) // the transformation has none
		}
		all = append(all, there)
	}
	return all
}

// absent evaluates a condition for a row whose columns are all NULL; known = false where only
// the engine can evaluate it.
func absent(n expression.Node, of func(*expression.Column) bool) (value expression.Node, known bool) {
	if !expression.AnyColumn(n, of) {
		return n, true
	}
	if strictIn(n, of) {
		return expression.Null(), true
	}
	switch n := n.(type) {
	case *expression.IsNull:
		return expression.Bool(!n.Negated), strictIn(n.X, of)
	case *expression.Logic:
		return absentTerms(n, of)
	}
	return nil, false
}

// absentTerms does the same for conditions joined by AND or OR. NULL counts as false.
func absentTerms(n *expression.Logic, of func(*expression.Column) bool) (expression.Node, bool) {
	deciding := n.Op == expression.Or // true decides OR, anything else AND
	var open []expression.Node
	for _, t := range n.Terms {
		value, known := absent(t, of)
		if !known {
			return nil, false
		}
		literal, decided := value.(*expression.Literal)
		switch {
		case !decided:
			open = append(open, value)
		case (literal.Value == "true") == deciding:
			return expression.Bool(deciding), true
		}
	}
	if len(open) == 0 {
		return expression.Bool(!deciding), true
	}
	if deciding {
		return expression.Disjoin(open...), true
	}
	return expression.Conjoin(open...), true
}

// strictIn reports whether an expression is NULL when some columns are.
func strictIn(n expression.Node, of func(*expression.Column) bool) bool {
	switch n := n.(type) {
	case *expression.Column:
		return of(n)
	case *expression.Unary, *expression.Between, *expression.In, *expression.Match, *expression.Cast, *expression.Typed, *expression.Form:
		return strictIn(expression.Children(n)[0], of)
	case *expression.Binary:
		nullSafe := n.Op == expression.Distinct || n.Op == expression.NotDistinct
		return !nullSafe && (strictIn(n.Left, of) || strictIn(n.Right, of))
	case *expression.Logic:
		return !slices.ContainsFunc(n.Terms, func(t expression.Node) bool { return !strictIn(t, of) })
	case *expression.Case: // of a row that is there, see ofRow
		return n.Else == nil && !slices.ContainsFunc(n.Whens, func(w expression.When) bool { return !strictIn(w.Condition, of) })
	}
	return false
}

// split returns a join that conditions use by an EXISTS although something else joins its
// rows: both mean the same row, so that the conditions must use the joined one.
func (s *rowset) split() *model.Edge {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.scope > 0 && !n.step.Down && n.step.Repeats && slices.ContainsFunc(s.nodes, func(o row) bool { return o.scope == 0 && o.step.Edge == n.step.Edge }) {
			return n.step.Edge
		}
	}
	return nil
}

// noteSeveral notes the joins that only conditions use and that have several matching rows.
func (s *rowset) noteSeveral() {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.scope > 0 && !n.step.Down && n.step.Repeats && s.outside(n) {
			home, to := s.c.m.Source(s.nodes[0].source).Name, s.c.m.Source(n.source).Name
			s.c.note(fmt.Sprintf("exists: a scan saw rows of %s lead to several rows of %s; a row of %s counts once, when one of these satisfies the filters", s.c.m.Source(n.step.From).Name, to, home))
		}
	}
}
