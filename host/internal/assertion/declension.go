package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// nominative writes a German name as it stands alone: "mittlere Leistung" of "unter der mittleren Leistung", "typischer Lohn" of
// "den typischen Lohn", "Aufträge" of "unter Aufträgen".
// Shape: false = the gender of the noun is not known: "unter dem offenen Posten".
func (a *anatomy) nominative(from int, words []string) bool {
	noun := slices.IndexFunc(words, capital)
	if a.language != German || noun < 0 || from == 0 {
		return true
	}
	article, preposition := a.all[from-1].low, a.all[max(0, from-2)].low
	if datives(article) {
		preposition = article
	}
	low := strings.ToLower(words[noun])
	if plural := strings.TrimSuffix(low, "n"); datives(preposition) && umlautPlural(plural) && plural != low {
		words[noun] = words[noun][:len(words[noun])-1]
	}
	for i := range noun {
		if c := classes()[words[i]]; c&(glueWord|timeWord) != 0 && c&aggregateWord == 0 || indeclinable(words[i]) {
			continue // "der heute bezahlte Umsatz", "der online Umsatz"
		}
		cut := len(words[i])
		for _, ending := range [...]string{"en", "em", "er", "es", "e"} {
			if strings.HasSuffix(words[i], ending) {
				cut -= len(ending)
				break
			}
		}
		ending, known := basicEnding(article, datives(preposition), words[i][cut:], low)
		if !known {
			return false
		}
		words[i] = words[i][:cut] + ending
	}
	return true
}

// basicEnding returns the ending of an adjective without its article, of the one behind an article or a preposition.
// Shape: false = it depends on the gender of the noun, which is not known.
func basicEnding(article string, dative bool, ending, noun string) (string, bool) {
	switch {
	case ending == "em", masculines(article) && ending == "en", article == "des" && ending == "en":
		if strings.HasSuffix(noun, "gewicht") || strings.HasSuffix(noun, "volumen") {
			return "es", article != "des"
		}
		return "er", amounting(noun) && article != "des" // the noun has an ending, too
	case article == "das" && ending == "e":
		return "es", true
	case article == "der" && ending == "e", ending == "en" && (article == "als" || accusatives(article) && !dative):
		return "er", true
	case ending == "en" && (definite(article) || datives(article)), ending == "er" && datives(article):
		return "e", true // "unter der mittleren", "mit offenen", "unter mittlerer"
	}
	return ending, true
}

// umlautPlural reports whether a noun is a plural with an umlaut, or ends with one: "aufträge", "großaufträge".
func umlautPlural(low string) bool {
	tail := low
	if compound := compoundOf(low); rowNouns()[low] == nil {
		tail = compound
	}
	return rowNouns()[tail] != nil && strings.HasSuffix(tail, "e") && strings.ContainsAny(tail, "äöü")
}

var (
	// datives are prepositions that a dative stands behind.
	datives = text.Words("unter mit von zu bei zum vom beim zur")
)

// definite reports whether a word is an article behind which an adjective has a weak ending.
func definite(w string) bool {
	switch w {
	case "der", "die", "den", "einer", "unserer", "unsere", "unseren", "zur":
		return true
	}
	return false
}

// accusatives reports whether a word is a masculine article of an accusative.
func accusatives(w string) bool {
	switch w {
	case "den", "einen", "unseren":
		return true
	}
	return false
}

// masculines reports whether a word is an article of a dative that is no feminine, or a preposition with one.
func masculines(w string) bool {
	switch w {
	case "dem", "einem", "unserem", "zum", "vom", "beim":
		return true
	}
	return false
}

// indeclinable reports whether a word is an adjective of another language that ends with an e.
func indeclinable(w string) bool {
	switch w {
	case "online", "offline", "live", "core", "prime", "free":
		return true
	}
	return false
}
