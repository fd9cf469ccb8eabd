package serve

import (
	"math"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestCell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		typ   sdk.Type
		value any
		want  string
	}{
		{"null", sdk.TypeBytes, nil, `null`},
		{"empty bytes are no null", sdk.TypeBytes, []byte{}, `""`},
		{"bytes", sdk.TypeBytes, []byte{0, 255}, `"AP8="`},
		{"midnight at the end of the day", sdk.TypeTime, int64(24 * 60 * 60 * 1e6), `"24:00:00"`},
		{"an integer beyond a double's", sdk.TypeInt64, int64(1<<53 + 1), `"9007199254740993"`},
		{"not a number", sdk.TypeFloat64, math.NaN(), `"NaN"`},
		{"true", sdk.TypeBool, true, `true`},
		{"nested", sdk.TypeNestedJSON, `[1, null]`, `[1, null]`},
		{"broken nested", sdk.TypeNestedJSON, `[1`, `"[1"`},
		{"a date", sdk.TypeDate, int64(-1), `"1969-12-31"`},
		{"text with quotes", sdk.TypeText, `a "b"`, `"a \"b\""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := &lastBatch{}
			w := sdk.NewRowWriter(sink, sdk.Limits{})
			if err := w.Columns(sdk.Column{Name: "c", Type: tt.typ, Nullable: true}); err != nil {
				t.Fatal(err)
			}
			if err := w.Row(tt.value); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := string(sink.cell); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// lastBatch keeps the first cell of a result of one column.
type lastBatch struct {
	typ  sdk.Type
	cell []byte
}

func (*lastBatch) Started(string) error           { return nil }
func (*lastBatch) Progress(sdk.Progress)          {}
func (*lastBatch) Notice(sdk.Warning)             {}
func (s *lastBatch) Columns(c []sdk.Column) error { s.typ = c[0].Type; return nil }
func (s *lastBatch) Batch(b *sdk.Batch) error {
	s.cell = cell(s.typ, &b.Columns[0], 0)
	return nil
}
