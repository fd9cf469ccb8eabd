package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each part of a source says where it is from, and what it hides.
func TestOrigins(t *testing.T) {
	t.Parallel()
	m := layered(true,
		dbt, imported,
		memory, "name: orders\ndescription: Learned.\nsynonyms: [purchases, sales]\ncolumn_overrides:\n  - {name: status, description: Where it is.}\nmeasures:\n  - {name: aov, agg: avg, expr: amount}\n  - {name: revenue, agg: min, expr: amount}\n",
		own, "name: orders\nprimary_key: [id]\njoins:\n  - {to: orders, role: parent, on: orders.id = parent.amount, relationship: many_to_one}\nmeasures:\n  - {name: revenue, agg: avg, expr: amount}\n",
	)
	s, err := m.FindSource("orders")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range m.Origins(s) {
		line := fmt.Sprintf("%s %s: %s %s:%d", o.Kind, o.Name, o.Layer, o.File, o.Line)
		for _, h := range o.Hides {
			line += fmt.Sprintf(" hides %s %s:%d", h.Layer, h.File, h.Line)
		}
		got = append(got, line)
	}
	want := []string{
		"table main.orders: imported imported/dbt/orders.yaml:2 hides scanned :0",
		"description : imported imported/dbt/orders.yaml:3 hides scanned :0 hides memory _memory/orders.yaml:2",
		"synonyms sales: imported imported/dbt/orders.yaml:4",
		"synonyms purchases: memory _memory/orders.yaml:3",
		"primary_key id: person orders.yaml:2 hides scanned :0",
		"measures row_count: scanned :0",
		"measures revenue: person orders.yaml:6 hides imported imported/dbt/orders.yaml:9 hides memory _memory/orders.yaml:8",
		"measures largest: imported imported/dbt/orders.yaml:10",
		"measures aov: memory _memory/orders.yaml:7",
		"dimensions id: imported imported/dbt/orders.yaml:6 hides scanned :0",
		"dimensions amount: imported imported/dbt/orders.yaml:7 hides scanned :0",
		"dimensions status: scanned :0",
		"dimension descriptions amount: scanned :0",
		"dimension descriptions status: memory _memory/orders.yaml:5",
		"joins parent: person orders.yaml:4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
