package compile

import (
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

// relative resolves a relative range on a field, and notes its days. A range of quarters or years goes by the
// year that it says. If it says none and the project has a fiscal year, it is refused with both choices, unless
// they are the same days.
//
// A calendar of the model that has a period fiscal_quarter or fiscal_year defines the fiscal year in the data:
// it goes before the month in which the project says that the fiscal year starts.
func (c *compiler) relative(p timerange.Relative, field string, zone *time.Location) (timerange.Interval, *periodRange, error) {
	where := "date_range of " + field
	if named, ok := p.OfFiscalYear(); ok && !c.hasPeriod(p) && c.o.FiscalYearStart != 0 {
		p = named
	}
	switch year, dependent := p.Year(); {
	case dependent && year == timerange.FiscalYear:
		return c.fiscal(where, p, field, zone)
	case dependent && year == timerange.UnsaidYear && c.o.FiscalYearStart != 0:
		return c.calendarOrFiscal(where, p, field, zone)
	}
	if periods, err := c.periodRange(p, field, zone); err != nil || periods != nil {
		return timerange.Interval{}, periods, err
	}
	i, err := p.Interval(where, c.o.Now, zone)
	if err == nil {
		c.noteRange(field, p, i, "")
	}
	return i, nil, err
}

// fiscal resolves a range of the fiscal year.
func (c *compiler) fiscal(where string, p timerange.Relative, field string, zone *time.Location) (timerange.Interval, *periodRange, error) {
	if c.hasPeriod(p.NamedFiscal()) {
		periods, err := c.periodRange(p.NamedFiscal(), field, zone)
		return timerange.Interval{}, periods, err
	}
	i, err := p.Fiscal(where, c.o.Now, zone, c.o.FiscalYearStart)
	if err == nil {
		c.noteRange(field, p, i, "")
	}
	return i, nil, err
}

// calendarOrFiscal resolves a range that does not say by which year it goes.
func (c *compiler) calendarOrFiscal(where string, p timerange.Relative, field string, zone *time.Location) (timerange.Interval, *periodRange, error) {
	calendar, err := p.Interval(where, c.o.Now, zone)
	if err != nil {
		return timerange.Interval{}, nil, err
	}
	if named := p.NamedFiscal(); c.hasPeriod(named) { // only the calendar knows its days
		return timerange.Interval{}, nil, ambiguousPeriod(where, p, calendar.Days(), named.String(), "a calendar of the semantic layer")
	}
	fiscal, err := p.Fiscal(where, c.o.Now, zone, c.o.FiscalYearStart)
	if err != nil {
		return timerange.Interval{}, nil, err
	}
	if !calendar.Same(fiscal) {
		return timerange.Interval{}, nil, ambiguousPeriod(where, p, calendar.Days(), fiscal.Days(), "the fiscal year, which starts in "+c.o.FiscalYearStart.String())
	}
	c.noteRange(field, p, calendar, ", by the calendar and by the fiscal year")
	return calendar, nil, nil
}

// hasPeriod reports whether a calendar of the model has the periods of a range.
func (c *compiler) hasPeriod(p timerange.Relative) bool {
	periods, named := p.Periods()
	return named && len(c.m.FindPeriod(periods.Name)) > 0
}

func (c *compiler) noteRange(field string, p timerange.Relative, i timerange.Interval, more string) {
	c.note(fmt.Sprintf("%s: %s is %s%s", field, p, i, more))
}
