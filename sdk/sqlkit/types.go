package sqlkit

import (
	"database/sql/driver"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Types maps an engine's type names to logical types: upper case, without the
// parameters in parentheses ("NUMERIC", "TIMESTAMP WITH TIME ZONE").
type Types map[string]sdk.Type

// Of returns the logical type of a native name ("numeric(38,10)"), TypeText for
// a name that is not in the table.
func (t Types) Of(native string) sdk.Type {
	if found, ok := t[baseName(native)]; ok {
		return found
	}
	return sdk.TypeText
}

// baseName cuts the parameters out: "timestamp(6) with time zone" is TIMESTAMP
// WITH TIME ZONE.
func baseName(native string) string {
	native = strings.ToUpper(strings.TrimSpace(native))
	if before, rest, ok := strings.Cut(native, "("); ok {
		_, after, _ := strings.Cut(rest, ")")
		native = strings.TrimSpace(before) + after
	}
	return native
}

// Column describes a column of a native type.
func (t Types) Column(name, native string) sdk.Column {
	c := sdk.Column{Name: name, Type: t.Of(native), NativeType: native, Nullable: true}
	if c.Type == sdk.TypeDecimal {
		c.Precision, c.Scale = precision(native)
		return c
	}
	digits, _ := precision(native)
	c.TimeDigits = timeDigits(c.Type, digits)
	return c
}

// timeDigits returns sdk.Column.TimeDigits of a type whose seconds have so many digits.
func timeDigits(t sdk.Type, digits int) int {
	time := sdk.Column{Type: t, TimeDigits: digits}
	if !time.Finer() || digits > 9 {
		return 0
	}
	return digits
}

// precision reads the numbers of "numeric(38,10)".
func precision(native string) (precision, scale int) {
	_, rest, _ := strings.Cut(native, "(")
	inside, _, _ := strings.Cut(rest, ")")
	first, second, _ := strings.Cut(inside, ",")
	precision, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, 0
	}
	if scale, err = strconv.Atoi(strings.TrimSpace(second)); err != nil {
		return precision, 0
	}
	return precision, scale
}

// resultColumn describes column i of a driver's result. Where the driver has no
// name for its type (an expression, say) the Go type that it gives decides; where it
// gives none, which is what some drivers have for NULL, the type is unspecified.
func (t Types) resultColumn(rows driver.Rows, i int, name string) sdk.Column {
	native := ""
	if named, ok := rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		native = named.ColumnTypeDatabaseTypeName(i)
	}
	c := t.Column(name, native)
	if _, known := t[baseName(native)]; !known {
		c.Type = sdk.TypeUnspecified
		if typed, ok := rows.(driver.RowsColumnTypeScanType); ok {
			c.Type = goType(typed.ColumnTypeScanType(i))
		}
	}
	if may, ok := rows.(driver.RowsColumnTypeNullable); ok {
		if nullable, ok := may.ColumnTypeNullable(i); ok {
			c.Nullable = nullable
		}
	}
	if sized, ok := rows.(driver.RowsColumnTypePrecisionScale); ok {
		precision, scale, ok := sized.ColumnTypePrecisionScale(i)
		switch {
		case ok && c.Type == sdk.TypeDecimal:
			c.Precision, c.Scale = int(precision), int(scale)
		case ok && c.TimeDigits == 0:
			c.TimeDigits = timeDigits(c.Type, int(scale))
		}
	}
	return c
}

func goType(t reflect.Type) sdk.Type {
	if t == nil {
		return sdk.TypeUnspecified
	}
	if t == reflect.TypeFor[time.Time]() {
		return sdk.TypeTimestampTZ
	}
	switch t.Kind() {
	case reflect.Bool:
		return sdk.TypeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return sdk.TypeInt64
	case reflect.Uint, reflect.Uint64:
		return sdk.TypeDecimal
	case reflect.Float32, reflect.Float64:
		return sdk.TypeFloat64
	case reflect.Slice:
		return sdk.TypeBytes
	default:
		return sdk.TypeText
	}
}
