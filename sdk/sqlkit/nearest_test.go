package sqlkit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{strings.Repeat("x", 202), "orders", "order_items", "customers", "Kunden", "a", "b", "größe"}
	for _, tt := range []struct {
		word string
		want []string
	}{
		{"order", []string{"orders"}},
		{"ORDERS", []string{"orders"}},
		{"odrers", []string{"orders"}},
		{"costumers", []string{"customers"}},
		{"orderitems", []string{"order_items"}},
		{"kunde", []string{"Kunden"}},
		{"gröse", []string{"größe"}},
		{"c", []string{"a", "b"}},
		{"invoices", nil},
		{"", []string{"a", "b"}},
		{strings.Repeat("x", 201), nil},
	} {
		if diff := cmp.Diff(tt.want, sqlkit.Nearest(tt.word, names), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.word, diff)
		}
	}
}

func TestNearestTakesThree(t *testing.T) {
	t.Parallel()
	got := sqlkit.Nearest("table0", []string{"table1", "table2", "table0", "table3", "table4"})
	if diff := cmp.Diff([]string{"table0", "table1", "table2"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
