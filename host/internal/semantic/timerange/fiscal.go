package timerange

import (
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// Year says by which year a range of quarters or years goes.
type Year uint8

const (
	UnsaidYear Year = iota
	CalendarYear
	FiscalYear
)

var yearWords = map[string]Year{"calendar": CalendarYear, "fiscal": FiscalYear}

func (y Year) prefix() string {
	switch y {
	case CalendarYear:
		return "calendar "
	case FiscalYear:
		return "fiscal "
	}
	return ""
}

// cutYear removes the word calendar or fiscal from the words of a range; said = there is exactly one.
func cutYear(words []string) (year Year, rest []string, said bool) {
	isYear := func(word string) bool { return yearWords[word] != UnsaidYear }
	at := slices.IndexFunc(words, isYear)
	if at < 0 || at == len(words)-1 {
		return UnsaidYear, words, false
	}
	rest = slices.Concat(words[:at], words[at+1:])
	return yearWords[words[at]], rest, !slices.ContainsFunc(rest, isYear)
}

// by returns the range by a year; false where the range has no such form. A calendar week or month is a
// week or a month.
func (r Relative) by(year Year, ok bool) (Relative, bool) {
	dated := r.kind == since || r.kind == until
	_, period := r.Periods()
	switch {
	case !ok || dated || period:
		return Relative{}, false
	case r.ofYear():
		r.year = year
		return r, true
	default:
		return r, year == CalendarYear && r.unit != dialect.Day && Coarse(r.unit)
	}
}

// ofYear reports whether the range is of quarters or years, which depend on the start of the year.
func (r Relative) ofYear() bool { return r.unit == dialect.Quarter || r.unit == dialect.Year }

// Year returns by which year the range goes; false = it is not of quarters or years.
func (r Relative) Year() (Year, bool) { return r.year, r.ofYear() }

// By returns the range of quarters or years by a year.
func (r Relative) By(year Year) Relative {
	r.year = year
	return r
}

// fiscalPeriods are names for quarters and years of the fiscal year.
var fiscalPeriods = map[dialect.Grain]dialect.Grain{"fiscal_quarter": dialect.Quarter, "fiscal_year": dialect.Year}

// OfFiscalYear returns a range of periods that are called fiscal_quarter or fiscal_year as a range of
// the fiscal year; false = its periods have other names.
func (r Relative) OfFiscalYear() (Relative, bool) {
	unit, ok := fiscalPeriods[r.unit]
	if !ok {
		return r, false
	}
	r.unit, r.year = unit, FiscalYear
	return r, true
}

// NamedFiscal returns a range of quarters or years as one of the periods fiscal_quarter or fiscal_year
// of a calendar.
func (r Relative) NamedFiscal() Relative {
	r.unit, r.year = "fiscal_"+r.unit, UnsaidYear
	return r
}

// Fiscal resolves the range as Interval does, by a fiscal year that starts on the first day of a month;
// 0 = there is none.
// Errors: those of Interval; *refusal.Error with CodeInvalidRequest where there is no fiscal year.
func (r Relative) Fiscal(where string, now time.Time, zone *time.Location, start time.Month) (Interval, error) {
	if start == 0 {
		return Interval{}, noFiscalYear(where, r)
	}
	return r.interval(where, now, zone, start)
}

func noFiscalYear(where string, r Relative) error {
	return refusal.Invalid(where, "%s goes by a fiscal year, and the project has none", refusal.Quote(r.String())).
		Advise("write %s, or set project.fiscal_year_start in loam.yaml", refusal.Quote(r.By(CalendarYear).String()))
}

// Days returns the range as its first and last day, in a form that is read as the same range; "" = an
// end is open or is not the beginning of a day.
func (i Interval) Days() string {
	if i.From == nil || i.Until == nil || i.From.Day.IsZero() || i.Until.Day.IsZero() {
		return ""
	}
	return i.From.words(0) + " to " + i.Until.words(-1)
}

// Same reports whether two intervals have the same ends.
func (i Interval) Same(o Interval) bool { return i.From.Same(o.From) && i.Until.Same(o.Until) }
