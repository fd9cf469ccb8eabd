//go:build cgo

package sqlserver

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// told is the type that a client is told of a column of DuckDB, where nothing
// says more of it.
// Errors: types that SQL Server has not.
func told(duck string) (tds.Type, error) {
	switch duck {
	case "BOOLEAN":
		return tds.ParseType("bit")
	case "UTINYINT":
		return tds.ParseType("tinyint")
	case "TINYINT", "SMALLINT":
		return tds.ParseType("smallint")
	case "USMALLINT", "INTEGER", "NULL", "SQLNULL", `"NULL"`:
		return tds.ParseType("int")
	case "UINTEGER", "BIGINT", "HUGEINT":
		return tds.ParseType("bigint")
	case "FLOAT":
		return tds.ParseType("real")
	case "DOUBLE":
		return tds.ParseType("float")
	case "VARCHAR":
		return tds.ParseType("nvarchar(max)")
	case "BLOB":
		return tds.ParseType("varbinary(max)")
	case "DATE":
		return tds.ParseType("date")
	case "TIME":
		return tds.ParseType("time(6)")
	case "TIMESTAMP":
		return tds.ParseType("datetime2(6)")
	case "TIMESTAMP_NS":
		return tds.ParseType("datetime2(7)")
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return tds.ParseType("datetimeoffset(6)")
	case "UUID":
		return tds.ParseType("uniqueidentifier")
	}
	if strings.HasPrefix(duck, "DECIMAL") {
		return tds.ParseType(strings.ToLower(duck))
	}
	return tds.Type{}, missing(1, "type for a column of %s", duck)
}

// answer sends the rows of a query.
func answer(a *tds.Answer, rows *sql.Rows, columns []tds.Column) error {
	a.Columns(columns...)
	into, values := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	row := make([]any, len(columns))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range values {
			var err error
			if row[i], err = cell(v, columns[i].Type); err != nil {
				return err
			}
		}
		if err := a.Row(row...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// cell turns a value of DuckDB into one of a type.
func cell(value any, t tds.Type) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case bool:
		if t.Name == "bit" {
			return v, nil
		}
		return cell(map[bool]int64{true: 1}[v], t)
	case int8:
		return cell(int64(v), t)
	case int16:
		return cell(int64(v), t)
	case int32:
		return cell(int64(v), t)
	case uint8:
		return cell(int64(v), t)
	case uint16:
		return cell(int64(v), t)
	case uint32:
		return cell(int64(v), t)
	case uint64:
		return cell(new(big.Int).SetUint64(v), t)
	case int64:
		return integer(big.NewInt(v), t)
	case *big.Int:
		return integer(v, t)
	case float32:
		return float64(v), nil
	case float64:
		if t.Name != "float" && t.Name != "real" {
			return nil, missing(1, "%s of a float", t)
		}
		return v, nil
	case duckdb.Decimal:
		return decimal(v), nil
	case string:
		if t.Name == "char" || t.Name == "nchar" {
			return v + strings.Repeat(" ", max(t.Length-utf8.RuneCountInString(v), 0)), nil
		}
		return v, nil
	case []byte:
		if t.Name == "uniqueidentifier" && len(v) == 16 {
			return fmt.Sprintf("%X-%X-%X-%X-%X", v[:4], v[4:6], v[6:8], v[8:10], v[10:]), nil
		}
		return v, nil
	case duckdb.UUID:
		return strings.ToUpper(v.String()), nil
	case time.Time:
		switch t.Name {
		case "datetime2", "datetimeoffset", "time":
			return v.Round(time.Duration(math.Pow10(9 - t.Scale))), nil
		case "smalldatetime":
			return v.Round(time.Minute), nil
		}
		return v, nil
	}
	return nil, missing(1, "value of type %T", value)
}

// integer refuses a number that its type does not hold.
func integer(v *big.Int, t tds.Type) (any, error) {
	if bits := map[string]int{"tinyint": 8, "smallint": 15, "int": 31, "bigint": 63}[t.Name]; bits > 0 {
		magnitude := v
		if v.Sign() < 0 {
			magnitude = new(big.Int).Not(v)
		}
		if magnitude.BitLen() > bits || t.Name == "tinyint" && v.Sign() < 0 {
			return nil, &tds.Error{Number: 8115, Class: 16, State: 2, Message: "Arithmetic overflow error converting expression to data type " + t.Name + "."}
		}
		return v.Int64(), nil
	}
	return v.String(), nil
}

// decimal writes a number with the digits of its scale.
func decimal(d duckdb.Decimal) string {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)
	return new(big.Rat).SetFrac(d.Value, ten).FloatString(int(d.Scale))
}
