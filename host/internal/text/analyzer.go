// Package text turns names, prose and questions into search terms: it splits identifiers,
// folds case, accents and plurals, and expands common abbreviations. Indexing and
// querying share it. Version identifies the rules and is part of an index's identity. The
// abbreviations of a project act on questions alone.
package text

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// rules is the version of the rules in this package. Raise it with every change of the
// terms that a text gives: indexes of another version are rebuilt.
const rules = 3

// Analyzer holds the rules and the abbreviations. It never changes.
// Concurrency: any number of goroutines.
type Analyzer struct {
	long map[string][][]string // abbreviation → its meanings, in folded words
	// phrases are a project's own abbreviations: the short form stands for the
	// meaning, and the meaning for the short form.
	phrases []phrase
}

// phrase lists other ways to write words that a question has together.
type phrase struct{ asked, written []string }

// New returns the analyzer of the built-in abbreviations, the same one every time.
func New() *Analyzer { return builtIn() }

var builtIn = sync.OnceValue(func() *Analyzer {
	a := &Analyzer{long: map[string][][]string{}}
	for short, meanings := range abbreviations() {
		a.add(short, meanings)
	}
	return a
})

// With returns an analyzer that also expands a project's abbreviations, in place of those
// of a. They act on questions alone, in both directions. The terms of a text stay the
// same, so that indexes stay valid.
// Shape: short → meanings, each of one or more words ("arr" → "annual recurring
// revenue"); a meaning counts when all its words are asked for. Blank entries
// are left out.
func (a *Analyzer) With(additions map[string][]string) *Analyzer {
	more := &Analyzer{long: a.long}
	for _, short := range slices.Sorted(maps.Keys(additions)) {
		key := a.words(short)
		for _, meaning := range additions[short] {
			words := a.words(meaning)
			if len(key) > 0 && len(words) > 0 && !slices.Equal(key, words) {
				more.phrases = append(more.phrases, phrase{asked: key, written: words}, phrase{asked: words, written: key})
			}
		}
	}
	return more
}

// words returns the words of a phrase, normalised as those of a question, without stop
// words.
func (a *Analyzer) words(s string) (out []string) {
	e := expansion{analyzer: a, vocabulary: nothing{}}
	for chunk := range strings.FieldsFuncSeq(compose(cut(s, maxQuestion)), isSeparator) {
		if !stopWords[foldWord(chunk)] {
			e.chunk(chunk, true)
		}
	}
	for _, w := range e.words {
		out = append(out, w.term)
	}
	return out
}

// Version identifies the rules: two analyzers of equal version turn every text
// into the same terms.
func (a *Analyzer) Version() string { return strconv.Itoa(rules) }

func (a *Analyzer) add(short string, meanings []string) {
	key := Key(short)
	if key == "" {
		return
	}
	for _, meaning := range meanings {
		var words []string
		for word := range strings.FieldsSeq(meaning) {
			if w := foldWord(word); w != "" && w != key && !stopWords[w] {
				words = append(words, w)
			}
		}
		known := slices.ContainsFunc(a.long[key], func(have []string) bool { return slices.Equal(have, words) })
		if len(words) > 0 && !known {
			a.long[key] = append(a.long[key], words)
		}
	}
}

// Key returns the form that all spellings of a name share: folded, in the singular,
// without the separators of its words ("Order_Items" and "orderItem" are both
// "orderitem"). It is "" when s has neither letters nor digits.
func Key(s string) string {
	var t Tokens
	t.split(s, Identifier)
	return string(singular(t.chunk))
}

// foldWord returns the term of one word.
func foldWord(word string) string {
	folded, _ := fold(nil, compose(word), false)
	return string(singular(folded))
}
