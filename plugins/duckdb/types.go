//go:build cgo

package duckdb

import (
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// scalarTypes are the types whose values hold nothing else.
var scalarTypes = map[engine.ID]sdk.Type{
	duck.TypeBoolean: sdk.TypeBool,
	duck.TypeTinyInt: sdk.TypeInt64, duck.TypeSmallInt: sdk.TypeInt64, duck.TypeInteger: sdk.TypeInt64, duck.TypeBigInt: sdk.TypeInt64,
	duck.TypeUTinyInt: sdk.TypeInt64, duck.TypeUSmallInt: sdk.TypeInt64, duck.TypeUInteger: sdk.TypeInt64,
	duck.TypeUBigInt: sdk.TypeDecimal, duck.TypeHugeInt: sdk.TypeDecimal, duck.TypeUHugeInt: sdk.TypeDecimal, duck.TypeBigNum: sdk.TypeDecimal,
	duck.TypeDecimal: sdk.TypeDecimal, duck.TypeFloat: sdk.TypeFloat64, duck.TypeDouble: sdk.TypeFloat64,
	duck.TypeVarchar: sdk.TypeText, duck.TypeBit: sdk.TypeText, duck.TypeEnum: sdk.TypeText, duck.TypeSQLNull: sdk.TypeText,
	duck.TypeBlob: sdk.TypeBytes, duck.TypeUUID: sdk.TypeUUID, duck.TypeInterval: sdk.TypeInterval,
	duck.TypeDate: sdk.TypeDate, duck.TypeTime: sdk.TypeTime, duck.TypeTimeTZ: sdk.TypeText, duck.TypeTimeNS: sdk.TypeTime,
	duck.TypeTimestamp: sdk.TypeTimestamp, duck.TypeTimestampS: sdk.TypeTimestamp, duck.TypeTimestampMS: sdk.TypeTimestamp,
	duck.TypeTimestampNS: sdk.TypeTimestamp, duck.TypeTimestampTZ: sdk.TypeTimestampTZ,
}

// column describes a column of a result.
func column(c engine.Column) sdk.Column {
	out := sdk.Column{Name: c.Name, Type: logicalType(c.Type), NativeType: c.Type.String(), Nullable: true}
	if c.Type.ID == duck.TypeDecimal {
		out.Precision, out.Scale = c.Type.Width, c.Type.Scale
	}
	out.TimeDigits = timeDigits(out.NativeType)
	return out
}

// timeDigits returns sdk.Column.TimeDigits of a type by its name.
func timeDigits(native string) int {
	if native == "TIMESTAMP_NS" || native == "TIME_NS" {
		return 9
	}
	return 0
}

func logicalType(t *engine.Type) sdk.Type {
	switch t.ID {
	case duck.TypeVarchar:
		if t.Alias == "JSON" {
			return sdk.TypeJSON
		}
		return sdk.TypeText
	case duck.TypeList, duck.TypeArray, duck.TypeMap, duck.TypeStruct, duck.TypeUnion:
		if !reads(t) {
			return sdk.TypeText
		}
		return sdk.TypeNestedJSON
	case duck.TypeVariant:
		return sdk.TypeJSON
	case duck.TypeGeometry:
		return sdk.TypeGeoWKT
	}
	if found, ok := scalarTypes[t.ID]; ok {
		return found
	}
	return sdk.TypeText
}

// catalogTypes are the names of types as duckdb_columns() writes them, without
// what stands in parentheses.
var catalogTypes = sqlkit.Types{
	"BOOLEAN": sdk.TypeBool,
	"TINYINT": sdk.TypeInt64, "SMALLINT": sdk.TypeInt64, "INTEGER": sdk.TypeInt64, "BIGINT": sdk.TypeInt64,
	"UTINYINT": sdk.TypeInt64, "USMALLINT": sdk.TypeInt64, "UINTEGER": sdk.TypeInt64,
	"UBIGINT": sdk.TypeDecimal, "HUGEINT": sdk.TypeDecimal, "UHUGEINT": sdk.TypeDecimal, "BIGNUM": sdk.TypeDecimal,
	"DECIMAL": sdk.TypeDecimal, "FLOAT": sdk.TypeFloat64, "DOUBLE": sdk.TypeFloat64,
	"BLOB": sdk.TypeBytes, "UUID": sdk.TypeUUID, "INTERVAL": sdk.TypeInterval,
	"DATE": sdk.TypeDate, "TIME": sdk.TypeTime, "TIMESTAMP": sdk.TypeTimestamp, "TIMESTAMP_S": sdk.TypeTimestamp, "TIMESTAMP_MS": sdk.TypeTimestamp,
	"TIMESTAMP_NS": sdk.TypeTimestamp, "TIME_NS": sdk.TypeTime,
	"TIMESTAMP WITH TIME ZONE": sdk.TypeTimestampTZ, "JSON": sdk.TypeJSON, "VARIANT": sdk.TypeJSON, "GEOMETRY": sdk.TypeGeoWKT,
}

// declared returns the logical type of a column of the catalogue.
func declared(native string) sdk.Type {
	before, _, inside := strings.Cut(native, "(")
	nested := strings.HasSuffix(native, "]") || inside && (before == "STRUCT" || before == "MAP" || before == "UNION")
	switch {
	case nested && (strings.Contains(native, "VARIANT") || strings.Contains(native, "GEOMETRY")):
		return sdk.TypeText
	case nested:
		return sdk.TypeNestedJSON
	default:
		return catalogTypes.Of(native)
	}
}
