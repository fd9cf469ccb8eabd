// Package text turns names, prose and questions into the terms that search
// matches: it splits identifiers, folds case, accents and plurals, and knows
// common abbreviations. The index side and the query side share it, so a rule
// that changes changes Version, which is part of an index's identity.
package text

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rules is the number of the rules in this package. Raise it with every change
// of what a text is turned into: indexes made under other rules are built again.
const rules = 1

// Analyzer holds the rules and an abbreviation list. Concurrency: any number of
// goroutines.
type Analyzer struct {
	long    map[string][][]string // abbreviation → its meanings, in folded words
	version string
}

// New returns an analyzer that also knows a project's own abbreviations.
// Shape: short → meanings, each of one or more words ("arr" → "annual recurring
// revenue"); they add to the built-in list, and blank entries are left out.
func New(additions map[string][]string) *Analyzer {
	a := &Analyzer{long: make(map[string][][]string, len(abbreviations)+len(additions))}
	for short, meanings := range abbreviations {
		a.add(short, meanings)
	}
	digest := sha256.New()
	for _, short := range slices.Sorted(maps.Keys(additions)) {
		a.add(short, additions[short])
		fmt.Fprintf(digest, "%q %q\n", short, additions[short])
	}
	a.version = fmt.Sprintf("%d", rules)
	if len(additions) > 0 {
		a.version += "-" + hex.EncodeToString(digest.Sum(nil)[:8])
	}
	return a
}

// Version identifies the rules and the project's abbreviations: two analyzers
// of equal version turn every text into the same terms.
func (a *Analyzer) Version() string { return a.version }

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

// Key returns the form in which two spellings of one name are equal: folded,
// in the singular, without what separates its words ("Order_Items" and
// "orderItem" are both "orderitem"). It is "" when s has neither letters nor digits.
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
