package compile

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// describe writes the plan in words.
func (c *compiler) describe() Plan {
	p := Plan{Notes: c.notes}
	for _, d := range c.dims {
		p.Dimensions = append(p.Dimensions, d.words(c))
	}
	for _, e := range c.entities {
		p.Branches = append(p.Branches, e.sub.describe().Branches...)
	}
	p.Having = c.shownHaving
	p.Branches = append(p.Branches, c.branchWords()...)
	return p
}

// branchWords describes the branches: a measure per entity by those that it is made of.
func (c *compiler) branchWords() (all []Branch) {
	for _, br := range c.branches {
		if br.sub != nil {
			for _, inner := range br.sub.branchWords() {
				for i := range inner.Measures {
					inner.Measures[i] = br.bases[0].label + " of " + inner.Measures[i]
				}
				all = append(all, inner)
			}
			continue
		}
		out := Branch{Home: c.m.Source(br.home).Name, Filters: br.filters, Fanout: len(br.keys) > 0}
		for _, b := range br.bases {
			out.Measures = append(out.Measures, b.label+b.under.words())
			out.Classes = append(out.Classes, b.rollup())
		}
		for i := 1; i < len(br.rows.nodes); i++ {
			out.Joins = append(out.Joins, br.rows.joinWords(i))
		}
		all = append(all, out)
	}
	return all
}

// tellInferred notes the joins that nobody declared.
func (c *compiler) tellInferred() {
	for s := range c.nested() {
		for _, br := range s.branches {
			br.rows.noteSeveral()
			for _, r := range br.rows.nodes[1:] {
				if !r.step.Inferred {
					continue
				}
				from, to := br.rows.nodes[r.parent].alias, r.alias
				if r.step.Down { // in one direction, so that it is told once
					from, to = to, from
				}
				s.note(fmt.Sprintf("%s is joined to %s by %s, which was inferred from the data: neither the warehouse nor a file declares it", from, to, c.m.Join(r.step.Join).On.Value))
			}
		}
		for _, text := range s.notes {
			c.note(text)
		}
	}
}

// joinWords says how a row is joined: "orders → customers (many_to_one)".
func (s *rowset) joinWords(i int) string {
	r := s.nodes[i]
	from, to, how := s.nodes[r.parent].alias, r.alias, "many_to_one"
	if r.step.Down {
		how = "one_to_many"
	}
	if r.scope > 0 {
		how += ", some row of which satisfies the filters"
	}
	return from + " → " + to + " (" + how + ")"
}

// semiAdditive reports whether a base counts the first or the last rows of a group alone.
func (b *base) semiAdditive() bool { return b.measure != nil && b.measure.NonAdditive != nil }

// addsUp reports whether a base over groups is made of those of finer groups.
func (b *base) addsUp() bool { return b.rollup() == Distributive && !b.semiAdditive() }

// rollup says whether values of a base can be put together from finer groups.
func (b *base) rollup() Rollup {
	switch b.agg {
	case expression.Sum, expression.Count, expression.Min, expression.Max:
		return Distributive
	case expression.Avg:
		return Algebraic
	}
	return Holistic
}
