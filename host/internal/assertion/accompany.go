package assertion

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
)

// venuePattern is where a number is shown.
const venuePattern = `(?:reports?|reporting|(?:dash|white|notice)boards?|decks?|mails?|e-mails?|newsletters?|slides?|charts?|tiles?|sheets?|spreadsheets?|pages?|wiki|overview|list|meetings?|review|presentation|summary|table of numbers|\pL*berichte?n?|\pL*bericht(?:en|s)?|\pL*mail|\pL*folien?|\pL*diagramm|\pL*übersicht|\pL*auswertung(?:en)?|\pL*seite|\pL*blatt|\pL*liste|\pL*sitzung(?:en)?|\pL*besprechung(?:en)?|\pL*protokoll)`

// showing matches a word for where a number is shown.
var showing = text.Pattern(`^` + venuePattern + `$`)

// An accompaniment is a form of what accompanies a definition; cues are parts of all that the pattern matches.
type accompaniment struct {
	cues    []string
	pattern func() *regexp.Regexp
}

func accompanying(cues, expression string) accompaniment {
	return accompaniment{strings.Split(cues, "|"), text.Pattern(`(?i)` + expression)}
}

// accompaniments are what stands before a definition without changing it: where a number is shown, and who says so.
var accompaniments = sync.OnceValue(func() []accompaniment {
	const modifier = `(?:(?:the|our|my|this|that|every|each|all|a|weekly|monthly|quarterly|daily|annual|yearly|big|internal|external|official|board|management|team|finance|sales|den|der|dem|das|die|unserem|unserer|unseren|unser|jedem|jeder|wöchentlichen|monatlichen|täglichen|jährlichen|internen) )*`
	const factive = `^[^=<>()'"]{1,100}\b(?:written down|documented|aware|known|know|knew|knows|remember(?:ed|s)?|forgets?|forgot(?:ten)?|notice[ds]?|reali[sz]e[ds]?|found out|weiß|wissen|wusste|wussten|vergessen|vergisst|gemerkt|aufgeschrieben|dokumentiert),? (?:that|dass) `
	return []accompaniment{
		// Who says so, and where it was agreed.
		accompanying("as |like ", `^(?:as|like) (?:agreed|discussed|mentioned|decided|settled|said|usual|always|ever|you know|everybody knows)(?: (?:with|in|at|on|by|yesterday|today|before|last \pL+)(?: [\pL-]+){0,4})?[,:]? `),
		accompanying("wie ", `^wie (?:besprochen|vereinbart|gesagt|gehabt|immer|abgestimmt|bekannt|beschlossen)(?: (?:mit|im|in|am|gestern|heute)(?: [\pL-]+){0,4})?[,:]? `),
		accompanying("according|laut ", `^(?:according to|laut) (?:the )?[\pL]+(?: [\pL]+)?,? `),
		// What somebody knows, forgot or wrote down is so, whether they did or not.
		accompanying(" that | dass ", factive),
		// Where it is shown.
		accompanying("in |for |on |at |im |für |auf |bei ", `^(?:in|for|on|at|im|in|für|auf|bei) `+modifier+venuePattern+`,? `),
		// From when on, without a date: it holds.
		accompanying("from now|as of now|going forward|ab jetzt|ab sofort|künftig|zukunft", `(?:^|,? )(?:from now on|as of now|going forward|ab jetzt|ab sofort|künftig|in zukunft)(?:,|\b)`),
	}
})

// unled returns a sentence without what accompanies its beginning: "As agreed, …", "From now on …".
func unled(s string) string {
	lower := strings.ToLower(s)
	for i := range accompaniments() {
		form := &accompaniments()[i]
		at := form.find(s, lower)
		if at != nil && at[0] == 0 && at[1] < len(s) && copulaAtEnd().FindString(s[:at[1]]) == "" && form.harmless(s[:at[1]]) {
			s = strings.TrimLeft(s[at[1]:], " ,:")
			lower = strings.ToLower(s)
		}
	}
	return s
}

// find returns where a form is in a sentence; nil = nowhere.
func (p *accompaniment) find(s, lower string) []int {
	if !slices.ContainsFunc(p.cues, func(cue string) bool { return strings.Contains(lower, cue) }) {
		return nil
	}
	return p.pattern().FindStringIndex(s)
}

// negated is a part whose own negation is what it says: "no filter", "nothing else", "nobody knew that".
var negated = text.Pattern(`(?i)filter|condition|restriction|exclusion|bedingung|einschränkung|nothing|nichts|mehr nicht| (?:that|dass) $`)

// harmless reports whether a part of a sentence may be left out.
func (p *accompaniment) harmless(part string) bool {
	return negated().MatchString(part) || !slices.ContainsFunc(lowered(part), func(w string) bool { return doubtful(w) || classes()[w]&(leaveWord|notWord) != 0 })
}

// accompanied are the first words of what accompanies a beginning.
var accompanied = text.Words("as like wie according laut in for on at im für auf bei from going ab künftig")

// copulaAtEnd is the verb that follows what is left out.
var copulaAtEnd = text.Pattern(`(?i) (?:is|are|means|ist|sind|steht|stehen)$`)
