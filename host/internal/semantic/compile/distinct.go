package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Distinct values over windows are counted by intervals. The term of a day is the first
// window end whose window does not contain the day. A row on day d makes its value count in
// all windows that end on d or later, and before the term of d. Where the value has a later
// day before that term, the interval ends there, so that the intervals of a value do not
// overlap. The number of distinct values of a window is the number of intervals that begin
// up to its end, minus the number that end up to it: two running sums.

// countsOnce reports whether a branch counts distinct values over windows by intervals.
// The rows of other branches are joined to the periods: a window over a shift has ends at
// uneven distances, and values per entity are computed for each window.
func (br *branch) countsOnce() bool {
	if len(br.bases) != 1 || br.period == nil || br.under.window() == nil || br.inCalendar() {
		return false
	}
	b := br.bases[0]
	perEntity := slices.ContainsFunc(br.rows.c.dims, func(d *dimension) bool { return d.per != nil })
	return b.agg == expression.CountDistinct && !b.semiAdditive() && !perEntity && br.steps[len(br.steps)-1].window != nil
}

// intervals are the numbers of values by group, first day and end.
type intervals struct {
	rel    *plan.Shared
	groups []plan.Column
	// until is the day on which the values no longer count; the zero column = they count for
	// ever. since is the first day of the windows in which they count; the zero column = they
	// count in windows with any first day.
	from, until, since plan.Column
	// days are the rows that the intervals are made of, and day their days.
	days plan.Relation
	day  plan.Column
	// values is the number of values; rows also counts the rows where the value is NULL.
	values, rows plan.Column
}

// findIntervals computes the intervals of a branch from its rows.
func (br *branch) findIntervals(rows *plan.Project) error {
	c, day, value := br.rows.c, br.columns[br.periodAt], br.inputs[0].Column
	out := &intervals{from: day, days: rows, day: day, groups: br.groups()}
	rows.Distinct = false // the aggregates below have one row per value
	of := append(slices.Clone(out.groups), value)
	rel, since := br.firstDays(rows, of)
	out.from = br.columns[br.periodAt]
	cond := expression.Node(known(out.from))
	term, err := br.term(out.from)
	if err != nil {
		return err
	}
	if since.ID != 0 && !br.overlaps() {
		out.since, term = since, nil
	}
	if term != nil {
		out.until = c.column("until", sdk.TypeDate)
		p := &plan.Project{In: rel}
		if br.overlaps() {
			next := plan.WindowValue{Column: c.column("next", sdk.TypeDate), Function: plan.FirstValue, X: out.from.Ref(), Frame: plan.FrameNext,
				Partition: refs(of), By: []plan.Order{{X: out.from.Ref(), AnyNulls: true}}}
			p.In = &plan.Window{In: rel, Values: []plan.WindowValue{next}}
			before := binary(expression.Less, next.Ref(), term)
			term = &expression.Case{Whens: []expression.When{{Condition: before, Result: next.Ref()}}, Else: term}
			cond = expression.Conjoin(cond, binary(expression.Less, out.from.Ref(), out.until.Ref()))
		}
		p.Keep(append(of, out.from, br.lastDay)...)
		p.Values = append(p.Values, plan.Value{Column: out.until, X: expression.As(term, sdk.TypeDate)})
		rel = p
	}
	a := &plan.Aggregate{In: &plan.Filter{In: rel, Cond: cond}}
	for _, column := range append(slices.Clone(out.groups), out.from, out.until, out.since) {
		if column.ID != 0 {
			a.By = append(a.By, column.ID)
		}
	}
	out.values = a.Compute(c.numbers, "values", sdk.TypeInt64, aggregate(expression.Count, value))
	out.rows = a.Compute(c.numbers, "rows", sdk.TypeInt64, aggregate(expression.Count, out.from))
	if br.lastDay.ID != 0 {
		br.lastDay = a.Compute(c.numbers, "last_day", sdk.TypeDate, aggregate(expression.Max, br.lastDay))
	}
	out.rel = &plan.Shared{In: a, Name: c.m.Source(br.home).Name + "_intervals"}
	br.read, br.intervals = out.rel, out
	return nil
}

// firstDays reduces the days of a value that have the same term to the first and the last
// one. The days of a running total all have the same term; those of a period to date do where
// they are in one period, whose start is the second result. Days of a window of fixed length
// have different terms and are kept.
func (br *branch) firstDays(rows *plan.Project, of []plan.Column) (plan.Relation, plan.Column) {
	c, day, w := br.rows.c, br.columns[br.periodAt], br.under.window()
	at := slices.IndexFunc(rows.Values, func(v plan.Value) bool { return v.ID == day.ID })
	all := &plan.Aggregate{In: rows, Many: true}
	for _, column := range of {
		all.By = append(all.By, column.ID)
	}
	if w.Window.N > 0 {
		g := br.period.Grain
		if g == dialect.Day || !br.madeOf(g) {
			return rows, plan.Column{}
		}
		rows.Values[at].X = expression.As(trunc(g, rows.Values[at].X), sdk.TypeDate)
		all.By = append(all.By, day.ID)
		return all, plan.Column{}
	}
	var since plan.Column
	if w.ToDate != "" {
		since = rows.Compute(c.numbers, string(w.ToDate), sdk.TypeDate, expression.As(trunc(w.ToDate, rows.Values[at].X), sdk.TypeDate))
		all.By = append(all.By, since.ID)
	}
	br.columns[br.periodAt] = all.Compute(c.numbers, "first_day", sdk.TypeDate, aggregate(expression.Min, day))
	br.lastDay = all.Compute(c.numbers, "last_day", sdk.TypeDate, aggregate(expression.Max, day))
	return all, since
}

// overlaps reports whether the next day of a value can be before the term of a day. In a
// period to date it cannot, because the term is the start of the next period; except by
// weeks, which can lie in two periods.
func (br *branch) overlaps() bool {
	w, g := br.under.window(), br.period.Grain
	return w.ToDate == "" || g != dialect.Day && !multiple(model.Period{N: 1, Grain: w.ToDate}, g)
}

// term returns the last day of the first window that no longer contains a day, or any day
// after the last day of the window before that one. It is nil where every later window
// contains the day.
func (br *branch) term(day plan.Column) (expression.Node, error) {
	c, w := br.rows.c, br.under.window()
	var err error
	move := c.mover(&err)
	switch by := w.Window; {
	case w.ToDate != "":
		x := move(expression.As(trunc(w.ToDate, day.Ref()), sdk.TypeDate), 1, w.ToDate)
		if g := br.period.Grain; g != dialect.Day {
			x = move(move(x, 1, g), -1, dialect.Day)
		}
		return x, err
	case by.N == 0:
		return nil, nil
	case monthsOf[by.Grain] == 0:
		return move(day.Ref(), by.N, by.Grain), err
	default:
		// A window may begin with the last day of a month that has fewer days.
		x := move(move(move(day.Ref(), 1, dialect.Day), by.N, by.Grain), -1, dialect.Day)
		return &expression.Call{Function: "greatest", Args: []expression.Node{x, move(day.Ref(), by.N, by.Grain)}}, err
	}
}

// once returns the stage of a branch that counts each value once in every window: running
// sums over the changes, at the last days of the windows.
func (br *branch) once() (*stage, error) {
	if err := br.prepare(); err != nil {
		return nil, err
	}
	t, err := br.changes()
	if err != nil {
		return nil, err
	}
	c, counted := br.rows.c, br.bases[0]
	of := refs(append(slices.Clone(t.groups), t.since))
	order := []plan.Order{{X: t.at.Ref(), AnyNulls: true}, {X: t.period.Ref(), NullsFirst: true}}
	sum := func(name string, x plan.Column) plan.WindowValue {
		return plan.WindowValue{Column: c.column(name, sdk.TypeInt64), Function: plan.SumOver, X: x.Ref(), Partition: of, By: order, Frame: plan.FrameSoFar}
	}
	values, rows := sum("values_now", t.values), sum("rows_now", t.rows)
	rel := plan.Relation(&plan.Filter{In: &plan.Window{In: t.rel, Values: []plan.WindowValue{values, rows}}, Cond: known(t.period)})
	if len(t.groups) > 0 { // a group without rows in any window is not shown
		most := plan.WindowValue{Column: c.column("most", sdk.TypeInt64), Function: plan.MaxOver, X: rows.Ref(), Partition: refs(t.groups)}
		rel = &plan.Filter{In: &plan.Window{In: rel, Values: []plan.WindowValue{most}}, Cond: binary(expression.Greater, most.Ref(), expression.Int(0))}
	}
	p := &plan.Project{In: rel}
	made := p.Compute(c.numbers, counted.called(), counted.typ, &expression.Cast{X: values.Ref(), To: sdk.TypeInt64})
	out := &stage{rel: p, values: map[*base]plan.Column{counted: made}}
	groups := t.groups
	for i, d := range br.columns {
		switch {
		case i == br.periodAt:
			d = t.period
		case d.ID != 0:
			d, groups = groups[0], groups[1:]
		}
		out.dims = append(out.dims, d)
	}
	p.Keep(out.dims...)
	return out, nil
}

// changes is a relation of two kinds of rows: days on which the numbers of values and rows
// change, and the last days of windows. Only the latter have a period.
type changes struct {
	rel          plan.Relation
	groups       []plan.Column
	at, period   plan.Column
	since        plan.Column // as in intervals
	values, rows plan.Column
}

// changes stacks the beginnings of the intervals, their ends, and every period of every
// group.
func (br *branch) changes() (*changes, error) {
	c, s := br.rows.c, br.intervals
	periods, since, last, err := br.windowEnds()
	if err != nil {
		return nil, err
	}
	blank, members := plan.Relation(periods), s.groups
	if len(members) > 0 {
		p := plan.Renamed(c.numbers, s.rel, s.groups)
		p.Distinct = true
		blank, members = &plan.Join{L: periods, R: p, Kind: plan.Cross}, p.Columns()
	}
	parts := []change{s.begun(), unchanged(c, blank)}
	none := &parts[1]
	none.groups, none.at, none.period, none.since = members, last, periods.Columns()[0], since
	switch {
	case s.until.ID == 0:
	case c.has(dialect.SpineOver(dialect.Day)): // ends would compute the intervals again
		parts[0] = s.both(c)
	default:
		parts = append(parts, s.ends(c))
	}
	u := &plan.Union{}
	for _, part := range parts {
		u.In = append(u.In, part.rel)
	}
	column := func(name string, t sdk.Type, of func(change) plan.Column) plan.Column {
		from := make([]plan.Column, len(parts))
		for i, part := range parts {
			from[i] = of(part)
		}
		return u.Stack(c.numbers, name, t, from...)
	}
	t := &changes{rel: u}
	for i, g := range s.groups {
		t.groups = append(t.groups, column(g.Name, g.Type, func(part change) plan.Column { return part.groups[i] }))
	}
	t.at = column("at", sdk.TypeDate, func(part change) plan.Column { return part.at })
	t.period = column(br.period.out, br.period.typ, func(part change) plan.Column { return part.period })
	if s.since.ID != 0 {
		t.since = column("since", sdk.TypeDate, func(part change) plan.Column { return part.since })
	}
	t.values = column("values", sdk.TypeInt64, func(part change) plan.Column { return part.values })
	t.rows = column("rows", sdk.TypeInt64, func(part change) plan.Column { return part.rows })
	return t, nil
}

// windowEnds lists the shown periods, each with the first and the last day of its window.
func (br *branch) windowEnds() (periods *plan.Shared, first, last plan.Column, err error) {
	c := br.rows.c
	listed, err := br.periods()
	if err != nil {
		return nil, first, last, err
	}
	p := &plan.Project{In: listed}
	add := func(name string, x expression.Node) plan.Column { return p.Compute(c.numbers, name, x.Type(), x) }
	add("period", listed.Columns()[0].Ref())
	w, err := br.walk(listed)
	if err != nil {
		return nil, first, last, err
	}
	until, err := c.moved(w.until, -1, dialect.Day)
	if err != nil {
		return nil, first, last, err
	}
	if w.since != nil {
		first = add("since", w.since)
	}
	return &plan.Shared{In: p, Name: "periods"}, first, add("last_day", expression.As(until, sdk.TypeDate)), nil
}

// change is a relation with the differences of the numbers of values and rows, by group and
// day. Only that of windows has periods; since is as in intervals.
type change struct {
	rel                             plan.Relation
	groups                          []plan.Column
	at, period, since, values, rows plan.Column
}

// begun returns the beginnings of the intervals.
func (s *intervals) begun() change {
	return change{rel: s.rel, groups: s.groups, at: s.from, since: s.since, values: s.values, rows: s.rows}
}

// ends returns the ends of the intervals: the numbers with a negative sign, on the day until
// which they count.
func (s *intervals) ends(c *compiler) change {
	p := only(s.rel, s.groups, []plan.Column{s.until})
	less := func(of plan.Column) plan.Column {
		return p.Compute(c.numbers, of.Name, of.Type, negated(of))
	}
	return change{rel: p, groups: s.groups, at: s.until, values: less(s.values), rows: less(s.rows)}
}

// both returns the beginnings and the ends of the intervals from one read of them: they are
// joined to two days, and the second of those makes an end.
func (s *intervals) both(c *compiler) change {
	first, _ := expression.Date("2000-01-01")
	second, _ := expression.Date("2000-01-02")
	turns := &plan.Spine{Out: c.column("turn", sdk.TypeDate), Grain: dialect.Day, From: first, To: second}
	p := only(&plan.Join{L: s.rel, R: turns, Kind: plan.Cross}, s.groups)
	either := func(name string, t sdk.Type, begin, end expression.Node) plan.Column {
		begins := equal(turns.Out.Ref(), first)
		return p.Compute(c.numbers, name, t, &expression.Case{Whens: []expression.When{{Condition: begins, Result: begin}}, Else: end})
	}
	return change{
		rel: p, groups: s.groups,
		at:     either("at", sdk.TypeDate, s.from.Ref(), s.until.Ref()),
		values: either("values", sdk.TypeInt64, s.values.Ref(), negated(s.values)),
		rows:   either("rows", sdk.TypeInt64, s.rows.Ref(), negated(s.rows)),
	}
}

func negated(c plan.Column) expression.Node {
	return &expression.Unary{Op: expression.Negate, X: c.Ref()}
}

// unchanged returns a relation with differences of zero.
func unchanged(c *compiler, in plan.Relation) change {
	p := only(in, in.Columns())
	nought := p.Compute(c.numbers, "nought", sdk.TypeInt64, expression.Int(0))
	return change{rel: p, values: nought, rows: nought}
}
