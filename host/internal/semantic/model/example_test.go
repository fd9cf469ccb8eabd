package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// measureOf returns a measure of a source by name.
func measureOf(t testing.TB, m *Model, home, name string) *Measure {
	t.Helper()
	s := m.Source(Metrics)
	if home != "" {
		s = source(t, m, home)
	}
	for i := range s.Measures {
		if s.Measures[i].Name == name {
			return &s.Measures[i]
		}
	}
	t.Fatalf("%s has no measure %s", home, name)
	return nil
}

// explained writes an expression with what its names mean.
func explained(t testing.TB, m *Model, e *Expr) string {
	t.Helper()
	if e == nil {
		return ""
	}
	tree, err := expression.Substitute(e.Tree, func(n *expression.Name) (expression.Node, error) {
		ref, ok := e.Ref(n)
		if !ok {
			t.Errorf("the name %s means nothing", n)
		}
		parts := append([]string{}, ref.Via...)
		if len(parts) == 0 {
			parts = []string{m.sources[ref.Source].Name}
		}
		switch {
		case ref.Measure != 0:
			leaf := m.Measure(ref.Measure).Name
			if leaf == "" {
				leaf = string(m.Measure(ref.Measure).Agg) + " " + explained(t, m, m.Measure(ref.Measure).Expr)
			}
			parts = append(parts, leaf)
		case ref.Dimension != 0:
			parts = append(parts, m.Dimension(ref.Dimension).Name)
		default:
			parts = append(parts, "."+ref.Column)
		}
		return &expression.Name{Parts: parts}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return expression.String(tree)
}

func TestExample(t *testing.T) {
	t.Parallel()
	m := load(t, "example")
	clean(t, m)
	orders := source(t, m, "orders")
	if orders.Identity != "analytics.orders" || orders.Table.Schema != "analytics" || orders.Table.Name != "orders" {
		t.Errorf("identity %s, table %s", orders.Identity, orders.Table)
	}
	if got := source(t, m, "refunds"); got.SQL != "SELECT id, order_id, amount\nFROM analytics.refunds -- all of them" {
		t.Errorf("sql %q", got.SQL)
	}
	if got := m.Dimension(orders.DefaultTime).Name; got != "created_at" {
		t.Errorf("default time dimension %s", got)
	}
	if diff := cmp.Diff([]Field{{Dimension: orders.Dimensions[0].ID}}, orders.Grain); diff != "" {
		t.Errorf("grain (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]Field{{{Column: "order_number"}}}, orders.UniqueKeys); diff != "" {
		t.Errorf("unique keys (-want +got):\n%s", diff)
	}
	for _, tt := range []struct{ home, name, want string }{
		{"orders", "revenue", `orders.".amount"`},
		{"orders", "net", "orders.revenue - refunds.refund_total"},
		{"", "kept_rate", "1 - metrics.refund_rate"},
		{"refunds", "refund_total", `refunds.".amount"`},
		{"orders", "order_count", ""},
	} {
		if diff := cmp.Diff(tt.want, explained(t, m, measureOf(t, m, tt.home, tt.name).Expr)); diff != "" {
			t.Errorf("%s.%s (-want +got):\n%s", tt.home, tt.name, diff)
		}
	}
	if got := measureOf(t, m, "orders", "p90_amount"); got.Parameter == nil || got.Parameter.Value != "0.9" {
		t.Errorf("percentile %v", got.Parameter)
	}
	if got := measureOf(t, m, "orders", "revenue_28d"); got.Window != (Period{28, dialect.Day}) || m.Measure(got.Base).Name != "revenue" {
		t.Errorf("window %v of %v", got.Window, m.Measure(got.Base))
	}
	if got := measureOf(t, m, "orders", "revenue_share"); len(got.Within) != 1 || m.Dimension(got.Within[0].Dimension).Name != "segment" {
		t.Errorf("within %v", got.Within)
	}
	for ref, want := range map[string]string{
		"regions.name":           "→ ship_region (regions.name is taken over orders → ship_region, not over orders → customers → regions)",
		"customers.regions.name": "→ customers → regions",
		"ship_region.name":       "→ ship_region",
		"refunds.id":             "⇒ refunds",
	} {
		if diff := cmp.Diff(want, way(t, m, "orders", ref)); diff != "" {
			t.Errorf("%s from orders (-want +got):\n%s", ref, diff)
		}
	}
}
