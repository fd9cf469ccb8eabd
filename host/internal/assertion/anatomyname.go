package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// linkWords end the subject of a sentence.
var linkWords = text.Words(`sagt tells indicates measures gibt misst besagt heißt stands steht nennen nennt bezeichnen is are means equals counts sums adds totals averages covers should must can will shall : = – — ist sind wird werden bedeutet entspricht ergibt gilt zählt zählen umfasst berechnet errechnet`)

// findName marks the name: a quotation, what stands in the frame of a definition, what follows a word of naming, the subject
// of a clause, else the only part that is not known. it is what "it" means.
func (a *anatomy) findName(it string) bool {
	quoted := -1
	for i := range a.all {
		q := a.all[i].quotation()
		if q == "" {
			continue
		}
		if column, _ := a.lexicon.Value(a.identity, q); column != "" || i > 0 && strings.ContainsAny(a.all[i-1].text, "=<>") {
			continue
		}
		if quoted >= 0 {
			return false
		}
		quoted = i
	}
	if quoted >= 0 {
		a.take(quoted, quoted+1)
		a.subject = a.all[quoted].quotation()
		return true
	}
	if a.candidate(a.nameInFrame) {
		return true
	}
	for i := range a.all {
		counts := i > 0 && a.all[i].low == "als" && (a.all[i-1].low == "gilt" || a.all[i-1].low == "gelten")
		wanted := wantingWords(a.all[i].low) && slices.ContainsFunc(a.all[i:], func(p part) bool { return p.low == "which" })
		obtains := obtaining(a.all[i].low) && (i+1 < len(a.all) && (a.all[i+1].low == "man" || a.all[i+1].low == "sich" || a.all[i+1].low == "wir") || i > 0 && (a.all[i-1].low == "you" || a.all[i-1].low == "we"))
		shown := i > 0 && a.all[i].low == "als" && slices.ContainsFunc(a.all[max(0, i-2):i], func(p part) bool { return showingWords(p.low) || namingWords(p.low) })
		if (namingWords(a.all[i].low) || shown || obtains || counts || wanted || enteringWords(a.all[i].low)) && a.candidate(func() bool { return a.nameAfter(i + 1) }) {
			a.actor(i)
			if enteringWords(a.all[i].low) {
				a.all[i].kind = gluePart
			}
			return true
		}
	}
	first := a.skip == 0
	return a.nameOfClause(it) || a.nameAlone(!first)
}

// candidate finds a name, and undoes it if it is one to skip.
func (a *anatomy) candidate(find func() bool) bool {
	before := slices.Clone(a.all)
	if find() && a.skip == 0 {
		return true
	}
	if a.subject != "" {
		a.skip, a.subject = a.skip-1, ""
	}
	a.all = before
	return false
}

// nameInFrame takes the name of a definition whose first word opens it: "by X we mean", "unter X versteht", "when we say X,",
// "mit X meinen wir".
func (a *anatomy) nameInFrame() bool {
	from, closes := 1, understandWords
	first := a.all[0].low
	for i := 1; i < len(a.all) && i < 5; i++ {
		if a.all[i].low == "unter" && slices.ContainsFunc(a.all[:i], func(p part) bool { return p.low == "verstehen" || p.low == "versteht" || p.low == "verstehe" }) {
			first, from = "unter", i+1
		}
	}
	switch {
	case first == "als":
		closes = func(w string) bool {
			return namingWords(w) || w == "führen" || w == "führt" || w == "weisen" || w == "verbuchen"
		}
	case first == "zum" || first == "zur" || first == "zu":
		closes = belongingWords
	case first == "by" || first == "under" || first == "unter" || first == "mit":
	case first == "when" || first == "whenever" || first == "wenn":
		at := slices.IndexFunc(a.all, func(p part) bool { return sayingWords(p.low) })
		if at < 1 || at > 4 {
			return false
		}
		for from = at + 1; from < len(a.all) && (a.all[from].low == "about" || a.all[from].low == "of" || a.all[from].low == "von" || a.all[from].low == "über"); from++ {
		}
		closes = func(w string) bool { return w == "," }
	default:
		return false
	}
	to := from
	for to < len(a.all) && to-from <= longestName+1 && !(a.all[from-1].low == "unter" && to > from && articles(a.all[to].low)) && !closes(a.all[to].low) && a.all[to].low != "," && a.all[to].word() {
		to++
	}
	if a.all[from-1].low == "unter" && to < len(a.all) && articles(a.all[to].low) && a.nameIn(from, to, "") {
		return true // "wir verstehen unter X den …"
	}
	if to < len(a.all) && a.all[to].low == "," && to+1 < len(a.all) && closes(a.all[to+1].low) {
		a.all[to].kind = gluePart
	} else if to == len(a.all) || !closes(a.all[to].low) {
		return false
	}
	if !a.nameIn(from, to, "") {
		return false
	}
	if belongingWords(a.all[to].low) {
		a.all[to].kind = gluePart // it counts nothing: "zum Bestand zählen nur …"
	}
	a.actorAfter(to + 1)
	return true
}

var belongingWords = text.Words("zählen zählt gehören gehört")

// namely reports whether the words of the name may be one: it has no article inside, but behind a preposition, and no word
// that joins clauses.
func (a *anatomy) namely() bool {
	for i := range a.all {
		if a.all[i].kind != namePart || a.all[i].quotation() != "" {
			continue
		}
		first := i == 0 || a.all[i-1].kind != namePart
		low := a.all[i].low
		if first && i > 0 && (a.all[i-1].low == "that" || a.all[i-1].low == "which" || a.all[i-1].low == "who") {
			return false // "that matters": a verb
		}
		if clausal(low) || hollow(low) || !first && a.language == English && (low == "the" || low == "a" || low == "an") && !joiners(a.all[i-1].low) {
			return false
		}
	}
	return true
}

// hollow are words of a name that is none: of an intention, or of the talk about numbers.
var hollow = text.Words("step task goal target problem question issue idea thing things aim focus point answer rest others ziel zielwert frage problem aufgabe schritt idee sache punkt antwort")

// clausal are words that no name has: they compare, join clauses or say when.
var clausal = text.Words("than as once when while if because since until whether how what why which that who where unless but or nor then also still als wenn weil ob wie was dass denn sobald bis seit oder aber sondern ist sind wird werden is are was were be been has have had")

// behindVerb returns where a name begins that is the object of a verb: "pricing works with the contract size". The words
// before it say who speaks, if they have no meaning for the number.
func (a *anatomy) behindVerb(from, to int) int {
	at := -1
	for i := from + 1; i+1 < to; i++ {
		if low := a.all[i].low; (low == "the" || low == "a" || low == "an" || low == "our") && a.all[i-1].low != "of" && a.all[i-1].low != "for" && a.all[i-1].low != "per" {
			at = i
		}
	}
	if at < 0 || a.language == German {
		return from
	}
	idle := at-from <= longestActor && !slices.ContainsFunc(a.all[from:at], func(p part) bool { return periodic(p.low) })
	for i := from; i < at; i++ {
		idle = idle && !a.means(i)
	}
	for i := from; idle && i < at; i++ {
		a.all[i].kind = gluePart
	}
	return at + 1
}

var (
	understandWords = text.Words("we understand understands mean means one versteht verstehen verstehe meint meinen ist sind wird")
	sayingWords     = text.Words("say says mention mentions talk talks speak speaks report reports sagen sagt sprechen spricht reden redet")
	// obtaining are verbs before a name that a calculation leads to: "…, erhält man den Auftragswert".
	obtaining = text.Words("erhält erhalten bekommt bekommen ergibt get obtain")
	// enteringWords stand between rows and the number that they are part of: "these subscriptions enter seat revenue".
	enteringWords = text.Words("towards toward gives give yields yield enter enters form forms constitute constitutes")
)

// actor marks the words before a verb of naming as those who speak, if none of them has a meaning for the number.
func (a *anatomy) actor(verb int) {
	from := verb
	for from > 0 && a.all[from-1].word() && a.all[from-1].kind == unknownPart {
		from--
		if !articles(a.all[from].low) && !a.glue(from) && a.means(from) {
			return
		}
	}
	if verb-from > longestActor {
		return
	}
	for i := from; i < verb; i++ {
		a.all[i].kind = gluePart
	}
}

// longestActor is the largest number of words that name who speaks.
const longestActor = 5

// actorAfter marks who speaks behind a German verb: "unter X versteht die Buchhaltung die Summe".
func (a *anatomy) actorAfter(from int) {
	if from >= len(a.all) || !articles(a.all[from].low) && a.all[from].low != "unser" && a.all[from].low != "unsere" {
		return
	}
	to := from + 1
	for to < len(a.all) && to-from < 3 && a.all[to].word() && !articles(a.all[to].low) {
		if quantifies(a.all[to].low) {
			break
		}
		if a.means(to) {
			return
		}
		to++
	}
	if to < len(a.all) && (articles(a.all[to].low) || quantifies(a.all[to].low)) {
		for i := from; i < to; i++ {
			a.all[i].kind = gluePart
		}
	}
}

// means reports whether a word may have a meaning for the number.
func (a *anatomy) means(i int) bool {
	column, _ := a.value(i)
	return column != "" || a.computes(i) || a.isColumn(i) || a.isRows(i) || doubtful(a.all[i].low) || negatingWords(a.all[i].low) || a.all[i].number()
}

// nameOfClause takes the words between the beginning of a clause and the word that leads to what they are.
func (a *anatomy) nameOfClause(it string) bool {
	from := 0
	for i := range a.all {
		p := &a.all[i]
		sign := !p.word() && strings.ContainsAny(p.text, ",;:()–—") && p.quotation() == ""
		switch {
		case (linkWords(p.low) || p.text == "," && a.apposes(i+1) || p.text == "(" && a.apposes(i+1)) && i > from && a.candidate(func() bool { return a.subjectIn(from, i, it) }):
			if p.low == "nennt" || p.low == "nennen" {
				a.actorAfter(i + 1)
			}
			return true
		case p.low == "that" && i > 0 && a.glue(i-1) && !a.isRows(i-1) || p.low == "dass" || consequence(p.low):
			from = i + 1
		case sign:
			from = i + 1
		}
	}
	return false
}

// consequence are words before what follows from the clause before them.
var consequence = text.Words("hence thus therefore so deshalb daher folglich")

// apposes reports whether an apposition begins at a part: ", meaning the subscriptions that …", ", the sum of …".
func (a *anatomy) apposes(i int) bool {
	if i >= len(a.all) {
		return false
	}
	switch low := a.all[i].low; low {
	case "gemessen", "berechnet", "measured", "meaning", "i.e", "namely", "defined", "which", "also", "nämlich", "d.h", "computed", "calculated":
		return true
	case "das":
		return i+1 < len(a.all) && (a.all[i+1].low == "ist" || a.all[i+1].low == "sind" || a.computes(i+1))
	case "that":
		return i+1 < len(a.all) && a.all[i+1].low == "is"
	case "or", "oder", "sprich":
		if i+2 < len(a.all) && (a.computes(i+1) || articles(a.all[i+1].low) && a.computes(i+2)) {
			a.all[i].kind = gluePart
			return true
		}
		return false
	case "the", "a", "an", "der", "die":
		return i+1 < len(a.all) && a.computes(i+1)
	default:
		return a.computes(i) && !negatingWords(low) && !includedWords(low)
	}
}

// subjectIn takes the words between two parts as the name, unless they speak of each or only some rows: "each customer is
// counted once" defines no customer. A preposition phrase before it is none of it.
func (a *anatomy) subjectIn(from, to int, it string) bool {
	if a.all[from].low == "als" || a.all[from].low == "as" {
		return false // it says which rows are called so, not how many they are
	}
	if first := a.all[from].low; !leadingWords(first) && prepositions(first) {
		return false // "among all subscriptions, the share …"
	}
	for from < to && to-from > 1 && a.glue(from) && beforeName(a.all[from].low) && !quantifies(a.all[from].low) && !a.adjectival(from) {
		from++
	}
	if leadingWords(a.all[from].low) || from > 0 && leadingWords(a.all[from-1].low) { // "from finance's side open receivables are …"
		for i := from; i+1 < to; i++ {
			if venueNoun(a.all[i].low) && !slices.ContainsFunc(a.all[from:i], func(p part) bool { return p.number() || doubtful(p.low) }) {
				for j := from; j <= i; j++ {
					a.all[j].kind = gluePart
				}
				from = i + 1
			}
		}
	}
	for i := from; i < to; i++ {
		switch {
		case strings.HasSuffix(a.all[i].low, "'s") || strings.HasSuffix(a.all[i].low, "’s"):
			return false
		case strings.Contains(a.all[i].text, "_") && !a.isColumn(i): // "adds trade_reach"
			from, to = i, i+1
		case (wantingWords(a.all[i].low) || i > 0 && (a.all[i-1].low == "how" || a.all[i-1].low == "wie")) && i+1 < to: // "how high the refunds are"
			from = i + 1
		}
	}
	from = a.behindVerb(from, to)
	if quantifies(a.all[from].low) || slices.ContainsFunc(a.all[from:to], func(p part) bool { return relativeWords(p.low) }) {
		return false
	}
	return a.nameIn(from, to, it)
}

var (
	// beforeName are words between the beginning of a clause and a name.
	beforeName = text.Words(`the a an our my your its their we i you they this that so then therefore please hence exactly namely indeed also and but under with for in on at from to by as of
		metric kpi key main term word need needs want wants ask asks say says mean means report reports define call name
		der die das den dem des ein eine einen einer einem eines unser unsere unserem unseren unserer wir ich und aber also nämlich bitte für im in auf aus bei beim zum zur mit von vom unter kennzahl begriff`)
	prepositions  = text.Words("among across over of by per between through unter über von")
	quantifies    = text.Words("allen sämtliche sämtlichen each every all only any some no those these both most none jede jeder jedes jeden alle nur keine kein einige manche diese this that which who")
	relativeWords = text.Words("which who whose whom that where when if we deren dessen welche welcher")
)

// wantingWords stand before a name that a relative clause defines: "logistics needs paid parcels, which is …".
var wantingWords = text.Words("looks look needs need wants want reports report shows show tracks track watches watch uses use sees see quotes quote asks")

// nouns are words without meaning of their own that end a name: "signed value".
var nouns = text.Words("value values wert werte team result list record sheet table amount count total rate share number size volume income")

// take marks parts as the name.
func (a *anatomy) take(from, to int) {
	words := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		a.all[i].kind = namePart
		words = append(words, a.all[i].text)
	}
	a.subject = term(strings.Join(words, " "))
	for i := 0; i+to-from <= len(a.all); i++ { // it is said twice
		if (i+to-from <= from || i >= to) && a.all[i].kind == unknownPart && a.equal(from, to, i, i+to-from) && a.strange(i, i+to-from) {
			for j := i; j < i+to-from; j++ {
				a.all[j].kind = gluePart
			}
		}
	}
}

// nameAfter takes the words from a part to the next sign or the end as the name, if one of them is not known.
func (a *anatomy) nameAfter(from int) bool {
	for from < len(a.all) && a.glue(from) {
		from++
	}
	to := from
	for to < len(a.all) && a.all[to].word() && a.all[to].kind == unknownPart && !(to > from && (a.computes(to) && !nouns(a.all[to].low) || articles(a.all[to].low) || quantifies(a.all[to].low) || a.all[to].low == "by")) {
		to++
	}
	for to > from && a.glue(to-1) && !nouns(a.all[to-1].low) {
		to--
	}
	if to < len(a.all) && a.all[to].word() && a.language == German && articles(a.all[from-1].low) {
		return false // "so bezeichnet der Vertrieb die Summe": it is who speaks
	}
	if to-from > longestName || !a.strange(from, to) || to < len(a.all) && !strings.ContainsAny(a.all[to].text, ",;:.()=") && !a.glue(to) {
		return false
	}
	a.take(from, to)
	return true
}

// longestName is the largest number of words of a name.
const longestName = 5

// nameIn takes the words between two parts as the name, without those at their ends that say nothing.
func (a *anatomy) nameIn(from, to int, it string) bool {
	for i := from; i < to; i++ {
		if a.all[i].kind != unknownPart || !a.all[i].word() {
			return false
		}
	}
	if to-from == 1 && pronouns(a.all[from].low) {
		if it == "" || a.noun || a.all[from].low != "it" && a.all[from].low != "es" && a.all[from].low != "this" && a.all[from].low != "das" && a.all[from].low != "sie" && a.all[from].low != "er" {
			return false
		}
		a.all[from].kind, a.subject = gluePart, it
		return true
	}
	for from < to && a.glue(from) && beforeName(a.all[from].low) && !a.adjectival(from) {
		from++
	}
	for to > from+1 && a.glue(to-1) && !nouns(a.all[to-1].low) && !speakers(a.all[to-1].low) {
		to--
	}
	if from == to || to-from > longestName || !slices.ContainsFunc(a.all[from:to], func(p part) bool { return !glueWords(p.low) && !countWords(p.low) }) {
		return false
	}
	if slices.ContainsFunc(a.all[from:to], func(p part) bool {
		return p.number() || periodic(p.low) && p.low != "daily" && p.low != "weekly" && p.low != "monthly" && p.low != "new" && p.low != "recent"
	}) {
		return false // "over 14 days pending"
	}
	if column, _ := a.value(from); to-from == 1 && (column != "" || a.isColumn(from) || quantifies(a.all[from].low)) {
		return false
	}
	a.take(from, to)
	return true
}

// adjectival reports whether a word is the "mean" of a name, not the verb: "mean basket is", "we mean".
func (a *anatomy) adjectival(i int) bool {
	return a.all[i].low == "mean" && (i == 0 || articles(a.all[i-1].low))
}

// nameAlone takes the only run of words that are not known as the name.
// Shape: ours: it must be called ours, because another part was found to be a name and is none.
func (a *anatomy) nameAlone(ours bool) bool {
	from, to := -1, -1
	for i := 0; i < len(a.all); i++ {
		if !a.strange(i, i+1) {
			continue
		}
		next := i + 1
		for next < len(a.all) && a.strange(next, next+1) {
			next++
		}
		if from >= 0 && !a.equal(from, to, i, next) {
			return false
		}
		if from >= 0 { // it is said twice: the last is what is defined
			a.take(from, to)
		}
		from, to, i = i, next, next
	}
	for from >= 0 && to < len(a.all) && nouns(a.all[to].low) && a.all[to].kind == unknownPart { // "signed value"
		to++
	}
	if from < 0 || to-from > longestName || !a.linked(to) {
		return false
	}
	// "pending volume", "average paid ticket": what is before it belongs to the name.
	for from > 0 && a.all[from-1].word() && a.all[from-1].kind == unknownPart && !a.glue(from-1) && !a.isColumn(from-1) {
		from--
		if a.computes(from) && !a.onlyGlue(from) && !namingWords(a.all[from-1].low) && !owned(a.all[from-1].low) {
			return false
		}
	}
	if !a.introduced(from, to) || ours && (from == 0 || !owned(a.all[from-1].low)) {
		return false
	}
	a.take(from, to)
	return true
}

// onlyGlue reports whether nothing but words without meaning stands before a part.
func (a *anatomy) onlyGlue(at int) bool {
	for i := range at {
		if !a.glue(i) {
			return false
		}
	}
	return true
}

// introduced reports whether some parts stand where a name does: before a word that leads to what it is, at the beginning,
// or behind a word that says that it is a name.
func (a *anatomy) introduced(from, to int) bool {
	if to < len(a.all) && a.all[to].word() {
		return true // linked has seen it
	}
	if a.onlyGlue(from) && to < len(a.all) {
		return true
	}
	return from > 0 && (namingWords(a.all[from-1].low) || owned(a.all[from-1].low))
}

// owned are the words before a name of ours at the end of a sentence.
var owned = text.Words("our my unser unsere unseren")

// equal reports whether two runs of parts have the same words.
func (a *anatomy) equal(from, to, other, end int) bool {
	return slices.EqualFunc(a.all[from:to], a.all[other:end], func(p, o part) bool { return p.low == o.low })
}

// linked reports whether a name may end before a part: at the end, a sign, or a word that leads from a name to what it is.
func (a *anatomy) linked(at int) bool {
	return at == len(a.all) || !a.all[at].word() || linkWords(a.all[at].low) || defining(a.all[at].low) || definingVerbs(a.all[at].low)
}

// definingVerbs follow a name that its sentence defines.
var definingVerbs = text.Words("means we they finance wir berechnen zählen errechnen rechnen ermitteln bestimmen to zu")
