package sdk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

// record keeps a copy of what a RowWriter sends.
type record struct {
	query   string
	columns []sdk.Column
	batches []int   // rows of each
	rows    [][]any // text for arena cells
	err     error   // returned from Batch
}

func (r *record) Started(id string) error { r.query = id; return nil }

func (r *record) Columns(c []sdk.Column) error { r.columns = c; return nil }

func (r *record) Batch(b *sdk.Batch) error {
	if r.err != nil {
		return r.err
	}
	if err := b.Check(r.columns); err != nil {
		return err
	}
	r.batches = append(r.batches, b.Rows)
	for row := range b.Rows {
		cells := make([]any, len(r.columns))
		for i := range r.columns {
			cells[i] = b.Columns[i].Value(r.columns[i].Type, row)
			if text, ok := cells[i].([]byte); ok {
				cells[i] = string(text)
			}
		}
		r.rows = append(r.rows, cells)
	}
	return nil
}

func (r *record) Progress(sdk.Progress) {}
func (r *record) Notice(sdk.Warning)    {}

func columns(types ...sdk.Type) []sdk.Column {
	all := make([]sdk.Column, len(types))
	for i, t := range types {
		all[i] = sdk.Column{Name: fmt.Sprintf("c%d", i+1), Type: t}
	}
	return all
}

// write sends rows until the writer has enough and closes it.
func write(t *testing.T, limits sdk.Limits, cols []sdk.Column, rows ...[]any) (*record, sdk.Summary) {
	t.Helper()
	sink := &record{}
	w := sdk.NewRowWriter(sink, limits)
	if err := w.Columns(cols...); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(row...); errors.Is(err, sdk.ErrLimit) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return sink, w.Summary()
}

func numbers(n int) [][]any {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{int64(i)}
	}
	return rows
}

func TestRowLimitIsExact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		max       int64
		rows      int
		want      int64
		truncated sdk.TruncatedBy
	}{
		{name: "no limit", max: 0, rows: 5000, want: 5000},
		{name: "no rows", max: 1, rows: 0, want: 0},
		{name: "one of one", max: 1, rows: 1, want: 1},
		{name: "one of two", max: 1, rows: 2, want: 1, truncated: sdk.TruncatedByRows},
		{name: "as many as there are", max: 300, rows: 300, want: 300},
		{name: "one fewer than there are", max: 299, rows: 300, want: 299, truncated: sdk.TruncatedByRows},
		{name: "at the first batch", max: sdk.FirstBatchRows, rows: 5000, want: sdk.FirstBatchRows, truncated: sdk.TruncatedByRows},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink, sum := write(t, sdk.Limits{MaxRows: tt.max}, columns(sdk.TypeInt64), numbers(tt.rows)...)
			want := sdk.Summary{Rows: tt.want, Bytes: 8 * tt.want, TruncatedBy: tt.truncated}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(numbers(int(tt.want)), sink.rows, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestByteLimitIsExact(t *testing.T) {
	t.Parallel()
	rows := [][]any{{"aaaa"}, {"bb"}, {nil}, {"cccccc"}} // 8, 6, 4 and 10 encoded bytes
	for _, tt := range []struct {
		max, want, bytes int64
		truncated        sdk.TruncatedBy
	}{
		{max: 7, want: 0, bytes: 0, truncated: sdk.TruncatedByBytes},
		{max: 8, want: 1, bytes: 8, truncated: sdk.TruncatedByBytes},
		{max: 13, want: 1, bytes: 8, truncated: sdk.TruncatedByBytes},
		{max: 14, want: 2, bytes: 14, truncated: sdk.TruncatedByBytes},
		{max: 18, want: 3, bytes: 18, truncated: sdk.TruncatedByBytes},
		{max: 27, want: 3, bytes: 18, truncated: sdk.TruncatedByBytes},
		{max: 28, want: 4, bytes: 28},
	} {
		t.Run(fmt.Sprint(tt.max), func(t *testing.T) {
			t.Parallel()
			sink, sum := write(t, sdk.Limits{MaxBytes: tt.max}, columns(sdk.TypeText), rows...)
			want := sdk.Summary{Rows: tt.want, Bytes: tt.bytes, TruncatedBy: tt.truncated}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(rows[:tt.want], sink.rows, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// The row over the limit is taken back from every kind of vector, with its NULLs.
func TestTheRowOverTheLimitLeavesNoTrace(t *testing.T) {
	t.Parallel()
	kept := []any{int64(1), 1.5, true, "x", "y"}
	for name, over := range map[string][]any{
		"values": {int64(2), 2.5, false, "long", "longer"},
		"nulls":  {nil, nil, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cols := columns(sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeText, sdk.TypeText)
			sink, sum := write(t, sdk.Limits{MaxRows: 1, MaxCellBytes: 3}, cols, kept, over)
			if diff := cmp.Diff([][]any{kept}, sink.rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if sum.CellsClipped != 0 {
				t.Errorf("%d clipped cells are counted of a row that was dropped", sum.CellsClipped)
			}
		})
	}
}

func TestBatching(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 96) // 100 encoded bytes
	for _, tt := range []struct {
		name   string
		limits sdk.Limits
		rows   int
		want   []int
	}{
		{name: "the first batch is small", rows: 128 + 2048 + 1, want: []int{128, 2048, 1}},
		{name: "fewer rows than the first batch", rows: 3, want: []int{3}},
		{name: "batch rows below the first batch", limits: sdk.Limits{BatchRows: 2}, rows: 5, want: []int{2, 2, 1}},
		{name: "batch bytes", limits: sdk.Limits{BatchBytes: 300}, rows: 7, want: []int{3, 3, 1}},
		{name: "a row over the batch bytes", limits: sdk.Limits{BatchBytes: 1}, rows: 2, want: []int{1, 1}},
		{name: "no rows", rows: 0, want: nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows := make([][]any, tt.rows)
			for i := range rows {
				rows[i] = []any{text}
			}
			sink, _ := write(t, tt.limits, columns(sdk.TypeText), rows...)
			if diff := cmp.Diff(tt.want, sink.batches); diff != "" {
				t.Errorf("batches (-want +got):\n%s", diff)
			}
		})
	}
}

// A caller cannot ask for batches that would not fit a message.
func TestBatchBytesAreBounded(t *testing.T) {
	t.Parallel()
	cell := strings.Repeat("x", 512<<10)
	sink, _ := write(t, sdk.Limits{BatchBytes: 64 << 20}, columns(sdk.TypeText), []any{cell}, []any{cell}, []any{cell})
	if diff := cmp.Diff([]int{2, 1}, sink.batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
}

// Vectors are used again for the next batch: nothing of the last one may show.
func TestBatchesDoNotBleed(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{int64(1), nil, true, "a"},
		{nil, 2.0, nil, nil},
		{int64(3), 3.0, false, "c"},
		{int64(4), 4.0, false, "d"},
		{nil, nil, nil, nil},
		{int64(6), 6.0, true, ""},
		{int64(7), 7.0, true, "g"},
	}
	sink, _ := write(t, sdk.Limits{BatchRows: 2}, columns(sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeText), rows...)
	if diff := cmp.Diff(rows, sink.rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestZeroColumns(t *testing.T) {
	t.Parallel()
	sink, sum := write(t, sdk.Limits{MaxRows: 2}, nil, []any{}, []any{}, []any{})
	if sum.Rows != 2 || sum.TruncatedBy != sdk.TruncatedByRows || len(sink.rows) != 2 {
		t.Errorf("got %d rows (%d sent), truncated by %q", sum.Rows, len(sink.rows), sum.TruncatedBy)
	}
}

func TestClipping(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		typ     sdk.Type
		cell    any
		limit   int
		want    string
		clipped int64
	}{
		{name: "at the limit", typ: sdk.TypeText, cell: "abcd", limit: 4, want: "abcd"},
		{name: "one over", typ: sdk.TypeText, cell: "abcde", limit: 4, want: "abcd", clipped: 1},
		{name: "inside a code point", typ: sdk.TypeText, cell: "abç", limit: 3, want: "ab", clipped: 1},
		{name: "behind a code point", typ: sdk.TypeText, cell: "abçd", limit: 4, want: "abç", clipped: 1},
		{name: "inside four bytes", typ: sdk.TypeText, cell: "a😀b", limit: 4, want: "a", clipped: 1},
		{name: "no room for the first code point", typ: sdk.TypeText, cell: "😀", limit: 3, want: "", clipped: 1},
		{name: "text as bytes", typ: sdk.TypeText, cell: []byte("abç"), limit: 3, want: "ab", clipped: 1},
		{name: "no UTF-8", typ: sdk.TypeText, cell: strings.Repeat("\x80", 9), limit: 8, want: strings.Repeat("\x80", 8), clipped: 1},
		{name: "bytes are cut anywhere", typ: sdk.TypeBytes, cell: []byte("abç"), limit: 3, want: "ab\xc3", clipped: 1},
		{name: "bytes as text", typ: sdk.TypeBytes, cell: "abç", limit: 3, want: "ab\xc3", clipped: 1},
		{name: "1 MiB when nothing is said", typ: sdk.TypeText, cell: strings.Repeat("x", 1<<20+1), want: strings.Repeat("x", 1<<20), clipped: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink, sum := write(t, sdk.Limits{MaxCellBytes: tt.limit}, columns(tt.typ), []any{tt.cell})
			if got := sink.rows[0][0].(string); got != tt.want {
				t.Errorf("got %.40q (%d bytes), want %.40q", got, len(got), tt.want)
			}
			if sum.CellsClipped != tt.clipped || sum.Bytes != int64(len(tt.want))+4 {
				t.Errorf("summary %+v", sum)
			}
		})
	}
}

// Half a number or half a JSON text would be another value.
func TestOtherTypesAreNotClipped(t *testing.T) {
	t.Parallel()
	for _, typ := range []sdk.Type{sdk.TypeDecimal, sdk.TypeJSON, sdk.TypeNestedJSON, sdk.TypeInterval, sdk.TypeGeoWKT, sdk.TypeUUID} {
		w := sdk.NewRowWriter(&record{}, sdk.Limits{MaxCellBytes: 3})
		if err := w.Columns(columns(typ)...); err != nil {
			t.Fatal(err)
		}
		if err := w.Row("1234"); sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("%s: got %v", typ, err)
		}
	}
}

func TestRowTooLong(t *testing.T) {
	t.Parallel()
	w := sdk.NewRowWriter(&record{}, sdk.Limits{MaxCellBytes: 8 << 20})
	if err := w.Columns(columns(sdk.TypeText, sdk.TypeText)...); err != nil {
		t.Fatal(err)
	}
	half := sdk.MaxRowBytes/2 - 4
	if err := w.Row(strings.Repeat("a", half), strings.Repeat("b", half)); err != nil {
		t.Fatalf("a row of the largest size: %v", err)
	}
	if err := w.Row(strings.Repeat("a", half), strings.Repeat("b", half+1)); sdk.KindOf(err) != sdk.KindLimit {
		t.Fatalf("one byte more: %v", err)
	}
}

func TestMisuseIsTheConnectorsFault(t *testing.T) {
	t.Parallel()
	two := columns(sdk.TypeInt64, sdk.TypeText)
	for name, misuse := range map[string]func(*sdk.RowWriter) error{
		"row before columns":   func(w *sdk.RowWriter) error { return w.Row() },
		"batch before columns": func(w *sdk.RowWriter) error { return w.Batch(&sdk.Batch{}) },
		"no columns":           func(w *sdk.RowWriter) error { return w.Close() },
		"columns twice": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			return w.Columns(two...)
		},
		"too few values": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			w.Int64(1)
			return w.EndRow()
		},
		"too many values": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			w.Int64(1)
			w.Text("a")
			w.Text("b")
			return w.EndRow()
		},
		"too many values in Row": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			return w.Row(1, "a", "b")
		},
		"wrong payload": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			w.Text("1")
			w.Text("a")
			return w.EndRow()
		},
		"unended row": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			w.Int64(1)
			return w.Close()
		},
		"batch inside a row": func(w *sdk.RowWriter) error {
			_ = w.Columns(two...)
			w.Int64(1)
			return w.Batch(&sdk.Batch{Columns: make([]sdk.Vector, 2)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := sdk.NewRowWriter(&record{}, sdk.Limits{})
			err := misuse(w)
			if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindInternal || e.Source != sdk.SourceConnector {
				t.Fatalf("got %#v", err)
			}
			if again := w.Close(); !errors.Is(again, err) {
				t.Errorf("Close: %v, want the same error again", again)
			}
		})
	}
}

func TestASinksErrorEndsTheResult(t *testing.T) {
	t.Parallel()
	broken := errors.New("pipe closed")
	sink := &record{err: broken}
	w := sdk.NewRowWriter(sink, sdk.Limits{BatchRows: 1})
	if err := w.Columns(columns(sdk.TypeInt64)...); err != nil {
		t.Fatal(err)
	}
	if err := w.Row(1); !errors.Is(err, broken) {
		t.Fatalf("Row: %v", err)
	}
	if err := w.Row(2); !errors.Is(err, broken) {
		t.Fatalf("the next Row: %v", err)
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Fatalf("Close: %v", err)
	}
}

func TestASinkThatHasEnough(t *testing.T) {
	t.Parallel()
	w := sdk.NewRowWriter(&record{err: sdk.ErrLimit}, sdk.Limits{BatchRows: 1})
	if err := w.Columns(columns(sdk.TypeInt64)...); err != nil {
		t.Fatal(err)
	}
	if err := w.Row(1); !errors.Is(err, sdk.ErrLimit) {
		t.Fatalf("Row: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

func TestStartedAndAdopt(t *testing.T) {
	t.Parallel()
	sink := &record{}
	w := sdk.NewRowWriter(sink, sdk.Limits{})
	for _, id := range []string{"q1", "q2"} {
		if err := w.Started(id); err != nil {
			t.Fatal(err)
		}
	}
	if sink.query != "q1" || w.Summary().QueryID != "q1" {
		t.Errorf("sink has %q, summary %q; only the first counts", sink.query, w.Summary().QueryID)
	}
	w.SetBytesScanned(1)
	w.Adopt(sdk.Summary{Rows: 99, TruncatedBy: sdk.TruncatedByBytes, CellsClipped: 2, BytesScanned: 3, QueryID: "q9"})
	want := sdk.Summary{TruncatedBy: sdk.TruncatedByBytes, CellsClipped: 2, BytesScanned: 3, QueryID: "q9"}
	if diff := cmp.Diff(want, w.Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// discard takes batches without keeping them.
type discard struct{}

func (discard) Started(string) error       { return nil }
func (discard) Columns([]sdk.Column) error { return nil }
func (discard) Batch(*sdk.Batch) error     { return nil }
func (discard) Progress(sdk.Progress)      {}
func (discard) Notice(sdk.Warning)         {}

func appendRow(w *sdk.RowWriter) error {
	w.Int64(1)
	w.Float64(2)
	w.Bool(true)
	w.Text("some text")
	w.Null()
	return w.EndRow()
}

func rowColumns() []sdk.Column {
	return columns(sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeText, sdk.TypeInt64)
}

// The seam must not allocate per row: vectors are used again.
func TestAllocationsPerRow(t *testing.T) {
	w := sdk.NewRowWriter(discard{}, sdk.Limits{})
	if err := w.Columns(rowColumns()...); err != nil {
		t.Fatal(err)
	}
	const rows = 50 * sdk.DefaultBatchRows
	batch := func() {
		for range sdk.DefaultBatchRows {
			if err := appendRow(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 { // grow the vectors
		batch()
	}
	perBatch := testing.AllocsPerRun(rows/sdk.DefaultBatchRows, batch)
	if perBatch > 2 { // the bitmap of the column with NULLs
		t.Errorf("%.1f allocations per batch of %d rows", perBatch, sdk.DefaultBatchRows)
	}
}

func BenchmarkRowWriter(b *testing.B) {
	w := sdk.NewRowWriter(discard{}, sdk.Limits{})
	if err := w.Columns(rowColumns()...); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := appendRow(w); err != nil {
			b.Fatal(err)
		}
	}
}
