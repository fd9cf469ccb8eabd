package sqlkit

import (
	"context"
	"encoding/base64"
	"strconv"

	"github.com/loam-data/loam/sdk"
)

// maxProfiledBytes is the longest value that is measured whole: a longer text
// counts as long as this, and one of another type is KindLimit.
const maxProfiledBytes = sdk.MaxRowBytes - 1<<10

// value is a row of a query of Profiling.Values, or of one of values alone.
type value struct {
	text  []byte // valid until the next value
	typ   sdk.Type
	null  bool
	size  int64 // of a value that was not sent, else -1
	count int64
	// rows and nulls are of the whole column.
	rows, nulls int64
}

// read runs a query for values of columns and hands them over one by one, each
// with the position of its column. A query for one column may have the counts of
// Profiling.Values behind the value.
func (p *profile) read(ctx context.Context, columns []*ProfiledColumn, query string, each func(int, *value)) error {
	readers := make(valueReaders, len(columns))
	for i, c := range columns {
		readers[i] = &valueReader{column: c, each: func(v *value) { each(i, v) }}
	}
	if p.Query != nil {
		return p.Query(ctx, query, readers.row)
	}
	w := sdk.NewRowWriter(readers, sdk.Limits{MaxCellBytes: maxProfiledBytes})
	if err := ignoreLimit(p.Run(ctx, query, w)); err != nil {
		return err
	}
	return w.Close()
}

// valueReaders read the values of a row, or are the sink of a result.
type valueReaders []*valueReader

// part returns where the values of a column stand in a row: a column alone has
// its counts beside it.
func (r valueReaders) part(i, width int) (from, to int) {
	if len(r) == 1 {
		return 0, width
	}
	return i, i + 1
}

func (r valueReaders) row(row Row) error {
	for i, reader := range r {
		from, to := r.part(i, len(row))
		if err := reader.row(row[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// Columns implements sdk.ResultSink.
func (r valueReaders) Columns(columns []sdk.Column) error {
	for i, reader := range r {
		from, to := r.part(i, len(columns))
		reader.describe(columns[from:to])
	}
	return nil
}

// Batch implements sdk.ResultSink.
func (r valueReaders) Batch(b *sdk.Batch) error {
	for i, reader := range r {
		from, to := r.part(i, len(b.Columns))
		if err := reader.batch(b.Rows, b.Columns[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// Started implements sdk.ResultSink.
func (valueReaders) Started(string) error { return nil }

// Progress implements sdk.ResultSink.
func (valueReaders) Progress(sdk.Progress) {}

// Notice implements sdk.ResultSink.
func (valueReaders) Notice(sdk.Warning) {}

// valueReader reads the values of one column.
type valueReader struct {
	column *ProfiledColumn
	each   func(*value)
	types  []sdk.Type // of the result's columns
	begun  bool
	v      value
}

// row reads a row of Queries.
func (r *valueReader) row(row Row) error {
	v := &r.v
	if v.typ = r.column.Type; r.column.TypeOf != nil {
		v.typ = r.column.TypeOf(row)
	}
	v.text = v.text[:0]
	switch x := row[0].(type) {
	case int64:
		v.text = strconv.AppendInt(v.text, x, 10)
	case float64:
		v.text = sdk.AppendFloat(v.text, x)
	case []byte:
		if v.typ == sdk.TypeBytes {
			v.text = base64.StdEncoding.AppendEncode(v.text, x)
		} else {
			v.text = append(v.text, x...)
		}
	default:
		v.text = append(v.text, row.Text(0)...)
	}
	v.null = row[0] == nil
	return r.next(len(row), func(i int) int64 { return row.Int(i, -1) })
}

// sizeColumn is where a query of Profiling.Values has the size of what it does
// not send.
const sizeColumn = 4

// next reads the counts behind a value and hands it over.
func (r *valueReader) next(columns int, number func(i int) int64) error {
	v := &r.v
	v.size = -1
	if columns > sizeColumn {
		if v.size = number(sizeColumn); v.size >= 0 {
			v.null = false
		}
	}
	counts := []*int64{&v.count, &v.rows, &v.nulls}
	if r.begun {
		counts = counts[:1] // the others repeat
	}
	r.begun = true
	for i, into := range counts[:min(len(counts), columns-1)] {
		if *into = number(i + 1); *into < 0 {
			return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a count of column %q is no number", r.column.Name).
				WithHint("report this: the connector's query for distinct values is wrong")
		}
	}
	r.each(v)
	return nil
}

// describe notes the types of a result.
func (r *valueReader) describe(columns []sdk.Column) {
	r.types = make([]sdk.Type, len(columns))
	for i := range columns {
		r.types[i] = columns[i].Type
	}
	if len(r.types) > 0 && r.types[0] == sdk.TypeBytes && r.column.Type != sdk.TypeBytes {
		r.types[0] = sdk.TypeText // text that was made bytes to be sorted by them
	}
}

// batch reads rows of a result.
func (r *valueReader) batch(rows int, columns []sdk.Vector) error {
	v := &r.v
	v.typ = r.column.Type
	for row := range rows {
		if v.null = columns[0].IsNull(row); !v.null {
			v.text = columns[0].AppendText(v.text[:0], r.types[0], row)
		}
		err := r.next(len(columns), func(i int) int64 { return number(&columns[i], r.types[i], row) })
		if err != nil {
			return err
		}
	}
	return nil
}

// number reads a count, -1 for what is none: engines sum integers to decimals,
// or to doubles.
func number(v *sdk.Vector, t sdk.Type, row int) int64 {
	switch {
	case v.IsNull(row):
		return -1
	case t == sdk.TypeInt64:
		return v.I64[row]
	}
	n, err := strconv.ParseInt(string(v.AppendText(nil, t, row)), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// add counts a value.
func (v *value) add(d *Distribution) {
	if v.size >= 0 {
		if v.typ != sdk.TypeText {
			v.size = -1
		}
		d.Long(v.size, v.count)
		return
	}
	switch v.typ {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeInterval:
		d.Number(v.text, v.count)
	case sdk.TypeText:
		d.Text(v.text, v.count)
	default:
		d.Other(v.text, v.count)
	}
}

// key reports whether values of the type join tables.
func (v *value) key() bool {
	switch v.typ {
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeText, sdk.TypeUUID, sdk.TypeDate:
		return true
	default:
		return false
	}
}
