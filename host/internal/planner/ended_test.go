package planner

import (
	"context"
	"errors"
	"testing"
)

// TestEndedPlan ends the plan of one statement at each of its steps. Its compilations ask as well:
// a measure is tried by all dimensions of its source, and none of these is refused because the
// plan ended.
func TestEndedPlan(t *testing.T) {
	t.Parallel()
	p := shop(t)
	in := p.input("GMV is the sum of amount in sales.orders, excluding refunded.")
	asked := 0
	v := p.view()
	v.Ended = func() error { asked++; return nil }
	plan, err := Make(in, v)
	if err != nil || len(plan.Changes) == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if asked < 50 {
		t.Fatalf("the plan asked %d times whether it ended, want at least 50 times", asked)
	}
	for _, at := range []int{1, asked / 4, asked / 2, asked - 1, asked} {
		n := 0
		v := p.view()
		v.Ended = func() error {
			if n++; n >= at {
				return context.Canceled
			}
			return nil
		}
		if plan, err := Make(in, v); plan != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("ended at %d of %d: %v, plan %+v", at, asked, err, plan)
		}
		if n > at+20 {
			t.Errorf("ended at %d of %d, and asked %d times after that", at, asked, n-at)
		}
	}
}
