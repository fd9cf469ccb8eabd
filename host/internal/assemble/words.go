package assemble

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

const (
	maxText  = 240 // characters of a description
	maxValue = 40  // characters of a value
	maxName  = 200 // characters that a message repeats of a name
)

// clip puts a text on one line of at most a number of characters; a cut one ends with "…".
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)[:most-1]
	for len(runes) > 1 && unicode.IsMark(runes[len(runes)-1]) {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// has reports whether a name or a text has one of the terms.
func (s *Service) has(name string, terms []string) bool {
	var t text.Tokens
	s.analyzer.Append(&t, name, text.Identifier)
	for i := range t.Len() {
		if term, _ := t.At(i); slices.Contains(terms, string(term)) {
			return true
		}
	}
	return false
}
