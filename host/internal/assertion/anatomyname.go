package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// frame is one way to read which words of a sentence are the name that it defines.
type frame struct {
	from, to int
	// subject is a name that does not stand in the sentence; "" = the parts from and up to.
	subject string
	// aside are parts that only lead to the name: who speaks, an apposition.
	aside []int
	// less says that the name leaves something out, which the calculation has to subtract.
	less bool
}

// longestName is the largest number of words of a name.
const longestName = 6

// frames returns the names that the form of a sentence allows: what is quoted, else what stands behind a word of naming,
// before a word of defining, or as ours at the end. bold is the length of a lead in bold letters; it is what "it" means.
func (a *anatomy) frames(bold int, it string) (all []frame) {
	for i := range a.all {
		if q := a.all[i].quotation(); q != "" && a.all[i].valueOf == "" && !(i > 0 && strings.ContainsAny(a.all[i-1].text, "=<>")) {
			all = append(all, frame{from: i, to: i + 1, subject: q})
		}
	}
	if len(all) > 0 {
		return all
	}
	if bold > 0 {
		from, to := 0, slices.IndexFunc(a.all, func(p part) bool { return p.from >= bold })
		for from < to && a.all[from].is(articleWord) {
			from++
		}
		if from < to && a.named(from, to) {
			return []frame{{from: from, to: to}}
		}
		if a.lead(from, to) < to { // "Still in house": a part of it is another name
			return nil
		}
	}
	add := func(f frame, ok bool) {
		if ok && !slices.ContainsFunc(all, func(o frame) bool { return o.from == f.from && o.to == f.to && o.subject == f.subject }) {
			all = append(all, f)
		}
	}
	for i := range a.all {
		p := &a.all[i]
		if p.is(openWord) && !(p.is(pronounWord) && i > 0) {
			add(a.opened(i))
		}
		if p.is(nameWord) {
			add(a.called(i))
		}
		if i == 0 && (p.low == "for" || p.low == "für") {
			add(a.quantified())
		}
	}
	for i := range a.all {
		if a.all[i].is(linkWord) || (a.all[i].low == "as" || a.all[i].low == "als") && a.apposes(i+1) || a.all[i].text == "," && a.apposes(i+1) || a.all[i].text == "(" && a.apposes(i+1) && !a.shortensInside(i) {
			add(a.before(i, it))
		}
		if next := i + 1; next < len(a.all) && (a.all[i].low == "gets" && a.all[next].is(sayWord) || amountsTo(a.all[i].low) && (a.all[next].low == "to" || a.all[next].low == "from") ||
			(a.all[i].low == "setzt" || a.all[i].low == "setzen") && a.all[next].low == "sich" || i > 0 && (a.all[i].low == "takes" || a.all[i].low == "nimmt") && amounting(a.all[i-1].low)) {
			add(a.before(i, it)) // "availability gets calculated as …", "long drives refers to …", "die Miete setzt sich aus … zusammen", "turnover takes …"
		}
		if a.all[i].ours() {
			add(a.ours(i))
		}
		if a.all[i].is(linkWord) && a.all[i].isWord {
			add(a.behind(i))
		}
		if next := i + 1; (a.all[i].is(sayWord) || a.all[i].low == "get") && next < len(a.all) {
			add(a.computed(i))
			if from, _, _ := a.clauseBefore(i); deriving(a.all[i].low) && a.all[next].is(pronounWord) && !readers(a.all[from].low) {
				add(a.before(i, it)) // "den Bon erhält man, indem …"
			}
		}
		if a.all[i].sign() {
			add(a.spokenOf(i))
		}
		if i > 0 && a.all[i].is(linkWord) && a.all[i].sign() {
			add(a.label(i))
		}
	}
	return all
}

// name marks the name of a frame.
func (a *anatomy) name(f *frame) {
	for i := range a.all {
		if fromNow(a.all[i].low) && i > 0 && (a.all[i-1].is(pronounWord|linkWord) || fromNow(a.all[i-1].low)) && a.all[i].kind == unknownPart && !a.all[i].known() {
			a.all[i].kind = gluePart
		}
	}
	for _, i := range f.aside {
		if a.all[i].kind == unknownPart {
			a.all[i].kind = gluePart
		}
	}
	words, name := make([]string, 0, f.to-f.from), ""
	for i := f.from; i < f.to; i++ {
		a.all[i].kind = namePart
		words = append(words, a.all[i].text)
	}
	a.declined = !a.nominative(f.from, words)
	for i, word := range words {
		switch {
		case i == 0:
		case a.all[f.from+i].hyphen:
			name += "-"
		default:
			name += " "
		}
		name += word
	}
	if a.subject = f.subject; a.subject == "" {
		a.subject = term(name)
	}
	for i := 0; f.to > f.from && i+len(words) <= len(a.all); i++ { // the name is said twice, of one row or of all
		described := i < 2 && i+len(words) < f.from && a.all[i+len(words)].is(linkWord) // "A lost deal is a row with …; lost deals is …"
		same := (i+len(words) <= f.from || i >= f.to) && (!a.all[i].known() || described)
		for j := range words {
			same = same && a.all[i+j].kind == unknownPart && singular(a.all[i+j].low) == singular(a.all[f.from+j].low)
		}
		for j := range words {
			if same {
				a.all[i+j].kind = gluePart
			}
		}
	}
}

// named reports whether parts may be a name: a phrase that does not only calculate, without a verb, a pronoun, a number,
// or a word that doubts, negates or joins clauses.
func (a *anatomy) named(from, to int) bool {
	if from >= to || to-from > longestName {
		return false
	}
	says := false
	for i := from; i < to; i++ {
		p := &a.all[i]
		mean := p.low == "mean" && i == from && to-from > 1
		if who, _, shortened := strings.Cut(strings.ReplaceAll(p.low, "’", "'"), "'"); shortened && classes()[who]&(pronounWord|glueWord) != 0 {
			return false // "it's bad traps"
		}
		if p.column != "" && i+1 < to && (lacks(a.all[i+1].low) || a.all[i+1].low == "true" || a.all[i+1].low == "false") {
			return false // "…, in denen zurueck_am leer ist"
		}
		if !p.isWord || p.kind != unknownPart || p.number() || strings.Contains(p.text, ".") || p.column != "" && strings.Contains(p.text, "_") || p.is(pronounWord|onlyWord) && !p.is(joinerWord) ||
			p.is(barWord|leaveWord|leftWord|notWord|divideWord) && !p.is(joinerWord) && !a.deniedName(i, from, to) || p.is(perWord) && i == from && !(p.low == "pro" && a.language == English) || doubtful(p.low) && !a.deniedName(i, from, to) || p.is(timeWord) && !((p.is(regularWord) || presentWords(p.low)) && i == from && to-from > 1) {
			return false
		}
		says = says || !p.is(calculationWord|glueWord) || mean
	}
	first := &a.all[from]
	if to-from == 1 && unitOf(first.text) != "" {
		return false
	}
	if to-from == 1 && (first.low == "true" || first.low == "false") {
		return false
	}
	several := first.flag != "" && first.low != strings.ToLower(first.flag) && (strings.HasSuffix(first.low, "s") || a.language == German && capital(first.text)) && to < len(a.all) && a.all[to].is(linkWord) // "Premieres is the number of …"
	whole := first.length == to-from && (first.valueOf != "" || first.column != "" || first.flag != "") && !several
	return says && !whole && !(to-from == 1 && first.rows)
}

// deniedName reports whether a name begins with a denied participle: "Nicht abgeholte Essen", "not collected meals".
func (a *anatomy) deniedName(i, from, to int) bool {
	return i == from && from+2 < to && denying([]string{a.all[i].low, a.all[i+1].text, ""}) && to < len(a.all) && a.all[to].is(linkWord)
}

// run returns where the phrase that ends before a part begins: words without glue between them, but joined ones.
func (a *anatomy) run(least, to int) int {
	from := to
	for from > least {
		p := &a.all[from-1]
		content := p.isWord && !p.is(glueWord|pronounWord|sayWord) || p.is(nounWord) || p.is(speakerWord) && from < to || p.low == "mean" && from < to
		participle := p.is(sayWord) && from < to && (strings.HasSuffix(p.low, "ed") || heldWords(p.low)) && (from-1 == least || a.all[from-2].is(articleWord))
		participle = participle || p.is(sayWord) && from == to && from-1 > least && (strings.HasSuffix(p.low, "ed") || heldWords(p.low)) && to < len(a.all) && !a.all[to].isWord                                                                      // "Patients treated:"
		content = content || a.pluralBefore(least, from, to) || p.isWord && !p.is(articleWord|allWord|pronounWord) && from-2 > least && a.all[from-2].is(perWord)                                                                                     // "margin per word"
		content = content || participle || p.is(sayWord) && from < to && from-1 > least && a.all[from-2].is(aggregateWord)                                                                                                                            // "average talk time"
		content = content || termWords(p.low) && from < to && (from-1 == least || !a.all[from-2].is(glueWord))                                                                                                                                        // "rush word price", not "the word price"
		content = content || a.inside(least, from, to) || p.is(allWord) && p.is(glueWord) && (p.low == "gesamt" || p.low == "insgesamt" || p.low == "overall") && from == to && from-1 > least && !a.all[from-2].is(glueWord) && a.all[from-2].isWord // "Liegegeld gesamt ist"
		joined := p.is(joinerWord) && from < to && from-1 > least && !a.all[from-2].is(glueWord|sayWord) && a.all[from-2].isWord
		if !content && !joined {
			break
		}
		from--
	}
	return from
}

// inside reports whether a verb in its basic form is a noun in an English name, before what the name does: "remote stand share is",
// "Quote gap sums".
func (a *anatomy) inside(least, from, to int) bool {
	p := &a.all[from-1]
	if a.language != English || !p.is(sayWord) || p.is(linkWord|nameWord|speakerWord|venueWord) || metricWords(p.low) || from == to || strings.HasSuffix(p.low, "s") || strings.HasSuffix(p.low, "ed") || to == len(a.all) || !a.all[to].is(linkWord) || !a.all[to].isWord {
		return false
	}
	at := from - 1
	if at > least && a.all[at-1].isWord && a.all[at-1].class == 0 && !strings.HasSuffix(a.all[at-1].low, "s") {
		at--
	}
	return at == 0 && capital(a.all[0].text) || at > 0 && a.all[at-1].is(articleWord) && !a.all[at-1].is(pronounWord)
}

// pluralBefore reports whether a word that is also a verb ends a name of two words: "powder reports is", "gross sales is", not "the cost Carla reports is".
func (a *anatomy) pluralBefore(least, from, to int) bool {
	return from == to && from >= least+2 && to < len(a.all) && (a.all[to].is(linkWord) || amountsTo(a.all[to].low)) && (a.all[to].isWord || a.all[to].text == "=") && a.all[from-1].is(sayWord|venueWord|speakerWord) &&
		a.all[from-2].isWord && a.all[from-2].class == 0 && (from-2 == least || a.all[from-3].is(articleWord))
}

// lead returns the first part that is none that leads to a name: "the metric …", "our definition of …".
func (a *anatomy) lead(from, to int) int {
	for from < to && a.all[from].is(glueWord) && !a.all[from].is(speakerWord|nounWord) {
		from++
	}
	return from
}

// called returns the name behind a word of naming: "we call this X", "known as X", "nennen wir X".
func (a *anatomy) called(at int) (frame, bool) {
	from := at + 1
	var aside []int
	for from < len(a.all) && (a.all[from].is(articleWord|pronounWord|openWord|nameWord|speakerWord) || fromNow(a.all[from].low) || a.all[from].ours() || a.all[from].low == "bei") {
		if a.all[from].is(speakerWord) && !(from > at+1 && a.all[from-1].is(articleWord) || from == at+1) {
			break
		}
		from++
	}
	if from > at+1 && from+1 < len(a.all) && a.all[from-1].is(articleWord) && results(a.all[from].low) && a.all[from+1].isWord && !a.all[from+1].is(glueWord) {
		aside = append(aside, from) // "nennen das Ergebnis Chiphunde"
		from++
	}
	if low := a.all[at].low; (low == "as" || low == "als") && !slices.ContainsFunc(a.all[max(0, at-2):at], func(p part) bool { return p.is(sayWord|nameWord) && p.low != "gilt" && p.low != "gelten" }) && !(at > 2 && a.all[0].is(pronounWord) && a.all[1].is(sayWord)) {
		return frame{}, false
	}
	to := from
	for to < len(a.all) && a.all[to].isWord && !a.all[to].is(sayWord|nameWord) && !(a.all[to].is(glueWord) && !a.all[to].is(nounWord|joinerWord) && !a.department(from, to) && !(a.all[to].is(articleWord) && to > from && a.all[to-1].is(joinerWord))) && !(a.all[to].is(linkWord) && to > from) {
		to++
	}
	for to > from && a.all[to-1].is(joinerWord|articleWord) {
		to--
	}
	ends := to == len(a.all) || a.all[to].sign() || a.all[to].text == "=" || a.all[to].is(linkWord|nameWord|articleWord) ||
		a.all[to].is(joinerWord|glueWord)
	if !ends || !a.named(from, to) {
		return frame{}, false
	}
	return frame{from: from, to: to, aside: append(aside, a.actor(at)...)}, true
}

// department reports whether a word that may be a department ends a name: "gives gross billing".
func (a *anatomy) department(from, i int) bool {
	return a.all[i].is(speakerWord) && i > from && a.all[i-1].class == 0 && (i+1 == len(a.all) || !a.all[i+1].isWord || a.all[i+1].is(glueWord) && !a.all[i+1].is(sayWord))
}

// opened returns the name behind a word that opens a definition: "by X we mean", "unter X verstehen wir", "when we say X,".
func (a *anatomy) opened(at int) (frame, bool) {
	begins := true
	for i := at - 1; i >= 0 && !a.all[i].sign(); i-- {
		begins = begins && a.all[i].is(glueWord)
	}
	from := a.lead(at+1, len(a.all))
	to := from
	nouns := a.language == English && a.all[at].low != "as" // "by contract book we mean": no verb is there but behind who says it
	for to < len(a.all) && a.all[to].isWord && (!a.all[to].is(pronounWord|sayWord) || nouns && to > from && a.all[to].is(sayWord) && !a.all[to].is(nameWord)) && !(a.all[to].is(articleWord) && to > from) && a.all[to].low != "zählen" && a.all[to].low != "gehören" && !(a.all[to].is(linkWord) && to > from) {
		to++
	}
	verb := to < len(a.all) && a.language == German && a.all[to].is(pronounWord) && to > from+1 && a.all[to-1].isWord && !capital(a.all[to-1].text)
	if verb {
		to-- // "als typische Laufzeit melden wir"
	}
	if !begins || to == len(a.all) || !a.named(from, to) {
		return frame{}, false
	}
	next := &a.all[to]
	number := to+3 < len(a.all) && us(a.all[to+1].low) && a.all[to+2].is(articleWord) && a.all[to+3].low == "anzahl"                                                                                                                            // "Als offene Herde zählen wir die Anzahl der Zeilen"
	set := !number && (a.all[at].low == "als" || a.all[at].low == "as") && (next.is(countWord) && !a.countsRows(to) || (next.low == "gilt" || next.low == "gelten") && !a.apposes(to+1) && !a.rowwise() && !a.countsOnly() && !a.allRows(to+1)) // it says which rows are called so
	closes := verb || !set && next.is(pronounWord|sayWord|linkWord) || next.is(articleWord) && a.language == German
	if !closes && next.text == "," && to+1 < len(a.all) {
		closes = a.all[to+1].is(pronounWord | sayWord)
	}
	f := frame{from: from, to: to}
	if verb {
		f.aside = []int{to}
	}
	if (next.low == "zählen" || next.low == "gehören") && !a.countsRows(to) {
		f.aside = []int{to} // it counts nothing: "zum Bestand zählen nur …"
	}
	if a.countsRows(to) && amounting(a.all[to-1].low) {
		return f, false // "Als Umsatz zählen wir alle Zeilen …" is no number of rows
	}
	return f, closes || a.countsRows(to)
}

// allRows reports whether "all rows" begins at a part.
func (a *anatomy) allRows(i int) bool {
	return i+1 < len(a.all) && a.all[i].is(allWord) && a.all[i+1].is(rowsWord)
}

// countsRows reports whether a verb of counting has rows as its object, so that it is no verb of belonging: "Als Großkunden
// zählen wir die Zeilen …", "… jeden Vorgang in ops.parkingSession".
func (a *anatomy) countsRows(verb int) bool {
	at := verb + 1
	for at < len(a.all) && a.all[at].is(pronounWord|articleWord|allWord|eachWord) {
		at++
	}
	return a.all[verb].is(countWord) && at > verb+1 && us(a.all[verb+1].low) && at < len(a.all) && (a.all[at].is(rowsWord|distinctWord) || at+2 < len(a.all) && tableLeads(a.all[at+1].low) && a.all[at+2].kind == tablePart)
}

// quantified returns the name of an amount that we compute, behind "for" at the beginning of a sentence: "For pool capacity we
// add up …", "For revenue per km, divide …", "Für die Mehlmenge nehmen wir …". What is no amount are some of the rows: "For trade we add up …".
func (a *anatomy) quantified() (frame, bool) {
	from := a.lead(1, len(a.all))
	to := from
	for to < len(a.all) && a.all[to].isWord && !a.all[to].is(pronounWord|sayWord|sumWord|divideWord) {
		to++
	}
	if to == from || to+1 >= len(a.all) {
		return frame{}, false
	}
	who, verb := &a.all[to], &a.all[to+1]
	if a.language == German {
		who, verb = verb, who
	}
	amount := slices.ContainsFunc(a.all[from:to], func(p part) bool { return amounting(p.low) || units()[p.low].base == "second" }) && !degrees(a.all[from].low) || slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.is(perWord) })
	orders := who.is(divideWord) && a.language == English && a.all[len(a.all)-1].text != "." || who.text == "," && (verb.is(aggregateWord|countWord|divideWord) || multiplies(verb.low))
	return frame{from: from, to: to}, (us(who.low) && verb.is(aggregateWord|countWord|sayWord|divideWord) || orders) && amount && a.named(from, to)
}

// degrees are adjectives that describe rows by how much of something they have: "high value".
var degrees = text.Words("high higher highest low lower big bigger large larger small smaller full hoch hohe hohen hoher hohes niedrige niedrigen niedriger große großen großer kleine kleinen kleiner volle vollen")

// amounts are nouns for what is summed or divided. German ones end compounds: "Tagesleistung".
var (
	amounts       = text.Words("reserve reserves capacity revenue turnover margin profit cost costs income expense expenses spend weight length duration price fee yield output volume value amount total rate ratio share size balance stock consumption earnings time hours distance mileage area expenditure takings")
	germanAmounts = strings.FieldsSeq("umsatz erlös kosten marge gewinn ertrag wert menge zahl quote anteil betrag summe gewicht länge dauer preis gebühr leistung kapazität bestand volumen größe verbrauch aufwand einnahmen ausgaben strecke fläche zeit stunden")
)

// amounting reports whether a word is a noun of an amount.
func amounting(low string) bool {
	for noun := range germanAmounts {
		if strings.HasSuffix(low, noun) {
			return true
		}
	}
	return amounts(low)
}

// clauseBefore returns the clause before a word of defining, and what only says its name in other words: an abbreviation,
// "our north star".
func (a *anatomy) clauseBefore(link int) (from, to int, aside []int) {
	to = link
	if to > 0 && a.all[to-1].text == ")" { // "Budget total (BT) is"
		for to -= 2; to > 0 && a.all[to].text != "("; to-- {
		}
		for i := to; i < link; i++ {
			aside = append(aside, i)
		}
	}
	if to > 0 && a.all[to-1].text == "," {
		to--
	}
	to = a.unquoted(to)
	for from = to; from > 0 && !a.all[from-1].sign() && a.all[from-1].low != "dass" && !(a.all[from-1].low == "that" && !a.all[max(0, from-2)].rows) && a.all[from-1].text != "="; {
		from--
	}
	if from > 1 && from < to && a.all[from-1].text == "," && a.beside(from, to) { // "Seat count, our north star, sums"
		for i := from; i < to; i++ {
			aside = append(aside, i)
		}
		to = from - 1
		for from = to; from > 0 && !a.all[from-1].sign(); {
			from--
		}
	}
	return from, to, aside
}

// readers reports whether a word stands before whom a sentence is for.
func readers(w string) bool { return w == "for" || w == "to" || w == "für" || w == "an" }

// before returns the name that ends before a word of defining.
func (a *anatomy) before(link int, it string) (frame, bool) {
	from, to, aside := a.clauseBefore(link)
	if to-from == 1 && a.all[from].is(pronounWord) && it != "" && !a.noun {
		return frame{subject: it}, true
	}
	if link+1 < len(a.all) && setWords(a.all[link+1].low) {
		return frame{}, false // "good customers are those with …": a set, no number
	}
	if first := &a.all[from]; to-from > 1 && a.all[link].text == ":" && a.language == English && first.is(sayWord) && !first.is(nameWord|linkWord) && !preface(first.low) && capital(first.text) && !strings.HasSuffix(first.low, "ed") {
		return frame{}, false // "Quote slippage: …": it may be a part of the name
	}
	if from < to && a.all[link].text == ":" && readers(a.all[from].low) && slices.ContainsFunc(a.all[link:], func(p part) bool { return p.is(linkWord) && p.isWord }) {
		return frame{}, false // "For the board: net value is …" says whom the sentence is for
	}
	if from < to && (a.all[from].low == "als" || a.all[from].low == "as") {
		return frame{}, false // it says which rows are called so, not how many they are
	}
	if a.all[link].is(countWord) && slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.low == "how" || p.low == "wie" }) {
		return frame{}, false // "that is how Leeds counts the trips"
	}
	least := from
	for to > from+1 && metricWords(a.all[to-1].low) { // "the pro revenue figure sums"
		to--
	}
	if from = a.run(least, to); from == to || a.all[from].is(joinerWord) && !(a.all[from].low == "pro" && a.language == English) {
		return frame{}, false
	}
	if to-from > 1 && link < len(a.all) && (a.all[from].is(speakerWord) && a.all[link].is(nameWord) || from > least && us(a.all[from-1].low) && a.all[from].is(countWord)) { // "was der Vertrieb Bonhöhe nennt", "we count late orders as"
		from++
	}
	if from == least+1 && to == from+1 && namesByVerb([]string{a.all[least].text, a.all[from].text}) {
		from = least // "Take rate ="
	}
	if p := &a.all[to-1]; p.code && strings.Contains(p.text, "_") { // "adds `trade_reach`, the number of …"
		from = to - 1
	}
	actors, ok := a.leads(least, from)
	return frame{from: from, to: to, aside: append(a.abbreviated(from, to, aside), actors...)}, ok && a.named(from, to)
}

// leads reports whether the words before a name in its clause only lead to it, and returns those that say who speaks.
func (a *anatomy) leads(least, from int) (actors []int, ok bool) {
	for i := least; i < from; i++ {
		switch p := &a.all[i]; {
		case p.is(onlyWord), p.known() && !p.is(calculationWord), p.kind == columnPart:
			return nil, false // "nur bezahlte Bestellungen zählen": what is before it calculates
		case p.is(jointWord) && i > least && a.all[i-1].rows, p.is(eachWord):
			return nil, false // "orders that …", "each customer …"
		case p.is(sayWord):
			actors = append(actors, a.actor(i)...)
		}
	}
	if from == least {
		return nil, true
	}
	switch last := &a.all[from-1]; last.low { // "in Berlin revenue is": where it holds
	case "in", "at", "from", "within", "among", "across", "im", "bei", "aus", "on", "über", "of", "over", "von":
		i := from - 2
		return actors, i >= least && (a.all[i].is(sayWord) || a.all[i].is(glueWord) && (last.low == "of" || last.low == "von"))
	}
	return actors, true
}

// termWords reports whether a noun for a name may also begin one.
func termWords(w string) bool { return w == "word" || w == "key" || w == "term" }

// results are nouns for what is counted, before its name.
var results = text.Words("result results outcome ergebnis resultat zahl summe anzahl wert number sum value count total figure")

// fromNow are words that say from when on something is called so.
var fromNow = text.Words("ab sofort jetzt künftig fortan hiermit from now on hereafter henceforth internally intern")

// presentWords are adjectives of time that a name may begin with: they compare with no period.
var presentWords = text.Words("new recent current earliest latest frühester früheste spätester späteste neue neuer laufende laufender aktuelle aktueller")

// abbreviated keeps of what stands in parentheses behind a name only what abbreviates it.
func (a *anatomy) abbreviated(from, to int, aside []int) []int {
	if to >= len(a.all) || a.all[to].text != "(" {
		return aside
	}
	words := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		words = append(words, a.all[i].text)
	}
	if a.shortensInside(to) {
		return aside
	}
	return slices.DeleteFunc(aside, func(i int) bool {
		p := &a.all[i]
		return i > to && p.isWord && !p.is(glueWord) && !a.sameUnit(i) && !initials(strings.ToUpper(p.text), strings.Join(words, " ")) && p.low != "kurz" && p.low != "short"
	})
}

// shortensInside reports whether the word before parentheses is short for what is in them: "AHT (average handling time)".
func (a *anatomy) shortensInside(open int) bool {
	var long []string
	for i := open + 1; i < len(a.all) && a.all[i].text != ")"; i++ {
		long = append(long, a.all[i].text)
	}
	return open > 0 && len(long) > 0 && initials(a.all[open-1].text, strings.Join(long, " "))
}

// beside reports whether a clause says the name in other words: "our north star", "i.e. the book".
func (a *anatomy) beside(from, to int) bool {
	first := &a.all[from]
	if to-from == 3 && first.is(sayWord) && a.all[from+1].low == "in" && unitOf(a.all[from+2].text) != "" {
		return true // "measured in cents"
	}
	if first.low == "or" && to-from == 2 && acronym(a.all[from+1].text) {
		return true // "average order value, or AOV,"
	}
	if !(first.is(articleWord) || first.ours() || first.low == "i.e" || first.low == "also" || first.low == "kurz" || first.low == "aka" || first.low == "d.h") {
		return false
	}
	return !slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.known() })
}

// apposes reports whether what a name is begins at a part behind a sign: ", the sum of …", ", meaning …".
func (a *anatomy) apposes(i int) bool {
	for ; i < len(a.all); i++ {
		switch p := &a.all[i]; {
		case p.is(aggregateWord | countWord | distinctWord | shareWord), p.low == "which", p.low == "meaning", p.low == "i.e", p.low == "d.h":
			return true
		case !p.is(glueWord|reasonWord|orWord) && p.low != "sprich":
			return false
		}
	}
	return false
}

// ours returns the name behind "our" at the end of a clause: "… is our ticket size", "… and you have our mean basket".
func (a *anatomy) ours(at int) (frame, bool) {
	to := at + 1
	for to < len(a.all) && a.all[to].isWord && (!a.all[to].is(glueWord) || a.all[to].is(nounWord|joinerWord) || a.all[to].low == "mean" && to == at+1) {
		to++
	}
	if at == 0 || !a.all[at-1].isWord || !a.all[at-1].is(glueWord|linkWord) || a.all[at-1].is(joinerWord) || to < len(a.all) && !a.all[to].sign() {
		return frame{}, false
	}
	return frame{from: at + 1, to: to}, a.named(at+1, to)
}

// behind returns the name at the end of a sentence that the clause before computes: "…, that is chair time".
func (a *anatomy) behind(link int) (frame, bool) {
	result := link > 2 && (a.all[link].low == "is" || a.all[link].low == "ist") && (a.all[link-1].is(shareWord) || results(a.all[link-1].low)) && a.all[link-2].is(pronounWord|articleWord) && a.all[link-3].sign() // "…? That share is the pass rate."
	if link < 2 || !result && (!a.all[link-1].is(pronounWord) || !a.all[link-2].sign() || it(a.all[link-1].low)) {
		return frame{}, false
	}
	from, to := a.lead(link+1, len(a.all)), len(a.all)
	return frame{from: from, to: to}, a.named(from, to) && (result || a.mentioned(from, to))
}

// mentioned reports whether the text has some words twice: what is called "fine" once is no name.
func (a *anatomy) mentioned(from, to int) bool {
	words := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		words = append(words, a.all[i].low)
	}
	return strings.Count(strings.ToLower(a.around), strings.Join(words, " ")) > 1
}

// label returns the name that is all before the first sign of a sentence: "Kegs in the field – …".
func (a *anatomy) label(sign int) (frame, bool) {
	from := 0
	for from < sign && a.all[from].is(articleWord) {
		from++
	}
	first := &a.all[from]
	if from == sign || first.is(glueWord|sayWord|reasonWord) && !(sign == from+2 && namesByVerb([]string{first.text, a.all[from+1].text})) || slices.ContainsFunc(a.all[from:sign], func(p part) bool { return p.sign() || p.is(sayWord) && p.is(linkWord) }) {
		return frame{}, false
	}
	if less := from + 1; less+1 < sign && a.all[less].is(leaveWord) { // "Honorar ohne Labor"
		return frame{from: from, to: sign, less: true}, a.named(from, less) && a.named(less+1, sign)
	}
	return frame{from: from, to: sign}, a.named(from, sign)
}

// longestActor is the largest number of words that name who speaks.
const longestActor = 4

// actor returns the words before a verb that name who speaks, if they are some of us: "our controllers", "the board".
func (a *anatomy) actor(verb int) (all []int) {
	from := verb
	for from > 0 && a.all[from-1].isWord && !a.all[from-1].known() && verb-from <= longestActor {
		from--
		if low := a.all[from].low; a.all[from].ours() || low == "the" || low == "die" || low == "der" {
			break
		}
	}
	if low := a.all[from].low; !a.all[from].ours() && !((low == "the" || low == "die" || low == "der") && (verb-from == 2 || verb-from == 3 && a.all[from+1].is(speakerWord))) {
		return nil
	}
	for i := from; i < verb; i++ {
		all = append(all, i)
	}
	return all
}
