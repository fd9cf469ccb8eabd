package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// TestMetricOfTables: names of tables in a ratio are a question with their measures, one of which answers it. A metric whose
// parts have no common time says so.
func TestMetricOfTables(t *testing.T) {
	t.Parallel()
	p := shop(t)
	plan := p.plan("Conversion rate = orders / customer")
	if len(plan.Questions) != 1 || plan.Questions[0].Code != UnknownName || !slices.Contains(plan.Questions[0].Candidates, "Conversion rate = sales.orders.revenue / customer") {
		t.Fatalf("%+v %+v", summary(plan), plan.Questions)
	}
	plan = p.plan("Conversion rate = sales.orders.row_count / crm.customer.row_count")
	i := slices.IndexFunc(plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure && c.Target == "conversion_rate" })
	if i < 0 || len(plan.Questions) > 0 {
		t.Fatalf("%q %+v", summary(plan), plan.Questions)
	}
	if !slices.ContainsFunc(plan.Notes, func(note string) bool { return strings.Contains(note, "no common time") }) {
		t.Errorf("%q does not say that it has no common time", plan.Notes)
	}
	plan = p.plan("Number of orders is count(orders.id)")
	if got := summary(plan); !slices.Contains(got, "measure orders.number_of_orders") && !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "synonyms orders.") || strings.HasPrefix(s, "ask") }) {
		t.Errorf("number of orders: %q", got)
	}
}
