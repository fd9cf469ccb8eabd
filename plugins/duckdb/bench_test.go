//go:build cgo

package duckdb_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/loam-data/loam/sdk"
)

const benchRows = 200_000

// drop takes batches and forgets them.
type drop struct{ result }

func (*drop) Batch(*sdk.Batch) error { return nil }

func wide(t testing.TB) string {
	return create(t, fmt.Sprintf(`CREATE TABLE wide AS SELECT i AS id, (i * 7919)::BIGINT AS a, (i %% 13)::INTEGER AS b, i / 3.0 AS x, (i * 0.01)::DECIMAL(12,2) AS y, 'customer ' || i AS s,
		'open' AS t, DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 12:00:00' AS e, CASE WHEN i %% 3 = 0 THEN i END AS n FROM range(%d) t(i)`, benchRows))
}

func BenchmarkExecute(b *testing.B) {
	s := open(b, wide(b))
	b.ReportAllocs()
	for b.Loop() {
		w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
		if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: "SELECT * FROM wide"}, w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkDriver reads the same rows with the module's database/sql driver.
func BenchmarkDriver(b *testing.B) {
	db := outside(b, wide(b), "")
	b.ReportAllocs()
	for b.Loop() {
		rows, err := db.QueryContext(context.Background(), "SELECT * FROM wide")
		if err != nil {
			b.Fatal(err)
		}
		var v, into [10]any
		for i := range v {
			into[i] = &v[i]
		}
		for rows.Next() {
			if err := rows.Scan(into[:]...); err != nil {
				b.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkExecuteNested(b *testing.B) {
	s := open(b, create(b, items...))
	b.ReportAllocs()
	for b.Loop() {
		w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
		sql := fmt.Sprintf("SELECT [i, i + 1] AS l, {'a': i, 'b': 'x'} AS s FROM range(%d) t(i)", benchRows)
		if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: sql}, w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkExecuteOneRow(b *testing.B) {
	s := open(b, wide(b))
	for b.Loop() {
		w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
		if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: "SELECT * FROM wide WHERE id = 77"}, w); err != nil {
			b.Fatal(err)
		}
	}
}

// Reading makes no garbage that grows with the rows.
func TestReadingMakesNoGarbagePerRow(t *testing.T) {
	s := open(t, wide(t))
	allocations := func(rows int) float64 {
		return testing.AllocsPerRun(3, func() {
			w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
			sql := fmt.Sprintf("SELECT id, a, x, y, s, d, e FROM wide LIMIT %d", rows)
			if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: sql}, w); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(5_000), allocations(benchRows)
	if perRow := (many - few) / (benchRows - 5_000); perRow > 0.1 {
		t.Errorf("%.2f allocations per row (%.0f for 5,000, %.0f for %d)", perRow, few, many, benchRows)
	}
}
