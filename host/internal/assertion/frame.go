package assertion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Frame normalises a text: NFC, LF, valid UTF-8, without invisible characters. It returns the number
// of characters removed.
func Frame(text string) (string, int) {
	if framed(text) {
		return text, 0
	}
	removed := 0
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == '\r':
			if i < len(text) && text[i] == '\n' {
				continue
			}
			b.WriteByte('\n')
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteByte('\n')
		case invisible(r):
			removed++
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String()), removed
}

// invisible reports whether r is a control, zero-width, direction or tag character. Variation
// selectors of emoji are not.
func invisible(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164'
}

// framed reports whether a text has only characters that Frame keeps: printable ASCII, tabs and LF.
func framed(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
