package compile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// beside are further sources of the shop, for what its own ones do not have.
var beside = map[string]string{
	"areas.yaml": `
name: areas
table: areas
primary_key: [id]
dimensions: [{name: id, type: number}, {name: name, type: string}]
`,
	"trips.yaml": `
name: trips
table: trips
primary_key: [id]
default_time_dimension: started
dimensions:
  - {name: id, type: number}
  - {name: started, type: time, column_type: timestamp}
  - {name: ended, type: time, column_type: timestamp}
  - {name: booked, type: time}
  - {name: home, type: number, expr: customers.region_id}
measures:
  - {name: trip_count, agg: count}
  - {name: trips_mtd, type: cumulative, measure: trip_count, grain_to_date: month}
  - {name: trips_before, type: time_shift, measure: trip_count, offset: 1 month}
  - {name: arrivals, agg: count, time_dimension: ended}
  - {name: cost, expr: "total(amount)", dialect: sqlite}
  - {name: cost_so_far, type: cumulative, measure: cost}
joins:
  - {to: customers, on: "trips.customer_id = customers.id", relationship: many_to_one}
  - {to: areas, on: "trips.home = areas.id", relationship: many_to_one}
`,
	"imported/other/metrics.yaml": `
metrics:
  - {name: best_mtd, type: nested, agg: max, measure: orders.revenue_mtd, per: [customers.id]}
  - {name: shifted_fqtd, type: cumulative, measure: revenue_last_fiscal_year, grain_to_date: fiscal_quarter}
`,
}

// unsupported are requests that no engine answers, in words and as they are written. The
// refusal says the rest.
var unsupported = []struct{ asked, request string }{
	{"a join on a dimension that is computed over another join", `{"measures": ["trips.trip_count"], "dimensions": ["areas.name"]}`},
	{"`fill_gaps` by two granularities", `{"measures": ["orders.revenue"], "dimensions": ["orders.day.month", "orders.day.week"], "fill_gaps": true}`},
	{"`include_empty` beside the value of a measure as a dimension", `{"measures": ["customers.customer_count"], "dimensions": [{"measure": "orders.order_count", "per": ["customers.id"], "name": "n"}], "include_empty": true}`},
	{"`include_empty` by `metric_time`", `{"measures": ["orders.revenue"], "dimensions": ["metric_time.month"], "include_empty": true}`},
	{"`include_empty` by a name of `conform`", `{"measures": ["orders.revenue", "tickets.hours"], "dimensions": ["place"], "conform": {"place": ["orders.status", "tickets.kind"]}, "include_empty": true}`},
	{"`include_empty` by an expression", `{"measures": ["orders.revenue"], "dimensions": [{"expr": "orders.id + 1", "name": "next"}], "include_empty": true}`},
	{"`include_empty` by dimensions that no source has together", `{"measures": ["customers.customer_count"], "dimensions": ["items.category", "tickets.kind"], "include_empty": true}`},
	{"`cumulative` by periods of a calendar, over a `time_shift`", `{"measures": ["shifted_fqtd"], "dimensions": ["orders.day.fiscal_quarter"]}`},
	{"filters on an aggregate in the engine's own SQL", `{"measures": [{"measure": "trips.cost", "filters": ["trips.id = 1"], "name": "x"}]}`},
	{"`cumulative` over an aggregate in the engine's own SQL, in a source that was not scanned", `{"measures": ["trips.cost_so_far"], "dimensions": ["trips.started.month"]}`},
	{"totals of a `nested` measure over a `cumulative` one", `{"measures": ["best_mtd"], "dimensions": ["orders.day.month"], "totals": true}`},
	{"`per` of a measure of other times", `{"measures": ["orders.revenue"], "dimensions": [{"expr": "per(orders.revenue_mtd, customers.id)", "name": "x"}]}`},
	{"a comparison with a measure at a fixed grain under the filters", `{"measures": ["items.units"], "filters": [{"left": "items.qty", "op": "lt", "right": {"measure": "items.mean", "per": ["items.category"]}}]}`},
	{"a time of unknown storage by period, in another zone", `{"measures": ["trips.trip_count"], "dimensions": ["trips.booked.day"], "time_zone": "+02:00"}`},
	{"`cumulative` over a range of periods of a calendar", `{"measures": ["orders.revenue_3d"], "dimensions": ["orders.day.day"], "date_ranges": [{"field": "orders.day", "relative": "last 2 fiscal_quarters"}]}`},
	{"a filter of one measure that is about measures", `{"measures": [{"measure": "orders.revenue", "filters": ["orders.revenue > 5"], "name": "x"}]}`},
	{"filters of a measure that is made of a named one", `{"measures": [{"expr": "sum(orders.id)", "name": "ids"}, {"expr": "ids / 2", "name": "half", "filters": ["orders.status = 'paid'"]}]}`},
	{"`rest` with groups without rows", `{"measures": ["orders.revenue"], "dimensions": ["customers.name"], "order_by": ["-orders.revenue"], "limit": 2, "rest": true, "include_empty": true}`},
	{"`totals` with groups without rows, under a condition on measures", `{"measures": ["orders.revenue"], "dimensions": ["customers.name"], "filters": ["orders.revenue > 5"], "totals": true, "include_empty": true}`},
	{"`totals` of a `share`, under a condition on measures", `{"measures": ["orders.revenue_share"], "dimensions": ["customers.name"], "filters": ["orders.revenue > 5"], "totals": true}`},
	{"a measure of other times by two times", `{"measures": ["trips.trips_mtd"], "dimensions": ["trips.started.month", "trips.ended.month"]}`},
	{"`cumulative` by `metric_time` with a range on its own time alone", `{"measures": ["trips.trips_mtd", "trips.arrivals"], "dimensions": ["metric_time.month"], "date_ranges": [{"field": "trips.started", "from": "2024-02-01", "to": "2024-02-29"}]}`},
	{"`totals` of a `cumulative` over its periods", `{"measures": ["orders.revenue_mtd"], "dimensions": ["orders.day.month", "orders.status"], "totals": true}`},
	{"a measure of other times with ranges of two times", `{"measures": ["trips.trips_mtd"], "date_ranges": [{"field": "trips.started", "from": "2024-02-01", "to": "2024-02-29"}, {"field": "trips.ended", "from": "2024-02-01", "to": "2024-02-29"}]}`},
	{"`time_shift` of a range with times of day", `{"measures": ["trips.trips_before"], "date_ranges": [{"field": "trips.started", "from": "2024-02-01 10:00:00", "to": "2024-03-01 10:00:00"}]}`},
	{"`cumulative` over a range that ends with a time of day", `{"measures": ["trips.trips_mtd"], "date_ranges": [{"field": "trips.started", "from": "2024-02-01", "to": "2024-02-28 10:00:00"}]}`},
	{"a measure filtered over related rows, by a dimension of those rows", `{"measures": ["orders.with_items"], "dimensions": ["items.category"]}`},
}

// Each request that docs/semantic.md lists as not supported is refused, and the list has
// every refusal of this package; -update writes it.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	var files []*model.File
	for name, text := range beside {
		files = append(files, model.Parse(name, []byte(text)))
	}
	m := shopModel(t, d).With(files...)
	for _, p := range m.Problems() {
		t.Fatalf("problem: %s", p)
	}
	var messages []string
	list := "| asked | the refusal |\n|---|---|\n"
	for _, u := range unsupported {
		_, err := compiled(t, m, d, u.request)
		e, ok := errors.AsType[*refusal.Error](err)
		if !ok || e.Code != refusal.CodeNotSupported {
			t.Errorf("%s: %v", u.asked, err)
			continue
		}
		messages = append(messages, e.Message)
		list += fmt.Sprintf("| %s | %s; %s |\n", u.asked, strings.ReplaceAll(e.Message, "|", `\|`), e.Fix)
	}
	for _, pattern := range notSupported(t) {
		if !slices.ContainsFunc(messages, pattern.MatchString) {
			t.Errorf("no request is refused with %s: add one to unsupported", pattern)
		}
	}
	if !t.Failed() {
		listed(t, "unsupported", list)
	}
}

// notSupported returns what the refusals of this package say. TestMeaningless has that of
// meaningless combinations.
func notSupported(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	refused := regexp.MustCompile(`CodeNotSupported, "((?:[^"\\]|\\.)*)"`)
	verb := regexp.MustCompile(`%[sdq]`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range refused.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(found[1], "which has no meaning") {
				all = append(all, regexp.MustCompile("^"+verb.ReplaceAllString(regexp.QuoteMeta(found[1]), ".+")+"$"))
			}
		}
	}
	return all
}
