package dialect

import (
	"strings"
	"unicode/utf8"
)

// QuoteIdentifier returns a name as the engine reads it back unchanged. It
// quotes always, because an unquoted name is folded and may be a keyword.
// A NUL and invalid UTF-8, which no statement may have, become U+FFFD.
func (d *Dialect) QuoteIdentifier(name string) string {
	return d.Identifier.Prefix + d.Identifier.Open + d.Identifier.escape(name) + d.Identifier.Close
}

// QuoteString returns a string literal. A NUL and invalid UTF-8, which no
// statement may have, become U+FFFD.
func (d *Dialect) QuoteString(s string) string {
	return d.String.Prefix + d.String.Open + d.EscapeString(s) + d.String.Close
}

// EscapeString returns a string escaped as between the quotes of QuoteString:
// the {v} of Literal.
func (d *Dialect) EscapeString(s string) string { return d.String.escape(s) }

// escape writes s for the inside of the quotes. Line breaks are escaped where a
// backslash can: some engines allow none between single quotes.
func (q *Quote) escape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		if q.Close != "" && strings.HasPrefix(s[i:], q.Close) {
			switch {
			case q.Doubled:
				b.WriteString(q.Close + q.Close)
			case q.Backslash:
				b.WriteString(`\` + q.Close)
			}
			i += len(q.Close)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == 0:
			b.WriteRune(utf8.RuneError)
		case q.Backslash && r == '\\':
			b.WriteString(`\\`)
		case q.Backslash && r == '\n':
			b.WriteString(`\n`)
		case q.Backslash && r == '\r':
			b.WriteString(`\r`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
