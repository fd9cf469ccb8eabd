package compile

import (
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// periodRange is a range whose ends are those of periods of a calendar: the calendar
// knows them, and a request does not.
type periodRange struct {
	timerange.Periods
	written string
	of      *calendarPeriod
	today   time.Time // in the zone of the request, as a UTC midnight
	// ends has one row, once it is planned: the first and the last day of the range,
	// which are NULL where there are no such periods.
	ends *plan.Shared
}

// periodRange finds the range that goes by periods of a calendar; nil = it goes by a
// grain of the language.
func (c *compiler) periodRange(relative timerange.Relative, field string, zone *time.Location) (*periodRange, error) {
	p, inCalendar := relative.Periods()
	if !inCalendar {
		return nil, nil
	}
	if len(c.m.FindPeriod(p.Name)) == 0 {
		return nil, refusal.Invalid("date_range", "%s is no range of time, for there is no period %s", refusal.Quote(relative.String()), p.Name).
			Meant(sqlkit.Nearest(p.Name, c.m.PeriodNames())).Advise("write one of %s", timerange.RangeForms)
	}
	s, err := c.findCalendarPeriod(field, dialect.Grain(p.Name))
	if err != nil {
		return nil, err
	}
	now := c.o.Now.In(zone)
	out := &periodRange{Periods: p, written: relative.String(), of: s, today: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)}
	c.note(fmt.Sprintf("%s: %s goes by the calendar %s and the day %s; where it does not have the day, nothing is in the range",
		field, relative, s.of.source.Name, out.today.Format(time.DateOnly)))
	return out, nil
}

// plan makes the relation of the ends.
func (r *periodRange) plan() error {
	if r.ends != nil {
		return nil
	}
	c := r.of.of.c
	today, err := periodLiteral(&dimension{typ: sdk.TypeDate}, r.today)
	if err != nil {
		return err
	}
	here, err := r.of.use()
	if err != nil {
		return err
	}
	days := r.of.of.use()
	current := &plan.Join{
		L: &plan.Filter{In: days, Cond: equal(days.Values[0].Ref(), today)}, R: here.rel, Kind: plan.Inner,
		On: equal(r.of.among(days).Ref(), here.period.Ref()), ToOne: true,
	}
	rel, all := plan.Relation(current), here
	if r.From != r.To || r.From != 0 {
		if all, err = r.of.use(); err != nil {
			return err
		}
		than := func(op expression.BinaryOp, n int) expression.Node {
			return binary(op, all.number.Ref(), binary(expression.Add, here.number.Ref(), expression.Int(int64(n))))
		}
		rel = &plan.Filter{In: &plan.Join{L: current, R: all.rel, Kind: plan.Cross}, Cond: expression.Conjoin(than(expression.GreaterEqual, r.From), than(expression.LessEqual, r.To))}
	}
	last := all.last.Ref()
	if r.ToDate {
		last = expression.As(days.Values[0].Ref(), sdk.TypeDate)
	}
	ends := &plan.Aggregate{In: rel}
	ends.Compute(c.numbers, "first", sdk.TypeDate, aggregate(expression.Min, all.first))
	ends.Compute(c.numbers, "last", sdk.TypeDate, &expression.Aggregate{Function: expression.Max, X: last})
	r.ends = &plan.Shared{Name: "range_of_" + r.of.name, In: ends}
	return nil
}

// inPeriods is what a name of a condition stands for: that a field is in the range.
type inPeriods struct {
	periods *periodRange
	field   *expression.Name
}

func (r *periodRange) stands(field *expression.Name) *expression.Name {
	return &expression.Name{Parts: []string{nameText(field) + " in " + r.written}, Means: inPeriods{r, field}}
}

// rangeNamed is the range that a name says a field is in; its zero value = it is another
// name.
func rangeNamed(n *expression.Name) inPeriods {
	in, _ := n.Means.(inPeriods)
	return in
}

// inside is the condition that the day of a field is in a range.
func (s *rowset) inside(in inPeriods, p place) (expression.Node, error) {
	ref, day, err := s.named(in.field, p)
	if err == nil && day.Type() != sdk.TypeDate {
		day, err = s.c.byDay(in.field, ref.Dimension, day)
	}
	if err != nil {
		return nil, err
	}
	if err := in.periods.plan(); err != nil {
		return nil, err
	}
	ends := s.join(in.periods, func() plan.Join {
		return plan.Join{R: plan.Renamed(s.c.numbers, in.periods.ends, in.periods.ends.Columns()), Kind: plan.Cross}
	}).Columns()
	return expression.Conjoin(binary(expression.GreaterEqual, day, ends[0].Ref()), binary(expression.LessEqual, day, ends[1].Ref())), nil
}

// toDate says how a window to date is asked for as one number, "" = it is none.
func toDate(window *model.Measure) string {
	if window == nil || window.ToDate == "" {
		return ""
	}
	return fmt.Sprintf("; as one number, ask for what it adds up with the date range %q", string(window.ToDate)+" to date")
}

// refusePeriods refuses a range whose ends nobody knows yet where periods are counted
// from them.
func (r *dateRange) refusePeriods(what string) error {
	return refusal.New(refusal.CodeNotSupported, "%s: %s goes by the ends of a range, and those of %s are known to the calendar alone", r.where, what, r.periods.written).About(r.field.String()).
		Advise("write the days, as in %s", `["2024-05-01", "2024-05-31"]`)
}
