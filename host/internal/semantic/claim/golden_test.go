package claim_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/sdk/readonly"
)

var update = flag.Bool("update", false, "write the golden files")

var engines = []string{"bigquery", "clickhouse", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "sqlserver"}

const (
	goldenOrders = `
name: orders
table: sales.orders
primary_key: [id]
unique_keys: [[shop, number]]
dimensions: [{name: id, type: number}, {name: shop, type: string}, {name: number, type: number}, {name: placed, type: time, column_type: epoch_s}]
joins:
  - {to: customers, on: "orders.customer_id = customers.id AND orders.placed >= customers.since", relationship: many_to_one}
  - {role: invoice, to: bills, on: "orders.id = invoice.order_id", relationship: one_to_one}
`
	goldenCustomers = `
name: customers
sql: SELECT * FROM crm.customers -- all of them
primary_key: [id]
dimensions: [{name: id, type: number}, {name: since, type: time, column_type: timestamp}]
`
	goldenBills = `
name: bills
table: sales.bills
dimensions: [{name: order_id, type: number}]
`
	goldenDays = `
name: days
table: sales.days
calendar:
  date: at
  periods: {season: season, fiscal_year: year}
dimensions: [{name: at, type: time, column_type: timestamp}, {name: season, type: string}, {name: year, type: number}]
`
)

// goldens are the claims of orders, then that of days.
var goldens = []string{"primary_key", "unique_key", "range", "one_to_one", "calendar"}

// What each dialect makes of a claim. The guard takes every text for one statement
// that only reads.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(goldens, strings.TrimSuffix(f.Name(), ".sql")) {
			t.Errorf("testdata/%s belongs to no claim", f.Name())
		}
	}
	for i, name := range goldens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			for _, engineName := range engines {
				d := engine(t, engineName)
				m := built(t, d, goldenOrders, goldenCustomers, goldenBills, goldenDays)
				var all []claim.Claim
				for _, name := range []string{"orders", "days"} {
					s, err := m.FindSource(name)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, claim.Of(m, s.ID)...)
				}
				for _, examples := range []bool{true, false} {
					text, err := all[i].Statement(m, d, examples)
					if err != nil {
						t.Fatal(err)
					}
					if err := readonly.Check(text, d); err != nil {
						t.Errorf("%s: %v", engineName, err)
					}
					if examples {
						got.WriteString("-- " + engineName + "\n" + text + "\n\n")
					} else if bytes.Contains([]byte(text), []byte("example")) {
						t.Errorf("%s gives examples of what is not kept", engineName)
					}
				}
			}
			path := filepath.Join("testdata", name+".sql")
			if *update {
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
}
