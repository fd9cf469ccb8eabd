package markdown

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// Line returns a text on one line as a page may show it: without invisible and direction characters, at most so many
// characters. It is no HTML.
func Line(s string, most int) string {
	if len(s) > 8*most { // no more than this can be shown
		s = s[:8*most]
	}
	s = strings.Join(strings.Fields(Visible(strings.ToValidUTF8(s, "\ufffd"))), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Visible writes invisible and direction characters as their code points: U+202E. Tabs and line ends stay.
func Visible(s string) string {
	hidden := func(r rune) bool {
		return text.Unseen(r) && r != '\r' || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
	}
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
