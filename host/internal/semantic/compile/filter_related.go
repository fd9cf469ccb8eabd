package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// related replaces any(…), none(…) and all(…) by EXISTS and NOT EXISTS conditions.
func (s *rowset) related(tree expression.Node) (expression.Node, error) {
	return expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		q, ok := n.(*expression.Quantified)
		if !ok {
			return n, nil
		}
		p := place{down: true, scope: s.c.scope(s.nodes[0].source, []formula{{tree: q}})}
		x, err := s.substitute(q.X, p)
		if err != nil {
			return nil, err
		}
		conditions := expression.Conjuncts(x)
		if q.Quantifier == expression.EachRow {
			conditions = []expression.Node{untrue(x)}
		}
		exists, err := s.exists(p.scope, conditions)
		if err != nil {
			return nil, err
		}
		s.noteQuantified(p.scope, q)
		if q.Quantifier == expression.AnyRow {
			return exists, nil
		}
		return expression.Check(&expression.Unary{Op: expression.Not, X: exists}, ownType)
	})
}

// untrue returns the condition that is true where another one is false or unknown.
func untrue(x expression.Node) expression.Node {
	n := &expression.Case{Whens: []expression.When{{Condition: x, Result: expression.Int(0)}}, Else: expression.Int(1)}
	return equal(n, expression.Int(1))
}

func (s *rowset) noteQuantified(scope int, q *expression.Quantified) {
	c := s.c
	first := s.first(scope)
	home, rows := c.m.Source(s.nodes[0].source).Name, c.m.Source(s.nodes[first].source).Name
	when := map[expression.Quantifier]string{
		expression.AnyRow:  "some row of " + rows + " satisfies it",
		expression.NoRow:   "no row of " + rows + " satisfies it, and so where there is none",
		expression.EachRow: "every row of " + rows + " satisfies it, and so where there is none",
	}
	c.note(fmt.Sprintf("exists: %s holds for a row of %s when %s", c.show(q), home, when[q.Quantifier]))
}

// reached is the row that a name in a condition refers to, seen from a home. The zero value is
// the home's own row.
type reached struct {
	model.Ref
	downs []model.Step // the steps up to the last to-many one
	// last: no step follows, so that the row exists whenever these steps have one.
	last bool
}

func (r reached) rows() string {
	var b strings.Builder
	for _, s := range r.downs {
		fmt.Fprintf(&b, "%p %v/", s.Edge, s.Down)
	}
	return b.String()
}

func (c *compiler) reach(home model.SourceID, n *expression.Name) (reached, error) {
	if entityOf(n) != nil {
		return reached{}, nil
	}
	if in := rangeNamed(n); in.field != nil {
		n = in.field
	}
	ref, err := c.dimensionAmong(takesAny, home, n)
	if err != nil {
		return reached{}, err
	}
	path, err := c.m.Path(home, ref)
	if err != nil {
		return reached{}, err
	}
	at := len(path.Steps)
	for at > 0 && !path.Steps[at-1].Down {
		at--
	}
	return reached{ref, path.Steps[:at], at == len(path.Steps)}, nil
}

// rowsOf lists the related rows that the names of a condition refer to; "" is the home's own
// row.
func (c *compiler) rowsOf(home model.SourceID, tree expression.Node) (all []string, err error) {
	add := func(b string) {
		if !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	for _, n := range expression.Names(tree) {
		r, err := c.reach(home, n)
		if err != nil {
			return nil, err
		}
		add(r.rows())
	}
	if len(expression.Quantifieds(tree)) > 0 {
		add("")
	}
	return all, nil
}

// checkQuantified refuses any(…), none(…) and all(…) where a row of the home has one related
// row only, and where the condition chooses between rows that may be missing.
func (c *compiler) checkQuantified(home model.SourceID, q *expression.Quantified, where string) error {
	source, written := c.m.Source(home).Name, refusal.Quote(c.show(q))
	if c.namesMeasures(q.X) {
		return refusal.New(refusal.CodeFilter, "%s: %s is about rows, and has a measure", where, written).
			Advise(`compare the measure in a filter of its own: {"measure": "orders.order_count", "per": ["customers.id"], "op": "gt", "values": [1]}, or write its value per entity: per(orders.order_count, customers.id)`)
	}
	all, err := c.rowsOf(home, q.X)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(b string) bool { return b == "" })
	switch {
	case len(all) == 0:
		return refusal.New(refusal.CodeFilter, "%s: %s is about related rows, and a row of %s has one of each", where, written, source).
			Advise("write the condition without %s, or give it to the measures that it is about alone, in their filters", q.Quantifier)
	case len(all) > 1 && q.Quantifier == expression.EachRow:
		return refusal.New(refusal.CodeFilter, "%s: %s is about rows of several sources", where, written).Advise("write an all(…) for each of the sources")
	}
	for _, term := range expression.Conjuncts(q.X) {
		if err := c.refuseChoice(home, term, where); err != nil {
			return refusal.From(err).Advise("put each condition on related rows into %s(…) of its own", q.Quantifier)
		}
	}
	return nil
}

// refuseChoice refuses OR, NOT and CASE over conditions on different rows: if one row is
// missing, the condition on the other one would not count.
func (c *compiler) refuseChoice(home model.SourceID, term expression.Node, where string) error {
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
		return !chooses
	})
	all, err := c.rowsOf(home, term)
	if err != nil || !chooses || len(all) < 2 {
		return err
	}
	e := refusal.New(refusal.CodeFilter, "%s: %s brings rows together of which one may be missing where the other one is there", where, refusal.Quote(c.show(term)))
	if or, ok := term.(*expression.Logic); ok {
		var terms []string
		for _, t := range or.Terms {
			of, err := c.rowsOf(home, t)
			text, parses := c.text(t)
			if err != nil || !parses || len(of) != 1 {
				terms = nil
				break
			}
			if of[0] != "" {
				text = "any(" + text + ")"
			}
			terms = append(terms, text)
		}
		if form := strings.Join(terms, " "+string(or.Op)+" "); form != "" {
			return e.Advise("write %s", form)
		}
	}
	return e.Advise("put each condition on related rows into an any(…) of its own")
}

// text prints a condition as the SQL of a filter; false = a filter has no syntax for a part of
// it.
func (c *compiler) text(tree expression.Node) (string, bool) {
	for _, n := range expression.Names(tree) {
		if slices.Contains(n.Parts, via) || n.Means != nil {
			return "", false
		}
	}
	return expression.String(tree), true
}

// checkExists refuses conditions of the request that would need one related row to satisfy all
// of them, where readers mean something else. Summaries are not checked: their groups were
// filtered row by row.
func (c *compiler) checkExists(home model.SourceID, all []formula) error {
	if c.top.summary != nil {
		return nil
	}
	equal := map[string][]*expression.Literal{}
	said := map[string]expression.Node{}
	for _, f := range all {
		if f.expr != nil || f.shown != nil || isSegment(f.tree) {
			continue
		}
		for _, term := range expression.Conjuncts(f.tree) {
			if err := c.refuseChoice(home, term, f.where); err != nil {
				return err
			}
			if err := c.refuseNegated(home, term, f.where); err != nil {
				return err
			}
			name, values := equality(term)
			if name == nil {
				continue
			}
			r, err := c.reach(home, name)
			if err != nil {
				return err
			}
			if len(r.downs) == 0 {
				continue
			}
			key := r.rows() + fmt.Sprint(r.Field)
			before, ok := equal[key]
			if ok {
				values = slices.DeleteFunc(values, func(v *expression.Literal) bool {
					return !slices.ContainsFunc(before, func(o *expression.Literal) bool { return strings.EqualFold(v.Value, o.Value) })
				})
			}
			if ok && len(values) == 0 {
				return c.refuseExclusive(f.where, said[key], term)
			}
			equal[key], said[key] = values, term
		}
	}
	return nil
}

func isSegment(tree expression.Node) bool {
	n, ok := tree.(*expression.Name)
	return ok && segmentOf(n) != nil
}

// refuseNegated refuses NOT over a condition on related rows, and IS NULL of their key: every
// existing row has one.
func (c *compiler) refuseNegated(home model.SourceID, term expression.Node, where string) error {
	var negated *expression.Unary
	expression.Walk(term, func(n expression.Node) bool {
		if u, ok := n.(*expression.Unary); ok && u.Op == expression.Not && negated == nil {
			negated = u
		}
		return true
	})
	if negated != nil {
		e := refusal.New(refusal.CodeFilter, "%s: %s can mean that no related row satisfies it, or that some row does not", where, refusal.Quote(c.show(term)))
		text, ok := c.text(negated.X)
		if !ok || expression.Node(negated) != term {
			return e.Advise("put the condition into none(…) or any(…)")
		}
		none, some := "none("+text+")", "any("+expression.String(negated)+")"
		return e.Advise("write %s where no row may satisfy it, %s where some row must not", none, some)
	}
	null, ok := term.(*expression.IsNull)
	if !ok || null.Negated {
		return nil
	}
	name, ok := null.X.(*expression.Name)
	if !ok {
		return nil
	}
	r, err := c.reach(home, name)
	if err != nil || len(r.downs) == 0 || !r.last || !slices.Contains(c.m.Source(r.Source).Grain, r.Field) {
		return err
	}
	e := refusal.New(refusal.CodeFilter, "%s: %s holds for no row of %s, for it is in their key", where, refusal.Quote(c.show(term)), c.m.Source(r.Source).Name).About(nameText(name))
	text, ok := c.text(&expression.IsNull{X: name, Negated: true})
	if !ok {
		return e.Advise("put the condition that it is not NULL into none(…)")
	}
	return e.Advise("write none(%s) to keep the rows of %s that have no row of %s", text, c.m.Source(home).Name, c.m.Source(r.Source).Name)
}

// equality returns the field and the values of a condition that a field equals one of some
// values; nil for any other condition.
func equality(term expression.Node) (x *expression.Name, values []*expression.Literal) {
	var list []expression.Node
	switch n := term.(type) {
	case *expression.Binary:
		if n.Op == expression.Equal {
			x, _ = n.Left.(*expression.Name)
			list = []expression.Node{n.Right}
		}
	case *expression.In:
		if !n.Negated {
			x, _ = n.X.(*expression.Name)
			list = n.List
		}
	case *expression.Logic:
		for _, t := range n.Terms {
			name, more := equality(t)
			if n.Op != expression.Or || name == nil || x != nil && x.String() != name.String() {
				return nil, nil
			}
			x, values = name, append(values, more...)
		}
	}
	for _, n := range list {
		l, ok := n.(*expression.Literal)
		if !ok {
			return nil, nil
		}
		values = append(values, l)
	}
	return x, values
}

func (c *compiler) refuseExclusive(where string, a, b expression.Node) error {
	e := refusal.New(refusal.CodeFilter, "%s: one related row would have to satisfy %s and %s, which exclude each other", where, refusal.Quote(c.show(a)), refusal.Quote(c.show(b)))
	first, ok := c.text(a)
	second, also := c.text(b)
	if !ok || !also {
		return e.Advise("put each of them into an any(…) of its own")
	}
	form := "any(" + first + ") AND any(" + second + ")"
	return e.Advise("write %s", form)
}
