package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// A day is in the windows of periods that follow each other: from the first one that
// ends after it to the one before the first that begins after it. A later day enters
// and leaves later or at the same time. So a value counts from the period that each of
// its days enters to the one that this day leaves, or the one that its next day enters:
// such spells of a value share no period, and a running sum counts them.

// countsOnce reports whether a branch counts distinct values over windows, whose days
// it can put together to spells. Where rows are of entities, these are known of each
// window alone.
func (br *branch) countsOnce() bool {
	return len(br.bases) == 1 && br.bases[0].agg == expression.CountDistinct && (br.bases[0].measure == nil || br.bases[0].measure.NonAdditive == nil) &&
		br.period != nil && br.under.window() != nil &&
		!slices.ContainsFunc(br.rows.c.dims, func(d *dimension) bool { return d.per != nil })
}

// occurrences are the groups and values with the days on which they occur: all days,
// or the first one of those that leave the windows together.
func (br *branch) occurrences(rows *plan.Project) *plan.Shared {
	c, day := br.rows.c, br.columns[br.periodAt]
	rows.Distinct = false // it is of values, however many rows have one
	at := slices.IndexFunc(rows.Values, func(v plan.Value) bool { return v.ID == day.ID })
	all := &plan.Aggregate{In: rows}
	for i, column := range br.columns {
		if column.ID != 0 && i != br.periodAt {
			all.By = append(all.By, column.ID)
		}
	}
	all.By = append(all.By, br.inputs[0].ID)
	together, some := br.leaveTogether()
	if !some {
		if g := br.pitch(); g != dialect.Day {
			rows.Values[at].X = expression.As(trunc(g, rows.Values[at].X), sdk.TypeDate)
		}
		all.By = append(all.By, day.ID)
		return &plan.Shared{In: all, Name: c.m.Source(br.home).Name + "_days"}
	}
	if together != "" {
		x := expression.As(trunc(together, rows.Values[at].X), sdk.TypeDate)
		v := plan.Value{Column: c.column(string(together), sdk.TypeDate), X: x}
		rows.Values, all.By = append(rows.Values, v), append(all.By, v.ID)
	}
	pick := func(name string, f expression.AggregateFunction) plan.Column {
		v := plan.Value{Column: c.column(name, day.Type), X: &expression.Aggregate{Function: f, X: day.Ref()}}
		all.Values = append(all.Values, v)
		return v.Column
	}
	br.columns[br.periodAt], br.lastDay = pick("first_day", expression.Min), pick("last_day", expression.Max)
	return &plan.Shared{In: all, Name: c.m.Source(br.home).Name + "_first_days"}
}

// leaveTogether reports whether days leave the windows together: all days of a period
// of this grain, or all days, "".
func (br *branch) leaveTogether() (dialect.Grain, bool) {
	at := slices.IndexFunc(br.steps, func(s step) bool { return s.window != nil })
	w := br.steps[at].window
	if w.ToDate == "" {
		return "", w.Window.N == 0
	}
	unaligned := func(s step) bool { return !multiple(*s.shift, w.ToDate) }
	return w.ToDate, !slices.ContainsFunc(br.steps[at+1:], unaligned)
}

// once is the stage of a branch that counts each value once in every window.
func (br *branch) once() (*stage, error) {
	br.prepare()
	listed, err := br.periods()
	if err != nil {
		return nil, err
	}
	periods, turns, err := br.turns(listed)
	if err != nil {
		return nil, err
	}
	spells, groups := br.spells(turns)
	return br.sumOf(spells, periods, groups), nil
}

// turns are days with the periods whose windows they enter and leave; leave is the
// zero column where they leave none.
type turns struct {
	rel               plan.Relation
	day, enter, leave plan.Column
}

// turns finds the turns of the days that rows have, and lists the periods.
func (br *branch) turns(listed plan.Relation) (*plan.Shared, *turns, error) {
	c := br.rows.c
	each := listed.Columns()[0]
	_, since, until, err := br.days(expression.As(each.Ref(), sdk.TypeDate))
	if err != nil {
		return nil, nil, err
	}
	p := &plan.Project{In: listed}
	add := func(name string, x expression.Node) plan.Column {
		v := plan.Value{Column: c.column(name, x.Type()), X: x}
		p.Values = append(p.Values, v)
		return v.Column
	}
	period := add("period", each.Ref())
	periods := &plan.Shared{In: p, Name: "periods"}
	day := plan.Value{Column: c.column("day", sdk.TypeDate), X: br.columns[br.periodAt].Ref()}
	days := &plan.Project{In: br.read, Distinct: true, Values: []plan.Value{day}}
	turn, of := c.column("turn", sdk.TypeDate), c.column("day", sdk.TypeDate)
	enters, leaves := c.column("enters", period.Type), c.column("leaves", period.Type)
	u := &plan.Union{In: []plan.Relation{days}, Out: []plan.UnionColumn{
		{Column: turn, From: []int{day.ID}}, {Column: of, From: []int{day.ID}}, {Column: enters, From: []int{0}}, {Column: leaves, From: []int{0}},
	}}
	w := &plan.Window{In: u}
	// next is the period of the first turn on the day or later.
	next := func(at int, after expression.Node) (plan.Column, error) {
		last, err := c.moved(after, -1, dialect.Day)
		if err != nil {
			return plan.Column{}, err
		}
		column := u.Out[at].Column
		from := []int{add(column.Name+"_after", last).ID, 0, 0, 0}
		from[at] = period.ID
		u.In = append(u.In, periods)
		for i := range u.Out {
			u.Out[i].From = append(u.Out[i].From, from[i])
		}
		v := plan.WindowValue{Column: c.column(column.Name, period.Type), Function: plan.MinOver, X: column.Ref(), Frame: plan.FrameSoFar,
			By: []plan.Order{{X: turn.Ref(), Desc: true}, {X: of.Ref(), NullsFirst: true}}}
		w.Values = append(w.Values, v)
		return v.Column, nil
	}
	out := &turns{rel: &plan.Filter{In: w, Cond: &expression.IsNull{X: of.Ref(), Negated: true}}, day: of}
	if out.enter, err = next(2, until); err == nil && since != nil {
		out.leave, err = next(3, since)
	}
	return periods, out, err
}

// spells are how many values count from one period to before another, by group.
type spells struct {
	rel *plan.Shared
	// until is the zero column where values count for ever.
	from, until, values plan.Column
}

// spells parts the days of each value in spells, and returns the groups.
func (br *branch) spells(t *turns) (*spells, []plan.Column) {
	c, value, day := br.rows.c, br.inputs[0].Column, br.columns[br.periodAt]
	out := &spells{from: t.enter, until: t.leave}
	rel := plan.Relation(&plan.Join{L: br.read, R: t.rel, On: &expression.Binary{Op: expression.Equal, Left: day.Ref(), Right: t.day.Ref()}, ToOne: true})
	var groups []plan.Column
	for i, column := range br.columns {
		if column.ID != 0 && i != br.periodAt {
			groups = append(groups, column)
		}
	}
	some := expression.Node(&expression.IsNull{X: t.enter.Ref(), Negated: true})
	if t.leave.ID != 0 {
		next := plan.WindowValue{Column: c.column("next", t.enter.Type), Function: plan.FirstValue, X: t.enter.Ref(), Frame: plan.FrameNext,
			Partition: append(refs(groups), value.Ref()), By: []plan.Order{{X: day.Ref()}}}
		less := func(a, b plan.Column) expression.Node {
			return &expression.Binary{Op: expression.Less, Left: a.Ref(), Right: b.Ref()}
		}
		without := func(c plan.Column) expression.Node { return &expression.IsNull{X: c.Ref()} }
		out.until = c.column("until", t.leave.Type)
		until := &expression.Case{Whens: []expression.When{{Condition: expression.Disjoin(without(t.leave), less(next.Column, t.leave)), Result: next.Ref()}}, Else: t.leave.Ref()}
		p := &plan.Project{In: &plan.Window{In: rel, Values: []plan.WindowValue{next}}}
		for _, column := range append(slices.Clone(groups), value, t.enter) {
			p.Values = append(p.Values, plan.Value{Column: column, X: column.Ref()})
		}
		p.Values = append(p.Values, plan.Value{Column: out.until, X: expression.As(until, t.leave.Type)})
		rel, some = p, expression.Conjoin(some, expression.Disjoin(without(out.until), less(t.enter, out.until)))
	}
	a := &plan.Aggregate{In: &plan.Filter{In: rel, Cond: some}}
	for _, column := range append(slices.Clone(groups), out.from, out.until) {
		if column.ID != 0 {
			a.By = append(a.By, column.ID)
		}
	}
	out.values = c.column("values", sdk.TypeInt64)
	a.Values = []plan.Value{{Column: out.values, X: &expression.Aggregate{Function: expression.Count, X: value.Ref()}}}
	out.rel = &plan.Shared{In: a, Name: c.m.Source(br.home).Name + "_spells"}
	return out, groups
}

// sumOf sums spells up to each period: those that have begun without those that have
// ended. Every group has a row in every period.
func (br *branch) sumOf(s *spells, periods *plan.Shared, groups []plan.Column) *stage {
	c, counted := br.rows.c, br.bases[0]
	u := &plan.Union{Out: make([]plan.UnionColumn, len(groups)+2)}
	for i, g := range groups {
		u.Out[i].Column = c.column(g.Name, g.Type)
	}
	period, change := &u.Out[len(groups)], &u.Out[len(groups)+1]
	period.Column, change.Column = c.column(br.period.out, br.period.typ), c.column("change", sdk.TypeInt64)
	add := func(in plan.Relation, of []plan.Column, at plan.Column, n expression.Node) {
		v := plan.Value{Column: c.column("change", sdk.TypeInt64), X: n}
		p := &plan.Project{In: in, Values: []plan.Value{v}}
		for i, column := range append(slices.Clone(of), at, v.Column) {
			u.Out[i].From = append(u.Out[i].From, column.ID)
			if column.ID != v.ID {
				p.Values = append(p.Values, plan.Value{Column: column, X: column.Ref()})
			}
		}
		u.In = append(u.In, p)
	}
	add(s.rel, groups, s.from, s.values.Ref())
	if s.until.ID != 0 {
		ended := &plan.Filter{In: s.rel, Cond: &expression.IsNull{X: s.until.Ref(), Negated: true}}
		add(ended, groups, s.until, &expression.Unary{Op: expression.Negate, X: s.values.Ref()})
	}
	blank, members := plan.Relation(periods), groups
	if len(groups) > 0 {
		p := &plan.Project{In: s.rel, Distinct: true}
		for _, g := range groups {
			p.Values = append(p.Values, plan.Value{Column: c.column(g.Name, g.Type), X: g.Ref()})
		}
		blank, members = &plan.Join{L: periods, R: p, Kind: plan.Cross}, p.Columns()
	}
	add(blank, members, periods.Columns()[0], expression.Int(0))

	a := &plan.Aggregate{In: u}
	for _, column := range u.Columns()[:len(groups)+1] {
		a.By = append(a.By, column.ID)
	}
	changed := plan.Value{Column: c.column("change", sdk.TypeInt64), X: &expression.Aggregate{Function: expression.Sum, X: change.Ref()}}
	a.Values = []plan.Value{changed}
	sum := plan.WindowValue{Column: c.column("sum", sdk.TypeInt64), Function: plan.SumOver, X: changed.Ref(), Frame: plan.FrameSoFar,
		Partition: refs(u.Columns()[:len(groups)]), By: []plan.Order{{X: period.Ref()}}}
	made := plan.Value{Column: c.column(counted.called(), counted.typ), X: &expression.Cast{X: sum.Ref(), To: sdk.TypeInt64}}
	p := &plan.Project{In: &plan.Window{In: a, Values: []plan.WindowValue{sum}}}
	out := &stage{rel: p, dims: slices.Clone(br.columns), values: map[*base]plan.Column{counted: made.Column}}
	for i, at := 0, 0; i < len(out.dims); i++ {
		switch {
		case i == br.periodAt:
			out.dims[i] = period.Column
		case out.dims[i].ID != 0:
			out.dims[i], at = u.Out[at].Column, at+1
		}
	}
	for _, column := range u.Columns()[:len(groups)+1] {
		p.Values = append(p.Values, plan.Value{Column: column, X: column.Ref()})
	}
	p.Values = append(p.Values, made)
	return out
}
