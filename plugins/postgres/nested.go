package postgres

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// errShape is a text that is not of the form its type's output function writes:
// the type was changed after it was looked up.
func errShape() *sdk.Error {
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceWarehouse, "a type of the result was changed while it was read").
		WithHint("run the statement again")
	e.Retry = true
	return e
}

// json appends the JSON form of a value's text. The cells of arrays, records and
// ranges follow the rules of a result's cells: integers beyond ±2^53, decimals,
// NaN and infinities are strings, times are ISO 8601, bytes base64.
// Source: array_out, record_out, range_out and multirange_out.
func (s *shape) json(dst, text []byte) ([]byte, error) {
	switch s.kind {
	case shapeBool:
		return strconv.AppendBool(dst, len(text) > 0 && text[0] == 't'), nil
	case shapeInt:
		return appendInteger(dst, text), nil
	case shapeFloat:
		return appendFloat(dst, text), nil
	case shapeJSON:
		return appendCompact(dst, text)
	case shapeBytes:
		return appendBase64(dst, text)
	case shapeTime:
		return appendTime(dst, text), nil
	case shapeArray:
		return s.array(dst, text)
	case shapeRecord:
		return s.record(dst, text)
	case shapeRange:
		return s.rangeValue(dst, text)
	case shapeMultirange:
		return s.multirange(dst, text)
	default:
		return appendString(dst, text), nil
	}
}

// array reads {…}, with the lower bounds "[2:3]=" in front of some.
func (s *shape) array(dst, text []byte) ([]byte, error) {
	if len(text) > 0 && text[0] == '[' {
		_, text, _ = bytes.Cut(text, []byte{'='})
	}
	dst, rest, err := s.dimension(dst, text)
	if err == nil && len(rest) > 0 {
		return nil, errShape()
	}
	return dst, err
}

// dimension reads one pair of braces and returns what follows.
func (s *shape) dimension(dst, text []byte) (out, rest []byte, err error) {
	if len(text) < 2 || text[0] != '{' {
		return nil, nil, errShape()
	}
	dst = append(dst, '[')
	if text[1] == '}' {
		return append(dst, ']'), text[2:], nil
	}
	for {
		text = text[1:] // the brace or the delimiter
		if len(text) == 0 {
			return nil, nil, errShape()
		}
		switch text[0] {
		case '{':
			dst, text, err = s.dimension(dst, text)
		case '"':
			var value []byte
			if value, text, err = unquote(text); err == nil {
				dst, err = s.elem.json(dst, value)
			}
		default:
			end := bytes.IndexAny(text, string([]byte{s.delim, '}'}))
			if end < 0 {
				return nil, nil, errShape()
			}
			if bytes.Equal(text[:end], []byte("NULL")) {
				dst = append(dst, "null"...)
			} else {
				dst, err = s.elem.json(dst, text[:end])
			}
			text = text[end:]
		}
		switch {
		case err != nil:
			return nil, nil, err
		case len(text) > 0 && text[0] == '}':
			return append(dst, ']'), text[1:], nil
		case len(text) > 0 && text[0] == s.delim:
			dst = append(dst, ',')
		default:
			return nil, nil, errShape()
		}
	}
}

// record reads (a,"b",…); nothing between two commas is NULL.
func (s *shape) record(dst, text []byte) ([]byte, error) {
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return nil, errShape()
	}
	text = text[1 : len(text)-1]
	dst = append(dst, '{')
	for i, f := range s.fields {
		if i > 0 {
			if len(text) == 0 || text[0] != ',' {
				return nil, errShape()
			}
			text = text[1:]
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, []byte(f.name)), ':')
		var value []byte
		var null bool
		var err error
		if value, text, null, err = bound(text, ","); err != nil {
			return nil, err
		}
		if null {
			dst = append(dst, "null"...)
		} else if dst, err = f.shape.json(dst, value); err != nil {
			return nil, err
		}
	}
	if len(text) > 0 {
		return nil, errShape()
	}
	return append(dst, '}'), nil
}

// rangeValue reads [a,b), (,b] or empty, into {"lower":…,"upper":…,"bounds":"[)"};
// an open end is null.
func (s *shape) rangeValue(dst, text []byte) ([]byte, error) {
	if bytes.Equal(text, []byte("empty")) {
		return append(dst, `{"empty":true}`...), nil
	}
	if len(text) < 3 {
		return nil, errShape()
	}
	open, shut := text[0], text[len(text)-1]
	text = text[1 : len(text)-1]
	for i, name := range []string{`{"lower":`, `,"upper":`} {
		if i > 0 {
			if len(text) == 0 || text[0] != ',' {
				return nil, errShape()
			}
			text = text[1:]
		}
		value, rest, infinite, err := bound(text, ",")
		if err != nil {
			return nil, err
		}
		text = rest
		dst = append(dst, name...)
		if infinite {
			dst = append(dst, "null"...)
		} else if dst, err = s.elem.json(dst, value); err != nil {
			return nil, err
		}
	}
	if len(text) > 0 {
		return nil, errShape()
	}
	return append(dst, `,"bounds":"`+string([]byte{open, shut})+`"}`...), nil
}

// multirange reads {[a,b),[c,d)}.
func (s *shape) multirange(dst, text []byte) ([]byte, error) {
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, errShape()
	}
	text = text[1 : len(text)-1]
	dst = append(dst, '[')
	for first := true; len(text) > 0; first = false {
		if !first {
			dst, text = append(dst, ','), text[1:]
		}
		end, quoted := 0, false
		for end < len(text) && (quoted || text[end] != ')' && text[end] != ']') {
			quoted = quoted != (text[end] == '"') // a doubled quote closes and opens
			end++
		}
		if end == len(text) {
			return nil, errShape()
		}
		var err error
		if dst, err = s.elem.json(dst, text[:end+1]); err != nil {
			return nil, err
		}
		text = text[end+1:]
	}
	return append(dst, ']'), nil
}

// bound reads one value of a record or range up to one of the stops.
func bound(text []byte, stops string) (value, rest []byte, null bool, err error) {
	if len(text) > 0 && text[0] == '"' {
		value, rest, err = unquote(text)
		return value, rest, false, err
	}
	end := bytes.IndexAny(text, stops)
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], end == 0, nil
}

// unquote reads a quoted value and returns what follows it. A backslash takes
// the next character as it is; a doubled quote is one quote.
func unquote(text []byte) (value, rest []byte, err error) {
	plain := bytes.IndexAny(text[1:], `"\`)
	if plain < 0 {
		return nil, nil, errShape()
	}
	if end := plain + 1; text[end] == '"' && (end+1 == len(text) || text[end+1] != '"') {
		return text[1:end], text[end+1:], nil
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
		case text[i] == '"' && i+1 < len(text) && text[i+1] == '"':
			i++
		case text[i] == '"':
			return value, text[i+1:], nil
		}
		value = append(value, text[i])
	}
	return nil, nil, errShape()
}

// maxExact is the largest integer that a JSON reader with 64-bit floats keeps.
const maxExact = 1 << 53

func appendInteger(dst, digits []byte) []byte {
	x, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || x > maxExact || x < -maxExact {
		return appendString(dst, digits)
	}
	return strconv.AppendInt(dst, x, 10)
}

func appendFloat(dst, text []byte) []byte {
	if !json.Valid(text) {
		return appendString(dst, text) // NaN, Infinity, -Infinity
	}
	return append(dst, text...)
}

func appendCompact(dst, text []byte) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, text); err != nil {
		return nil, errShape()
	}
	return buf.Bytes(), nil
}

// appendBase64 reads \x and hexadecimal digits.
func appendBase64(dst, text []byte) ([]byte, error) {
	digits, ok := bytes.CutPrefix(text, []byte(`\x`))
	if !ok {
		return nil, errShape()
	}
	raw, err := hex.AppendDecode(nil, digits)
	if err != nil {
		return nil, errShape()
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), raw), '"'), nil
}

// appendTime turns "2024-01-02 03:04:05.6+00", which DateStyle ISO and TimeZone
// UTC make, into ISO 8601, with the years of other eras expanded.
func appendTime(dst, text []byte) []byte {
	plain, before := bytes.CutSuffix(text, []byte(" BC"))
	digits, rest, _ := bytes.Cut(plain, []byte{'-'})
	year, err := strconv.Atoi(string(digits))
	if err != nil { // infinity and -infinity
		return appendString(dst, text)
	}
	if before {
		year = 1 - year
	}
	iso := append(appendYear(make([]byte, 0, 48), year), '-')
	date, clock, hasClock := bytes.Cut(rest, []byte{' '})
	iso = append(iso, date...)
	if hasClock {
		clock, utc := bytes.CutSuffix(clock, []byte("+00"))
		iso = append(append(iso, 'T'), clock...)
		if utc {
			iso = append(iso, 'Z')
		}
	}
	return appendString(dst, iso)
}

func appendYear(dst []byte, year int) []byte {
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for width := 1000; width > 1 && year < width; width /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(year), 10)
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string; what is not UTF-8 becomes U+FFFD.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, size := utf8.DecodeRune(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
	}
	return append(dst, '"')
}
