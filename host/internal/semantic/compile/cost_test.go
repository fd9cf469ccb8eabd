package compile_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// How often the statement of each request reads a table. A read more is a cost that
// grows with the data: a change of testdata/cost.txt needs a reason.
func TestReadsOfTables(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, tt := range golden {
		for _, name := range []string{"postgres", "sqlite"} {
			d := engine(t, name)
			q, err := compiled(t, shopModel(t, d), d, tt.request)
			if err != nil {
				fmt.Fprintf(&got, "%s %s refused\n", tt.name, name)
				continue
			}
			all := reads(t, d, q.SQL)
			for _, table := range slices.Sorted(maps.Keys(all)) {
				fmt.Fprintf(&got, "%s %s %s %d\n", tt.name, name, table, all[table])
			}
		}
	}
	path := filepath.Join("testdata", "cost.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run go test -update when each new read is worth it (-want +got):\n%s", diff)
	}
}

// maxStatementBytes bounds the longest statement of one measure.
const maxStatementBytes = 4 << 10

// A statement of one cumulative measure reads its table once and stays short, with
// gaps and without. An engine that computes a CTE again reads the ends of an open range too.
func TestCostOfYearToDate(t *testing.T) {
	t.Parallel()
	const measure = `{"measures": ["orders.revenue_ytd"], `
	for _, tt := range []struct{ name, request string }{
		{"open range", measure + `"dimensions": [{"field": "orders.day", "granularity": "day"}]}`},
		{"closed range", measure + `"dimensions": [{"field": "orders.day", "granularity": "day", "date_range": ["2024-01-01", "2024-12-31"]}]}`},
		{"gaps", measure + `"dimensions": [{"field": "orders.day", "granularity": "day"}], "fill_gaps": true}`},
		{"gaps in a closed range", measure + `"dimensions": [{"field": "orders.day", "granularity": "day", "date_range": ["2024-01-01", "2024-12-31"]}], "fill_gaps": true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range engines {
				d := engine(t, name)
				q, err := compiled(t, yearToDate(t, d), d, tt.request)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				t.Logf("%s: %d bytes", name, len(q.SQL))
				if len(q.SQL) > maxStatementBytes {
					t.Errorf("%s: %d bytes, more than %d:\n%s", name, len(q.SQL), maxStatementBytes, q.SQL)
				}
				want := map[string]int{"orders": 1}
				if d.Forms[dialect.SpineOver(dialect.Day)] != "" && !strings.Contains(tt.name, "closed") {
					want["orders"] = 2 // a second one for the ends is less than to group again
				}
				if diff := cmp.Diff(want, reads(t, d, q.SQL)); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", name, diff, q.SQL)
				}
			}
		})
	}
}

// yearToDate is the shop with revenue to date in the year.
func yearToDate(t *testing.T, d *dialect.Dialect) *model.Model {
	t.Helper()
	const before, added = "  - {name: revenue_mtd,", "  - {name: revenue_ytd, type: cumulative, measure: revenue, grain_to_date: year}\n"
	orders := strings.Replace(shop["orders.yaml"], before, added+before, 1)
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{
		model.Parse("orders.yaml", []byte(orders)), model.Parse("customers.yaml", []byte(shop["customers.yaml"])),
		model.Parse("regions.yaml", []byte(shop["regions.yaml"])), model.Parse("items.yaml", []byte(shop["items.yaml"])),
	}})
	for _, p := range m.Problems() {
		t.Fatalf("problem: %s", p)
	}
	return m
}

// reads counts the tables of the shop that stand behind FROM and JOIN.
func reads(t *testing.T, d *dialect.Dialect, sql string) map[string]int {
	t.Helper()
	tokens, err := d.Tokens(sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for i, token := range tokens[:len(tokens)-1] {
		next := tokens[i+1]
		named := next.Kind == dialect.TokenWord || next.Kind == dialect.TokenQuoted
		if !named || !token.IsWord(sql, "FROM") && !token.IsWord(sql, "JOIN") {
			continue
		}
		table := strings.ToLower(d.Unquote(sql, next))
		if _, ok := shop[table+".yaml"]; ok {
			all[table]++
		}
	}
	return all
}
