package compile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := zoneOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	m, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStartOfDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, zone, day, want string }{
		{"UTC", "", "2024-05-15", "2024-05-15T00:00:00Z"},
		{"an offset", "+05:30", "2024-05-15", "2024-05-14T18:30:00Z"},
		{"the day on which summer begins", "Europe/Berlin", "2024-03-31", "2024-03-30T23:00:00Z"},
		{"the day after", "Europe/Berlin", "2024-04-01", "2024-03-31T22:00:00Z"},
		{"the day on which it ends", "Europe/Berlin", "2024-10-27", "2024-10-26T22:00:00Z"},
		{"the day after that", "Europe/Berlin", "2024-10-28", "2024-10-27T23:00:00Z"},
		{"a midnight that is left out", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		{"a midnight before which an hour is repeated", "America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"},
		{"a midnight that comes twice", "America/Havana", "2024-11-03", "2024-11-03T04:00:00Z"},
		{"a day that is left out", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"before standard time", "Europe/Berlin", "1880-01-01", "1879-12-31T23:06:32Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			day, err := time.Parse(time.DateOnly, tt.day)
			if err != nil {
				t.Fatal(err)
			}
			if got := startOf(day, location(t, tt.zone)).UTC().Format(time.RFC3339); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestStartOfEveryDay holds the beginning of days to what clocks show, in zones
// with all kinds of changes.
func TestStartOfEveryDay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Asia/Tehran", "Australia/Lord_Howe", "Africa/Casablanca", "America/St_Johns"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := location(t, name)
			days := 0
			for day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2026; day = day.AddDate(0, 0, 1) {
				first := startOf(day, zone)
				if shown(first).Before(day) || !shown(first.Add(-time.Microsecond)).Before(day) {
					t.Fatalf("%s begins at %s", day.Format(time.DateOnly), first)
				}
				days++
			}
			if days != 13149 {
				t.Errorf("%d days", days)
			}
		})
	}
}

func TestIntervals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, now, zone string
		r               DateRange
		want            string
	}{
		{name: "days, the last one included", r: DateRange{From: "2024-05-01", To: "2024-05-31"}, want: "2024-05-01T00:00:00Z 2024-06-01T00:00:00Z"},
		{name: "one day", r: DateRange{From: "2024-05-15", To: "2024-05-15"}, want: "2024-05-15T00:00:00Z 2024-05-16T00:00:00Z"},
		{name: "in a zone", zone: "Europe/Berlin", r: DateRange{From: "2024-03-31", To: "2024-03-31"}, want: "2024-03-30T23:00:00Z 2024-03-31T22:00:00Z"},
		{name: "25 hours", zone: "Europe/Berlin", r: DateRange{From: "2024-10-27", To: "2024-10-27"}, want: "2024-10-26T22:00:00Z 2024-10-27T23:00:00Z"},
		{name: "months", r: DateRange{From: "2024-02", To: "2024-03"}, want: "2024-02-01T00:00:00Z 2024-04-01T00:00:00Z"},
		{name: "a quarter", r: DateRange{From: "2024-Q2", To: "2024-q2"}, want: "2024-04-01T00:00:00Z 2024-07-01T00:00:00Z"},
		{name: "a year", r: DateRange{From: "2024", To: "2024"}, want: "2024-01-01T00:00:00Z 2025-01-01T00:00:00Z"},
		{name: "open at the end", r: DateRange{From: "2024-05-15"}, want: "2024-05-15T00:00:00Z -"},
		{name: "open at the start", r: DateRange{To: "2024-05-15"}, want: "- 2024-05-16T00:00:00Z"},
		{name: "instants, both included", r: DateRange{From: "2024-05-15T10:00:00+02:00", To: "2024-05-15T12:30:00.5Z"}, want: "2024-05-15T08:00:00Z 2024-05-15T12:30:00.5Z included"},
		{name: "times of the zone", zone: "America/New_York", r: DateRange{From: "2024-05-15 10:00", To: "2024-05-15T11:00:30"}, want: "2024-05-15T14:00:00Z 2024-05-15T15:00:30Z included"},
		{name: "an instant and a day", r: DateRange{From: "2024-05-15T10:00Z", To: "2024-05-15"}, want: "2024-05-15T10:00:00Z 2024-05-16T00:00:00Z"},
		{name: "one moment", r: DateRange{From: "2024-05-15T10:00Z", To: "2024-05-15T10:00Z"}, want: "2024-05-15T10:00:00Z 2024-05-15T10:00:00Z included"},

		{name: "today", r: DateRange{Relative: "today"}, want: "2024-03-15T00:00:00Z 2024-03-16T00:00:00Z"},
		{name: "today, which is tomorrow elsewhere", zone: "Pacific/Auckland", r: DateRange{Relative: "today"}, want: "2024-03-15T11:00:00Z 2024-03-16T11:00:00Z"},
		{name: "yesterday", r: DateRange{Relative: "yesterday"}, want: "2024-03-14T00:00:00Z 2024-03-15T00:00:00Z"},
		{name: "tomorrow", r: DateRange{Relative: "Tomorrow"}, want: "2024-03-16T00:00:00Z 2024-03-17T00:00:00Z"},
		{name: "whole days before today", r: DateRange{Relative: "last 7 days"}, want: "2024-03-08T00:00:00Z 2024-03-15T00:00:00Z"},
		{name: "the week from Monday on", r: DateRange{Relative: "this week"}, want: "2024-03-11T00:00:00Z 2024-03-18T00:00:00Z"},
		{name: "this week on a Sunday", now: "2024-03-17T23:59:59Z", r: DateRange{Relative: "this week"}, want: "2024-03-11T00:00:00Z 2024-03-18T00:00:00Z"},
		{name: "this week on a Monday", now: "2024-03-18T00:00:00Z", r: DateRange{Relative: "this week"}, want: "2024-03-18T00:00:00Z 2024-03-25T00:00:00Z"},
		{name: "last week", r: DateRange{Relative: "last week"}, want: "2024-03-04T00:00:00Z 2024-03-11T00:00:00Z"},
		{name: "this month", r: DateRange{Relative: "this month"}, want: "2024-03-01T00:00:00Z 2024-04-01T00:00:00Z"},
		{name: "last month, on the 31st", now: "2024-03-31T12:00:00Z", r: DateRange{Relative: "last month"}, want: "2024-02-01T00:00:00Z 2024-03-01T00:00:00Z"},
		{name: "last quarter, in the first", r: DateRange{Relative: "last quarter"}, want: "2023-10-01T00:00:00Z 2024-01-01T00:00:00Z"},
		{name: "last 12 months", r: DateRange{Relative: "last 12 months"}, want: "2023-03-01T00:00:00Z 2024-03-01T00:00:00Z"},
		{name: "past and previous are last", r: DateRange{Relative: "previous_3_quarters"}, want: "2023-04-01T00:00:00Z 2024-01-01T00:00:00Z"},
		{name: "last year", r: DateRange{Relative: "last year"}, want: "2023-01-01T00:00:00Z 2024-01-01T00:00:00Z"},
		{name: "next 2 weeks", r: DateRange{Relative: "next 2 weeks"}, want: "2024-03-18T00:00:00Z 2024-04-01T00:00:00Z"},
		{name: "next year", r: DateRange{Relative: "next year"}, want: "2025-01-01T00:00:00Z 2026-01-01T00:00:00Z"},
		{name: "year to date ends with today", r: DateRange{Relative: "year to date"}, want: "2024-01-01T00:00:00Z 2024-03-16T00:00:00Z"},
		{name: "in short", r: DateRange{Relative: "MTD"}, want: "2024-03-01T00:00:00Z 2024-03-16T00:00:00Z"},
		{name: "quarter to date", now: "2024-06-30T12:00:00Z", r: DateRange{Relative: "quarter-to-date"}, want: "2024-04-01T00:00:00Z 2024-07-01T00:00:00Z"},
		{name: "week to date", r: DateRange{Relative: "week to date"}, want: "2024-03-11T00:00:00Z 2024-03-16T00:00:00Z"},
		{name: "since", r: DateRange{Relative: "since 2024-01"}, want: "2024-01-01T00:00:00Z -"},
		{name: "until", r: DateRange{Relative: "until 2024-01"}, want: "- 2024-02-01T00:00:00Z"},
		{name: "whole hours", r: DateRange{Relative: "last 24 hours"}, want: "2024-03-14T12:00:00Z 2024-03-15T12:00:00Z"},
		{name: "hours by the clock of the zone", now: "2024-03-15T12:10:00Z", zone: "+05:30", r: DateRange{Relative: "last hour"}, want: "2024-03-15T10:30:00Z 2024-03-15T11:30:00Z"},
		{name: "hours as they pass when clocks change", now: "2024-03-31T03:30:00Z", zone: "Europe/Berlin", r: DateRange{Relative: "last 4 hours"}, want: "2024-03-30T23:00:00Z 2024-03-31T03:00:00Z"},
		{name: "this minute", now: "2024-03-15T12:10:40Z", r: DateRange{Relative: "this minute"}, want: "2024-03-15T12:10:00Z 2024-03-15T12:11:00Z"},
		{name: "today, on the day on which summer begins", now: "2024-03-31T12:00:00Z", zone: "Europe/Berlin", r: DateRange{Relative: "today"}, want: "2024-03-30T23:00:00Z 2024-03-31T22:00:00Z"},

		{name: "a day that there is not", r: DateRange{From: "2023-02-29", To: "2023-03-01"}, want: `error: date_range: "2023-02-29" is no date or time`},
		{name: "another order", r: DateRange{From: "31.05.2024"}, want: `error: date_range: "31.05.2024" is no date or time`},
		{name: "an hour that is left out", zone: "Europe/Berlin", r: DateRange{From: "2024-03-31 02:30"}, want: `error: date_range: "2024-03-31 02:30" is left out in Europe/Berlin, where clocks change`},
		{name: "an hour that comes twice", zone: "Europe/Berlin", r: DateRange{From: "2024-10-27 02:30"}, want: `error: date_range: "2024-10-27 02:30" comes twice in Europe/Berlin, where clocks change`},
		{name: "nanoseconds", r: DateRange{From: "2024-05-15T10:00:00.123456789Z"}, want: `error: date_range: "2024-05-15T10:00:00.123456789Z" is no date or time`},
		{name: "the ends the wrong way round", r: DateRange{Field: "o.at", From: "2024-06-01", To: "2024-05-01"}, want: `error: date_range of o.at: it ends before it begins: 2024-06-01 to 2024-05-01`},
		{name: "no ends", want: `error: date_range: it has no ends`},
		{name: "both kinds", r: DateRange{From: "2024", Relative: "today"}, want: `error: date_range: it has both a relative range and ends`},
		{name: "no number", r: DateRange{Relative: "last days"}, want: `error: date_range: "last days" is no range of time`},
		{name: "none of them", r: DateRange{Relative: "last 0 days"}, want: `error: date_range: "last 0 days" is no range of time`},
		{name: "minus", r: DateRange{Relative: "last -7 days"}, want: `error: date_range: "last -7 days" is no range of time`},
		{name: "several of the current", r: DateRange{Relative: "this 3 months"}, want: `error: date_range: "this 3 months" is no range of time`},
		{name: "hour to date", r: DateRange{Relative: "hour to date"}, want: `error: date_range: "hour to date" is no range of time`},
		{name: "before the first year", r: DateRange{Relative: "last 99999 years"}, want: `error: date_range: "last 99999 years" leaves the years 1 to 9999`},
		{name: "long text", r: DateRange{Relative: strings.Repeat("last ", 50)}, want: `is no range of time`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := at(t, "2024-03-15T12:00:00Z")
			if tt.now != "" {
				now = at(t, tt.now)
			}
			i, err := tt.r.interval(now, location(t, tt.zone))
			if err != nil {
				e, ok := errors.AsType[*Error](err)
				if !ok || e.Code != CodeInvalidRequest || e.Fix == "" {
					t.Errorf("%v is no refusal with a fix", err)
				}
				if !strings.HasPrefix("error: "+err.Error(), tt.want) && !strings.HasSuffix(err.Error(), tt.want) {
					t.Errorf("%v, want %s", err, tt.want)
				}
				return
			}
			if got := spell(i); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// spell writes the moments of an interval in UTC.
func spell(i interval) string {
	end := func(b *bound) string {
		switch {
		case b == nil:
			return "-"
		case b.closed:
			return b.at.UTC().Format(time.RFC3339Nano) + " included"
		}
		return b.at.UTC().Format(time.RFC3339Nano)
	}
	return end(i.from) + " " + end(i.until)
}

// TestRelativeSpelling: a range is spelled in one way, which means the same.
func TestRelativeSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"past  7   DAYS": "last 7 days", "last 1 month": "last month", "last_1_months": "last month", "current day": "today",
		"yesterday": "last day", "ytd": "year to date", "following 2 quarters": "next 2 quarters", "since 2024-01-01": "since 2024-01-01",
		"UNTIL 2024-Q1": "until 2024-Q1", "this hour": "this hour",
	} {
		r, ok := parseRelative(text)
		if !ok || r.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, r, ok, want)
			continue
		}
		again, ok := parseRelative(r.String())
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(relative{})); diff != "" || !ok {
			t.Errorf("%s is read as something else: %s", r, diff)
		}
	}
}

func TestIntervalCondition(t *testing.T) {
	t.Parallel()
	name := &expression.Name{Parts: []string{"o", "at"}}
	days, moments := DateRange{From: "2024-05-01", To: "2024-05-31"}, DateRange{From: "2024-05-01T10:00:00+02:00", To: "2024-05-31 12:00"}
	for _, tt := range []struct {
		name, zone string
		r          DateRange
		field      filterField
		want       string
	}{
		{"a date", "America/New_York", days, filterField{Type: sdk.TypeDate}, "o.at >= DATE '2024-05-01' AND o.at < DATE '2024-06-01'"},
		{"a timestamp", "", days, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 00:00:00' AND o.at < TIMESTAMP '2024-06-01 00:00:00'"},
		{"a timestamp in UTC for another zone", "America/New_York", days, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 04:00:00' AND o.at < TIMESTAMP '2024-06-01 04:00:00'"},
		{"a timestamp of the zone itself", "America/New_York", days, filterField{Type: sdk.TypeTimestamp, Zone: "America/New_York"}, "o.at >= TIMESTAMP '2024-05-01 00:00:00' AND o.at < TIMESTAMP '2024-06-01 00:00:00'"},
		{"a timestamp of another zone", "America/New_York", days, filterField{Type: sdk.TypeTimestamp, Zone: "Europe/Berlin"}, "o.at >= TIMESTAMP '2024-05-01 06:00:00' AND o.at < TIMESTAMP '2024-06-01 06:00:00'"},
		{"an instant", "Europe/Berlin", days, filterField{Type: sdk.TypeTimestampTZ}, "o.at >= TIMESTAMPTZ '2024-04-30 22:00:00+00:00' AND o.at < TIMESTAMPTZ '2024-05-31 22:00:00+00:00'"},
		{"moments", "", moments, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 08:00:00' AND o.at <= TIMESTAMP '2024-05-31 12:00:00'"},
		{"how it is stored is not known", "", days, filterField{Time: true}, "error: w: how o.at is stored is not known, and a time could be compared with text"},
		{"open", "", DateRange{From: "2024-05-01"}, filterField{Type: sdk.TypeDate}, "o.at >= DATE '2024-05-01'"},
		{"moments of a date", "", moments, filterField{Type: sdk.TypeDate}, "error: w: o.at has days and no times of day"},
		{"days of another zone, and how it is stored is not known", "Europe/Berlin", days, filterField{Time: true}, "error: w: how o.at is stored is not known, and a time could be compared with text"},
		{"no time", "", days, filterField{Type: sdk.TypeText}, "error: w: o.at is text, not a time"},
		{"the end of time", "", DateRange{From: "2024-05-01", To: "9999-12-31"}, filterField{Type: sdk.TypeDate}, "error: w: the range leaves the years 1 to 9999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i, err := tt.r.interval(at(t, "2024-03-15T12:00:00Z"), location(t, tt.zone))
			if err != nil {
				t.Fatal(err)
			}
			tt.field.Name = name
			tree, err := i.condition("w", tt.field)
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = expression.String(tree)
			}
			if got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestIntervalWords(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]DateRange{
		"from 2024-05-01 to 2024-05-31": {From: "2024-05-01", To: "2024-05"},
		"from 2024-05-01":               {From: "2024-05"},
		"to 2024-02-29":                 {To: "2024-02"},
		"from 2024-03-08 to 2024-03-14": {Relative: "last 7 days"},
		"from 2024-03-15 11:00:00 +00:00 to before 2024-03-15 12:00:00 +00:00": {Relative: "last hour"},
		"from 2024-05-01 10:00:00 +00:00 to 2024-05-01 11:00:00 +00:00":        {From: "2024-05-01 10:00", To: "2024-05-01 11:00"},
	} {
		i, err := r.interval(at(t, "2024-03-15T12:00:00Z"), time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if i.String() != want {
			t.Errorf("%s, want %s", i, want)
		}
	}
}

func FuzzDateRange(f *testing.F) {
	for _, seed := range []string{"last 7 days", "2024-05-15", "2024-05-15T13:14:15.5+02:00", "since 2024-Q1", "year to date", "2024-01 to 2024-02", "until 9999"} {
		f.Add(seed, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, zoneName string) {
		zone, err := zoneOf(zoneName)
		if err != nil {
			zone = time.UTC
		}
		r, err := rangeOf("range", []string{text})
		if err != nil {
			return
		}
		i, err := r.interval(time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC), zone)
		if err != nil {
			return
		}
		if i.from == nil && i.until == nil {
			t.Fatalf("%q has no ends", text)
		}
		if i.from != nil && i.until != nil && i.from.at.After(i.until.at) {
			t.Fatalf("%q ends before it begins: %s", text, spell(i))
		}
		field := filterField{Name: &expression.Name{Parts: []string{"x"}}, Type: sdk.TypeTimestamp}
		if tree, err := i.condition("range", field); err == nil {
			if _, err := expression.Parse(expression.String(tree)); err != nil {
				t.Fatalf("%q: %s: %v", text, expression.String(tree), err)
			}
		}
	})
}
