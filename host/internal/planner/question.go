package planner

import (
	"fmt"
	"slices"
)

const (
	maxCandidates = 8
	maxQuote      = 400
)

func ask(code Code, quote, format string, args ...any) *Question {
	return &Question{Quote: shorten(quote, maxQuote), Code: code, Ask: fmt.Sprintf(format, args...)}
}

// with adds answers that would work.
func (q *Question) with(candidates ...string) *Question {
	for _, c := range candidates {
		if c != "" && !slices.Contains(q.Candidates, c) && len(q.Candidates) < maxCandidates {
			q.Candidates = append(q.Candidates, c)
		}
	}
	return q
}

// shorten cuts a text to so many characters, where it ends with a sign that it goes on.
func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
