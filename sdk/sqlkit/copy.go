package sqlkit

import (
	"context"
	"database/sql"
	"errors"

	"github.com/loam-data/loam/sdk"
)

// Copy writes a result to w and closes rows. It makes no garbage per row beyond
// what the driver itself makes.
// Shape: a value must fit its column's type as RowWriter.Row says.
// Errors: the driver's, as it is; nil when w has enough.
func Copy(rows *sql.Rows, types Types, w *sdk.RowWriter) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	columnTypes, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	columns := make([]sdk.Column, len(columnTypes))
	cells := make([]any, len(columnTypes))
	for i, ct := range columnTypes {
		columns[i] = types.resultColumn(ct)
		cells[i] = cell{w}
	}
	if err := w.Columns(columns...); err != nil {
		return err
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		if err := w.EndRow(); errors.Is(err, sdk.ErrLimit) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return rows.Err()
}

// cell hands a driver's value to the next column of a row, before database/sql
// would copy it: Scan goes from left to right.
type cell struct{ w *sdk.RowWriter }

// Scan implements sql.Scanner.
func (c cell) Scan(v any) error {
	c.w.Value(v)
	return nil
}

// queryer is an *sql.DB, an *sql.Conn or an *sql.Tx.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Queries runs a catalogue query and hands over its rows one by one; a row is
// valid until the function returns.
type Queries func(ctx context.Context, query string, row func(Row) error) error

// DB returns the Queries of a database/sql pool, of one connection or of a
// transaction.
func DB(db queryer) Queries {
	return func(ctx context.Context, query string, row func(Row) error) (err error) {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		values, into := make(Row, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return err
			}
			if err := row(values); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
