package assertion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// led reads a sentence behind a clause that says why it is written: "Quick answer for everyone who asked: …".
func (r *reader) led(s *sentence, text string) (Statement, bool) {
	m := colonIn(text)
	if m == nil || r.o.Lexicon == nil || !r.passable(m[1], "") {
		return Statement{}, false
	}
	st, ok := r.dissected(s, m[2])
	return st, ok && st.Unread == "" && r.passable(m[1], r.tableOf(&st))
}

// agenda is the place of what follows in minutes or rules: "TOP 4", "Section 2.1".
var agenda = text.Pattern(`(?i)^(?:top|punkt|point|item|agenda item|nr\.?|no\.?|section|abschnitt|ziffer|kapitel|chapter|slide|folie|step|schritt) ?\d{1,3}(?:\.\d{1,3})*\.?[:,]? ?`)

// passable reports whether the text before a colon may be passed over. It says why or where something is written, and none of
// its words has a meaning for the number: a name or a value of the warehouse, a figure, a calculation, a restriction, a
// negation. Words behind "for" and "in" are places, unless they are those of people, or of where a number is shown.
func (r *reader) passable(lead, table string) bool {
	topic := strings.NewReplacer("'s ", " ", "’s ", " ", "s' ", "s ", "s’ ", "s ").Replace(agenda().ReplaceAllString(lead, "")) // "friday's board"
	if strings.ContainsAny(topic, "0123456789=<>()\"'`_/") || Restricts(topic) {
		return false
	}
	all, says := r.parts(topic), agenda().MatchString(lead)
	for i := range all {
		p := &all[i]
		if i > 0 && people(p.low) && p.is(allWord) && greets(all[i-1].low) { // "Dear all"
			continue
		}
		if _, month := months[p.low]; month || periodBounds(p.low) || r.meaningful(p.text, table) || p.is(calculationWord|leaveWord|notWord|allWord&^glueWord) && !p.is(timeWord) || !p.isWord && !strings.Contains(",;–-", p.text) {
			return false
		}
		says = says || p.is(reasonWord|timeWord|sayWord|venueWord) || writing(p.low)
		if places(p.low) && !among(all[i+1:]) || topics(p.low) && i+1 < len(all) && capital(all[i+1].text) || i > 0 && writing(p.low) && strange(&all[i-1]) && (i == 1 || all[i-2].sign()) ||
			writing(p.low) && i+1 < len(all) && strange(&all[i+1]) && capital(all[i+1].text) {
			return false
		}
	}
	return says && (len(all) > 1 || agenda().MatchString(lead))
}

// strange reports whether a word is of no class, so that it may say of what a note is: "Berlin note".
func strange(p *part) bool {
	return p.isWord && p.class == 0 && !writing(p.low) && !people(p.low) && !preface(p.low)
}

// capital reports whether a word begins with a capital letter.
func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// among reports whether the words behind a preposition are those of people, of where a number is shown, or of writing.
func among(behind []part) bool {
	strange := false // "for the trade dashboard" is one of several
	for i := range behind {
		p := &behind[i]
		switch {
		case !p.isWord || places(p.low) && i > 0:
			return false
		case writing(p.low):
			return true
		case p.is(speakerWord|venueWord|pronounWord|reasonWord) && !p.is(articleWord) || people(p.low) || showing().MatchString(p.low):
			return !strange
		}
		strange = strange || !p.is(glueWord|timeWord)
	}
	return len(behind) == 0
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
	return ""
}

// answerLabel stands before an answer.
var answerLabel = text.Pattern(`(?i)^(?:a|answer|antwort)\s?:\s+`)

// answered reads the answer to a question for a name: "Q: What goes into the load factor? A: Total pax divided by …".
func (r *reader) answered(s *sentence, text string) (Statement, bool) {
	name := r.askedName(s)
	if name == "" {
		return Statement{}, false
	}
	st, ok := r.dissectedAs(name, s, answerLabel().ReplaceAllString(text, ""))
	return st, ok && st.Unread == ""
}

// askedName returns the only name in the question before a sentence; "" = there is none, or several.
func (r *reader) askedName(s *sentence) string {
	if r.before == nil || r.before.passage != s.passage || !asks(r.before.text) || r.o.Lexicon == nil || Restricts(r.before.text) {
		return ""
	}
	text := strings.TrimRight(r.before.text, "? ")
	if label, rest, ok := strings.Cut(text, ": "); ok && labels(strings.ToLower(label)) {
		text = rest
	}
	if first := firstWord(text); !questionWords(strings.ToLower(first)) {
		return ""
	}
	a := &anatomy{lexicon: r.o.Lexicon, all: r.parts(unquote(text))}
	all := a.namesBefore(len(a.all))
	if len(all) != 1 {
		return ""
	}
	a.name(&all[0])
	return a.subject
}

// unquote removes quotation marks.
func unquote(s string) string {
	return strings.NewReplacer(`"`, "", "“", "", "”", "", "„", "").Replace(s)
}

// questionWords begin a question for what a number is.
var questionWords = text.Words("what how which was wie welche welcher welches woraus")

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
	// periodBounds are words of a time from or up to which something holds.
	periodBounds = text.Words("until till bis seit ab starting")
	// topics are words before what something is about.
	topics = text.Words("about regarding concerning re on bezüglich betreffend hinsichtlich zu")
	// writing are words for what is written or asked, and how.
	writing = text.Words(`question questions answer answered answers asked wording note notes noted reminder reference record info information update thread chat call discussion discussions confusion clarity writing short general mind written agreed promised sorry thanks wondering confused
		satz worten sentence words frage fragen antwort beantwortet notiz notiert kurz nachtrag hinweis erinnerung diskussion diskussionen verwirrung klarheit schriftlich besprochen versprochen wunsch nachfrage rückfrage rückfragen danke sorry protokoll absprache gefragt kurzfassung verständnis`)
	greets = text.Words("dear hi hello hey morning liebe hallo moin an")
	people = text.Words("interns intern newcomers newbies everyone everybody all folks people colleagues those neuen alle kollegen kolleginnen praktikanten azubis team council management")
)
