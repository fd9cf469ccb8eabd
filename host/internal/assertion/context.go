package assertion

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// speeches returns the quotations of a text that are no name and no value: those of a clause, or of more words than a name
// has.
func speeches(s string) (all []Span) {
	for from := 0; from < len(s); {
		r, size := utf8.DecodeRuneInString(s[from:])
		at := from
		from += size
		closing := ""
		switch r {
		case '"':
			closing = `"`
		case '“':
			closing = "”"
		case '„':
			closing = "“”\""
		case '«':
			closing = "»"
		case '»':
			closing = "«"
		default:
			continue
		}
		end := strings.IndexAny(s[from:], closing)
		if end < 0 {
			continue
		}
		list := lowered(s[from : from+end])
		clause := len(list) > longestName
		for i := 1; i+1 < len(list); i++ {
			clause = clause || classes()[list[i]]&linkWord != 0
		}
		_, size = utf8.DecodeRuneInString(s[from+end:])
		if clause = clause || strings.ContainsAny(s[from:from+end], "=:"); clause && len(list) > 2 {
			all = append(all, Span{at, from + end + size})
		}
		from += end + size
	}
	return all
}

// disowned are words before a definition, or above it, that say that it is not ours, or not so; proposing are those for what is not yet
// so, unused those for what its rows may no longer be, or not really: "Old ovens". ofHeadings stand beside them.
var (
	disowned = text.Words(`anti antipatterns pitfall pitfalls mistakes not never don dont no bad wrong false incorrect broken buggy nonsense worse avoid anti-pattern antipattern rejected doubted doubts disputed disputes objected dismissed withdrawn discarded obsolete deprecated outdated legacy old retired archived discontinued abandoned former previous previously superseded
		vendor vendors competitor competitors brainstorming quiz joke myth myths sandbox playground scratchpad
		nicht nie niemals kein keine kaputt fehlerhaft unsinn falsch falsche falsches schlecht schlechte schlechtes schlechter negativbeispiel bezweifelt bestritten widersprochen widerspricht abgelehnt abgelehnte verworfen verworfene veraltet veraltete alt alte alter früher frühere vermeiden mythos mythen witz spielwiese sandkasten`)
	proposing  = text.Words("proposal proposals proposed draft drafts suggestion suggestions suggested idea ideas hypothetical concept concepts wip vorschlag vorschläge entwurf entwürfe idee ideen konzept konzepte rohfassung")
	unused     = text.Words("old former previous previously retired legacy obsolete deprecated outdated archived discontinued abandoned superseded alt alte alten alter ehemalige ehemaligen ehemaliger frühere früheren früherer veraltet veraltete veralteten test tests trial trials pilot demo")
	ofHeadings = text.Words(`do t s dos example examples pattern patterns practice practices common definition definitions version versions metric metrics kpi kpis formula formulas measure measures number numbers like this these way so open
		beispiel beispiele definitionen kennzahlen formeln version versionen zahlen begriffe bitte machen`)
)

// disowning reports whether a word says that what is beside it is not ours, not so, or not yet.
func disowning(w string) bool { return disowned(w) || proposing(w) }

// tentatively returns the words of a name that say that it is only proposed, "Vorschlag Verlust", or the heading above it of what may be
// out of use, "# Old mill"; "" = there are none. What names something of the warehouse is that.
func (r *reader) tentatively(s *sentence, st *Statement) string {
	table := r.tableOf(st)
	names := func(w string) bool { return r.meaningful(w, table) || r.meaningful(singular(w), table) }
	said := append(lowered(st.Subject), lowered(strings.Join(st.Qualifiers, " "))...)
	for i, w := range said {
		if proposing(w) && !names(w) && !(w == "wip" && len(said) > 1) || i > 0 && periodBounds(said[i-1]) && months[w] > 0 { // "Volumen bis Juni"
			return st.Subject
		}
	}
	for _, heading := range r.doc.Sections[s.section].Path {
		if fold(heading) != fold(st.Subject) && slices.ContainsFunc(lowered(heading), func(w string) bool {
			return (unused(w) || proposing(w) || strings.HasPrefix(w, "test")) && !names(w)
		}) {
			return heading
		}
	}
	return ""
}

// unfiltered is a clause of a lead that all rows are meant: "Kitchen, no filters anywhere:".
var unfiltered = text.Pattern(`(?i)\b(?:no|keine?|ohne) (?:filters?|conditions?|restrictions?|exclusions?|bedingung(?:en)?|einschränkung(?:en)?)\b`)

// kept says that a text is to stay as it is: "please don't touch it", "bitte nicht verändern".
var kept = text.Pattern(`(?i)(?:please |bitte )?(?:(?:do not|don['’]t|never) (?:touch|delete|change|edit|move|rename|modify|remove)(?: (?:it|this|anything))?|(?:das |die |sie |es |hier |nichts )?nicht (?:löschen|verändern|ändern|anfassen|bearbeiten|verschieben|umbenennen))`)

// disowned reports whether what introduces a sentence says that it is not so: "Don't do it like this:", "# Bad examples".
func (r *reader) disowned(s *sentence) bool {
	lead := s.intro
	if r.before != nil && strings.HasSuffix(r.before.text, ":") {
		lead = r.before.text
	} else if r.before != nil && r.before.passage == s.passage && disowns(r.before.text) {
		return true // "-- Old"
	}
	if lead = strings.TrimSpace(kept().ReplaceAllString(older().ReplaceAllString(unfiltered().ReplaceAllString(lead, " "), " "), " ")); strings.HasSuffix(lead, ":") {
		if list := lowered(lead); slices.ContainsFunc(list, disowning) || hedged(lead, list) || aside().MatchString(lead) {
			return true
		}
	}
	return slices.ContainsFunc(r.doc.Sections[s.section].Path, disowns)
}

// narrows reports whether the line above a list says which rows are meant, or until when.
func (r *reader) narrows(intro string, st *Statement) bool {
	table, formula := r.tableOf(st), st.Formula.String()
	list := words(intro)
	for i, w := range list {
		low := strings.ToLower(w)
		if table == "" || i+1 < len(list) && periodBounds(low) && (months[strings.ToLower(list[i+1])] > 0 || digit(list[i+1][0])) { // "the new till list"
			return table != ""
		}
		if r.o.Lexicon.Table(w) != "" || classes()[low]&glueWord != 0 {
			continue
		}
		of, value := r.valueOf(table, w)
		if flag := r.o.Lexicon.Flag(table, w); of != "" && !strings.Contains(formula, value) || flag != "" && !strings.Contains(formula, flag) {
			return true
		}
	}
	return false
}

// disowns reports whether a heading says that what is below it is not so, and nothing else: "Rejected orders" are orders.
func disowns(heading string) bool {
	list := lowered(heading)
	return slices.ContainsFunc(list, disowning) && !slices.ContainsFunc(list, func(w string) bool {
		return !disowning(w) && !ofHeadings(w) && classes()[w]&glueWord == 0
	})
}

// unsettle leaves a formula unsure where another sentence says something of the number: an example, a limit, what is left
// out, another formula. Sentences that only mention it do not.
// Units: linear in the number of words; formulas are found by the last word of their names.
func (r *reader) unsettle(list []sentence) {
	formulas, spans := map[string][]*Statement{}, map[Span]bool{}
	for i := range r.doc.Statements {
		st := &r.doc.Statements[i]
		if st.Attribute != FormulaOf {
			continue
		}
		if st.Unread != "" {
			continue
		}
		spans[st.Span] = true
		if name := words(st.folded); len(name) > 0 {
			formulas[name[len(name)-1]] = append(formulas[name[len(name)-1]], st)
		}
	}
	var last *sentence // the definition above in the same paragraph
	for i := range list {
		s := &list[i]
		if last != nil && last.passage != s.passage {
			last = nil
		}
		r.amends(s, spans)
		if spans[s.Span] && !s.undecided() || s.read || len(formulas) == 0 || s.names() {
			if spans[s.Span] {
				last = s
			}
			continue
		}
		if next := i + 1; next < len(list) && spans[list[next].Span] && list[next].passage == s.passage {
			r.sets(s, &list[next])
		}
		var previous Span
		if i > 0 && (list[i-1].passage == s.passage || s.item && list[i-1].item && list[i-1].block == s.block && len(s.words) > 0 && excepting(s.words[0])) {
			previous = list[i-1].Span
		}
		if last != nil && !spans[previous] {
			previous = last.Span // what is between is said of it, too
		}
		says := fold(s.text)
		about := func(st *Statement) {
			named := containsWords(says, st.folded)
			switch {
			case st.Unread != "" || st.From <= s.From && s.To <= st.To:
			case named && (slices.ContainsFunc(s.words, retracting) || s.undecided()), named && r.means(s, st), st.Span == previous && !named && r.goesOn(s, st):
				st.Unread = clean(s.text)
			}
		}
		for _, w := range s.words {
			for _, st := range formulas[w] {
				about(st)
			}
		}
		if previous.To == 0 {
			continue
		}
		for j := range r.doc.Statements {
			if st := &r.doc.Statements[j]; st.Span == previous && st.Attribute == FormulaOf {
				about(st)
			}
		}
	}
}

// undecided reports whether a sentence says that nobody knows which of two definitions holds.
func (s *sentence) undecided() bool {
	return slices.ContainsFunc(s.words, deciding) && undecided().MatchString(s.text)
}

// deciding reports whether a word is one of those that all that undecided matches has.
func deciding(w string) bool {
	switch w {
	case "decided", "settled", "agreed", "entschieden", "festgelegt", "geklärt", "undecided", "unentschieden", "both":
		return true
	}
	return false
}

// undecided says that nobody knows which of two definitions holds.
var undecided = text.Pattern(`(?i)\b(?:(?:nobody|no one|niemand|we have not|we never) (?:has |have |hat )?(?:ever |yet |bisher )?(?:decided|settled|agreed|entschieden|festgelegt)|(?:not|never|nicht|nie) (?:yet |been )*(?:decided|settled|agreed|entschieden|geklärt)|undecided|unentschieden|both (?:numbers|figures|versions) are in use)\b`)

// superseded leaves a formula unsure where another one of its name stands behind a lead that is not understood: "Addendum of unit 12: …".
func (r *reader) superseded() {
	led := map[string]*Statement{}
	for i := range r.doc.Statements {
		st := &r.doc.Statements[i]
		if st.Attribute == FormulaOf && slices.ContainsFunc(st.Qualifiers, func(q string) bool { return strings.HasPrefix(clean(r.doc.Text[st.From:st.To]), q+":") }) {
			led[st.key] = st
		}
		if m := equation().FindStringSubmatch(st.Value); st.Attribute == FormulaOf && m != nil && nominal(term(m[1])) && Key(term(m[1]), st.Language) != st.key {
			led[Key(term(m[1]), st.Language)] = st // "Addendum of unit 12: Volume = …", read as that of the addendum
		}
		if one, other, both := strings.Cut(st.Subject, " / "); both && st.Attribute == FormulaOf {
			led[Key(one, st.Language)], led[Key(other, st.Language)] = st, st // "Card turnover / Kartenumsatz: …"
			led[Key(one, German)], led[Key(other, German)] = st, st
		}
	}
	for i := range r.doc.Statements {
		if st := &r.doc.Statements[i]; st.Attribute == FormulaOf && st.Unread == "" {
			if o := led[st.key]; o != nil && o != st && (o.Formula == nil || o.Formula.String() != st.Formula.String()) {
				st.Unread = clean(r.doc.Text[o.From:o.To])
			}
		}
	}
}

// setOf matches a sentence that says which things a word means: "Puppies are dogs born this year."
var setOf = text.Pattern(`(?i)^(?:the |our |die |unsere )?(\pL+) (?:are|sind) `)

// sets leaves the number of the next sentence unsure where a sentence says of which things it is, by a word of its name.
func (r *reader) sets(s, next *sentence) {
	m := setOf().FindStringSubmatch(s.text)
	if m == nil {
		return
	}
	for i := range r.doc.Statements {
		st := &r.doc.Statements[i]
		if st.Span == next.Span && st.Attribute == FormulaOf && st.Unread == "" && slices.ContainsFunc(lowered(st.Subject), func(w string) bool { return singular(w) == singular(strings.ToLower(m[1])) }) {
			st.Unread = clean(s.text)
		}
	}
}

// containsWords reports whether a text has words as a whole.
func containsWords(s, part string) bool {
	_, ok := cut(s, part)
	return ok && part != ""
}

// means reports whether a sentence that names a number says something of it: the number is what it is about, and it has a word
// that is not idle; or it has a figure, a word of calculating, restricting or denying, or a name of the table.
func (r *reader) means(s *sentence, st *Statement) bool {
	if name, told := toldOf(strings.TrimRight(s.text, " .;!"), st.Subject+" "+st.Value, telling); fold(name) == st.folded && told != "" && !computes(told) && !r.restricts(told, st) {
		return false
	}
	if fold(numbering().ReplaceAllString(s.text, "")) == st.folded {
		return false // "4.2 License revenue."
	}
	rest, _ := cut(fold(agenda().ReplaceAllString(s.text, " ")), st.folded)
	before, behind, _ := strings.Cut(rest, "|")
	if agenda().MatchString(s.text) && slices.ContainsFunc(lowered(rest), places) {
		return true // "Ticket 12: volume for trade"
	}
	about := !slices.ContainsFunc(lowered(before), func(w string) bool { return !articles(w) && !labels(w) })
	list := lowered(behind)
	past := s.language != German && slices.ContainsFunc(list[:min(2, len(list))], pastCopulas) || s.language == German && len(list) > 0 && pastCopulas(list[0]) // "smallest order ever was tiny": a number of its own time
	if about && !past && slices.ContainsFunc(list, func(w string) bool { return !idle(w) }) {
		return true
	}
	return r.figures(before+" "+behind, st)
}

// essence returns a sentence behind a definition without a courtesy before it, "Thanks, but it should be the average.", and without how often
// somebody looks at the number; the sentence itself = it has neither.
func (s *sentence) essence() *sentence {
	first, rest, more := strings.Cut(s.text, ", ")
	switch {
	case more && (polite(first, nil) || strings.EqualFold(first, "sorry")):
		rest = leadingBut().ReplaceAllString(rest, "")
	case slices.ContainsFunc(s.words, func(w string) bool { return classes()[w]&(countWord|includeWord|sumWord) != 0 }):
		return s
	default:
		rest = strings.TrimSpace(howOften().ReplaceAllString(s.text, " "))
	}
	if rest == s.text {
		return s
	}
	bare := *s
	bare.text, bare.words = rest, lowered(rest)
	return &bare
}

// leadingBut joins a clause to a courtesy.
var leadingBut = text.Pattern(`(?i)^(?:but|and|aber|und|though|only) `)

// howOften is how often somebody looks at a number: "twice a year".
var howOften = text.Pattern(`(?i) (?:once|twice|three times|zweimal|einmal|dreimal) (?:a|per|pro|im|jeden?|in der) (?:day|week|month|quarter|year|tag|woche|monat|quartal|jahr)\b`)

// numbering is the number before a title.
var numbering = text.Pattern(`^#?\d+(?:[.)]\d*)*[.):]? +`)

// goesOn reports whether the sentence behind a definition speaks of it without its name: "It is capped at 1000.", "Vouchers
// are not included."
func (r *reader) goesOn(s *sentence, st *Statement) bool {
	if len(s.words) == 0 || polite(s.text, nil) {
		return false
	}
	if bare := s.essence(); bare != s {
		return len(bare.words) > 0 && r.goesOn(bare, st)
	}
	if asks(s.text) {
		return questioning().MatchString(s.text)
	}
	if s.dismisses() {
		return true
	}
	if s.named(st) {
		return false
	}
	if treating().MatchString(s.text) || otherwise().MatchString(s.text) || affecting().MatchString(s.text) || partOfIt().MatchString(s.text) && r.spells(parted(s.text), r.tableOf(st)) {
		return !r.settled(s.text, st)
	}
	if said, advises := aggregateAdvised(s.text); said != "" && advises {
		return st.Formula.uses(said) || !r.othersAggregate(s.text, st, r.tableOf(st))
	}
	if slices.ContainsFunc(s.words, func(w string) bool { return classes()[w]&aggregateWord != 0 || w == "number" || w == "anzahl" }) && !speaksOn(s.words[0]) && !theNumber().MatchString(s.text) && !adding().MatchString(s.text) &&
		slices.ContainsFunc(s.words[:min(len(s.words), longestName)], func(w string) bool { return classes()[w]&linkWord != 0 }) {
		return false // it defines another number
	}
	if ofThemselves().MatchString(s.text) && st.countsThem(s.text) || (stillOne().MatchString(s.text) || viewed().MatchString(s.text)) && !r.countsAlike(s.text, st, r.tableOf(st)) {
		return true
	}
	if distorting().MatchString(s.text) {
		return !st.Formula.restricted() // else it says why they are not in
	}
	if table := r.tableOf(st); table != "" && alsoInside().MatchString(s.text) {
		others := func(p part) bool { other, _ := r.foreign(&p, st, table); return other && p.class == 0 }
		if r.inside(s.text, st, table) {
			return false
		} else if len(st.Formula.Where) > 0 || slices.ContainsFunc(parted(s.text), others) {
			return true // "Unprotected jobs count as well."
		}
	}
	if anyIn(strings.ToLower(s.text), onTop) || resized(s.text, st) || adding().MatchString(s.text) && classes()[s.words[0]]&(allWord|eachWord) == 0 {
		return true
	}
	if r.settled(s.text, st) || r.remarks(s.text, st) {
		return false
	}
	if leftOut().MatchString(s.text) || deducting().MatchString(s.text) || removing().MatchString(s.text) && !slices.ContainsFunc(s.words, nothing) || doubting().MatchString(s.text) || s.fragment() {
		return true
	}
	talked := slices.ContainsFunc(s.words, func(w string) bool { return strings.HasPrefix(w, "check") || w == "asked" || w == "gefragt" }) &&
		!slices.ContainsFunc(s.words, func(w string) bool { return classes()[w]&(countWord|includeWord|sumWord) != 0 }) // "I have double-checked"
	negated, includes, inside, other := false, false, false, false
	plain := !slices.ContainsFunc(parted(s.text), func(p part) bool {
		return alters(&p) && p.low != "nobody" && p.low != "niemand" || compares(p) || p.is(timeWord|allWord|onlyWord|leaveWord|leftWord) || stays(p.low)
	}) && !leavingOff().MatchString(s.text) // "CarPlay arrives as car"
	table := r.tableOf(st)
	for i, w := range s.words {
		c := classes()[w]
		if differently(w) && !talked || opposites[w] != "" {
			return true
		}
		often := i > 1 && classes()[s.words[i-1]]&eachWord != 0 && (w == "night" || w == "nacht") // "they come in every night", where it is also a value
		other = other || c == 0 && !often && table != "" && r.ofTable(w, table) && !(plain && r.said(w, st, table))
		negated, includes, inside = negated || c&notWord != 0 || w == "t", includes || c&(includeWord|leftWord) != 0, inside || within(w) || w == "there" && i > 0 && s.words[i-1] == "in"
	}
	if other || negated && (includes || inside) {
		return true
	}
	if slices.ContainsFunc(s.words, theDefinition) {
		return slices.ContainsFunc(s.words, func(w string) bool { return !idle(w) && !theDefinition(w) })
	}
	return r.saysOn(s, st, table)
}

// saysOn reports whether a sentence that begins with the number, or with a word for it, says something else than where it is seen.
func (r *reader) saysOn(s *sentence, st *Statement, table string) bool {
	list := s.words
	if m := theNumber().FindString(s.text); m != "" {
		list = append([]string{"it"}, lowered(s.text[len(m):])...)
	}
	if !speaksOn(list[0]) || len(list) > 1 && seeing(list[1]) && !speaksOn(s.words[0]) {
		return false // "The number hangs on the screen above dock 3."
	}
	if used().MatchString(s.text) {
		l, scoped := preamble{all: parted(s.text)}, false
		for i := range l.all {
			scoped = scoped || l.scopes(i)
		}
		return scoped || r.figures(s.text, st) || table != "" && slices.ContainsFunc(s.words, func(w string) bool { return classes()[w]&glueWord == 0 && r.ofTable(w, table) })
	}
	says := slices.ContainsFunc(list[1:], func(w string) bool { return !idle(w) })
	return says && (len(list) > 1 && (predicates(list[1]) || seeing(list[1])) || r.figures(s.text, st))
}

// dismisses reports whether a sentence ends, rejects or leaves open what is before it: "Sure, until June.", "Nobody should use it.",
// "Rejected.", "Adjourned.", "TODO check".
func (s *sentence) dismisses() bool {
	bounds := slices.IndexFunc(s.words, periodBounds)
	return bounds >= 0 && bounds+1 < len(s.words) && months[s.words[bounds+1]] > 0 || unusable().MatchString(s.text) || disowns(s.text) || excepting(s.words[0]) ||
		len(s.words) == 1 && participle().MatchString(s.words[0]) && !agreeing(s.words[0]) || slices.ContainsFunc(s.words, unfinished)
}

// fragment reports whether a sentence has no verb and goes on with the one before: "Not counting Leeds.", "Before tax.", "Leeds aside."
func (s *sentence) fragment() bool {
	list := s.words
	for len(list) > 1 && joining(list[0]) {
		list = list[1:] // "But not on weekends."
	}
	first, last := list[0], list[len(list)-1]
	if len(list) > longestFragment || slices.ContainsFunc(list[1:], func(w string) bool {
		return verbs(w) || days(w) || classes()[w]&(sayWord|nounWord|nameWord) == sayWord
	}) {
		return false
	}
	return len(list) > 1 && (goingOn(first) && !(len(list) == 2 && classes()[first]&perWord != 0 && classes()[last]&regularWord != 0) || classes()[last]&leftWord != 0)
}

// nothing reports whether a word says that there is none.
func nothing(w string) bool {
	switch w {
	case "nothing", "nichts", "none":
		return true
	}
	return false
}

// joining reports whether a word only joins a sentence to the one before.
func joining(w string) bool {
	switch w {
	case "but", "and", "aber", "und", "also", "auch", "again":
		return true
	}
	return false
}

// longestFragment is the largest number of words of a sentence that goes on without a verb.
const longestFragment = 8

var (
	// questioning asks whether what was said is so.
	questioning = text.Pattern(`(?i)\b(?:is|if|whether) (?:that|this|it)\b.*\b(?:right|correct|true|still|current|ok)\b|\b(?:stimmt|gilt) (?:das|es|die)\b|\b(?:ist|ob) (?:das|es)\b.*\b(?:richtig|korrekt|aktuell|stimmt|gilt)\b`)
	// theNumber is the number that was defined, as the subject of a sentence: "The result is doubled."
	theNumber = text.Pattern(`(?i)^(?:the|this|that|die|der|das|dieser?|dieses) (?:number|figure|result|total|value|metric|measure|ratio|rate|average|sum|zahl|wert|ergebnis|summe|kennzahl|quote|durchschnitt) `)
	// removing says that rows are left out before something is computed: "Duplicates are dropped."
	removing = text.Pattern(`(?i)(?:^| )(?:are|is|gets?|be|werden|wird|müssen|muss|fallen|fällt) (?:[\pL-]+ ){0,3}?(?:dropped|removed|skipped|discarded|deduplicated|deducted|subtracted|stripped|taken (?:off|out)|thrown (?:out|away)|filtered out|weg|raus|entfernt|abgezogen|gestrichen|bereinigt|aussortiert|herausgerechnet)(?:$|[ .!])`)
	// affecting says that things are a part of the number, or make it another one: "Refunds lower it.", "Gutscheine gehören dazu."
	affecting = text.Pattern(`(?i) (?:lowers?|reduces?|raises?|increases?|decreases?|offsets?|(?:comes?|goes?|go|flows?|feeds?|runs?) (?:from|into|off|out of|through|in)|counts? towards?|adds? to|mindern|mindert|senken|senkt|erhöhen|erhöht|verringern|verringert|heben|hebt|drücken|drückt) (?:it|them|this|that|(?:the|this) (?:sum|total|number|figure|result)|sie|ihn|es|das|(?:die|den|das|diese[ns]?) (?:summe|wert|zahl|ergebnis))[.!]?$|(?:fließen|fließt|gehen|geht) (?:auch |mit |darin |hier )*(?:ein|hinein|rein|mit ein)[.!]?$`)
	// partOfIt says that things are a part of the number: "Refunds belong to it."
	partOfIt = text.Pattern(`(?i) (?:(?:belongs? to|(?:is|are) (?:a )?part of) (?:it|this|(?:the|this) (?:sum|total|number|figure|result))|(?:gehören|gehört) (?:auch |mit |natürlich )*(?:dazu|hinein|rein|hier rein))[.!]?$`)
	// doubting says that somebody is not certain of the number, takes it back, or that it was not agreed: "At least I think so."
	doubting = text.Pattern(`(?i)^(?:but |aber |hmm,? |sorry,? |no,? |nein,? )*(?:at least (?:i|we) (?:think|guess|believe|hope)|(?:i|we) (?:think|guess|believe|hope|suppose) so|(?:glaube|denke|hoffe|vermute) ich|zumindest (?:glaube|denke|vermute) ich|(?:nobody|no one) (?:ever )?(?:has )?(?:agreed|signed|approved|confirmed|checked)|niemand hat (?:das |dem )?(?:zugestimmt|bestätigt|geprüft|abgenommen)|ohne gewähr|no guarantee|(?:i am |i['’]m |we are |bin mir |sind uns )?(?:not|nicht) (?:quite |at all |so |really |ganz )?(?:sure|certain|sicher)|scratch (?:that|it)|(?:that|it|this|das|es) was (?:nonsense|wrong|a mistake)|das war (?:quatsch|falsch|unsinn)|more or less|roughly|approximately|so in etwa|ungefähr|circa)(?:$|[^\pL])|` +
		`(?i)\b(?:to be (?:confirmed|checked|decided|discussed|agreed)|under discussion|in klärung|noch offen|(?:disagrees?|widerspricht)[.!]?$|(?:sieht|sehen) das anders|take it literally|before (?:using|you use) it|muss .{2,40} noch (?:bestätigen|prüfen|freigeben|klären)|(?:is|are|ist|sind|wird|werden) (?:only )?(?:estimated|guessed|geschätzt))(?:$|[^\pL])`)
	// treating says what is done to the number, or to the rows: "Outliers are cut.", "If it is above 100, we take 100."
	treating = text.Pattern(`(?i)(?:^|we |please |bitte |is |are |gets? |always |it )(?:cut|cut off|capped|cap|ignore|ignored|skip|round|rounded|filled up|fill up|replaced|corrected|adjusted|smoothed|weighted|halved|scaled|extrapolated|imputed|add the|leave (?:the |that |this |these )?[\pL-]+ out|leave out)(?:$|[ .!,])|\d+ ?(?:percent|prozent|%) (?:off|weniger|less|mehr|more)|^(?:if|when|whenever|wenn|falls|sobald) .{3,60}(?:, | )(?:we|wir|then|dann) (?:take|leave|count|use|set|nehmen|lassen|zählen|setzen|rechnen)|^(?:if|when|whenever|wenn|falls|sobald) .{3,60}, (?:(?:nehmen|lassen|zählen|setzen|rechnen) wir|(?:nothing|nichts) )|^(?:unless|es sei denn|außer wenn|except (?:when|if))(?:$|[^\pL])|(?:ignorieren|kappen|runden|glätten|streichen|schneiden|deckeln)(?: (?:wir|bitte))?(?: ab)?[.!]?$|^(?:den|die|das|the) .{2,40} (?:bitte )?(?:ignorieren|weglassen|streichen)[.!]?$|(?:kommt|kommen) (?:noch |auch )?(?:dazu|drauf|oben drauf)[.!]?$|^(?:small|tiny|little|short|minor) (?:[\pL-]+ )?(?:do not|don['’]t) matter|^(?:each|every|jede[rs]?|alle) (?:one |of them |davon )?(?:counts?|zählt|zählen) (?:twice|double|half|doppelt|halb)`)
	// otherwise says that it is, or was, computed in another way: "Actually the median is better.", "We stopped using it in May."
	otherwise = text.Pattern(`(?i)\b(?:(?:use|take|nimm|nehmt) (?:the|a|an|die|den|das) other|(?:the|der|das|die) (?:median|average|mean|sum|maximum|minimum|durchschnitt|mittelwert|summe) (?:is|would be|wäre|ist) (?:better|fairer|besser|richtiger)|(?:computed|calculated|counted|defined) (?:in another way|another way|in a different way)|(?:stopped|no longer) us(?:e|ing) (?:it|this|that)|(?:rows|data|values|zeilen|daten|werte) (?:are|sind) (?:broken|wrong|kaputt|falsch))\b|^(?:valid |gültig |gilt |erst |only )?(?:since|seit|ab|from|until|bis|erst seit) \d{4}[.!]?$|^[\pL -]{2,40} (?:has|have) (?:its|their|his|her) own[.!]?$|^[\pL -]{2,40} (?:hat|haben) (?:eine?|seine?|ihre?) eigene[nrs]?[.!]?$|^(?:that|this|it|das|dies|es) (?:was|war) (?:only |just |nur )?(?:for|für|about|in|im) |^valid (?:until|from|since)\b|^(?:gilt|gelten) nicht\b|^(?:in|im jahr) \d{4} .{0,20}(?:was|were|wurde|wurden|war) `)
)

// named reports whether a sentence shows by its form that it is about another name: the next item of a list, a quoted or bold name.
func (s *sentence) named(st *Statement) bool {
	if m := colonIn(s.text); m != nil && s.item && st.Section == s.section && apart(m[1]) && !speaksOn(s.words[0]) {
		return true
	}
	return strings.ContainsAny(s.text[:1], "\"'") || strings.HasPrefix(s.text, "“") || strings.HasPrefix(s.text, "„") || s.bold > 0
}

// unusable is a sentence that a number is not to be used.
var unusable = text.Pattern(`(?i)^(?:(?:nobody|no one) should|please (?:do not|don['’]t)|do not|don['’]t|niemand soll(?:te)?|bitte nicht) (?:(?:use|take|show|verwenden|nehmen|nutzen) )?(?:it|this|that|sie|ihn|es|das)(?: (?:any ?more|yet|verwenden|nehmen|nutzen|mehr))*[.!]?$`)

// said reports whether a word is a value that the conditions of a formula have.
func (r *reader) said(w string, st *Statement, table string) bool {
	of, value := r.valueOf(table, w)
	return of != "" && slices.ContainsFunc(st.Formula.Where, func(c Condition) bool {
		return strings.HasPrefix(c.Text, of+" ") && strings.Contains(c.Text, textLiteral(value))
	})
}

// excepting reports whether a word begins what a number leaves out or takes in.
func excepting(w string) bool {
	return w == "exception" || w == "exceptions" || w == "ausnahme" || w == "ausnahmen" || w == "caveat"
}

// used matches the beginning of a sentence that says what somebody does with the number before it: "That is what goes into the
// monthly pack."
var used = text.Pattern(`(?i)^(?:this|that|it|das|dies|es) (?:is|ist) (?:(?:exactly|also|just|genau|auch) )?(?:(?:the|die|der) (?:(?:first|last|main|most important|erste|letzte|wichtigste) )?(?:one|number|figure|metric|kpi|zahl|kennzahl|wert),? (?:that|which|we|you|they|die|den|der)|what|how|where|why|was|wie|wo)(?: |$)`)

// adding matches a sentence that says that something is in a number: "Complaints are included."
var adding = text.Pattern(`(?i)^(?:(?:the|our|die|der|das|unsere) )?(?:[\pL-]+ ){1,5}(?:is|are|ist|sind)(?: (?:also|always|auch|immer))? (?:included|in there|in it|enthalten|dabei|drin|mit drin|eingerechnet|mitgerechnet|added|addiert|hinzugerechnet|dazugerechnet)(?:$|[^\pL])`)

// participle is a word for what was done with a proposal, as a whole sentence: "Adjourned.", "Vertagt."
var participle = text.Pattern(`^(?:\pL+ed|(?:ver|ab|zurück|aus|be|ent|er|ge)\pL+(?:t|en))$`)

// leftOut matches a sentence that says that something is not in a number: "Refunds are out."
var leftOut = text.Pattern(`(?i)^(?:[\pL-]+ ){1,5}(?:is|are|ist|sind|stays?|bleibt|bleiben) (?:out|raus|draußen|außen vor)[.!]?$`)

// onTop are phrases for what is added to a number.
var onTop = []string{" on top", "in addition", "kommt hinzu", "kommen hinzu", "kommt dazu", "kommen dazu", "obendrauf", "zusätzlich"}

var (
	// speaksOn are words at the beginning of a sentence for what the sentence before is about; predicates are verbs behind them, within are
	// those for what belongs to it.
	speaksOn   = text.Words("it this that das dies es sie er these they example examples beispiel beispiele exception exceptions ausnahme ausnahmen caveat hier dabei davon darin wobei here")
	predicates = text.Words("is are gets ist sind wird werden has hat")
	// agreeing are words by which a meeting agrees, unfinished those for what is to be done.
	agreeing = text.Words("approved agreed accepted adopted decided confirmed settled done beschlossen angenommen genehmigt einverstanden bestätigt verabschiedet erledigt entschieden vereinbart")
	// differently are words for what counts in another way.
	differently = text.Words("separately apart half double doubled twice extra differently otherwise gesondert separat doppelt halb anders")
	within      = text.Words("darin davon dabei dazu drin hierin rein hinein therein inside")
	// idleWords are words of a sentence about a number that say nothing of how it is computed.
	idleWords = text.Words("please bitte use take show important new nice thanks danke monday tuesday wednesday thursday friday montag dienstag mittwoch donnerstag freitag monatsfolien folie next week now today tomorrow everyone everybody")
)

// theDefinition reports whether a word stands for what the sentence before is: "In July the definition changes."
func theDefinition(w string) bool {
	switch w {
	case "definition", "formula", "calculation", "rule", "formel", "berechnung", "regel", "festlegung":
		return true
	}
	return false
}

// idle reports whether a word says nothing of how a number is computed.
func idle(w string) bool {
	c := classes()[w]
	return idleWords(w) || c&(glueWord|venueWord|speakerWord|sayWord|regularWord) != 0 && c&(leaveWord|notWord|onlyWord|aggregateWord) == 0
}

// figures reports whether a text has a number, or alters a formula.
func (r *reader) figures(s string, st *Statement) bool {
	return slices.ContainsFunc(parted(s), func(p part) bool { return p.number() }) || r.alters(s, st)
}

// alters reports whether a text has a word of calculating, restricting or denying, or a name of a formula's table.
func (r *reader) alters(s string, st *Statement) bool {
	table := r.tableOf(st)
	for _, p := range parted(s) {
		if p.low != "mean" && p.is(leaveWord|leftWord|notWord|onlyWord|aggregateWord|distinctWord|shareWord|divideWord) {
			return true
		}
		if p.isWord && !p.is(glueWord|sayWord|timeWord|venueWord) && table != "" && r.meaningful(p.text, table) {
			return true
		}
	}
	return false
}

// pastCopulas reports whether a word is a verb of what was.
func pastCopulas(w string) bool {
	switch w {
	case "was", "were", "war", "waren":
		return true
	}
	return false
}

// unfinished reports whether a word marks what is to be done.
func unfinished(w string) bool {
	switch w {
	case "todo", "fixme", "xxx", "tbd", "tbc":
		return true
	}
	return false
}

// goingOn reports whether a word begins a sentence without a verb that goes on with the one before.
func goingOn(w string) bool {
	switch w {
	case "not", "without", "with", "before", "after", "net", "gross", "per", "minus", "plus", "except", "excluding", "including", "only", "half", "ohne", "mit", "vor", "nach", "netto", "brutto", "pro", "je", "abzüglich", "zuzüglich", "außer", "nur", "davon", "exklusive", "inklusive", "nicht", "until", "since", "bis", "seit", "ab", "am", "im":
		return true
	}
	return false
}
