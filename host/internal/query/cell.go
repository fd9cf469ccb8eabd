package query

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// maxSafeInteger is the largest magnitude up to which every integer is exact
// in an IEEE double, and so in every JSON reader.
const maxSafeInteger = 1 << 53

// cellEncoder writes the cells of a result as JSON values and counts what it
// could not write as it is. It is the one place that knows how a cell looks in
// JSON; all edges show what it writes.
type cellEncoder struct {
	badUTF8   int // text cells with bytes that are no UTF-8, replaced by U+FFFD
	badJSON   int // JSON cells that are no JSON, written as strings
	bigInJSON int // JSON cells with integers beyond maxSafeInteger, written as strings
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
		return appendInteger(dst, v.I64[row])
	case sdk.TypeFloat64:
		return appendFloat(dst, v.F64[row])
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeBytes:
		dst = v.AppendText(append(dst, '"'), t, row) // plain ASCII
		return append(dst, '"')
	case sdk.TypeJSON, sdk.TypeNestedJSON:
		return e.appendJSON(dst, v.Bytes(row))
	default:
		return e.appendText(dst, v.Bytes(row))
	}
}

func appendInteger(dst []byte, n int64) []byte {
	if -maxSafeInteger <= n && n <= maxSafeInteger {
		return strconv.AppendInt(dst, n, 10)
	}
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, '"')
}

// appendFloat writes a number, or a string for what is no number in JSON.
func appendFloat(dst []byte, f float64) []byte {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		return sdk.AppendFloat(dst, f)
	}
	return append(sdk.AppendFloat(append(dst, '"'), f), '"')
}

func (e *cellEncoder) appendText(dst, text []byte) []byte {
	dst, valid := appendString(dst, text)
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
	const safeDigits = "9007199254740992" // 1<<53
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

// appendString writes text as a JSON string and reports whether it was valid
// UTF-8; what was not is replaced by U+FFFD.
func appendString(dst, text []byte) (out []byte, valid bool) {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	valid = true
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, text[start:i]...), "\uFFFD"...)
				valid = false
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, text[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, text[start:]...), '"'), valid
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
