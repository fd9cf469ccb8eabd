package refusal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// excerptWidth is how much of a line an excerpt shows, in code points.
const excerptWidth = 72

// At sets the faulty position in a text; an unknown position sets nothing.
func (e *Error) At(text string, pos sdk.Position) *Error {
	if text == "" || pos.IsZero() || pos.Column == 0 {
		return e
	}
	e.Position = &Position{Line: pos.Line, Column: pos.Column}
	e.Excerpt = excerpt(text, *e.Position)
	return e
}

// Named sets the position of the faulty name, for a caller that has the text.
func (e *Error) Named(n *expression.Name) *Error {
	e.place = n.Pos()
	return e
}

// excerpt returns the line of a position, shortened around it, and a line with a
// caret below it. What cannot be seen, or would move what can, is shown as ·.
func excerpt(text string, pos Position) string {
	for range pos.Line - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	line := []rune(strings.Map(Visible, text))
	start := min(max(0, pos.Column-1-excerptWidth/2), max(0, len(line)-excerptWidth))
	end := min(len(line), start+excerptWidth)
	before, after := "", ""
	if start > 0 {
		before = "…"
	}
	if end < len(line) {
		after = "…"
	}
	caret := min(max(0, pos.Column-1-start), excerptWidth) + utf8.RuneCountInString(before)
	return before + string(line[start:end]) + after + "\n" + strings.Repeat(" ", caret) + "^"
}

// Visible replaces characters that a terminal or a model would not show in
// place: control characters, direction marks, replacement characters.
func Visible(r rune) rune {
	if r == ' ' || r != utf8.RuneError && unicode.IsPrint(r) {
		return r
	}
	if r == '\n' || r == '\t' {
		return ' '
	}
	return '·'
}
