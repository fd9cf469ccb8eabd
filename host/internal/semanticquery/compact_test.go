package semanticquery

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// TestSourceText writes a source with everything that one can have.
func TestSourceText(t *testing.T) {
	t.Parallel()
	day, about := "ordered_at", "One row\nper order."
	a := &SourceAnswer{
		Connection: "shop", Name: "orders", Identity: "sales.orders", Table: "main.orders", File: "semantic-layer/shop/orders.yaml", Line: 2, Version: "0a1b",
		Broken: "no such table", Description: &about, Internal: true, SQL: "SELECT *\nFROM t",
		PrimaryKey: []string{"id"}, UniqueKeys: [][]string{{"shop", "no"}}, DefaultTimeDimension: &day, TimeZone: "UTC",
		Measures: []Measure{
			{Name: "revenue", Kind: "simple", Agg: "sum", Expr: "amount", Filter: "status <> 'x'", Unit: "EUR", Format: "currency", Described: Described{
				Label: "Revenue", Description: "What was\npaid.", Synonyms: []string{"turnover", "sales"}, Internal: true, Broken: "no column amount",
				Standing: Standing{
					Trust: model.Agent, Flags: []string{"conflict", "stale"},
					Learned:  &model.Learned{Change: "3fa2c81b07", By: "codex", At: "2026-11-20T10:00:00Z"},
					Verified: &model.Verified{Level: "runs", At: "2026-11-20T10:00:00Z"},
				},
			}},
			{Name: "late", Kind: "simple", Agg: "max", Expr: "days", TimeDimension: "shipped_at"},
		},
		Segments: []Segment{{Name: "placed", Expr: "status <> 'x'", Described: Described{Description: "Not cancelled."}}},
		Dimensions: []Dimension{
			{Name: "id", Type: "number"},
			{Name: "status", Type: "string", Values: []string{"paid", "x"}, Described: Described{Label: "State"}},
			{Name: "ordered_at", Type: "time", ColumnType: "date", Granularities: []string{"day", "week", "year"}},
			{Name: "net", Type: "number", Expr: "amount /\n 1.19", Unit: "EUR", Format: "0.00"},
		},
		Joins: []Join{
			{Name: "bill_region", To: "regions", Relationship: "many_to_one", On: "a = b", Role: "bill_region", Description: "Who pays."},
			{Name: "items", To: "items", Relationship: "one_to_many", On: "c = d", Role: "order", Inferred: true, Reversed: true, Broken: "gone"},
		},
		Reachable: []Reachable{
			{Source: "regions", Reference: "bill_region", Via: []string{"bill_region"}},
			{Source: "shops", Reference: "customers.shops", Via: []string{"customers", "shops"}, Inferred: true},
			{Source: "days", Via: []string{"a", "days"}},
		},
		ReachableTruncated: true,
		AIContext:          &AIContext{Instructions: "Ask for the year.", Examples: []string{"revenue by month"}, Synonyms: []string{"sales"}},
		Problems:           []binding.Problem{{Severity: "error", File: "orders.yaml", Line: 3, Path: "measures.late", Message: "no column days", Candidates: []string{"day"}}},
		Disputed: change.Disputed{MoreConflicts: 2, Conflicts: []change.Dispute{{
			Conflict: change.Conflict{Says: "revenue is net", By: "ann", At: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Change: "0da5536519"},
			Against:  change.Conflict{Says: "revenue is gross", By: "bob", Target: "orders.revenue"},
		}}},
		Notes: []string{"One more thing."},
	}
	want := `orders (sales.orders): connection shop; table main.orders; one row per id; unique: shop, no; time ranges mean ordered_at; times are in UTC; internal; semantic-layer/shop/orders.yaml:2; version 0a1b
BROKEN: no such table
-- One row per order.
sql
SELECT *
FROM t
measures
  revenue = sum of amount, where status <> 'x'; EUR; currency; also turnover, sales; internal; agent; conflict; stale; learned from codex on 2026-11-20, change 3fa2c81b07; it ran on 2026-11-20; BROKEN: no column amount -- Revenue: What was paid.
  late = max of days, by the time shipped_at
segments
  placed = status <> 'x' -- Not cancelled.
dimensions
  id number
  status string; one of paid, x -- State
  ordered_at time by day..year; stored as date
  net number = amount / 1.19; EUR; 0.00
joins
  bill_region (regions): n:1; a = b -- Who pays.
  items as order: 1:n; c = d; inferred; declared there; BROKEN: gone
in reach, as NAME.DIMENSION: bill_region (regions), customers.shops (inferred), days (write {"field": "days.DIMENSION", "via": ["a", "days"]}), and more
also called: sales
to know: Ask for the year.
examples
  revenue by month
problems
  error: orders.yaml:3: measures.late: no column days; did you mean: day
conflicts
  ann said on 2026-11-21: "revenue is net", against orders.revenue: "revenue is gross"; it waits for a person: loam review show 0da5536519
  … and 2 more
note: One more thing.`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(a.Text(), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got, want := (&SourceAnswer{Connection: "shop", Name: "orders"}).Text(), "orders: connection shop"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
