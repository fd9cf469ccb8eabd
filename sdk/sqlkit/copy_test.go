package sqlkit

import (
	"database/sql/driver"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// untyped is a result of expressions: the driver has no name for their types, and for
// NULL no Go type.
type untyped struct {
	rows [][]driver.Value
	at   int
}

func (r *untyped) Columns() []string { return make([]string, len(r.rows[0])) }
func (*untyped) Close() error        { return nil }

func (r *untyped) ColumnTypeScanType(i int) reflect.Type { return reflect.TypeOf(r.rows[0][i]) }

func (r *untyped) Next(to []driver.Value) error {
	if r.at == len(r.rows) {
		r.at = 0 // as some drivers do, which run the statement again
		return io.EOF
	}
	copy(to, r.rows[r.at])
	r.at++
	return nil
}

// sink keeps the types of a result and counts its rows and NULLs.
type sink struct {
	types       []string
	rows, nulls int
}

func (*sink) Started(string) error  { return nil }
func (*sink) Progress(sdk.Progress) {}
func (*sink) Notice(sdk.Warning)    {}

func (s *sink) Columns(columns []sdk.Column) error {
	for _, c := range columns {
		s.types = append(s.types, c.Type.String())
	}
	return nil
}

func (s *sink) Batch(b *sdk.Batch) error {
	s.rows += b.Rows
	for i := range b.Columns {
		for row := range b.Rows {
			if b.Columns[i].IsNull(row) {
				s.nulls++
			}
		}
	}
	return nil
}

// A column that begins with NULL has the type of its first value.
func TestCopyDecidesTypesByTheFirstValue(t *testing.T) {
	t.Parallel()
	many := make([][]driver.Value, 1000)
	for i := range many {
		many[i] = []driver.Value{nil, int64(i)}
	}
	for name, tt := range map[string]struct {
		rows [][]driver.Value
		want sink
	}{
		"a sum that is NULL at first": {[][]driver.Value{{int64(1), nil, nil}, {int64(2), int64(5), nil}, {int64(3), nil, 0.5}}, sink{[]string{"int64", "int64", "float64"}, 3, 4}},
		"nothing but NULL":            {many, sink{[]string{"text", "int64"}, 1000, 1000}},
	} {
		got := &sink{}
		w := sdk.NewRowWriter(got, sdk.Limits{})
		if err := Copy(t.Context(), &untyped{rows: tt.rows}, nil, w); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, *got, cmp.AllowUnexported(sink{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
