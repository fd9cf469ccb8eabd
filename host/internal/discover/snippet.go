package discover

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

const (
	maxText = 200 // characters of a summary or a snippet
	lead    = 40  // characters of a snippet before the match
	// farther is the number of bytes after the best place so far in which a better place is
	// searched for.
	farther = 8 << 10
)

// excerpt returns the beginning of a text; nil when it is blank.
func excerpt(s string) *string { return known(strings.TrimSpace(cut(strings.TrimSpace(s), maxText))) }

// around returns the part of a text with the most different terms; false when it contains
// none of them.
func (s *Service) around(body string, terms []string) (string, bool) {
	body = strings.TrimSpace(body)
	at := s.place(body, terms)
	if at < 0 {
		return "", false
	}
	start := back(body, at, lead)
	if rest := utf8.RuneCountInString(cut(body[start:], maxText)); rest < maxText { // the text ends: show more of what is before
		start = back(body, start, maxText-rest)
	}
	if start > 0 {
		start += beginning(body[start:at], at-start <= lead)
	}
	return strings.TrimSpace(cut(body[start:], maxText)), true
}

// beginning returns a good start for the text before a match: its last line if line is set,
// else its first whole word.
func beginning(before string, line bool) int {
	if at := strings.LastIndexByte(before, '\n'); line && at >= 0 {
		return at
	}
	return max(0, strings.IndexFunc(before, unicode.IsSpace))
}

// back returns the position that is a number of characters before at.
func back(s string, at, characters int) int {
	for ; characters > 0 && at > 0; characters-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	for at > 0 && joined(s, at) {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

// found is a term at a byte position of a text.
type found struct{ at, term int }

// place returns the byte position where a snippet contains the most different terms, and of
// equal ones where they are closest together; -1 when the text contains none.
func (s *Service) place(body string, terms []string) int {
	var window []found // one of each term at most
	best, span, at := 0, 0, -1
	s.scan(body, terms, func(f found) bool {
		if at >= 0 && f.at > at+farther {
			return false
		}
		window = slices.DeleteFunc(window, func(w found) bool { return w.term == f.term || f.at-w.at > maxText-lead })
		window = append(window, f)
		if now := f.at - window[0].at; len(window) > best || len(window) == best && now < span {
			best, span, at = len(window), now, window[0].at
		}
		return best < len(terms) || span > 0
	})
	return at
}

// scan yields each place of a text that contains one of the terms, in order, until yield
// returns false.
func (s *Service) scan(body string, terms []string, yield func(found) bool) {
	var tokens text.Tokens
	for from, to := nextWord(body, 0); from < to; from, to = nextWord(body, to) {
		word := body[from:to]
		tokens.Reset()
		s.analyzer.Append(&tokens, word, text.Prose)
		for i := range tokens.Len() {
			term, _ := tokens.At(i)
			n := slices.Index(terms, string(term))
			if n < 0 {
				continue
			}
			// In a script without spaces a word can be a whole sentence.
			if !yield(found{at: from + max(0, strings.Index(word, terms[n])), term: n}) {
				return
			}
		}
	}
}

// nextWord returns the bounds of the next name or word; from = to at the end.
func nextWord(s string, at int) (from, to int) {
	part := func(r rune) bool {
		return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
	}
	skip := strings.IndexFunc(s[at:], part)
	if skip < 0 {
		return len(s), len(s)
	}
	from = at + skip
	length := strings.IndexFunc(s[from:], func(r rune) bool { return !part(r) })
	if length < 0 {
		return from, len(s)
	}
	return from, from + length
}

// cut returns the first characters of a text, fewer where the cut would split what readers
// see as one character. Units: Unicode code points.
func cut(s string, characters int) string {
	at := 0
	for ; characters > 0 && at < len(s); characters-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	whole := at
	for at > 0 && at < len(s) && joined(s, at) {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	if at == 0 { // one character of nothing but marks
		return s[:whole]
	}
	return s[:at]
}

const joiner = '\u200d'

// joined reports whether the characters before and after a place are shown as
// one: an accent, a variation, a skin tone, a joined emoji, half a flag.
func joined(s string, at int) bool {
	after, _ := utf8.DecodeRuneInString(s[at:])
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	switch {
	case unicode.IsMark(after), after == joiner, before == joiner, '\U0001F3FB' <= after && after <= '\U0001F3FF':
		return true
	case before == '\r' && after == '\n':
		return true
	case !isFlag(after):
		return false
	}
	flags := 0
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if !isFlag(r) {
			break
		}
		flags++
		at -= size
	}
	return flags%2 == 1
}

func isFlag(r rune) bool { return '\U0001F1E6' <= r && r <= '\U0001F1FF' }
