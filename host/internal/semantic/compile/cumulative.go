package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// overWindow gives every period the rows of the window that ends with it, and every
// group that has any a row in every period. It returns the columns of the dimensions
// too. Rows of values that add up are summed by day, or by period, before: then
// what is joined grows with the periods and not with the rows.
func (br *branch) overWindow(rows *plan.Project) (plan.Relation, []plan.Column, error) {
	c := br.rows.c
	base := c.m.Source(br.home).Name
	read := &plan.Shared{In: rows, Name: base + "_with_days"}
	if br.addsUp() {
		read = br.partial(rows)
	}
	day := br.columns[br.periodAt]
	first, last := c.ends(br.period, br.sameTime)
	spine, err := c.spine(br.period, first, last, read, day)
	if err != nil {
		return nil, nil, err
	}
	periods, on, err := br.bounds(spine, day)
	if err != nil {
		return nil, nil, err
	}
	period := periods.In.(*plan.Project).Values[0].Column
	others := slices.Clone(br.columns)
	others[br.periodAt] = plan.Column{}
	// What goes on beside the period: other dimensions, entities, inputs, keys.
	kept := slices.DeleteFunc(slices.Clone(others), func(c plan.Column) bool { return c.ID == 0 })
	groups := len(kept)
	for _, v := range slices.Concat(br.entities, br.inputs) {
		kept = append(kept, v.Column)
	}
	kept = append(kept, br.keyColumns...)
	// A row has several days in one window, and counts once.
	inside := &plan.Project{In: &plan.Join{L: periods, R: read, On: on}, Distinct: len(br.keys) > 0}
	inside.Values = append(inside.Values, plan.Value{Column: c.column(br.period.out, br.period.typ), X: period.Ref()})
	for _, k := range kept {
		inside.Values = append(inside.Values, plan.Value{Column: c.column(k.Name, k.Type), X: k.Ref()})
	}
	windows := &plan.Shared{In: inside, Name: base + "_in_windows"}
	blank := plan.Relation(periods)
	if groups > 0 {
		distinct := &plan.Project{In: windows, Distinct: true}
		for i := range groups {
			distinct.Values = append(distinct.Values, plan.Value{Column: c.column(kept[i].Name, kept[i].Type), X: inside.Values[i+1].Ref()})
		}
		blank = &plan.Join{L: periods, R: distinct, Kind: plan.Cross}
		return br.withBlanks(windows, blank, period, columnsOf(distinct.Values), kept)
	}
	return br.withBlanks(windows, blank, period, nil, kept)
}

func columnsOf(values []plan.Value) []plan.Column {
	all := make([]plan.Column, len(values))
	for i, v := range values {
		all[i] = v.Column
	}
	return all
}

// withBlanks adds rows without values to those of the windows, in blank: a period
// and the groups. The columns of the union take the place of those of the rows.
func (br *branch) withBlanks(windows *plan.Shared, blank plan.Relation, period plan.Column, groups, kept []plan.Column) (plan.Relation, []plan.Column, error) {
	inside := windows.Columns()
	u := &plan.Union{In: []plan.Relation{windows, blank}}
	dims := slices.Clone(br.columns)
	u.Out = append(u.Out, plan.UnionColumn{Column: br.rows.c.column(br.period.out, br.period.typ), From: []int{inside[0].ID, period.ID}})
	dims[br.periodAt] = u.Out[0].Column
	for i, k := range kept {
		out := plan.UnionColumn{Column: k, From: []int{inside[i+1].ID, 0}}
		if i < len(groups) {
			out.From[1] = groups[i].ID
		}
		u.Out = append(u.Out, out)
	}
	return u, dims, nil
}

// bounds lists periods with the first day of the window that ends with each and the
// first day after it, and gives the condition that a day is between them.
func (br *branch) bounds(spine *plan.Spine, day plan.Column) (*plan.Shared, expression.Node, error) {
	c, w := br.rows.c, br.under.window
	p := &plan.Project{In: spine}
	add := func(name string, x expression.Node) expression.Node {
		v := plan.Value{Column: c.column(name, x.Type()), X: x}
		p.Values = append(p.Values, v)
		return v.Ref()
	}
	period := expression.As(spine.Out.Ref(), sdk.TypeDate)
	add("period", spine.Out.Ref())
	end, err := c.moved(period, 1, br.period.Grain)
	if err != nil {
		return nil, nil, err
	}
	on := expression.Node(&expression.Binary{Op: expression.Less, Left: day.Ref(), Right: add("until", end)})
	var from expression.Node
	switch {
	case w.ToDate != "":
		from = expression.As(trunc(w.ToDate, period), sdk.TypeDate)
	case w.Window.N > 0:
		if from, err = c.moved(end, -w.Window.N, w.Window.Grain); err != nil {
			return nil, nil, err
		}
	}
	if from != nil {
		on = expression.Conjoin(&expression.Binary{Op: expression.GreaterEqual, Left: day.Ref(), Right: add("since", from)}, on)
	}
	return &plan.Shared{In: p, Name: "periods"}, on, nil
}

// addsUp reports whether all that the branch measures can be put together from values
// of days.
func (br *branch) addsUp() bool {
	return len(br.keys) == 0 && !slices.ContainsFunc(br.bases, func(b *base) bool {
		return b.measure != nil && b.measure.NonAdditive != nil || b.rollup() == Holistic
	})
}

// pitch is the period that days are put together in before windows are made of them:
// the one of the request where windows begin and end with it.
func (br *branch) pitch() dialect.Grain {
	w, g := br.under.window, br.period.Grain
	switch {
	case w.ToDate != "" && !multiple(model.Period{N: 1, Grain: w.ToDate}, g):
		return dialect.Day
	case w.ToDate == "" && w.Window.N > 0 && !multiple(w.Window, g):
		return dialect.Day
	}
	return g
}
