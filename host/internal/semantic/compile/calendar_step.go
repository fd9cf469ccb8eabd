package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// findCalendars finds the periods of calendars that a measure goes by, before the calendars
// are planned.
func (c *compiler) findCalendars(m *model.Measure) error {
	for _, g := range []dialect.Grain{m.ToDate, m.Window.Grain, m.Offset.Grain} {
		if _, err := c.calendarPeriod(c.measureName(m), g); err != nil {
			return err
		}
	}
	return nil
}

// grain is the period that a step is a number of, or since whose beginning it looks.
func (s step) grain() dialect.Grain {
	switch {
	case s.shift != nil:
		return s.shift.Grain
	case s.window.ToDate != "":
		return s.window.ToDate
	}
	return s.window.Window.Grain
}

// stepInCalendar reports whether a step is about periods of a calendar, its own or those of
// the request, and refuses it where they do not go together.
func (br *branch) stepInCalendar(s step, measure string) (bool, error) {
	c := br.rows.c
	var shown *calendarPeriod
	if br.clock.dim != nil {
		shown = br.clock.dim.calendar
	}
	own, err := c.calendarPeriod(measure, s.grain())
	if err != nil {
		return false, err
	}
	name := nameText(br.clock.name)
	after := slices.IndexFunc(br.steps, func(o step) bool { return o.window != nil })
	if own == nil && shown == nil && (after < 0 || !isPeriod(br.steps[after].grain())) {
		return false, nil
	}
	switch {
	case br.clock.dim == nil:
		return false, refusal.New(refusal.CodeGranularity, "%s goes by the %s, and no time dimension with a granularity is among the dimensions", measure, own.name).Of(measure).
			Advise("add a time dimension with a granularity, such as {\"field\": …, \"granularity\": %q}%s", own.name, toDate(s.window))
	case s.shift == nil && (own == nil || s.window.ToDate != "" || own == shown):
	case s.shift == nil:
		return false, granularity(name, br.clock.grain(), measure+" goes by the "+own.name, dialect.Grain(own.name))
	case own == nil:
		return false, granularity(name, br.clock.grain(), measure+" goes by the "+string(s.shift.Grain)+", which is of no calendar", offsetGrains(*s.shift)...)
	case shown == nil || shown.of != own.of:
		return false, granularity(name, br.clock.grain(), measure+" goes by the "+own.name, own.of.names()...)
	case after >= 0:
		return false, refusal.New(refusal.CodeNotSupported, "%s looks at an earlier time inside of a window, by periods of a calendar", measure).Of(measure).
			Advise("define it the other way round: the window at an earlier time")
	}
	return true, nil
}

// names are those of the calendar's periods.
func (k *calendar) names() (all []dialect.Grain) {
	for _, p := range k.source.Calendar.Periods {
		all = append(all, dialect.Grain(p.Name))
	}
	return all
}

// inCalendar reports whether a branch goes by periods of a calendar.
func (br *branch) inCalendar() bool {
	return br.period != nil && len(br.steps) > 0 && (br.period.calendar != nil || slices.ContainsFunc(br.steps, func(s step) bool { return isPeriod(s.grain()) }))
}

// member is the rows of a branch whose day is in a period of a calendar, and that period.
func (br *branch) member(s *calendarPeriod, day plan.Column) (plan.Relation, expression.Node, error) {
	if err := s.of.plan(); err != nil {
		return nil, nil, err
	}
	days := s.of.use()
	value := s.among(days)
	in := &plan.Filter{In: days, Cond: known(value)}
	return &plan.Join{L: br.read, R: in, Kind: plan.Inner, On: equal(day.Ref(), days.Values[0].Ref()), ToOne: true}, value.Ref(), nil
}

// since joins to a relation the first day of the period that a day of it is in.
func (s *calendarPeriod) since(rel plan.Relation, day expression.Node) (plan.Relation, expression.Node, error) {
	all, err := s.use()
	if err != nil {
		return nil, nil, err
	}
	days := s.of.use()
	both := &plan.Join{L: days, R: all.rel, Kind: plan.Inner, On: equal(s.among(days).Ref(), all.period.Ref()), ToOne: true}
	starts := plan.Renamed(s.of.c.numbers, both, []plan.Column{days.Values[0].Column, all.first})
	return &plan.Join{L: rel, R: starts, Kind: plan.Left, On: equal(day, starts.Values[0].Ref()), ToOne: true}, starts.Values[1].Ref(), nil
}

// earlier joins the period that comes n of another one of its calendar before: the one
// with the same place in it.
func (s *calendarPeriod) earlier(rel plan.Relation, from *periodRows, n int, by *calendarPeriod) (plan.Relation, *periodRows, error) {
	c := s.of.c
	back := func(number expression.Node) expression.Node {
		return binary(expression.Subtract, number, expression.Int(int64(n)))
	}
	to, err := s.use()
	if err != nil {
		return nil, nil, err
	}
	if s == by {
		return &plan.Join{L: rel, R: to.rel, Kind: plan.Left, On: equal(back(from.number.Ref()), to.number.Ref()), ToOne: true}, to, nil
	}
	here, err := s.placed(by)
	if err != nil {
		return nil, nil, err
	}
	there, err := s.placed(by)
	if err != nil {
		return nil, nil, err
	}
	cols, others := here.Columns(), there.Columns()
	both := &plan.Project{In: &plan.Join{L: here, R: there, Kind: plan.Inner, On: expression.Conjoin(
		equal(back(cols[1].Ref()), others[1].Ref()), equal(cols[2].Ref(), others[2].Ref()))}}
	both.Compute(c.numbers, "number", sdk.TypeInt64, cols[0].Ref())
	both.Compute(c.numbers, "earlier", sdk.TypeInt64, others[0].Ref())
	rel = &plan.Join{L: rel, R: both, Kind: plan.Left, On: equal(from.number.Ref(), both.Values[0].Ref()), ToOne: true}
	return &plan.Join{L: rel, R: to.rel, Kind: plan.Left, On: equal(both.Values[1].Ref(), to.number.Ref()), ToOne: true}, to, nil
}

// placed lists periods by their number, that of the coarser period in which they begin,
// and their place in it.
func (s *calendarPeriod) placed(by *calendarPeriod) (*plan.Project, error) {
	c := s.of.c
	mine, err := s.use()
	if err != nil {
		return nil, err
	}
	theirs, err := by.use()
	if err != nil {
		return nil, err
	}
	days := s.of.use()
	rel := &plan.Join{L: mine.rel, R: days, Kind: plan.Inner, On: equal(mine.first.Ref(), days.Values[0].Ref()), ToOne: true}
	w := &plan.Window{
		In: &plan.Join{L: rel, R: theirs.rel, Kind: plan.Inner, On: equal(by.among(days).Ref(), theirs.period.Ref()), ToOne: true},
		Values: []plan.WindowValue{{
			Column: c.column("place", sdk.TypeInt64), Function: plan.RowNumber,
			Partition: []expression.Node{theirs.number.Ref()}, By: []plan.Order{{X: mine.first.Ref()}},
		}},
	}
	p := &plan.Project{In: w}
	p.Compute(c.numbers, "number", sdk.TypeInt64, mine.number.Ref())
	p.Compute(c.numbers, "part", sdk.TypeInt64, theirs.number.Ref())
	p.Compute(c.numbers, "place", sdk.TypeInt64, c.nullable(&expression.Cast{X: w.Values[0].Ref(), To: sdk.TypeInt64}))
	return p, nil
}

// opened joins the first day of the window of n periods that ends with one.
func (s *calendarPeriod) opened(rel plan.Relation, last *periodRows, n int) (plan.Relation, expression.Node, error) {
	first, err := s.use()
	if err != nil {
		return nil, nil, err
	}
	number := last.number.Ref()
	at := &expression.Case{
		Whens: []expression.When{{
			Condition: binary(expression.GreaterEqual, number, expression.Int(int64(n))),
			Result:    binary(expression.Subtract, number, expression.Int(int64(n-1))),
		}},
		Else: expression.Int(1),
	}
	p := only(rel, rel.Columns())
	key := p.Compute(s.of.c.numbers, "opens", sdk.TypeInt64, at)
	return &plan.Join{L: p, R: first.rel, Kind: plan.Left, On: equal(key.Ref(), first.number.Ref()), ToOne: true}, first.first.Ref(), nil
}

// cuts are the days of a period at which a range cuts it, counted from its first one:
// it cuts an earlier period after as many. nil = it cuts none.
type cuts struct {
	first, last *expression.Literal // of the range, the first day and the one after the last
	from, until expression.Node
}

// cuts are those of the ranges of a branch that looks at earlier periods.
func (br *branch) cuts() *cuts {
	out := &cuts{}
	if !slices.ContainsFunc(br.steps, func(s step) bool { return s.shift != nil }) {
		return out
	}
	first, last := br.rows.c.ends(br.period, br.sameTime)
	if !first.IsZero() {
		out.first, _ = expression.Date(first.Format("2006-01-02"))
	}
	if !last.IsZero() {
		out.last, _ = expression.Date(last.AddDate(0, 0, 1).Format("2006-01-02"))
	}
	return out
}

func daysBetween(a, b expression.Node) expression.Node {
	return &expression.Call{Function: "date_diff_days", Args: []expression.Node{a, b}}
}

// within finds the cuts of a period. What goes on to its end cuts nothing.
func (k *cuts) within(s *periodRows) {
	when := func(condition, x expression.Node) expression.Node {
		return &expression.Case{Whens: []expression.When{{Condition: condition, Result: x}}}
	}
	first, last := s.first.Ref(), s.last.Ref()
	if k.first != nil && k.from == nil {
		k.from = when(binary(expression.Greater, k.first, first), daysBetween(first, k.first))
	}
	switch {
	case k.until != nil:
		k.until = when(binary(expression.LessEqual, k.until, daysBetween(first, last)), k.until)
	case k.last != nil:
		k.until = when(binary(expression.LessEqual, k.last, last), daysBetween(first, k.last))
	}
}

// conditions are those that a day is between the cuts of a period.
func (k *cuts) conditions(s *periodRows, day plan.Column, add func(string, expression.Node, sdk.Type) expression.Node) (all []expression.Node) {
	if k.from == nil && k.until == nil {
		return nil
	}
	at := daysBetween(add("first", s.first.Ref(), sdk.TypeDate), day.Ref())
	for _, cut := range []struct {
		name string
		x    expression.Node
		op   expression.BinaryOp
	}{{"cut_from", k.from, expression.GreaterEqual}, {"cut_until", k.until, expression.Less}} {
		if cut.x == nil {
			continue
		}
		limit := add(cut.name, cut.x, sdk.TypeInt64)
		inside := binary(cut.op, at, limit)
		all = append(all, &expression.Logic{Op: expression.Or, Terms: []expression.Node{&expression.IsNull{X: limit}, inside}})
	}
	return all
}

// calendarExtent is a relation of the periods of a calendar that rows count for.
func (br *branch) calendarExtent(day plan.Column) (plan.Relation, error) {
	c, shown := br.rows.c, br.period.calendar
	rel, value, err := br.member(shown, day)
	if err != nil {
		return nil, err
	}
	if br.steps[0].shift != nil {
		s, err := shown.use()
		if err != nil {
			return nil, err
		}
		w := &walk{br: br, rel: s.rel, at: s, cuts: &cuts{}}
		for _, st := range br.steps {
			if st.shift == nil {
				break
			}
			if err := w.follow(st); err != nil {
				return nil, err
			}
		}
		moved := &plan.Project{In: w.rel}
		period := moved.Compute(c.numbers, "period", br.period.typ, s.period.Ref())
		rel = &plan.Join{L: rel, R: moved, Kind: plan.Inner, On: equal(value, moved.Compute(c.numbers, "earlier", br.period.typ, w.at.period.Ref()).Ref())}
		value = period.Ref()
	}
	p := &plan.Project{In: rel}
	p.Compute(c.numbers, "period", br.period.typ, value)
	return p, nil
}
