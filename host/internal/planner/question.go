package planner

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxCandidates = 8
	maxQuote      = 400
)

func ask(code Code, quote, format string, args ...any) *Question {
	return &Question{Quote: shorten(quote, maxQuote), Code: code, Ask: fmt.Sprintf(format, args...)}
}

// on says which part of a formula or of the quote is not certain.
func (q *Question) on(part string) *Question {
	if q != nil && q.about == "" {
		q.about = part
	}
	return q
}

// at says which condition is not certain, whatever part of it was asked about.
func (q *Question) at(condition string) *Question {
	if q.about != condition && q.value == "" && strings.Contains(condition, q.about) {
		q.value = q.about
	}
	q.about = condition
	return q
}

// valued says which value a column does not have.
func (q *Question) valued(value string) *Question {
	q.value = value
	return q
}

// with adds names, values or conditions that may be meant, of which work.answers makes sentences.
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
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
