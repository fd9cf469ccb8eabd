package sdk

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxJSONInteger is the magnitude up to which every integer is exact in an IEEE
// double, and so for every JSON reader.
const MaxJSONInteger = 1 << 53

// AppendJSONInteger appends an integer as a cell of a JSON result, also inside
// a nested value: a number up to MaxJSONInteger, beyond it a string.
func AppendJSONInteger(dst []byte, n int64) []byte {
	if -MaxJSONInteger <= n && n <= MaxJSONInteger {
		return strconv.AppendInt(dst, n, 10)
	}
	return append(strconv.AppendInt(append(dst, '"'), n, 10), '"')
}

// AppendJSONFloat appends a double as a cell of a JSON result: the number of
// AppendFloat, or a string for NaN and the infinities, which JSON lacks.
func AppendJSONFloat(dst []byte, f float64) []byte {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		return AppendFloat(dst, f)
	}
	return append(AppendFloat(append(dst, '"'), f), '"')
}

// AppendJSONText appends text as a JSON string and reports whether it was valid
// UTF-8; invalid bytes are replaced by U+FFFD.
func AppendJSONText(dst, text []byte) (out []byte, valid bool) {
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
