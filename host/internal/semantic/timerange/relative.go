package timerange

import (
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// Relative is a range that depends on the day on which it is asked for.
type Relative struct {
	kind relativeKind
	n    int
	unit dialect.Grain
	// end of since and until.
	end string
}

type relativeKind uint8

const (
	lastUnits relativeKind = iota // n whole units before the current one
	thisUnit                      // the whole current unit
	nextUnits                     // n whole units after the current one
	toDate                        // from the beginning of the current unit to the end of today
	since                         // from a date on
	until                         // to a date, included
)

const maxUnits = 100_000

var relativeWords = map[string]Relative{
	"today": {kind: thisUnit, unit: dialect.Day}, "yesterday": {kind: lastUnits, n: 1, unit: dialect.Day},
	"tomorrow": {kind: nextUnits, n: 1, unit: dialect.Day},
	"ytd":      {kind: toDate, unit: dialect.Year}, "qtd": {kind: toDate, unit: dialect.Quarter},
	"mtd": {kind: toDate, unit: dialect.Month}, "wtd": {kind: toDate, unit: dialect.Week},
}

var relativeKinds = map[string]relativeKind{
	"last": lastUnits, "past": lastUnits, "previous": lastUnits, "prior": lastUnits,
	"this": thisUnit, "current": thisUnit, "next": nextUnits, "coming": nextUnits, "following": nextUnits,
}

// ParseRelative reads "last 7 days", "this month", "year to date".
func ParseRelative(text string) (Relative, bool) {
	if len(text) > MaxText {
		return Relative{}, false
	}
	words := strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-to-", " to ").Replace(text)))
	if len(words) == 1 {
		r, ok := relativeWords[words[0]]
		return r, ok
	}
	if len(words) >= 2 && (words[0] == "since" || words[0] == "until") {
		fields := strings.Fields(text)
		r := Relative{kind: since, end: strings.Join(fields[1:], " ")}
		if words[0] == "until" {
			r.kind = until
		}
		_, err := ParsePeriod("", r.end, time.UTC)
		return r, err == nil
	}
	if len(words) == 3 && words[1] == "to" && words[2] == "date" {
		unit, plural, ok := unitOf(words[0])
		return Relative{kind: toDate, unit: unit}, ok && !plural && Coarse(unit)
	}
	kind, ok := relativeKinds[words[0]]
	if !ok || len(words) > 3 {
		return Relative{}, false
	}
	r := Relative{kind: kind, n: 1}
	if kind == thisUnit {
		r.n = 0
	}
	if len(words) == 3 {
		n, err := strconv.ParseUint(words[1], 10, 31)
		if err != nil || n < 1 || n > maxUnits || kind == thisUnit {
			return Relative{}, false
		}
		r.n = int(n)
	}
	unit, plural, ok := unitOf(words[len(words)-1])
	r.unit = unit
	return r, ok && !(plural && len(words) == 2)
}

func unitOf(word string) (unit dialect.Grain, plural, ok bool) {
	for _, g := range dialect.Grains() {
		if word == string(g) || word == string(g)+"s" {
			return g, word != string(g), true
		}
	}
	return "", false, false
}

// Coarse reports whether a unit is made of whole days.
func Coarse(unit dialect.Grain) bool {
	return unit != dialect.Second && unit != dialect.Minute && unit != dialect.Hour
}

// String returns the one spelling of the range, which parseRelative reads.
func (r Relative) String() string {
	switch r.kind {
	case since:
		return "since " + r.end
	case until:
		return "until " + r.end
	case toDate:
		return string(r.unit) + " to date"
	case thisUnit:
		if r.unit == dialect.Day {
			return "today"
		}
		return "this " + string(r.unit)
	}
	word := "last"
	if r.kind == nextUnits {
		word = "next"
	}
	if r.n == 1 {
		return word + " " + string(r.unit)
	}
	return word + " " + strconv.Itoa(r.n) + " " + string(r.unit) + "s"
}

// Interval resolves the range on the day that now is in the zone.
// Errors: CodeInvalidRequest.
func (r Relative) Interval(where string, now time.Time, zone *time.Location) (Interval, error) {
	switch r.kind {
	case since, until:
		p, err := ParsePeriod(where, r.end, zone)
		if r.kind == since {
			return Interval{From: p.From}, err
		}
		return Interval{Until: p.Until}, err
	}
	now = now.In(zone)
	if !Coarse(r.unit) {
		return r.fine(now), nil
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	first := BeginningOf(today, r.unit)
	from, end := first, first
	switch r.kind {
	case lastUnits:
		from = AddUnits(first, r.unit, -r.n)
	case thisUnit:
		end = AddUnits(first, r.unit, 1)
	case nextUnits:
		from, end = AddUnits(first, r.unit, 1), AddUnits(first, r.unit, r.n+1)
	case toDate:
		end = today.AddDate(0, 0, 1)
	}
	if from.Year() < 1 || end.Year() > 9999 {
		return Interval{}, refusal.Invalid(where, "%s leaves the years 1 to 9999", refusal.Quote(r.String())).Advise("write one of %s", RangeForms)
	}
	return Interval{Beginning(from, zone), Beginning(end, zone)}, nil
}

// fine is a range of hours, minutes or seconds. They are cut by the clock of the
// zone and counted as they pass, so that an hour is an hour when clocks change.
func (r Relative) fine(now time.Time) Interval {
	unit := map[dialect.Grain]time.Duration{dialect.Hour: time.Hour, dialect.Minute: time.Minute, dialect.Second: time.Second}[r.unit]
	_, offset := now.Zone()
	shift := time.Duration(offset) * time.Second
	first := now.Add(shift).Truncate(unit).Add(-shift)
	from, end := first, first
	switch r.kind {
	case lastUnits:
		from = first.Add(-time.Duration(r.n) * unit)
	case thisUnit:
		end = first.Add(unit)
	default:
		from, end = first.Add(unit), first.Add(time.Duration(r.n+1)*unit)
	}
	return Interval{&Bound{At: from}, &Bound{At: end}}
}

// BeginningOf is the first day of the unit that a day belongs to. Weeks begin on
// Monday.
func BeginningOf(day time.Time, unit dialect.Grain) time.Time {
	switch unit {
	case dialect.Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case dialect.Month:
		return day.AddDate(0, 0, 1-day.Day())
	case dialect.Quarter:
		return time.Date(day.Year(), (day.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case dialect.Year:
		return time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return day
}

// AddUnits counts from the first day of a unit, which every unit has.
func AddUnits(first time.Time, unit dialect.Grain, n int) time.Time {
	switch unit {
	case dialect.Week:
		return first.AddDate(0, 0, 7*n)
	case dialect.Month:
		return first.AddDate(0, n, 0)
	case dialect.Quarter:
		return first.AddDate(0, 3*n, 0)
	case dialect.Year:
		return first.AddDate(n, 0, 0)
	}
	return first.AddDate(0, 0, n)
}
