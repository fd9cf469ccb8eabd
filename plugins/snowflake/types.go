package snowflake

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// types maps types by the names that the catalogue has for them. A NUMBER is decided by
// its digits.
//
// A timestamp with an offset is an instant: the offset is lost. A DECFLOAT is text,
// as the exponent of one goes up to 16384.
var types = sqlkit.Types{
	"NUMBER": sdk.TypeDecimal, "FLOAT": sdk.TypeFloat64, "BOOLEAN": sdk.TypeBool,
	"BINARY": sdk.TypeBytes,
	"DATE":   sdk.TypeDate, "TIME": sdk.TypeTime,
	"TIMESTAMP_NTZ": sdk.TypeTimestamp, "TIMESTAMP_LTZ": sdk.TypeTimestampTZ, "TIMESTAMP_TZ": sdk.TypeTimestampTZ,
	"VARIANT": sdk.TypeJSON, "OBJECT": sdk.TypeNestedJSON, "ARRAY": sdk.TypeNestedJSON, "MAP": sdk.TypeNestedJSON, "VECTOR": sdk.TypeNestedJSON,
	"GEOGRAPHY": sdk.TypeGeoWKT, "GEOMETRY": sdk.TypeGeoWKT,
}

// integerDigits are those of the widest NUMBER that an int64 always holds.
const integerDigits = 18

// columnOf describes a column of a native type, as typeSQL writes it: "NUMBER(38,0)",
// "TIME(9)". A time without digits, as FIELDS has it, has as many as the service's default.
func columnOf(name, native string) sdk.Column {
	if isTime(native) && !strings.Contains(native, "(") {
		native += fmt.Sprintf("(%d)", nanoDigits)
	}
	c := types.Column(name, native)
	if c.Type == sdk.TypeDecimal && c.Scale == 0 && c.Precision <= integerDigits {
		c.Type, c.Precision = sdk.TypeInt64, 0
	}
	return c
}

func isTime(native string) bool {
	t := types.Of(native)
	return t == sdk.TypeTime || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ
}

// nativeOf writes the type of a result's column as the catalogue has it.
func nativeOf(word string, precision, scale, length int64) string {
	switch word = strings.ToUpper(word); {
	case word == "FIXED":
		return fmt.Sprintf("NUMBER(%d,%d)", precision, scale)
	case word == "REAL":
		return "FLOAT"
	case isTime(word):
		return fmt.Sprintf("%s(%d)", word, scale)
	case word != "TEXT" && word != "BINARY":
		return word
	default:
		word = strings.Replace(word, "TEXT", "VARCHAR", 1)
		if length > 0 {
			word += fmt.Sprintf("(%d)", length)
		}
		return word
	}
}
