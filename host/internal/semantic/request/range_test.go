package request

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

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
		{name: "nanoseconds", r: DateRange{From: "2024-05-15T10:00:00.123456789Z"}, want: "2024-05-15T10:00:00.123456789Z -"},
		{name: "beyond nanoseconds", r: DateRange{From: "2024-05-15T10:00:00.1234567891Z"}, want: `error: date_range: "2024-05-15T10:00:00.1234567891Z" is no date or time`},
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
			i, err := tt.r.Interval(now, location(t, tt.zone))
			if err != nil {
				e, ok := errors.AsType[*refusal.Error](err)
				if !ok || e.Code != refusal.CodeInvalidRequest || e.Fix == "" {
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
func spell(i timerange.Interval) string {
	end := func(b *timerange.Bound) string {
		switch {
		case b == nil:
			return "-"
		case b.Closed:
			return b.At.UTC().Format(time.RFC3339Nano) + " included"
		}
		return b.At.UTC().Format(time.RFC3339Nano)
	}
	return end(i.From) + " " + end(i.Until)
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
		i, err := r.Interval(at(t, "2024-03-15T12:00:00Z"), time.UTC)
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
		zone, err := timerange.Zone(zoneName)
		if err != nil {
			zone = time.UTC
		}
		r, err := RangeOf("range", []string{text})
		if err != nil {
			return
		}
		i, err := r.Interval(time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC), zone)
		if err != nil {
			return
		}
		if i.From == nil && i.Until == nil {
			t.Fatalf("%q has no ends", text)
		}
		if i.From != nil && i.Until != nil && i.From.At.After(i.Until.At) {
			t.Fatalf("%q ends before it begins: %s", text, spell(i))
		}
	})
}

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := timerange.Zone(name)
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
