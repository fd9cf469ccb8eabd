package assertion

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// computedBelow is a sentence that names what a query below it computes: "Net fares are calculated like this:", "Offene Kunden
// rechnen wir so:". It has no other words, which may restrict.
var computedBelow = text.Pattern(`(?i)^(?:the |our |der |die |das |unsere? )?(?:([^,:;()]{2,60}?) (?:is|are|ist|sind|wird|werden)` + thus + ` (?:calculated|computed|defined|measured|counted|derived|worked out|berechnet|definiert|ermittelt|gerechnet|gezählt)` + thus +
	`|([^,:;()]{2,60}?) (?:rechnen|berechnen|ermitteln|zählen|definieren) wir` + thus + `|(?:this is |here is )?how we (?:calculate|compute|define|count|measure) (?:the |our )?([^,:;()]{2,60}?)):$`)

const thus = `(?: (?:always|immer|so|like this|as follows|wie folgt|folgendermaßen|(?:by|with|mit) (?:this|the following|dieser|folgender) (?:query|abfrage)))?`

// names reports whether a sentence only names what stands below it.
func (s *sentence) names() bool {
	return strings.HasSuffix(s.text, ":") && computedBelow().MatchString(s.text)
}

// above returns the name of what a query computes by the words above it: those that name it before a colon, a comment, or a heading;
// "" = there is none.
func (r *reader) above(lead, code string, s *sentence) string {
	lead = strings.TrimSpace(lead)
	if _, alone := selected(code); r.o.Lexicon == nil || !alone && (!selects(code) || topLevelComma(code)) || alias().MatchString(code) || hedged(lead, lowered(lead)) {
		return ""
	}
	name := ""
	if m := computedBelow().FindStringSubmatch(lead); m != nil {
		name = strings.Join(m[1:], "")
	} else if lead == "" {
		name = r.headingName(s)
	} else {
		name = r.titled(lead, code)
	}
	if _, rest := clauses(name); len(rest) > 0 || !nominal(name) || Restricts(name) {
		return "" // "Turnover in Leeds is calculated like this:"
	}
	return name
}

// titled returns the name with which a line above a query begins, if all behind it only says where the number is seen or how often
// the query runs: "seal breaches, the audit number:", "“Live sponsors” in the pitch deck comes from this:", "-- Waste, runs at night".
func (r *reader) titled(lead, code string) string {
	lead, comment := strings.CutPrefix(lead, "--")
	lead, led := strings.CutSuffix(strings.TrimSpace(lead), ":")
	lead = runs().ReplaceAllString(lead, "")
	if !comment && !led && !nominal(lead) {
		return ""
	}
	at := strings.IndexAny(lead, ",(–")
	if first, size := utf8.DecodeRuneInString(lead); strings.ContainsRune("\"“„", first) {
		if end := strings.IndexAny(lead[size:], "\"”“"); end > 0 {
			_, width := utf8.DecodeRuneInString(lead[size+end:])
			lead, at = lead[size:size+end]+lead[size+end+width:], end
		}
	}
	name, around := lead, ""
	if at > 0 {
		name, around = lead[:at], lead[at:]
	}
	if name = strings.TrimSpace(name); r.numberName(name) == "" || slices.ContainsFunc(lowered(name), func(w string) bool { return queryWords(w) || writing(w) || showing().MatchString(w) }) {
		return ""
	}
	_, table, _ := strings.Cut(strings.ToLower(code), " from ")
	table = r.o.Lexicon.Table(strings.Fields(table + " -")[0])
	for clause := range strings.FieldsFuncSeq(around, func(c rune) bool { return strings.ContainsRune(",()–;", c) }) {
		if t := (&utterance{preamble: preamble{all: r.parts(clause)}, known: func(w string) bool { return r.meaningful(w, table) }}); len(t.all) > 0 && !t.sees(tongue(lowered(lead)) == German) {
			return ""
		}
	}
	return name
}

// passed reports whether a line above a query asks about it, or says that it held at another time: "Why is this so slow:", "Until June we
// used this:", "As it was before the move:".
func passed(lead string) bool {
	lead = storing().ReplaceAllString(lead, "")
	list := lowered(lead)
	repeated := slices.ContainsFunc(list, func(w string) bool { return classes()[w]&eachWord != 0 }) // "every morning before the first truck"
	lead = older().ReplaceAllString(lead, " ")
	return strings.Contains(lead, "?") && !howMuch().MatchString(lead) || len(list) > 0 && inverted(list[0]) || anyIn(strings.ToLower(lead), formerly) || slices.ContainsFunc(list, func(w string) bool {
		return periodBounds(w) && w != "seit" || months[w] > 0 || (w == "before" || w == "vor") && !repeated || len(w) == 4 && w >= "1900" && w < "2100"
	})
}

// older is where somebody has a query from: "from the old Access report", "aus dem alten Makro".
var older = text.Pattern(`(?i)(?:^|,? )(?:(?:taken|copied|pasted) )?(?:from|out of|in|aus|im) (?:(?:the|our|my|dem|der|den|unserem|unserer) )?(?:old|alten) [\pL-]+(?: [\p{Lu}\pL-]+){0,1}`)

// howMuch is a question that the query below answers: "How many washes does a piece survive?"
var howMuch = text.Pattern(`(?i)^(?:how (?:many|much|long|often|far)|wie (?:viele?|lange|oft|hoch)) [^?]*\?$`)

// dismissing is the beginning of a line that wants the query below it not used: "Ignore this one, it double counts".
var dismissing = text.Pattern(`(?i)^(?:(?:please|just|bitte) )?(?:ignore|forget|skip|scrap|drop|delete|discard|disregard|ignorier\pL*|vergiss|vergesst|löscht?|streicht?|verwerft) `)

// faulty are words for a query that does not do what it should.
var faulty = text.Words("bug bugs buggy error errors broken fails failed failing crash crashes crashed timeout twice doubles doppelt kaputt fehler fehlerhaft abgestürzt abbricht")

// storing asks somebody to keep what stands below, in the form of a question: "could you take it over?"
var storing = text.Pattern(`(?i)\b(?:could|can|would|will) (?:you|somebody|someone) (?:please |kindly )?(?:take (?:it|them|this|these) over|add|store|save|keep|record|remember|import)(?: (?:it|them|this|these))?(?: (?:please|in|for us|for me))?\?|` +
	`\b(?:kannst|könntest|könnt|kann|könnte) (?:du|ihr|jemand) (?:das|die|es|sie|diese|dies) (?:bitte )?(?:übernehmen|aufnehmen|speichern|merken|eintragen|ablegen)\?`)

// formerly are phrases of another time.
var formerly = []string{"last year", "back then", "used to", "letztes jahr", "letzten jahr", "vorjahr", "damals", "früher"}

// sees reports whether a clause only says where a number is seen, what it is for us, or how often its query runs: "the one on the screen
// in the staff room", "so wie im Monatsabschluss", "läuft jede Nacht".
func (t *utterance) sees(german bool) bool {
	first, shows := t.all[0].low, false
	for i := range t.all {
		p := &t.all[i]
		if alters(p) && !p.is(eachWord) || p.class == 0 && (t.known(p.text) || !german && capital(p.text)) || periodBounds(p.low) {
			return false // "Leeds depot" may be where it holds
		}
		shows = shows || t.shows(i) || introducing(p.low)
	}
	return shows && (t.all[0].is(articleWord) || onto(first)) || seeing(first) || running(first) || first == "as" || first == "wie" || first == "so"
}

// runs is what a line above a query ends with behind the name of the number: "… comes from this", "… kommen aus".
var runs = text.Pattern(`(?i) (?:comes?|is|are|kommt|kommen|stammt|stammen|ist|sind)(?: (?:out of|from|aus|von))?(?: (?:this|here|the following|dieser|folgender|hier))?(?: (?:query|abfrage))?$`)

// running reports whether a word is a verb of a query that a machine repeats.
func running(w string) bool { return w == "runs" || w == "run" || w == "läuft" || w == "laufen" }

// inverted reports whether a word begins a question about a query.
func inverted(w string) bool {
	switch w {
	case "why", "who", "is", "are", "does", "do", "did", "can", "could", "would", "should", "warum", "wieso", "weshalb", "wer", "kann", "könnte", "könnt", "kannst":
		return true
	}
	return false
}

// queries reads each query in a fence whose only aggregate has no name but the one above it. What is below a query, up to the next heading,
// may take it back; a question or a doubt is about a query without a lead directly above it.
// Units: linear in the number of fences and sentences.
func (r *reader) queries(list []sentence) {
	r.before = nil
	takenBack := map[int]int{} // where the last sentence that does so begins, by section
	for i := range list {
		if o := &list[i]; len(r.doc.Fences) > 0 && o.disownsQuery() {
			takenBack[o.section] = max(takenBack[o.section], o.From)
		}
	}
	for i := range r.doc.Fences {
		f := &r.doc.Fences[i]
		code := r.doc.Text[f.Code.From:f.Code.To]
		comment := ""
		for strings.HasPrefix(code, "--") { // a comment above the query says what it computes
			comment, code, _ = strings.Cut(code, "\n")
			f.intro = comment
		}
		code = strings.TrimRight(strings.Join(strings.Fields(code), " "), "; ")
		s := sentence{section: f.Section, block: len(r.doc.Sections[f.Section].Blocks) - 1, intro: f.intro, Span: f.Code, language: English}
		name := r.above(f.intro, code, &s)
		s.intro = r.withoutRows(f.intro)
		below, _ := slices.BinarySearchFunc(list, f.Code.To, func(o sentence, at int) int { return o.From - at })
		led := s
		if led.intro = strings.TrimRight(older().ReplaceAllString(unrepeated(s.intro, code), " "), " .:"); led.intro != "" && !strings.Contains(led.intro, "\n") {
			led.intro += ":"
		}
		if list := lowered(comment); slices.ContainsFunc(list, denies) { // "-- noise goes to the police, we never pay for it" need not be about the query
			f.Unread = clean(strings.TrimLeft(comment, "- "))
			led.intro = strings.Join(slices.DeleteFunc(list, denies), " ")
		}
		bare := !strings.Contains(strings.ToLower(code), " where ") && slices.ContainsFunc(lowered(unfiltered().ReplaceAllString(f.intro, " ")), func(w string) bool {
			return classes()[w]&onlyWord != 0 || classes()[w]&leaveWord != 0 && !strings.Contains(code, "-") // "Only for Leeds"
		})
		f.Disowned = r.disowned(&led) || passed(f.intro) || bare || dismissing().MatchString(f.intro) || slices.ContainsFunc(lowered(unrepeated(f.intro, code)), faulty) ||
			takenBack[f.Section] >= f.Code.To || r.doubtedBelow(f, list[below:])
		if f.Disowned || len(code) > longestSentence {
			continue
		}
		if below < len(list) && list[below].section == f.Section && r.changes(&list[below], code) {
			f.Unread, list[below].read = clean(list[below].text), true
		}
		if s.text = name + " = " + code; name == "" {
			continue
		}
		s.words = lowered(s.text)
		st, ok := r.match(&s, s.text)
		if !ok || st.Attribute != FormulaOf || !r.settle(&s, &st, time.Time{}, time.Time{}) {
			continue
		}
		for j := below - 1; j >= 0 && list[j].section == f.Section && strings.Contains(f.intro, list[j].text); j-- {
			list[j].read = true // it names the number, or says where it is seen
		}
		if below < len(list) && list[below].section == f.Section {
			o := &list[below]
			beside := !strings.Contains(r.doc.Text[f.Code.To:o.From], "\n\n")
			if st.Unread == "" && (r.goesOn(o, &st) || beside && !r.remarks(o.text, &st) && !r.settled(o.text, &st)) {
				st.Unread = clean(o.text)
			}
		}
		r.assert(&s, st)
	}
}

// ofQuery are the table and the conditions of a query.
var ofQuery = text.Pattern(`(?i)\sfrom\s+(["\x60\pL\pN_.]+)(?:\s+where\s+(.+?))?(?:\s+(?:group|order)\s+by\s.*)?$`)

// changes reports whether a sentence below a query leaves out rows, or takes only some, and the conditions of the query do not say so.
func (r *reader) changes(o *sentence, code string) bool {
	m := ofQuery().FindStringSubmatch(code)
	if m == nil || !leavingOff().MatchString(o.text) && !takingOnly().MatchString(o.text) {
		return false
	}
	f := &Formula{Aggregate: "sum", Table: m[1]} // its conditions are those of all of it
	f.filtered(m[2])
	st := &Statement{Attribute: FormulaOf, Formula: f, Section: o.section, Language: o.language}
	return !r.remarks(o.text, st) && !r.settled(o.text, st)
}

// unrepeated returns a line above a query without the words that the query has: "the false alarm rate" of false_alarm_rate doubts nothing.
func unrepeated(lead, code string) string {
	has := strings.FieldsFunc(strings.ToLower(code), func(c rune) bool { return !unicode.IsLetter(c) })
	words := strings.Split(lead, " ")
	for i, w := range words {
		if bare := strings.Trim(w, ".,:;!\"'()"); bare != "" && slices.ContainsFunc(has, func(o string) bool {
			low := strings.ToLower(bare)
			return o == low || len(o) > 2 && strings.HasPrefix(low, o) // "rejected" of rej
		}) {
			words[i] = strings.Replace(w, bare, "x", 1)
		}
	}
	return strings.Join(words, " ")
}

// doubtedBelow reports whether the paragraph below a query doubts it or asks about it.
func (r *reader) doubtedBelow(f *Fence, below []sentence) bool {
	for i := range below {
		if o := &below[i]; o.section != f.Section || o.passage != below[0].passage {
			return false
		} else if hedged(o.text, o.words) || f.intro == "" && (o.doubts() || asks(o.text)) {
			return true
		}
	}
	return false
}

// queryLabel is what a line of a query may begin with: "SQL: select …".
var queryLabel = text.Pattern(`(?i)^(?:sql|query|abfrage|statement) ?: *`)

// denies reports whether a word is a negation.
func denies(w string) bool { return classes()[w]&notWord != 0 }

// continues matches a line of a query behind the first one, unended a query that goes on in the next line.
var (
	continues = text.Pattern(`(?i)^(?:\s|(?:from|where|and|or|group|having|order|on|limit|union|in|is|not|like|between|when|then|else|end|as|asc|desc|(?:inner |left |right |full |cross )?join)\b|[,)(=<>!+*/']|-[^>])`)
	unended   = text.Pattern(`(?i)(?:\b(?:select|distinct|from|where|and|or|by|having|on|in|is|not|like|between|case|when|then|else|as|join)|[,(=<>+*/-])\s*$`)
)

// selects reports whether a line is the first one of a query of an aggregate, and no prose: "select the sum".
func selects(line string) bool {
	if len(line) < 8 || !strings.EqualFold(line[:7], "select ") {
		return false
	}
	first := strings.TrimLeft(line[7:], " (")
	at := strings.IndexAny(first, "(,")
	return at > 0 && !strings.Contains(strings.TrimSpace(first[:at]), " ")
}

// unfenced records a query of a paragraph as a fence, if a comment, a line that ends with a colon, or the heading is above it, or if it
// ends the text below a line and names its number: "Water use, as billing sees it:\nSELECT …". The lines around it are passages.
func (o *outline) unfenced(p *passage) bool {
	from, to, code := o.queryIn(p)
	if code.To == 0 || Format("", o.doc.Text[code.From:code.To]) != "sql" {
		return false
	}
	section, lead := &o.doc.Sections[len(o.doc.Sections)-1], o.intro
	if from > 0 {
		lead = strings.TrimSpace(p.text[:from])
	}
	first := from == 0 && len(o.doc.Sections) == 1 && len(section.Blocks) == 1 && len(strings.TrimSpace(o.doc.Text[code.To:])) > 1 // more is said below
	stands := from == 0 && o.intro != "" && !strings.Contains(lead, "\n") && strings.Trim(o.doc.Text[code.To:], "; \n") == "" && alias().MatchString(o.doc.Text[code.From:code.To])
	named := first || stands || from > 0 && (strings.HasPrefix(lead, "--") || !strings.Contains(lead, "\n")) || from == 0 && len(section.Blocks) == 1 && section.Path != nil
	alone := strings.TrimSpace(o.doc.Text) == o.doc.Text[code.From:code.To]
	whole := !alone && from == 0 && to == len(p.text) && alias().MatchString(o.doc.Text[code.From:code.To])
	if !named && !whole && !strings.HasSuffix(lead, ":") {
		return false
	}
	o.doc.Fences = append(o.doc.Fences, Fence{Info: "sql", Code: code, Section: len(o.doc.Sections) - 1, intro: lead})
	for _, part := range p.part(p.part(nil, 0, from), to, len(p.text)) {
		part.uncomment()
		o.add(part)
	}
	return true
}

// queryIn finds the lines of a query in a paragraph: from and to in its text, code in that of the document. A query ends with a
// semicolon, or before a line that does not go on with it.
func (o *outline) queryIn(p *passage) (from, to int, code Span) {
	if !anyIn(p.text, []string{"select ", "SELECT ", "Select "}) {
		return 0, 0, code
	}
	last, open := "", 0 // the line above, and the brackets that are open behind it
	for to < len(p.text) {
		at := o.line(p.at[to])
		if p.item && to == 0 {
			at = p.at[0]
		}
		line := lineOf(o.doc.Text[at:])
		if label := queryLabel().FindString(line); label != "" && code.To == 0 {
			at, line = at+len(label), line[len(label):]
		}
		begins := selects(strings.TrimSpace(line))
		if code.To > 0 {
			if strings.HasSuffix(last, ";") || !continues().MatchString(line) && !unended().MatchString(last) && open <= 0 {
				break
			}
		}
		if code.To == 0 && begins {
			code.From = at + len(line) - len(strings.TrimLeft(line, " \t"))
		}
		if code.To > 0 || begins {
			last = strings.TrimRight(line, " \t")
			code.To, open = at+len(last), open+strings.Count(last, "(")-strings.Count(last, ")")
		}
		next := strings.IndexByte(p.text[to:], '\n') + 1
		if next == 0 {
			next = len(p.text) - to
		}
		if to += next; code.To == 0 {
			from = to
		}
	}
	return from, to, code
}

// withoutRows returns a lead without its clauses that say something of rows, and so nothing of the query: "…, die offenen
// Aufträge sind noch nicht gefahren:".
func (r *reader) withoutRows(lead string) string {
	if !strings.Contains(lead, ",") {
		return lead
	}
	all := strings.Split(strings.TrimSuffix(strings.TrimSpace(lead), ":"), ",")
	first := all[0]
	all = slices.DeleteFunc(all[1:], func(clause string) bool {
		return slices.ContainsFunc(words(clause), func(w string) bool {
			return germanNoun(strings.ToLower(w)) != nil && capital(w) || r.o.Lexicon != nil && r.o.Lexicon.Table(w) != ""
		})
	})
	return strings.Join(append([]string{first}, all...), ",") + ":"
}

// disownsQuery reports whether a sentence below a query says that it is not so.
func (s *sentence) disownsQuery() bool {
	return s.takesBack() || unusable().MatchString(s.text) || slices.ContainsFunc(s.words, queryWords) && slices.ContainsFunc(s.words, func(w string) bool { return disowning(w) || retracting(w) })
}

var queryWords = text.Words("query job script data todo tmp temp queries sql statement select snippet abfrage abfragen")
