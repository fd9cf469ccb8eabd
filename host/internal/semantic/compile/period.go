package compile

import (
	"slices"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// clock is the time that measures of other times go by: a dimension of the request,
// else what its range is about.
type clock struct {
	name *expression.Name
	id   model.DimensionID
	dim  *dimension // nil = the range is the only period
}

// grain is that of its periods, "" = the range is one.
func (t *clock) grain() dialect.Grain {
	if t.dim == nil {
		return ""
	}
	return t.dim.Grain
}

// clockOf finds the time dimension that measures of other times go by, nil = there is
// none.
func (c *compiler) clockOf(measure string) (*dimension, error) {
	if c.clock != nil {
		return c.clock, nil
	}
	var found *dimension
	for _, d := range c.dims {
		switch {
		case d.Grain == "":
		case found != nil:
			one, other := found.text(), d.text()
			if one == other {
				one, other = one+"."+string(found.Grain), other+"."+string(d.Grain)
			}
			return nil, refusal.New(refusal.CodeNotSupported, "%s by two time dimensions, %s and %s, beside a measure of other times", measure, one, other).Of(measure).
				Advise("leave one of them out")
		default:
			found = d
		}
	}
	return found, nil
}

// findPeriod finds what the steps of a branch go by. One without steps can read the rows
// of those that have some, where it knows the same time.
func (br *branch) findPeriod(filters []formula, measure string) error {
	if !br.rows.c.stepped(br.home) {
		return nil
	}
	err := br.findClock(filters, measure)
	if err == nil || len(br.under.steps) > 0 {
		return err
	}
	br.clock, br.period = nil, nil
	return nil
}

// findClock finds the time that the steps of a branch go by, and other measures beside
// them.
func (br *branch) findClock(filters []formula, measure string) error {
	c, x := br.rows.c, br.under
	d, err := c.clockOf(measure)
	if err != nil {
		return err
	}
	if d != nil {
		own := d.at(br.axis)
		br.clock = &clock{own.name, own.id, own}
	} else if err := br.findRange(filters, measure); err != nil || br.clock == nil {
		return err
	}
	grain := br.clock.grain()
	for _, s := range x.steps {
		if inCalendar, err := br.stepInCalendar(s, measure); err != nil {
			return err
		} else if inCalendar && (s.shift != nil || timerange.Coarse(grain)) {
			br.steps = append(br.steps, s)
			continue
		}
		if s.window != nil && !timerange.Coarse(grain) {
			return granularity(nameText(br.clock.name), grain, measure+" goes by days", dialect.Day, dialect.Week, dialect.Month, dialect.Quarter, dialect.Year)
		}
		if s.shift != nil {
			by, ok := offset(*s.shift, grain)
			if !ok {
				return granularity(nameText(br.clock.name), grain, measure+" goes by "+strconv.Itoa(s.shift.N)+" "+string(s.shift.Grain), offsetGrains(*s.shift)...)
			}
			s.shift = &by
		}
		br.steps = append(br.steps, s)
	}
	if at := slices.Index(c.dims, d); at >= 0 && !x.total {
		br.period, br.periodAt = br.asked[at], at
	}
	if err := br.limitedAlone(filters, measure); err != nil {
		return err
	}
	return br.overSeveral(measure)
}

// limitedAlone refuses a window that a range limits on its own time alone, where others
// are shown in periods beyond it.
func (br *branch) limitedAlone(filters []formula, measure string) error {
	if br.period == nil || br.under.window() == nil || len(br.rows.c.top.times) < 2 || !br.period.axis {
		return nil
	}
	for _, f := range filters {
		if br.sameTime(f.shown) && !f.shown.axis {
			return refusal.New(refusal.CodeNotSupported, "%s: %s limits %s, and metric_time has other times beside it", f.where, f.shown.field, measure).Of(measure).
				Advise("let the range be about metric_time")
		}
	}
	return nil
}

// overSeveral finds whether a branch has a value in rows over several groups: without
// periods, the range is one.
func (br *branch) overSeveral(measure string) error {
	s := br.rows.c.summary
	if s == nil || br.period == nil {
		return nil
	}
	rolled := s.rolls(br.periodAt)
	if len(br.steps) > 0 && (br.under.window() != nil || br.period.calendar != nil) && rolled || br.spans() && s.only != nil {
		return refusal.New(refusal.CodeNotSupported, "%s goes by %s, and has no value in a row over several of its periods or groups", measure, br.period.text()).Of(measure).
			Advise("leave it, or totals and rest out")
	}
	if rolled && s.only == nil {
		br.period = nil
	}
	return nil
}

// findRange makes the range of a request without periods the one that steps go by. A
// running total without any is of all rows.
func (br *branch) findRange(filters []formula, measure string) error {
	c, w := br.rows.c, br.under.window()
	none := refusal.New(refusal.CodeGranularity, "%s goes by time, and no time dimension with a granularity is among the dimensions", measure).Of(measure).
		Advise("add a time dimension with a granularity, such as {\"field\": …, \"granularity\": \"month\"}, or a date range%s", toDate(w))
	for _, d := range c.dims {
		if d.tree == nil && d.per == nil && isTime(d.typ) {
			return none
		}
	}
	for _, f := range filters {
		switch {
		case f.shown == nil:
		case br.clock == nil:
			br.clock = &clock{name: f.shown.field.Name, id: f.shown.id}
		case !br.sameTime(f.shown):
			return refusal.New(refusal.CodeNotSupported, "%s by two times, %s and %s", measure, nameText(br.clock.name), f.shown.field).Of(measure).Advise("leave one of the ranges out")
		}
	}
	if br.clock == nil && (w == nil || w.ToDate != "" || w.Window.N > 0 || len(br.under.steps) > 1) {
		return none
	}
	return nil
}

// spans reports whether rows are joined to the periods that they count for: those of a
// window, or days that an earlier month may lack.
func (br *branch) spans() bool {
	return br.period != nil && len(br.steps) > 0 && (br.under.window() != nil || br.period.calendar != nil || !br.aligned())
}

// aligned reports whether each period has one that is so much earlier, and each of
// those one that is so much later.
func (br *branch) aligned() bool {
	return !slices.ContainsFunc(br.steps, func(s step) bool { return s.shift != nil && !multiple(*s.shift, br.period.Grain) })
}

// waits reports whether the stage of a branch is there in all periods that are shown.
func (br *branch) waits() bool {
	if br.sub != nil {
		return slices.ContainsFunc(br.sub.branches, (*branch).waits)
	}
	return br.period != nil && br.under.window() != nil
}

// periodOf is the value of a dimension in a branch: of the one that steps go by, the
// period that a row counts for.
func (br *branch) periodOf(d *dimension, value expression.Node) (expression.Node, error) {
	c := br.rows.c
	if br.period != d || len(br.steps) == 0 {
		if d.calendar == nil {
			return c.grained(d, value)
		}
		day, err := c.grained(d.byDay(), value)
		if err != nil {
			return nil, err
		}
		return br.calendarPeriodOf(d.calendar, day)
	}
	if br.spans() {
		var err error
		if br.time, err = c.grained(d.byDay(), value); err != nil {
			return nil, err
		}
		return expression.As(br.time, d.typ), nil // the spine has the period
	}
	start, err := c.grained(d, value)
	if err != nil {
		return nil, err
	}
	return br.counted(start)
}

// byDay is the dimension cut to days.
func (d *dimension) byDay() *dimension {
	day := *d
	day.Grain, day.typ, day.calendar = dialect.Day, sdk.TypeDate, nil
	return &day
}

// counted is the period that rows of one count for, at the other end of the shifts.
func (br *branch) counted(start expression.Node) (expression.Node, error) {
	for _, s := range slices.Backward(br.steps) {
		if s.shift == nil {
			continue
		}
		var err error
		if start, err = br.rows.c.moved(start, s.shift.N, s.shift.Grain); err != nil {
			return nil, err
		}
	}
	return start, nil
}

// moved adds periods to the start of one.
func (c *compiler) moved(start expression.Node, n int, g dialect.Grain) (expression.Node, error) {
	if !c.has(dialect.Add(g)) {
		return nil, unsupported(c.d.Name, "adding to a "+string(g), "use another granularity")
	}
	return expression.NewForm(dialect.Add(g), start, start.Type(), map[string]string{"n": strconv.Itoa(n)}), nil
}

// mover returns moved for several in a row, which ends with the first error.
func (c *compiler) mover(err *error) func(start expression.Node, n int, g dialect.Grain) expression.Node {
	return func(start expression.Node, n int, g dialect.Grain) (x expression.Node) {
		if start != nil && *err == nil {
			x, *err = c.moved(start, n, g)
		}
		return x
	}
}

// sameTime reports whether a range is about the dimension that a branch goes by.
func (br *branch) sameTime(r *dateRange) bool {
	return r != nil && br.clock != nil && r.id == br.clock.id && br.rows.c.samePlace(br.home, r.field.Name, br.clock.name)
}

// samePlace reports whether two names of one dimension take the same way from a source.
func (c *compiler) samePlace(home model.SourceID, a, b *expression.Name) bool {
	_, one, err := c.wayOf(home, a)
	_, other, failed := c.wayOf(home, b)
	return err == nil && failed == nil && slices.Equal(one.Steps, other.Steps)
}

// shown are the conditions on the rows of a branch: steps read other days than those
// that are shown.
func (br *branch) shown(all []formula, measure string) ([]formula, error) {
	if br.clock == nil {
		return all, nil
	}
	var out []formula
	var own *dateRange
	var span timerange.Interval
	for _, f := range all {
		if !br.sameTime(f.shown) || f.shown.periods != nil && len(br.steps) == 0 {
			out = append(out, f)
			continue
		}
		if f.shown.periods != nil {
			return nil, f.shown.refusePeriods(measure)
		}
		if own == nil {
			own = f.shown
		}
		span = span.Within(f.shown.Interval)
	}
	if own == nil && len(br.steps) == 0 {
		return out, nil
	}
	where, field := "date_ranges", br.rows.c.fieldOf(br.clock.name, model.Ref{Field: model.Field{Dimension: br.clock.id}, Source: br.clock.id.Source()})
	if own != nil {
		where, field = own.where, own.field
	}
	br.uncut = br.spans() && !br.inCalendar() && span.From != nil && span.Until != nil && br.whole(span.Until)
	span, err := br.reads(span, measure, where)
	if err != nil {
		return nil, err
	}
	br.span = span
	add := func(of limit, tree expression.Node) {
		if tree != nil {
			out = append(out, formula{tree: tree, written: br.rows.c.show(tree), where: where, limit: of})
		}
	}
	since, err := field.within(where, timerange.Interval{From: span.From})
	if err != nil {
		return nil, err
	}
	until, err := field.within(where, timerange.Interval{Until: span.Until})
	if err != nil {
		return nil, err
	}
	add(sinceLimit, since)
	add(untilLimit, until)
	if since == nil && until == nil && !br.spans() { // what has no time has no past, and is in no window
		add(knownLimit, &expression.IsNull{X: br.clock.name, Negated: true})
	}
	return out, nil
}

// limit is which condition on the time of a branch one is.
type limit int

const (
	noLimit limit = iota
	sinceLimit
	untilLimit
	knownLimit // it has a time
)

// reads is the interval that steps lead to from what is shown.
func (br *branch) reads(span timerange.Interval, measure, where string) (timerange.Interval, error) {
	zone, err := timerange.Zone(br.rows.c.r.TimeZone)
	if err != nil {
		return span, err
	}
	for _, s := range br.steps {
		switch {
		case s.window == nil && br.period != nil && br.period.calendar != nil:
			// An earlier period is cut as the shown one is, wherever it is.
			return timerange.Interval{}, wholeDays(span, where)
		case s.window == nil:
			span, err = earlier(span, *s.shift, where, zone)
		case br.period != nil:
			span.From = br.opens(span.From, s.window, zone)
		default:
			span, err = opened(span, s.window, measure, where, zone)
		}
		if err != nil {
			return span, err
		}
	}
	return span, nil
}

// opens is where the window of the first period that is shown begins, nil = nobody
// knows.
func (br *branch) opens(from *timerange.Bound, w *model.Measure, zone *time.Location) *timerange.Bound {
	if from == nil || br.period.calendar != nil || isPeriod(w.ToDate) || w.ToDate == "" && w.Window.N == 0 {
		return nil
	}
	first := startIn(from.Clock(), br.period.Grain)
	if w.ToDate != "" {
		return timerange.Beginning(timerange.BeginningOf(first, w.ToDate), zone)
	}
	return timerange.Beginning(before(timerange.AddUnits(first, br.period.Grain, 1), w.Window), zone)
}

// whole reports whether a range ends with a period, so that no earlier one is cut.
func (br *branch) whole(until *timerange.Bound) bool {
	return until == nil || !until.Day.IsZero() && br.aligned() && startIn(until.Day, br.period.Grain).Equal(until.Day)
}
