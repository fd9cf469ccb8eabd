package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// taken returns a measure that takes another one in its own way.
func (c *compiler) taken(m *model.Measure, take taking) (expression.Node, error) {
	base := c.m.Measure(m.Base)
	refuseInside := func(why string) error {
		return refuse(CodeNotSupported, "%s is %s, which cannot be computed %s", c.measureName(m), m.Kind, why).about(c.measureName(m)).
			fix("query %s itself", c.measureName(base))
	}
	switch {
	case take.nested != nil:
		return nil, refuseInside("per entity")
	case take.total && m.Kind != model.Nested:
		return nil, refuseInside("as a whole that shares are of")
	case take.window != nil:
		return nil, refuseInside("over a window")
	case take.shift != nil && (m.Kind == model.TimeShift || m.Kind == model.Cumulative):
		return nil, refuseInside("at another time")
	}
	switch m.Kind {
	case model.Share:
		return c.share(m, base, take)
	case model.Nested:
		if base.Kind != model.Simple {
			return nil, refuse(CodeNotSupported, "%s is nested over %s, which is no simple measure", c.measureName(m), c.measureName(base)).about(c.measureName(m)).
				fix("define it over a measure with agg")
		}
		take.nested = m
		b := c.defined(base, take)
		b.label = c.measureName(m)
		return c.base(b)
	}
	if m.Kind == model.Cumulative {
		take.window = m
	} else {
		take.shift = &m.Offset
	}
	return c.measured(base, take)
}

// share is a measure as a part of what it is for the coarser groups.
func (c *compiler) share(m, base *model.Measure, take taking) (expression.Node, error) {
	part, err := c.measured(base, take)
	if err != nil {
		return nil, err
	}
	take.total, take.within = true, m.Within
	take.owner = m.ID.Source()
	whole, err := c.measured(base, take)
	return &expression.Binary{Op: expression.Divide, Left: part, Right: whole}, err
}

// within reports whether the groups of a total are those of a dimension.
func (c *compiler) within(take taking, d *dimension) bool {
	return slices.ContainsFunc(take.within, func(ref model.Ref) bool { return c.means(take.owner, ref, d) })
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
		for _, ref := range b.take.within {
			if !slices.ContainsFunc(c.dims, func(d *dimension) bool { return c.means(b.take.owner, ref, d) }) {
				name := c.refName(ref)
				return invalidRequest("dimensions", "a share of %s is within %s, which is not among them", b.label, name).about(name).fix("add %s to dimensions", name)
			}
		}
	}
	return nil
}

// nest finds the entities that a nested measure is per.
func (l *leg) nest() error {
	m := l.take.nested
	if m == nil {
		return nil
	}
	for _, ref := range m.Per {
		if owner := m.ID.Source(); len(ref.Via) == 0 && l.home != owner {
			ref.Via = []string{l.rows.c.m.Source(owner).Identity}
		}
		value, err := l.rows.value(0, ref, place{})
		if err != nil {
			return err
		}
		l.entities = append(l.entities, plan.Value{Column: l.rows.c.column("entity", value.Type()), X: value})
	}
	return nil
}

// outer aggregates what a base is for each entity.
func (l *leg) outer(s *stage) error {
	a := &plan.Aggregate{In: s.rel, By: s.groups()}
	for _, b := range l.bases {
		value := s.values[b].Ref()
		if b.measure.Default != nil {
			value = withDefault(value, *b.measure.Default)
		}
		value = ofEntity(l.entityRefs(), value)
		x, err := expression.Check(&expression.Aggregate{Function: l.take.nested.Agg, X: value, Parameter: l.take.nested.Parameter}, ownType)
		if err != nil {
			return refuse(CodeBroken, "%s cannot be computed: %s", b.label, fromBelow(err).Message).about(b.label).because(err)
		}
		v := plan.Value{Column: l.rows.c.column(l.take.nested.Name, b.typ), X: x}
		a.Values, s.values[b] = append(a.Values, v), v.Column
	}
	s.rel = a
	return nil
}

// totalNumber is the number of a leg among those of coarser groups, 0 = it has
// the groups that were asked for.
func (c *compiler) totalNumber(l *leg) int { return slices.Index(c.totals, l) + 1 }
