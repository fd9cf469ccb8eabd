package assertion

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// sentence is one candidate for a statement.
type sentence struct {
	section, block, passage int
	// text is on one line; code is in backquotes.
	text     string
	language Language
	Span
	// bold is the length of a bold lead, in bytes.
	bold           int
	item, indented bool
	intro          string
	// glossary says that its section or table announces definitions.
	glossary bool
	// table is what a cell, or the sentence before, names as the table; "" = none.
	table string
	// words of the text in lower case.
	words []string
	// read says that the sentence before has its conditions.
	read bool
	// speech says that a quotation has a clause of it: somebody says so, which need not be us.
	speech bool
	// speaker says it in a transcript; "" = it is none. It opens what they say, or answers the question of another one.
	speaker       string
	opens, answer bool
	// topic says that it begins an item of minutes, headed that it is the calculation of a heading with more below, first that it is the
	// first one of its paragraph.
	topic, headed, first bool
}

// longestSentence is the longest sentence that is read, in bytes.
const longestSentence = 600

// abbreviation matches a text that ends with the full stop of an abbreviation.
var abbreviation = text.Pattern(`(?i)(?:^|[\s(])(?:e\.?g|i\.?e|etc|vs|cf|approx|incl|excl|no|nr|max|min|avg|z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|inkl|exkl|zzgl|ggf|vgl|usw|mio|mrd|st|dr|mr|mrs|inc|ltd|co|corp|[a-z])\.$`)

// ordinal matches the German ordinal of a day: "1." before a month.
var ordinal = text.Pattern(`(?:^|\s)\d{1,2}\.$`)

// sentences splits a passage at full stops and at deliberate line breaks.
func (p *passage) sentences() []sentence {
	var out []sentence
	quoted, from := speeches(p.text), 0
	cut := func(to int) {
		part := p.text[from:to]
		lead := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
		text, marked := strings.TrimSpace(part), false
		if dash := undashedItem().FindString(text); dash != "" && (from == 0 || strings.Contains(p.text[from-1:from+lead], "\n")) {
			text, lead, marked = text[len(dash):], lead+len(dash), true
		}
		if strings.HasPrefix(text, "(") && strings.IndexByte(text, ')') == len(strings.TrimRight(text, ".!"))-1 && strings.ContainsRune(text, ' ') && len(out) > 0 {
			text = strings.TrimRight(text, ".!)")
			text, lead = text[1:], lead+1
		}
		if text != "" {
			first, last := from+lead, from+lead+len(text)-1
			s := sentence{
				section: p.section, block: p.block, item: p.item || marked, indented: p.indented, intro: p.intro, speaker: p.speaker,
				text: strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "\t", " "), Span: p.span(first, last),
			}
			s.speech = slices.ContainsFunc(quoted, func(q Span) bool { return q.From < to && from < q.To })
			if len(out) == 0 && p.bold > lead {
				s.bold = min(p.bold-lead, len(text))
			}
			out = append(out, s)
		}
		from = to
	}
	longest := 0
	for line := range strings.SplitSeq(p.text, "\n") {
		longest = max(longest, len(line))
	}
	code, depth, line := false, 0, 0
	for i, r := range p.text {
		next := i + utf8.RuneLen(r)
		switch {
		case r == '`':
			code = !code
		case r == '\n':
			if !(depth > 0 && strings.Contains(lineOf(p.text[next:]), ")")) && p.broken(line, i, longest) {
				cut(i)
				code, depth = false, 0
			}
			line = next
		case code:
		case r == '(' && depth == 0 && i > from && i-from <= longestSentence && remarked(p.text[i:]) && calculates(unwrapped(p.text[from:i])):
			cut(i)
			depth++
		case r == '(':
			depth++
		case r == ')':
			depth = max(0, depth-1)
		case r == '。' || r == '！' || r == '？':
			cut(next)
		case depth == 0 && r == ';' && calculates(p.text[next:]) && !(countsThese().MatchString(p.text[next:]) && !slices.ContainsFunc(lowered(p.text[from:i]), func(w string) bool { return classes()[w]&calculationWord != 0 })):
			cut(next)
		case depth == 0 && r == ';' && i-from <= longestSentence && speaks(p.text[next:]) && calculates(unwrapped(p.text[from:i])):
			cut(next)
		case depth == 0 && (r == '.' || r == '!' || r == '?') && p.stops(from, next):
			cut(next + len(p.text[next:]) - len(strings.TrimLeft(p.text[next:], closingQuotes)))
		}
	}
	cut(len(p.text))
	p.introduce(out)
	return out
}

// introduce has the first line of a paragraph introduce the lines below it, if it is no sentence: "Van KPIs (shop.route_stop)".
func (p *passage) introduce(list []sentence) {
	if len(list) < 2 || p.item || p.intro != "" || p.speaker != "" {
		return
	}
	first := &list[0]
	if strings.TrimSpace(lineOf(p.text)) != first.text || labelled().MatchString(first.text) || strings.HasSuffix(first.text, ".") || asks(first.text) {
		return
	}
	for i := range list[1:] {
		list[i+1].intro = first.text
	}
}

// undashedItem is the sign of an item of a list that is no markup: "– ", "b) ".
var undashedItem = text.Pattern(`^(?:[–—•‣·]|\(?[a-z]\))\s+`)

// closingQuotes may stand behind the full stop of a sentence.
const closingQuotes = "\"'”“’)»"

// span returns the span of a part of the passage, including surrounding markup.
func (p *passage) span(first, last int) Span {
	s := Span{p.at[first], p.at[last] + 1}
	for s.From > 0 && p.source[s.From-1] < utf8.RuneSelf && strings.IndexByte("*_`~", p.source[s.From-1]) >= 0 {
		s.From--
	}
	for s.To < len(p.source) && (strings.IndexByte("*_`~", p.source[s.To]) >= 0 || !utf8.RuneStart(p.source[s.To])) {
		s.To++
	}
	return s
}

// stops reports whether the full stop before next ends a sentence that began at from.
func (p *passage) stops(from, next int) bool {
	rest := strings.TrimLeft(p.text[next:min(next+8, len(p.text))], closingQuotes)
	if rest == "" {
		return next >= len(p.text)
	}
	r, n := utf8.DecodeRuneInString(rest)
	if !unicode.IsSpace(r) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest[n:], " \n"))
	if p.text[next-1] != '.' {
		return true
	}
	if unicode.IsLower(after) {
		return true && !abbreviated(p.text[from:next]) && !ordinal().MatchString(tail(p.text[from:next]))
	}
	if ordinal().MatchString(tail(p.text[from:next])) {
		_, month := months[strings.ToLower(firstWord(p.text[next:min(next+24, len(p.text))]))]
		return !month
	}
	return !abbreviated(p.text[from:next])
}

// calculates reports whether the text after a semicolon is a separate statement: a name and its calculation.
func calculates(rest string) bool {
	line := lineOf(rest[:min(len(rest), longestSentence)])
	for _, form := range []func() *regexp.Regexp{equation, predicate, definedAs} {
		if m := form().FindStringSubmatch(strings.TrimRight(strings.TrimSpace(line), ".")); m != nil && nominal(term(m[1])) && (form() == equation() && !beginsValue(m[2]) || computes(m[2])) {
			return true
		}
	}
	return false
}

// unwrapped returns a text in one line.
func unwrapped(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// speaks reports whether the text after a semicolon is a sentence of its own about the definition before: "…; life members are in there too".
func speaks(rest string) bool {
	line := unwrapped(rest[:min(len(rest), longestSentence)])
	if at := strings.IndexAny(line, ".;"); at >= 0 {
		line = line[:at]
	}
	list := lowered(line)
	compares := strings.ContainsAny(line, "=<>")
	return len(list) > 2 && !strings.ContainsAny(line, "\"/*+") && classes()[list[0]]&(andWord|orWord|leaveWord|onlyWord|divideWord|notWord) == 0 && !goingOn(list[0]) && slices.ContainsFunc(list[1:], func(w string) bool { return verbs(w) || happens(w) }) &&
		(compares || !leavingOff().MatchString(line)) && !slices.ContainsFunc(list, func(w string) bool { return classes()[w]&(calculationWord&^shareWord) != 0 })
}

// remarked reports whether a text begins with a sentence in parentheses that a definition ends with: "(Mill is run by the school)".
func remarked(rest string) bool {
	inside, behind, closed := strings.Cut(rest[1:min(len(rest), longestSentence)], ")")
	behind = lineOf(behind[:min(len(behind), longestSentence)])
	return closed && strings.TrimRight(behind, " .!") == "" && !strings.ContainsAny(inside, "=<>(") && speaks(inside)
}

// happens are verbs of what becomes of things.
var happens = text.Words("gilt gelten kommt kommen bekommt bekommen steht stehen bleibt bleiben gehört gehören laufen liegt liegen fällt fallen zahlt zahlen bezahlt comes come stays stay stands stand belongs belong sits sit lives live pays pay gets get goes go runs")

// beginsValue reports whether a text begins with a value, so that what is before it is a column: "'hot'", "true", "30".
func beginsValue(s string) bool {
	return strings.ContainsAny(s[:1], "'\"0123456789") || strings.HasPrefix(s, "true") || strings.HasPrefix(s, "false")
}

// countsThese counts the rows that the clause before describes: "A late trip is a row in trip with …; late trips is the count of them."
var countsThese = text.Pattern(`(?i)^[^.;:]*(?: (?:of|over|for|across) (?:them|these|those)(?: rows)?| (?:dieser|davon)(?: zeilen)?)[.!]?\s*$`)

// computes reports whether a text begins with a word, or a call, of a calculation.
func computes(s string) bool {
	for _, w := range words(s) {
		switch c := classes()[strings.ToLower(w)]; {
		case c&(aggregateWord|countWord|distinctWord|shareWord) != 0, c&(rowsWord|nounWord) == rowsWord && w != "ones", w == "many" || w == "viele":
			return true
		case c&glueWord == 0:
			return calledFunctions(strings.ToLower(w))
		}
	}
	return false
}

// definedAs is a name and its calculation in a passive sentence.
var definedAs = text.Pattern(`(?i)^([^,:;=]{2,60}?) (?:is|are|wird|werden|ist|sind) (?:defined|calculated|computed|measured|definiert|berechnet) (?:as|by|als) (.+)$`)

func abbreviated(s string) bool { return abbreviation().MatchString(tail(s)) }

// tail returns the end of a text, long enough for an abbreviation.
func tail(s string) string {
	at := max(0, len(s)-12)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

func firstWord(s string) string {
	for _, w := range words(s) {
		return w
	}
	return ""
}

// labelled matches a line that begins with a subject.
var labelled = text.Pattern("^[^\\s:=][^:=：]{0,60}(?:\\s?:=\\s|\\s(?:=|->|→|=>)\\s|:\\s|：|\\s[–—]\\s)")

// onlyTable is a line with the name of a table in its schema.
var onlyTable = text.Pattern(`^[\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*)+:?$`)

// lineOf returns the first line of a text.
func lineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// broken reports whether the line from..at has a deliberate line break: the next line has a label, or
// its first word would have fitted.
func (p *passage) broken(from, at, longest int) bool {
	rest := lineOf(p.text[at+1:])
	if strings.HasPrefix(rest, ": ") { // a term, and its definition below it
		return false
	}
	word, _, _ := strings.Cut(rest, " ")
	label := begun(rest)
	if labelled().MatchString(rest) && onlyTable().MatchString(strings.TrimSpace(p.text[from:at])) {
		return true // "sales.orders" above "volume = sum(amount)"
	}
	if last := strings.ToLower(lastOf(p.text[from:at])); leadsOn(last) && !(label && verbs(last)) || resumes(strings.ToLower(word)) || from < at && strings.IndexByte("/+*=<>(", p.text[at-1]) >= 0 {
		return false // "It is", "the number of rows where", "sum(fee) /"
	}
	fits := at-from+1+len(word) <= longest
	r, _ := utf8.DecodeRuneInString(rest)
	if undashedItem().MatchString(rest) || label && (fits || unicode.IsUpper(r) || labelled().MatchString(p.text[from:at]) || longest < narrowest) {
		return true
	}
	if labelled().MatchString(p.text[from:at]) && p.column(from) > p.column(at+1)+1 {
		return true // below a list of labels that is indented
	}
	if unicode.IsLower(r) {
		return false
	}
	if p.item && p.column(at+1) == 0 { // below a list
		return true
	}
	// In German, nouns inside a sentence begin with a capital, too.
	if labelled().MatchString(p.text[from:at]) && unicode.IsUpper(r) && tongue(lowered(p.text[from:at+1+len(rest)])) != German {
		return true
	}
	return fits
}

// narrowest is the smallest width that text is wrapped at, in bytes.
const narrowest = 40

// begun reports whether a line begins with a label: not with a condition, "mit status = 'open'".
func begun(line string) bool {
	m := labelled().FindString(line)
	return m != "" && !(strings.HasSuffix(m, "= ") && beginsValue(line[len(m):]+" "))
}

// leadsOn reports whether a word ends no line but a wrapped one.
func leadsOn(w string) bool {
	switch w {
	case "is", "are", "the", "a", "an", "of", "in", "on", "by", "as", "and", "from", "to", "where", "with", "whose", "for", "per", "divided", "times", "excluding", "ist", "sind", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einer", "aus", "und", "mit", "von", "vom", "wo", "für", "im", "geteilt", "durch", "mal", "ohne", "over", "über":
		return true
	}
	return false
}

// resumes reports whether a word, in lower case, begins no line but a wrapped one.
func resumes(w string) bool {
	switch w {
	case "where", "whose", "excluding", "divided", "times", "and", "or", "wo", "deren", "und", "oder", "geteilt", "ohne":
		return true
	}
	return false
}

// column returns how far a place of the text is from the beginning of its line, without the signs of bold letters and code.
func (p *passage) column(at int) int {
	to := p.at[min(at, len(p.at)-1)]
	return len(strings.TrimRight(p.source[strings.LastIndexByte(p.source[:to], '\n')+1:to], "*_`~"))
}

// speech is a supposition by its first word alone: "when we say X, we mean …".
var speech = text.Pattern(`(?i)\b(?:when|whenever|if|wenn|sobald) (?:[\pL]+ ){0,2}?(?:[\pL]+ )?(?:says?|talks?|speaks?|mentions?|reports?|refers?|von|vom|über)\b`)

// predicate splits "name is calculation".
var predicate = text.Pattern(`(?i)^(.+?) (?:is|are|equals|means|ist|sind|entspricht) (.+)$`)

// calculatingWords begin the words that are a sign of a calculation.
var calculatingWords = strings.Fields("rows over durch record zeile datensätze sum summ total average avg mean median min smallest lowest cheapest earliest latest max largest highest biggest greatest number count distinct unique different verschieden unterschiedlich share proportion fraction part add divi multipl take how " +
	"ratio percent prozent verhält gesamtsumme geteilt gesamte durchschnitt mittel anzahl zahl zähl gezählt anteil wie jede every each addier aufaddier aufsumm kleinst niedrigst früheste späteste größt höchst zusammen")

// calculating reports whether a sentence may have a calculation.
func (s *sentence) calculating() bool {
	return strings.ContainsAny(s.text, "(/") || slices.ContainsFunc(s.words, func(w string) bool {
		return slices.ContainsFunc(calculatingWords, func(begin string) bool { return strings.HasPrefix(w, begin) })
	})
}
