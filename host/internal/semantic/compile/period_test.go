package compile_test

import (
	"strings"
	"testing"
)

// TestTwoGranularities: a running total goes by one time. Where a request has two granularities
// of it, the refusal names both.
func TestTwoGranularities(t *testing.T) {
	t.Parallel()
	got := written(t, "sqlite", `{"measures": ["orders.revenue_mtd"], "dimensions": [{"field": "orders.day", "granularity": "month"}, {"field": "orders.day", "granularity": "quarter"}]}`)
	if want := "orders.day.month and orders.day.quarter"; !strings.Contains(got, want) {
		t.Errorf("%s\nhas no %q", got, want)
	}
}
