package snowflake

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// format is a type of the service: its word, and what goes with it.
type format struct {
	word             string
	precision, scale int
	length           int64
}

// words maps types to logical ones, by the words that results and catalogues have
// for them. A NUMBER is decided by its digits.
//
// A timestamp with an offset is an instant: the offset is lost. A DECFLOAT is text,
// as the exponent of one goes up to 16384.
var words = map[string]sdk.Type{
	"REAL": sdk.TypeFloat64, "FLOAT": sdk.TypeFloat64, "BOOLEAN": sdk.TypeBool,
	"BINARY": sdk.TypeBytes,
	"DATE":   sdk.TypeDate, "TIME": sdk.TypeTime,
	"TIMESTAMP_NTZ": sdk.TypeTimestamp, "TIMESTAMP_LTZ": sdk.TypeTimestampTZ, "TIMESTAMP_TZ": sdk.TypeTimestampTZ,
	"VARIANT": sdk.TypeJSON, "OBJECT": sdk.TypeNestedJSON, "ARRAY": sdk.TypeNestedJSON, "MAP": sdk.TypeNestedJSON, "VECTOR": sdk.TypeNestedJSON,
	"GEOGRAPHY": sdk.TypeGeoWKT, "GEOMETRY": sdk.TypeGeoWKT,
}

// integerDigits are those of the widest NUMBER that an int64 always holds.
const integerDigits = 18

func (f *format) number() bool { return f.word == "FIXED" || f.word == "NUMBER" }

func (f *format) time() bool {
	t := words[f.word]
	return t == sdk.TypeTime || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ
}

func (f *format) logical() sdk.Type {
	switch t, known := words[f.word]; {
	case f.number() && f.scale == 0 && f.precision <= integerDigits:
		return sdk.TypeInt64
	case f.number():
		return sdk.TypeDecimal
	case known:
		return t
	default:
		return sdk.TypeText
	}
}

// column describes a column by the name that Snowflake itself has for its type.
func (f *format) column(name string) sdk.Column {
	c := sdk.Column{Name: name, Type: f.logical(), NativeType: f.word}
	switch {
	case f.number():
		c.NativeType = fmt.Sprintf("NUMBER(%d,%d)", f.precision, f.scale)
	case f.word == "TEXT" && f.length > 0:
		c.NativeType = fmt.Sprintf("VARCHAR(%d)", f.length)
	case f.word == "TEXT":
		c.NativeType = "VARCHAR"
	case f.word == "BINARY" && f.length > 0:
		c.NativeType = fmt.Sprintf("BINARY(%d)", f.length)
	case f.word == "REAL":
		c.NativeType = "FLOAT"
	case f.time():
		c.NativeType = fmt.Sprintf("%s(%d)", f.word, f.scale)
		c.TimeDigits = timeDigits(f.scale)
	}
	if c.Type == sdk.TypeDecimal {
		c.Precision, c.Scale = f.precision, f.scale
	}
	return c
}

// timeDigits are told where microseconds do not hold them.
func timeDigits(scale int) int {
	if scale <= microDigits {
		return 0
	}
	return scale
}

const microDigits = 6

// formatOf reads a type as typeSQL writes it: "NUMBER(38,0)", "TIME(9)". A time without
// digits, as FIELDS has it, has as many as the service's default.
func formatOf(native string) format {
	word, rest, _ := strings.Cut(native, "(")
	first, second, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	f := format{word: strings.ToUpper(word)}
	a, _ := strconv.Atoi(first) // none = 0
	b, _ := strconv.Atoi(second)
	switch {
	case f.number():
		f.precision, f.scale = a, b
	case f.word == "VARCHAR":
		f.word, f.length = "TEXT", int64(a)
	case f.word == "BINARY":
		f.length = int64(a)
	case first == "" && f.time():
		f.scale = nanoDigits
	default:
		f.scale = a
	}
	return f
}
