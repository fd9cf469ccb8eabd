package assertion

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// courtesy is a sentence that only greets, thanks or says goodbye.
	courtesy = text.Pattern(`(?i)^(?:(?:many |a lot of )?thanks|thank you|thx|ty|cheers|please|pls|hi|hello|hey|morning|good morning|bye|see you|danke|vielen dank|dankeschön|merci|hallo|moin|guten morgen|tschüss|bis (?:morgen|dann|später)|schönen (?:abend|feierabend)|viele grüße|liebe grüße|lg|ok|okay|great|super|sure|perfect|lovely|noted|got it|cool|brilliant|perfekt|top|prima|klasse|alles klar)(?: (?:at the \pL+|in the \pL+|on \pL+|all|everybody|everyone|a lot|a million|a bunch|a ton|so much|you|dir|euch|ihnen|zusammen|schon mal|im voraus|in advance|again|tomorrow|then))*$`)
	// condition of the day: "deploy is done", "dashboards are green again".
	ofTheDay = text.Pattern(`(?i)^(?:the |der |die |das |our |all )?[\pL-]+(?: [\pL-]+)? (?:is|are|was|were|ist|sind|war|waren|läuft|laufen) (?:(?:now|all|jetzt|alle|already|wieder|again) )?(?:done|back|green|red|up|down|broken|fixed|deployed|running|finished|slow|online|offline|through|live|fertig|grün|rot|kaputt|durch|da|oben|repariert|langsam)(?: (?:again|now|wieder|jetzt|today|heute))?$`)
	// smiley is a picture by its name: ":pray:".
	smiley    = text.Pattern(`\s*:[a-z_+\d]{2,30}:`)
	clauseEnd = text.Pattern(`\s*(?:,|;| and | und | but | aber )\s*`)
)

// chatter reports whether each of some sentences is a question, a courtesy, or says how something is today.
// Shape: false for no sentences.
func chatter(list []sentence) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(s sentence) bool {
		if asks(s.text) {
			return false
		}
		return !polite(s.text, ofTheDay())
	})
}

// polite reports whether each clause of a sentence greets, thanks or says goodbye, or has another form: "perfect, thanks :pray:".
func polite(s string, also *regexp.Regexp) bool {
	for _, part := range clauseEnd().Split(strings.TrimRight(smiley().ReplaceAllString(s, ""), " .!)("), -1) {
		if part = strings.TrimSpace(part); part != "" && !courtesy().MatchString(part) && !(also != nil && also.MatchString(part)) {
			return false
		}
	}
	return true
}
