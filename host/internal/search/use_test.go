package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Among equals the used one comes first; a better match stays before what is used most.
func TestUse(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		for i := range 80 { // more than are ranked
			if err := b.Table(TableDocument{Connection: "c", ID: fmt.Sprintf("s%02d.orders", i), Schema: fmt.Sprintf("s%02d", i), Name: "orders"}); err != nil {
				return err
			}
		}
		for _, name := range []string{"customer_orders", "customer_orders_history", "customer_invoices", "tmp_customer_orders"} {
			if err := b.Table(TableDocument{Connection: "c", ID: "z." + name, Schema: "z", Name: name}); err != nil {
				return err
			}
		}
		if err := b.Add(Document{Kind: Source, Connection: "c", ID: "sales", Name: "sales"}); err != nil {
			return err
		}
		for _, m := range []string{"net_revenue", "old_revenue"} {
			if err := b.AddChild(Document{Kind: Measure, Connection: "c", Name: m}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, tt := range []struct {
		name, question, without, with string
		used                          Used
	}{
		{"an equal one beyond what is ranked", "orders per day", "s00.orders", "s77.orders", Used{Table, "c", "s77.orders", "orders"}},
		{"a name that has more", "customer orders", "z.customer_orders", "z.customer_orders", Used{Table, "c", "z.customer_orders_history", "customer_orders_history"}},
		{"what is left over", "customer orders", "z.customer_orders", "z.customer_orders", Used{Table, "c", "z.tmp_customer_orders", "tmp_customer_orders"}},
		{"another subject", "customer orders", "z.customer_orders", "z.customer_orders", Used{Table, "c", "z.customer_invoices", "customer_invoices"}},
		{"the exact name", "s03.orders", "s03.orders", "s03.orders", Used{Table, "c", "s77.orders", "orders"}},
		{"an equal measure", "revenue", "sales.net_revenue", "sales.old_revenue", Used{Measure, "c", "sales.old_revenue", "old_revenue"}},
		{"the same of another connection", "revenue", "sales.net_revenue", "sales.net_revenue", Used{Measure, "d", "sales.old_revenue", "old_revenue"}},
		{"what there is not", "revenue", "sales.net_revenue", "sales.net_revenue", Used{Table, "c", "sales.old_revenue", "old_revenue"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := Query{Text: tt.question}
			if got := ids(x.Search(q)); len(got) == 0 || !strings.HasSuffix(got[0], " "+tt.without) {
				t.Errorf("without use: %v", got)
			}
			before := ids(x.Search(q))
			q.Use = NewUse(map[Used]float32{tt.used: 1})
			if got := ids(x.Search(q)); len(got) == 0 || !strings.HasSuffix(got[0], " "+tt.with) {
				t.Errorf("with use: %v", got)
			}
			q.Use = NewUse(nil)
			if got := ids(x.Search(q)); !slices.Equal(got, before) {
				t.Errorf("with no use: %v, before %v", got, before)
			}
		})
	}
}
