package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk/dialect"
)

// context says how a measure is evaluated: with filters of its own, at another time, or
// over the groups of a total.
type context struct {
	filters []formula // of the request, for one measure
	// steps lead from a period of the result to the days whose rows are read, applied in
	// their order.
	steps []step
	// total: over the groups of within alone.
	total  bool
	within []model.Ref
	owner  model.SourceID // of within
	// part: the measure is the numerator or the denominator of a share.
	part bool
	of   *model.Measure // whose definition has the aggregate in it
}

// step is a shift to an earlier period, or a window that ends with the period. A shift
// after a window moves both ends of the window.
type step struct {
	shift  *model.Period
	window *model.Measure
}

// then is a context with one more step.
func (x context) then(s step) context {
	x.steps = append(slices.Clip(x.steps), s)
	return x
}

// window is the measure whose window is opened, nil = none is.
func (x context) window() *model.Measure {
	for _, s := range x.steps {
		if s.window != nil {
			return s.window
		}
	}
	return nil
}

// key is equal for equal contexts only.
func (x context) key() string {
	if len(x.filters) == 0 && len(x.steps) == 0 && !x.total {
		return ""
	}
	var b strings.Builder
	for _, f := range x.filters {
		fmt.Fprintf(&b, "|filter %s", expression.String(f.tree))
	}
	for _, s := range x.steps {
		if s.window != nil {
			fmt.Fprintf(&b, "|window %d", s.window.ID)
		} else {
			fmt.Fprintf(&b, "|shift %d %s", s.shift.N, s.shift.Grain)
		}
	}
	if x.total {
		fmt.Fprintf(&b, "|total %v", x.within)
	}
	return b.String()
}

// rowsKey is equal for contexts that aggregate the same rows by the same groups.
func (x context) rowsKey() string {
	x.filters = nil
	return x.key()
}

// words describes the context: ", 1 month earlier".
func (x context) words() string {
	var b strings.Builder
	for _, s := range x.steps {
		switch w := s.window; {
		case w == nil:
			fmt.Fprintf(&b, ", %d %s earlier", s.shift.N, s.shift.Grain)
		case w.ToDate != "":
			fmt.Fprintf(&b, ", since the start of the %s", w.ToDate)
		case w.Window.N > 0:
			fmt.Fprintf(&b, ", over %d %s", w.Window.N, w.Window.Grain)
		default:
			b.WriteString(", since the beginning")
		}
	}
	if x.total {
		b.WriteString(", of the coarser groups")
	}
	return b.String()
}

var monthsOf = map[dialect.Grain]int{dialect.Month: 1, dialect.Quarter: 3, dialect.Year: 12}

// weeksOf are how many weeks earlier a request by week goes back.
var weeksOf = map[dialect.Grain]int{dialect.Quarter: 13, dialect.Year: 52}

// multiple reports whether a shift by step moves the start of a period to the start of
// another.
func multiple(step model.Period, g dialect.Grain) bool {
	switch {
	case step.Grain == g, step.Grain == dialect.Week && g == dialect.Day:
		return true
	case monthsOf[g] > 0 && monthsOf[step.Grain] > 0:
		return step.N*monthsOf[step.Grain]%monthsOf[g] == 0
	}
	return false
}

// offset is the shift by p in a result by periods of a grain: a year is 52 weeks by week.
// It is false where no period of the grain is that much earlier, as a month by year.
// Without periods (""), the whole range moves.
func offset(p model.Period, g dialect.Grain) (model.Period, bool) {
	switch {
	case g == dialect.Week && weeksOf[p.Grain] > 0:
		return model.Period{N: p.N * weeksOf[p.Grain], Grain: dialect.Week}, true
	case g == "" || g == dialect.Day:
		return p, timerange.Coarse(p.Grain)
	}
	return p, multiple(p, g)
}

// offsetGrains are the grains for which offset finds a shift.
func offsetGrains(p model.Period) (all []dialect.Grain) {
	for _, g := range dialect.Grains() {
		if _, ok := offset(p, g); ok {
			all = append(all, g)
		}
	}
	return all
}

// before moves a day back by p. Where the month has no such day, as the 31st of June, it
// is the last day of that month.
func before(day time.Time, p model.Period) time.Time {
	months := monthsOf[p.Grain] * p.N
	if months == 0 {
		return timerange.AddUnits(day, p.Grain, -p.N)
	}
	first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, -months, 0)
	last := first.AddDate(0, 1, -1)
	if day.Day() > last.Day() {
		return last
	}
	return first.AddDate(0, 0, day.Day()-1)
}

// earlier moves an interval back by p. An interval that ends with a month still ends with
// one.
func earlier(i timerange.Interval, p model.Period, where string, zone *time.Location) (timerange.Interval, error) {
	var out timerange.Interval
	if err := wholeDays(i, where); err != nil {
		return out, err
	}
	if i.From != nil {
		out.From = timerange.Beginning(before(i.From.Day, p), zone)
	}
	if i.Until != nil {
		last := before(i.Until.Day.AddDate(0, 0, -1), p)
		out.Until = timerange.Beginning(later(before(i.Until.Day, p), last.AddDate(0, 0, 1)), zone)
	}
	return out, nil
}

// wholeDays refuses an interval with times of day: only whole days can be moved.
func wholeDays(i timerange.Interval, where string) error {
	for _, b := range []*timerange.Bound{i.From, i.Until} {
		if b != nil && b.Day.IsZero() {
			return refusal.New(refusal.CodeNotSupported, "%s: a range with times of day, beside a measure of an earlier time", where).Advise("leave the range or the measure out")
		}
	}
	return nil
}

// opened is the interval of a window that ends where i ends.
func opened(i timerange.Interval, m *model.Measure, name, where string, zone *time.Location) (timerange.Interval, error) {
	out := timerange.Interval{Until: i.Until}
	switch {
	case m.ToDate == "" && m.Window.N == 0:
		return out, nil
	case i.Until == nil:
		return out, refusal.New(refusal.CodeGranularity, "%s ends with a range, and there is none with an end", name).About(name).
			Advise("add a date range with an end, or a time dimension with a granularity")
	case i.Until.Day.IsZero():
		return out, refusal.New(refusal.CodeNotSupported, "%s: a range with times of day, beside a measure over days", where).Advise("let the range end with a day")
	}
	if m.ToDate != "" {
		out.From = timerange.Beginning(timerange.BeginningOf(i.Until.Day.AddDate(0, 0, -1), m.ToDate), zone)
	} else {
		out.From = timerange.Beginning(before(i.Until.Day, m.Window), zone)
	}
	return out, nil
}
