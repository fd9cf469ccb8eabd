package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// composed returns a measure that takes another one in its own way.
func (c *compiler) composed(m *model.Measure, under context) (expression.Node, error) {
	base := c.m.Measure(m.Base)
	refuseInside := func(why string) error {
		return refuse(CodeNotSupported, "%s is %s, which cannot be computed %s", c.measureName(m), m.Kind, why).about(c.measureName(m)).
			fix("query %s itself", c.measureName(base))
	}
	switch {
	case under.nested != nil:
		return nil, refuseInside("per entity")
	case under.total && m.Kind != model.Nested:
		return nil, refuseInside("as a whole that shares are of")
	case under.window != nil:
		return nil, refuseInside("over a window")
	case under.shift != nil && (m.Kind == model.TimeShift || m.Kind == model.Cumulative):
		return nil, refuseInside("at another time")
	}
	switch m.Kind {
	case model.Share:
		return c.share(m, base, under)
	case model.Nested:
		if base.Kind != model.Simple {
			return nil, refuse(CodeNotSupported, "%s is nested over %s, which is no simple measure", c.measureName(m), c.measureName(base)).about(c.measureName(m)).
				fix("define it over a measure with agg")
		}
		under.nested = m
		b := c.defined(base, under)
		b.label = c.measureName(m)
		return c.base(b)
	}
	if m.Kind == model.Cumulative {
		under.window = m
	} else {
		under.shift = &m.Offset
	}
	return c.measured(base, under)
}

// share is a measure as a part of what it is for the coarser groups.
func (c *compiler) share(m, base *model.Measure, under context) (expression.Node, error) {
	part, err := c.measured(base, under)
	if err != nil {
		return nil, err
	}
	under.total, under.within = true, m.Within
	under.owner = m.ID.Source()
	whole, err := c.measured(base, under)
	return &expression.Binary{Op: expression.Divide, Left: part, Right: whole}, err
}

// within reports whether the groups of a total are those of a dimension.
func (c *compiler) within(under context, d *dimension) bool {
	return slices.ContainsFunc(under.within, func(ref model.Ref) bool { return c.means(under.owner, ref, d) })
}

// means reports whether a reference of a definition is a dimension of the
// request: the same field, over the same way from the source that refers to it.
func (c *compiler) means(owner model.SourceID, ref model.Ref, d *dimension) bool {
	if d.entity != nil || ref.Dimension != d.id || d.Grain != "" {
		return false
	}
	if owner == model.Metrics {
		return true
	}
	found, err := c.dimensionOf(owner, d.name)
	if err != nil {
		return false
	}
	a, errA := c.m.Path(owner, ref)
	b, errB := c.m.Path(owner, found)
	return errA == nil && errB == nil && slices.Equal(a.Steps, b.Steps)
}

// checkTotals refuses a share within groups that were not asked for.
func (c *compiler) checkTotals() error {
	for _, b := range c.bases {
		for _, ref := range b.under.within {
			if !slices.ContainsFunc(c.dims, func(d *dimension) bool { return c.means(b.under.owner, ref, d) }) {
				name := c.refName(ref)
				return invalidRequest("dimensions", "a share of %s is within %s, which is not among them", b.label, name).about(name).fix("add %s to dimensions", name)
			}
		}
	}
	return nil
}

// nest finds the entities that a nested measure is per.
func (br *branch) nest() error {
	m := br.under.nested
	if m == nil {
		return nil
	}
	for _, ref := range m.Per {
		if owner := m.ID.Source(); len(ref.Via) == 0 && br.home != owner {
			ref.Via = []string{br.rows.c.m.Source(owner).Identity}
		}
		value, err := br.rows.value(0, ref, place{})
		if err != nil {
			return err
		}
		br.entities = append(br.entities, plan.Value{Column: br.rows.c.column("entity", value.Type()), X: value})
	}
	return nil
}

// outer aggregates what a base is for each entity.
func (br *branch) outer(s *stage) error {
	a := &plan.Aggregate{In: s.rel, By: s.groups()}
	for _, b := range br.bases {
		value := s.values[b].Ref()
		if b.measure.Default != nil {
			value = withDefault(value, *b.measure.Default)
		}
		value = ofEntity(br.entityRefs(), value)
		x, err := expression.Check(&expression.Aggregate{Function: br.under.nested.Agg, X: value, Parameter: br.under.nested.Parameter}, ownType)
		if err != nil {
			return refuse(CodeBroken, "%s cannot be computed: %s", b.label, fromBelow(err).Message).about(b.label).because(err)
		}
		v := plan.Value{Column: br.rows.c.column(br.under.nested.Name, b.typ), X: x}
		a.Values, s.values[b] = append(a.Values, v), v.Column
	}
	s.rel = a
	return nil
}

// totalNumber is the number of a branch among those of coarser groups, 0 = it has
// the groups that were asked for.
func (c *compiler) totalNumber(br *branch) int { return slices.Index(c.totals, br) + 1 }
