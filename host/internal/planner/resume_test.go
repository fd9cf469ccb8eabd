package planner

import (
	"slices"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// TestRunThatEndedHalfway: a disk that was full after the measure was written, and before its page was, leaves the page to
// the next run. Where both are written the same text changes nothing.
func TestRunThatEndedHalfway(t *testing.T) {
	t.Parallel()
	const text = "GMV is the sum of amount in sales.orders, excluding refunded. A parcel is a box with a lid."
	p := shop(t)
	plan := p.plan(text)
	first := summary(plan)
	half := *plan
	half.Changes = slices.DeleteFunc(slices.Clone(plan.Changes), func(c change.Proposal) bool { return c.Kind == change.Page })
	p.apply(&half, p.input(text), false)
	plan = p.plan(text)
	if got := summary(plan); !slices.Equal(got, slices.DeleteFunc(first, func(s string) bool { return s == "measure orders.gmv" })) {
		t.Errorf("the second run proposes %q", got)
	}
	p.apply(plan, p.input(text), false)
	if again := p.plan(text); len(again.Changes) > 0 {
		t.Errorf("the third run proposes %q", summary(again))
	}
}
