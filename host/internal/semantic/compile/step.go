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

// context is what a measure is taken in: conditions of its own, other times, the
// groups of a total.
type context struct {
	filters []formula // of the request, for one measure
	// steps lead from a period that is shown to the days that are read: the first one
	// is taken first.
	steps []step
	// total: over the groups of within alone.
	total  bool
	within []model.Ref
	owner  model.SourceID // of within
	// part: it is a part of a share, or the whole.
	part bool
	of   *model.Measure // whose definition has the aggregate in it
}

// step leads from a period to an earlier one, or opens the window that ends with it.
// Of days that a window has opened, a shift moves the first and the last one.
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

// key tells contexts apart.
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

// rowsKey tells contexts apart that are of other rows or groups.
func (x context) rowsKey() string {
	x.filters = nil
	return x.key()
}

// words says how a measure is taken: ", 1 month earlier".
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

// multiple reports whether a step leads from starts of periods to others.
func multiple(step model.Period, g dialect.Grain) bool {
	switch {
	case step.Grain == g, step.Grain == dialect.Week && g == dialect.Day:
		return true
	case monthsOf[g] > 0 && monthsOf[step.Grain] > 0:
		return step.N*monthsOf[step.Grain]%monthsOf[g] == 0
	}
	return false
}

// offset is how far a request by periods of a grain goes back for an earlier time,
// false where such a period has none that is so much earlier. Without periods, "", it
// is the whole range that moves.
func offset(p model.Period, g dialect.Grain) (model.Period, bool) {
	switch {
	case g == dialect.Week && weeksOf[p.Grain] > 0:
		return model.Period{N: p.N * weeksOf[p.Grain], Grain: dialect.Week}, true
	case g == "" || g == dialect.Day:
		return p, timerange.Coarse(p.Grain)
	}
	return p, multiple(p, g)
}

// offsetGrains are the grains by which there is a period that is so much earlier.
func offsetGrains(p model.Period) (all []dialect.Grain) {
	for _, g := range dialect.Grains() {
		if _, ok := offset(p, g); ok {
			all = append(all, g)
		}
	}
	return all
}

// before is the day that comes so long before another. A day that its month does not
// have is the last one of that month.
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

// earlier is the interval so long before: its first and its last day move, and what
// ends with a month goes on to the end of one.
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

// wholeDays refuses an interval with times of day, which are not those of earlier days.
func wholeDays(i timerange.Interval, where string) error {
	for _, b := range []*timerange.Bound{i.From, i.Until} {
		if b != nil && b.Day.IsZero() {
			return refusal.New(refusal.CodeNotSupported, "%s: a range with times of day, beside a measure of an earlier time", where).Advise("leave the range or the measure out")
		}
	}
	return nil
}

// opened is the window that ends with an interval.
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
