package assertion

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// toldName is a name before, or behind, the words that tell what it is.
const toldName = `(?P<name>(?:[\pL\pN-]+ ){0,4}?[\pL\pN-]+)`

var (
	// telling are the forms of a clause that names a number and tells in other words what it is: "Bar tips are what guests leave at the
	// bar", "By open invoices we mean the ones nobody paid", "Der Erlös je Auftrag sagt uns, ob sich der Bezirk trägt", "When ops talk
	// about train kilometres they mean …".
	telling = []func() *regexp.Regexp{
		text.Pattern(`(?i)^(?:für|im|in|auf|beim?) (?P<readers>[^,:;]{3,60}?) (?:zeigen|melden|berichten|führen|brauchen|nutzen|schicken|nennen) wir (?:den |die |das |eine[n]? |unsere[n]? )?["“„]?` + toldName + `["”“]?$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?:is|are|means?|ist|sind|bedeutet|wird|werden) (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?P<says>tells?|says?|shows?|answers|compares|measures|vergleicht|misst|gibt an|geben an|sagt|sagen|zeigt|zeigen)(?: us| uns| (?:the|our|dem|der|den) [\pL-]+)?,? (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?:(?:nennen|rechnen|berechnen|ermitteln|definieren|brauchen|benötigen|nutzen|verwenden|messen|melden|zeigen|berichten|führen) (?:wir|man)|(?:heißt|heißen) (?:bei uns|hier))(?: das| die| den| alles| als)?,? (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:by|under|unter|mit) (?:the |our |dem |der |den |unserer? )?["“„]?` + toldName + `["”“]?,? (?:we|I|verstehen wir|meinen wir) (?:(?:mean|understand) )?(?P<told>.+)$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?:comes? from|is taken from|are taken from|kommt aus|kommen aus|stammt aus|stammen aus) (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:als|as) ["“„]?` + toldName + `["”“]? (?:we |(?:zählen|bezeichnen|führen) wir )(?:count )?(?P<told>.+)$`),
		text.Pattern(`(?i)^when(?:ever)? (?P<who>(?:[\pL-]+ ){1,3}?)(?:say|talk about|talks about|speak of|speaks of|says) ["“„]?` + toldName + `["”“]?,? (?:they|we|he|she) means? (?P<told>.+)$`),
		text.Pattern(`(?i)^for (?:the )?["“„]?` + toldName + `["”“]?,? we (?P<says>divide|multiply|add up) (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?P<says>tells?|shows?|zeigt|zeigen|sagt|sagen) [\pL-]+ (?P<told>(?:how|what|which|whether|where|when|why|wie|was|welche\pL*|ob) .+)$`),
		text.Pattern(`(?i)^(?P<told>(?P<asker>(?:[\pL'’-]+ ){1,3}?)(?:always |still )?(?:goes through|go through|looks? at|wants?|needs?|asks? (?:us )?(?:for|about)|starts? with|watch(?:es)?|tracks?|quotes?|reports?|lives? by|publish(?:es)?|fragt nach|fragen nach|will|wollen|braucht|brauchen)(?: immer| stets)?) (?:the |our |one |an? |die |den |das |der |unsere[n]? )?` + toldName + `(?P<adjunct> (?:every|each|for|on|in|at|jede[nrs]?|für|in|im|am) [^,;:]+| everywhere| first| überall| zuerst)?$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?P<goes>goes|go|geht|gehen|steht|stehen|hängt|hängen|kommt|kommen|appears?|hangs?|is printed|are printed) (?P<told>(?:to|into|on|an|in|auf|im|am|ans|beim) .+)$`),
		text.Pattern(`(?i)^for (?P<told>[^,:;]{3,60}?),? we (?:look at|watch|track|report|follow) (?:the |our )?["“„]?` + toldName + `["”“]?$`),
		text.Pattern(`(?i)^(?:for|to|in|on) (?P<readers>[^,:;]{3,60}?),? (?:we|i) (?:show|publish|quote|send|give|list|state) (?:the |our |an? |one )?["“„]?` + toldName + `["”“]?$`),
		text.Pattern(`(?i)^(?:we|i|wir) (?:(?:always|also|only ever|immer|auch) )?(?:report|show|track|watch|publish|follow|monitor|keep|quote|look at|list|state|melden|zeigen|berichten|führen|beobachten|verfolgen) (?:the |our |an? |one |die |den |das |eine[n]? |unsere[n]? )?["“„]?` + toldName + `["”“]?(?: separately| apart| on (?:its|their) own| gesondert| getrennt| extra)?(?P<told>,? (?:every|each|because|since|jede[nrs]?|weil|damit) .+)?$`),
		text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]? (?P<says>decides?|matters?|drives?|helps?|worry|worries|interests?|feeds?|entscheidet|entscheiden|hilft|helfen|interessiert|treibt)(?: us| uns)?,? (?P<told>.+)$`),
		text.Pattern(`(?i)^(?:please |bitte |can you |could you )?(?P<goes>add|put|include|show|track) (?:the |our |an? )?["“„]?` + toldName + `["”“]? (?P<told>(?:to|on|in|into) (?:the|our) .+)$`),
		text.Pattern(`(?i)^["“„]?` + toldName + `["”“]?: (?P<told>(?:how|what|which|whether|all|everything|wie|was|alles|welche\pL*) [^:;]+)$`),
		text.Pattern(`(?i)^(?:(?:kurz|nur kurz|quick|quickly|quick note|noch) )?(?P<says>re|regarding|about|zum|zur|wegen|betr\.?|betreffs?)(?P<told>:?) (?:the |our |der |dem )?["“„]?` + toldName + `["”“]?$`),
		text.Pattern(`(?i)^(?:please )?(?:we )?use (?:the )?["“„]?` + toldName + `["”“]? for (?P<told>.+)$`),
	}
	// aside is a name with what is told of it between commas: "Peak vibration, which the council asks for, is …".
	toldAside = text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?["“„]?` + toldName + `["”“]?, (?P<told>(?:which|that|the|our|die|der|das|den|unsere?|was|wie|as|used|shown|reported|published|printed|quoted|needed|known) [^,]+)$`)
	// defining is what begins to tell which things a name means: "… are the ones who are still on our books".
	defining = text.Pattern(`(?i)^(?:how (?:much|many|often|long)|wie (?:viele?|oft|lange)|the ones|those|everyone|everybody|people|persons|(?:the )?(?:figure|number|time|money|amount|\pL+s) (?:that|which|who|whose|we|the|between|from)|die, die|diejenigen, die|alle, die|alle \pL+, (?:die|an denen|bei denen)|die \pL+, (?:die|an denen|bei denen))(?:$|[^\pL])`)
	// retelling stands between what is told of a number and its calculation.
	retelling = text.Pattern(`(?i)(?:[:;]| [–—-]),? (?:(?:so|also|hence|i\.e\.|d\.h\.|that is|das heißt|it is|they are|es ist|das ist|das sind|sprich)[,:]? )?|, (?:so|also|hence|i\.e\.|d\.h\.|that is|das heißt|namely|nämlich|sprich|und zwar)[,:]? |, (?P<is>is|are|ist|sind) `)
	// onlyOnce says how often different things are counted.
	onlyOnce = text.Pattern(`(?i)\b(?:nur einmal|only once|just once|zählt einmal|counts once)\b`)
	// denied are words of restriction that also deny.
	denied = text.Pattern(`(?i)\b(?:not|nicht)\b`)
	// computed is the beginning of a sentence that computes what the sentence before is about.
	computed = text.Pattern(`(?i)^(?:(?:so|thus|hence|also|therefore),? )?(?:(?:it|that|this|they|es|das|dies|sie|er) (?:is|are|ist|sind) |(?:it|that)['’]s |they['’]re |(?:we|wir|man) (?:get|compute|calculate|measure|take|count|rechnen|berechnen|ermitteln|zählen) (?:it|them|these|that|sie|ihn|es|das|diese) (?:(?:as|by|from|als|aus) )?|(?:they|it) (?:are|is) (?:counted|computed|calculated|measured) as |(?:gerechnet|berechnet|ermittelt|gezählt) (?:wird|werden) (?:(?:sie|er|es|das) )?(?:(?:mit|als|aus) )?)|^(?:gerechnet|berechnet|gezählt|computed|counted|calculated) als |^(?:definition|formula|formel|calculation|berechnung|rechenweg|computed|gerechnet) ?: |^(?:(?:we|wir) )?(?:just |simply )?(?P<alone>count|zählen|take|nehmen|rechnen|publish|report|show|use|quote|zeigen|melden|add up|sum|sum up|divide|summieren|teilen) `)
)

// told reads a sentence that computes what the sentence before names and tells of, or what it tells of itself. What is told changes the
// number where it restricts.
func (r *reader) told(s *sentence, words string) (Statement, bool) {
	if r.o.Lexicon == nil {
		return Statement{}, false
	}
	if m := computed().FindStringSubmatch(words); m != nil && r.before != nil && r.before.passage == s.passage && !r.guarded(r.before) && !r.before.speech {
		name, told := toldOf(strings.TrimRight(r.before.text, " .;!"), words, telling)
		calculation := words[len(m[0]):]
		if verb := strings.ToLower(m[1]); verb != "" {
			switch verb {
			case "take", "nehmen", "rechnen", "publish", "report", "show", "use", "quote", "zeigen", "melden":
				if !computes(calculation) && !strings.Contains(calculation, " over ") {
					return Statement{}, false
				}
			case "count", "zählen":
				calculation = "number of " + calculation
			default:
				calculation = verb + " " + calculation
			}
			if !sharesStem(name+" "+told, calculation) && !amounting(strings.ToLower(lastOf(name))) && !defining().MatchString(told) {
				name = "" // "Leeds is our biggest site. We count the rows where …"
			}
		}
		if name != "" && r.tells(name) {
			st, ok := r.dissectedAs(name, s, calculation)
			if !ok && codeSign(calculation) {
				st, ok = r.match(s, name+" = "+calculation)
				ok = ok && st.Attribute == FormulaOf && fold(st.Subject) == fold(name)
			}
			if ok && st.Unread != "" && thresholded(&st) && strings.HasPrefix(fold(name), fold(st.Unread)) && defining().MatchString(told) {
				st.Unread = "" // "Hot racks are racks that …", of rows where inl_c > 27
			}
			switch {
			case !ok || st.Unread != "":
			case r.restricts(told, &st):
				st.Unread = clean(r.before.text)
			default:
				r.before.read = true
				r.restrictions = slices.DeleteFunc(r.restrictions, func(p placed) bool { return p.text == clean(r.before.text) && p.passage == s.passage })
			}
			return st, ok
		}
	}
	if !strings.ContainsAny(words, ":;,–—-") {
		return Statement{}, false
	}
	for _, at := range retelling().FindAllStringSubmatchIndex(words, -1) {
		forms := telling
		if at[2] >= 0 {
			forms = []func() *regexp.Regexp{toldAside}
		}
		name, told := toldOf(words[:at[0]], words[at[1]:], forms)
		if name == "" || !r.tells(name) {
			continue
		}
		if st, ok := r.dissectedAs(name, s, words[at[1]:]); ok && st.Unread == "" && !r.restricts(told, &st) {
			st.Value = clean(words)
			return st, true
		}
	}
	return Statement{}, false
}

// figureOf is what somebody does with a number, and goes on doing: "the figure the board votes on".
var figureOf = text.Pattern(`(?i)^(?:the|an?|one|another|die|eine|der|das) (?:[\pL-]+ )?(?:number|figure|metric|kpi|zahl|kennzahl|wert),? (?:that |which |die |den |das )?(?:(?:the|our|der|die|das|unsere?) [\pL-]+|we|they|wir) (?:(?:always|first|usually) )?(?:votes?|decides?|asks?|looks?|sees?|watch(?:es)?|reads?|follows?|checks?|discuss(?:es)?|compares?|reviews?|tracks?|quotes?|publish(?:es)?|shows?|prints?|needs?|wants?|go(?:es)? through)(?:$|[^\pL])`)

// sharesStem reports whether a word of a name begins as a word of a calculation does: "Comps" and is_comp.
func sharesStem(name, calculation string) bool {
	has := strings.FieldsFunc(strings.ToLower(calculation), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(lowered(name), func(w string) bool {
		return slices.ContainsFunc(has, func(o string) bool {
			return len(w) > 3 && len(o) > 3 && w[:4] == o[:4] || len(o) == 3 && strings.HasPrefix(w, o) && classes()[o] == 0 // "tip" and "tips", "act" and "active"
		})
	})
}

// toldBefore reports whether a clause before a colon names a number and tells what it is.
func (r *reader) toldBefore(clause, calculation string) bool {
	if r.o.Lexicon == nil {
		return false
	}
	name, _ := toldOf(clause, calculation, telling)
	return name != "" && r.tells(name)
}

// saysCondition reports whether a condition of a formula says as code what its name says: "early terminations" of rows where early_term.
func saysCondition(st *Statement) bool {
	f := st.Formula
	conditions := slices.Clone(f.Where)
	if f.Divisor != nil {
		conditions = append(conditions, f.Divisor.Where...)
	}
	return slices.ContainsFunc(conditions, func(c Condition) bool {
		return !c.Excluded && !strings.Contains(c.Text, "<>") && sharesStem(st.Subject, c.Text)
	})
}

// thresholded reports whether a formula has a condition with a bound, which says what an adjective means.
func thresholded(st *Statement) bool {
	return slices.ContainsFunc(st.Formula.Where, func(c Condition) bool {
		return !c.Excluded && strings.ContainsAny(c.Text, "<>") && !strings.Contains(c.Text, "<>")
	})
}

// lastOf returns the last word of a name.
func lastOf(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// toldOf returns the name of a number, and what a clause tells of it before its calculation. Persons tell things as well: then the name is
// an amount, or the calculation has a word of it.
func toldOf(clause, calculation string, forms []func() *regexp.Regexp) (name, told string) {
	for _, form := range forms {
		groups := form().FindStringSubmatch(clause)
		if groups == nil {
			continue
		}
		m := match{form(), groups}
		if who := words(m.group("who")); len(who) > 0 {
			last := strings.ToLower(who[len(who)-1])
			if classes()[last]&(speakerWord|glueWord) == 0 && !people(last) || slices.ContainsFunc(who, func(w string) bool { return classes()[strings.ToLower(w)]&(speakerWord|glueWord) == 0 && capital(w) }) {
				continue // "When Leeds says …"
			}
		}
		if name, told = m.group("name"), m.group("told"); m.group("goes") != "" {
			told = "shown " + told
		}
		if asker := m.group("asker"); asker != "" {
			first := lowered(asker)[0]
			if classes()[first]&(speakerWord|pronounWord|articleWord) == 0 || classes()[first]&notWord != 0 || doubtful(first) {
				continue // "Leeds quotes the volume"
			}
			if often := lowered(m.group("adjunct")); len(often) > 0 && classes()[often[0]]&eachWord == 0 {
				told += m.group("adjunct") // "every Monday" is when somebody looks at it
			}
		}
		has := lowered(calculation)
		if readers := parted(m.group("readers")); len(readers) > 2 || len(readers) > 0 && slices.ContainsFunc(readers, func(p part) bool {
			return !p.is(articleWord|venueWord|speakerWord) && !people(p.low) && !showing().MatchString(p.low) && !surface().MatchString(p.low)
		}) {
			continue // "For Leeds we show …"
		}
		last := strings.ToLower(lastOf(name))
		plain := strings.Contains(name, " ") && !capital(lastOf(name)) && !people(last) && !persons(singular(last)) && !workplaces(last) && classes()[last]&(speakerWord|venueWord) == 0 // "Travel load says how far a van drives"
		if m.group("says") != "" && !plain && !sharesStem(name, calculation) && !slices.ContainsFunc(lowered(name), func(w string) bool {
			return amounting(w) || classes()[w]&perWord != 0 || slices.Contains(has, w)
		}) {
			continue
		}
		return name, told
	}
	return "", ""
}

// workplaces are nouns for those who work in one place or on one thing, and for that place.
var workplaces = text.Words("service services desk office offices department departments staff crew crews guild union unions agency agencies branch branches site sites plant plants station stations shop shops store stores hub hubs depot depots unit lab labs division group groups school schools clinic clinics bank banks hotel hotels partner partners side region regions floor yard")

// ending is the calculation that a sentence ends with.
var ending = text.Pattern(`(?i)(?:^|[^\pL])(?:(?:the|die|der|das|den) )?(?:(?:sum|total|average|mean|median|number|count|minimum|maximum|summe|anzahl|durchschnitt|mittelwert)(?: of| der| von| aller| over)|zeilen (?:in|aus|von)|rows (?:in|of|from)) .+$`)

// nameless keeps the calculation of a sentence that computes a number which no sentence names, so that somebody is asked.
func (r *reader) nameless(s *sentence, words string) {
	if r.o.Lexicon == nil || !s.calculating() || !identifier(words) || len(r.doc.Nameless) == maxNameless {
		return
	}
	calculation := strings.TrimLeft(ending().FindString(words), " ,:;(-–—\"")
	lead := lowered(strings.TrimSuffix(words, calculation))
	if calculation == "" || len(lead) > longestLead || slices.ContainsFunc(lead, func(w string) bool {
		return classes()[w]&(glueWord|pronounWord|sayWord|countWord|includeWord) == 0 || periodBounds(w) || classes()[w]&(notWord|timeWord) != 0
	}) {
		return
	}
	st, ok := r.dissectedAs("number", s, calculation)
	if ok && st.Unread == "" || len(lead) > 0 && r.anatomy(s, calculation) != nil {
		r.doc.Nameless = append(r.doc.Nameless, Nameless{s.Span, calculation})
	}
}

// longestLead is the largest number of words before a calculation that has no name: "We give them the sum of …".
const longestLead = 4

// maxNameless is the largest number of calculations without a name that somebody is asked about.
const maxNameless = 10

// tells reports whether something may be told of a name that a number has.
func (r *reader) tells(name string) bool {
	last := strings.ToLower(lastOf(name))
	return nominal(name) && r.numberName(name) != "" && !slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		if len(w) == 1 && capital(w) {
			return false // "Grade A share"
		}
		w = strings.ToLower(w)
		c := classes()[w]
		return people(w) || c&venueWord != 0 && (w == last || !amounting(last)) || c&glueWord != 0 && c&(joinerWord|nounWord|sayWord|aggregateWord|countWord|perWord) == 0
	})
}

// allBut leaves something out of all.
var allBut = text.Pattern(`(?i)\b(?:all|everything|everyone|every|anything|alles|alle) (?:but|except|save|außer|bis auf)\b`)

// restricts reports whether what is told of a number may say which rows it is over, or that it is another one: by a word of restriction, a
// time, a place by its name, or a name of the table that its formula has not.
func (r *reader) restricts(told string, st *Statement) bool {
	if reason := reasoning().FindStringIndex(told); reason != nil && !Restricts(told[reason[0]:]) {
		told = told[:reason[0]]
	}
	if deducting().MatchString(told) || removing().MatchString(told) || allBut().MatchString(told) {
		return true
	}
	all, table, name := parted(told), r.tableOf(st), lowered(st.Subject)
	if len(all) == 0 {
		return false
	}
	has := lowered(st.Formula.String())
	quotient := st.Formula.Divisor != nil || divides(st.Formula.Expr)
	lacking := len(st.Formula.Where) == 1 && st.Formula.Where[0].lacking() // "the ones nobody has paid yet", of rows without paid_on
	worded, asked := saysCondition(st), figureOf().MatchString(told)
	english := tongue(lowered(told)) == English && tongue(lowered(told+" "+st.Value)) != German || all[0].low == "how" || all[0].low == "what" || all[0].low == "which"
	for i := range all {
		p := &all[i]
		asked = asked || asking(p.low) || seeing(p.low)
		before := &all[max(0, i-1)]
		occasion := asked && (p.is(timeWord|eachWord) || months[p.low] > 0 && i+1 == len(all) && (before.low == "in" || before.low == "im") || (p.low == "in" || p.low == "im") && i+2 == len(all) && months[all[i+1].low] > 0 || i+1 < len(all) && all[i+1].is(eachWord) || asking(before.low)) // "which the council asks for after every shot"
		thing := disowning(p.low) && (p.low == "broken" || proposing(p.low) && before.is(articleWord) || before.low == "how" || before.low == "wie" || indefinite(before.low) || happening(before.low))                                                                                          // "what a broken windscreen costs"
		takes := moments(p.low) != "" && strings.Contains(st.Formula.Of+st.Formula.Expr, " - ") && slices.ContainsFunc(all[i+1:min(i+4, len(all))], func(o part) bool { return o.low == "abzug" || slices.Contains(has, o.low) })                                                                // "what remains after the tax"
		hypothetical := (p.low == "if" || p.low == "wenn") && slices.ContainsFunc(all[:i], func(o part) bool {
			return o.low == "would" || o.low == "could" || o.low == "müssten" || o.low == "würden"
		}) // "what we would owe if …"
		same := worded && circumstances(p.low) // "that ended before the prescribed time", where early_term
		switch {
		case hypothetical, same, slices.Contains(name, p.low), takes, p.number() && slices.Contains(has, p.low), opposites[p.low] != "" && slices.Contains(has, p.low), quotient && p.is(shareWord|perWord), occasion, thing, i == 0 && (p.low == "ob" || p.low == "whether"), p.low == "once" || p.low == "another", (p.low == "included" || p.low == "inklusive") && len(st.Formula.Where) == 0, p.low == "noch" && !(i > 1 && all[i-2].low == "weder"), akin(p.low, base(table)), p.low == "part" && i+1 < len(all) && all[i+1].low == "of", quotient && i+1 < len(all) && (all[i+1].low == "verhältnis" || all[i+1].low == "relation"), i > 0 && quotient && (p.low == "verhältnis" || p.low == "relation" || p.low == "ratio"):
		case st.Formula.distinct() && (p.is(onceWord) || p.is(onlyWord) && i+1 < len(all) && all[i+1].is(onceWord)):
		case lacking && (p.low == "without" || p.low == "ohne"):
		case (lacking || i > 0 && !r.spells(all, table)) && (p.is(notWord) || p.low == "nobody" || p.low == "niemand") && !(i+1 < len(all) && all[i+1].is(countWord|includeWord)):
		case english && i > 0 && p.class == 0 && capital(p.text) && !acronym(p.text) && !slices.Contains(has, p.low):
			return true // "from Germany"
		case alters(p), compares(*p), p.is(nameWord) && p.is(sayWord), i > 0 && p.is(timeWord):
			return true
		case p.class&^nounWord == 0 && table != "" && r.ofTable(p.text, table):
			of, value := r.valueOf(table, p.text)
			if flag := r.o.Lexicon.Flag(table, p.text); flag != "" && slices.Contains(has, strings.ToLower(flag)) {
				continue
			}
			if of+r.o.Lexicon.Flag(table, p.text) == "" && (persons(singular(p.low)) || (before.is(articleWord) && i > 0 || singular(p.low) != p.low && r.o.Lexicon.Column(table, p.text) != p.low) && !adds(all) || slices.Contains(has, strings.ToLower(r.o.Lexicon.Column(table, p.text)))) {
				continue // "what the payers still owe", where payer is a column; "nobody has paid", of paid_on
			}
			counted := st.Formula.distinct() && slices.Contains(words(st.Formula.Of+" "+st.Formula.Expr), r.o.Lexicon.Column(table, p.text)) // "each patient once"
			if !counted && (of == "" || !slices.Contains(has, strings.ToLower(value))) {
				return true
			}
		case asked && places(p.low) && i+1 < len(all) && (all[i+1].is(venueWord) || showing().MatchString(all[i+1].low) || surface().MatchString(all[i+1].low)):
		case places(p.low) && p.low != "of" && i+1 < len(all) && capital(all[i+1].text) && unitOf(all[i+1].text) == "":
			if len(st.Formula.Where) > 0 && (p.low == "im" || p.low == "beim") && !occasions(strings.ToLower(all[i+1].text)) {
				continue // "die Pferde, die im Unterricht gehen"
			}
			return true
		}
	}
	return !lacking && restriction().MatchString(denied().ReplaceAllString(onlyOnce().ReplaceAllString(told, " "), " ")) || resized(told, st)
}

// circumstances reports whether a word is one with which it is told when or how the rows came to be that a condition chooses.
func circumstances(w string) bool {
	switch w {
	case "where", "before", "after", "until", "than", "twice", "way":
		return true
	}
	return false
}

// distinct reports whether a formula counts different values.
func (f *Formula) distinct() bool {
	return f.Aggregate == "count_distinct" || strings.Contains(strings.ToLower(f.Expr), "distinct")
}

// adds reports whether words add something up or take it off.
func adds(all []part) bool {
	return slices.ContainsFunc(all, func(p part) bool { return operators(p.low) != "" || p.low == "plus" || p.low == "minus" })
}

// spells reports whether one of some words has the stem of a value or a column of a table: "return" of returned.
func (r *reader) spells(all []part, table string) bool {
	return table == "" || slices.ContainsFunc(all, func(p part) bool {
		return p.class == 0 && p.isWord && slices.ContainsFunc([]string{p.text, p.low + "ed", p.low + "d", singular(p.low) + "ed", singular(p.low) + "d", strings.TrimSuffix(p.low, "ed"), strings.TrimSuffix(p.low, "d"), uninflected(p.low)}, func(w string) bool { return r.ofTable(w, table) })
	})
}

// lacking reports whether a condition wants rows without something.
func (c *Condition) lacking() bool {
	return c.Excluded || strings.HasSuffix(c.Text, " is null") || strings.HasSuffix(c.Text, " = false") || strings.Contains(c.Text, " <> ")
}

// indefinite reports whether a word is an article before any thing of its kind, happening whether it says how something went.
func indefinite(w string) bool {
	return w == "a" || w == "an" || strings.HasPrefix(w, "ein") && len(w) <= len("einem")
}

func happening(w string) bool {
	switch w {
	case "went", "goes", "go", "gone", "ging", "gingen", "geht", "gehen":
		return true
	}
	return false
}
