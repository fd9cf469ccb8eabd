package mysql

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// result is a result on its way from the driver to a writer.
type result struct {
	rows    driver.Rows
	columns []sdk.Column
	decode  []decoder
	row     []driver.Value
	// texts are the columns, one bit each, whose dates are shown as text.
	texts columnSet
	// held are the rows that were read before the columns were written, and over
	// says that they are all there are.
	held [][]driver.Value
	over bool
}

// columnSet is a set of columns; no table has more.
type columnSet [maxColumns / 64]uint64

const maxColumns = 4096

func (s *columnSet) add(i int)     { s[i/64] |= 1 << (i % 64) }
func (s columnSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// holdRows is how many rows are looked at before the types of dates are fixed:
// as many as the first batch has, and no more bytes.
const (
	holdRows  = sdk.FirstBatchRows
	holdBytes = sdk.MaxBatchBytes
)

// newResult reads the columns of a result; those in texts are text.
func newResult(rows driver.Rows, texts columnSet) *result {
	names := rows.Columns()
	r := &result{rows: rows, texts: texts, row: make([]driver.Value, len(names))}
	for i, name := range names {
		native := rows.(driver.RowsColumnTypeDatabaseTypeName).ColumnTypeDatabaseTypeName(i)
		nullable, _ := rows.(driver.RowsColumnTypeNullable).ColumnTypeNullable(i)
		typ := types.Of(native)
		if native == "VECTOR" {
			typ = sdk.TypeNestedJSON
		}
		r.columns = append(r.columns, sdk.Column{Name: name, Type: typ, NativeType: native, Nullable: nullable})
		r.decode = append(r.decode, decoderOf(native, typ))
	}
	return r
}

// dated reports whether a column has dates, some of which may be none.
func dated(t sdk.Type) bool {
	return t == sdk.TypeDate || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ
}

// begin writes the columns. Where there are dates it looks at the first rows
// before: a column with one that is none, such as 0000-00-00, is text.
func (r *result) begin(w *sdk.RowWriter) error {
	if slices.ContainsFunc(r.columns, func(c sdk.Column) bool { return dated(c.Type) }) {
		if err := r.hold(); err != nil {
			return err
		}
	}
	for i := range r.columns {
		if c := &r.columns[i]; dated(c.Type) && r.texts.has(i) {
			c.Type, r.decode[i] = sdk.TypeText, decodeText
			w.Notice(sdk.Warning{
				Object: c.Name, Code: oddCode,
				Message: fmt.Sprintf("column %q has dates that no calendar has, such as 0000-00-00: it is shown as text", c.Name),
			})
		}
	}
	return w.Columns(r.columns...)
}

func (r *result) hold() error {
	for size := 0; len(r.held) < holdRows && size < holdBytes; {
		if err := r.rows.Next(r.row); errors.Is(err, io.EOF) {
			r.over = true
			return nil
		} else if err != nil {
			return err
		}
		row := make([]driver.Value, len(r.row))
		for i, v := range r.row {
			raw, isRaw := v.([]byte) // belongs to the driver, which uses it again
			size += len(raw)
			if isRaw {
				row[i] = slices.Clone(raw)
			} else {
				row[i] = v
			}
			if isRaw && dated(r.columns[i].Type) && !isDate(raw) {
				r.texts.add(i)
			}
		}
		r.held = append(r.held, row)
	}
	return nil
}

// rest writes the rows.
func (r *result) rest(w *sdk.RowWriter) error {
	for _, row := range r.held {
		if err := r.write(row, w); err != nil {
			return err
		}
	}
	for !r.over {
		if err := r.rows.Next(r.row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := r.write(r.row, w); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) write(row []driver.Value, w *sdk.RowWriter) error {
	for i, v := range row {
		if v == nil {
			w.Null()
		} else if err := r.decode[i](w, v); err != nil {
			if errors.Is(err, errOdd) {
				return &oddValue{column: i}
			}
			return fmt.Errorf("column %q: %w", r.columns[i].Name, err)
		}
	}
	return w.EndRow()
}

const oddCode = "zero_date"

// errOdd says that a date is none.
var errOdd = errors.New("a date that no calendar has")

// oddValue says that a date came up that is none, after its column was said to
// have dates.
type oddValue struct{ column int }

func (o *oddValue) Error() string { return errOdd.Error() }

func (o *oddValue) conflict(name string) *sdk.Error {
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceWarehouse, "column %q has a date that no calendar has, such as 0000-00-00", name).
		WithHint("run the statement again: the column is text then")
	e.Code, e.Retry = oddCode, true
	return e
}
