package sqlserver

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// types maps the names of types, those of the catalogue and those that the driver
// gives to the columns of a result. A TIMESTAMP is no time but a ROWVERSION.
var types = sqlkit.Types{
	"BIT": sdk.TypeBool, "TINYINT": sdk.TypeInt64, "SMALLINT": sdk.TypeInt64, "INT": sdk.TypeInt64, "BIGINT": sdk.TypeInt64,
	"REAL": sdk.TypeFloat64, "FLOAT": sdk.TypeFloat64,
	"DECIMAL": sdk.TypeDecimal, "NUMERIC": sdk.TypeDecimal, "MONEY": sdk.TypeDecimal, "SMALLMONEY": sdk.TypeDecimal,
	"DATE": sdk.TypeDate, "TIME": sdk.TypeTime, "DATETIME": sdk.TypeTimestamp, "SMALLDATETIME": sdk.TypeTimestamp, "DATETIME2": sdk.TypeTimestamp,
	"DATETIMEOFFSET": sdk.TypeTimestampTZ, "UNIQUEIDENTIFIER": sdk.TypeUUID,
	"BINARY": sdk.TypeBytes, "VARBINARY": sdk.TypeBytes, "IMAGE": sdk.TypeBytes, "TIMESTAMP": sdk.TypeBytes, "ROWVERSION": sdk.TypeBytes,
	"GEOGRAPHY": sdk.TypeBytes, "GEOMETRY": sdk.TypeBytes, "HIERARCHYID": sdk.TypeBytes,
}

// asText is the method of a type of an assembly that gives its text.
var asText = map[string]string{"GEOGRAPHY": "STAsText", "GEOMETRY": "STAsText", "HIERARCHYID": "ToString"}

// finish completes a column of the catalogue.
func finish(c *sdk.Column) {
	name, _, _ := strings.Cut(strings.ToUpper(c.NativeType), "(")
	switch name {
	case "MONEY":
		c.Precision, c.Scale = 19, 4
	case "SMALLMONEY":
		c.Precision, c.Scale = 10, 4
	}
	if method := asText[name]; method != "" {
		if c.Properties == nil {
			c.Properties = map[string]string{}
		}
		c.Properties["as_text"] = method + "()"
	}
}

// resultColumn describes a column of a driver's result.
func resultColumn(rows driver.Rows, i int, name string) sdk.Column {
	described := rows.(*mssql.Rows)
	native := described.ColumnTypeDatabaseTypeName(i)
	precision, scale, sized := described.ColumnTypePrecisionScale(i)
	switch {
	case sized && native == "DECIMAL":
		native = fmt.Sprintf("decimal(%d,%d)", precision, scale)
	case sized:
		native = fmt.Sprintf("%s(%d)", strings.ToLower(native), scale)
	default:
		native = strings.ToLower(native)
	}
	c := types.Column(name, native)
	c.Nullable, _ = described.ColumnTypeNullable(i)
	finish(&c)
	return c
}

// copyRows writes a result.
func copyRows(ctx context.Context, rows driver.Rows, w *sdk.RowWriter) error {
	names := rows.Columns()
	columns := make([]sdk.Column, len(names))
	for i, name := range names {
		c := resultColumn(rows, i, name)
		if method := c.Properties["as_text"]; method != "" {
			w.Notice(sdk.Warning{Object: name, Message: fmt.Sprintf("column %q comes in the server's own bytes: select its %s for text", name, method)})
		}
		if c.NativeType == variant {
			w.Notice(sdk.Warning{Object: name, Message: fmt.Sprintf("column %q has values of any type (%s): they come as text", name, variant)})
		}
		columns[i] = c
	}
	err := sqlkit.Write(ctx, rows, columns, w, func(i int, v driver.Value) error {
		raw, isRaw := v.([]byte)
		single, isFloat := v.(float64)
		switch native := columns[i].NativeType; {
		case isRaw && native == "uniqueidentifier" && len(raw) == 16:
			w.Text(fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]))
		case isRaw && native == variant:
			return mixed(names[i])
		case isFloat && native == "real":
			w.Value(shortest(single))
		default:
			w.Value(v)
		}
		return nil
	})
	if more, ok := rows.(driver.RowsNextResultSet); err == nil && ok && more.HasNextResultSet() {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the statement has a second result").WithHint("send one SELECT statement")
	}
	return err
}

// shortest gives a single-precision number the double that reads the same: 0.1,
// not 0.10000000149011612.
func shortest(f float64) float64 {
	wide, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	if err != nil {
		return f
	}
	return wide
}

const variant = "sql_variant"

// mixed refuses a value of a column with values of any type: the driver gives
// numbers, bytes and identifiers alike.
func mixed(column string) error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "column %q has values of any type (sql_variant), and one of them may be a number or bytes", column).
		WithHint("cast it: CAST(%s AS nvarchar(4000))", quote(column))
}
