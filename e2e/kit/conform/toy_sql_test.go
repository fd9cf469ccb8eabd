package conform_test

import (
	"context"
	"database/sql"
	"errors"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/sdk"
)

// query runs SQL on the people in a database of the statement's own, so that a
// dialect has an engine to be right or wrong on.
func (e *toy) query(ctx context.Context, statement string, w *sdk.RowWriter) (err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "CREATE TABLE people (name TEXT, age INT)"); err != nil {
		return err
	}
	for _, row := range e.people {
		if _, err := db.ExecContext(ctx, "INSERT INTO people VALUES (?, ?)", row...); err != nil {
			return err
		}
	}
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "%w", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	var all [][]any
	for rows.Next() {
		cells, into := make([]any, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		all = append(all, cells)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return table(w, typed(names, all), all...)
}

// typed gives each column the type of its first value.
func typed(names []string, rows [][]any) []sdk.Column {
	columns := make([]sdk.Column, len(names))
	for i, name := range names {
		columns[i] = sdk.Column{Name: name, Type: sdk.TypeText}
		for _, row := range rows {
			switch row[i].(type) {
			case nil:
				continue
			case int64:
				columns[i].Type = sdk.TypeInt64
			case float64:
				columns[i].Type = sdk.TypeFloat64
			case []byte:
				columns[i].Type = sdk.TypeBytes
			}
			break
		}
	}
	return columns
}
