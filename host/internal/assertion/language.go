package assertion

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// stopWords are frequent words that occur in only one of the languages. The table also has other
// languages, so that a French or Spanish text does not count as English or German.
var stopWords = map[Language]func(string) bool{
	English: text.Words("the is are was were of and means by with not where excluding excludes includes exclude include that to it from for as per this which we our all only each every always never since until starts reported stored known use used on has have when number sum average references deprecated last"),
	German:  text.Words("der das den dem des ist sind und von nicht mit wird werden für ein eine einen einer im zu auf bei heißt bedeutet ohne letzten als aus wir alle nur jede jeder immer nie seit bis ab beginnt steht auch oder sich dass verstehen versteht gemeint zählt zählen verwenden sondern summe anzahl nach durch ausschließen einschließlich"),
	None:    text.Words("le les la des du est une et que pour avec dans sur pas qui au aux ce el los las del para por con como es y se una è il di per gli della het een van voor niet met"),
}

// tongue returns the language of a list of words in lower case, by their stop words; None = it is
// another language, or not clear.
func tongue(list []string) Language {
	var en, de, other int
	for _, w := range list {
		if stopWords[English](w) {
			en++
		}
		if stopWords[German](w) {
			de++
		}
		if stopWords[None](w) {
			other++
		}
	}
	switch {
	case en > de && en > other:
		return English
	case de > en && de > other:
		return German
	}
	return None
}

// lowered returns the words of a text in lower case.
func lowered(s string) []string { return words(strings.ToLower(s)) }
