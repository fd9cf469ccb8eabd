package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// courtesy is a sentence that only greets, thanks or says goodbye.
	courtesy = text.Pattern(`(?i)^(?:(?:many |a lot of )?thanks|thank you|thx|ty|cheers|please|pls|hi|hello|hey|morning|good morning|bye|see you|danke|vielen dank|dankeschön|merci|hallo|moin|guten morgen|tschüss|bis (?:morgen|dann|später)|schönen (?:abend|feierabend)|viele grüße|liebe grüße|lg|ok|okay|great|super|sure)(?: (?:all|everybody|everyone|a lot|so much|you|dir|euch|ihnen|zusammen|schon mal|im voraus|in advance|again|tomorrow|then))*$`)
	// condition of the day: "deploy is done", "dashboards are green again".
	ofTheDay  = text.Pattern(`(?i)^(?:the |der |die |das |our |all )?[\pL-]+(?: [\pL-]+)? (?:is|are|was|were|ist|sind|war|waren|läuft|laufen) (?:(?:now|all|jetzt|alle|already|wieder|again) )?(?:done|back|green|red|up|down|broken|fixed|deployed|running|finished|slow|online|offline|through|live|fertig|grün|rot|kaputt|durch|da|oben|repariert|langsam)(?: (?:again|now|wieder|jetzt|today|heute))?$`)
	clauseEnd = text.Pattern(`\s*(?:,|;| and | und | but | aber )\s*`)
)

// chatter reports whether each of some sentences is a question, a courtesy, or says how something is today.
// Shape: false for no sentences.
func chatter(list []sentence) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(s sentence) bool {
		if asks(s.text) {
			return false
		}
		for _, part := range clauseEnd().Split(strings.TrimRight(s.text, " .!)("), -1) {
			if part = strings.TrimSpace(part); part != "" && !courtesy().MatchString(part) && !ofTheDay().MatchString(part) {
				return true
			}
		}
		return false
	})
}
