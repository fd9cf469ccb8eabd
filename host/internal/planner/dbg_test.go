package planner

import "testing"

func TestDbg(t *testing.T) {
	for _, text := range []string{
		"Until March 2026 bookings was the sum of amount_cents in billing.subscription, since April 2026 bookings is the sum of arr in billing.subscription.",
		"bookings = sum(amount_cents) in billing.subscription",
		"Für alle Umsatzberichte gilt: status = 'refunded' immer ausschließen.",
		"In our reports, gross sales always stands for sum(amount) over sales.orders without any filter.",
	} {
		plan := shop(t).plan(text)
		t.Log(text, summary(plan))
		for _, q := range plan.Questions {
			t.Logf("   %s %q about=%q name=%q %q", q.Code, q.Ask, q.about, q.name, q.Candidates)
		}
	}
}
