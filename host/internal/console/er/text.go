package er

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxName is how many characters of a name a box shows, maxTitle how many the title of the box.
	maxName, maxTitle = 27, 500
	// maxMarks is how many marks of a letter are shown: more of them cover other lines.
	maxMarks = 2
	// wide is the first of the characters that take the room of two, roughly.
	wide = 0x1100
)

// clean returns a text in which each character is visible, or a space: no control, no change of direction.
func clean(s string, most int) string {
	var b strings.Builder
	marks, n := 0, 0
	for _, r := range s {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case marks > maxMarks:
			continue
		case unicode.IsSpace(r):
			r = ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r):
			r = '\uFFFD'
		}
		if marks == 0 {
			n++
			if r >= wide && r != '\uFFFD' {
				n++
			}
		}
		if n > most {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// write writes a text into XML.
func write(b *strings.Builder, s string, most int) {
	for _, r := range clean(s, most) {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&#34;")
		case '\'':
			b.WriteString("&#39;")
		default:
			b.WriteRune(r)
		}
	}
}
