package timerange

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func locationX(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
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
			if got := startOf(day, locationX(t, tt.zone)).UTC().Format(time.RFC3339); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestStartOfEveryDay compares the beginning of days with what clocks show, in zones
// with all kinds of changes.
func TestStartOfEveryDay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Asia/Tehran", "Australia/Lord_Howe", "Africa/Casablanca", "America/St_Johns"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := locationX(t, name)
			days := 0
			for day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2026; day = day.AddDate(0, 0, 1) {
				first := startOf(day, zone)
				if Clock(first).Before(day) || !Clock(first.Add(-time.Microsecond)).Before(day) {
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

// TestRelativeSpelling: a range is spelled in one way, which means the same.
func TestRelativeSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"past  7   DAYS": "last 7 days", "last 1 month": "last month", "last_1_months": "last month", "current day": "today",
		"yesterday": "last day", "ytd": "year to date", "following 2 quarters": "next 2 quarters", "since 2024-01-01": "since 2024-01-01",
		"UNTIL 2024-Q1": "until 2024-Q1", "this hour": "this hour",
	} {
		r, ok := ParseRelative(text)
		if !ok || r.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, r, ok, want)
			continue
		}
		again, ok := ParseRelative(r.String())
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(Relative{})); diff != "" || !ok {
			t.Errorf("%s is read as something else: %s", r, diff)
		}
	}
}
