package result

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// CSV writes rows as RFC 4180, for spreadsheets: a text that a spreadsheet would compute (it begins with =, +, - or @,
// also in their wide forms, or with a control character) gets an apostrophe before it. Numbers stay as they are.
// NULL is empty and the empty text is quoted, so that they differ. It is a query.Sink.
// Errors: those of the writer.
// Concurrency: one goroutine.
type CSV struct {
	w    io.Writer
	line []byte
}

// NewCSV returns a CSV that writes each row at once.
func NewCSV(w io.Writer) *CSV { return &CSV{w: w} }

// Columns writes the names of the columns.
func (c *CSV) Columns(columns []sdk.Column) error {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return c.Record(names...)
}

// Row writes a row of a query.Sink.
func (c *CSV) Row(cells [][]byte) error {
	c.line = c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		if len(cell) > 0 && string(cell) != "null" {
			c.line = appendField(c.line, textOf(cell))
		}
	}
	return c.end()
}

// Record writes a row of texts. The empty text is an empty field here.
func (c *CSV) Record(fields ...string) error {
	c.line = c.line[:0]
	for i, f := range fields {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		if f != "" {
			c.line = appendField(c.line, f)
		}
	}
	return c.end()
}

func (c *CSV) end() error {
	_, err := c.w.Write(append(c.line, '\r', '\n'))
	return err
}

// number is a text that a spreadsheet reads as a number.
var number = text.Pattern(`^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$`)

// computed reports whether a spreadsheet may compute a text.
func computed(s string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \u00a0\ufeff"))
	switch first {
	case '=', '@', '＝', '＋', '－', '＠':
		return true
	case '+', '-':
		return !number().MatchString(s)
	}
	return s != "" && (first < ' ' || first == '\x7f')
}

// appendField appends a field. It is quoted where RFC 4180 asks for it, and where another separator would split it.
func appendField(line []byte, field string) []byte {
	if computed(field) {
		field = "'" + field
	}
	if field != "" && !strings.ContainsAny(field, ",\"\r\n;\t") {
		return append(line, field...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(field, `"`, `""`)...)
	return append(line, '"')
}
