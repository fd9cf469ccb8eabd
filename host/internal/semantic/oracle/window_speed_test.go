package oracle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

var (
	windowSpeed = flag.String("windows.speed", "", "engines on which measures over windows are timed beside plain ones, separated by commas")
	windowRows  = flag.Int("windows.rows", 1_000_000, "how many rows the measures over windows read")
	windowNames = flag.String("windows.measures", "", "the measures that are timed, separated by commas; all where empty")
)

// windowRanges are the ranges of days, by what they are called: an open one is from the
// first row to the last.
var windowRanges = map[string]string{"closed": `, "date_range": ["2023-01-01", "2024-12-30"]`, "open": ""}

// windowMeasure is one or several measures, and the plain one that they are made of.
type windowMeasure struct {
	measures, plain string
	// bar is how many times as long as the plain one it may take; sorting is that of
	// engines that sort well.
	bar, sorting float64
}

// asked reports whether -windows.measures names the measures, or none at all.
func (w *windowMeasure) asked() bool {
	return *windowNames == "" || slices.Contains(strings.Split(*windowNames, ","), strings.ReplaceAll(w.measures, `"`, ""))
}

// windowMeasures are timed beside the plain measure that each is made of.
var windowMeasures = []windowMeasure{
	{`"revenue_ytd"`, `"revenue"`, 3, 2}, {`"revenue_30d"`, `"revenue"`, 3, 2}, {`"revenue_so_far"`, `"revenue"`, 3, 2},
	{`"revenue", "revenue_ytd"`, `"revenue"`, 3, 2}, {`"revenue", "revenue_before"`, `"revenue"`, 3, 2},
	{`"buyers_so_far"`, `"buyers"`, 3, 3}, {`"buyers_ytd"`, `"buyers"`, 3, 3}, {`"buyers_28d"`, `"buyers"`, 12, 6},
}

const windowModel = `
name: visits
default_time_dimension: day
measures:
  - {name: revenue, agg: sum, expr: amount}
  - {name: revenue_ytd, type: cumulative, measure: revenue, grain_to_date: year}
  - {name: revenue_30d, type: cumulative, measure: revenue, window: 30 days}
  - {name: revenue_so_far, type: cumulative, measure: revenue}
  - {name: revenue_before, type: time_shift, measure: revenue, offset: 1 year}
  - {name: buyers, agg: count_distinct, expr: customer}
  - {name: buyers_so_far, type: cumulative, measure: buyers}
  - {name: buyers_ytd, type: cumulative, measure: buyers, grain_to_date: year}
  - {name: buyers_28d, type: cumulative, measure: buyers, window: 28 days}
`

// windowWorld is an empty table of visits, and what a million of them are made from.
func windowWorld() *oracle.Case {
	number := model.Column{Name: "n", Type: sdk.TypeInt64}
	c := &oracle.Case{Data: oracle.Data{"digits": {Columns: []string{"n"}}, "calendar": {Columns: []string{"n", "day"}}, "visits": {}}}
	c.Files = []oracle.File{{Path: "visits.yaml", Text: windowModel}}
	c.Tables = []*model.Table{
		{Ref: sdk.TableRef{Name: "digits"}, Columns: []model.Column{number}},
		{Ref: sdk.TableRef{Name: "calendar"}, Columns: []model.Column{number, {Name: "day", Type: sdk.TypeDate}}},
		{Ref: sdk.TableRef{Name: "visits"}, Columns: []model.Column{
			{Name: "id", Type: sdk.TypeInt64}, {Name: "customer", Type: sdk.TypeInt64}, {Name: "amount", Type: sdk.TypeInt64}, {Name: "day", Type: sdk.TypeDate},
		}},
	}
	for n := range 1000 {
		c.Data["digits"].Rows = append(c.Data["digits"].Rows, []any{float64(n)})
	}
	for n := range 730 {
		day := time.Date(2023, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		c.Data["calendar"].Rows = append(c.Data["calendar"].Rows, []any{float64(n), day})
	}
	return c
}

// How long measures over windows of a million rows by day take beside plain ones, in
// one run: the best of some rounds of each, in turn. make bench-windows asks; nothing
// is asserted.
func TestWindowSpeed(t *testing.T) {
	if *windowSpeed == "" {
		t.Skip("-windows.speed names no engine: make bench-windows times them")
	}
	world := windowWorld()
	for _, name := range strings.Split(*windowSpeed, ",") {
		t.Run(name, func(t *testing.T) {
			db := engines[name](t)
			m := world.Model(db.dialect)
			db.table = strings.Replace(db.table, "ENGINE = MEMORY", "ENGINE = InnoDB", 1)
			if err := db.load(t.Context(), world); err != nil {
				t.Fatal(err)
			}
			fill := fmt.Sprintf(`INSERT INTO visits SELECT a.n * 1000 + b.n, (a.n * 7919 + b.n * b.n * 31) %% 50000, (a.n + b.n * 7) %% 100, d.day
				FROM digits a CROSS JOIN digits b JOIN calendar d ON d.n = (a.n * 37 + b.n * 101) %% 730 WHERE a.n * 1000 + b.n < %d`, *windowRows)
			if err := db.exec(t.Context(), fill); err != nil {
				t.Fatal(err)
			}
			statement := func(measures, window string) string {
				r, _, err := request.Normalise(json.RawMessage(fmt.Sprintf(`{"measures": [%s], "dimensions": [{"field": "visits.day", "granularity": "day"%s}]}`, measures, window)))
				if err != nil {
					t.Fatal(err)
				}
				q, err := compile.Compile(m, db.dialect, r, compile.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return q.SQL
			}
			for _, w := range windowMeasures {
				if !w.asked() {
					continue
				}
				bar := w.bar
				if name != "sqlite" && name != "mariadb" {
					bar = w.sorting
				}
				for _, window := range slices.Sorted(maps.Keys(windowRanges)) {
					sql := statement(w.measures, windowRanges[window])
					over, plain := fastest(t, db, sql, statement(w.plain, windowRanges[window]))
					ratio := over.Seconds() / plain.Seconds()
					t.Logf("%-26s %-6s %5.2f of at most %2.0f  %8.1f ms, %s %8.1f ms", w.measures, window, ratio, bar, over.Seconds()*1000, w.plain, plain.Seconds()*1000)
					if ratio > bar {
						t.Logf("%s", sql)
					}
				}
			}
		})
	}
}
