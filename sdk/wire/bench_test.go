package wire

import (
	"context"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// rowColumns are the ten columns of the benchmarks: numbers, times, texts and a
// tenth of NULLs.
var rowColumns = []sdk.Column{
	{Name: "id", Type: sdk.TypeInt64},
	{Name: "customer", Type: sdk.TypeInt64},
	{Name: "amount", Type: sdk.TypeDecimal},
	{Name: "ratio", Type: sdk.TypeFloat64},
	{Name: "paid", Type: sdk.TypeBool},
	{Name: "name", Type: sdk.TypeText},
	{Name: "city", Type: sdk.TypeText},
	{Name: "at", Type: sdk.TypeTimestampTZ},
	{Name: "day", Type: sdk.TypeDate},
	{Name: "note", Type: sdk.TypeText},
}

func writeRows(ctx context.Context, rows int, w *sdk.RowWriter) error {
	if err := w.Columns(rowColumns...); err != nil {
		return err
	}
	for i := range rows {
		w.Int64(int64(i))
		w.Int64(int64(i % 1000))
		w.Text("1234.56")
		w.Float64(float64(i) / 3)
		w.Bool(i%2 == 0)
		w.Text("customer name of middle length")
		w.Text("Berlin")
		w.Int64(1_700_000_000_000_000 + int64(i))
		w.Int64(int64(20_000 + i%365))
		if i%10 == 0 {
			w.Null()
		} else {
			w.Text("a note")
		}
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// count is a ResultSink that keeps nothing.
type count struct{ rows int }

func (*count) Started(string) error       { return nil }
func (*count) Columns([]sdk.Column) error { return nil }
func (c *count) Batch(b *sdk.Batch) error { c.rows += b.Rows; return nil }
func (*count) Progress(sdk.Progress)      {}
func (*count) Notice(sdk.Warning)         {}

// BenchmarkRows reports how many rows of ten columns cross, through gRPC over
// an in-memory connection and, for the ratio, without it.
func BenchmarkRows(b *testing.B) {
	const rows = 100_000
	b.Run("wire", func(b *testing.B) {
		session := openFake(b, serveFake(b, &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			return writeRows(ctx, rows, w)
		}}))
		b.ReportAllocs()
		for b.Loop() {
			sink := &count{}
			if err := session.Execute(b.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(sink, sdk.Limits{})); err != nil {
				b.Fatal(err)
			}
			if sink.rows != rows {
				b.Fatalf("%d rows came", sink.rows)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("in-process", func(b *testing.B) {
		for b.Loop() {
			sink := &count{}
			w := sdk.NewRowWriter(sink, sdk.Limits{})
			if err := writeRows(b.Context(), rows, w); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// BenchmarkOneRow is what the seam adds to the smallest statement.
func BenchmarkOneRow(b *testing.B) {
	session := openFake(b, serveFake(b, &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		return writeRows(ctx, 1, w)
	}}))
	b.ReportAllocs()
	for b.Loop() {
		if err := session.Execute(b.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&count{}, sdk.Limits{})); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAllocationsPerBatch holds the whole way, connector, gRPC and client, to a
// number of allocations per batch that does not depend on its rows.
func TestAllocationsPerBatch(t *testing.T) { // not parallel: it counts allocations
	if testing.Short() {
		t.Skip("-short: the allocations of 300 batches")
	}
	rows := 0
	session := openFake(t, serveFake(t, &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		return writeRows(ctx, rows, w)
	}}))
	measure := func(batches int) float64 {
		rows = sdk.FirstBatchRows + sdk.DefaultBatchRows*batches
		return testing.AllocsPerRun(5, func() {
			if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&count{}, sdk.Limits{})); err != nil {
				t.Fatal(err)
			}
		})
	}
	const few, many = 5, 45
	perBatch := (measure(many) - measure(few)) / (many - few)
	if most := 10.0 * float64(len(rowColumns)); perBatch > most {
		t.Errorf("a batch of %d rows costs %.0f allocations, want at most %.0f", sdk.DefaultBatchRows, perBatch, most)
	}
	t.Logf("%.0f allocations per batch", perBatch)
}
