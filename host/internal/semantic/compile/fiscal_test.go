package compile_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

// withYear compiles a request on a day, in a project whose fiscal year starts in a month.
func withYear(t testing.TB, m *model.Model, d *dialect.Dialect, raw, today string, start time.Month) (*compile.Query, *refusal.Error) {
	t.Helper()
	r, _, err := request.Normalise(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	now, err := time.Parse(time.DateOnly, today)
	if err != nil {
		t.Fatal(err)
	}
	q, err := compile.Compile(m, d, r, compile.Options{Now: now.Add(12 * time.Hour), FiscalYearStart: start})
	if err == nil {
		return q, nil
	}
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		t.Fatal(err)
	}
	return nil, e
}

// plainShop is the shop without its calendar.
func plainShop(t testing.TB, d *dialect.Dialect) *model.Model {
	t.Helper()
	in := model.Input{Dialect: d}
	for name, text := range shop {
		if name != "fiscal.yaml" && name != "metrics.yaml" {
			in.Files = append(in.Files, model.Parse(name, []byte(text)))
		}
	}
	return model.Build(in)
}

func ranged(phrase string) string {
	return `{"measures": ["orders.revenue"], "date_ranges": [{"field": "orders.day", "relative": "` + phrase + `"}]}`
}

// TestPeriodsOfTwoYears: a range that is another one by the calendar than by the fiscal year is refused with both, and
// each of them, sent back in place of the phrase, is answered with its days.
func TestPeriodsOfTwoYears(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := plainShop(t, d)
	for _, tt := range []struct {
		phrase, today    string
		start            time.Month
		calendar, fiscal string // "" = there is one meaning
	}{
		{"last year", "2024-09-30", time.October, "2023-01-01 to 2023-12-31", "2022-10-01 to 2023-09-30"},
		{"last year", "2024-10-01", time.October, "2023-01-01 to 2023-12-31", "2023-10-01 to 2024-09-30"},
		{"this year", "2024-12-31", time.October, "2024-01-01 to 2024-12-31", "2024-10-01 to 2025-09-30"},
		{"this year", "2025-01-01", time.October, "2025-01-01 to 2025-12-31", "2024-10-01 to 2025-09-30"},
		{"next 2 years", "2024-02-29", time.March, "2025-01-01 to 2026-12-31", "2024-03-01 to 2026-02-28"},
		{"year to date", "2024-09-30", time.October, "2024-01-01 to 2024-09-30", "2023-10-01 to 2024-09-30"},
		{"ytd", "2024-10-01", time.October, "2024-01-01 to 2024-10-01", "2024-10-01 to 2024-10-01"},
		{"this quarter", "2024-01-31", time.February, "2024-01-01 to 2024-03-31", "2023-11-01 to 2024-01-31"},
		{"last 2 quarters", "2024-02-01", time.February, "2023-07-01 to 2023-12-31", "2023-08-01 to 2024-01-31"},
		{"quarter to date", "2024-02-01", time.February, "2024-01-01 to 2024-02-01", "2024-02-01 to 2024-02-01"},
		// The quarters of a year that starts in October are those of the calendar.
		{"this quarter", "2024-09-30", time.October, "2024-07-01 to 2024-09-30", ""},
		{"last quarter", "2024-10-01", time.October, "2024-07-01 to 2024-09-30", ""},
		{"last year", "2024-09-30", time.January, "2023-01-01 to 2023-12-31", ""},
		{"year to date", "2024-09-30", 0, "2024-01-01 to 2024-09-30", ""},
		{"last 12 months", "2024-09-30", time.October, "2023-09-01 to 2024-08-31", ""},
		{"this week", "2024-09-30", time.October, "2024-09-30 to 2024-10-06", ""},
		{"last calendar year", "2024-09-30", time.October, "2023-01-01 to 2023-12-31", ""},
		{"last fiscal year", "2024-09-30", time.October, "2022-10-01 to 2023-09-30", ""},
		{"last fiscal_year", "2024-09-30", time.October, "2022-10-01 to 2023-09-30", ""},
		{"fiscal year to date", "2024-09-30", time.October, "2023-10-01 to 2024-09-30", ""},
	} {
		for place, raw := range map[string]string{
			"a range":  ranged(tt.phrase),
			"a filter": `{"measures": ["orders.revenue"], "filters": [{"field": "orders.day", "op": "in_date_range", "values": ["` + tt.phrase + `"]}]}`,
		} {
			q, e := withYear(t, m, d, raw, tt.today, tt.start)
			if tt.fiscal == "" {
				if e != nil || !noted(q, " from "+tt.calendar) {
					t.Errorf("%s as %s on %s: %v, want %s", tt.phrase, place, tt.today, e, tt.calendar)
				}
				continue
			}
			if e == nil || e.Code != refusal.CodeAmbiguousPeriod || !slices.Equal(e.Candidates, []string{tt.calendar, tt.fiscal}) {
				t.Errorf("%s as %s on %s: %+v, want %s or %s", tt.phrase, place, tt.today, e, tt.calendar, tt.fiscal)
				continue
			}
			for _, choice := range e.Candidates {
				answered, again := withYear(t, m, d, strings.ReplaceAll(raw, tt.phrase, choice), tt.today, tt.start)
				first, last, _ := strings.Cut(choice, " to ")
				end, err := time.Parse(time.DateOnly, last)
				if err != nil || again != nil || !strings.Contains(answered.SQL, first) || !strings.Contains(answered.SQL, end.Format(time.DateOnly)) && !strings.Contains(answered.SQL, end.AddDate(0, 0, 1).Format(time.DateOnly)) {
					t.Errorf("%s in place of %s: %v, %v, %+v", choice, tt.phrase, err, again, answered)
				}
			}
		}
	}
}

func noted(q *compile.Query, text string) bool {
	return slices.ContainsFunc(q.Notes, func(n string) bool { return strings.Contains(n, text) })
}

// TestFiscalCalendarOfTheModel: a calendar with a period fiscal_year defines the fiscal year, whatever the project says.
func TestFiscalCalendarOfTheModel(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	for _, start := range []time.Month{0, time.October} {
		for _, phrase := range []string{"last fiscal year", "last fiscal_year", "last_fiscal_year"} {
			q, e := withYear(t, m, d, ranged(phrase), "2024-03-15", start)
			if e != nil || !noted(q, "goes by the calendar fiscal") {
				t.Errorf("%s with %v: %v", phrase, start, e)
			}
		}
	}
	_, e := withYear(t, m, d, ranged("last year"), "2024-03-15", time.October)
	if e == nil || !slices.Equal(e.Candidates, []string{"2023-01-01 to 2023-12-31", "last fiscal_year"}) {
		t.Fatalf("%+v", e)
	}
	for _, choice := range e.Candidates {
		if _, again := withYear(t, m, d, ranged(choice), "2024-03-15", time.October); again != nil {
			t.Errorf("%s: %v", choice, again)
		}
	}
	if q, e := withYear(t, m, d, ranged("last year"), "2024-03-15", 0); e != nil || !noted(q, " from 2023-01-01 to 2023-12-31") {
		t.Errorf("without a setting: %v", e)
	}
}

// TestShiftOfAFiscalRange: a measure of a year earlier reads the year before the range, whichever year it goes by.
func TestShiftOfAFiscalRange(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	in := model.Input{Dialect: d}
	in.Files = append(in.Files, model.Parse("metrics.yaml", []byte("metrics:\n  - {name: revenue_last_year, type: time_shift, measure: orders.revenue, offset: 1 year}\n")))
	for name, text := range shop {
		if name != "fiscal.yaml" && name != "metrics.yaml" {
			in.Files = append(in.Files, model.Parse(name, []byte(text)))
		}
	}
	raw := `{"measures": ["revenue_last_year"], "dimensions": [{"field": "orders.day", "granularity": "month"}], "date_ranges": [{"field": "orders.day", "relative": "%s"}]}`
	m := model.Build(in)
	phrase := func(text string) string { return strings.ReplaceAll(raw, "%s", text) }
	fiscal, e := withYear(t, m, d, phrase("last fiscal year"), "2024-09-30", time.October)
	days, again := withYear(t, m, d, phrase("2022-10-01 to 2023-09-30"), "2024-09-30", time.October)
	if e != nil || again != nil || fiscal.SQL != days.SQL || !strings.Contains(fiscal.SQL, "2021-10-01") {
		t.Errorf("%v, %v, %+v", e, again, fiscal)
	}
	if _, e := withYear(t, m, d, phrase("last year"), "2024-09-30", time.October); e == nil || e.Code != refusal.CodeAmbiguousPeriod {
		t.Errorf("a shift over last year: %v", e)
	}
}
