package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typed returns the byte at a place of a text as a keyboard has it, and how many bytes it stands for: a space of any width is a space, a
// single quote of typography is ', unless it stands inside a word.
func Typed(s string, at int) (b byte, width int) {
	if s[at] < utf8.RuneSelf {
		return s[at], 1
	}
	switch r, n := utf8.DecodeRuneInString(s[at:]); r {
	case '\u00a0', '\u2007', '\u2009', '\u202f':
		return ' ', n
	case '‘', '’', '‚', '‛':
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+n:])
		if !unicode.IsLetter(before) || !unicode.IsLetter(after) {
			return '\'', n
		}
	}
	return s[at], 1
}

// Retyped returns a text as a keyboard has it.
func Retyped(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c, width := Typed(s, i)
		b.WriteByte(c)
		i += width
	}
	return b.String()
}
