package compile

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// A join is said to lead to one row, and a scan saw it lead to several. Where conditions
// alone are about that row, a row of the home counts once, when some row that it leads to
// satisfies all of them, or the row of NULLs where it leads to none. A dimension or a value
// of that row needs the join, which counts a row once for each; notes tell of that.

// someRow makes one condition of those that take such a join. Shape: nil = the rows must
// be joined, for something else needs the join or the conditions need more of it.
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

// besides takes from the only condition what it holds by whatever the row is.
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

// someRow is that of a measure's own conditions: some row satisfies those of the request
// as well. An engine whose joins need dialect.Nullable takes one such condition.
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

// besideRows reports whether a condition is about more than fields of rows.
func besideRows(f formula) bool {
	if f.expr != nil {
		return false
	}
	return len(expression.Quantifieds(f.tree)) > 0 || slices.ContainsFunc(expression.Names(f.tree), func(n *expression.Name) bool { return entityOf(n) != nil })
}

// orNone is that some row of a scope satisfies conditions, or that there is none and a row
// of NULLs does. Shape: nil = what a row of NULLs does is not known.
func (s *rowset) orNone(scope, first int, conditions []expression.Node) (expression.Node, error) {
	here := s.within(scope)
	none, known := absent(expression.Conjoin(conditions...), here)
	if slices.ContainsFunc(conditions, func(t expression.Node) bool { return strictIn(t, here) }) {
		none, known = expression.Bool(false), true
	}
	if !known {
		return nil, nil
	}
	if conditions = s.thereIs(first, conditions); s.c.has(dialect.Nullable) && slices.ContainsFunc(conditions, func(t expression.Node) bool { return s.losesNull(scope, t) }) {
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

// thereIs leaves out of conditions that a row is there: those of an EXISTS are.
func (s *rowset) thereIs(at int, conditions []expression.Node) (all []expression.Node) {
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

// absent is a condition where all columns of a row are NULL; known = false where that
// cannot be told without the engine.
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

// absentTerms is absent of conditions joined by AND or OR. What is NULL does not hold.
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

// split returns a join that conditions take by an EXISTS and something else as it is:
// both are about the same row, which must be joined.
func (s *rowset) split() *model.Edge {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.scope > 0 && !n.step.Down && n.step.Repeats && slices.ContainsFunc(s.nodes, func(o row) bool { return o.scope == 0 && o.step.Edge == n.step.Edge }) {
			return n.step.Edge
		}
	}
	return nil
}

// tellSeveral notes the joins that conditions alone take, and that lead to several rows.
func (s *rowset) tellSeveral() {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.scope > 0 && !n.step.Down && n.step.Repeats && s.outside(n) {
			home, to := s.c.m.Source(s.nodes[0].source).Name, s.c.m.Source(n.source).Name
			s.c.note(fmt.Sprintf("exists: a scan saw rows of %s lead to several rows of %s; a row of %s counts once, when one of these satisfies the filters", s.c.m.Source(n.step.From).Name, to, home))
		}
	}
}
