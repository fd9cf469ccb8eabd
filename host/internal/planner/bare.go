package planner

import (
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/text"
)

// tells are the words of rules: a short text with one of them is kept although it asserts nothing.
var tells = text.Pattern(`(?i)\b(?:number of|count of|sum of|total of|average|median|excludes?|excluding|includes?|always|never|means?|per|anzahl|summe|durchschnitt|immer|nie|bedeutet|ohne|pro|called|defined|stands for|heißt)\b|\b(?:sum|count|avg|min|max|median)\s?\(`)

// tellingWords are the words that tells and rules begin with, up to the first letter beyond ASCII: few texts have one.
var tellingWords = text.Words(`number count sum total average avg median min max exclude excludes excluding include includes always never mean means
	per anzahl summe durchschnitt immer nie niemals bedeutet ohne pro called defined stands hei do don bitte`)

// ruled reports whether a text has words of a rule.
func ruled(text string) bool {
	outside := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), outside) {
		if tellingWords(word) {
			return rules().MatchString(text) || tells().MatchString(text)
		}
	}
	return false
}

// unnamed is an aggregate in words, without a name for it.
var unnamed = text.Pattern(`(?i)^(?:the )?(number|count|anzahl) (?:of |der |von )?((?:distinct |unique |verschiedene[rn]? )?)([\pL_][\pL\pN_.]*)[.?!]?$`)

// nameless asks what a number is that a text names and does not define.
// Shape: false = the text is something else.
func (w *work) nameless() bool {
	m := unnamed().FindStringSubmatch(strings.TrimSpace(w.doc.Text))
	if m == nil || len(w.doc.Statements) > 0 {
		return false
	}
	quote := strings.TrimSpace(w.doc.Text)
	if q := w.unready(quote); q != nil {
		w.ask(q)
		return true
	}
	f := &assertion.Formula{Aggregate: "count", Of: m[3]}
	if m[2] != "" {
		f.Aggregate = "count_distinct"
	}
	w.about = topicOf{identifier(quote), f}
	if _, q := (&formula{work: w, f: f, quote: quote}).define("number"); q != nil {
		w.ask(q)
		return true
	}
	q := ask(UnknownName, quote, "What is this number called? Say it as: name = %s.", quote)
	q.name = identifier(quote)
	w.ask(q)
	return true
}
