package clickhouse_test

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// discard is a sink that keeps nothing.
type discard struct{}

func (discard) Started(string) error       { return nil }
func (discard) Columns([]sdk.Column) error { return nil }
func (discard) Batch(*sdk.Batch) error     { return nil }
func (discard) Progress(sdk.Progress)      {}
func (discard) Notice(sdk.Warning)         {}

// BenchmarkRows reads 200,000 rows of eight columns; ns/op is per row.
func BenchmarkRows(b *testing.B) {
	const rows = 200_000
	const columns = "toInt64(number), number % 7, toFloat64(number) / 3, toDecimal64(number, 2), toString(number), toDate(number % 20000), " +
		"toDateTime(number), if(number % 5 = 0, NULL, 'text')"
	for name, make := range map[string]func(testing.TB, ...string) *database{"18.16_native": old, "26.7_http": today} {
		b.Run(name, func(b *testing.B) {
			s := make(b).openAs(b, testserver.ClickHouseReader)
			sql := fmt.Sprintf("SELECT %s FROM (SELECT number FROM system.numbers LIMIT %d)", columns, rows)
			b.ReportAllocs()
			for b.Loop() {
				w := sdk.NewRowWriter(discard{}, sdk.Limits{})
				if err := s.Execute(b.Context(), sdk.ExecuteRequest{SQL: sql}, w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSmallQuery is the time of one small statement.
func BenchmarkSmallQuery(b *testing.B) {
	for name, make := range map[string]func(testing.TB, ...string) *database{"18.16_native": old, "18.16_http": oldHTTP, "26.7_http": today} {
		b.Run(name, func(b *testing.B) {
			s := make(b).openAs(b, testserver.ClickHouseReader)
			for b.Loop() {
				if err := s.Ping(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
