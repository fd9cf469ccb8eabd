package query

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// cellEncoder writes the cells of a result as JSON values and counts what it
// could not write as it is. It is the one place that knows how a cell looks in
// JSON; all edges show what it writes.
type cellEncoder struct {
	badUTF8   int // text cells with bytes that are no UTF-8, replaced by U+FFFD
	badJSON   int // JSON cells that are no JSON, written as strings
	bigInJSON int // JSON cells with integers beyond sdk.MaxJSONInteger, written as strings
}

// append writes one cell of a vector at the end of dst.
func (e *cellEncoder) append(dst []byte, t sdk.Type, v *sdk.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, "null"...)
	}
	switch t {
	case sdk.TypeBool:
		return strconv.AppendBool(dst, v.Bool(row))
	case sdk.TypeInt64:
		return sdk.AppendJSONInteger(dst, v.I64[row])
	case sdk.TypeFloat64:
		return sdk.AppendJSONFloat(dst, v.F64[row])
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeBytes:
		dst = v.AppendText(append(dst, '"'), t, row) // plain ASCII
		return append(dst, '"')
	case sdk.TypeJSON, sdk.TypeNestedJSON:
		return e.appendJSON(dst, v.Bytes(row))
	default:
		return e.appendText(dst, v.Bytes(row))
	}
}

func (e *cellEncoder) appendText(dst, text []byte) []byte {
	dst, valid := sdk.AppendJSONText(dst, text)
	if !valid {
		e.badUTF8++
	}
	return dst
}

// appendJSON writes a JSON document without the white space between its
// tokens: one row is one line in every transport.
func (e *cellEncoder) appendJSON(dst, text []byte) []byte {
	if !json.Valid(text) {
		e.badJSON++
		return e.appendText(dst, text)
	}
	valid, big := true, false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '"':
			end := stringEnd(text, i)
			if utf8.Valid(text[i:end]) {
				dst = append(dst, text[i:end]...)
			} else {
				dst, valid = appendUTF8(dst, text[i:end]), false
			}
			i = end
		case c == '-' || '0' <= c && c <= '9':
			end := numberEnd(text, i)
			if unsafeInteger(text[i:end]) {
				dst = append(append(append(dst, '"'), text[i:end]...), '"')
				big = true
			} else {
				dst = append(dst, text[i:end]...)
			}
			i = end
		default:
			dst = append(dst, c)
			i++
		}
	}
	if !valid {
		e.badUTF8++
	}
	if big {
		e.bigInJSON++
	}
	return dst
}

// stringEnd returns the index behind the string of a valid document that
// starts at i.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func numberEnd(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '.', 'e', 'E':
			i++
		default:
			return i
		}
	}
	return i
}

// unsafeInteger reports whether a JSON number is an integer without fraction
// and exponent that a double may not hold.
func unsafeInteger(number []byte) bool {
	const safeDigits = "9007199254740992" // sdk.MaxJSONInteger
	if number[0] == '-' {
		number = number[1:]
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return false
		}
	}
	if len(number) != len(safeDigits) {
		return len(number) > len(safeDigits)
	}
	return string(number) > safeDigits
}

// appendUTF8 copies text with every byte that is no UTF-8 replaced.
func appendUTF8(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
