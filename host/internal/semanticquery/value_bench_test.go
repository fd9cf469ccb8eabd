package semanticquery_test

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// profiled commits a snapshot in which the orders have a profile of so many columns
// more, each with 20 values and a sketch as a scan makes them.
func (f *fixture) profiled(t testing.TB, columns int) {
	t.Helper()
	w, err := f.catalogs.Of("shop").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.session.Scan(t.Context(), sdk.ScanRequest{}, tableWriter{w}); err != nil {
		t.Fatal(err)
	}
	p := &catalog.Profile{At: now}
	for i := range columns {
		one := sdk.ColumnStats{Column: fmt.Sprint("column_", i), Rows: 1000, Distinct: 20, Complete: true, ValuesComplete: true, Counts: make([]int64, 20), Sketch: make([]uint64, 64)}
		for v := range 20 {
			one.Values = append(one.Values, fmt.Sprint("value_", i, "_", v))
		}
		p.Stats = append(p.Stats, one)
	}
	p.Stats = append(p.Stats, sdk.ColumnStats{Column: "status", Rows: 5, Distinct: 3, Complete: true, ValuesComplete: true, Values: []string{"paid", "refunded", "pending"}, Counts: []int64{3, 1, 1}})
	if err := w.Profile(sdk.TableRef{Schema: "main", Name: "orders"}, p); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: fmt.Sprint("s", columns), ExtractedAt: now, Mode: catalog.Enriched}); err != nil {
		t.Fatal(err)
	}
}

const filtered = `{"measures": ["orders.revenue"], "dimensions": ["customers.segment"], "filters": ["orders.status = 'paid'", {"field": "orders.status", "op": "in", "values": ["paid", "pending"]}]}`

// A filter on a column of a table with a wide profile costs a query no more than on one
// with a narrow profile: the profile is read once for a snapshot.
func TestAWideProfileCostsOnce(t *testing.T) {
	cost := func(columns int) float64 {
		f := newFixture(t)
		f.profiled(t, columns)
		return testing.AllocsPerRun(20, func() {
			if _, err := f.Compile(t.Context(), body(filtered)); err != nil {
				t.Error(err)
			}
		})
	}
	if narrow, wide := cost(1), cost(1000); wide > narrow+50 {
		t.Errorf("a query makes %.0f allocations with a profile of one column, %.0f of 1,000", narrow, wide)
	}
}

// BenchmarkProfiledFilter measures a query with two filters on a table whose profile has
// many columns.
func BenchmarkProfiledFilter(b *testing.B) {
	for _, columns := range []int{25, 1000} {
		b.Run(fmt.Sprint("columns=", columns), func(b *testing.B) {
			f := newFixture(b)
			f.profiled(b, columns)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Compile(b.Context(), body(filtered)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
