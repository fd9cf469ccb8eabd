package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// prepare plans the relation of a branch that is joined to periods. Additive values are
// summed by day, or by period, before the join, so that its size grows with the number of
// periods instead of the number of rows.
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
		return br.findIntervals(rows)
	}
	br.read = &plan.Shared{In: rows, Name: br.rows.c.m.Source(br.home).Name + "_with_days"}
	return nil
}

// overPeriods joins every period to the rows that count for it, and returns the columns of
// the dimensions too. In a window, every group with rows gets a row in every period.
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
	// The columns that are kept beside the period: other dimensions, entities, inputs, keys.
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
	// Without groups, a period without rows is one without a partner.
	alone := br.under.window() != nil && len(groups) == 0 && !c.has(dialect.Nullable)
	joined := &plan.Join{L: periods, R: read, On: on}
	if alone {
		joined.Kind = plan.Left
	}
	// A row with several days in one window counts once.
	inside := &plan.Project{In: joined, Distinct: len(br.keys) > 0}
	shown := inside.Compute(c.numbers, br.period.out, br.period.typ, period.Ref())
	if br.under.window() == nil {
		dims := slices.Clone(br.columns)
		dims[br.periodAt] = shown
		inside.Keep(kept...)
		return inside, dims, nil
	}
	if alone {
		dims := slices.Clone(br.columns)
		dims[br.periodAt] = shown
		inside.Keep(kept...)
		return inside, dims, nil
	}
	inside.Values = append(inside.Values, plan.Renamed(c.numbers, read, kept).Values...)
	windows := &plan.Shared{In: inside, Name: c.m.Source(br.home).Name + "_in_windows"}
	u, dims := br.withBlanks(windows, periods, len(groups), kept)
	return u, dims, nil
}

// withBlanks adds a row without values for each of the periods and each of the groups that
// there are to rows that consist of a period, the groups, and what else is kept. It returns
// the columns of the dimensions of the union.
func (br *branch) withBlanks(rows *plan.Shared, periods plan.Relation, groups int, kept []plan.Column) (*plan.Union, []plan.Column) {
	c, columns := br.rows.c, rows.Columns()
	blank, members := periods, []plan.Column(nil)
	if groups > 0 {
		distinct := plan.Renamed(c.numbers, rows, columns[1:1+groups])
		distinct.Distinct = true
		blank, members = &plan.Join{L: periods, R: distinct, Kind: plan.Cross}, distinct.Columns()
	}
	u := &plan.Union{In: []plan.Relation{rows, blank}}
	dims := slices.Clone(br.columns)
	dims[br.periodAt] = u.Stack(c.numbers, br.period.out, br.period.typ, columns[0], periods.Columns()[0])
	for i, k := range kept {
		out := plan.UnionColumn{Column: k, From: []int{columns[i+1].ID, 0}}
		if i < groups {
			out.From[1] = members[i].ID
		}
		u.Out = append(u.Out, out)
	}
	return u, dims
}

// extent returns a relation whose only column is the period for which the rows of a day
// count.
func (br *branch) extent(day plan.Column) (plan.Relation, error) {
	c := br.rows.c
	if br.period.calendar != nil {
		return br.calendarExtent(day)
	}
	in := br.read
	if s := br.intervals; s != nil && c.has(dialect.SpineOver(br.period.Grain)) {
		in, day = s.days, s.day
	}
	if !slices.ContainsFunc(br.steps, func(s step) bool { return s.shift != nil }) {
		return plan.Renamed(c.numbers, in, []plan.Column{day}), nil
	}
	x, err := br.counted(expression.As(trunc(br.period.Grain, day.Ref()), sdk.TypeDate))
	p := &plan.Project{In: in}
	p.Compute(c.numbers, "period", sdk.TypeDate, x)
	return p, err
}

// extents adds to all the relations of the branches whose first columns are shown periods.
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
				own, err := br.extent(day)
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

// bounds returns the periods, each with the days that count for it; the relation that has
// the rows of those days; and the condition under which a row counts for a period.
func (br *branch) bounds(listed plan.Relation, day plan.Column) (*plan.Shared, plan.Relation, expression.Node, error) {
	p, each := &plan.Project{}, listed.Columns()[0]
	add := func(name string, x expression.Node, t sdk.Type) expression.Node {
		return p.Compute(br.rows.c.numbers, name, t, x).Ref()
	}
	add("period", each.Ref(), each.Type)
	w, err := br.walk(listed)
	if err != nil {
		return nil, nil, nil, err
	}
	p.In = w.rel
	read, value := br.read, day.Ref()
	if w.in != nil {
		if read, value, err = br.member(w.in, day); err != nil {
			return nil, nil, nil, err
		}
	}
	var on []expression.Node
	switch {
	case w.until == nil && w.at != nil:
		on = append(on, equal(value, add("earlier", w.at.period.Ref(), br.period.typ)))
	case w.until == nil:
		on = append(on, equal(value, add("earlier", w.start, sdk.TypeDate)))
	default:
		on = append(on, binary(expression.Less, day.Ref(), add("until", w.until, sdk.TypeDate)))
		if w.since != nil {
			on = slices.Insert(on, 0, binary(expression.GreaterEqual, day.Ref(), add("since", w.since, sdk.TypeDate)))
		}
	}
	on = append(on, w.cuts.conditions(w.at, day, add)...)
	return &plan.Shared{In: p, Name: "periods"}, read, expression.Conjoin(on...), nil
}

// walk is the state of following the steps of a branch from its periods; rel has a row for
// each period. A shift leads to the start of an earlier period. A window has since, its first
// day (nil = it has no beginning), and until, the day after its last one (nil = there is no
// window).
type walk struct {
	cuts                *cuts
	br                  *branch
	rel                 plan.Relation
	start, since, until expression.Node
	// at is the period of a calendar that the steps lead to; nil = the period is one of the
	// language's granularities.
	at *periodRows
	// in is the kind of calendar period that a day must be in to count.
	in *calendarPeriod
}

// walk follows the steps of a branch from periods.
func (br *branch) walk(listed plan.Relation) (*walk, error) {
	w := &walk{br: br, rel: listed, cuts: br.cuts(), in: br.period.calendar}
	each := listed.Columns()[0].Ref()
	w.start = expression.As(each, sdk.TypeDate)
	if w.in != nil {
		var err error
		if w.at, err = w.in.use(); err != nil {
			return nil, err
		}
		w.rel = &plan.Join{L: listed, R: w.at.rel, Kind: plan.Inner, On: equal(each, w.at.period.Ref()), ToOne: true}
		w.start = w.at.first.Ref()
	}
	for _, s := range br.steps {
		if err := w.follow(s); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// follow follows one step.
func (w *walk) follow(s step) error {
	by, err := w.br.rows.c.calendarPeriod("", s.grain())
	switch {
	case err != nil:
		return err
	case s.window != nil:
		return w.open(s.window, by)
	case w.at == nil:
		return w.move(*s.shift)
	}
	w.cuts.within(w.at)
	w.rel, w.at, err = w.br.period.calendar.earlier(w.rel, w.at, s.shift.N, by)
	if err == nil {
		w.start = w.at.first.Ref()
	}
	return err
}

// open sets the ends of the window that ends with the period. by is the calendar period that
// the window counts in; nil = it counts in the language's granularities.
func (w *walk) open(m *model.Measure, by *calendarPeriod) (err error) {
	c, last, unit := w.br.rows.c, w.start, w.br.period.Grain
	if w.at != nil {
		last, unit = w.at.last.Ref(), dialect.Day
	}
	w.in, w.cuts.from = by, nil // a window may begin before the range
	w.until, err = c.moved(last, 1, unit)
	switch {
	case err != nil:
	case by != nil && m.ToDate != "":
		w.rel, w.since, err = by.since(w.rel, w.start)
	case by != nil:
		w.rel, w.since, err = by.opened(w.rel, w.at, m.Window.N)
	case m.ToDate != "":
		w.since = expression.As(trunc(m.ToDate, w.start), sdk.TypeDate)
	case m.Window.N > 0:
		w.since, err = c.moved(w.until, -m.Window.N, m.Window.Grain)
	}
	return err
}

// move moves the period, or the open window, to an earlier time.
func (w *walk) move(p model.Period) (err error) {
	move := w.br.rows.c.mover(&err)
	if w.until == nil {
		w.start = move(w.start, -p.N, p.Grain)
		return err
	}
	w.since = move(w.since, -p.N, p.Grain)
	end := move(w.until, -p.N, p.Grain)
	if !multiple(p, w.br.period.Grain) {
		last := move(move(move(w.until, -1, dialect.Day), -p.N, p.Grain), 1, dialect.Day)
		end = &expression.Call{Function: "greatest", Args: []expression.Node{end, last}}
	}
	w.until = expression.As(end, sdk.TypeDate)
	return err
}

// madeOf reports whether every period and every window of a branch consists of whole periods
// of a granularity.
func (br *branch) madeOf(g dialect.Grain) bool {
	switch {
	case g == dialect.Day || br.period == nil:
		return true
	case br.period.calendar != nil || br.inCalendar() || !multiple(model.Period{N: 1, Grain: br.period.Grain}, g):
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
