package semanticquery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestOverview(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "metrics.yaml", "metrics:\n  - {name: per_order, type: ratio, numerator: orders.revenue, denominator: orders.order_count}\n")
	f.write(t, "broken.yaml", "name: broken\ntable: nowhere\nmeasures:\n  - {name: x, agg: nonsense}\n")
	for _, most := range []int{0, 1, 20} {
		o, err := f.Overview(t.Context(), "shop", most)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(o.Sources, o.Defined, o.Metrics, o.Files, o.TotalProblems > 0, len(o.Problems) == min(most, o.TotalProblems))
		if diff := cmp.Diff("5 2 1 3 true true", got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestMeasureNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "metrics.yaml", "metrics:\n  - {name: per_order, type: ratio, numerator: orders.revenue, denominator: orders.order_count}\n")
	names, err := f.MeasureNames(t.Context(), "shop", 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"per_order", "orders.row_count", "orders.order_count"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadMeasure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "metrics.yaml", "metrics:\n  - {name: per_order, type: ratio, numerator: orders.revenue, denominator: orders.order_count}\n")
	f.write(t, "_memory/orders.yaml", `
name: orders
measures:
  - {name: turnover, agg: sum, expr: amount, learned: {by: agent, at: "2026-03-01T00:00:00Z"}, verified: {level: equal, at: "2026-03-01T00:00:00Z", of: orders.revenue}}
  - {name: mean, expr: "sum(amount) / count(*)"}
`)
	for _, tt := range []struct{ name, want string }{
		{"orders.revenue", "orders.revenue | person semantic-layer/shop/orders.yaml | uses | by orders.paid_rate, per_order | twins orders.turnover"},
		{"orders.turnover", "orders.turnover | memory semantic-layer/shop/_memory/orders.yaml | uses | by | twins orders.revenue"},
		{"orders.paid_rate", "orders.paid_rate | person semantic-layer/shop/orders.yaml | uses orders.paid_revenue, orders.revenue | by | twins"},
		{"per_order", "per_order | person semantic-layer/shop/metrics.yaml | uses orders.revenue, orders.order_count | by | twins"},
		{"lines.row_count", "lines.row_count | scanned  | uses | by | twins"},
	} {
		a, err := f.ReadMeasure(t.Context(), "shop", tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		origin := ""
		if a.Origin != nil {
			origin = a.Origin.Layer + " " + a.Origin.File
		}
		got := strings.Join([]string{a.Name, origin, word("uses", a.Uses), word("by", a.UsedBy), word("twins", a.Twins)}, " | ")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for name, near := range map[string]string{"orders.revenu": "revenue", "ordrs.revenue": "orders", "nothing": ""} {
		_, err := f.ReadMeasure(t.Context(), "shop", name)
		if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindNotFound && e.Kind != sdk.KindInvalid || !strings.Contains(fmt.Sprint(e.Candidates), near) {
			t.Errorf("%s: %v, candidates %v", name, err, e.Candidates)
		}
	}
}

func word(name string, all []string) string {
	return strings.TrimSpace(name + " " + strings.Join(all, ", "))
}
