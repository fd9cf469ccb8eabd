package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// prepare reads the rows of a branch that is joined to periods. Rows of values that
// add up are summed by day, or by period, before: then what is joined grows with the
// periods and not with the rows.
func (br *branch) prepare() error {
	if br.read != nil {
		return nil
	}
	if br.partial != nil && br.partial.value == nil {
		br.read, br.columns = br.regrouped()
		return nil
	}
	rows, err := br.projection()
	if err != nil {
		return err
	}
	if br.countsOnce() {
		return br.findSpells(rows)
	}
	br.read = &plan.Shared{In: rows, Name: br.rows.c.m.Source(br.home).Name + "_with_days"}
	return nil
}

// overPeriods gives every period the rows that count for it. A window has a row in
// every period for every group that has any. It returns the columns of the dimensions
// too.
func (br *branch) overPeriods() (plan.Relation, []plan.Column, error) {
	c := br.rows.c
	listed, err := br.periods()
	if err != nil {
		return nil, nil, err
	}
	periods, read, on, err := br.bounds(listed, br.columns[br.periodAt])
	if err != nil {
		return nil, nil, err
	}
	period := periods.In.(*plan.Project).Values[0].Column
	// What goes on beside the period: other dimensions, entities, inputs, keys.
	var groups, kept []plan.Column
	for i, column := range br.columns {
		switch {
		case column.ID == 0 || i == br.periodAt:
		case c.dims[i].per != nil:
			kept = append(kept, column)
		default:
			groups = append(groups, column)
		}
	}
	for _, v := range br.inputs {
		kept = append(kept, v.Column)
	}
	kept = slices.Concat(groups, kept, br.keyColumns)
	// A row has several days in one window, and counts once.
	inside := &plan.Project{In: &plan.Join{L: periods, R: read, On: on}, Distinct: len(br.keys) > 0}
	shown := inside.Compute(c.numbers, br.period.out, br.period.typ, period.Ref())
	if br.under.window() == nil {
		dims := slices.Clone(br.columns)
		dims[br.periodAt] = shown
		inside.Keep(kept...)
		return inside, dims, nil
	}
	inside.Values = append(inside.Values, plan.Renamed(c.numbers, read, kept).Values...)
	windows := &plan.Shared{In: inside, Name: c.m.Source(br.home).Name + "_in_windows"}
	if len(groups) == 0 {
		return br.withBlanks(windows, periods, period, nil, kept)
	}
	distinct := plan.Renamed(c.numbers, windows, inside.Columns()[1:1+len(groups)])
	distinct.Distinct = true
	return br.withBlanks(windows, &plan.Join{L: periods, R: distinct, Kind: plan.Cross}, period, distinct.Columns(), kept)
}

// withBlanks adds rows without values to those of the windows, in blank: a period
// and the groups. The columns of the union take the place of those of the rows.
func (br *branch) withBlanks(windows *plan.Shared, blank plan.Relation, period plan.Column, groups, kept []plan.Column) (plan.Relation, []plan.Column, error) {
	inside := windows.Columns()
	u := &plan.Union{In: []plan.Relation{windows, blank}}
	dims := slices.Clone(br.columns)
	dims[br.periodAt] = u.Stack(br.rows.c.numbers, br.period.out, br.period.typ, inside[0], period)
	for i, k := range kept {
		out := plan.UnionColumn{Column: k, From: []int{inside[i+1].ID, 0}}
		if i < len(groups) {
			out.From[1] = groups[i].ID
		}
		u.Out = append(u.Out, out)
	}
	return u, dims, nil
}

// extent is a relation of the periods that rows of a day count for, so many days later.
func (br *branch) extent(day plan.Column, days int) (plan.Relation, error) {
	c := br.rows.c
	if br.period.season != nil {
		return br.seasonExtent(day)
	}
	if days == 0 && !slices.ContainsFunc(br.steps, func(s step) bool { return s.shift != nil }) {
		return plan.Renamed(c.numbers, br.read, []plan.Column{day}), nil
	}
	x, err := br.counted(expression.As(trunc(br.period.Grain, day.Ref()), sdk.TypeDate))
	if err == nil && days > 0 {
		x, err = c.moved(x, days, dialect.Day)
	}
	p := &plan.Project{In: br.read}
	p.Compute(c.numbers, "period", sdk.TypeDate, x)
	return p, err
}

// extents are relations whose first columns are periods that are shown.
func (c *compiler) extents(d *dimension, all []plan.Relation) ([]plan.Relation, error) {
	for i, br := range c.branches {
		switch s := c.stages[i]; {
		case !br.waits():
			if at := slices.Index(c.dims, d); at >= 0 && s.dims[at].ID != 0 {
				p := &plan.Project{In: s.rel}
				p.Compute(c.numbers, "period", s.dims[at].Type, s.dims[at].Ref())
				all = append(all, p)
			}
		case br.sub != nil:
			var err error
			if all, err = br.sub.extents(d, all); err != nil {
				return nil, err
			}
		case slices.ContainsFunc(c.branches[:i], func(o *branch) bool { return o.read == br.read && slices.EqualFunc(o.steps, br.steps, sameShift) }):
		default:
			for _, day := range []plan.Column{br.columns[br.periodAt], br.lastDay} {
				if day.ID == 0 {
					continue
				}
				own, err := br.extent(day, 0)
				if err != nil {
					return nil, err
				}
				all = append(all, own)
			}
		}
	}
	return all, nil
}

func sameShift(a, b step) bool {
	return (a.shift == nil) == (b.shift == nil) && (a.shift == nil || *a.shift == *b.shift)
}

// bounds lists periods with the first day that counts for each and the first day after
// the last one, or with the one day that counts. It returns the rows too, and the
// condition that a day of them does.
func (br *branch) bounds(listed plan.Relation, day plan.Column) (*plan.Shared, plan.Relation, expression.Node, error) {
	if br.period.season != nil {
		return br.seasonBounds(listed, day)
	}
	c := br.rows.c
	p := &plan.Project{In: listed}
	each := listed.Columns()[0]
	add := func(name string, x expression.Node) expression.Node {
		return p.Compute(c.numbers, name, x.Type(), x).Ref()
	}
	compare := func(op expression.BinaryOp, x expression.Node) expression.Node {
		return binary(op, day.Ref(), x)
	}
	add("period", each.Ref())
	start, since, until, err := br.days(expression.As(each.Ref(), sdk.TypeDate))
	if err != nil {
		return nil, nil, nil, err
	}
	read := br.read
	if s, err := br.sinceSeason(); err != nil {
		return nil, nil, nil, err
	} else if s != nil {
		if p.In, since, err = s.since(p.In, start); err != nil {
			return nil, nil, nil, err
		}
		if read, _, err = br.member(s, day); err != nil {
			return nil, nil, nil, err
		}
	}
	shared := &plan.Shared{In: p, Name: "periods"}
	if until == nil {
		return shared, read, compare(expression.Equal, add("earlier", start)), nil
	}
	on := compare(expression.Less, add("until", until))
	if since != nil {
		on = expression.Conjoin(compare(expression.GreaterEqual, add("since", since)), on)
	}
	return shared, read, on, nil
}

// days follows the steps from a period: to the start of an earlier one, or, where a
// window is opened, to its first day and the one after its last; since is nil where it
// has no beginning, until where there is no window.
func (br *branch) days(period expression.Node) (start, since, until expression.Node, err error) {
	c := br.rows.c
	start = period
	move := func(x expression.Node, n int, g dialect.Grain) expression.Node {
		if x == nil || err != nil {
			return nil
		}
		x, err = c.moved(x, n, g)
		return x
	}
	for _, s := range br.steps {
		switch w := s.window; {
		case w != nil:
			until = move(start, 1, br.period.Grain)
			switch {
			case isPeriod(w.ToDate): // the calendar knows it
			case w.ToDate != "":
				since = expression.As(trunc(w.ToDate, start), sdk.TypeDate)
			case w.Window.N > 0:
				since = move(until, -w.Window.N, w.Window.Grain)
			}
		case until == nil:
			start = move(start, -s.shift.N, s.shift.Grain)
		default:
			since = move(since, -s.shift.N, s.shift.Grain)
			end := move(until, -s.shift.N, s.shift.Grain)
			if !multiple(*s.shift, br.period.Grain) {
				last := move(move(move(until, -1, dialect.Day), -s.shift.N, s.shift.Grain), 1, dialect.Day)
				end = &expression.Call{Function: "greatest", Args: []expression.Node{end, last}}
			}
			until = expression.As(end, sdk.TypeDate)
		}
	}
	return start, since, until, err
}

// madeOf reports whether all periods of a branch, and its windows, are made of others.
func (br *branch) madeOf(g dialect.Grain) bool {
	switch {
	case g == dialect.Day || br.period == nil:
		return true
	case br.period.season != nil || br.seasonal() || !multiple(model.Period{N: 1, Grain: br.period.Grain}, g):
		return false
	}
	for _, s := range br.steps {
		by := s.shift
		if w := s.window; w != nil && w.ToDate != "" {
			by = &model.Period{N: 1, Grain: w.ToDate}
		} else if w != nil && w.Window.N > 0 {
			by = &w.Window
		}
		if by != nil && !multiple(*by, g) {
			return false
		}
	}
	return true
}
