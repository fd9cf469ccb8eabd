package oracle

import (
	"strings"
	"time"

	"github.com/loam-data/loam/sdk/dialect"
)

const (
	dayLayout   = "2006-01-02"
	clockLayout = "2006-01-02 15:04:05"
)

// instant reads a date or a timestamp as it stands, whatever its zone. Before the year 0 are
// the shifted ranges of a calendar without rows.
func instant(s string) time.Time {
	if after, ok := strings.CutPrefix(s, "-"); ok {
		t := instant(after)
		return time.Date(-t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	}
	layout := clockLayout
	if len(s) == len(dayLayout) {
		layout = dayLayout
	}
	if len(s) > len(clockLayout) {
		s = s[:len(clockLayout)] // an offset of nothing, or a fraction of a second
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		panic("no date or timestamp: " + s)
	}
	return t
}

func dayOf(s string) string   { return instant(s).Format(dayLayout) }
func clockOf(s string) string { return instant(s).Format(clockLayout) }

// fine reports whether periods of the grain are parts of a day.
func fine(g dialect.Grain) bool {
	return g == dialect.Second || g == dialect.Minute || g == dialect.Hour
}

// truncate returns the start of the period that a time is in: a date, or a
// timestamp for periods that are parts of a day.
func truncate(grain, s string) string {
	return periodOf(dialect.Grain(grain), instant(s))
}

func periodOf(g dialect.Grain, t time.Time) string {
	y, m, d := t.Date()
	switch g {
	case dialect.Second:
		return t.Format(clockLayout)
	case dialect.Minute:
		return t.Format("2006-01-02 15:04:00")
	case dialect.Hour:
		return t.Format("2006-01-02 15:00:00")
	case dialect.Week:
		d -= (int(t.Weekday()) + 6) % 7 // back to Monday
	case dialect.Month:
		d = 1
	case dialect.Quarter:
		m, d = m-(m-1)%3, 1
	case dialect.Year:
		m, d = time.January, 1
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(dayLayout)
}

// addPeriods moves the start of a period by whole periods.
func addPeriods(g dialect.Grain, s string, n int) string {
	t := instant(s)
	switch g {
	case dialect.Second:
		t = t.Add(time.Duration(n) * time.Second)
	case dialect.Minute:
		t = t.Add(time.Duration(n) * time.Minute)
	case dialect.Hour:
		t = t.Add(time.Duration(n) * time.Hour)
	case dialect.Day:
		t = t.AddDate(0, 0, n)
	case dialect.Week:
		t = t.AddDate(0, 0, 7*n)
	case dialect.Month:
		t = t.AddDate(0, n, 0)
	case dialect.Quarter:
		t = t.AddDate(0, 3*n, 0)
	case dialect.Year:
		t = t.AddDate(n, 0, 0)
	}
	if len(s) == len(dayLayout) && !fine(g) {
		return t.Format(dayLayout)
	}
	return t.Format(clockLayout)
}

func daysBetween(from, to string) int {
	return int(instant(dayOf(to)).Sub(instant(dayOf(from))).Hours() / 24)
}

// field is a part of a time, as EXTRACT names it.
func field(name, s string) any {
	t := instant(s)
	_, week := t.ISOWeek()
	part, ok := map[string]int{
		"year": t.Year(), "quarter": (int(t.Month()) + 2) / 3, "month": int(t.Month()), "iso_week": week, "day": t.Day(),
		"weekday": (int(t.Weekday())+6)%7 + 1, "hour": t.Hour(), "minute": t.Minute(), "second": t.Second(),
	}[name]
	if !ok {
		panic("there is no meaning of " + name)
	}
	return float64(part)
}
