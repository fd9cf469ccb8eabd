package compile

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk"
)

// finish puts what the bases are in the last stage into the columns, conditions
// and order keys.
func (c *compiler) finish() error {
	for _, m := range c.columns {
		value, err := c.final(m.value, c.stitched())
		if err != nil {
			return err
		}
		m.value, m.Type = value, value.Type()
	}
	for i, h := range c.having {
		value, err := c.final(h, c.stitched())
		if err != nil {
			return err
		}
		if t := value.Type(); t != sdk.TypeBool && t != sdk.TypeUnspecified {
			return refusal.New(refusal.CodeInvalidExpression, "the condition %s is neither true nor false", refusal.Quote(c.shownHaving[i])).Advise("compare it with something: revenue > 100")
		}
		c.having[i] = value
	}
	for i := range c.order {
		if c.order[i].value == nil {
			continue
		}
		value, err := c.final(c.order[i].value, c.stitched())
		if err != nil {
			return err
		}
		c.order[i].value = value
	}
	return nil
}

// final is an expression over the columns of the last stage; missing: there may be
// groups that it does not have.
func (c *compiler) final(n expression.Node, missing bool) (expression.Node, error) {
	tree, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		for _, b := range c.bases {
			if b.name == name.Parts[0] {
				return b.final(missing), nil
			}
		}
		return nil, refusal.New(refusal.CodeInternal, "the column %s has no meaning", name.Parts[0])
	})
	if err != nil {
		return nil, err
	}
	checked, err := expression.Check(tree, ownType)
	if err != nil {
		return nil, refusal.New(refusal.CodeInvalidExpression, "%s", refusal.From(err).Message).Advise("combine measures of one type").Because(err)
	}
	return checked, nil
}

// final is a base in the last stage; missing: there may be groups that its branch
// does not have.
func (b *base) final(missing bool) expression.Node {
	value := b.made.Ref()
	switch {
	case b.nested == nil && b.measure != nil && b.measure.Default != nil:
		return withDefault(value, *b.measure.Default)
	case missing && counts(b.agg):
		return withDefault(value, 0) // a count of nothing
	}
	return value
}

func counts(f expression.AggregateFunction) bool {
	return f == expression.Count || f == expression.CountDistinct || f == expression.ApproxDistinct
}

// query writes the statement.
func (c *compiler) query() (*Query, error) {
	root, err := c.root()
	if err != nil {
		return nil, err
	}
	plan.NarrowEntities(c.numbers, root)
	sql, err := statement.Write(c.d, root, c.o.Ended)
	if sdk.KindOf(err) == sdk.KindLimit {
		return nil, tooLong(err)
	}
	if err != nil {
		return nil, err
	}
	c.tellInferred()
	q := &Query{SQL: sql, Notes: c.notes, Sources: c.sources(), Measures: c.measures(), Edges: c.edges(), Calendars: slices.Sorted(maps.Keys(c.calendars))}
	q.Columns = make([]Column, 0, len(c.dims)+len(c.columns)+2)
	for _, d := range c.dims {
		q.Columns = append(q.Columns, d.result(c))
	}
	for _, m := range c.columns {
		q.Columns = append(q.Columns, m.Column)
	}
	for _, mark := range c.extra() {
		q.Columns = append(q.Columns, Column{Name: mark, Type: sdk.TypeInt64, Provenance: Composed})
	}
	q.Plan = c.describe()
	return q, nil
}

// root is the plan of the request: its columns, conditions on groups, order and
// bounds.
func (c *compiler) root() (plan.Relation, error) {
	a, err := c.answer()
	if err != nil {
		return nil, err
	}
	return c.summarised(a)
}

// answer is the groups of the request and their columns.
func (c *compiler) answer() (*outcome, error) {
	s, err := c.combined()
	if err != nil {
		return nil, err
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	var conditions []expression.Node
	if len(c.totals) > 0 {
		conditions = append(conditions, s.asked())
	}
	for _, there := range s.there {
		conditions = append(conditions, equal(there.Ref(), expression.Int(1)))
	}
	rel := c.kept(s.rel, expression.Conjoin(append(conditions, c.having...)...))
	all := &plan.Project{In: rel, Values: make([]plan.Value, 0, len(c.dims)+len(c.columns)+len(c.order))}
	add := func(name string, x expression.Node) plan.Column { return all.Compute(c.numbers, name, x.Type(), x) }
	a := &outcome{members: members{rel: all}}
	for i, d := range c.dims {
		if c.summary.rolls(i) {
			a.dims = append(a.dims, plan.Column{})
			continue
		}
		a.dims = append(a.dims, add(d.out, s.dims[i].Ref()))
	}
	for _, m := range c.columns {
		a.measures = append(a.measures, add(m.Name, m.value))
	}
	for _, k := range c.order {
		if k.dim != nil {
			a.keys = append(a.keys, a.dims[slices.Index(c.dims, k.dim)])
		} else {
			a.keys = append(a.keys, add("order", k.value))
		}
	}
	return a, nil
}

// kept are the groups that a condition leaves; nil = all of them.
func (c *compiler) kept(groups plan.Relation, cond expression.Node) plan.Relation {
	if a, ok := groups.(*plan.Aggregate); ok {
		if early := plan.AggregateEarly(c.numbers, a, cond); early != nil {
			return early
		}
	}
	if cond == nil {
		return groups
	}
	return plan.JoinAttributes(c.numbers, &plan.Filter{In: groups, Cond: cond})
}

// combined is the stage with all bases: the branches, put together.
func (c *compiler) combined() (*stage, error) {
	if c.stages == nil {
		if err := c.begin(); err != nil {
			return nil, err
		}
	}
	for i, br := range c.branches {
		if c.stages[i] == nil {
			if err := c.staged(i, br); err != nil {
				return nil, err
			}
		}
	}
	stages := c.stages
	out := stages[0]
	if c.stitched() {
		var err error
		if out, err = c.stitch(stages); err != nil {
			return nil, err
		}
	}
	if len(c.totals) > 0 || len(c.sums) > 0 {
		c.spread(out)
	}
	for b, v := range out.values {
		b.made = v
	}
	return out, nil
}

// begin makes the stages that depend on no other, and reads the rows of those that
// are joined to the periods that are shown.
func (c *compiler) begin() error {
	c.stages = make([]*stage, len(c.branches))
	for i, br := range c.branches {
		var err error
		switch {
		case !br.waits():
			err = c.staged(i, br)
		case br.sub != nil:
			err = br.sub.begin()
		default:
			err = br.prepare()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// staged makes the stage of a branch, as a part of the whole where there are others.
func (c *compiler) staged(i int, br *branch) error {
	if err := c.ended(); err != nil {
		return err
	}
	s, ok := br.addUp()
	if !ok {
		var err error
		if s, err = br.stage(); err != nil {
			return err
		}
	}
	if c.stitched() || len(c.extra()) > 0 {
		if len(c.totals) > 0 {
			s.number(c, c.totalNumber(br))
		}
		s.rel = &plan.Shared{In: s.rel, Name: c.stageName(c.m.Source(br.home).Name)}
	}
	c.stages[i] = s
	return nil
}

// asked is the condition that a row is of the groups that were asked for.
func (s *stage) asked() expression.Node {
	return equal(s.total.Ref(), expression.Int(0))
}

// number adds the number of a branch among those of coarser groups.
func (s *stage) number(c *compiler, n int) {
	p := only(s.rel, s.rel.Columns())
	s.total, s.rel = p.Compute(c.numbers, "total", sdk.TypeInt64, expression.Int(int64(n))), p
}

// stageName is what groups of something are called: orders_by_month.
func (c *compiler) stageName(of string) string {
	name := of
	for i, d := range c.dims {
		by := "_and_"
		if i == 0 {
			by = "_by_"
		}
		name += by + d.out
	}
	return name
}

// stitch brings the parts of one group together: each base has a value in one branch
// at most, and NULL dimensions are one group.
func (c *compiler) stitch(stages []*stage) (*stage, error) {
	if c.r.FillGaps {
		gaps, err := c.gaps(stages)
		if err != nil {
			return nil, err
		}
		if gaps != nil {
			stages = append(stages, gaps)
		}
	}
	var marks []plan.Column
	if c.summary != nil {
		for _, m := range c.summary.among {
			s, mark := m.stage(c)
			stages, marks = append(stages, s), append(marks, mark)
		}
	}
	u := &plan.Union{}
	for _, s := range stages {
		u.In = append(u.In, s.rel)
	}
	out := &stage{values: map[*base]plan.Column{}}
	groups := &plan.Aggregate{In: u}
	add := func(name string, t sdk.Type, of func(*stage) plan.Column) plan.Column {
		from := make([]plan.Column, len(stages))
		for i, s := range stages {
			from[i] = of(s)
		}
		return u.Stack(c.numbers, name, t, from...)
	}
	for i, d := range c.dims {
		if c.summary.rolls(i) {
			out.dims = append(out.dims, plan.Column{})
			continue
		}
		col := add(d.out, d.typ, func(s *stage) plan.Column { return s.dims[i] })
		out.dims, groups.By = append(out.dims, col), append(groups.By, col.ID)
	}
	if len(c.totals) > 0 {
		out.total = add("total", sdk.TypeInt64, func(s *stage) plan.Column { return s.total })
		groups.By = append(groups.By, out.total.ID)
	}
	for _, s := range stages {
		for _, b := range c.bases {
			if _, ok := s.values[b]; !ok {
				continue
			}
			col := add(b.called(), b.typ, func(s *stage) plan.Column { return s.values[b] })
			out.values[b] = groups.Compute(c.numbers, b.called(), b.typ, aggregate(expression.Max, col))
		}
	}
	for i, mark := range marks {
		col := add("there", sdk.TypeInt64, func(s *stage) plan.Column {
			if s == stages[len(stages)-len(marks)+i] {
				return mark
			}
			return plan.Column{}
		})
		out.there = append(out.there, groups.Compute(c.numbers, "there", sdk.TypeInt64, aggregate(expression.Max, col)))
	}
	out.rel = groups
	return out, nil
}

// spread gives every group the totals of the coarser group that it is in.
func (c *compiler) spread(s *stage) {
	w := &plan.Window{In: s.rel}
	for _, br := range c.totals {
		for _, b := range br.bases {
			v := plan.WindowValue{Column: c.column(b.called(), b.typ), Function: plan.MaxOver, X: s.values[b].Ref()}
			for i, d := range br.dims {
				if d != nil {
					v.Partition = append(v.Partition, s.dims[i].Ref())
				}
			}
			w.Values, s.values[b] = append(w.Values, v), v.Column
		}
	}
	for _, b := range c.sums {
		v := plan.WindowValue{Column: c.column(b.called(), b.typ), Function: plan.SumOver, X: s.values[b.of].Ref()}
		switch b.agg {
		case expression.Min:
			v.Function = plan.MinOver
		case expression.Max:
			v.Function = plan.MaxOver
		}
		for _, i := range b.within {
			v.Partition = append(v.Partition, s.dims[i].Ref())
		}
		w.Values, s.values[b] = append(w.Values, v), v.Column
	}
	s.rel = w
}

// stitched reports whether groups come from more than one place.
func (c *compiler) stitched() bool {
	return len(c.branches) > 1 || c.r.FillGaps || c.summary != nil && len(c.summary.among) > 0
}
