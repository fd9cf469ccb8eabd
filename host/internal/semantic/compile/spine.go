package compile

import (
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// periods lists those that a branch is joined to: of a range, else from the first to
// the last one that is shown of anything, or that its own rows count for.
func (br *branch) periods() (plan.Relation, error) {
	return br.periodsFrom(br.rows.c.ends(br.period, br.sameTime))
}

// periodsFrom lists the periods from the first to the last one; where an end is zero, as
// periods does.
func (br *branch) periodsFrom(first, last time.Time) (plan.Relation, error) {
	c := br.rows.c
	if !first.IsZero() && !last.IsZero() {
		return c.spine(br.period, first, last, nil, plan.Column{})
	}
	if br.under.window() != nil {
		return c.top.shownPeriods(c.dims[br.periodAt], first, last)
	}
	if s := br.period.calendar; s != nil {
		return s.within([2]time.Time{first, last}, nil, plan.Column{})
	}
	own, err := br.extent(br.columns[br.periodAt])
	if err != nil {
		return nil, err
	}
	// The last days of a month count for all days that it lacks.
	ends := only(own, own.Columns())
	x, err := c.moved(own.Columns()[0].Ref(), 3*len(br.steps), dialect.Day)
	ends.Compute(c.numbers, "period", sdk.TypeDate, x)
	if err != nil {
		return nil, err
	}
	return c.spine(br.period, first, last, ends, ends.Columns()...)
}

// shownPeriods lists the periods from the first to the last one that has rows of any
// measure, or from and to those that a range says.
func (c *compiler) shownPeriods(d *dimension, first, last time.Time) (plan.Relation, error) {
	ends := [2]time.Time{first, last}
	if known := c.shown[ends]; known != nil {
		return known, nil
	}
	all, err := c.extents(d, nil)
	if err != nil {
		return nil, err
	}
	rows := all[0]
	if len(all) > 1 {
		rows = c.stackedPeriods("shown", d, all...)
	}
	spine, err := c.spine(d, first, last, rows, rows.Columns()[0])
	if err != nil {
		return nil, err
	}
	if c.shown == nil {
		c.shown = map[[2]time.Time]plan.Relation{}
	}
	c.shown[ends] = &plan.Shared{In: spine, Name: "every_" + string(d.Grain)}
	return c.shown[ends], nil
}

// stackedPeriods puts periods below each other.
func (c *compiler) stackedPeriods(name string, d *dimension, all ...plan.Relation) plan.Relation {
	u := &plan.Union{In: all}
	var from []plan.Column
	for _, r := range all {
		from = append(from, r.Columns()[0])
	}
	u.Stack(c.numbers, d.out, d.typ, from...)
	return &plan.Shared{In: u, Name: name}
}

// ends are the first and the last period that are shown, as far as ranges say;
// zero = as the rows have them.
func (c *compiler) ends(d *dimension, about func(*dateRange) bool) (first, last time.Time) {
	if d.calendar != nil {
		d = d.byDay() // a period has days of a range in it
	}
	for _, r := range c.ranges {
		if !about(r) {
			continue
		}
		if b := r.From; b != nil {
			first = later(first, startIn(b.Clock(), d.Grain))
		}
		if b := r.Until; b != nil {
			end := b.Clock()
			if !b.Closed {
				end = end.Add(-time.Nanosecond)
			}
			if start := startIn(end, d.Grain); last.IsZero() || start.Before(last) {
				last = start
			}
		}
	}
	return first, last
}

// startIn is the start of the period that a time is in.
func startIn(at time.Time, g dialect.Grain) time.Time {
	switch g {
	case dialect.Second:
		return at.Truncate(time.Second)
	case dialect.Minute:
		return at.Truncate(time.Minute)
	case dialect.Hour:
		return at.Truncate(time.Hour)
	}
	return timerange.BeginningOf(at.Truncate(24*time.Hour), g)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// periodLiteral is the start of a period.
func periodLiteral(d *dimension, at time.Time) (expression.Node, error) {
	l, ok := expression.Date(at.Format(time.DateOnly))
	if d.typ == sdk.TypeTimestamp {
		l, ok = expression.Timestamp(at.Format(time.DateTime))
	}
	if !ok {
		return nil, refusal.Invalid("date_ranges", "the range leaves the years 1 to 9999").Advise("write an earlier end")
	}
	return l, nil
}

// spine lists the periods from the first to the last one. Where an end is zero, the rows
// say it: the first of days has a day of the first period, the last of days one of the last.
func (c *compiler) spine(d *dimension, first, last time.Time, rows plan.Relation, days ...plan.Column) (plan.Relation, error) {
	if d.calendar != nil {
		return d.calendar.within([2]time.Time{first, last}, rows, days[0])
	}
	if !c.has(dialect.Spine(d.Grain)) {
		return nil, unsupported(c.d.Name, "listing periods of a "+string(d.Grain), "leave fill_gaps out, and measures that add up over time")
	}
	s := &plan.Spine{Out: c.column("period", d.typ), Grain: d.Grain}
	ends := &plan.Aggregate{In: rows}
	if first.IsZero() || last.IsZero() {
		if c.has(dialect.SpineOver(d.Grain)) {
			ends.In, days = plan.Below(c.numbers, rows, days)
		}
		s.Ends = ends
	}
	for i, end := range []struct {
		to   *expression.Node
		pick expression.AggregateFunction
		name string
		at   time.Time
	}{{&s.From, expression.Min, "first", first}, {&s.To, expression.Max, "last", last}} {
		if !end.at.IsZero() {
			l, err := periodLiteral(d, end.at)
			if err != nil {
				return nil, err
			}
			*end.to = l
			continue
		}
		day := days[i*(len(days)-1)]
		*end.to = expression.As(trunc(d.Grain, ends.Compute(c.numbers, end.name+"_"+day.Name, day.Type, aggregate(end.pick, day)).Ref()), d.typ)
	}
	return s, nil
}

// trunc cuts a time to the start of its period.
func trunc(g dialect.Grain, x expression.Node) expression.Node {
	return &expression.Call{Function: "date_trunc", Args: []expression.Node{expression.Text(string(g)), x}}
}
