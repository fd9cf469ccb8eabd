package timerange

import (
	"fmt"
	"testing"
	"time"
)

// oracle returns the first and the last day of the range of n units that begins `ahead` units after the unit of
// today, by counting the months of fiscal years day by day.
func oracle(today time.Time, start time.Month, months, ahead, n int) (first, last string) {
	isStart := func(day time.Time) bool {
		return day.Day() == 1 && ((int(day.Month())-int(start)+12)%12)%months == 0
	}
	day := today
	for !isStart(day) {
		day = day.AddDate(0, 0, -1)
	}
	for ; ahead < 0; ahead++ {
		for day = day.AddDate(0, 0, -1); !isStart(day); day = day.AddDate(0, 0, -1) {
		}
	}
	for ; ahead > 0; ahead-- {
		for day = day.AddDate(0, 0, 1); !isStart(day); day = day.AddDate(0, 0, 1) {
		}
	}
	first = day.Format(time.DateOnly)
	for range n {
		for day = day.AddDate(0, 0, 1); !isStart(day); day = day.AddDate(0, 0, 1) {
		}
	}
	return first, day.AddDate(0, 0, -1).Format(time.DateOnly)
}

// TestFiscalRanges compares ranges on the days around the ends of fiscal and of calendar years with a count of days.
func TestFiscalRanges(t *testing.T) {
	t.Parallel()
	ranges := []struct {
		text             string
		months, ahead, n int
		toDate           bool
	}{
		{"this fiscal year", 12, 0, 1, false}, {"last fiscal year", 12, -1, 1, false}, {"next fiscal year", 12, 1, 1, false},
		{"last 3 fiscal years", 12, -3, 3, false}, {"next 2 fiscal years", 12, 1, 2, false}, {"fiscal year to date", 12, 0, 1, true},
		{"this fiscal quarter", 3, 0, 1, false}, {"last fiscal quarter", 3, -1, 1, false}, {"last 5 fiscal quarters", 3, -5, 5, false},
		{"next fiscal quarter", 3, 1, 1, false}, {"fiscal quarter to date", 3, 0, 1, true},
	}
	checked := 0
	for start := time.January; start <= time.December; start++ {
		for _, year := range []int{2023, 2024} { // 2024 has a 29th of February
			for _, from := range []time.Time{time.Date(year, start, 1, 0, 0, 0, 0, time.UTC), time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year, 2, 28, 0, 0, 0, 0, time.UTC)} {
				for around := -2; around <= 2; around++ {
					today := from.AddDate(0, 0, around)
					for _, tt := range ranges {
						r, ok := ParseRelative(tt.text)
						if !ok {
							t.Fatalf("%s is no range", tt.text)
						}
						i, err := r.Fiscal("", today.Add(23*time.Hour), time.UTC, start)
						if err != nil {
							t.Fatal(err)
						}
						first, last := oracle(today, start, tt.months, tt.ahead, tt.n)
						if tt.toDate {
							last = today.Format(time.DateOnly)
						}
						if want := first + " to " + last; i.Days() != want {
							t.Errorf("%s on %s, from %s on: %s, want %s", tt.text, today.Format(time.DateOnly), start, i.Days(), want)
						}
						checked++
					}
				}
			}
		}
	}
	if checked != 12*2*3*5*len(ranges) {
		t.Errorf("%d ranges", checked)
	}
}

// TestFiscalSpelling: which texts say the year, and how they are spelled.
func TestFiscalSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"last fiscal year": "last fiscal year", "LAST Fiscal  Quarter": "last fiscal quarter", "past 2 fiscal years": "last 2 fiscal years",
		"fiscal year to date": "fiscal year to date", "fiscal ytd": "fiscal year to date", "calendar qtd": "calendar quarter to date",
		"fiscal last year": "last fiscal year", "last_fiscal_year": "last fiscal year", "this calendar quarter": "this calendar quarter",
		"last calendar month": "last month", "calendar week to date": "week to date",
		// Names of periods of a calendar.
		"last fiscal_year": "last fiscal_year", "last 2 fiscal_quarters": "last 2 fiscal_quarters", "fiscal_year to date": "fiscal_year to date",
		"last fiscal.fiscal_year": "last fiscal.fiscal_year",
		// No ranges.
		"last fiscal month": "", "last fiscal day": "", "this calendar day": "", "last calendar hour": "", "last fiscal calendar year": "",
		"since fiscal 2024": "", "fiscal": "", "last fiscal": "last fiscal", "fiscal yesterday": "", "last fiscal season": "",
	} {
		r, ok := ParseRelative(text)
		if !ok {
			if want != "" {
				t.Errorf("%q is no range", text)
			}
			continue
		}
		if r.String() != want {
			t.Errorf("%q is %q, want %q", text, r, want)
		}
		if again, ok := ParseRelative(r.String()); !ok || again != r {
			t.Errorf("%q is read as %+v, %v", r, again, ok)
		}
	}
}

// TestFiscalInAZone: the year that begins at midnight in the zone of the query.
func TestFiscalInAZone(t *testing.T) {
	t.Parallel()
	r, _ := ParseRelative("this fiscal year")
	for zone, want := range map[string]string{"": "2023-10-01 to 2024-09-30", "Pacific/Auckland": "2024-10-01 to 2025-09-30"} {
		i, err := r.Fiscal("", time.Date(2024, 9, 30, 12, 0, 0, 0, time.UTC), locationX(t, zone), time.October)
		if err != nil || i.Days() != want {
			t.Errorf("%q: %s, %v; want %s", zone, i.Days(), err, want)
		}
	}
}

// TestNoFiscalYear: a range by the fiscal year is refused where there is none, with one that works.
func TestNoFiscalYear(t *testing.T) {
	t.Parallel()
	r, _ := ParseRelative("last fiscal year")
	_, plain := r.Interval("x", time.Now(), time.UTC)
	_, fiscal := r.Fiscal("x", time.Now(), time.UTC, 0)
	for _, err := range []error{plain, fiscal} {
		if err == nil || fmt.Sprint(err) != `x: "last fiscal year" goes by a fiscal year, and the project has none` {
			t.Errorf("%v", err)
		}
	}
}

// TestDays: the days of a range are read as the same range.
func TestDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"last year", "quarter to date", "this week", "today"} {
		r, _ := ParseRelative(text)
		for _, name := range []string{"", "Europe/Berlin", "America/Sao_Paulo"} {
			i, err := r.Interval("", now, locationX(t, name))
			if err != nil {
				t.Fatal(err)
			}
			var ends [2]Interval
			for at, end := range []string{i.Days()[:10], i.Days()[14:]} {
				if ends[at], err = ParsePeriod("", end, locationX(t, name)); err != nil {
					t.Fatal(err)
				}
			}
			if again := (Interval{ends[0].From, ends[1].Until}); !again.Same(i) {
				t.Errorf("%s is %s, which is read as %s", text, i, again)
			}
		}
	}
	if i, _ := (Relative{kind: lastUnits, n: 1, unit: "hour"}).Interval("", now, time.UTC); i.Days() != "" {
		t.Errorf("an hour has the days %q", i.Days())
	}
}
