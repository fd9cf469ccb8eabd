package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// A window holds a day until windows end with a later one, the day's term. So a value
// counts in the windows that end from one of its days on, and before the term of that
// day or its next day: such intervals of a value share no day. How many values a window
// holds is how many intervals have begun when it ends, without those that are over.

// countsOnce reports whether a branch counts distinct values over windows by their
// intervals. A shift that a window is over moves its ends apart, and entities are known
// of each window alone: those are joined to the periods row by row.
func (br *branch) countsOnce() bool {
	if len(br.bases) != 1 || br.period == nil || br.under.window() == nil || br.inCalendar() {
		return false
	}
	b := br.bases[0]
	perEntity := slices.ContainsFunc(br.rows.c.dims, func(d *dimension) bool { return d.per != nil })
	return b.agg == expression.CountDistinct && !b.semiAdditive() && !perEntity && br.steps[len(br.steps)-1].window != nil
}

// intervals are numbers of values by group, and by the days from which and before which
// they count.
type intervals struct {
	rel    *plan.Shared
	groups []plan.Column
	// until is the zero column where values count for ever, and since where they do not
	// count in windows that begin on one day alone.
	from, until, since plan.Column
	// values are how many count, rows how many there are with NULL.
	values, rows plan.Column
}

// findIntervals makes intervals of the rows of a branch.
func (br *branch) findIntervals(rows *plan.Project) error {
	c, day, value := br.rows.c, br.columns[br.periodAt], br.inputs[0].Column
	out := &intervals{from: day}
	for i, column := range br.columns {
		if column.ID != 0 && i != br.periodAt {
			out.groups = append(out.groups, column)
		}
	}
	rows.Distinct = false // it is of values, however many rows have one
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
				Partition: refs(of), By: []plan.Order{{X: out.from.Ref()}}}
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

// firstDays keeps the first of the days of a value that have one term, and the last:
// all days, or those since the start of a period, which is the second result. Where each
// day has a term of its own, it keeps all.
func (br *branch) firstDays(rows *plan.Project, of []plan.Column) (plan.Relation, plan.Column) {
	c, day, w := br.rows.c, br.columns[br.periodAt], br.under.window()
	at := slices.IndexFunc(rows.Values, func(v plan.Value) bool { return v.ID == day.ID })
	all := &plan.Aggregate{In: rows}
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

// overlaps reports whether a value's next day may be before the term of one: terms of
// a period to date are the beginnings of others, unless weeks part those.
func (br *branch) overlaps() bool {
	w, g := br.under.window(), br.period.Grain
	return w.ToDate == "" || g != dialect.Day && !multiple(model.Period{N: 1, Grain: w.ToDate}, g)
}

// term is the last day of the first window that does not hold a day any more, or a day
// between that and the last day of the window before. It is nil where all hold it.
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

// once is the stage of a branch that counts each value once in every window.
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
	order := []plan.Order{{X: t.at.Ref()}, {X: t.period.Ref(), NullsFirst: true}}
	sum := func(name string, x plan.Column) plan.WindowValue {
		return plan.WindowValue{Column: c.column(name, sdk.TypeInt64), Function: plan.SumOver, X: x.Ref(), Partition: of, By: order, Frame: plan.FrameSoFar}
	}
	values, rows := sum("values_now", t.values), sum("rows_now", t.rows)
	rel := plan.Relation(&plan.Filter{In: &plan.Window{In: t.rel, Values: []plan.WindowValue{values, rows}}, Cond: known(t.period)})
	if len(t.groups) > 0 { // one that no window has rows of is not shown
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

// changes are days on which numbers of values and rows change, and the last days of the
// windows, which have a period.
type changes struct {
	rel          plan.Relation
	groups       []plan.Column
	at, period   plan.Column
	since        plan.Column // as in intervals
	values, rows plan.Column
}

// changes are the intervals as they begin and as they are over, and every group in every
// period.
func (br *branch) changes() (*changes, error) {
	c, s := br.rows.c, br.intervals
	periods, since, last, err := br.ended()
	if err != nil {
		return nil, err
	}
	blank, members := plan.Relation(periods), s.groups
	if len(members) > 0 {
		p := plan.Renamed(c.numbers, s.rel, s.groups)
		p.Distinct = true
		blank, members = &plan.Join{L: periods, R: p, Kind: plan.Cross}, p.Columns()
	}
	begun, over, none := changed{s.rel, s.values, s.rows}, s.over(c), blanks(c, blank)
	u := &plan.Union{In: []plan.Relation{begun.rel, none.rel, over.rel}}
	if s.until.ID == 0 {
		u.In = u.In[:2]
	}
	column := func(name string, t sdk.Type, from ...plan.Column) plan.Column {
		return u.Stack(c.numbers, name, t, from[:len(u.In)]...)
	}
	t := &changes{rel: u}
	for i, g := range s.groups {
		t.groups = append(t.groups, column(g.Name, g.Type, g, members[i], g))
	}
	t.at = column("at", sdk.TypeDate, s.from, last, s.until)
	t.period = column(br.period.out, br.period.typ, plan.Column{}, periods.Columns()[0], plan.Column{})
	if s.since.ID != 0 {
		t.since = column("since", sdk.TypeDate, s.since, since, plan.Column{})
	}
	t.values = column("values", sdk.TypeInt64, begun.values, none.values, over.values)
	t.rows = column("rows", sdk.TypeInt64, begun.rows, none.rows, over.rows)
	return t, nil
}

// ended lists the periods that are shown, each with the first and the last day of its
// window.
func (br *branch) ended() (periods *plan.Shared, first, last plan.Column, err error) {
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

// changed is by how much numbers of values and rows change.
type changed struct {
	rel          plan.Relation
	values, rows plan.Column
}

// over are the intervals as they end.
func (s *intervals) over(c *compiler) changed {
	p := only(s.rel, s.groups, []plan.Column{s.until})
	less := func(of plan.Column) plan.Column {
		return p.Compute(c.numbers, of.Name, of.Type, &expression.Unary{Op: expression.Negate, X: of.Ref()})
	}
	return changed{p, less(s.values), less(s.rows)}
}

// blanks change nothing.
func blanks(c *compiler, in plan.Relation) changed {
	p := only(in, in.Columns())
	nought := p.Compute(c.numbers, "nought", sdk.TypeInt64, expression.Int(0))
	return changed{p, nought, nought}
}
