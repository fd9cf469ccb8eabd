package assertion

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// led reads a sentence behind a clause that says why it is written: "Quick answer for everyone who asked: …".
func (r *reader) led(s *sentence, text string) (Statement, bool) {
	m := colonIn(text)
	if m == nil || r.o.Lexicon == nil || !r.says(m[1], m[2], "") {
		return Statement{}, false
	}
	st, ok := r.dissected(s, m[2])
	return st, ok && st.Unread == "" && r.says(m[1], m[2], r.tableOf(&st))
}

// says reports whether the text before a colon says only why, where or to whom something is written.
func (r *reader) says(lead, behind, table string) bool {
	return announces(lead) || r.passable(lead, behind, table) || r.conversing(lead, behind, table)
}

// announces reports whether the text before a colon only asks to write down or to use what follows: "In future please use this", "One
// thing to write down", "Wir machen das so". What others do, or did, is in none of its words.
func announces(lead string) bool {
	list := lowered(lead)
	if len(list) > 0 && (list[0] == "another" || list[0] == "und" || list[0] == "and") {
		list = list[1:]
	}
	if len(list) == 1 && noting(list[0]) {
		return true
	}
	return slices.ContainsFunc(list, announcing) && slices.ContainsFunc(list, announced) && !slices.ContainsFunc(list, func(w string) bool {
		return !announcing(w) && !announced(w) && !besideThem(w) && classes()[w]&(venueWord|regularWord) == 0 && !showing().MatchString(w)
	})
}

var (
	// announcing are verbs of those who announce a definition, announced words for it, besideThem what may stand between them.
	announcing = text.Words("fixed settled decided agreed beschlossen festgelegt vereinbart use take note write remember record do put add keep need verwenden verwendet nutzen nutzt nehmen nehmt machen halten rechnen handhaben aufschreiben notieren merken festhalten aufzuschreiben glossary handbook wiki glossar handbuch")
	announced  = text.Words("sentence satz wortlaut folgender folgenden this it so thing one definition wording das es folgendes folgende sache punkt etwas eins definition formulierung")
	besideThem = text.Words("wird wurde im anhang annual in future from now on please always just a more the to for down up we our like follows following is in bitte künftig zukünftig zukunft ab jetzt sofort immer wir noch eine ein zum zu für fürs ins dann mal let s properly ordentlich")
)

// agenda is the place of what follows in minutes, rules or a sheet: "TOP 4", "Section 2.1", "on cell D14".
var agenda = text.Pattern(`(?i)(?:^|, )(?:(?-i:[A-Z]{2,6}-\d{1,6}\b:? *)|(?:ticket|issue|task|story|aufgabe|vorgang|top|punkt|point|item|agenda item|decision|resolution|rule|result|outcome|beschluss|entscheidung|regel|ergebnis|nr\.?|no\.?|section|abschnitt|ziffer|kapitel|chapter|slide|folie|step|schritt) ?#?\d{1,3}(?:\.\d{1,3})*\.?[:,]? ?)|` +
	` (?:on|in|to|zu|in|auf) (?:cell|zelle|slide|folie|page|seite) [A-Z]{0,2}\d{1,4}\b`)

// besides is how little is written, whose note it is, how often somebody asked, a picture: "nur kurz", "the sponsors' thread", "zum dritten Mal".
var besides = text.Pattern(`(?i)\bnoch einmal\b|\bschwarz auf weiß|\b(?:nur|only) (kurz|schnell|eben|quick|quickly|briefly|(?:noch )?mal|an? (?:quick|short|small))\b| (?:zum|for the) \pL+ (?:mal|time)\b|[\p{So}\p{Sk}\x{fe0f}]|(?-i:\b\p{Ll}+s['’] )`)

// brief is a note by its length: "quick one", "Kurze Sache".
var brief = text.Pattern(`(?i)\b(quick|short|small|kurze|kleine) (?:one|thing|sache)\b`)

// passable reports whether the text before a colon may be passed over. It says why or where something is written, and none of
// its words has a meaning for the number: a name or a value of the warehouse, a figure, a calculation, a restriction, a
// negation, a claim of somebody else. Words behind "for" and "in" are places, unless they are those of people, or of where a
// number is shown. A word that the text behind it has says nothing new.
func (r *reader) passable(lead, behind, table string) bool {
	topic := besides().ReplaceAllString(agenda().ReplaceAllString(lead, ""), "$1")
	topic = brief().ReplaceAllString(topic, "$1 answer")
	topic = strings.NewReplacer("'s ", " ", "’s ", " ", "s' ", "s ", "s’ ", "s ").Replace(topic) // "friday's board"
	words := lowered(lead)
	if strings.ContainsAny(topic, "0123456789=<>()\"'`_/") || strings.ContainsAny(lead, "❌✖🚫⛔👎🤔❓") || Restricts(topic) || slices.ContainsFunc(words, disowning) || slices.ContainsFunc(words, tentative) ||
		slices.ContainsFunc(words, func(w string) bool { return differently(w) && w != "twice" }) { // "it came up twice"
		return false
	}
	l := preamble{all: r.parts(topic), behind: lowered(behind), same: slices.ContainsFunc(words, sameWords)}
	topical := r.topic || agenda().MatchString(lead)
	says := topical
	for i := range l.all {
		p := &l.all[i]
		if i > 0 && people(p.low) && p.is(allWord) && (greets(l.all[i-1].low) || places(l.all[i-1].low) && (i+1 == len(l.all) || !l.all[i+1].isWord)) { // "Dear all", "für alle:"
			continue
		}
		if r.meaningful(p.text, table) && !slices.Contains(l.behind, p.low) || p.is(calculationWord|leaveWord|notWord|allWord&^glueWord) && !p.is(timeWord) || !p.isWord && !strings.Contains(",;–-", p.text) || l.scopes(i) || l.attributes(i) {
			return false
		}
		says = says || p.is(reasonWord|timeWord|sayWord|venueWord) || writing(p.low) || asking(p.low) || places(p.low) && l.among(i+1)
	}
	return says && (len(l.all) > 1 || topical || writing(words[0]) && words[0] != "later")
}

// preamble are the words before the colon of a definition; same says that it is about the same number everywhere.
type preamble struct {
	all    []part
	behind []string
	same   bool
}

// strange reports whether a word is of no class, so that it may say of what a note is: "Berlin note".
func (l *preamble) strange(i int) bool {
	p := &l.all[i]
	return p.isWord && p.class == 0 && !filler(p.low) && !places(p.low) && !topics(p.low) && !asking(p.low) && !writing(p.low) && !people(p.low) && !preface(p.low) && !introducing(p.low) && !sameWords(p.low) && !showing().MatchString(p.low) && !slices.Contains(l.behind, p.low)
}

// scopes reports whether a part may say when, for what, where or of what a definition holds.
func (l *preamble) scopes(i int) bool {
	p, at := &l.all[i], i+1
	for at < len(l.all) && l.all[at].is(glueWord) && !l.all[at].is(speakerWord|venueWord|sayWord) {
		at++
	}
	switch {
	case months[p.low] > 0 || periodBounds(p.low):
		return true
	case p.low == "of" && i > 0 && writing(l.all[i-1].low) && at < len(l.all) && l.all[at].is(timeWord):
		return false // "the question of last week"
	case i > 0 && conversed(l.all[i-1].low) && p.low != "for" && p.low != "für":
		return false // "since you asked in the corridor" is where somebody asked
	case i > 0 && messages(l.all[i-1].low) && (p.low == "for" || p.low == "für") && i+2 < len(l.all) && l.all[i+1].is(articleWord) && !(l.all[i+1].low == "the" && capital(l.all[i+2].text)):
		return false // "schriftlich für den Landkreis" is who gets it
	case places(p.low) && i+1 < len(l.all) && !l.all[i+1].isWord:
		return false // "die Frage kam gestern auf, …"
	case places(p.low):
		return !(l.same && i+1 < len(l.all) && l.all[i+1].is(eachWord)) && !l.among(i+1) || // "for every application the same figure"
			i == 0 && !l.same && !l.reached(i+1)
	case i > 0 && l.strange(i) && l.all[i-1].is(pronounWord) && person(l.all[i-1].low) && !l.all[0].is(reasonWord):
		return true // "you sell them on board" is what the rows are
	case i > 2 && i+1 < len(l.all) && asking(p.low) && l.strange(i-1) && l.strange(i-2) && l.all[i-3].is(articleWord):
		return true // "the wholesale desk wanted one figure"
	case topics(p.low):
		return at < len(l.all) && l.strange(at) && !l.among(i+1) && !slices.ContainsFunc(l.all[:i], func(p part) bool { return thanks(p.low) })
	case writing(p.low) && !asking(p.low):
		from := i
		for from > 0 && l.strange(from-1) {
			from--
		}
		begins := from == 0 || l.all[from-1].sign() || l.all[from-1].is(articleWord) && (from == 1 || capital(l.all[from].text))
		return from < i && begins || i+1 < len(l.all) && l.strange(i+1) && capital(l.all[i+1].text)
	}
	return false
}

// attributes reports whether a verb of saying has a subject that is none of us: "the agent defines it like this".
func (l *preamble) attributes(i int) bool {
	from, to := i-1, i+1
	if to < len(l.all) && (theirs(l.all[i].low, l.all[to].low) || asking(l.all[i].low) && it(l.all[to].low) && to+1 < len(l.all) && likeThis(l.all[to+1].low)) {
		return true // "how they do it", "the bank wants it like this"
	}
	for from > 0 && filler(l.all[from].low) {
		from--
	}
	if from > 0 && l.all[from].is(glueWord) && !l.all[from].is(pronounWord|speakerWord|venueWord) && l.all[from].low != "please" && l.all[from].low != "bitte" {
		from--
	}
	for to < len(l.all) && l.all[to].is(articleWord) {
		to++
	}
	before := slices.ContainsFunc(l.all, func(p part) bool { return years(p.low) }) // "last year we said"
	return (claiming(l.all[i].low) || claimed(l.all[i].low)) && (before || from >= 0 && (l.strange(from) || l.all[from].is(venueWord)) || to > i+1 && to < len(l.all) && l.strange(to))
}

// theirs reports whether two words say that others claim something, or do it: "how they do it", "die machen das".
func theirs(who, verb string) bool {
	return others(who) && (claiming(verb) || doing(verb))
}

// capital reports whether a word begins with a capital letter.
func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// among reports whether the words behind a preposition are those of people, of where a number is shown, or of writing.
func (l *preamble) among(from int) bool {
	strange := false // "for the trade dashboard" is one of several
	for i := from; i < len(l.all); i++ {
		p := &l.all[i]
		switch {
		case !p.isWord || places(p.low) && i > from, p.is(speakerWord|venueWord) && i+1 < len(l.all) && l.strange(i+1): // "for support tickets"
			return false
		case writing(p.low):
			return true
		case p.is(speakerWord|venueWord|pronounWord|reasonWord) && !p.is(articleWord) || people(p.low) || showing().MatchString(p.low):
			return !strange
		}
		strange = strange || !p.is(glueWord|timeWord) && !preface(p.low)
	}
	return from == len(l.all)
}

// reached reports whether people whom a sentence is for are not described, but as those who ask: "for everyone who asked".
func (l *preamble) reached(from int) bool {
	return slices.ContainsFunc(l.all[from:], func(p part) bool { return writing(p.low) }) || !slices.ContainsFunc(l.all[from:], func(p part) bool {
		return p.isWord && !asking(p.low) && !writing(p.low) && !people(p.low) && !showing().MatchString(p.low) && (p.class == 0 && !preface(p.low) || p.is(sayWord) && p.low != "meinen")
	})
}

// meaningful reports whether a word names something of the warehouse, or a column or a value of a table.
func (r *reader) meaningful(word, table string) bool {
	c := classes()[strings.ToLower(word)]
	if c == 0 && r.o.Known != nil && r.o.Known(word) {
		return true
	}
	if table == "" || c&^nounWord != 0 {
		return false
	}
	return r.ofTable(word, table)
}

// ofTable reports whether a word names a column of a table, or a value.
func (r *reader) ofTable(word, table string) bool {
	of, _ := r.valueOf(table, word)
	return of != "" || r.o.Lexicon.Flag(table, word) != "" || r.o.Lexicon.Column(table, word) != ""
}

// valueOf finds a value of a table by a word, or by its singular: "Restows".
func (r *reader) valueOf(table, word string) (column, value string) {
	if column, value = r.o.Lexicon.Value(table, word); column == "" {
		return r.o.Lexicon.Value(table, singular(word))
	}
	return column, value
}

// tableOf returns the table of a formula; "" = it is not known.
func (r *reader) tableOf(st *Statement) string {
	if r.o.Lexicon == nil || st.Formula == nil {
		return ""
	}
	for _, name := range []string{st.Formula.Table, st.Formula.Of} {
		if t := r.o.Lexicon.Table(name); name != "" && t != "" {
			return t
		}
	}
	for _, name := range words(st.Formula.Of + " " + st.Formula.Expr) {
		if t := r.o.Lexicon.Owner(name); t != "" {
			return t
		}
	}
	return ""
}

// naming is a sentence that gives what the sentence before counts a name: "That number is called fit returns."
var naming = text.Pattern(`(?i)^(?:this|that|these|diese[rs]?|das|die|den|these) (?:number|count|figure|sum|total|value|share|ratio|rate|amount|result|anzahl|zahl|summe|größe|quote|wert|anteil|ergebnis)s? (?:(?:is|are|we|wird|ist|wir|nennen|heißt|bezeichnen)(?:$|[^\pL]))`)

// counting is the beginning of a question that a number answers.
var counting = text.Pattern(`(?i)^(?:how many|what share|which share|wie viele|welcher anteil) `)

// namedBehind reads a sentence with the one behind it that names what it counts.
func (r *reader) namedBehind(s *sentence) (Statement, bool) {
	next := r.following
	if next == nil || r.o.Lexicon == nil || !naming().MatchString(next.text) || hedged(s.text, s.words) || r.guarded(next) || s.speech || next.speech {
		return Statement{}, false
	}
	if asks(s.text) && !counting().MatchString(s.text) {
		return Statement{}, false
	}
	st, ok := r.dissected(s, strings.TrimRight(s.text, " .;!?")+", "+strings.TrimRight(next.text, " .;!"))
	if ok = ok && st.Unread == "" && strings.HasSuffix(fold(next.text), fold(st.Subject)); ok {
		next.read = true
	}
	return st, ok
}

var (
	// places are words before where something holds.
	places = text.Words("for in at of within per im bei für fürs auf pro among across")
	// topics are words before what something is about.
	topics = text.Words("about regarding concerning re on bezüglich betreffend hinsichtlich wegen zu zum zur")
	// tentative are nouns for what is not settled, or for one of several.
	tentative = text.Words("version versions view opinion guess estimate test experiment alternative option variant sicht ansicht meinung schätzung versuch beispiel annahme variante example damals once")
	// conversed are verbs of a conversation, before where it was.
	conversed = text.Words("asked talked spoke discussed agreed mentioned gefragt gesprochen besprochen diskutiert vereinbart")
	// claiming are verbs of those whose definition it is, asking of those who want to know it.
	claiming = text.Words(`say says said state states stated claim claims claimed define defines defined tells told mean means meant compute computes computed calculate calculates calculated sees use uses used think thinks writes wrote quote quoted
		sagt sagen sagte sagten meint rechnet rechnen definiert definieren versteht verstehen zählt nennt nennen sieht schreibt behauptet verwendet verwenden nutzt nutzen`)
	asking = text.Words("ask asks asked asking want wants wanted need needs wonder wonders know knows fragt fragen fragte fragten wissen will wollte wollten möchte möchten braucht brauchen")
	// writing are words for what is written or asked, and how.
	writing = text.Words(`later später clarification clarifications klarstellung decision entscheidung rule regel convention festlegung vereinbarung addendum psa heads-up sync comment comments kommentar anmerkung question questions answer answered answers asked wording note notes noted reminder reference record info information update thread chat call discussion discussions confusion clarity writing short general mind written agreed promised sorry thanks wondering confused paper
		satz worten sentence words frage fragen antwort beantwortet notiz notiert kurz nachtrag hinweis erinnerung diskussion diskussionen verwirrung klarheit schriftlich besprochen versprochen wunsch gewünscht nachfrage rückfrage rückfragen danke sorry protokoll absprache gefragt kurzfassung verständnis`)
	greets = text.Words("dear hi hello hey morning liebe hallo moin an")
	people = text.Words("whoever anyone anybody me wer committee committees successor successors nachfolger nachfolgerin vertretung ausschuss beirat aufsichtsrat gemeinderat interns intern newcomers newbies everyone everybody all folks people colleagues those neuen alle kollegen kolleginnen praktikanten azubis team council management")
)

// likeThis reports whether a word points at how something is done.
func likeThis(w string) bool {
	switch w {
	case "like", "so", "this", "that", "anders":
		return true
	}
	return false
}

// messages reports whether a word of writing stands before whom it is written to; a rule or a note may be for some rows.
func messages(w string) bool {
	switch w {
	case "answer", "reply", "writing", "schriftlich", "antwort":
		return true
	}
	return false
}

// sameWords reports whether a word says that things are the same.
func sameWords(w string) bool {
	switch w {
	case "same", "dieselbe", "dieselben", "gleiche", "gleichen":
		return true
	}
	return false
}

// others reports whether a word stands for those who are not us.
func others(w string) bool {
	switch w {
	case "they", "he", "she", "er", "die", "sie":
		return true
	}
	return false
}

// periodBounds reports whether a word is one of a time from or up to which something holds.
func periodBounds(w string) bool {
	switch w {
	case "until", "till", "bis", "seit", "ab", "starting":
		return true
	}
	return false
}

func years(w string) bool { return w == "year" || w == "years" || w == "jahr" || w == "jahre" }

func thanks(w string) bool { return w == "sorry" || w == "thanks" || w == "danke" }

// doing reports whether a word is a verb for what others do with a number.
func doing(w string) bool {
	switch w {
	case "do", "does", "machen", "macht", "halten", "handhaben":
		return true
	}
	return false
}

// broadcast is the beginning of a message to everyone, and no name of who speaks: "@channel ".
var broadcast = text.Pattern(`(?i)^@(?:here|channel|all|alle|everyone|everybody|team|group)[,:]?\s`)

// addressee is whom a sentence is written to, before or behind its lead: "Hi Rik, …", "fyi @data-team: …".
var addressee = text.Pattern(`^(?i:(?:so{3,}|ok|okay|hmm?|tja|naja),? (?:so )?)|^(?i:hi|hello|hey|hallo|moin|servus|good morning|guten morgen)(?i: zusammen| all| team)?[,!] |^(?i:hi|hello|hey|hallo|moin|servus|dear|liebe|lieber|morning|good morning|guten morgen) (?:\p{Lu}[\pL-]*|(?i:all|both|colleagues|team|everyone|everybody|folks|zusammen|alle|kolleg\pL+|leute))(?: \p{Lu}[\pL-]*)?(?:[,!]| ?\pS+\x{fe0f}?,?) |^(?:(?i:hi|hello|hey|hallo|moin) )?(?:@[\pL\pN_.-]+[,:]? )+`)

// tagged is a tag in brackets before what somebody writes: "[fraud-desk] ".
var tagged = text.Pattern(`^\[[\pL\d #_-]{1,30}\] `)

// hesitates reports whether a word only begins to speak: "ok", "sooo".
func hesitates(w string) bool {
	switch w {
	case "ok", "okay", "hm", "hmm", "tja", "naja":
		return true
	}
	return strings.HasPrefix(w, "sooo")
}

// toThem reports whether a text holds only for those who are addressed: "Hi Leeds, for you …".
func toThem(rest string) bool {
	list := lowered(rest)
	return len(list) > 1 && places(list[0]) && person(list[1])
}
