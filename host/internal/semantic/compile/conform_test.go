package compile_test

import (
	"strings"
	"testing"
)

// Dimensions that mean the same are refused where nobody knows which one is meant, or
// where their values cannot be the same.
func TestConformRefused(t *testing.T) {
	t.Parallel()
	const conform = `, "dimensions": ["place"], "conform": {"place": ["orders.status", "tickets.kind"]}}`
	for _, tt := range []struct{ name, request, want string }{
		{"a home that reaches none", `{"measures": ["stock.closing", "orders.revenue"]` + conform, "no_join_path: stock.closing"},
		{"types that differ", `{"measures": ["orders.revenue"], "dimensions": ["place"], "conform": {"place": ["tickets.kind", "orders.day"]}}`, "their values cannot be the same"},
		{"empty groups", `{"measures": ["orders.revenue"], "include_empty": true` + conform, "empty groups of place belong to several sources"},
		{"periods", `{"measures": ["orders.revenue"], "dimensions": [{"field": "place", "granularity": "month"}], "conform": {"place": ["orders.day", "tickets.day"]}}`, "group by metric_time"},
		{"a member that there is not", `{"measures": ["orders.revenue"], "dimensions": ["place"], "conform": {"place": ["orders.statu", "tickets.kind"]}}`, "orders.status"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := written(t, "sqlite", tt.request); !strings.Contains(got, tt.want) {
				t.Errorf("%s\nhas no %q", got, tt.want)
			}
		})
	}
}
