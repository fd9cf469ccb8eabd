package text

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFamily(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"orders_20240101": {"orders_#", "20240101"}, "p1_of_12": {"p#_of_#", "112"}, "orders": {"orders", ""}, "2024": {"#", "2024"}, "": {"", ""}, "日２": {"日２", ""},
	} {
		pattern, digits := Family(name)
		if got := [2]string{pattern, digits}; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	names := []string{"part_10", "part_9", "part_2", "part_11"}
	slices.SortFunc(names, CompareInFamily)
	if diff := cmp.Diff([]string{"part_2", "part_9", "part_10", "part_11"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	names := []string{"orders_9", "orders_10", "Orders_v2", "orders_2024_01", "orders_2024_02", "orders_items", "order_3", "orders", "orders_"}
	if diff := cmp.Diff([]string{"orders_10", "orders_2024_02"}, Newest("orders", names)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Newest("customers", names); len(got) > 0 {
		t.Errorf("%q are copies of customers", got)
	}
}
