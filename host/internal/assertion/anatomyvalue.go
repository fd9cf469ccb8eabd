package assertion

import (
	"cmp"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// comparedWith reports whether a column stands before a word, with only words or signs of a comparison between: "outcome nicht referred",
// "PRIO = A".
func (a *anatomy) comparedWith(i int, column string) bool {
	for i--; i >= 0 && (a.all[i].isWord || strings.ContainsAny(a.all[i].text, "=<>")); i-- {
		if a.lexicon.Column(a.identity, a.all[i].text) == column {
			return true
		}
		if a.all[i].isWord && !copulas(a.all[i].low) && !a.all[i].is(notWord) {
			return false
		}
	}
	return false
}

// mayBeValue reports whether a word of a closed class may also be a value: a participle, a department, a place, a rhythm.
func (a *anatomy) mayBeValue(p *part) bool {
	return p.is(speakerWord|venueWord|regularWord|nounWord) || p.is(sayWord) && (strings.HasSuffix(p.low, "ed") || strings.HasPrefix(p.low, "ge") || heldWords(p.low))
}

// heldWords are participles of verbs of saying and showing that do not end with "ed".
var heldWords = text.Words("held kept written known seen shown told given taken found understood")

// means reports whether a word of a closed class is a value, or a flag, of the table.
func (a *anatomy) means(p *part) bool {
	if !a.mayBeValue(p) || p.is(linkWord) {
		return false
	}
	of, _ := a.lexicon.Value(a.identity, p.text)
	return of != "" || a.lexicon.Flag(a.identity, p.text) != ""
}

// listed reports whether a word is joined to a value of a column: "status issued or used".
func (a *anatomy) listed(i int, column string) bool {
	for _, step := range []int{-1, 1} {
		j := i + step
		for j > 0 && j < len(a.all) && a.all[j].joins() {
			j += step
		}
		if j < 0 || j >= len(a.all) || j == i+step {
			continue
		}
		if of, _ := a.lexicon.Value(a.identity, a.all[j].text); of == column {
			return true
		}
	}
	return false
}

// value finds a value by its words, in German also by what an adjective without its ending means.
func (a *anatomy) value(words string) (column, value string) {
	if column, value = a.lexicon.Value(a.identity, words); column != "" {
		return column, value
	}
	if a.language == English {
		return a.lexicon.Value(a.identity, singular(words)) // "excluding vans"
	}
	low := strings.ToLower(words)
	for _, w := range []string{low, uninflected(low)} {
		if w != words {
			if column, value = a.lexicon.Value(a.identity, w); column != "" {
				return column, value
			}
		}
		if english := states()[w]; english != "" {
			if column, value = a.lexicon.Value(a.identity, english); column != "" {
				return column, value
			}
		}
	}
	return "", ""
}

// flagOf finds a flag by its words, by their singular, "bots excluded", in German also by an adjective without its ending.
func (a *anatomy) flagOf(words string) (flag string) {
	forms := []string{words, singular(words)}
	if word := uninflected(strings.ToLower(words)); a.language != English {
		forms = append(forms, word, cmp.Or(states()[word], word))
	}
	for i := 0; i < len(forms) && flag == ""; i++ {
		flag = a.lexicon.Flag(a.identity, forms[i])
	}
	return flag
}

// rowsOnly passes over the noun for the rows of which only some are meant: "und zwar nur für Messungen mit alarm = true".
func (a *anatomy) rowsOnly() {
	for i := 0; i+3 < len(a.all); i++ {
		if a.all[i].is(onlyWord) && places(a.all[i+1].low) && a.all[i+3].is(jointWord) && a.all[i+2].kind == unknownPart && a.strange(i+2) {
			a.all[i+2].kind = gluePart
		}
	}
}
