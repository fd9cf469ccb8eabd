package planner

import "testing"

// TestWordings reads wordings of one calculation. Each has sentences beside it that look alike and are none.
func TestWordings(t *testing.T) {
	t.Parallel()
	testMeasures(t, []measured{
		// An aggregate of a name without "of".
		{"Billed = total amount_cents in billing.subscription", "agg: sum expr: amount_cents"},
		{"Billed is the highest amount_cents in billing.subscription where status = 'active'.", "agg: max expr: amount_cents filter: status = 'active'"},
		{"Billed = total amount_cents in EUR", ""},
		{"Billed = total amount_cents of everything in billing.subscription", ""},
		{"Billed = total orders in orders", ""},
		{"Billed = total price in orders", ""},
		// The imperative of a count.
		{"Paid: count orders where status = 'paid'", "agg: count filter: status = 'paid'"},
		{"Paid: count orders where nobody complained", ""},
		{"Paid: count orders twice", ""},
		{"Paid: count customer with status = 'paid'", ""},
		{"Bezahlte: orders mit status = 'paid' zählen", "agg: count filter: status = 'paid'"},
		{"Bezahlte: orders mit status = 'paid' nicht zählen", ""},
		{"Bezahlte: orders mit status = 'paid' doppelt zählen", ""},
		{"Bezahlte: orders mit status = 'paid' zählen nicht", ""},
		{"Bezahlte: nur orders mit status = 'paid' zählen als Umsatz", ""},
		// A table by its name, with a condition on its columns.
		{"Trade = number of customer where segment = 'trade'", "agg: count filter: segment = 'trade'"},
		{"Trade = number of customer", ""},
		{"Trade = number of customers where status = 'paid'", ""},
		// The table in parentheses.
		{"Half = sum(amount) / 2 (table orders)", "expr: sum(amount) / 2"},
		{"Top = max(amount) over orders (table orders)", "agg: max expr: amount"},
		{"Top = max(amount) over orders (table billing.subscription)", ""},
		{"Top = max(amount) (orders of the shop)", ""},
		{"Top = max(amount) over orders (table orders, paid ones)", ""},
		// The unit behind the calculation.
		{"Billed = max(amount_cents) in billing.subscription, in cents", "agg: max expr: amount_cents"},
		{"Billed = sum(amount_cents) / 100 in billing.subscription, in EUR", "expr: sum(amount_cents) / 100"},
		{"Billed is the sum of amount_cents / 100 in billing.subscription where status = 'active', in EUR", "agg: sum expr: amount_cents / 100 filter: status = 'active'"},
		{"Billed = sum(amount_cents) in billing.subscription, in EUR", ""},
		{"Billed = sum(amount_cents) / 100 in billing.subscription, in cents", ""},
		{"Billed = sum(amount_cents) / 100000 in billing.subscription, in thousand EUR", ""},
		{"Billed = sum(arr) in billing.subscription, in thousands of euros", ""},
		{"Billed = count(*) in billing.subscription, in cents", ""},
		{"Billed = sum(amount_cents) in billing.subscription, in the currency of the customer", ""},
		{"Share = number of orders with status paid / number of orders, in percent", ""},
		// The number of rows as a divisor.
		{"Amount per line = sum(amount) / count(*) on orders", "expr: sum(amount) / count(*)"},
		{"Amount per customer = sum(amount) / count(*) on orders", ""},
		{"Amount per line = sum(amount) on orders", ""},
		// A hyphen between name and calculation.
		{"Paid orders - max of orders.amount where status is 'paid'", "agg: max expr: amount filter: status = 'paid'"},
		{"Paid orders - max of orders.amount where status is 'paid' (source: finance, 2026-11)", "agg: max expr: amount filter: status = 'paid'"},
		{"revenue - number of orders where status = 'refunded'", ""},
		{"gross orders - number of orders where status = 'refunded'", ""},
		{"orders - number of orders where status = 'refunded'", ""},
		{"Paid orders - the boring ones", ""},
		// What is said before a colon.
		{"Let's agree: \"top order\" means max(amount) in orders", "agg: max expr: amount"},
		{"For the dashboard: top order is the maximum of amount in orders.", "agg: max expr: amount"},
		{"For the trade dashboard: top order is the maximum of amount in orders.", ""},
		{"For Germany: top order is the maximum of amount in orders.", ""},
		{"Let's not agree: top order is the maximum of amount in orders.", ""},
		// FILTER of SQL.
		{"Paid share = count(*) filter (where status = 'paid') / count(*) on orders", "expr: count(CASE WHEN status = 'paid' THEN 1 END) / count(*)"},
		{"Paid amount = max(amount) filter (where status = 'paid') on orders", "agg: max expr: amount filter: status = 'paid'"},
		{"Paid share = count(*) filter (where status = 'payed') / count(*) on orders", ""},
		{"Paid more = count(*) filter (where status = 'paid') + count(*) on orders", ""},
		{"Paid more = count(*) filter (where status = 'paid') - count(*) filter (where status = 'refunded') on orders", ""},
		{"Paid hundred = sum(amount) filter (where status = 'paid') / 100 on orders", ""},
		// A query in a sentence.
		{"Top order: `select max(amount) from orders where status = 'paid'`", "agg: max expr: amount filter: status = 'paid'"},
		{"Top order: `select max(amount) as m from sales.orders`", "agg: max expr: amount"},
		{"Top order: `select customer_id, max(amount) from orders group by customer_id having max(amount) > 5`", ""},
		{"Top order: `select max(amount), min(amount) from orders`", ""},
		{"Top order: `select max(amount) from orders o join crm.customer c on c.id = o.customer_id`", ""},
		{"Mean: `select sum(amount) / count(*) from orders`", ""},
		{"Top order: `select max(amount) from orders, crm.customer`", ""},
		{"Top order: `select max(amount) from orders limit 5`", ""},
		// No value.
		{"Unknown plans is the number of subscriptions where started_at is empty.", "agg: count filter: started_at IS NULL"},
		{"Gestartete: Anzahl der Zeilen in billing.subscription mit started_at nicht leer", "agg: count filter: started_at IS NOT NULL"},
		{"Gestartete: Anzahl der Zeilen in billing.subscription, bei denen started_at nicht leer ist", "agg: count filter: started_at IS NOT NULL"},
		{"Unplanned is the number of subscriptions where plan is empty.", "agg: count filter: plan IS NULL"},
		{"Somewhere is the number of rows in crm.customer where country is empty.", ""},
		{"Unplanned is the number of subscriptions where plan is hardly empty.", ""},
		{"Unplanned is the number of subscriptions where the cart is empty.", ""},
		{"Unplanned is the number of subscriptions where plan or status is empty.", ""},
		// Values inside an expression.
		{"Paid share = count(case when status = 'payed' then 1 end) / count(*) on orders", ""},
		{"Paid share = count(case when status = 'PAID' then 1 end) / count(*) on orders", "expr: count(CASE WHEN status = 'paid' THEN 1 END) / count(*)"},
	})
}
