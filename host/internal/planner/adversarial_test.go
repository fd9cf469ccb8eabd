package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// TestCandidatesOfADivision: each reading of a division in SQL that a question offers is a sentence that defines it.
func TestCandidatesOfADivision(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT sum(amount_cents) / 100 AS euros FROM billing.subscription",
		"SELECT sum(amount_cents / 100) AS euros FROM billing.subscription WHERE status = 'active'",
	} {
		plan := shop(t).plan("```sql\n" + sql + "\n```")
		if len(plan.Questions) != 1 || len(plan.Questions[0].Candidates) != 2 {
			t.Fatalf("%s: %+v", sql, plan.Questions)
		}
		for _, candidate := range plan.Questions[0].Candidates {
			answered := shop(t).plan(candidate)
			i := slices.IndexFunc(answered.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure })
			if i < 0 || len(answered.Questions) > 0 || !strings.Contains(answered.Changes[i].Says, "sum") || strings.Contains(sql, "WHERE") && !strings.Contains(answered.Changes[i].Says, "status = 'active'") {
				t.Errorf("%s: %+v, %+v", candidate, answered.Changes, answered.Questions)
			}
		}
	}
}

// TestNeverAWrongMeasure reads sentences that look like measures. Each must become exactly the
// measure that is written beside it, as its keys, or none.
func TestNeverAWrongMeasure(t *testing.T) {
	t.Parallel()
	testMeasures(t, []measured{
		// No aggregate, no name, no table.
		{"Profit = revenue - cost", ""},
		{"Margin = amount / 2 on orders", ""},
		{"Answer = 42", ""},
		{"Net = amount - amount_cents", ""},
		{"Total = count(*)", ""},
		{"Total is the number of rows.", ""},
		{"LTV = sum(lifetime_value) on orders", ""},
		{"LTV = sum(amount) on purchases", ""},
		{"Sum = sum(amont) on orders", ""},
		{"Weird = sum(amount on orders", ""},
		{"Nested = sum(avg(amount)) on orders", ""},
		{"Window = sum(amount) over (partition by status) on orders", ""},
		{"Sub = sum(select amount from sales.orders)", ""},
		{"Both = sum(amount), count(*) on orders", ""},
		{"42nd = sum(amount) on orders", ""},
		{"売上 = sum(amount) on orders", ""},
		// Two tables.
		{"ARPU = sum(orders.amount) / count(customer.id)", ""},
		{"ARPU = sum(amount) / count_distinct(crm.customer.id) on orders", ""},
		{"Mix = sum(orders.amount) + sum(subscription.amount_cents)", ""},
		{"Per customer revenue is the sum of amount per customer in orders.", ""},
		{"Revenue per customer = sum(amount) per customer on orders", ""},
		{"Germany = sum(amount) on orders where customer.country = 'DE'", ""},
		{"Germany is the sum of amount in orders where country = 'DE'.", ""},
		// A period.
		{"YTD = sum(amount) on orders where created_at >= '2026-01-01'", ""},
		{"Last month is the sum of amount in orders for the last month.", ""},
		{"Recent = sum(amount) on orders in the last 30 days", ""},
		{"Revenue 2026 is the sum of amount in orders during 2026.", ""},
		{"Y = sum(amount) on orders where year(created_at) = 2026", ""},
		{"Q1 sales = sum(amount) on orders in Q1", ""},
		{"Since March 2026, GMV is the sum of amount in orders.", ""},
		{"Until 2025 GMV was sum(amount) on orders. Since 2026 GMV is sum(amount) / 2 on orders.", ""},
		// Values.
		{"Paid = sum(amount) on orders where status = 'payed'", ""},
		{"Fraud = count(*) on orders where status = 'fraud'", ""},
		{"Good = sum(amount) on orders excluding fraud", ""},
		{"Clean = sum(amount) on orders excluding test customers", ""},
		{"Odd = sum(amount) on orders where status = 'paid' and status = 'pending'", ""},
		{"Trial = count(*) on billing.subscription where plan = 'trial'", ""},
		{"Small = count(*) on orders where amount = 'small'", ""},
		{"Net = sum(amount) on orders without tax", ""},
		{"Net = sum(amount) on orders including tax", ""},
		{"Live = count(*) on orders where the customer is active", ""},
		{"GMV is the sum of amount in orders, excluding refunded and internal.", ""},
		// Identifiers, texts and times.
		{"X = sum(customer_id) on orders", ""},
		{"X = avg(id) on orders", ""},
		{"X = sum(status) on orders", ""},
		{"X = sum(created_at) on orders", ""},
		{"X = avg(status) on orders", ""},
		// Hedges, questions, plans, reports.
		{"Maybe GMV is the sum of amount in orders.", ""},
		{"I think GMV = sum(amount) on orders", ""},
		{"Is GMV the sum of amount in orders?", ""},
		{"GMV should be the sum of amount in orders, but nobody checked.", ""},
		{"GMV is not the sum of amount in orders.", ""},
		{"GMV was 12 million in 2026.", ""},
		{"The number of orders grew by 12 % last year.", ""},
		{"The sum of amount in orders is 4 711.", ""},
		{"Number of orders per month is growing", ""},
		{"Average order value is about 35 EUR.", ""},
		{"TODO: GMV = sum(amount) on orders", ""},
		{"- [ ] GMV = sum(amount) on orders", ""},
		{"> GMV = sum(amount) on orders", ""},
		// Counting.
		{"Customers is the number of customers.", ""},
		{"Buyers is the number of distinct customers.", ""},
		{"Plans = count(plan) on billing.subscription", "agg: count expr: plan"},
		{"Plans is the number of plan in billing.subscription.", ""},
		{"Segments is the count of segment.", ""},
		// Amounts in two tables' words.
		{"Status count is the number of status.", ""},
		{"S = count_distinct(status)", ""},
		{"S = min(id)", ""},
		// Existing names with other formulas wait.
		{"Revenue = sum(amount) / 100 on orders", "wait expr: sum(amount) / 100"},
		{"Revenue is the sum of amount_cents in billing.subscription.", "wait agg: sum expr: amount_cents"},
		// Another connection.
		{"In connection other, GMV is the sum of amount in sales.orders.", ""},
		{"GMV is the sum of amount in sales.orders in connection other.", ""},
		// Conditions in other sentences, headings and items.
		{"Only orders with status = 'paid' count. GMV is the median of amount in orders.", ""},
		{"Refunded orders don't count. GMV is the median of amount in orders.", ""},
		{"We only look at paid orders. GMV is the median of amount in orders.", ""},
		{"Always exclude refunded orders. GMV is the median of amount in orders.", ""},
		{"GMV excludes refunded orders. GMV is the median of amount in orders.", ""},
		{"GMV is the median of amount in orders. It counts only paid orders.", ""},
		{"GMV is the median of amount in orders. Refunded orders don't count.", ""},
		{"Refunded orders are left out.\n\nGMV is the median of amount in orders.", ""},
		{"- Only paid orders count\n- GMV is the median of amount in orders", ""},
		{"## Paid orders only\n\nGMV is the median of amount in orders.", ""},
		{"I think only paid orders count. GMV is the median of amount in orders.", ""},
		{"If an order is refunded, it is not counted. GMV is the median of amount in orders.", ""},
		{"Nur bezahlte Bestellungen zählen. Umsatzsumme ist der Durchschnitt von amount in orders.", ""},
		{"Umsatzsumme ist der Durchschnitt von amount in orders. Es zählen nur bezahlte Bestellungen.", ""},
		{"Erstattete Bestellungen werden nicht mitgezählt. Umsatzsumme ist der Durchschnitt von amount in orders.", ""},
		{"## Ohne Erstattungen\n\nUmsatzsumme ist der Durchschnitt von amount in orders.", ""},
		{"Until March 2026 GMV was the median of amount in orders, since April 2026 GMV is the average of amount in orders.", ""},
		{"Bis März 2026 war GMV der Durchschnitt von amount in orders, ab April 2026 ist GMV der Durchschnitt von amount in orders.", ""},
		{"GMV was the median of amount in orders.", ""},
		{"Churn counts no trials.\n\nLong ago it was different.\n\nGMV is the median of amount in orders.", "agg: median expr: amount"},
		// A division of two aggregates, each with its own conditions.
		{"Paid by all = number of orders where status = 'paid' / number of orders in crm.customer", ""},
		{"Mixed = number of orders with status paid / number of customers", ""},
		{"Ausland: Anteil = Anzahl orders mit status = 'paid' geteilt durch Anzahl aller orders.", ""},
		{"For Germany: turnover is the sum of amount in orders.", ""},
		{"We count an order; turnover = sum(amount) on customer", ""},
		// Right ones.
		{"Paid share = number of orders with status paid / number of orders with status pending or paid", "expr: count(CASE WHEN status = 'paid' THEN 1 END) / count(CASE WHEN status IN ('pending', 'paid') THEN 1 END)"},
		{"AOV is the sum of amount divided by the number of orders in orders.", "expr: sum(amount) / count(*)"},
		{"Quick note for later: turnover = max(amount) on orders", "agg: max expr: amount"},
		{"Paid share is the number of orders with status paid divided by the number of orders.", "expr: count(CASE WHEN status = 'paid' THEN 1 END) / count(*)"},
		{"Bezahlquote = Anzahl der orders mit status = 'paid' geteilt durch Anzahl aller orders.", "expr: count(CASE WHEN status = 'paid' THEN 1 END) / count(*)"},
		{"Shipping per order is sum(amount) / count(*) on orders.", "expr: sum(amount) / count(*)"},
		{"Paying customers = count_distinct(customer_id) on orders", "agg: count_distinct expr: customer_id"},
		{"Half is sum(amount) divided by 2 on orders", "expr: sum(amount) / 2"},
		{"GMV = sum(amount) + 0 on orders", "expr: sum(amount) + 0"},
		{"GMV is the sum of amount in sales.orders, excluding refunded.", "agg: sum expr: amount filter: status IS DISTINCT FROM 'refunded'"},
		{"GMV is the sum of amount in orders, excluding refunded and pending orders.", "agg: sum expr: amount filter: status IS DISTINCT FROM 'refunded' AND status IS DISTINCT FROM 'pending'"},
		{"Paid revenue = sum(amount) on orders where status = 'PAID'", "agg: sum expr: amount filter: status = 'paid'"},
		{"Paid revenue is the sum of amount in orders where status is paid.", "agg: sum expr: amount filter: status = 'paid'"},
		{"Paid orders is the number of paid orders.", "agg: count filter: status = 'paid'"},
		{"Active MRR = sum(amount_cents) / 100 on billing.subscription where status = 'active' and plan <> 'free'", "expr: sum(amount_cents) / 100 filter: status = 'active' AND plan <> 'free'"},
		{"Largest order is the maximum of amount in orders.", "agg: max expr: amount"},
		{"Durchschnittlicher Bestellwert ist der Durchschnitt von amount in orders.", "agg: avg expr: amount"},
		{"Median order = median(amount) on orders", "agg: median expr: amount"},
		{"Buyers is the number of distinct customer_id in orders.", "agg: count_distinct expr: customer_id"},
		{"Buyers = count(distinct customer_id) on orders", "agg: count_distinct expr: customer_id"},
		{"Small orders = count(*) on orders where amount < 10", "agg: count filter: amount < 10"},
		{"Big orders = count(*) on orders excluding amount < 10", "agg: count filter: NOT amount < 10 OR amount IS NULL"},
		{"Either = count(*) on orders where status in ('paid', 'Pending')", "agg: count filter: status IN ('paid', 'pending')"},
		{"Double = revenue * 2", "expr: revenue * 2"},
		{"Share = revenue / row_count", ""},
		{"MRR = sum(subscription.amount_cents) / 100", "expr: sum(amount_cents) / 100"},
		{"MRR per month = sum(amount_cents) on billing.subscription", "agg: sum expr: amount_cents"},
		{"Monthly orders is the number of distinct id per month in orders.", "agg: count_distinct expr: id"},
	})
}

// measured is a text, and the only measure that it makes: its keys, "" = none, "wait …" = one that waits.
type measured struct{ text, want string }

func testMeasures(t *testing.T, tests []measured) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			plan := shop(t).plan(tt.text)
			var got []string
			for _, c := range plan.Changes {
				if c.Kind == "measure" {
					_, text, _ := strings.Cut(c.Says, ": ")
					if text = strings.ReplaceAll(text, ", ", " "); len(c.Why) > 0 {
						text = "wait " + text
					}
					got = append(got, text)
				}
			}
			want := []string{}
			if tt.want != "" {
				want = append(want, strings.ReplaceAll(tt.want, ", ", " "))
			}
			if !slices.EqualFunc(want, got, func(w, g string) bool { return g == w || strings.HasPrefix(w, "wait") && strings.HasPrefix(g, w) }) {
				t.Errorf("got %q, want %q; %v", got, want, plan.Questions)
			}
		})
	}
}
