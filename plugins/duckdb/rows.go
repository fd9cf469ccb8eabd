//go:build cgo

package duckdb

import (
	"context"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// each runs a statement of the connector's own and passes on its rows: NULL,
// or the text that JSON results show.
func each(c *engine.Conn, sql string, row func(sqlkit.Row) error) error {
	stmt, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer stmt.Close()
	columns, err := stmt.Run()
	if err != nil {
		return err
	}
	values := make(sqlkit.Row, len(columns))
	var scratch []byte
	for {
		chunk, err := stmt.Next()
		if chunk == nil || err != nil {
			return err
		}
		for n := range chunk.Rows {
			for i := range values {
				v := chunk.Column(i)
				if values[i] = nil; !v.Null(n) {
					scratch = appendShown(scratch[:0], v, n)
					values[i] = string(scratch)
				}
			}
			if err := row(values); err != nil {
				return err
			}
		}
	}
}

// appendShown appends a row, which is not NULL, as JSON results show it, without
// quotes.
func appendShown(dst []byte, v *engine.Vector, row int) []byte {
	switch logicalType(v.Type) {
	case sdk.TypeText, sdk.TypeJSON, sdk.TypeDecimal, sdk.TypeUUID, sdk.TypeInterval, sdk.TypeInt64:
		return appendText(dst, v, row)
	default:
		dst = appendJSON(dst, v, row)
		if n := len(dst); n > 1 && dst[0] == '"' { // a time, bytes or NaN: plain ASCII
			dst = append(dst[:0], dst[1:n-1]...)
		}
		return dst
	}
}

// queries runs catalogue queries on a connection.
func queries(c *conn) sqlkit.Queries {
	return func(_ context.Context, sql string, row func(sqlkit.Row) error) error { return each(c.Conn, sql, row) }
}

// text1 returns the one value of a query.
func text1(c *engine.Conn, sql string) (value string, err error) {
	err = each(c, sql, func(r sqlkit.Row) error {
		value = r.Text(0)
		return nil
	})
	return value, err
}
