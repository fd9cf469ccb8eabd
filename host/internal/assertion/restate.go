package assertion

import (
	"regexp"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
)

// restated are forms of a definition that are read as another one: "Die Dauer geben wir als Median von … an" as "Die Dauer ist Median von …",
// "We define net billing as the sum of …" as "net billing is the sum of …", "Zur Berechnung der Quote teilen wir …" as "Für die Quote …", "Wir
// zählen als dringende Tickets alle Zeilen …" as "Als dringende Tickets zählen wir …".
var restated = []struct {
	form func() *regexp.Regexp
	as   string
}{
	{text.Pattern(`(?i)^((?:die |der |das |unsere? )?[^,:;=]{2,60}?) (?:geben|gebe|weisen|weist) (?:wir|man|ich) als (.+?) (?:an|aus)$`), "$1 ist $2"},
	{text.Pattern(`(?i)^we (?:define|compute|calculate|measure|report) ((?:the |our )?[^,:;=()]{2,60}?) (?:as|by) ((?:the )?(?:sum|total|number|count|average|mean|median|minimum|maximum|share|ratio) .+)$`), "$1 is $2"},
	{text.Pattern(`(?i)^wir (?:definieren|berechnen|messen|ermitteln) ((?:die |den |das |unsere[n]? )?[^,:;=()]{2,60}?) (?:als|über) ((?:die |den |das )?(?:summe|anzahl|durchschnitt|mittelwert|median|minimum|maximum|anteil|quotient(?:en)?) .+)$`), "$1 ist $2"},
	{text.Pattern(`(?i)^(?:berechnet|ermittelt|gemessen|definiert) (?:wird|werden) ((?:die |der |das |unsere? )?[^,:;=()]{2,60}?) (?:als|über) ((?:die |der |das )?(?:summe|anzahl|durchschnitt|mittelwert|median|minimum|maximum|anteil|quotient) .+)$`), "$1 ist $2"},
	{text.Pattern(`(?i)((?:=|<>|<=|>=|<|>) ?(?:'[^']*'|true|false|\d[\d.,]*)) (?:sein|gelten|betragen) (?:muss|müssen|soll|sollen)\b`), "$1"},
	{text.Pattern(`(?i)^we count as ([^,:;=]{3,60}?) (every|all|each|the) `), "As $1 we count $2 "},
	{text.Pattern(`(?i)\b(nur [\pL_][\pL\pN_.]* ?(?:=|<>|<=|>=|<|>) ?(?:'[^']*'|true|false|\d[\d.,]*)) (?:einfließt|zählt|eingeht|gilt|mitzählt|reinkommt)\b`), "$1"},
	{text.Pattern(`(?i)\b(leaves?|leaving) away\b`), "$1 out"},
	{text.Pattern(`(?i)^zur (?:berechnung|ermittlung|bestimmung) (?:der|unserer) `), "Für die "},
	{text.Pattern(`(?i)^wir (zählen|führen|bezeichnen) als ([^,:;=]{3,60}?) (alle|die|jede|jeden|sämtliche) `), "Als $2 $1 wir $3 "},
}

// restating are the words with which, or behind whose beginning, a form begins that is restated.
var restating = text.Words("we wir zur away einfließt zählt eingeht gilt mitzählt reinkommt muss müssen soll sollen wird werden geben gebe weisen weist")

// restate returns a sentence in the form that is read.
func (s *sentence) restate(words string) string {
	if !slices.ContainsFunc(s.words, restating) {
		return words
	}
	for _, r := range restated {
		words = r.form().ReplaceAllString(words, r.as)
	}
	return words
}
