package assertion

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
)

// venuePattern is where a number is shown.
const venuePattern = `(?:reports?|reporting|dashboards?|decks?|mails?|e-mails?|newsletters?|slides?|charts?|tiles?|sheets?|spreadsheets?|pages?|wiki|overview|list|meetings?|review|presentation|summary|table of numbers|\pL*berichte?n?|\pL*bericht(?:en|s)?|\pL*mail|\pL*folien?|\pL*diagramm|\pL*übersicht|\pL*auswertung(?:en)?|\pL*seite|\pL*blatt|\pL*liste)`

// accompaniments are what stands beside a definition without changing it, by its form: where a number is shown, who says so,
// why, and that nothing is filtered.
var accompaniments = sync.OnceValue(func() []func() *regexp.Regexp {
	const modifier = `(?:(?:the|our|my|this|that|every|each|all|a|weekly|monthly|quarterly|daily|annual|yearly|big|internal|external|official|board|management|team|finance|sales|den|der|dem|das|die|unserem|unserer|unseren|unser|jedem|jeder|wöchentlichen|monatlichen|täglichen|jährlichen|internen) )*`
	const factive = `^[^=<>()'"]{1,100}\b(?:written down|documented|aware|known|know|knew|knows|remember(?:ed|s)?|forgets?|forgot(?:ten)?|notice[ds]?|reali[sz]e[ds]?|found out|weiß|wissen|wusste|wussten|vergessen|vergisst|gemerkt|aufgeschrieben|dokumentiert),? (?:that|dass) `
	forms := []string{
		// Who says so, and where it was agreed.
		`^(?:as|like) (?:agreed|discussed|mentioned|decided|settled|said|usual|always|ever|you know|everybody knows)(?: (?:with|in|at|on|by|yesterday|today|before|last \pL+)(?: [\pL-]+){0,4})?[,:]? `,
		`, (?:as|like) (?:agreed|discussed|mentioned|decided|settled|said|usual|always|you know)(?: (?:with|in|at|on|by|yesterday|today|before)(?: [\pL-]+){0,4})?(?:,|$)`,
		`^wie (?:besprochen|vereinbart|gesagt|gehabt|immer|abgestimmt|bekannt|beschlossen)(?: (?:mit|im|in|am|gestern|heute)(?: [\pL-]+){0,4})?[,:]? `,
		`, wie (?:besprochen|vereinbart|gesagt|gehabt|immer|abgestimmt|bekannt)(?: (?:mit|im|in|am|gestern|heute)(?: [\pL-]+){0,4})?(?:,|$)`,
		`^(?:according to|laut) (?:the )?[\pL]+(?: [\pL]+)?,? `,
		// What somebody knows, forgot or wrote down is so, whether they did or not.
		factive,
		// Where it is shown.
		`^(?:in|for|on|at|im|in|für|auf|bei) ` + modifier + venuePattern + `,? `,
		`,? (?:in|for|on|at|im|in|für|auf|bei) ` + modifier + venuePattern + `(?:,|$| (?:is|are|means|ist|sind|steht|stehen)\b)`,
		// Why, and what it is good for.
		`, (?:because|which is why|so that|since (?:we|they|it|finance|nobody|everybody)|as (?:we|they|finance)|weil|denn|damit|sodass|deshalb|darum) [^=<>'"]{1,120}$`,
		// From when on, without a date: it holds.
		`(?:^|,? )(?:from now on|as of now|going forward|ab jetzt|ab sofort|künftig|in zukunft)(?:,|\b)`,
		// Nothing is filtered.
		`,? (?:regardless of|no matter|irrespective of|whatever|independent of|egal(?: welche[rsmn]?)?|unabhängig (?:von|vom)|gleich welche[rsmn]?) (?:the |which |what |its |their |dem |der |den )?[\pL_]+(?: (?:it is|they are|is|are|it has|they have|sie haben|es ist))?(?:,|$)`,
		`,? (?:with no|without any|no|ohne(?: jeden| weitere)?|kein(?:e|en)?) (?:further |other |additional |more )?(?:filters?|conditions?|restrictions?|exclusions?|filter|bedingung(?:en)?|einschränkung(?:en)?)(?: (?:needed|required|applied|at all|nötig))?(?:,|$)`,
		// Emphasis.
		`, (?:nothing else|nothing more|that is all|that's all|full stop|period|sonst nichts|mehr nicht|fertig|punkt)$`,
		`\((?:what|that is what|that's what|which is what|as|was|wie) [^()=<>'"]{1,60}\)`,
	}
	all := make([]func() *regexp.Regexp, len(forms))
	for i, form := range forms {
		all[i] = text.Pattern(`(?i)` + form)
	}
	return all
})

// unaccompanied returns a sentence without what stands beside its definition. A part with a negation or a restriction stays.
func unaccompanied(s string) string {
	for _, form := range accompaniments() {
		at := form().FindStringIndex(s)
		if at == nil {
			continue
		}
		part := s[at[0]:at[1]]
		filters := strings.Contains(strings.ToLower(part), "filter") || strings.Contains(strings.ToLower(part), "condition") || strings.Contains(strings.ToLower(part), "restriction") ||
			strings.Contains(strings.ToLower(part), "bedingung") || strings.Contains(strings.ToLower(part), "einschränkung") || strings.Contains(strings.ToLower(part), "exclusion") || strings.Contains(strings.ToLower(part), "nothing") || strings.Contains(strings.ToLower(part), "nicht")
		knows := strings.HasSuffix(part, " that ") || strings.HasSuffix(part, " dass ")
		if !filters && !knows && slices.ContainsFunc(lowered(part), func(w string) bool { return doubtful(w) || negatingWords(w) }) {
			continue
		}
		keep := ""
		if m := copulaAtEnd().FindString(part); m != "" {
			keep = m
		}
		s = strings.TrimSpace(s[:at[0]] + keep + " " + strings.TrimLeft(s[at[1]:], " "))
	}
	return s
}

// unled returns a sentence without what accompanies its beginning: "As agreed, …", "From now on …".
func unled(s string) string {
	for _, form := range accompaniments() {
		at := form().FindStringIndex(s)
		if at != nil && at[0] == 0 && at[1] < len(s) && copulaAtEnd().FindString(s[:at[1]]) == "" && !slices.ContainsFunc(lowered(s[:at[1]]), func(w string) bool { return doubtful(w) || negatingWords(w) }) {
			s = strings.TrimLeft(s[at[1]:], " ,:")
		}
	}
	return s
}

// accompanied are the first words of what accompanies a beginning.
var accompanied = text.Words("as like wie according laut in for on at im für auf bei from going ab künftig")

// copulaAtEnd is the verb that follows what is left out.
var copulaAtEnd = text.Pattern(`(?i) (?:is|are|means|ist|sind|steht|stehen)$`)
