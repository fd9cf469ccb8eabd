package result

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/text"
)

// Units: characters of a cell in its table, and of the whole text behind it.
const (
	maxShown = 120
	maxWhole = 10_000
)

// Cell is one value, as the engine gave it.
type Cell struct {
	// Text is the value, cut with "…" at 120 characters.
	Text string
	// Whole is the value where Text is cut; it is cut itself at 10,000 characters. "" = Text is all of it.
	Whole string
	// Null: there is no value. Empty: it is the empty text.
	Null, Empty bool
	// Unseen: it has invisible characters, or such that change the direction of text.
	Unseen bool

	raw json.RawMessage
}

// newCell returns a cell of a query.Sink's row, which it copies.
func newCell(cell []byte) Cell {
	if len(cell) == 0 || string(cell) == "null" {
		return Cell{Null: true}
	}
	c := Cell{raw: bytes.Clone(cell)}
	full := textOf(c.raw)
	c.Empty = full == ""
	c.Text = Short(full, maxShown)
	if len(c.Text) != len(full) {
		c.Whole = Short(full, maxWhole)
	}
	c.Unseen = strings.ContainsFunc(full, func(r rune) bool { return r != '\r' && text.Unseen(r) })
	return c
}

// MarshalJSON returns the JSON value that the executor gave.
func (c Cell) MarshalJSON() ([]byte, error) {
	if c.Null {
		return []byte("null"), nil
	}
	return c.raw, nil
}

// textOf returns a JSON value as text: a string without its quotes, another value as it is.
func textOf(cell []byte) string {
	if cell[0] != '"' {
		return string(cell)
	}
	plain, err := query.AppendUnescaped(nil, cell)
	if err != nil {
		return string(cell)
	}
	return string(plain)
}

// Short cuts a text to so many characters, the last of which is "…" then.
func Short(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			return s[:i] + "…"
		}
	}
	return s
}

// markup is about how many bytes of HTML stand around the text of a cell.
const markup = 40

// size is about how many bytes of HTML the cell has.
func (c *Cell) size() int {
	const details = 90
	size := markup + weight(c.Text)
	if c.Whole != "" {
		size += details + weight(c.Whole)
	}
	return size
}

// weight returns the bytes of a text in HTML.
func weight(s string) int {
	const escaped = 4 // further bytes of the longest escape
	size := len(s)
	for _, c := range []byte(s) {
		switch c {
		case '<', '>', '&', '"', '\'', '+':
			size += escaped
		}
	}
	return size
}
