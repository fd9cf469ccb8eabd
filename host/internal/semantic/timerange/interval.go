package timerange

import (
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// DateForms describes the forms of one end of a range, for messages.
const DateForms = "a day as 2024-05-15, a month as 2024-05, a quarter as 2024-Q2, a year as 2024, a time of the query's zone as 2024-05-15 13:14:15, or an instant as 2024-05-15T13:14:15+02:00"

// RangeForms describes the forms of a whole range, for messages.
const RangeForms = `["2024-05-01", "2024-05-31"] with both ends included, "2024-05", "today", "yesterday", "this month", "last quarter", "last 7 days", "next 2 weeks", "year to date", "since 2024-05-01" or "until 2024-05-31"`

// Interval is a range of time in a query's zone.
// Shape: it includes From, and excludes Until unless Until is Closed; a nil end is unbounded.
type Interval struct {
	From, Until *Bound
}

// Bound is an end of an interval.
type Bound struct {
	At time.Time // in the query's zone
	// Day is the date at UTC midnight if the bound is the beginning of a day; else zero.
	Day time.Time
	// Closed says that the interval includes At. It is only set for Until.
	Closed bool
}

// Same reports whether two ends are equal; both may be nil.
func (b *Bound) Same(o *Bound) bool {
	return b == o || b != nil && o != nil && b.At.Equal(o.At) && b.Closed == o.Closed
}

// Clock returns the local time of the bound in the query's zone, labelled as UTC.
func (b *Bound) Clock() time.Time {
	if !b.Day.IsZero() {
		return b.Day
	}
	return Clock(b.At)
}

// Beginning returns the bound at the start of a day in a zone; day is its UTC midnight.
func Beginning(day time.Time, zone *time.Location) *Bound {
	return &Bound{At: startOf(day, zone), Day: day}
}

// String describes the interval by its first and last day, or by its moments.
func (i Interval) String() string {
	var parts []string
	if i.From != nil {
		parts = append(parts, "from "+i.From.words(0))
	}
	if i.Until != nil {
		last := -1 // Until is the day after the last one
		word := "to "
		if i.Until.Day.IsZero() {
			last = 0
			if !i.Until.Closed {
				word = "to before "
			}
		}
		parts = append(parts, word+i.Until.words(last))
	}
	return strings.Join(parts, " ")
}

func (b *Bound) words(days int) string {
	if b.Day.IsZero() {
		return b.At.Format("2006-01-02 15:04:05.999999999 -07:00")
	}
	return b.Day.AddDate(0, 0, days).Format(time.DateOnly)
}

// ParsePeriod parses one end of a range, and returns the interval that it covers: a day, a month, a
// quarter, a year, or a single moment. where is the member of the request, for the error.
// Errors: *refusal.Error with CodeInvalidRequest.
func ParsePeriod(where, text string, zone *time.Location) (Interval, error) {
	text = strings.TrimSpace(text)
	if len(text) > MaxText {
		return Interval{}, BadDate(where, text)
	}
	for _, layout := range []struct {
		form                string
		years, months, days int
	}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if day, err := time.Parse(layout.form, text); err == nil && day.Year() > 0 {
			return Interval{Beginning(day, zone), Beginning(day.AddDate(layout.years, layout.months, layout.days), zone)}, nil
		}
	}
	var year, quarter int
	if n, err := fmt.Sscanf(strings.ToUpper(text), "%4d-Q%1d", &year, &quarter); err == nil && n == 2 && len(text) == 7 && quarter >= 1 && quarter <= 4 && year > 0 {
		day := time.Date(year, time.Month(3*quarter-2), 1, 0, 0, 0, 0, time.UTC)
		return Interval{Beginning(day, zone), Beginning(day.AddDate(0, 3, 0), zone)}, nil
	}
	at, err := ParseMoment(where, text, zone)
	if err != nil {
		return Interval{}, err
	}
	return Interval{&Bound{At: at}, &Bound{At: at, Closed: true}}, nil
}

// MaxText is the longest text that can be a range. Units: bytes.
const MaxText = 64

// BadDate returns the refusal of a text that is not a date or time.
func BadDate(where, text string) *refusal.Error {
	return refusal.Invalid(where, "%s is no date or time", refusal.Quote(text)).Advise("write %s", DateForms)
}

// ParseMoment parses a local time of the zone, or a time with an offset.
// Units: at most microseconds.
// Errors: *refusal.Error with CodeInvalidRequest, also for a local time that a clock change skips
// or repeats.
func ParseMoment(where, text string, zone *time.Location) (time.Time, error) {
	written := text
	if len(text) > len(time.DateOnly) && (text[len(time.DateOnly)] == 'T' || text[len(time.DateOnly)] == 't') {
		text = text[:len(time.DateOnly)] + " " + text[len(time.DateOnly)+1:]
	}
	if expression.SecondDigits(text) > dialect.MaxFineDigits {
		return time.Time{}, BadDate(where, written)
	}
	for _, layout := range []string{"2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil && t.UTC().Year() > 0 {
			return t.In(zone), nil
		}
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
		t, err := time.Parse(layout, text)
		if err != nil || t.Year() == 0 {
			continue
		}
		all := momentsOf(t, zone)
		if len(all) == 1 {
			return all[0], nil
		}
		how := "is left out"
		if len(all) > 1 {
			how = "comes twice"
		}
		return time.Time{}, refusal.Invalid(where, "%s %s in %s, where clocks change", refusal.Quote(written), how, zone).Advise("write it with its offset, as in 2024-05-15T13:14:15+02:00")
	}
	return time.Time{}, BadDate(where, written)
}

// Around returns the smallest interval that contains both.
func (i Interval) Around(o Interval) Interval {
	switch {
	case i.From == nil || o.From == nil:
		i.From = nil
	case o.From.At.Before(i.From.At):
		i.From = o.From
	}
	switch {
	case i.Until == nil || o.Until == nil:
		i.Until = nil
	case o.Until.At.After(i.Until.At) || o.Until.At.Equal(i.Until.At) && o.Until.Closed:
		i.Until = o.Until
	}
	return i
}

// Within returns the intersection. If they do not overlap, From is not before Until.
func (i Interval) Within(o Interval) Interval {
	if i.From == nil || o.From != nil && o.From.At.After(i.From.At) {
		i.From = o.From
	}
	switch {
	case i.Until == nil || o.Until != nil && o.Until.At.Before(i.Until.At):
		i.Until = o.Until
	case o.Until != nil && o.Until.At.Equal(i.Until.At) && !o.Until.Closed:
		i.Until = o.Until
	}
	return i
}
