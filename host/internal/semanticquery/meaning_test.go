package semanticquery

import "testing"

// TestMeaning says every kind of measure in words.
func TestMeaning(t *testing.T) {
	t.Parallel()
	zero := 0.0
	for want, m := range map[string]Measure{
		"count of rows": {Kind: "simple", Agg: "count"},
		"sum of amount, where status = 'paid', 0 for none":    {Kind: "simple", Agg: "sum", Expr: "amount", Filter: "status = 'paid'", Default: &zero},
		"percentile 0.9 of amount, in completed":              {Kind: "simple", Agg: "percentile", Parameter: "0.9", Expr: "amount", Segments: []string{"completed"}},
		"approx_top_k(x, 3)":                                  {Kind: "simple", Expr: "approx_top_k(x, 3)"},
		"sum of qty * products.price, over rows of items":     {Kind: "simple", Agg: "sum", Expr: "qty * products.price", Home: "items"},
		"sum of on_hand, at the last day per sku":             {Kind: "simple", Agg: "sum", Expr: "on_hand", NonAdditive: &NonAdditive{Dimension: "day", Pick: "last", Per: []string{"sku"}}},
		"paid / revenue":                                      {Kind: "ratio", Numerator: "paid", Denominator: "revenue"},
		"revenue - cost":                                      {Kind: "derived", Expr: "revenue - cost"},
		"revenue over 28 days":                                {Kind: "cumulative", Measure: "revenue", Window: "28 days"},
		"revenue since the month began":                       {Kind: "cumulative", Measure: "revenue", GrainToDate: "month"},
		"revenue, 1 year earlier":                             {Kind: "time_shift", Measure: "revenue", Offset: "1 year"},
		"revenue as a part of its total":                      {Kind: "share", Measure: "revenue"},
		"revenue as a part of its total within segment, year": {Kind: "share", Measure: "revenue", Within: []string{"segment", "year"}},
		"avg over customers.id of revenue":                    {Kind: "nested", Agg: "avg", Measure: "revenue", Per: []string{"customers.id"}},
	} {
		if got := m.Meaning(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
