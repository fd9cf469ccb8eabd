package assertion

import "testing"

// only reads the one statement of a text.
func only(t *testing.T, text string) Statement {
	t.Helper()
	d := Read(text, Options{Asked: true})
	if len(d.Statements) != 1 {
		t.Fatalf("%q has %d statements: %+v", text, len(d.Statements), d.Statements)
	}
	return d.Statements[0]
}

func TestContradicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, kind string }{
		// Numbers, durations, percents, dates, money.
		{"Active customer: an order in the last 90 days", "Active customers: order in the last 30 days", "number"},
		{"Aktive Kunden: Bestellung in den letzten 90 Tagen.", "Aktive Kunden: Bestellung in den letzten 30 Tagen.", "number"},
		{"Active customer: an order in the last 90 days", "Active customer: an order in the last ninety days", ""},
		{"Active customer: an order in the last 90 days", "Active customer: an order in the last 3 months", "number"},
		{"Active customer: an order in the last 14 days", "Active customer: an order in the last 2 weeks", ""},
		{"Large order: an order over 1,234.50 EUR", "Large order: an order over €1234.5", ""},
		{"Large order: an order over 1,234.50 EUR", "Large order: an order over 1,234.50 USD", "number"},
		{"Großauftrag: eine Bestellung über 1.234,50 €", "Großauftrag: eine Bestellung über 1234,5 EUR", ""},
		{"Großauftrag: eine Bestellung ab 1.234 €", "Großauftrag: eine Bestellung ab 1,234 €", "number"},
		{"VAT is 19 %", "VAT is 20 %", "number"},
		{"VAT is 19 %", "VAT is 19 percent", ""},
		{"New customer: first order after 2026-01-01", "New customer: first order after 1 January 2026", ""},
		{"New customer: first order after 2026-01-01", "New customer: first order after 2026-02-01", "number"},
		{"Retention means customers who order again within 12 months", "Retention means the share of visitors of the last 30 days", ""},
		// Validity that does not overlap is succession.
		{"Until 2025 VAT was 19 %", "Since 2026 VAT is 20 %", ""},
		{"Until 2025 VAT was 19 %", "Since 2025 VAT is 20 %", "number"},
		// Units.
		{"ARR is in cents", "ARR is in EUR", "unit"},
		{"ARR is in euros", "ARR is in EUR", ""},
		{"Weight is in kg", "Weight is in g", "unit"},
		// Formulas.
		{"revenue = sum(amount) on orders", "Revenue is the sum of amount in sales.orders", ""},
		{"revenue = sum(amount) on orders", "revenue = sum(amount) where status = 'paid' on orders", "formula"},
		{"margin = sum(a) + sum(b)", "margin = sum(b) + sum(a)", ""},
		{"margin = sum(a) - sum(b)", "margin = sum(b) - sum(a)", "formula"},
		{"x y = sum(a) where p = 1 and q = 2 on t", "x y = sum(a) where q = 2 and p = 1 on t", ""},
		{"revenue = sum(amount) on orders", "revenue = sum(amount) on invoices", "formula"},
		{"orders = count(*) on orders", "Orders is the number of orders", ""},
		// Inclusion.
		{"Churn excludes trials", "Churn includes trials", "inclusion"},
		{"Churn excludes trials", "Churn does not include trials", ""},
		{"Churn excludes trials", "Churn excludes pauses", ""},
		{"Always exclude status = 'refunded' when counting orders.", "Never exclude refunded orders.", "inclusion"},
		{"All amounts are gross", "All amounts are net", "inclusion"},
		{"Alle Beträge sind brutto", "Alle Beträge sind netto", "inclusion"},
		// Names and places.
		{"ARR stands for annual recurring revenue", "ARR stands for average rate of return", "expansion"},
		{"ARR stands for annual recurring revenue", "ARR stands for Annual Recurring Revenues", ""},
		{"fiscal year starts in February", "The fiscal year starts in April", "calendar"},
		{"orders has one row per order", "orders has one row per order line", "grain"},
		{"Revenue is owned by finance", "Revenue is owned by sales", "owner"},
		{"All timestamps are in UTC", "All timestamps are in Europe/Berlin", "time_zone"},
		{"status = 'x' means open", "status = 'x' means closed", "value_label"},
		{"status = 'x' means open", "plan = 'x' means closed", ""},
		// Another subject or other qualifiers.
		{"ARR is in cents", "MRR is in EUR", ""},
		{"Weight (gross): a thing of 5 kg", "Weight (net): a thing of 4 kg", ""},
	} {
		a, b := only(t, c.a), only(t, c.b)
		for range 2 {
			if kind, ok := Contradicts(a, b); ok != (c.kind != "") || ok && kind != c.kind {
				t.Errorf("%q and %q: %q, %t; want %q", a.Subject+": "+a.Value, b.Subject+": "+b.Value, kind, ok, c.kind)
			}
			a, b = b, a
		}
	}
}

func TestSucceeds(t *testing.T) {
	t.Parallel()
	before, after := only(t, "Until 2025 VAT was 19 %"), only(t, "Since 2026 VAT is 20 %")
	if !Succeeds(before, after) || Succeeds(after, before) || Succeeds(before, before) {
		t.Error("2026 succeeds 2025 and nothing else does")
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"ARR": "arr", "Active Customer (B2B)": "active-customer-b2b", "Größe & Gewicht": "größe-gewicht", "売上": "売上", "don't": "dont",
		" - ": "", "../../etc/passwd": "etc-passwd", "orders.amount_cents": "orders-amount-cents",
	} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	a := Draw("An active customer has ordered something in the last ninety days, whatever the channel and the country are.", English)
	b := Draw("An active customer ordered something in the last ninety days, whatever the channels and the countries are.", English)
	c := Draw("The warehouse is loaded at night, and reports of the day before are there in the morning.", English)
	if a.Similarity(a) != 1 || a.Similarity(b) < .5 || a.Similarity(c) > .1 || Draw("", English).Similarity(a) != 0 {
		t.Errorf("%v %v %v", a.Similarity(a), a.Similarity(b), a.Similarity(c))
	}
}
