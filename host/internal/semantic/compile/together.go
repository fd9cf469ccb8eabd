package compile

import (
	"errors"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// filter adds conditions on rows. Those that go down the same way are about the
// same related row: that of a dimension, else one that there must be.
func (br *branch) filter(all []formula, measure string) error {
	groups, err := br.grouped(all, measure)
	if err != nil {
		return err
	}
	for _, g := range groups {
		terms, some, err := br.conditions(g, place{down: true, inner: br.joins(g)}, measure)
		if err != nil {
			return err
		}
		if some {
			br.several = append(br.several, g)
		}
		for i, f := range g.all {
			br.filters = append(br.filters, f.written)
			if f.limit != noLimit && len(g.edges) == 0 && !some {
				br.limits[f.limit], terms[i] = terms[i], nil
			}
		}
		br.where = append(br.where, slices.DeleteFunc(terms, func(x expression.Node) bool { return x == nil })...)
	}
	for _, g := range groups {
		br.downs = append(br.downs, g.edges...)
	}
	return nil
}

// together are conditions about the same related row: edges are the first steps down to
// it, several the steps up that lead to several rows.
type together struct {
	edges, several []*model.Edge
	all            []formula
}

// shares reports whether conditions are about the same row as others.
func (g *together) shares(o *together) bool {
	in := func(all []*model.Edge) func(*model.Edge) bool {
		return func(e *model.Edge) bool { return slices.Contains(all, e) }
	}
	return slices.ContainsFunc(g.edges, in(o.edges)) || slices.ContainsFunc(g.several, in(o.several))
}

// add adds the conditions of others.
func (g *together) add(o *together) {
	g.edges, g.all = append(g.edges, o.edges...), append(g.all, o.all...)
	for _, e := range o.several {
		if !slices.Contains(g.several, e) {
			g.several = append(g.several, e)
		}
	}
}

// grouped puts conditions together that share a step down.
func (br *branch) grouped(all []formula, measure string) (groups []*together, err error) {
	c := br.rows.c
	for _, f := range all {
		taken, about, err := c.waysOf(br.home, f)
		if _, said := errors.AsType[*refusal.Error](err); said {
			return nil, refusal.InExpression(f.where, f.text, err)
		}
		if err != nil {
			return nil, c.pathError(err, br.home, measure, about, filterBy)
		}
		into := &together{edges: taken.downs, several: taken.several}
		// What shares a step with the condition is of its group; joined rows are one.
		groups = slices.DeleteFunc(groups, func(g *together) bool {
			shared := g.shares(into)
			if shared {
				into.add(g)
			}
			return shared
		})
		into.all = append(into.all, f)
		groups = append(groups, into)
	}
	return br.withJoined(groups), nil
}

// withJoined makes one group of those that share a step with the dimensions.
func (br *branch) withJoined(groups []*together) []*together {
	var joined *together
	return slices.DeleteFunc(groups, func(g *together) bool {
		if !slices.ContainsFunc(g.edges, func(e *model.Edge) bool { return slices.Contains(br.downs, e) }) {
			return false
		}
		if joined == nil {
			joined = g
			return false
		}
		joined.add(g)
		return true
	})
}

// own is the condition of a base's own filters, nil = it has none.
func (br *branch) own(b *base) (expression.Node, error) {
	groups, err := (&branch{home: br.home, rows: br.rows}).grouped(b.filters, b.label)
	if err != nil {
		return nil, err
	}
	var terms []expression.Node
	for _, g := range groups {
		if br.joins(g) {
			return nil, refusal.New(refusal.CodeNotSupported, "a filter of %s is about the same related rows as a dimension or filter of the request", b.label).
				About(b.label).Advise("use a measure of the finer source")
		}
		all, _, err := br.conditions(g, place{down: len(g.edges) > 0}, b.label)
		if err != nil {
			return nil, err
		}
		terms = append(terms, all...)
	}
	return expression.Conjoin(terms...), nil
}

// joins reports whether the rows that conditions are about are those of a dimension, or
// of a filter before.
func (br *branch) joins(g *together) bool {
	return slices.ContainsFunc(g.edges, func(e *model.Edge) bool { return slices.Contains(br.downs, e) })
}

// conditions are those of a group as they are of a row: each by itself, or one that some
// row of a scope satisfies all of them; some: of a join that is said to lead to one row.
func (br *branch) conditions(g *together, p place, measure string) (terms []expression.Node, some bool, err error) {
	s := br.rows
	switch {
	case len(g.edges) > 0 && !p.inner:
		if err := s.c.checkExists(br.home, g.all); err != nil {
			return nil, false, err
		}
		p.scope = s.c.scope(br.home, g.all)
	case len(g.several) > 0 && len(g.edges) == 0:
		term, err := br.someRow(g)
		if err != nil || term != nil {
			return []expression.Node{term}, true, err
		}
	}
	before := len(s.nodes)
	for _, f := range g.all {
		term, err := s.condition(f, p)
		if err != nil {
			return nil, false, err
		}
		terms = append(terms, term)
	}
	if err := br.checkRepeats(s.nodes[before:], g, measure); err != nil || p.scope == 0 {
		return terms, false, err
	}
	exists, err := s.exists(p.scope, terms)
	if err != nil {
		return nil, false, err
	}
	s.noteExists(p.scope, g.all)
	return []expression.Node{exists}, false, nil
}

// checkRepeats refuses conditions that alone join rows of which a scan saw several: a row
// would count once for each of them.
func (br *branch) checkRepeats(joined []row, g *together, measure string) error {
	c := br.rows.c
	at := slices.IndexFunc(joined, func(n row) bool {
		return n.scope == 0 && !n.step.Down && n.step.Repeats && !slices.Contains(c.joined, n.step.Edge)
	})
	if at < 0 || len(br.keys) > 0 { // which count a row once
		return nil
	}
	written := make([]string, len(g.all))
	for i, f := range g.all {
		written[i] = refusal.Quote(f.written)
	}
	from, to := c.m.Source(joined[at].step.From).Name, c.m.Source(joined[at].source).Name
	return refusal.New(refusal.CodeFilter, "%s cannot be filtered by %s: a scan saw rows of %s lead to several rows of %s, and a row would count once for each", measure, refusal.Listed(written), from, to).
		Of(measure).Advise("give each condition on %s a filter of its own, without other rows or entities in it, or join %s by a key", to, to)
}
