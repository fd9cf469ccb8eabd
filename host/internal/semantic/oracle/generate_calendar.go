package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// calendar adds a calendar to a case: days around those that rows have, some of them
// left out and some of them twice, in periods that are parts of years.
func (g *Generator) calendar(c *Case) {
	if !g.hasCalendar {
		return
	}
	aside := &Generator{rng: g.aside, Features: g.Features}
	var all []string
	for _, at := range slices.Concat(days, moments, []string{Now.Format(dayLayout)}) {
		for n := -1; n <= 1; n++ {
			all = append(all, addPeriods(dialect.Day, dayOf(at), n))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	t := &Table{Columns: []string{"at", "period", "part", "whole"}}
	period, year, left, parts := 0, 2023, 0, 0
	for _, day := range all {
		if left == 0 {
			if parts == 0 {
				year, parts = year+1, 1+aside.rng.IntN(4)
			}
			period, parts, left = period+1, parts-1, 1+aside.rng.IntN(5)
		}
		left--
		if aside.chance(8) {
			continue
		}
		row := []any{day, float64(period), fmt.Sprintf("P%03d", period), float64(year)}
		if aside.chance(4) {
			row[1+aside.rng.IntN(3)] = nil
		}
		t.Rows = append(t.Rows, row)
		if aside.chance(4) { // twice, and perhaps in another period
			again := slices.Clone(row)
			if len(t.Rows)%2 == 0 {
				again[1], again[2] = float64(period+1), fmt.Sprintf("P%03d", period+1)
			}
			t.Rows = append(t.Rows, again)
		}
	}
	c.Data["calendar"] = t
	c.Tables = append(c.Tables, &model.Table{Ref: sdk.TableRef{Name: "calendar"}, Columns: []model.Column{
		{Name: "at", Type: sdk.TypeDate}, {Name: "period", Type: sdk.TypeInt64}, {Name: "part", Type: sdk.TypeText}, {Name: "whole", Type: sdk.TypeInt64},
	}})
	column := pick(aside, "period", "part")
	key := ""
	if len(t.Rows)%2 == 0 { // which may not be true
		key = "primary_key: [at]\n"
	}
	c.Files = append(c.Files, File{"calendar.yaml", "name: calendar\n" + key + "calendar:\n  date: at\n  periods: {season: " + column + ", fiscal_year: whole}\n"})
}

// calendarMeasures draws measures that go by periods of the calendar.
func (g *Generator) calendarMeasures(d *draft) {
	if !g.hasCalendar {
		return
	}
	aside := &Generator{rng: g.aside, Features: g.Features}
	of := pick(aside, "total", "n")
	for _, m := range []struct{ name, text string }{
		{"season_to_date", fmt.Sprintf(`{name: season_to_date, type: cumulative, measure: %s, grain_to_date: %s}`, of, pick(aside, "season", "fiscal_year"))},
		{"season_recent", fmt.Sprintf(`{name: season_recent, type: cumulative, measure: %s, window: %d seasons}`, of, 1+aside.rng.IntN(3))},
		{"season_before", fmt.Sprintf(`{name: season_before, type: time_shift, measure: %s, offset: %d seasons}`, of, 1+aside.rng.IntN(2))},
		{"season_last_year", fmt.Sprintf(`{name: season_last_year, type: time_shift, measure: %s, offset: 1 fiscal_year}`, of)},
		{"season_kinds", `{name: season_kinds, agg: count_distinct, expr: kind}`},
		{"season_kinds_to_date", `{name: season_kinds_to_date, type: cumulative, measure: season_kinds, grain_to_date: fiscal_year}`},
		{"season_to_date_before", `{name: season_to_date_before, type: time_shift, measure: season_kinds_to_date, offset: 1 fiscal_year}`},
		{"season_per_kind", `{name: season_per_kind, type: nested, agg: max, measure: season_kinds_to_date, per: [kind]}`},
	} {
		d.measure(m.text, m.name)
	}
}

// calendarPeriods cuts times of a request to periods of the calendar.
func (g *Generator) calendarPeriods(r *request.Request) {
	if !g.hasCalendar {
		return
	}
	aside := &Generator{rng: g.aside, Features: g.Features}
	going := slices.ContainsFunc(r.Measures, func(m request.Measure) bool { return strings.Contains(m.Name, ".season_") })
	for i, d := range r.Dimensions {
		if d.Grain != "" && (going && aside.chance(75) || aside.chance(40)) {
			r.Dimensions[i].Grain = pick[dialect.Grain](aside, "season", "season", "fiscal_year", "calendar.season")
			g.Features["period of a calendar"]++
		}
	}
	for i, d := range r.DateRanges {
		if aside.chance(40) {
			r.DateRanges[i] = request.DateRange{Field: d.Field, Via: d.Via, Relative: pick(aside, "this season", "last 2 seasons", "last 6 seasons", "last 9 calendar.seasons", "next season", "season to date", "fiscal_year to date", "last fiscal_year", "last 3 fiscal_years")}
			g.Features["range of a calendar"]++
		}
	}
}
