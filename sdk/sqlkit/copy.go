package sqlkit

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Copy writes a driver's result to w. It allocates nothing per row beyond the
// driver's own allocations.
// Shape: a value must fit its column's type as RowWriter.Value says.
// Errors: the driver's, as it is; sdk.ErrLimit when w has enough.
func Copy(ctx context.Context, rows driver.Rows, types Types, w *sdk.RowWriter) error {
	names := rows.Columns()
	columns, row := make([]sdk.Column, len(names)), make(Row, len(names))
	for i, name := range names {
		columns[i] = types.resultColumn(rows, i, name)
	}
	early, ended, err := decide(rows, columns)
	if err != nil {
		return err
	}
	if err := w.Columns(columns...); err != nil {
		return err
	}
	for _, row := range early {
		if err := write(row, w); err != nil {
			return err
		}
	}
	for !ended { // some drivers begin again behind the end
		if err := ctx.Err(); err != nil { // few drivers look at it between two rows
			return err
		}
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := write(row, w); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a driver's result with the columns that a connector describes itself; cell
// appends one value of a column to w.
// Errors: as Copy.
func Write(ctx context.Context, rows driver.Rows, columns []sdk.Column, w *sdk.RowWriter, cell func(column int, v driver.Value) error) error {
	if err := w.Columns(columns...); err != nil {
		return err
	}
	return EachRow(ctx, rows, func(row Row) error {
		for i, v := range row {
			if err := cell(i, v); err != nil {
				return err
			}
		}
		return w.EndRow()
	})
}

func write(row Row, w *sdk.RowWriter) error {
	for _, v := range row {
		w.Value(v)
	}
	return w.EndRow()
}

// Rows that are read before the columns are sent are kept in memory.
const (
	earlyRows  = 256
	earlyBytes = 1 << 20
)

// decide gives columns without a type that of their first value, and returns the rows
// that it read to see it. A column without a value in these rows is text.
// Shape: no column without a type, no rows. ended: there are no more.
func decide(rows driver.Rows, columns []sdk.Column) (early []Row, ended bool, err error) {
	without := func(c sdk.Column) bool { return c.Type == sdk.TypeUnspecified }
	size := 0
	for slices.ContainsFunc(columns, without) && len(early) < earlyRows && size < earlyBytes {
		row := make(Row, len(columns))
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			ended = true
			break
		} else if err != nil {
			return nil, false, err
		}
		for i, v := range row {
			switch v := v.(type) {
			case []byte:
				row[i] = slices.Clone(v) // the driver's until the next row
				size += len(v)
			case string:
				size += len(v)
			}
			if without(columns[i]) {
				columns[i].Type = goType(reflect.TypeOf(v))
			}
		}
		early = append(early, row)
	}
	for i := range columns {
		if without(columns[i]) {
			columns[i].Type = sdk.TypeText
		}
	}
	return early, ended, nil
}

// Queries runs a catalogue query and calls row for each row, which is valid
// until the function returns. Reading.Query is one.
type Queries func(ctx context.Context, query string, row func(Row) error) error
