package tpch_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/oracle/tpch"
)

// The same scale and seed make the same rows, keys are unique, and references
// lead somewhere.
func TestGenerate(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{
		"region": {"r_regionkey"}, "nation": {"n_nationkey"}, "supplier": {"s_suppkey"}, "customer": {"c_custkey"}, "part": {"p_partkey"},
		"partsupp": {"ps_partkey", "ps_suppkey"}, "orders": {"o_orderkey"}, "lineitem": {"l_orderkey", "l_linenumber"},
	}
	references := []struct {
		table, target string
		columns       []string
	}{
		{"nation", "region", []string{"n_regionkey"}},
		{"supplier", "nation", []string{"s_nationkey"}},
		{"customer", "nation", []string{"c_nationkey"}},
		{"orders", "customer", []string{"o_custkey"}},
		{"partsupp", "part", []string{"ps_partkey"}},
		{"partsupp", "supplier", []string{"ps_suppkey"}},
		{"lineitem", "orders", []string{"l_orderkey"}},
		{"lineitem", "partsupp", []string{"l_partkey", "l_suppkey"}},
	}
	tables, again := tpch.Generate(0.002, 3), tpch.Generate(0.002, 3)
	known := map[string]map[string]bool{}
	for i, table := range tables {
		if len(table.Rows) == 0 {
			t.Fatalf("%s is empty", table.Name)
		}
		known[table.Name] = map[string]bool{}
		for n, row := range table.Rows {
			key := values(table, row, keys[table.Name])
			if known[table.Name][key] {
				t.Errorf("%s has the key %s twice", table.Name, key)
			}
			known[table.Name][key] = true
			if fmt.Sprint(row) != fmt.Sprint(again[i].Rows[n]) {
				t.Fatalf("%s differs between two runs at row %d", table.Name, n)
			}
		}
	}
	for _, r := range references {
		table := tables[slices.IndexFunc(tables, func(t tpch.Table) bool { return t.Name == r.table })]
		for _, row := range table.Rows {
			if key := values(table, row, r.columns); !known[r.target][key] {
				t.Fatalf("%s refers to %s %s, which is not there", r.table, r.target, key)
			}
		}
	}
}

func values(t tpch.Table, row []any, columns []string) string {
	s := ""
	for _, name := range columns {
		at := slices.IndexFunc(t.Columns, func(c tpch.Column) bool { return c.Name == name })
		s += fmt.Sprint(row[at], " ")
	}
	return s
}
