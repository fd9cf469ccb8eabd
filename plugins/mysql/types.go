package mysql

import (
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// types maps the names of types: those that the driver gives to the columns of a
// result and, in upper case and without parameters, those of information_schema.
//
// There is no boolean: BOOLEAN is TINYINT(1), which holds more than two values.
// TIME is a length of time, up to 838 hours and negative. Bits are a number.
var types = sqlkit.Types{
	"TINYINT": sdk.TypeInt64, "SMALLINT": sdk.TypeInt64, "MEDIUMINT": sdk.TypeInt64, "INT": sdk.TypeInt64, "BIGINT": sdk.TypeInt64,
	"UNSIGNED TINYINT": sdk.TypeInt64, "UNSIGNED SMALLINT": sdk.TypeInt64, "UNSIGNED MEDIUMINT": sdk.TypeInt64, "UNSIGNED INT": sdk.TypeInt64,
	"UNSIGNED BIGINT": sdk.TypeDecimal,
	"YEAR":            sdk.TypeInt64,
	"BIT":             sdk.TypeDecimal,
	"DECIMAL":         sdk.TypeDecimal,
	"FLOAT":           sdk.TypeFloat64, "DOUBLE": sdk.TypeFloat64,
	"DATE": sdk.TypeDate, "DATETIME": sdk.TypeTimestamp, "TIMESTAMP": sdk.TypeTimestampTZ, "TIME": sdk.TypeInterval,
	"CHAR": sdk.TypeText, "VARCHAR": sdk.TypeText, "TINYTEXT": sdk.TypeText, "TEXT": sdk.TypeText, "MEDIUMTEXT": sdk.TypeText, "LONGTEXT": sdk.TypeText,
	"ENUM": sdk.TypeText, "SET": sdk.TypeText, "NULL": sdk.TypeText,
	"BINARY": sdk.TypeBytes, "VARBINARY": sdk.TypeBytes, "TINYBLOB": sdk.TypeBytes, "BLOB": sdk.TypeBytes, "MEDIUMBLOB": sdk.TypeBytes, "LONGBLOB": sdk.TypeBytes,
	"JSON":     sdk.TypeJSON,
	"GEOMETRY": sdk.TypeGeoWKT, "POINT": sdk.TypeGeoWKT, "LINESTRING": sdk.TypeGeoWKT, "POLYGON": sdk.TypeGeoWKT, "GEOMETRYCOLLECTION": sdk.TypeGeoWKT,
	"MULTIPOINT": sdk.TypeGeoWKT, "MULTILINESTRING": sdk.TypeGeoWKT, "MULTIPOLYGON": sdk.TypeGeoWKT, "GEOMCOLLECTION": sdk.TypeGeoWKT,
	"UUID": sdk.TypeText, "INET4": sdk.TypeText, "INET6": sdk.TypeText, // as a result has them: its metadata does not tell them from CHAR
}

// typeOf maps a column type of information_schema: "bigint(20) unsigned zerofill".
func (s server) typeOf(native string) sdk.Type {
	name, rest, _ := strings.Cut(strings.ToUpper(native), " ")
	switch {
	case strings.HasPrefix(name, "BIGINT") && strings.Contains(rest, "UNSIGNED"):
		return sdk.TypeDecimal
	case strings.HasPrefix(name, "VECTOR") && s.mariaDB:
		return sdk.TypeBytes
	case strings.HasPrefix(name, "VECTOR"):
		return sdk.TypeNestedJSON
	case strings.HasPrefix(name, "ENUM"), strings.HasPrefix(name, "SET("):
		return sdk.TypeText // their values may have anything in them
	}
	return types.Of(name)
}
