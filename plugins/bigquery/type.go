package bigquery

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// types of BigQuery, by the names of its SQL.
var types = map[string]sdk.Type{
	"BOOL": sdk.TypeBool, "INT64": sdk.TypeInt64, "FLOAT64": sdk.TypeFloat64, "NUMERIC": sdk.TypeDecimal, "BIGNUMERIC": sdk.TypeDecimal,
	"STRING": sdk.TypeText, "BYTES": sdk.TypeBytes, "DATE": sdk.TypeDate, "TIME": sdk.TypeTime, "DATETIME": sdk.TypeTimestamp,
	"TIMESTAMP": sdk.TypeTimestampTZ, "JSON": sdk.TypeJSON, "INTERVAL": sdk.TypeInterval, "GEOGRAPHY": sdk.TypeGeoWKT,
	"STRUCT": sdk.TypeNestedJSON, "ARRAY": sdk.TypeNestedJSON, // RANGE is text
}

// typeOf returns the logical type of a native one, such as "ARRAY<INT64>".
func typeOf(native string) sdk.Type {
	name, _ := base(native)
	if t, ok := types[name]; ok {
		return t
	}
	return sdk.TypeText
}

// base splits a type where its parameters begin.
func base(native string) (name, parameters string) {
	if i := strings.IndexAny(native, "<( "); i >= 0 {
		return native[:i], native[i:]
	}
	return native, ""
}

// describe returns the column of a native type, with the fields of its records.
func describe(name, native string) sdk.Column {
	c := sdk.Column{Name: name, NativeType: native, Type: typeOf(native), Nullable: true}
	element, array := inside(native, "ARRAY<")
	if array {
		c.Repeated, c.Nullable = true, false // an array is empty, never NULL
	}
	if c.Type == sdk.TypeDecimal {
		_, parameters := base(native)
		_, _ = fmt.Sscanf(parameters, "(%d, %d)", &c.Precision, &c.Scale) // as many as there are
	}
	record, ok := inside(element, "STRUCT<")
	if !ok {
		if array {
			c.Fields = []sdk.Column{describe("", element)}
		}
		return c
	}
	for _, field := range split(record) {
		field, end := strings.TrimSpace(field), " "
		if rest, quoted := strings.CutPrefix(field, "`"); quoted {
			field, end = rest, "` "
		}
		name, native, _ := strings.Cut(field, end)
		c.Fields = append(c.Fields, describe(name, native))
	}
	return c
}

// inside returns what stands between an opening and the > at the end.
func inside(native, opening string) (string, bool) {
	if rest, ok := strings.CutPrefix(native, opening); ok {
		return strings.TrimSuffix(rest, ">"), true
	}
	return native, false
}

// split cuts the fields of a record apart.
func split(record string) (fields []string) {
	depth, start := 0, 0
	for i, r := range record {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				fields, start = append(fields, record[start:i]), i+1
			}
		}
	}
	return append(fields, record[start:])
}

// comment sets the comments of the fields below a column, by their paths.
func comment(fields []sdk.Column, path string, comments map[string]string) {
	for i := range fields {
		f := &fields[i]
		below := path + "." + f.Name
		f.Comment = comments[below]
		comment(f.Fields, below, comments)
	}
}
