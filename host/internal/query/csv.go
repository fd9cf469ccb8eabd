package query

import (
	"bytes"
	"encoding/json"
)

// CSV appends cells as fields of RFC 4180. A field is quoted only where the format needs
// it. NULL is empty and the empty text is quoted, so that they differ.
// Concurrency: one goroutine; the zero value is ready.
type CSV struct {
	text []byte // the text of a cell with escapes
}

// Cell appends a cell of a Sink's row.
// Errors: for a cell that is no JSON.
func (c *CSV) Cell(dst, cell []byte) ([]byte, error) {
	switch {
	case len(cell) == 0 || string(cell) == "null":
		return dst, nil
	case cell[0] == '"':
		var err error
		if c.text, err = AppendUnescaped(c.text[:0], cell); err != nil {
			return dst, err
		}
		return c.Field(dst, c.text), nil
	case cell[0] == '{' || cell[0] == '[':
		return c.Field(dst, cell), nil
	default: // a number, true or false
		return append(dst, cell...), nil
	}
}

// special are the bytes for which RFC 4180 asks for quotes.
var special = [256]bool{',': true, '"': true, '\r': true, '\n': true}

// Field appends a text.
func (*CSV) Field(dst, text []byte) []byte {
	quoted := len(text) == 0
	for _, c := range text {
		if special[c] {
			quoted = true
			break
		}
	}
	if !quoted {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := bytes.IndexByte(text, '"'); i >= 0; i = bytes.IndexByte(text, '"') {
		dst = append(append(dst, text[:i+1]...), '"')
		text = text[i+1:]
	}
	return append(append(dst, text...), '"')
}

// shortEscapes are JSON's escapes of one letter.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// AppendUnescaped appends the text of a valid JSON string.
func AppendUnescaped(dst, cell []byte) ([]byte, error) {
	start, inner := len(dst), cell[1:len(cell)-1]
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return append(dst, inner...), nil
		}
		short := shortEscapes[inner[i+1]]
		if short == 0 { // \u, of which two may make one character
			var s string
			err := json.Unmarshal(cell, &s)
			return append(dst[:start], s...), err
		}
		dst = append(append(dst, inner[:i]...), short)
		inner = inner[i+2:]
	}
}
