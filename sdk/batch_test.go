package sdk_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

// keep collects the batches of a result as they are.
type keep struct {
	discard
	batches []*sdk.Batch
}

func (k *keep) Batch(b *sdk.Batch) error {
	c := &sdk.Batch{Rows: b.Rows}
	for _, v := range b.Columns {
		c.Columns = append(c.Columns, sdk.Vector{
			Valid: append([]byte(nil), v.Valid...), I64: append([]int64(nil), v.I64...), F64: append([]float64(nil), v.F64...),
			Bits: append([]byte(nil), v.Bits...), Offsets: append([]uint32(nil), v.Offsets...), Data: append([]byte(nil), v.Data...),
		})
		if v.Valid == nil {
			c.Columns[len(c.Columns)-1].Valid = nil
		}
	}
	k.batches = append(k.batches, c)
	return nil
}

func randomRows(r *rand.Rand, n int) [][]any {
	rows := make([][]any, n)
	for i := range rows {
		row := []any{r.Int64(), r.Float64(), r.IntN(2) == 0, strings.Repeat("é", r.IntN(8)), strings.Repeat("b", r.IntN(20))}
		for c := range row {
			if r.IntN(4) == 0 {
				row[c] = nil
			}
		}
		rows[i] = row
	}
	return rows
}

// What limits leave of a result is the same whether it comes as rows or as the
// batches of a connector that knows no limits.
func TestBatchesAreCutAsRowsAre(t *testing.T) {
	t.Parallel()
	cols := columns(sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeText, sdk.TypeBytes)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := randomRows(r, r.IntN(60))
		limits := sdk.Limits{MaxRows: int64(r.IntN(70)), MaxBytes: int64(r.IntN(3000)), MaxCellBytes: 1 + r.IntN(24)}

		whole := &keep{}
		source := sdk.NewRowWriter(whole, sdk.Limits{BatchRows: 1 + r.IntN(30)})
		if err := source.Columns(cols...); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if err := source.Row(row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := source.Close(); err != nil {
			t.Fatal(err)
		}

		want, wantSum := write(t, limits, cols, rows...)
		got := &record{}
		w := sdk.NewRowWriter(got, limits)
		if err := w.Columns(cols...); err != nil {
			t.Fatal(err)
		}
		for _, b := range whole.batches {
			if err := w.Batch(b); errors.Is(err, sdk.ErrLimit) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.rows, got.rows, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d, %+v: rows (-as rows +as batches):\n%s", seed, limits, diff)
		}
		if diff := cmp.Diff(wantSum, w.Summary()); diff != "" {
			t.Fatalf("seed %d, %+v: summary (-as rows +as batches):\n%s", seed, limits, diff)
		}
	}
}

// A batch belongs to whoever made it: clipping works on a copy.
func TestClippingABatchLeavesItAlone(t *testing.T) {
	t.Parallel()
	w := sdk.NewRowWriter(discard{}, sdk.Limits{MaxCellBytes: 2})
	if err := w.Columns(columns(sdk.TypeText)...); err != nil {
		t.Fatal(err)
	}
	b := &sdk.Batch{Rows: 1, Columns: []sdk.Vector{{Offsets: []uint32{0, 4}, Data: []byte("abcd")}}}
	if err := w.Batch(b); err != nil {
		t.Fatal(err)
	}
	if got := string(b.Columns[0].Bytes(0)); got != "abcd" {
		t.Errorf("the batch now holds %q", got)
	}
	if w.Summary().CellsClipped != 1 {
		t.Errorf("summary %+v", w.Summary())
	}
}

func TestABatchWithALongCellOfAnotherType(t *testing.T) {
	t.Parallel()
	w := sdk.NewRowWriter(discard{}, sdk.Limits{MaxCellBytes: 2})
	if err := w.Columns(columns(sdk.TypeDecimal)...); err != nil {
		t.Fatal(err)
	}
	err := w.Batch(&sdk.Batch{Rows: 1, Columns: []sdk.Vector{{Offsets: []uint32{0, 4}, Data: []byte("1234")}}})
	if sdk.KindOf(err) != sdk.KindLimit {
		t.Errorf("got %v", err)
	}
}

// Rows and batches keep their order when a connector uses both.
func TestRowsBeforeABatch(t *testing.T) {
	t.Parallel()
	sink := &record{}
	w := sdk.NewRowWriter(sink, sdk.Limits{})
	if err := w.Columns(columns(sdk.TypeInt64)...); err != nil {
		t.Fatal(err)
	}
	if err := w.Row(1); err != nil {
		t.Fatal(err)
	}
	if err := w.Batch(&sdk.Batch{Rows: 1, Columns: []sdk.Vector{{I64: []int64{2}}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]any{{int64(1)}, {int64(2)}}, sink.rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestBatchCheck(t *testing.T) {
	t.Parallel()
	text := func(offsets []uint32, data string) sdk.Vector {
		return sdk.Vector{Offsets: offsets, Data: []byte(data)}
	}
	for _, tt := range []struct {
		name string
		typ  sdk.Type
		v    sdk.Vector
		ok   bool
	}{
		{"numbers", sdk.TypeInt64, sdk.Vector{I64: []int64{1, 2}}, true},
		{"too few numbers", sdk.TypeInt64, sdk.Vector{I64: []int64{1}}, false},
		{"too many numbers", sdk.TypeInt64, sdk.Vector{I64: []int64{1, 2, 3}}, false},
		{"floats in a date", sdk.TypeDate, sdk.Vector{F64: []float64{1, 2}}, false},
		{"floats", sdk.TypeFloat64, sdk.Vector{F64: []float64{1, 2}}, true},
		{"bools", sdk.TypeBool, sdk.Vector{Bits: []byte{1}}, true},
		{"no bools", sdk.TypeBool, sdk.Vector{}, false},
		{"text", sdk.TypeText, text([]uint32{0, 1, 3}, "abc"), true},
		{"too few offsets", sdk.TypeText, text([]uint32{0, 3}, "abc"), false},
		{"no offsets", sdk.TypeText, text(nil, ""), false},
		{"offsets that fall", sdk.TypeText, text([]uint32{0, 4, 3}, "abc"), false},
		{"offsets that start late", sdk.TypeText, text([]uint32{1, 2, 3}, "abc"), false},
		{"offsets past the data", sdk.TypeText, text([]uint32{0, 1, 9}, "abc"), false},
		{"data past the offsets", sdk.TypeText, text([]uint32{0, 1, 2}, "abc"), false},
		{"validity", sdk.TypeInt64, sdk.Vector{I64: []int64{1, 2}, Valid: []byte{3}}, true},
		{"short validity", sdk.TypeInt64, sdk.Vector{I64: []int64{1, 2}, Valid: []byte{}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &sdk.Batch{Rows: 2, Columns: []sdk.Vector{tt.v}}
			if err := b.Check(columns(tt.typ)); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
			if err := b.Check(nil); err == nil {
				t.Error("one column passes for none")
			}
		})
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	cols := columns(sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeBool, sdk.TypeText)
	rows := [][]any{{int64(1), 1.0, true, "a"}, {nil, nil, nil, nil}, {int64(3), 3.0, true, "ccc"}}
	for n := range 5 {
		whole := &keep{}
		w := sdk.NewRowWriter(whole, sdk.Limits{})
		if err := w.Columns(cols...); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if err := w.Row(row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := &record{columns: cols}
		if err := got.Batch(whole.batches[0].Head(n, cols)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows[:min(n, 3)], got.rows, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%d rows (-want +got):\n%s", n, diff)
		}
	}
}
