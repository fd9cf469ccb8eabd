package query

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// discard is a Sink that counts.
type discard struct{ rows, bytes int }

func (d *discard) Columns([]sdk.Column) error { return nil }

func (d *discard) Row(cells [][]byte) error {
	d.rows++
	for _, cell := range cells {
		d.bytes += len(cell)
	}
	return nil
}

// everyType is a row with a value of each type.
func everyType() (columns []sdk.Column, row []any) {
	for _, typ := range sdk.Types() {
		columns = append(columns, sdk.Column{Name: typ.String(), Type: typ})
		switch {
		case typ.Layout() == sdk.LayoutBits:
			row = append(row, true)
		case typ.Layout() == sdk.LayoutInt64:
			row = append(row, int64(1_767_225_600_123_456))
		case typ.Layout() == sdk.LayoutFloat64:
			row = append(row, 0.1)
		case typ == sdk.TypeJSON, typ == sdk.TypeNestedJSON:
			row = append(row, `{"key": [1, "two", 9007199254740993]}`)
		default:
			row = append(row, "text with \"quotes\", Ümläute and \xff")
		}
	}
	return columns, row
}

// batchSink keeps the one batch that a writer makes; the writer uses its own
// again.
type batchSink struct{ batch *sdk.Batch }

func (batchSink) Started(string) error       { return nil }
func (batchSink) Columns([]sdk.Column) error { return nil }
func (batchSink) Progress(sdk.Progress)      {}
func (batchSink) Notice(sdk.Warning)         {}
func (s *batchSink) Batch(b *sdk.Batch) error {
	s.batch = &sdk.Batch{Rows: b.Rows, Columns: slices.Clone(b.Columns)}
	return nil
}

func batchOf(t testing.TB, columns []sdk.Column, row []any) *sdk.Batch {
	t.Helper()
	var sink batchSink
	w := sdk.NewRowWriter(&sink, sdk.Limits{})
	if err := w.Columns(columns...); err != nil {
		t.Fatal(err)
	}
	for range 100 { // less than fill a batch
		if err := w.Row(row...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || sink.batch == nil || sink.batch.Rows != 100 {
		t.Fatalf("batch %+v: %v", sink.batch, err)
	}
	return sink.batch
}

func TestRowsAllocateNothing(t *testing.T) {
	columns, row := everyType()
	for _, budget := range []int{-1, 1 << 30} {
		wantNoAllocations(t, budget, columns, row)
	}
}

func wantNoAllocations(t *testing.T, budget int, columns []sdk.Column, row []any) {
	t.Helper()
	if raceDetector { // the standard library's JSON scanner is pooled
		plain := slices.IndexFunc(columns, func(c sdk.Column) bool { return c.Type == sdk.TypeJSON })
		columns, row = columns[:plain], row[:plain]
	}
	b := batchOf(t, columns, row)
	var sink discard
	r := newResult(&sink, budget, NewProgress(nil))
	if err := r.Columns(columns); err != nil {
		t.Fatal(err)
	}
	allocations := testing.AllocsPerRun(100, func() {
		if err := r.Batch(b); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 || sink.rows == 0 || sink.bytes < sink.rows*100 {
		t.Errorf("limit %d: %g allocations per batch of %d rows (%d rows, %d bytes)", budget, allocations, b.Rows, sink.rows, sink.bytes)
	}
}

// A result of 100 MiB goes through in the memory of a few batches.
func TestLargeResultTakesFlatMemory(t *testing.T) {
	const size, cell = 100 << 20, 4 << 10
	text := strings.Repeat("x", cell)
	f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if err := w.Columns(sdk.Column{Name: "a", Type: sdk.TypeText}, sdk.Column{Name: "b", Type: sdk.TypeInt64}); err != nil {
			return err
		}
		for range size / cell {
			w.Text(text)
			w.Int64(1)
			if err := w.EndRow(); err != nil {
				return err
			}
		}
		return nil
	})
	req := request("SELECT 1")
	req.MaxRows, req.MaxBytes = -1, -1
	var sink discard
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := f.service().Run(t.Context(), req, &sink)
	runtime.ReadMemStats(&after)
	if err != nil || s.RowCount != size/cell || sink.bytes < size {
		t.Fatalf("%+v with %d bytes, %v", s, sink.bytes, err)
	}
	const most = 16 << 20
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("a result of %d MiB allocated %d MiB, want at most %d", size>>20, used>>20, most>>20)
	}
}

// The default limit stops a result of 100 MiB after its first rows.
func TestLargeResultIsStopped(t *testing.T) {
	t.Parallel()
	sent := 0
	text := strings.Repeat("x", 1<<10)
	f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if err := w.Columns(sdk.Column{Name: "a", Type: sdk.TypeText}); err != nil {
			return err
		}
		for range 100 << 10 {
			sent++
			if err := w.Row(text); errors.Is(err, sdk.ErrLimit) {
				return nil
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	req := request("SELECT 1")
	req.MaxRows = -1
	s, err := f.service().Run(t.Context(), req, &rows{})
	if err != nil || s.TruncatedBy != sdk.TruncatedByBytes || s.RowCount != 38 {
		t.Errorf("%+v, %v", s, err)
	}
	if sent > sdk.FirstBatchRows {
		t.Errorf("the session produced %d rows", sent)
	}
}

func BenchmarkEncode(b *testing.B) {
	columns, row := everyType()
	batch := batchOf(b, columns, row)
	var sink discard
	r := newResult(&sink, -1, NewProgress(nil))
	if err := r.Columns(columns); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Batch(batch); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(sink.bytes / b.N))
	b.ReportMetric(float64(sink.rows)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRun is everything but the connector: registry, guard, limits.
func BenchmarkRun(b *testing.B) {
	s := newFake(numbers(10, nil)).service()
	req := request("SELECT a, b, c FROM orders WHERE status = 'open' AND amount > 100 ORDER BY a")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(b.Context(), req, &discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
