package relationship

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// keyWords end the names of columns that refer to something. Those that are
// glued to the word before ("custkey") are marked true.
var keyWords = map[string]bool{
	"id": true, "key": true, "code": true, "uuid": true, "guid": true, "num": true,
	"no": false, "nr": false, "number": false, "cd": false, "sk": false, "fk": false, "pk": false, "ref": false, "oid": false, "nbr": false,
}

// measures end the names of columns that count or measure: their small numbers
// are among any key's.
var measures = set("count cnt qty quantity amount amt price total sum avg average min max year month day week hour minute second size rank level percent pct rate ratio score age position pos sort sequence seq weight height width length duration version cost discount tax balance stock unit flag status date time priority line")

// before end the names of what was counted at another time: orders_prev.
var before = set("prev previous last current curr next diff delta")

// ordinals end the names of columns that may number what is within something.
var ordinals = set("no nr num number nbr seq")

// plain are names that many tables have a column of, which says nothing.
var plain = set("name title label description text comment note status state type kind code email mail phone url country city language currency")

// copyWords are in the names of tables that hold what others held before.
var copyWords = set("archive archived backup bak old copy tmp temp hist history snapshot deprecated staging stage stg")

// selfWords are what columns are called that refer to their own table.
var selfWords = set("parent manager mgr supervisor boss superior report replie reply previous prev next predecessor successor original root leader")

// noise begins the names of tables and says nothing of what is in them.
var noise = set("tbl t dim fact fct stg staging raw src vw v")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

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

// core takes the words off that say only that a column is a key.
func core(words []string) (rest []string, keyed bool) {
	for len(words) > 0 {
		last := words[len(words)-1]
		if _, ok := keyWords[last]; ok {
			words, keyed = words[:len(words)-1], true
			continue
		}
		break
	}
	for len(words) > 1 && (words[0] == "fk" || words[0] == "id") {
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

// name is how much a column's name says that it refers to a table's key.
func (n *namer) name(from *table, c *column, to *table) float64 {
	key := &to.columns[to.key]
	best := 0.
	offer := func(score float64) { best = max(best, score) }
	if from == to {
		if c.keyed && len(c.core) > 1 {
			offer(.88 * n.match(c.core[len(c.core)-1:], to.words)) // parent_category_id
		}
		for _, w := range c.core {
			if selfWords[w] {
				offer(.85)
			}
		}
		return best
	}
	if len(c.core) == 0 {
		return 0
	}
	whole := n.match(c.core, to.words)
	if c.joined == key.joined {
		if whole > 0 {
			return 1
		}
		offer(.9)
	}
	offer(.95 * whole)
	if len(key.core) > 0 {
		offer(.9 * n.match(c.core, key.core))
	}
	if k := len(to.words); k > 0 && len(c.core) > k {
		offer(.9 * n.match(c.core[len(c.core)-k:], to.words)) // billing_customer_id
		if !c.keyed {
			offer(.7 * n.match(c.core[:k], to.words)) // ship_via
		}
	}
	if k := len(c.core); k < len(to.words) {
		offer(.75 * n.match(c.core, to.words[len(to.words)-k:])) // category_id of product_categories
	}
	if !c.keyed {
		best *= .95
	}
	return best
}
