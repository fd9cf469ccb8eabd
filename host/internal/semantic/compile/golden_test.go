package compile_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

var engines = []string{"bigquery", "clickhouse", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "sqlserver"}

// golden are requests of which every dialect has its text.
var golden = []struct{ name, request string }{
	{"one_branch", `{"measures": ["orders.revenue", "orders.order_count", "orders.paid_revenue", "orders.average"], "dimensions": ["customers.segment", {"field": "orders.day", "granularity": "week"}], "filters": ["orders.status <> 'it''s \\ off' AND customers.name LIKE 'a%'"], "limit": 10, "offset": 20}`},
	{"several_branches", `{"measures": ["orders.revenue", "tickets.hours", "hours_per_order"], "dimensions": ["customers.segment"], "filters": ["tickets.ticket_count > 1"], "order_by": ["-tickets.hours"]}`},
	{"finer_dimension", `{"measures": ["orders.revenue", "items.units"], "dimensions": ["items.category"], "filters": ["orders.status = 'paid'", "items.qty > 1"]}`},
	{"orphans", `{"measures": ["orders.order_count", "tickets.ticket_count"], "filters": ["regions.title IS NULL"]}`},
	{"own_related_rows", `{"measures": ["orders.with_items"]}`},
	{"per_entity_filter", `{"measures": ["orders.revenue"], "filters": [{"or": ["orders.status = 'open'", {"measure": "orders.order_count", "per": ["customers.id"], "filter": "orders.status = 'paid'", "op": "not_in", "values": [1, 2]}]}]}`},
	{"per_entity_of_few", `{"measures": ["orders.revenue"], "filters": ["customers.segment = 'retail'", {"measure": "orders.order_count", "per": ["customers.id"], "op": "gt", "values": [2]}]}`},
	{"related_rows", `{"measures": ["orders.order_count"], "filters": ["items.qty = 1", "items.category = 'food'"]}`},
	{"related_rows_or_others", `{"measures": ["orders.order_count"], "filters": ["orders.status = 'paid' OR any(items.qty = 1)"]}`},
	{"related_rows_none_and_all", `{"measures": ["orders.order_count"], "filters": ["none(items.qty = 1)", {"all": {"field": "items.category", "op": "equals", "values": ["food"]}}]}`},
	{"windows_per_entity", `{"measures": ["orders.revenue_mtd"], "dimensions": [{"field": "orders.day", "granularity": "month"}, {"measure": "orders.order_count", "per": ["customers.name"], "name": "orders_of"}]}`},
	{"order_statistics", `{"measures": ["orders.middle", "orders.p90", "orders.buyers"], "dimensions": ["orders.status"]}`},
	{"end_of_time", `{"measures": ["stock.closing_per_sku", "stock.readings"], "dimensions": [{"field": "stock.day", "granularity": "month"}]}`},
	{"shares", `{"measures": ["orders.revenue", "orders.revenue_share"], "dimensions": ["orders.status"], "filters": ["orders.revenue_share > 0.1"]}`},
	{"per_entity", `{"measures": ["orders.per_customer"], "dimensions": ["orders.is_paid"]}`},
	{"per_entity_values", `{"measures": ["orders.revenue", {"expr": "sum(orders.id - per(orders.average, customers.id))", "name": "above"}, {"expr": "above / orders.revenue", "name": "part"}], "dimensions": [{"expr": "CASE WHEN orders.day = per(min(orders.day), customers.id) THEN 'new' END", "name": "kind"}], "filters": ["per(orders.order_count, orders.day.month) > 1"]}`},
	{"windows", `{"measures": ["orders.revenue_3d", "orders.revenue_mtd"], "dimensions": [{"field": "orders.day", "granularity": "day", "date_range": ["2024-01-31", "2024-02-04"]}, "orders.status"]}`},
	{"windows_of_all_days", `{"measures": ["orders.revenue", "orders.revenue_mtd", "orders.orders_7d"], "dimensions": ["orders.day.day"]}`},
	{"distinct_windows", `{"measures": ["orders.buyers_28d", "orders.buyers_mtd"], "dimensions": [{"field": "orders.day", "granularity": "day"}, "orders.status"]}`},
	{"distinct_so_far", `{"measures": ["orders.buyers_so_far"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-01-01", "2024-12-31"]}]}`},
	{"shifts", `{"measures": ["orders.revenue", "orders.revenue_prev_month"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-02-01", "2024-03-31"]}]}`},
	{"one_read", `{"measures": ["orders.revenue", "orders.order_count", "orders.average", "orders.revenue_prev_month", "orders.revenue_mtd", "orders.revenue_share"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-02-05", "2024-04-30"]}, "orders.status"]}`},
	{"one_read_of_a_range", `{"measures": ["orders.revenue", "orders.revenue_prev_month"], "dimensions": ["orders.status"], "date_ranges": [{"field": "orders.day", "from": "2024-02-01", "to": "2024-03-31"}]}`},
	{"one_read_of_values", `{"measures": ["orders.buyers", "orders.buyers_28d", "orders.buyers_mtd"], "dimensions": [{"field": "orders.day", "granularity": "week"}]}`},
	{"one_read_by_a_calendar", `{"measures": ["orders.revenue", "revenue_fqtd", "revenue_last_fiscal_year"], "dimensions": [{"field": "orders.day", "granularity": "fiscal_quarter"}]}`},
	{"metric_time", `{"measures": ["orders.revenue", "tickets.hours", "hours_per_order"], "dimensions": ["metric_time.month"], "filters": ["metric_time >= '2024-01-01'"]}`},
	{"calendar", `{"measures": ["orders.revenue", "tickets.hours"], "dimensions": ["metric_time.fiscal_quarter"], "fill_gaps": true}`},
	{"calendar_to_date", `{"measures": ["revenue_fqtd"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-02-01", "2024-04-30"]}]}`},
	{"calendar_shift", `{"measures": ["revenue_last_fiscal_year"], "dimensions": [{"field": "orders.day", "granularity": "fiscal_quarter", "date_range": ["2024-02-01", "2024-04-10"]}]}`},
	{"calendar_range", `{"measures": ["orders.revenue"], "dimensions": ["orders.status"], "date_ranges": [{"field": "orders.day", "relative": "last 2 fiscal_quarters"}]}`},
	{"conform", `{"measures": ["orders.revenue", "tickets.hours"], "dimensions": ["place"], "filters": ["place IS NOT NULL"], "conform": {"place": ["orders.status", "tickets.kind"]}}`},
	{"gaps", `{"measures": ["orders.order_count"], "dimensions": [{"field": "orders.day", "granularity": "month"}], "fill_gaps": true}`},
	{"totals", `{"measures": ["orders.revenue", "orders.buyers"], "dimensions": ["customers.segment", "orders.status"], "totals": true, "limit": 10}`},
	{"rest", `{"measures": ["orders.revenue", "orders.order_count"], "dimensions": ["customers.name"], "order_by": ["-orders.revenue"], "limit": 5, "rest": true}`},
	{"rest_of_each", `{"measures": ["orders.middle"], "dimensions": ["customers.segment", "customers.name"], "order_by": ["-orders.revenue"], "limit_per": {"by": ["customers.segment"], "n": 2}, "rest": true}`},
	{"groups_of_a_key", `{"measures": ["orders.revenue"], "dimensions": ["customers.name", "customers.id", "customers.segment", "regions.title"], "filters": ["orders.revenue > 10"], "order_by": ["-orders.revenue"]}`},
	{"gaps_of_members", `{"measures": ["orders.order_count", "orders.revenue_prev_month"], "dimensions": ["customers.segment", {"field": "orders.day", "granularity": "month"}], "fill_gaps": true}`},
}

// What each dialect makes of a request, or why it cannot. That a text is a
// statement which only reads was checked when it was made.
func TestGolden(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, tt := range golden {
		path := filepath.Join("testdata", "sql", tt.name+".sql")
		used[filepath.Base(path)] = true
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			for _, name := range engines {
				got.WriteString("-- " + name + "\n" + written(t, name, tt.request) + "\n\n")
			}
			if flag.Lookup("update").Value.String() == "true" { // as the other golden files
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("run go test -update (-want +got):\n%s", diff)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join("testdata", "sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("testdata/sql/%s belongs to no request", f.Name())
		}
	}
}

func written(t *testing.T, dialect, request string) string {
	t.Helper()
	d := engine(t, dialect)
	q, err := compiled(t, shopModel(t, d), d, request)
	if err == nil {
		return q.SQL
	}
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok || e.Code == refusal.CodeInternal {
		t.Errorf("%s: %v", dialect, err)
		return err.Error()
	}
	return "-- " + string(e.Code) + ": " + e.Message + "\n-- " + e.Fix
}

// The same request has the same text, whatever was compiled before.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	d := engine(t, "postgres")
	for _, tt := range golden {
		first := written(t, "postgres", tt.request)
		for range 5 {
			q, err := compiled(t, shopModel(t, d), d, tt.request)
			if err != nil {
				t.Fatal(err)
			}
			if q.SQL != first {
				t.Fatalf("%s has two texts:\n%s\n\n%s", tt.name, first, q.SQL)
			}
		}
	}
}

// A table that is called like a shared part of the statement is not taken for it,
// whether a source names it or a person's query.
func TestNamesOfStages(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{
		model.Parse("l1.yaml", []byte("name: l1\ntable: l1_by_m1\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: d1, type: string}]\nmeasures: [{name: f, agg: count}]\n")),
		model.Parse("u.yaml", []byte("name: u\nsql: SELECT id, d1 FROM U_by_M1;\nprimary_key: [id]\ndimensions: [{name: d1, type: string}]\nmeasures: [{name: m1, agg: count}]\njoins: [{to: l1, on: \"u.id = l1.id\", relationship: one_to_one}]\n")),
	}})
	q, err := compiled(t, m, d, `{"measures": ["l1.f", "u.m1"], "dimensions": [{"field": "l1.d1", "name": "m1"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{`WITH "l1_by_m1_2" AS`, `"u_by_m1_2" AS (`} {
		if !strings.Contains(q.SQL, stage) {
			t.Errorf("there is no %s in\n%s", stage, q.SQL)
		}
	}
	if got := []string{q.Columns[0].Name, q.Columns[1].Name, q.Columns[2].Name}; !cmp.Equal(got, []string{"m1", "f", "u_m1"}) {
		t.Errorf("the columns are %v", got)
	}
}
