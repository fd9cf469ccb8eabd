package assertion

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// rule matches sentences. Its expression has named groups: s subject, v value, u unit, c column, t table.
type rule struct {
	name      string
	language  Language // None = in every language
	attribute Attribute
	// cues are words; the rule is tried only if the sentence contains one; "" = always.
	cues       string
	expression string // a regular expression that ignores case
	pattern    func() *regexp.Regexp
	// weak says that a match counts only if it is anchored.
	weak bool
	// build checks a match and completes its statement; nil = no check.
	build func(s *sentence, st *Statement, m match) bool
}

// match are the named groups of a match.
type match struct {
	pattern *regexp.Regexp
	groups  []string
}

func (m match) group(name string) string {
	for i, n := range m.pattern.SubexpNames() {
		if n == name && m.groups[i] != "" {
			return m.groups[i]
		}
	}
	return ""
}

// name matches a column or table, qualified one with at least one dot.
const (
	namePattern      = "`?[\\pL_][\\pL\\d_]*(?:\\.[\\pL_][\\pL\\d_]*)*`?"
	qualifiedPattern = "`?[\\pL_][\\pL\\d_]*(?:\\.[\\pL_][\\pL\\d_]*)+`?"
	literalPattern   = `'[^']+'|"[^"]+"|“[^”]+”|„[^“”]+[“”]`
	subjectPattern   = `(?P<s>[^:：;?!]{1,100}?)`
	unitPattern      = `(?P<u>(?:(?:thousands?|millions?|billions?|tausend|millionen|mio\.?|tsd\.?) (?:of )?)?(?:€|\$|£|¥|%|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|AUD|CAD|INR|BRL|euros?|dollars?|us dollars?|pounds?|yen|franken|francs|(?:euro ?|us )?cents?|minor units|pence|percent|per cent|percentage points?|basis points?|bps|prozent|prozentpunkten?|` +
		`milliseconds?|microseconds?|nanoseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|ms|millisekunden?|sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?|` +
		`bytes?|kilobytes?|megabytes?|gigabytes?|kb|mb|gb|kib|mib|gib|kg|kilograms?|kilogramm|grams?|gramm|g|tonnes?|tonnen?|pieces|stück|units|stücken?|meters?|metres?|metern?|km|kilometers?|kilometern?|cm|mm|litres?|liters?|litern?|kwh|mwh|celsius|fahrenheit))`
	zonePattern = `(?P<u>(?-i:UTC(?:[+-]\d{1,2}(?::?\d{2})?)?|GMT|CET|CEST|MEZ|MESZ|EST|EDT|CST|CDT|MST|MDT|PST|PDT|BST|IST|JST|(?:Europe|America|Asia|Africa|Australia|Pacific|Atlantic)/[A-Z][A-Za-z_/]+)|local time|berlin time|ortszeit|lokaler zeit|berliner zeit)`
)

// formerFormula is the rule of a formula in the past tense with a validity; without a validity, the past tense is not
// a definition.
const formerFormula = "formula_for_a_time"

// rules are tried in this order; the first match is the statement. Structures ("X: Y") are tried
// after them.
var rules = []rule{
	{name: "value_label", attribute: ValueLabel, cues: "means denotes bedeutet heißt stands steht", expression: `^(?P<c>` + namePattern + `)\s*(?:==?|is|of|ist)\s*(?P<s>` + literalPattern + `|\x60[^\x60]+\x60|-?\d+) (?:means|denotes|stands for|bedeutet|heißt|steht für):? (?P<v>.+)$`, build: buildLabel},
	{name: "value_label", attribute: ValueLabel, cues: "means denotes bedeutet heißt stands steht", weak: true, expression: `^(?P<s>` + literalPattern + `) (?:means|denotes|stands for|bedeutet|heißt|steht für):? (?P<v>.+)$`, build: buildLabel},

	{name: "relation", attribute: Relation, cues: "references refers points links joins join key verweist zeigt referenziert bezieht", expression: `^(?P<s>` + qualifiedPattern + `) (?:references|refers to|points to|links to|joins(?: to| with| on)?|can be joined (?:to|with|on)|is a foreign key (?:to|of|on)|verweist auf|zeigt auf|referenziert|bezieht sich auf) (?P<v>` + qualifiedPattern + `)$`},
	{name: "relation", attribute: Relation, expression: `^(?P<s>` + qualifiedPattern + `) ?(?:→|->|=>) ?(?P<v>` + qualifiedPattern + `)$`},

	{name: "calendar", language: English, attribute: Calendar, cues: "year years week weeks fy", expression: `^(?:the |our |a )?(?P<s>(?:fiscal|financial|business) years?|fy|weeks?) (?:always )?(?:starts?|begins?) (?:in|on|with) (?:the )?(?P<v>.+)$`, build: buildCalendar},
	{name: "calendar", language: German, attribute: Calendar, cues: "geschäftsjahr wirtschaftsjahr woche wochen", expression: `^(?:das |unser |die |eine )?(?P<s>geschäftsjahr|wirtschaftsjahr|wochen?) (?:beginnt|beginnen|startet|starten|fängt) (?:immer )?(?:im|am|mit|mit dem) (?P<v>.+)$`, build: buildCalendar},

	{name: "grain", language: English, attribute: Grain, cues: "row record line rows", weak: true, expression: `^(?:the )?(?P<s>` + namePattern + `)(?: table)? (?:has|contains|stores|holds|keeps) (?:exactly )?one (?:row|record|line) (?:per|for each|for every) (?P<v>.+)$`},
	{name: "grain", language: English, attribute: Grain, cues: "row record line", weak: true, expression: `^(?:each|every|one|a) (?:row|record|line) (?:of|in) (?:the )?(?P<s>` + namePattern + `)(?: table)? (?:is|represents|stands for|describes) (?:one |an? |exactly one )?(?P<v>.+)$`},
	{name: "grain", language: German, attribute: Grain, cues: "zeile datensatz", weak: true, expression: `^(?:die tabelle )?(?P<s>` + namePattern + `) (?:hat|enthält|speichert) (?:genau )?(?:eine zeile|einen datensatz) (?:pro|je|für jeden?) (?P<v>.+)$`},
	{name: "grain", language: German, attribute: Grain, cues: "zeile datensatz", weak: true, expression: `^(?:jede|eine) zeile (?:in|von|der tabelle) (?P<s>` + namePattern + `) (?:ist|entspricht|beschreibt) (?:genau )?(?:einer|einem|eine|ein) (?P<v>.+)$`},

	{name: "deprecation", language: English, attribute: Deprecation, cues: "use", weak: true, expression: `^(?:do not|don't|don’t|never|please do not) use (?P<s>` + namePattern + `)(?: any ?more| any longer)?(?:,|;| but| —| –|,? but)? (?:rather |please )?use (?P<v>` + namePattern + `)(?: instead)?$`},
	{name: "deprecation", language: English, attribute: Deprecation, cues: "instead", weak: true, expression: `^(?:always |please )?use (?P<v>` + namePattern + `) instead of (?P<s>` + namePattern + `)$`},
	{name: "deprecation", language: English, attribute: Deprecation, cues: "deprecated obsolete", weak: true, expression: `^(?:the (?:column|table|measure|field) )?(?P<s>` + namePattern + `) (?:is|are) (?:deprecated|obsolete)(?:(?:[,;]| and|:| —| –)? (?:please )?(?:use|replaced by|in favou?r of|superseded by) (?P<v>` + namePattern + `)(?: instead)?)?$`},
	{name: "deprecation", language: German, attribute: Deprecation, cues: "verwenden nutzen benutzen", weak: true, expression: `^(?P<s>` + namePattern + `) (?:bitte )?nicht (?:mehr )?(?:verwenden|nutzen|benutzen)(?:, sondern (?P<v>` + namePattern + `)(?: verwenden| nutzen)?)?$`},
	{name: "deprecation", language: German, attribute: Deprecation, cues: "veraltet", weak: true, expression: `^(?:die spalte |die tabelle )?(?P<s>` + namePattern + `) ist veraltet(?:[,;:] (?:bitte )?(?P<v>` + namePattern + `) (?:verwenden|nutzen))?$`},

	{name: "synonym", language: English, attribute: Synonym, cues: "known called aka synonym synonyms referred alias", weak: true, expression: `^` + subjectPattern + `,? (?:(?:is|are) )?(?:also|sometimes|often|otherwise) (?:known as|called|referred to as) (?P<v>[^,;:]+)$`, build: buildSynonym},
	{name: "synonym", language: English, attribute: Synonym, cues: "aka a.k.a", weak: true, expression: `^` + subjectPattern + `,? \(?(?:aka|a\.k\.a\.?) (?P<v>[^,;:)]+)\)?$`, build: buildSynonym},
	{name: "synonym", language: English, attribute: Synonym, cues: "synonym synonymous alias another", weak: true, expression: `^` + subjectPattern + ` is (?:an? )?(?:synonym|synonymous|alias|another (?:word|name|term)) (?:of|for|with|to) (?P<v>[^,;:]+)$`, build: buildSynonym},
	{name: "synonym", language: English, attribute: Synonym, cues: "call", weak: true, expression: `^we (?:also )?call (?:the )?(?P<s>.+?) (?P<v>` + literalPattern + `|[A-Z][A-Z0-9]{1,8})$`, build: buildSynonym},
	{name: "synonym", language: German, attribute: Synonym, cues: "genannt bezeichnet synonym", weak: true, expression: `^` + subjectPattern + ` (?:wird|werden|heißt) (?:(?:bei uns|hier|intern) )?(?:auch|oft|manchmal) (?:als )?(?P<v>[^,;:]+?) (?:genannt|bezeichnet)$`, build: buildSynonym},
	{name: "synonym", language: German, attribute: Synonym, cues: "heißt synonym", weak: true, expression: `^` + subjectPattern + ` (?:heißt auch|ist (?:ein )?synonym (?:für|zu|von)) (?P<v>[^,;:]+)$`, build: buildSynonym},

	{name: "owner", language: English, attribute: Owner, cues: "owned owner owns", weak: true, expression: `^` + subjectPattern + ` (?:is|are) owned by (?:the )?(?P<v>[^,;:]+)$`},
	{name: "owner", language: English, attribute: Owner, cues: "owner", weak: true, expression: `^(?:the )?owner of (?:the )?(?P<s>.+?) is (?:the )?(?P<v>[^,;:]+)$`},
	{name: "owner", language: German, attribute: Owner, cues: "verantwortlich gehört", weak: true, expression: `^(?:verantwortlich für|für) (?P<s>.+?) (?:ist|ist verantwortlich:?) (?P<v>[^,;:]+?)(?: verantwortlich| zuständig)?$`},

	{name: "time_zone", language: English, attribute: TimeZone, weak: true, expression: `^(?:all )?` + subjectPattern + ` (?:is|are) (?:always )?(?:(?:stored|reported|recorded|given|kept|shown) )?(?:in )?(?:the time zone )?` + zonePattern + `$`, build: buildUnit},
	{name: "time_zone", language: German, attribute: TimeZone, weak: true, expression: `^(?:alle )?` + subjectPattern + ` (?:ist|sind|wird|werden|liegt|liegen) (?:immer )?in ` + zonePattern + `(?: gespeichert| angegeben)?$`, build: buildUnit},
	{name: "unit", language: English, attribute: Unit, cues: "is are", weak: true, expression: `^(?:all )?` + subjectPattern + ` (?:is|are) (?:always )?(?:(?:reported|stored|measured|expressed|given|recorded|kept|denominated) )?in ` + unitPattern + `(?: per (?P<per>\pL+))?(?: in (?P<c>` + namePattern + `))?(?P<rest>, .+)?$`, build: buildUnit},
	{name: "unit", language: German, attribute: Unit, cues: "ist sind wird werden", weak: true, expression: `^(?:alle )?` + subjectPattern + ` (?:ist|sind|wird|werden) (?:immer )?in ` + unitPattern + `(?: pro (?P<per>\pL+))?(?: (?:angegeben|gespeichert|gemessen|ausgewiesen|geführt|berichtet))?(?P<rest>, .+)?$`, build: buildUnit},

	{name: "formula", language: English, attribute: FormulaOf, cues: "is are equals calculated computed", expression: `^` + subjectPattern + ` (?:(?:is|are) (?:(?:always )?(?:calculated|computed|counted|measured|defined|derived) (?:as|by|from) )?|equals? |= )(?P<v>.+)$`, build: buildFormula},
	{name: "formula", language: German, attribute: FormulaOf, cues: "ist sind wird werden entspricht", expression: `^` + subjectPattern + ` (?:(?:ist|sind|entspricht) (?:definiert als )?|(?:wird|werden) (?:berechnet|ermittelt) als |= )(?P<v>.+?)(?: berechnet)?$`, build: buildFormula},

	{name: "formula", language: English, attribute: FormulaOf, cues: "define compute calculate count", expression: `^we (?:define|compute|calculate|count) (?P<s>.+?) (?:as|by) (?P<v>.+)$`, build: buildFormula},
	{name: "formula", language: German, attribute: FormulaOf, cues: "definieren berechnen zählen", expression: `^wir (?:definieren|berechnen|zählen) (?P<s>.+?) als (?P<v>.+)$`, build: buildFormula},

	{name: "formula", language: English, attribute: FormulaOf, cues: "compute calculate count define measure", expression: `^how (?:we|to) (?:compute|calculate|count|define|measure) (?P<s>[^:]+?): (?P<v>.+)$`, build: buildFormula},
	{name: "formula", language: German, attribute: FormulaOf, cues: "berechnen rechnen zählen ermitteln messen", expression: `^(?:so|wie wir) (?:(?:berechnen|zählen|ermitteln|messen) wir )?(?P<s>[^:]+?)(?: berechnen| zählen| ermitteln| messen)?: (?P<v>.+)$`, build: buildFormula},

	{name: formerFormula, language: English, attribute: FormulaOf, cues: "until till since from through", expression: `^` + subjectPattern + ` (?:was|were) (?:(?:calculated|computed|measured|defined) (?:as|by|from) )?(?P<v>.+)$`, build: buildFormula},
	{name: formerFormula, language: German, attribute: FormulaOf, cues: "bis seit ab", expression: `^(?:ist|sind|war|waren|wurde|wurden) ` + subjectPattern + ` (?:als )?(?P<v>(?:die |der |das )?(?:summe|gesamtsumme|durchschnitt|mittelwert|median|anzahl|zahl|minimum|maximum) .+)$`, build: buildFormula},
	{name: formerFormula, language: German, attribute: FormulaOf, cues: "bis seit ab", expression: `^` + subjectPattern + ` (?:war|waren|wurde|wurden) (?:berechnet als )?(?P<v>.+)$`, build: buildFormula},

	{name: "definition", language: English, attribute: Definition, cues: "mean understand", expression: `^by (?P<s>.+?),? we (?:mean|understand) (?P<v>.+)$`, build: buildDefinition},
	{name: "definition", language: English, attribute: Definition, cues: "means defined denotes", expression: `^(?P<term>the (?:term|word|metric|kpi) )?` + subjectPattern + ` (?:means|(?:is|are) defined as|denotes) (?P<v>.+)$`, build: buildDefinition},
	{name: "definition", language: English, attribute: Definition, cues: "refers", weak: true, expression: `^(?P<term>the (?:term|word|metric|kpi) )?` + subjectPattern + ` refers to (?P<v>.+)$`, build: buildDefinition},
	{name: "definition", language: German, attribute: Definition, cues: "verstehen versteht", expression: `^unter (?P<s>.+?) (?:verstehen wir|versteht man|wird verstanden) (?P<v>.+)$`, build: buildDefinition},
	{name: "definition", language: German, attribute: Definition, cues: "gemeint", expression: `^mit (?P<s>.+?) (?:ist|sind) (?P<v>.+?) gemeint$`, build: buildDefinition},
	{name: "definition", language: German, attribute: Definition, cues: "bedeutet heißt definiert bezeichnet", expression: `^(?P<term>(?:der begriff|die kennzahl) )?` + subjectPattern + ` (?:bedeutet|(?:ist|sind) definiert als|bezeichnet) (?P<v>.+)$`, build: buildDefinition},
	{name: "definition", language: German, attribute: Definition, cues: "heißt", weak: true, expression: `^` + subjectPattern + ` heißt,? (?P<v>.+)$`, build: buildDefinition},

	{name: "expansion", attribute: Expansion, cues: "stands short steht", expression: `^` + subjectPattern + ` (?:stands for|is short for|is the abbreviation (?:of|for)|steht für|ist die abkürzung (?:von|für)) (?P<v>[^:;]+)$`, build: buildExpansion},
	{name: "expansion", attribute: Expansion, weak: true, expression: `^(?P<v>[\pL][\pL -]{4,60}) \((?P<s>[A-Z][A-Za-z&/-]{1,9})\)$`, build: buildExpansion},

	{name: "filter", language: English, attribute: Filter, cues: "exclude include ignore count", weak: true, expression: `^(?P<how>always|never|do not|don't|don’t) (?P<verb>exclude|include|ignore|count|filter out|leave out) (?P<v>.+?)(?: (?:when|while|if) (?P<when>.+)| (?:from|in|for) (?P<t>.+))?$`, build: buildConvention},
	{name: "filter", language: English, attribute: Filter, cues: "excludes includes exclude include", weak: true, expression: `^` + subjectPattern + ` (?P<how>always |never |only |does not |doesn't |do not |don't )?(?P<verb>excludes?|includes?|counts?) (?P<only>only )?(?P<v>.+)$`, build: buildInclusion},
	{name: "filter", language: German, attribute: Filter, cues: "ausschließen einschließen ignorieren mitzählen herausfiltern weglassen", weak: true, expression: `^(?P<v>.+?) (?P<how>immer|nie|niemals|nicht) (?P<verb>ausschließen|herausfiltern|ignorieren|weglassen|einschließen|mitzählen)$`, build: buildConvention},
	{name: "filter", language: German, attribute: Filter, cues: "mitgezählt berücksichtigt", weak: true, expression: `^(?P<v>.+?) (?:wird|werden) (?P<how>nicht |immer |nie )?(?P<verb>mitgezählt|berücksichtigt)$`, build: buildConvention},
	{name: "filter", language: German, attribute: Filter, cues: "enthält umfasst schließt", weak: true, expression: `^` + subjectPattern + ` (?:enthält|umfasst) (?P<how>keine |nicht |nur )?(?P<v>.+)$`, build: buildInclusion},

	{name: "convention", language: English, attribute: Definition, cues: "all", weak: true, expression: `^all (?P<s>[\pL_][\pL\d_ ]*?) (?:is|are) (?:always )?(?P<v>gross|net|(?:inclusive|exclusive) of [\pL ]+|(?:including|excluding|without|with) (?:vat|tax|taxes|shipping|discounts?))$`},
	{name: "convention", language: German, attribute: Definition, cues: "alle", weak: true, expression: `^alle (?P<s>[\pL_][\pL\d_ ]*?) (?:ist|sind|verstehen sich) (?:immer )?(?P<v>brutto|netto|(?:inklusive|exklusive|ohne|mit|inkl\.|exkl\.|zzgl\.) [\pL]+)$`},

	{name: "quantity", language: English, attribute: Definition, cues: "is was are were", weak: true, expression: `^(?:the )?` + subjectPattern + ` (?:is|was|are|were) (?P<v>` + amountPattern + `)$`},
	{name: "quantity", language: German, attribute: Definition, cues: "ist war beträgt betrug liegt lag sind waren", weak: true, expression: `^(?:der |die |das )?` + subjectPattern + ` (?:ist|war|beträgt|betrug|sind|waren|liegt bei|lag bei) (?P<v>` + amountPattern + `)$`},
	{name: "quantity", language: German, attribute: Definition, cues: "ist war beträgt betrug liegt lag", weak: true, expression: `^(?:ist|war|beträgt|betrug|liegt|lag) ` + subjectPattern + ` (?:bei )?(?P<v>` + amountPattern + `)$`},
}

// A book is an index of the rules.
type book struct {
	rules []rule
	// byCue are the rules by their cues; anyCue are those without cues.
	byCue  map[string][]int
	anyCue []int
}

var ruleBook = sync.OnceValue(func() *book {
	b := &book{rules: slices.Clone(rules), byCue: map[string][]int{}}
	for i := range b.rules {
		b.rules[i].pattern = text.Pattern(`(?i)` + b.rules[i].expression)
		if b.rules[i].cues == "" {
			b.anyCue = append(b.anyCue, i)
		}
		for w := range strings.FieldsSeq(b.rules[i].cues) {
			b.byCue[w] = append(b.byCue[w], i)
		}
	}
	return b
})

// term returns a subject without markup, article and emoji.
func term(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Mn, r) })
	if m := definitionOf().FindString(s); m != "" && len(m) < len(s) {
		s = s[len(m):]
	}
	return clean(trimArticle(s))
}

// definitionOf is before a term: "our definition of a live contract".
var definitionOf = text.Pattern(`(?i)^(?:the |our |a |die |unsere |eine )?(?:definition|formula|calculation|computation|formel|berechnung) (?:of|for|von|der|des|für) (?:an? |the |our |einer |eines |dem |der )?`)

// try matches a rule against a sentence.
func (r *rule) try(s *sentence, text string) (Statement, bool) {
	if r.language != None && r.language != s.language {
		return Statement{}, false
	}
	groups := r.pattern().FindStringSubmatch(text)
	if groups == nil {
		return Statement{}, false
	}
	m := match{r.pattern(), groups}
	st := Statement{
		Attribute: r.attribute, Rule: r.name, Weak: r.weak, Column: clean(m.group("c")),
		Subject: term(m.group("s")), Value: clean(m.group("v")), Unit: clean(m.group("u")),
	}
	if r.build != nil && !r.build(s, &st, m) {
		return Statement{}, false
	}
	return st, true
}
