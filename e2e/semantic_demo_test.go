package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// demoQuestions are questions about the sample project that one would ask of a shop.
var demoQuestions = []struct {
	name string
	args []string
	rows int
	// reads are how often the statement reads each table: what it costs.
	reads map[string]int
}{
	{
		"the year to date by month and its growth over last year",
		[]string{"-m", "order_items.revenue_ytd", "-m", "order_items.revenue_ytd_growth", "-b", "orders.ordered_at.month", "--date-range", "orders.ordered_at=2025"},
		12, map[string]int{"order_items": 1, "orders": 1, "exchange_rates": 1},
	},
	{
		"the fiscal quarter to date by month",
		[]string{"-m", "order_items.revenue_fqtd", "-b", "orders.ordered_at.month", "--date-range", "orders.ordered_at=2025"},
		12, map[string]int{"order_items": 1, "orders": 1, "exchange_rates": 1},
	},
	{
		"revenue by fiscal quarter beside that of the year before",
		[]string{"-m", "order_items.revenue_eur", "-m", "order_items.revenue_last_fiscal_year", "-b", "metric_time.fiscal_quarter", "--date-range", "2025-02-01..2025-12-31"},
		4, map[string]int{"order_items": 1, "orders": 1, "exchange_rates": 1},
	},
	{
		"the share of segments in a running total",
		[]string{"-m", "order_items.share_so_far", "-b", "orders.ordered_at.month", "-b", "customers.segment"},
		96, map[string]int{"order_items": 1, "orders": 1, "exchange_rates": 1, "customers": 1},
	},
	{
		"buyers of 28 days by day and region, with gaps",
		[]string{"-m", "orders.buyers_28d", "-b", "orders.ordered_at.day", "-b", "ship_region.name", "--fill-gaps", "--limit", "10000"},
		8724, map[string]int{"orders": 1, "regions": 1},
	},
	{
		"the first five products and the rest",
		[]string{"-m", "order_items.revenue_eur", "-b", "products.name", "--order", "-order_items.revenue_eur", "--limit", "5", "--rest"},
		6, map[string]int{"order_items": 1, "orders": 1, "exchange_rates": 1, "products": 1},
	},
	{
		"orders, revenue and their ratio on one axis",
		[]string{"-m", "orders.order_count", "-m", "order_items.revenue_eur", "-m", "revenue_per_order", "-b", "metric_time.month"},
		24, map[string]int{"order_items": 1, "orders": 2, "exchange_rates": 1},
	},
}

// TestSemanticDemo asks the sample project these questions. A statement that reads a
// table more often than before needs a reason.
func TestSemanticDemo(t *testing.T) {
	t.Parallel()
	dir := demoLayer(t)
	for _, q := range demoQuestions {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c", "shop"}, q.args...)
			if a := slQuery(t, dir, args...); a.RowCount != q.rows || a.Truncated {
				t.Errorf("%d rows, not %d", a.RowCount, q.rows)
			}
			r := loam(t, dir, append([]string{"sl", "query", "--format", "sql"}, args...)...)
			if r.code != 0 {
				t.Fatal(r.stderr)
			}
			reads := map[string]int{}
			for _, table := range []string{"order_items", "orders", "exchange_rates", "customers", "regions", "products"} {
				if n := strings.Count(r.stdout, `"main"."`+table+`"`); n > 0 {
					reads[table] = n
				}
			}
			if diff := cmp.Diff(q.reads, reads); diff != "" {
				t.Errorf("reads (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSemanticDemoDistinct counts the buyers of 28 days again, from the orders.
func TestSemanticDemoDistinct(t *testing.T) {
	t.Parallel()
	heavy(t, "distinct counts of the demo")
	dir := demoLayer(t)
	orders := slQuery(t, dir, "-c", "shop", "-b", "ship_region.name", "-b", "orders.ordered_at.day", "-b", "orders.customer_id", "--segment", "orders.placed", "--limit", "10000")
	last := map[string]map[any][]string{} // the days of each buyer, by region
	for _, row := range orders.Rows {
		region := fmt.Sprint(row[0])
		if last[region] == nil {
			last[region] = map[any][]string{}
		}
		if row[2] != nil {
			last[region][row[2]] = append(last[region][row[2]], row[1].(string))
		}
	}
	got := slQuery(t, dir, append([]string{"-c", "shop"}, demoQuestions[4].args...)...)
	for _, row := range got.Rows {
		day, err := time.Parse(time.DateOnly, row[0].(string))
		if err != nil {
			t.Fatal(err)
		}
		first := day.AddDate(0, 0, -27).Format(time.DateOnly)
		want := 0
		for _, days := range last[row[1].(string)] {
			for _, d := range days {
				if d >= first && d <= row[0].(string) {
					want++
					break
				}
			}
		}
		if row[2] != float64(want) {
			t.Fatalf("%v, not %d", row, want)
		}
	}
}

// demoLayer copies the sample project with its semantic layer.
func demoLayer(t *testing.T) string {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return dir
}
