package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// TestKtxFolder loads a project folder of ktx as it stands.
func TestKtxFolder(t *testing.T) {
	t.Parallel()
	m := load(t, "ktx")
	clean(t, m)
	type dimensionView struct {
		Name, Type, Description string
		Visibility              Visibility
		Values                  []string
	}
	view := func(name string) (all []dimensionView) {
		for _, d := range source(t, m, name).Dimensions {
			all = append(all, dimensionView{d.Name, d.Type.String(), d.Description, d.Visibility, d.Values})
		}
		return all
	}
	want := map[string][]dimensionView{
		"customers": {
			{Name: "customer_id", Type: "number", Description: "Identifies one customer."},
			{Name: "plan_code", Type: "string", Values: []string{"starter", "pro"}},
			{Name: "signed_up_at", Type: "time"},
			{Name: "secret_note", Type: "string", Visibility: Hidden},
		},
		"orders": {
			{Name: "order_id", Type: "number"},
			{Name: "customer_id", Type: "number"},
			{Name: "referrer_id", Type: "number"},
			{Name: "amount_cents", Type: "number", Description: "The amount in cents.", Visibility: Internal},
			{Name: "placed_at", Type: "time"},
			{Name: "is_gift", Type: "boolean", Visibility: Hidden},
			{Name: "amount", Type: "number"},
		},
		"large_orders": {
			{Name: "order_id", Type: "number"},
			{Name: "customer_id", Type: "number"},
			{Name: "amount_cents", Type: "number", Description: "At least a thousand."},
			{Name: "placed_at", Type: "time"},
		},
		// A definition with a table takes the place of the shard's.
		"events": {{Name: "order_id", Type: "number"}},
	}
	for name, dimensions := range want {
		if diff := cmp.Diff(dimensions, view(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	orders, customers := source(t, m, "orders"), source(t, m, "customers")
	if orders.Description != "One row per order." || customers.Description != "People who buy." {
		t.Errorf("descriptions %q and %q", orders.Description, customers.Description)
	}
	if customers.DefaultTime == 0 || m.Dimension(customers.DefaultTime).Name != "signed_up_at" {
		t.Errorf("default time %v", customers.DefaultTime)
	}
	if diff := cmp.Diff([]Field{{Dimension: customers.Dimensions[0].ID}}, customers.Grain); diff != "" {
		t.Errorf("grain (-want +got):\n%s", diff)
	}
	if orders.Identity != "shop.orders" {
		t.Errorf("identity %s", orders.Identity)
	}
	for home, refs := range map[string]map[string]string{
		"orders": {
			"customers.plan_code": "→ customers (customers.plan_code is taken over orders → customers, not over orders → referrer)",
			"referrer.plan_code":  "→ referrer",
		},
		"large_orders": {"customers.plan_code": "→ customers"},
	} {
		for ref, want := range refs {
			if diff := cmp.Diff(want, way(t, m, home, ref)); diff != "" {
				t.Errorf("%s from %s (-want +got):\n%s", ref, home, diff)
			}
		}
	}
}

// TestBothFormsOfAMeasure tests that {agg, expr} and an aggregate in expr mean
// the same.
func TestBothFormsOfAMeasure(t *testing.T) {
	t.Parallel()
	m := load(t, "ktx")
	orders := source(t, m, "orders")
	revenue := measureOf(t, m, "orders", "revenue")
	if revenue.Kind != Simple || revenue.Agg != expression.Sum || explained(t, m, revenue.Expr) != "orders.amount" {
		t.Errorf("revenue is %s %s of %s", revenue.Kind, revenue.Agg, explained(t, m, revenue.Expr))
	}
	count := measureOf(t, m, "orders", "order_count")
	if count.Kind != Simple || count.Agg != expression.Count || count.Expr != nil {
		t.Errorf("order_count is %s %s of %v", count.Kind, count.Agg, count.Expr)
	}
	if c := measureOf(t, m, "customers", "customer_count"); c.Agg != expression.CountDistinct {
		t.Errorf("customer_count is %s", c.Agg)
	}
	big := measureOf(t, m, "orders", "big_orders")
	if len(big.Filter) != 1 || explained(t, m, big.Filter[0]) != "orders.amount > 100" || len(big.Segments) != 1 || m.Segment(big.Segments[0]).Name != "recent" {
		t.Errorf("big_orders has the filter %v and the segments %v", big.Filter, big.Segments)
	}
	average := measureOf(t, m, "orders", "average_order")
	if average.Kind != Derived || len(average.Uses) != 2 {
		t.Fatalf("average_order is %s of %v", average.Kind, average.Uses)
	}
	if diff := cmp.Diff(`orders."sum orders.amount" / orders."count "`, explained(t, m, average.Expr)); diff != "" {
		t.Errorf("average_order (-want +got):\n%s", diff)
	}
	for _, id := range average.Uses {
		if part := m.Measure(id); part.Name != "" || part.Home != orders.ID || part.Kind != Simple {
			t.Errorf("a part of average_order is %+v", part)
		}
	}
	perOrder := measureOf(t, m, "orders", "revenue_per_order")
	if diff := cmp.Diff("orders.revenue / orders.order_count", explained(t, m, perOrder.Expr)); diff != "" {
		t.Errorf("revenue_per_order (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ a, b string }{
		{"{name: x, agg: sum, expr: amount}", `{name: x, expr: "sum(amount)"}`},
		{"{name: x, agg: count}", `{name: x, expr: "COUNT(*)"}`},
		{`{name: x, agg: count, expr: "*"}`, `{name: x, expr: "count(*)"}`},
		{"{name: x, agg: count_distinct, expr: id}", `{name: x, expr: "count(DISTINCT id)"}`},
		{"{name: x, agg: percentile, expr: amount, percentile: 0.9}", `{name: x, expr: "percentile(amount, 0.9)"}`},
		{`{name: x, agg: sum, expr: amount, filter: "id > 0"}`, `{name: x, expr: "sum(amount)", filter: "id > 0"}`},
	} {
		a, b := oneMeasure(t, tt.a), oneMeasure(t, tt.b)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s and %s differ:\n%s", tt.a, tt.b, diff)
		}
	}
}

// oneMeasure is what the model has of a measure, in words.
func oneMeasure(t *testing.T, yaml string) map[string]string {
	t.Helper()
	m := Build(Input{Files: []*File{Parse("x.yaml", []byte("name: s\ntable: s\nmeasures: ["+yaml+"]\n"))}})
	clean(t, m)
	x := measureOf(t, m, "s", "x")
	words := map[string]string{"kind": string(x.Kind), "agg": string(x.Agg), "expr": explained(t, m, x.Expr)}
	if x.Parameter != nil {
		words["parameter"] = x.Parameter.Value
	}
	for _, f := range x.Filter {
		words["filter"] += explained(t, m, f)
	}
	return words
}
