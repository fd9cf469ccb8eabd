package relationship

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// namer splits names and says how much they have in common.
type namer struct {
	analyzer *text.Analyzer
	tokens   text.Tokens
	long     map[string][]string // word → the words it may be short for
}

// words returns the words of a name, folded, in the singular.
func (n *namer) words(name string) []string {
	n.tokens.Reset()
	n.analyzer.Append(&n.tokens, name, text.Identifier)
	var words []string
	for i := range n.tokens.Len() {
		if term, form := n.tokens.At(i); form == text.Word {
			words = append(words, string(term))
		}
	}
	return words
}

// core takes the words off that say only that a column is a key, and which of several
// references of a kind it is (account_id_to, player1_id).
func core(words []string) (rest []string, keyed bool) {
	if n := len(words); n > 2 && isKey(words[n-2]) && (sides(words[n-1]) || numeric(words[n-1])) {
		words = words[:n-1]
	}
	for len(words) > 0 && isKey(words[len(words)-1]) {
		words, keyed = words[:len(words)-1], true
	}
	for len(words) > 1 && leadingKeys(words[0]) {
		words, keyed = words[1:], true
	}
	if keyed || len(words) == 0 {
		return words, keyed
	}
	last := words[len(words)-1]
	for suffix, glued := range keyWords {
		if stem, ok := strings.CutSuffix(last, suffix); ok && glued && len(stem) >= 3 {
			return append(words[:len(words)-1:len(words)-1], stem), true
		}
	}
	return words, false
}

func isKey(word string) bool { _, ok := keyWords[word]; return ok }

func numeric(word string) bool { return strings.Trim(word, "0123456789") == "" }

// counting reports whether a name says how many there are: num_employees, not num_client.
func counting(name string, words []string) bool {
	n := len(words)
	return n > 1 && counters(words[0]) && !isKey(words[n-1]) && plural(name, words)
}

// plural reports whether the last word of a name is in the plural.
func plural(name string, words []string) bool {
	n := len(words)
	return n > 0 && strings.HasSuffix(strings.ToLower(name), "s") && !strings.HasSuffix(words[n-1], "s")
}

// A word may be the beginning of another one that it is short for, or that has
// another ending: not the first part of a compound (auftrag, auftragsposition).
const longestShort, longestEnding = 6, 3

// same is how likely two words mean the same: 1 the same word, less for
// a shortening of it.
func (n *namer) same(a, b string) float64 {
	if a == b {
		return 1
	}
	if n.short(a, b) || n.short(b, a) {
		return .95
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(a) >= 3 && strings.HasPrefix(b, a) && (len(a) <= longestShort || len(b)-len(a) <= longestEnding):
		return .9
	case text.Skeleton(a) && skeletonOf(a, b):
		return .85
	}
	return 0
}

// short reports whether a is a known abbreviation of b.
func (n *namer) short(a, b string) bool { return slices.Contains(n.expand(a), b) }

// expand returns the words that a word is a known abbreviation of.
func (n *namer) expand(word string) []string {
	if len(word) > 6 {
		return nil
	}
	long, known := n.long[word]
	if !known {
		n.tokens.Reset()
		n.analyzer.Append(&n.tokens, word, text.Identifier)
		for i := range n.tokens.Len() {
			if term, form := n.tokens.At(i); form == text.Expanded {
				long = append(long, string(term))
			}
		}
		n.long[word] = long
	}
	return long
}

// skeletonOf reports whether the letters of a are in b in that order, the first
// one first.
func skeletonOf(a, b string) bool {
	if a[0] != b[0] {
		return false
	}
	for i := 0; i < len(b) && a != ""; i++ {
		if b[i] == a[0] {
			a = a[1:]
		}
	}
	return a == ""
}

// match is how well two lists of words agree, word by word; 0 when one is not
// the other.
func (n *namer) match(a, b []string) float64 {
	if len(a) != len(b) || len(a) == 0 {
		// orderline and order_line are one name.
		if len(a) > 0 && len(b) > 0 && strings.Join(a, "") == strings.Join(b, "") {
			return 1
		}
		return 0
	}
	score := 1.
	for i := range a {
		score = min(score, n.same(a[i], b[i]))
	}
	return score
}
