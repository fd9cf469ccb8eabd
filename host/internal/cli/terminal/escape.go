package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape escapes characters that control a terminal or change the direction of a
// line: control characters, invalid UTF-8, direction marks.
func Escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, steers) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch _, n := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case steers(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// EscapeText is Escape that keeps line breaks.
func EscapeText(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		cells := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		for j, cell := range cells {
			cells[j] = Escape(cell)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// EscapeAll is Escape for each of several texts.
func EscapeAll(texts []string) []string {
	all := make([]string, len(texts))
	for i, s := range texts {
		all[i] = Escape(s)
	}
	return all
}

// OrUnknown formats a number; an unknown one as a dash.
func OrUnknown(n int64) string {
	if n < 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}
