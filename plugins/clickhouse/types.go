package clickhouse

import (
	"strings"

	"github.com/loam-data/loam/sdk"
)

// logical maps the names of types without parameters that matter.
var logical = map[string]sdk.Type{
	"Bool": sdk.TypeBool,
	"Int8": sdk.TypeInt64, "Int16": sdk.TypeInt64, "Int32": sdk.TypeInt64, "Int64": sdk.TypeInt64,
	"UInt8": sdk.TypeInt64, "UInt16": sdk.TypeInt64, "UInt32": sdk.TypeInt64,
	"UInt64": sdk.TypeDecimal, "Int128": sdk.TypeDecimal, "UInt128": sdk.TypeDecimal,
	"Int256": sdk.TypeDecimal, "UInt256": sdk.TypeDecimal, "Decimal": sdk.TypeDecimal,
	"Float32": sdk.TypeFloat64, "Float64": sdk.TypeFloat64, "BFloat16": sdk.TypeFloat64,
	"Date": sdk.TypeDate, "Date32": sdk.TypeDate, "DateTime": sdk.TypeTimestampTZ,
	"UUID": sdk.TypeUUID, "JSON": sdk.TypeJSON,
	"Array": sdk.TypeNestedJSON, "Map": sdk.TypeNestedJSON, "Tuple": sdk.TypeNestedJSON, "Nested": sdk.TypeNestedJSON,
	"Variant": sdk.TypeNestedJSON, "Dynamic": sdk.TypeNestedJSON,
	"Point": sdk.TypeGeoWKT, "Ring": sdk.TypeGeoWKT, "LineString": sdk.TypeGeoWKT, "MultiLineString": sdk.TypeGeoWKT,
	"Polygon": sdk.TypeGeoWKT, "MultiPolygon": sdk.TypeGeoWKT, "Geometry": sdk.TypeGeoWKT,
}

// microDigits is the precision of a DateTime64 in microseconds.
const microDigits = 6

// logicalType returns the type of a column. What is not in the table is text:
// String, FixedString, enumerations and addresses.
func logicalType(t *typeName) sdk.Type {
	t = t.plain()
	switch {
	case t.name == "DateTime64":
		return sdk.TypeTimestampTZ
	case strings.HasPrefix(t.name, "Interval"), t.name == "Time", t.name == "Time64": // longer than a day, or negative
		return sdk.TypeInterval
	}
	if found, ok := logical[t.name]; ok {
		return found
	}
	return sdk.TypeText
}

// describe returns a column of a native type.
func describe(name, native string) (sdk.Column, error) {
	t, err := parseType(native)
	if err != nil {
		return sdk.Column{}, err
	}
	c := sdk.Column{Name: name, NativeType: native, Type: logicalType(&t), Nullable: t.nullable()}
	if c.Type == sdk.TypeDecimal {
		c.Precision, c.Scale = precision(t.plain())
	}
	if p := t.plain(); p.name == "DateTime64" && p.int(0) > microDigits {
		c.TimeDigits = p.int(0)
	}
	return c, nil
}

// digits are those of the widest number of an integer type.
var digits = map[string]int{"UInt64": 20, "Int128": 39, "UInt128": 39, "Int256": 77, "UInt256": 78}

func precision(t *typeName) (precision, scale int) {
	if t.name == "Decimal" {
		return t.int(0), t.int(1)
	}
	return digits[t.name], 0
}
