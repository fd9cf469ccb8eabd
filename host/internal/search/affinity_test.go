package search

import (
	"slices"
	"testing"
)

// A connection that has a word of the question by chance goes behind the one that the
// question is about, and comes first where both know it as well.
func TestConnectionOfTheQuestion(t *testing.T) {
	t.Parallel()
	x := index(t, tables(
		"demo main.orders(order_id customer_id order_date)",
		"demo main.customers(customer_id company_name city)",
		"demo main.products(product_id unit_price)",
		"erp sales.headers(document_id party_id) Orders as they were confirmed",
		"erp sales.blocks(document_id reason) Why delivery is blocked",
		"erp sales.dunning(party_id level) Reminders of open items",
		"erp sales.products(product_id unit_price)",
	))
	for _, tt := range []struct {
		name, question string
		connections    []string
		first          string
	}{
		{"one knows more of the words", "orders by dunning party", nil, "erp"},
		{"both have the word", "products", nil, "demo"},
		{"one is named", "products in the ERP", nil, "erp"},
		{"one is asked", "orders by dunning party", []string{"demo"}, "demo"},
		{"both are asked", "orders by dunning party", []string{"demo", "erp"}, "erp"},
	} {
		hits := x.Search(Query{Text: tt.question, Connections: tt.connections}).Hits
		if len(hits) == 0 || hits[0].Connection != tt.first {
			t.Errorf("%s: %s: %v, want %s first", tt.name, tt.question, hits, tt.first)
		}
	}
	if r := x.Search(Query{Text: "products in the ERP of nowhere"}); !slices.Equal(r.Unknown, []string{"nowhere"}) {
		t.Errorf("unknown: %v", r.Unknown)
	}
	page := ids(x.Search(Query{Text: "orders by dunning party"}))
	if of, by := slices.Index(page, "column sales.dunning.level"), slices.Index(page, "table main.orders"); of < 0 || by >= 0 && by < of {
		t.Errorf("%v: orders of the other connection come before what dunning has", page)
	}
}
