package planner

import (
	"cmp"
	"slices"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// quotient resolves a division of two aggregates of one source, where the conditions of the first hold for
// it alone.
func (r *formula) quotient() (*definition, *Question) {
	above, below := *r.f, *r.f.Divisor
	above.Divisor = nil
	if len(below.Where) > 0 {
		return nil, ask(TwoReadings, r.quote, "Does “%s” restrict both sides of the division, or the divisor alone? Define a measure of each side first, then divide the two.", below.Where[0].Text)
	}
	if above.Table == "" {
		above.Table = below.Table
	}
	top := &formula{work: r.work, f: &above, quote: r.quote, scope: r.scope}
	dividend, q := top.calculation()
	if q != nil {
		return nil, q
	}
	where, q := top.filter(dividend.s)
	if q != nil {
		return nil, q
	}
	if below.Table == "" && r.within(&below, dividend.s) {
		below.Table = dividend.s.Identity
	}
	bottom := &formula{work: r.work, f: &below, quote: r.quote, scope: []*model.Source{dividend.s}}
	divisor, q := bottom.calculation()
	if q != nil {
		return nil, q
	}
	if dividend.s.ID != divisor.s.ID || dividend.s.ID == model.Metrics {
		return nil, ask(JoinNeeded, r.quote, "%s and %s are divided: define a measure of each first, then divide the two.", dividend.s.Identity, divisor.s.Identity).
			with(dividend.s.Identity, divisor.s.Identity)
	}
	r.f = &assertion.Formula{Per: above.Per, Unit: cmp.Or(above.Unit, below.Unit)}
	return &definition{
		s:     dividend.s,
		expr:  &expression.Binary{Op: expression.Divide, Left: dividend.where(where.terms), Right: divisor.where(nil)},
		notes: slices.Concat(dividend.notes, where.notes, divisor.notes),
	}, nil
}

// within reports whether a formula may be over the rows of a source: it counts them by their name, or names no source.
func (r *formula) within(f *assertion.Formula, s *model.Source) bool {
	if f.Aggregate != string(expression.Count) {
		return f.Aggregate == "" || !slices.ContainsFunc(r.work.lexicon.owners(f.Of), func(o *model.Source) bool { return o.ID != s.ID })
	}
	return f.Of == "" || isRows(f.Of) || among(r.work.lexicon.sources(stripArticle(f.Of)), s)
}

// where is the calculation over the rows that fulfil all conditions.
func (d *definition) where(terms []expression.Node) expression.Node {
	tree := d.expr
	if tree == nil {
		tree = &expression.Aggregate{Function: d.agg, X: d.x}
	}
	if len(terms) == 0 {
		return tree
	}
	restricted, err := expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		a, ok := n.(*expression.Aggregate)
		if !ok {
			return n, nil
		}
		m := *a
		if m.X == nil {
			m.X = expression.Int(1)
		}
		m.X = &expression.Case{Whens: []expression.When{{Condition: expression.Conjoin(terms...), Result: m.X}}}
		return &m, nil
	})
	if err != nil {
		panic(err) // the change above has none
	}
	return restricted
}
