package compile_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// engine reads a recorded dialect: the first, which is for the newest servers.
func engine(t testing.TB, name string) *dialect.Dialect {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sdk", "dialect", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

// shop is a small model with everything that goes wrong: orphans, NULL
// dimensions, parents without children, children of several kinds.
var shop = map[string]string{
	"customers.yaml": `
name: customers
table: customers
primary_key: [id]
dimensions:
  - {name: id, type: number}
  - {name: name, type: string}
  - {name: segment, type: string}
measures:
  - {name: customer_count, agg: count}
joins:
  - {to: regions, on: "customers.region_id = regions.id", relationship: many_to_one}
`,
	"regions.yaml": `
name: regions
table: regions
primary_key: [id]
dimensions: [{name: id, type: number}, {name: title, type: string}]
`,
	"orders.yaml": `
name: orders
table: orders
primary_key: [id]
default_time_dimension: day
dimensions:
  - {name: id, type: number}
  - {name: status, type: string}
  - {name: day, type: time, column_type: date}
  - {name: is_paid, type: boolean, expr: "status = 'paid'"}
measures:
  - {name: order_count, agg: count}
  - {name: revenue, agg: sum, expr: amount, format: currency, unit: EUR}
  - {name: paid_revenue, agg: sum, expr: amount, filter: "status = 'paid'", default: 0}
  - {name: average, agg: avg, expr: amount}
  - {name: least, agg: min, expr: amount}
  - {name: most, agg: max, expr: amount}
  - {name: buyers, agg: count_distinct, expr: customer_id}
  - {name: middle, agg: median, expr: amount}
  - {name: p90, agg: percentile, expr: amount, percentile: 0.9}
  - {name: paid_rate, type: ratio, numerator: paid_revenue, denominator: revenue}
  - {name: doubled, type: derived, expr: "revenue * 2 - paid_revenue"}
  - {name: with_items, agg: count, filter: "items.qty > 1"}
  - {name: revenue_share, type: share, measure: revenue}
  - {name: buyers_28d, type: cumulative, measure: buyers, window: 28 days}
  - {name: buyers_mtd, type: cumulative, measure: buyers, grain_to_date: month}
  - {name: buyers_so_far, type: cumulative, measure: buyers}
  - {name: buyers_share, type: share, measure: buyers}
  - {name: revenue_3d, type: cumulative, measure: revenue, window: 3 days}
  - {name: orders_7d, type: cumulative, measure: order_count, window: 1 week}
  - {name: revenue_mtd, type: cumulative, measure: revenue, grain_to_date: month}
  - {name: revenue_prev_month, type: time_shift, measure: revenue, offset: 1 month}
  - {name: per_customer, type: nested, agg: avg, measure: revenue, per: [customers.id]}
segments:
  - {name: completed, expr: "status = 'paid'"}
joins:
  - {to: customers, on: "orders.customer_id = customers.id", relationship: many_to_one}
`,
	"items.yaml": `
name: items
table: items
primary_key: [id]
dimensions:
  - {name: id, type: number}
  - {name: qty, type: number}
  - {name: category, type: string}
measures:
  - {name: units, agg: sum, expr: qty}
  - {name: item_count, agg: count}
  - {name: mean, agg: avg, expr: qty}
joins:
  - {to: orders, on: "items.order_id = orders.id", relationship: many_to_one}
`,
	"tickets.yaml": `
name: tickets
table: tickets
primary_key: [id]
dimensions:
  - {name: id, type: number}
  - {name: kind, type: string}
  - {name: day, type: time, column_type: date}
measures:
  - {name: ticket_count, agg: count}
  - {name: hours, agg: sum, expr: hours, time_dimension: day}
joins:
  - {to: customers, on: "tickets.customer_id = customers.id", relationship: many_to_one}
`,
	"stock.yaml": `
name: stock
table: stock
primary_key: [day, sku]
dimensions:
  - {name: day, type: time, column_type: date}
  - {name: sku, type: string}
  - {name: on_hand, type: number}
measures:
  - {name: closing, agg: sum, expr: on_hand, non_additive: {dimension: day, pick: last}}
  - {name: opening, agg: sum, expr: on_hand, non_additive: {dimension: day, pick: first}}
  - {name: closing_per_sku, agg: sum, expr: on_hand, non_additive: {dimension: day, pick: last, per: [sku]}}
  - {name: readings, agg: count}
`,
	"fiscal.yaml": `
name: fiscal
table: fiscal_days
visibility: internal
dimensions: [{name: day, type: time, column_type: date}, {name: quarter, type: string}, {name: year, type: number}]
calendar: {date: day, periods: {fiscal_quarter: quarter, fiscal_year: year}}
`,
	"keyless.yaml": `
name: keyless
table: keyless
dimensions: [{name: order_id, type: number}, {name: note, type: string}]
measures: [{name: note_count, agg: count}]
joins:
  - {to: orders, on: "keyless.order_id = orders.id", relationship: many_to_one}
`,
	"metrics.yaml": `
metrics:
  - {name: hours_per_order, type: ratio, numerator: tickets.hours, denominator: orders.order_count}
  - {name: revenue_fqtd, type: cumulative, measure: orders.revenue, grain_to_date: fiscal_quarter}
  - {name: revenue_last_fiscal_year, type: time_shift, measure: orders.revenue, offset: 1 fiscal_year}
`,
}

const shopData = `
CREATE TABLE regions (id INTEGER PRIMARY KEY, title TEXT);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, segment TEXT, region_id INTEGER);
INSERT INTO customers VALUES (1, 'ann', 'retail', 1), (2, 'bob', NULL, 2), (3, 'cem', 'trade', NULL), (4, 'dee', 'retail', 9);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, amount INTEGER, day TEXT);
INSERT INTO orders VALUES
 (1, 1, 'paid', 100, '2024-01-30'), (2, 1, 'open', 50, '2024-01-31'), (3, 2, 'paid', 30, '2024-02-01'),
 (4, 4, NULL, 20, '2024-02-29'), (5, 77, 'paid', 7, '2024-03-05'), (6, NULL, 'open', 3, '2024-03-05');
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER, category TEXT, qty INTEGER);
INSERT INTO items VALUES (1, 1, 'food', 2), (2, 1, 'food', 5), (3, 1, 'toys', 1), (4, 2, 'food', 1), (5, 3, NULL, 4), (6, 99, 'toys', 10);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, customer_id INTEGER, kind TEXT, hours REAL, day TEXT);
INSERT INTO tickets VALUES (1, 1, 'bug', 1.5, '2024-01-30'), (2, 1, 'ask', 2.5, '2024-02-02'), (3, 3, 'bug', 4, '2024-02-10'), (4, 2, NULL, 8, '2024-03-01');
CREATE TABLE stock (day TEXT, sku TEXT, on_hand INTEGER, PRIMARY KEY (day, sku));
INSERT INTO stock VALUES ('2024-01-30', 'a', 5), ('2024-01-31', 'a', 4), ('2024-01-30', 'b', 9), ('2024-02-28', 'a', 7), ('2024-02-29', 'b', 1);
CREATE TABLE keyless (order_id INTEGER, note TEXT);
INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (2, 'y');
`

func shopModel(t testing.TB, d *dialect.Dialect) *model.Model {
	t.Helper()
	in := model.Input{Dialect: d}
	for name, text := range shop {
		in.Files = append(in.Files, model.Parse(name, []byte(text)))
	}
	m := model.Build(in)
	for _, p := range m.Problems() {
		t.Fatalf("problem: %s", p)
	}
	return m
}

func shopDatabase(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.ExecContext(t.Context(), shopData); err != nil {
		t.Fatal(err)
	}
	return db
}

// now is a Friday.
var now = time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC)

// answer is a result as text: the columns, then a line per row; or the error.
func answer(t testing.TB, m *model.Model, db *sql.DB, raw string) string {
	t.Helper()
	q, err := compiled(t, m, engine(t, "sqlite"), raw)
	if err != nil {
		e, ok := errors.AsType[*refusal.Error](err)
		if !ok {
			t.Fatalf("%v is no *refusal.Error", err)
		}
		return "error " + string(e.Code) + ": " + e.Message
	}
	rows, err := db.QueryContext(t.Context(), q.SQL)
	if err != nil {
		t.Fatalf("%s\n%v", q.SQL, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{strings.Join(names, " ")}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, v := range values {
			cells = append(cells, shown(v))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s\n%v", q.SQL, err)
	}
	if testing.Verbose() {
		t.Log(q.SQL)
	}
	return strings.Join(lines, "\n")
}

func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'g', 8, 64)
	case time.Time:
		return v.Format("2006-01-02")
	}
	return fmt.Sprint(v)
}

func compiled(t testing.TB, m *model.Model, d *dialect.Dialect, raw string) (*compile.Query, error) {
	t.Helper()
	r, _, err := request.Normalise(json.RawMessage(raw))
	if err != nil {
		return nil, err
	}
	return compile.Compile(m, d, r, compile.Options{Now: now})
}
