package compile

import (
	"iter"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// nested is a measure that aggregates what another is for each entity. The other is a
// request of its own, by the dimensions and the entities.
type nested struct {
	sub     *compiler
	measure *model.Measure
	value   expression.Node // of an entity, over the bases of sub
}

// nest makes the base of a nested measure.
func (c *compiler) nest(m, of *model.Measure, under context) (expression.Node, error) {
	n := &nested{sub: newCompiler(c.m, c.d, c.numbers), measure: m}
	n.sub.o, n.sub.types, n.sub.top = c.o, c.types, c.top
	inside := under
	inside.total, inside.within = false, nil
	var err error
	if n.value, err = n.sub.measured(of, inside); err != nil {
		return nil, err
	}
	b := &base{measure: m, nested: n, agg: m.Agg, parameter: m.Parameter, home: n.sub.bases[0].home, label: c.measureName(m), under: under}
	b.key = "nested " + c.measureName(m)
	return c.base(b)
}

// perEntity makes the branch of a nested base.
func (c *compiler) perEntity(b *base) error {
	sub := b.nested.sub
	sub.r, sub.filters, sub.ranges, sub.entities = c.r, c.filters, c.ranges, c.entities
	sub.r.FillGaps, sub.r.IncludeEmpty, sub.r.Totals, sub.r.Rest = false, false, false, false
	sub.times, sub.known = c.times, c.known
	sub.scans, sub.marks, sub.scopes = c.scans, c.marks, c.scopes
	sub.top = c.top
	var err error
	if sub.clock, err = c.clockOf(b.label); err != nil {
		return err
	}
	br := &branch{home: b.home, under: b.under, bases: []*base{b}, sub: sub}
	if br.rows, err = c.newRows(b.home); err != nil {
		return err
	}
	if err := br.nestedDims(); err != nil {
		return err
	}
	for _, inner := range sub.bases {
		if !slices.Contains(sub.homes, inner.home) {
			sub.homes = append(sub.homes, inner.home)
		}
	}
	if err := sub.checkTotals(); err != nil {
		return err
	}
	if err := sub.plan(); err != nil {
		return err
	}
	for _, text := range sub.notes {
		c.note(text)
	}
	if err := b.nested.typed(b); err != nil {
		return err
	}
	c.branches = append(c.branches, br)
	return nil
}

// nestedDims gives the request by entity the dimensions of its branch, and then those
// that it is per.
func (br *branch) nestedDims() error {
	c, b, sub := br.rows.c, br.bases[0], br.sub
	var only *summary // of the request by entity
	if s := c.summary; s != nil && s.only != nil && !b.under.total {
		only = &summary{kept: slices.Clone(s.kept), only: s.only}
	}
	for i, d := range c.dims {
		grouped := c.groups(b.under, i)
		if !grouped && !b.under.total && d == sub.clock && sub.windowed() {
			return refusal.New(refusal.CodeNotSupported, "%s goes by %s, and has no value in a row over several of its periods", b.label, d.text()).Of(b.label).
				Advise("leave it, or totals and rest out")
		}
		if !grouped {
			br.dims = append(br.dims, nil)
			continue
		}
		sub.dims = append(sub.dims, d)
		br.dims = append(br.dims, expression.NewColumn(0, d.typ)) // it is grouped by it
	}
	for _, ref := range b.nested.measure.Per {
		if only != nil {
			only.kept = append(only.kept, len(sub.dims))
		}
		sub.dims = append(sub.dims, &dimension{per: &ref, owner: b.nested.measure.ID.Source(), out: "entity"})
	}
	sub.summary = only
	return nil
}

// windowed reports whether a base is over a window.
func (c *compiler) windowed() bool {
	return slices.ContainsFunc(c.measuredBases(), func(b *base) bool { return b.under.window() != nil })
}

// typed finds the type of a nested base.
func (n *nested) typed(b *base) error {
	inner, err := expression.Substitute(n.value, func(name *expression.Name) (expression.Node, error) {
		for _, of := range n.sub.bases {
			if of.name == name.Parts[0] {
				return expression.NewColumn(0, of.typ), nil
			}
		}
		return name, nil
	})
	if err == nil {
		inner, err = expression.Check(inner, ownType)
	}
	if err == nil {
		inner, err = expression.Check(&expression.Aggregate{Function: b.agg, X: expression.NewColumn(0, inner.Type()), Parameter: b.parameter}, ownType)
	}
	if err != nil {
		return refusal.New(refusal.CodeBroken, "%s cannot be computed: %s", b.label, refusal.From(err).Message).About(b.label).Because(err)
	}
	b.typ = inner.Type()
	return nil
}

// entity is the value of an entity as seen from a row of the branch.
func (br *branch) entity(d *dimension) (expression.Node, error) {
	ref := *d.per
	if len(ref.Via) == 0 && br.home != d.owner {
		ref.Via = []string{br.rows.c.m.Source(d.owner).Identity}
	}
	value, err := br.rows.value(0, ref, place{})
	if err != nil {
		return nil, err
	}
	if d.typ = value.Type(); ref.Grain == "" {
		return value, nil
	}
	of := &dimension{Dimension: request.Dimension{Grain: ref.Grain}, id: ref.Dimension, name: &expression.Name{Parts: []string{br.rows.c.m.Dimension(ref.Dimension).Name}}}
	if of.typ, err = br.rows.c.grainType(of); err != nil {
		return nil, err
	}
	d.typ = of.typ
	return br.rows.c.grained(of, value)
}

// outer aggregates what the measure is for each entity.
func (br *branch) outer() (*stage, error) {
	b := br.bases[0]
	n, sub := b.nested, br.sub
	s, err := sub.combined()
	if err != nil {
		return nil, err
	}
	value, err := sub.final(n.value, sub.stitched())
	if err != nil {
		return nil, err
	}
	if len(sub.totals) > 0 {
		s.rel = &plan.Filter{In: s.rel, Cond: s.asked()}
	}
	var entities []expression.Node
	var groups []plan.Column
	out := &stage{values: map[*base]plan.Column{}}
	a := &plan.Aggregate{In: s.rel}
	at := 0
	for _, d := range br.dims {
		column := plan.Column{}
		if d != nil {
			column, at = s.dims[at], at+1
		}
		if column.ID != 0 { // it is not rolled up
			a.By, groups = append(a.By, column.ID), append(groups, column)
		}
		out.dims = append(out.dims, column)
	}
	for _, column := range s.dims[at:] {
		entities = append(entities, column.Ref())
	}
	of := ofEntity(entities, value)
	var tree expression.Node = &expression.Aggregate{Function: b.agg, X: of, Parameter: b.parameter}
	if sub.emulated(b) {
		in := only(s.rel, groups)
		b.in = in.Compute(sub.numbers, "value", value.Type(), of)
		a.In, tree = &plan.Window{In: in, Values: sub.ranks(b, refs(groups))}, b.interpolated(b.in.Ref())
	}
	x, err := expression.Check(tree, ownType)
	if err != nil {
		return nil, refusal.New(refusal.CodeBroken, "%s cannot be computed: %s", b.label, refusal.From(err).Message).About(b.label).Because(err)
	}
	out.values[b], out.rel = a.Compute(sub.numbers, n.measure.Name, b.typ, x), a
	return out, nil
}

// sources are those that the statement reads, each once.
func (c *compiler) sources() []model.SourceID {
	var all []model.SourceID
	for s := range c.nested() {
		all = append(all, s.used...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// measures are those of the statement, each once.
func (c *compiler) measures() (all []model.MeasureID) {
	for s := range c.nested() {
		all = append(all, s.made...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nested are the requests that are made of measures per entity, and the request.
func (c *compiler) nested() iter.Seq[*compiler] {
	return func(yield func(*compiler) bool) {
		inside := make([]*compiler, 0, len(c.entities)+len(c.branches))
		for _, e := range c.entities {
			inside = append(inside, e.sub)
		}
		for _, br := range c.branches {
			if br.sub != nil {
				inside = append(inside, br.sub)
			}
		}
		for _, sub := range inside {
			for s := range sub.nested() {
				if !yield(s) {
					return
				}
			}
		}
		yield(c)
	}
}

// edges are the joins by which a row takes what it has at most one of, each once.
func (c *compiler) edges() (once []*model.Edge) {
	for s := range c.nested() {
		for _, br := range s.branches {
			for _, r := range br.rows.nodes[1:] {
				if !r.step.Down && r.scope == 0 && !slices.Contains(once, r.step.Edge) {
					once = append(once, r.step.Edge)
				}
			}
		}
	}
	return once
}
