package timerange

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/dialect"
)

// Relative is a range relative to the current time, such as "last 7 days".
type Relative struct {
	kind relativeKind
	n    int
	unit dialect.Grain
	// year says by which year a range of quarters or years goes, if the text does.
	year Year
	// end is the date of since and until, as it was written.
	end string
}

type relativeKind uint8

const (
	lastUnits relativeKind = iota // n whole units before the current one
	thisUnit                      // the whole current unit
	nextUnits                     // n whole units after the current one
	toDate                        // from the beginning of the current unit to the end of today
	since                         // from the beginning of a date, unbounded
	until                         // unbounded, to the end of a date
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

// ParseRelative parses ranges such as "last 7 days", "this month", "year to date" and "last fiscal
// quarter". An unknown unit is accepted as the name of a calendar's period, see Periods: so is
// fiscal_quarter in one word. false = the text is no range.
func ParseRelative(text string) (Relative, bool) {
	if len(text) > MaxText || strings.TrimSpace(text) == "" {
		return Relative{}, false
	}
	if r, ok := parsePeriod(text); ok && strings.Contains(string(r.unit), "_") {
		return r, true
	}
	if r, ok := parseUnits(text, strings.NewReplacer("_", " ", "-to-", " to "), unitOf); ok {
		return r, true
	}
	return parsePeriod(text)
}

// parsePeriod parses a range of a calendar's periods.
func parsePeriod(text string) (Relative, bool) {
	r, ok := parseUnits(text, strings.NewReplacer("_to_date", " to date", "-to-", " to "), periodOf)
	if r.n > 1 {
		r.unit = dialect.Grain(strings.TrimSuffix(string(r.unit), "s"))
	}
	return r, ok
}

// parseUnits parses a range; unitOf parses its unit.
func parseUnits(text string, spaces *strings.Replacer, unitOf func(string) (unit dialect.Grain, plural, ok bool)) (Relative, bool) {
	words := strings.Fields(strings.ToLower(spaces.Replace(text)))
	if year, rest, said := cutYear(words); said {
		r, ok := parseUnits(strings.Join(rest, " "), spaces, unitOf)
		return r.by(year, ok)
	}
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

var periodWord = text.Pattern(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

// periodOf accepts any word as a period of a calendar: only the model knows which ones exist.
func periodOf(word string) (unit dialect.Grain, plural, ok bool) {
	_, _, known := unitOf(word)
	return dialect.Grain(word), false, !known && periodWord().MatchString(word)
}

// Periods is a range of a calendar's periods. From and To are both included, and counted from the
// period that contains today: 0 is that period, -1 the one before.
type Periods struct {
	Name     string // of the calendar's period, such as "fiscal_quarter"
	From, To int
	ToDate   bool // it ends with today
}

// Periods returns the calendar periods of the range; false = its unit is a grain of the dialect
// package, and Interval resolves it.
func (r Relative) Periods() (Periods, bool) {
	p := Periods{Name: string(r.unit), ToDate: r.kind == toDate}
	switch r.kind {
	case lastUnits:
		p.From, p.To = -r.n, -1
	case nextUnits:
		p.From, p.To = 1, r.n
	}
	return p, r.unit != "" && !slices.Contains(dialect.Grains(), r.unit)
}

// Coarse reports whether a unit consists of whole days.
func Coarse(unit dialect.Grain) bool {
	return unit != dialect.Second && unit != dialect.Minute && unit != dialect.Hour
}

// String returns the canonical spelling of the range. ParseRelative parses it to an equal Relative.
func (r Relative) String() string {
	unit := r.year.prefix() + string(r.unit)
	switch r.kind {
	case since:
		return "since " + r.end
	case until:
		return "until " + r.end
	case toDate:
		return unit + " to date"
	case thisUnit:
		if r.unit == dialect.Day {
			return "today"
		}
		return "this " + unit
	}
	word := "last"
	if r.kind == nextUnits {
		word = "next"
	}
	if r.n == 1 {
		return word + " " + unit
	}
	return word + " " + strconv.Itoa(r.n) + " " + unit + "s"
}

// Interval resolves the range at the time now in a zone, by years and quarters of the calendar. The
// range must not have calendar Periods. where is the member of the request, for the error.
// Errors: *refusal.Error with CodeInvalidRequest for an invalid date, for a range outside the
// years 1 to 9999, and for a range of the fiscal year.
func (r Relative) Interval(where string, now time.Time, zone *time.Location) (Interval, error) {
	if r.year == FiscalYear {
		return Interval{}, noFiscalYear(where, r)
	}
	return r.interval(where, now, zone, time.January)
}

// interval resolves the range by years that start in a month.
func (r Relative) interval(where string, now time.Time, zone *time.Location, start time.Month) (Interval, error) {
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
	first := beginningOf(today, r.unit, start)
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

// fine resolves a range of hours, minutes or seconds. Units begin by the zone's clock and have their
// real length, also across a clock change.
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

// BeginningOf returns the first day of the unit that contains a day. Weeks begin on Monday. Days are
// UTC midnights.
func BeginningOf(day time.Time, unit dialect.Grain) time.Time {
	return beginningOf(day, unit, time.January)
}

// beginningOf returns the first day of the unit that contains a day; years start in a month.
func beginningOf(day time.Time, unit dialect.Grain, start time.Month) time.Time {
	months := (int(day.Month()) - int(start) + 12) % 12 // since the start of the year
	switch unit {
	case dialect.Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case dialect.Month:
		return day.AddDate(0, 0, 1-day.Day())
	case dialect.Quarter:
		return time.Date(day.Year(), day.Month()-time.Month(months%3), 1, 0, 0, 0, 0, time.UTC)
	case dialect.Year:
		return time.Date(day.Year(), day.Month()-time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	}
	return day
}

// AddUnits adds n units to the first day of a unit.
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
