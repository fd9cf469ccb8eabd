package query

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// csvResult writes RFC 4180. A cell is quoted only where the format needs it.
// NULL is empty and the empty text is quoted, so that the two stay apart.
type csvResult struct {
	w      io.Writer
	buffer []byte // lines that are not yet written
	text   []byte // the text of a cell with escapes
}

// csvFlush is how many bytes are collected before they are written.
const csvFlush = 64 << 10

func (r *csvResult) Columns(columns []sdk.Column) error {
	for i, c := range columns {
		r.separate(i)
		r.field([]byte(c.Name))
	}
	return r.endLine()
}

func (r *csvResult) Row(cells [][]byte) error {
	for i, cell := range cells {
		r.separate(i)
		switch {
		case len(cell) == 0 || string(cell) == "null":
		case cell[0] == '"':
			var err error
			if r.text, err = appendUnescaped(r.text[:0], cell); err != nil {
				return err
			}
			r.field(r.text)
		case cell[0] == '{' || cell[0] == '[':
			r.field(cell)
		default: // a number, true or false
			r.buffer = append(r.buffer, cell...)
		}
	}
	return r.endLine()
}

func (r *csvResult) separate(i int) {
	if i > 0 {
		r.buffer = append(r.buffer, ',')
	}
}

// csvSpecial are the bytes for which RFC 4180 asks for quotes.
var csvSpecial = [256]bool{',': true, '"': true, '\r': true, '\n': true}

func (r *csvResult) field(text []byte) {
	quoted := len(text) == 0
	for _, c := range text {
		if csvSpecial[c] {
			quoted = true
			break
		}
	}
	if !quoted {
		r.buffer = append(r.buffer, text...)
		return
	}
	r.buffer = append(r.buffer, '"')
	for i := bytes.IndexByte(text, '"'); i >= 0; i = bytes.IndexByte(text, '"') {
		r.buffer = append(append(r.buffer, text[:i+1]...), '"')
		text = text[i+1:]
	}
	r.buffer = append(append(r.buffer, text...), '"')
}

func (r *csvResult) endLine() error {
	r.buffer = append(r.buffer, '\r', '\n')
	if len(r.buffer) < csvFlush {
		return nil
	}
	return r.flush()
}

func (r *csvResult) flush() error {
	_, err := r.w.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

func (r *csvResult) finish(query.Summary) error { return r.flush() }

// shortEscapes are JSON's escapes of one letter.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnescaped appends the text of a JSON string, which is valid.
func appendUnescaped(dst, cell []byte) ([]byte, error) {
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
