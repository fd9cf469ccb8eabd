package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// answerLabel stands before an answer, or a calculation below its name.
var answerLabel = text.Pattern(`(?i)^(?:a|answer|antwort|definition|formula|calculation|formel|berechnung|rechenweg|beschluss|entscheidung|festgelegt|vereinbart|agreed|decision|decided)(?: by (?:everybody|everyone|all))?\s?:\s+`)

// referring is the beginning of a sentence about what the sentence before asks for or names: "It's …", "We record it as …".
var referring = text.Pattern(`(?i)^(?:(?:it|this|that|das|dies|es|sie)(?:['’]s| is| are| shows| means| tells(?: us)?| gives| ist| sind| zeigt| meint| heißt| bedeutet| gibt)|(?:we|wir) \pL+ (?:it|this|that|them|das|es|sie|ihn) (?:as|als)|(?:dazu für alle: das|gemeint) (?:ist|sind)(?: damit)?,?) (?:simply |just |einfach |nur )?`)

// answered reads the answer to a question for a name, "Q: What goes into the load factor? A: Total pax divided by …", or what "it" is
// behind a sentence that asks for a name or gives it.
func (r *reader) answered(s *sentence, text string) (Statement, bool) {
	if r.o.Lexicon == nil || r.before == nil {
		return Statement{}, false
	}
	label := answerLabel().FindString(s.text)
	rest := strings.TrimPrefix(text, label)
	it := referring().FindString(rest)
	name, around := r.askedName(s)
	beside := r.before.passage == s.passage || s.speaker != "" && r.before.speaker != "" || label != "" && r.before.block+1 == s.block
	if name == "" && beside && (it != "" || label != "") {
		name, around = r.givenName()
	}
	if name == "" {
		return Statement{}, false
	}
	about := *s
	if m := ofTheTable().FindStringSubmatch(around); m != nil {
		about.table, around = m[1], strings.Replace(around, m[0], "", 1)
	}
	st, ok := r.dissectedAs(name, &about, rest[len(it):])
	if !ok || st.Unread != "" || strings.TrimSpace(around) != "" && !r.passable(around, rest, r.tableOf(&st)) && !r.harmless(around, r.tableOf(&st)) {
		return Statement{}, false
	}
	r.before.read = true
	return st, true
}

// harmless reports whether the words around a quoted name say nothing of the number that stands behind them, but where it is shown or who
// wants it: `Carla wanted a fixed meaning for " " on the wall screen`.
func (r *reader) harmless(around, table string) bool {
	before, behind, quoted := strings.Cut(around, nameGap)
	if !quoted || strings.ContainsAny(around, "0123456789=<>") {
		return false
	}
	for n, side := range []string{before, behind} {
		t := utterance{preamble: preamble{all: r.parts(side)}, known: func(w string) bool { return r.meaningful(w, table) }}
		for i := range t.all {
			p := &t.all[i]
			if n == 0 && i > 0 && capital(p.text) && p.class == 0 && tongue(lowered(around)) == English {
				return false // "the Leeds team shows"
			}
			last := i+1 == len(t.all) || i+2 == len(t.all) && t.all[i+1].is(articleWord)
			if alters(p) && !p.is(eachWord) || periodBounds(p.low) || p.class&^nounWord == 0 && t.known(p.text) || theirs(p.low, t.all[min(i+1, len(t.all)-1)].low) ||
				places(p.low) && !(n == 0 && last) && !slices.ContainsFunc(t.all[i:], func(p part) bool {
					return p.is(venueWord) || showing().MatchString(p.low) || surface().MatchString(p.low)
				}) {
				return false
			}
		}
	}
	return true
}

// nameGap stands for a name that was taken out of a sentence.
const nameGap = " | "

// ofTheTable is the table of a name: "a tile for the table job".
var ofTheTable = text.Pattern(`(?i) (?:for|from|in|on|of|aus|für|von|zu) (?:the |der |die )?(?:table|tabelle) (` + namePattern + `)`)

// askedName returns the only name in the question before a sentence, and what stands before the question: "before the meeting, how do
// we get …?"; "" = there is none, or several.
func (r *reader) askedName(s *sentence) (name, around string) {
	if r.before == nil || r.before.passage != s.passage && !s.answer || !asks(r.before.text) || r.o.Lexicon == nil || Restricts(r.before.text) {
		return "", ""
	}
	text := strings.TrimRight(r.before.text, "? ")
	text = strings.TrimSuffix(text, urging().FindString(text))
	if label, rest, ok := strings.Cut(text, ": "); ok && labels(strings.ToLower(label)) {
		text = rest
	}
	if at := strings.LastIndex(text, ", "); at >= 0 && questionWords(strings.ToLower(firstWord(text[at:]))) {
		around, text = text[:at], text[at+2:]
	}
	first := firstWord(text)
	if !questionWords(strings.ToLower(first)) {
		if calculatesOnly(s.text) && r.elliptic(text) {
			return r.numberName(text), around
		}
		return "", ""
	}
	a := &anatomy{lexicon: r.o.Lexicon, language: German, all: r.parts(unquote(text))}
	if first = strings.ToLower(first); first == "what" || first == "how" || first == "which" {
		a.language = English
	}
	if all := a.namesBefore(len(a.all)); len(all) == 1 && all[0].from > 0 && a.inquires(&all[0]) {
		a.name(&all[0])
		return a.subject, around
	}
	return r.numberName(askedAs(text, askedFor().FindStringSubmatchIndex(text))), around
}

// elliptic reports whether a question is no more than a name: "Online courses?", "Vorsorgekunden?", not "Really?".
func (r *reader) elliptic(text string) bool {
	all := r.parts(text)
	if slices.ContainsFunc(all, func(p part) bool {
		return !p.isWord || p.is(orWord) || p.is(glueWord|pronounWord|allWord) && !p.is(nounWord|joinerWord)
	}) {
		return false
	}
	return len(all) > 1 || len(all) == 1 && compoundOf(all[0].low[strings.LastIndexByte(all[0].low, '-')+1:])+compoundOf(all[0].low) != ""
}

// inquiry is a sentence that says who asks for a number, and what they get: "Whoever asks for the herd size wants the number of …",
// "Wenn die Zeitung nach der Wassertemperatur fragt, nehmen wir …". The groups are who asks, with an article or without, the name, and
// its calculation.
var inquiry = text.Pattern(`(?i)^(?:(?:when|whenever|if) (?:(?:the|our) ((?:\pL+ )?\pL+)|(\pL+))(?: (?:in|on|at) (?:the|our) \pL+)?|whoever|(?:any|every)(?:one|body) who) (?:asks?(?: us| me)? (?:for|about)|(?:wants?|needs?) to (?:know|see)|tells? \pL+ about|talks? (?:about|of)|speaks? (?:about|of)|mentions?) (?:(?:the|our) )?["“]?([^,:;.()"“”]{3,50}?)["”]?` +
	`(?:(?:,| then)? (?:he|she|they|we|you|it) (?:always |simply |just )?(?:wants?|needs?|means?|gets?|takes?)(?: this:|:| the following:)?|,? (?:wants|means|needs|gets)|[:,;] (?:that|it|this)(?: is|['’]s)|:) (.+)$|` +
	`^(?:wenn (?:(?:der|die|das|unsere?) (\pL+)|(man|wir|jemand))|wer) nach (?:der|dem) ([\pL-]+) fragt(?:,? (?:(?:will|meint|möchte) (?:er|sie|man)|nehmen wir|nimmt man|ist das|meinen wir|bekommt|meint|will)(?: immer| stets)?|[:,] das ist|:) (.+)$`)

// inquired returns the name and the calculation of a sentence that says who asks for it, as a definition; "" = it is none. Who asks must not
// say which rows are meant: "When Leeds asks for volume …".
func (r *reader) inquired(s *sentence, said string) string {
	if r.o.Lexicon == nil || !slices.ContainsFunc(s.words, func(w string) bool { return asking(w) || mentioning(w) || strings.HasPrefix(w, "tell") }) {
		return ""
	}
	m := inquiry().FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	who, bare, name, rest := m[1]+m[5], strings.ToLower(m[2]), m[3]+m[7], m[4]+m[8]
	if behind := predicate().FindStringSubmatch(rest); behind != nil && fold(term(behind[1])) == fold(name) {
		rest = behind[2] // "…, they mean this: the roll is the number of …"
	}
	if r.numberName(name) == "" || !computes(rest) || bare != "" && !us(bare) && !people(bare) && classes()[bare]&(speakerWord|pronounWord) == 0 {
		return ""
	}
	a := r.anatomy(s, rest)
	if a == nil || slices.ContainsFunc(words(who), func(w string) bool {
		return r.meaningful(w, a.identity) || a.tableOf(&part{text: w, low: strings.ToLower(w)}) != "" || strings.Contains(who, " ") && capital(w) && s.language == English
	}) {
		return ""
	}
	return name + " = " + rest
}

// mentioning reports whether a word is a verb of speaking of something.
func mentioning(w string) bool {
	switch w {
	case "talk", "talks", "speak", "speaks", "mention", "mentions":
		return true
	}
	return false
}

// urging is what a question ends with beside what it asks for: "how do we get the load factor again?"
var urging = text.Pattern(`(?i)(?:,? (?:again|exactly|actually|really|please|then|now|nochmal|noch ?mal|noch einmal|wieder|eigentlich|genau|bitte|denn|gleich))+$`)

// askedAs returns the name of a match of askedFor.
func askedAs(text string, m []int) string {
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return strings.Trim(text[m[i]:m[i+1]], "\"“”„")
		}
	}
	return ""
}

// inquires reports whether a question is for what a name is: it has a verb beside the name, not of the past or of a wish, and no place
// before the name: not "what changed?", "what is on the screen?", "what should it be?"
func (a *anatomy) inquires(name *frame) bool {
	before, verb := name.from-1, false
	for before > 0 && (a.all[before].is(articleWord) || a.all[before].ours()) {
		before--
	}
	for i := range a.all {
		p := &a.all[i]
		inside := i >= name.from && i < name.to
		switch {
		case inside && i == name.to-1 && !capital(p.text) && (i > name.from && capital(a.all[i-1].text) || i == name.from && a.language == German && !a.all[i-1].is(articleWord) && !a.all[i-1].ours()):
			return false // "wie kommt der Verlust zustande?", "was bleibt an uns hängen?"
		case inside && (p.is(andWord|orWord) || i > name.from && strings.HasSuffix(p.low, "ing")), wishedWords(p.low) || showsWords(p.low), i > 0 && pastWords(p.low):
			return false
		case !inside && i > 0:
			verb = verb || p.is(sayWord|linkWord|countWord|sumWord) || p.low == "get" || asking(p.low)
		}
	}
	switch p := &a.all[before]; p.low {
	case "on", "at", "from", "of", "about", "auf", "an", "von", "über", "aus", "im":
		return false
	case "mit", "with":
		return before > 0 && !copulas(a.all[before-1].low)
	}
	return verb
}

var (
	wishedWords = text.Words("should would could might sollte sollten würde würden könnte könnten")
	pastWords   = text.Words("was were did had used war waren hatte hatten hattet")
)

// showsWords reports whether a word is a verb of showing.
func showsWords(w string) bool {
	switch w {
	case "show", "shows", "showed", "zeigt", "zeigen", "zeigte":
		return true
	}
	return false
}

// unquote removes quotation marks.
func unquote(s string) string {
	return strings.NewReplacer(`"`, "", "“", "", "”", "", "„", "").Replace(s)
}

// questionWords begin a question for what a number is.
var questionWords = text.Words("what how which was wie welche welcher welches woraus")

// askedFor is a clause that says which number somebody wants to know: "what sits behind the load factor in the weekly mail", "was mit
// Auslastung gemeint ist". The groups are the name.
var askedFor = text.Pattern(`(?i)\b(?:what(?:['’]s| sits| is| lies| stands| hides) behind ` + askedPattern + `|what ` + askedPattern + ` (?:stands for|means|is|says|covers|counts|measures|tells(?: us)?)|what (?:we|you|they) mean (?:by|with) ` + askedPattern + `|what is meant (?:by|with) ` + askedPattern +
	`|how (?:we|you|they) (?:get|compute|calculate|count|measure|define) ` + askedPattern + `|how ` + askedPattern + ` (?:is|are|gets) (?:computed|calculated|counted|measured|defined)|where ` + askedPattern + ` comes? from` +
	`|was (?:hinter|mit|unter) ` + askedPattern + ` (?:steckt|steht|gemeint ist|verstehen|zu verstehen ist)|was ` + askedPattern + ` (?:ist|bedeutet|heißt|meint|misst|zählt)|wie wir ` + askedPattern + ` (?:rechnen|berechnen|zählen|ermitteln|bilden)|wie (?:sich )?` + askedPattern + ` (?:berechnet|gerechnet|ermittelt|zusammensetzt|zustande kommt)(?: wird)?|wie (?:kommt|setzt sich) ` + askedPattern + ` (?:zustande|zusammen)|woher ` + askedPattern + ` (?:kommt|stammt))` +
	`(?: (?:in|on|at|im|in der|auf der|auf dem) (?:(?:the|our|weekly|monthly|daily|annual|yearly) )*` + venuePattern + `)?[.!]?$`)

const askedPattern = `(?:(?:the|our|your|this|die|der|das|den|dem|unser|unsere|unseren|unserer|unserem) )?([^,;:.?!]{2,50}?)`

// demanded is a sentence that ends with what somebody asks for, or what we report: "The insurers ask every quarter for our top exposure.",
// "An die Kämmerei melden wir den Eintrittserlös." The groups are what is before the name, and the name.
var demanded = text.Pattern(`(?i)^([^,:;?]{3,60} (?:asks?|asked)(?: (?:us|me|again|always|every \pL+|each \pL+))* (?:for|about)|[^,:;?]{3,60} (?:fragt|fragen|fragte|fragten)(?: (?:uns|mich|immer|wieder|jede[ns]? \pL+))* nach|an (?:den|die|das|unsere?n?) \pL+ (?:melden|berichten) wir) (?:our|the|unsere[mnr]?|dem|der|den|die|das) ([\pL-]+(?: [\pL-]+){0,3})[.!]?$`)

// givenName returns the name that the sentence before says somebody wants to know or to see, and what else that says: "They want a tile
// called "load factor".", "Top 2: Load factor."
func (r *reader) givenName() (name, around string) {
	text := r.before.text
	if Restricts(text) || asks(text) || len(text) > longestSentence || hedged(text, r.before.words) {
		return "", ""
	}
	if r.before.topic {
		return r.numberName(strings.TrimRight(text, ".! ")), ""
	}
	text = strings.TrimPrefix(text, addressee().FindString(text))
	if m := askedFor().FindStringSubmatchIndex(text); m != nil && !strings.ContainsAny(strings.Trim(text[m[0]:m[1]], "\"“”„"), "\"“”„") {
		by := lowered(text[:m[0]])
		if slices.ContainsFunc(by, func(w string) bool { return asking(w) || conversed(w) }) && !slices.ContainsFunc(by, ourselves) {
			return r.numberName(askedAs(text, m)), text[:m[0]]
		}
		return "", ""
	}
	if m := demanded().FindStringSubmatch(text); m != nil {
		if who := lowered(m[1]); who[len(who)-1] == "wir" { // it goes to somebody, and they are none of the rows
			if r.meaningful(who[2], "") || r.o.Lexicon.Table(who[2]) != "" {
				return "", ""
			}
			m[1] = ""
		}
		return r.numberName(m[2]), m[1]
	}
	table := ofTheTable().FindString(text)
	if text = strings.TrimRight(strings.Replace(text, table, "", 1), ".! "); wishing().MatchString(text) {
		text = "they want" + wishing().ReplaceAllString(text, "")
	}
	all := parted(text)
	for i := len(all) - 1; i > 0; i-- {
		q := all[i].quotation()
		for at := i - 1; q != "" && at > 0; at-- {
			if asking(all[at].low) {
				return r.numberName(q), text[:all[at].to] + table
			} else if !all[at].is(articleWord|venueWord|nameWord) && !introducing(all[at].low) && !seen(all[at].low) && !preface(all[at].low) {
				break
			}
		}
		if !seen(all[i].low) {
			break // "They want the tile “volume” gone."
		}
	}
	return r.quotedName(text + table)
}

// quotedName returns the only quotation of a sentence that asks what it means, and what is around it:
// `Carla wanted a fixed meaning for "longest trip" on the wall screen`.
func (r *reader) quotedName(text string) (name, around string) {
	for _, p := range parted(text) {
		q := p.quotation()
		if q == "" {
			continue
		} else if name != "" {
			return "", ""
		}
		name, around = r.numberName(q), text[:p.from]+nameGap+text[p.to:]
	}
	if list := lowered(around); !slices.ContainsFunc(list, wordings) && !(slices.ContainsFunc(list, asking) && slices.ContainsFunc(list, questionWords)) {
		return "", "" // "They want the tile “volume” gone."
	}
	return name, around
}

// wordings reports whether a word is one for what a name stands for.
func wordings(w string) bool {
	switch w {
	case "meaning", "meant", "wording", "definition", "bedeutung", "gemeint", "wortlaut":
		return true
	}
	return false
}

// possessives say that a number is somebody else's.
var possessives = text.Words("their his her its ihr ihre ihren ihrer sein seine seinen seiner deren dessen")

var (
	// seen are verbs of those who want to see a number.
	seen = text.Words("to see have get show sehen haben bekommen zeigen")
)

// ourselves reports whether a word stands for those whose question is for somebody else.
func ourselves(w string) bool {
	switch w {
	case "we", "i", "wir", "ich":
		return true
	}
	return false
}

// wishing is the beginning of a sentence that wants something shown: "Please add …".
var wishing = text.Pattern(`(?i)^(?:(?:please|can you|could you|we should|bitte) )+(?:add|create|build|make|show|put|set up|ergänz\pL*|zeig\pL*|bau\pL*)\b`)

// numberName returns a text if it can be the name of a number, else "".
func (r *reader) numberName(name string) string {
	if first := strings.ToLower(firstWord(name)); r.o.Lexicon.Table(name) != "" || possessives(first) || !nominal(name) || Restricts(strings.ReplaceAll(name, "-", "")) {
		return ""
	}
	if a := (&anatomy{lexicon: r.o.Lexicon, all: r.parts(name)}); !a.named(0, len(a.all)) {
		return ""
	}
	return name
}
