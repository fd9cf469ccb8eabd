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
	tables, again := tpch.Generate(0.002, 3), tpch.Generate(0.002, 3)
	known := map[string]map[string]bool{}
	for i, table := range tables {
		if len(table.Rows) == 0 {
			t.Fatalf("%s is empty", table.Name)
		}
		known[table.Name] = map[string]bool{}
		for n, row := range table.Rows {
			key := values(table, row, table.Key)
			if known[table.Name][key] {
				t.Errorf("%s has the key %s twice", table.Name, key)
			}
			known[table.Name][key] = true
			if fmt.Sprint(row) != fmt.Sprint(again[i].Rows[n]) {
				t.Fatalf("%s differs between two runs at row %d", table.Name, n)
			}
		}
	}
	for _, table := range tables {
		for _, r := range table.Refers {
			for _, row := range table.Rows {
				if key := values(table, row, r.Columns); !known[r.To][key] {
					t.Fatalf("%s refers to %s %s, which is not there", table.Name, r.To, key)
				}
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
