package sqlkit

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"

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
	if err := w.Columns(columns...); err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil { // few drivers look at it between two rows
			return err
		}
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for _, v := range row {
			w.Value(v)
		}
		if err := w.EndRow(); err != nil {
			return err
		}
	}
}

// Queries runs a catalogue query and calls row for each row, which is valid
// until the function returns. Reading.Query is one.
type Queries func(ctx context.Context, query string, row func(Row) error) error
