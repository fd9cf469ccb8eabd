package assertion

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/text"
)

// Limits of one text (spec §10). Document.Notes reports what exceeds them.
const (
	maxSections   = 200
	maxStatements = 500
	// maxAsked is the longest text for which Options.Asked is an anchor of weak rules, in bytes.
	maxAsked = 4 << 10
)

// reader reads one text.
type reader struct {
	doc *Document
	o   Options
	// subjects counts the subjects of "X: Y": one with several lines can be a speaker.
	subjects map[string]int
	beyond   int
	reasons  map[string]bool
	// stated are the keys of the subjects of earlier statements. They anchor later ones.
	stated map[string]bool
	// formulas and restrictions are those of the text. Each restriction becomes a question about the
	// formulas beside it.
	formulas     []placed
	restrictions []placed
	// last is the subject of the previous statement, for "it".
	last struct {
		section, block int
		subject        string
	}
	extracts extracts
	// alone counts the sentences of each section, but those that say who answers for it.
	alone map[int]int
	// following is the next sentence of the same passage; nil = there is none.
	following *sentence
	// before is the sentence before of the same section; nil = there is none. topic says that an item of minutes begins.
	before *sentence
	topic  bool
	// scratch are the parts of what is read now.
	scratch []part
	// retracted is the next sentence if it takes this one back; "" = it does not.
	retracted string
}

// Read reads a text. There are no errors: text that no rule can read yields no statements.
// Units: the time is linear in the size of the text.
// Concurrency: it may be called concurrently, if Options.Known may.
func Read(text string, o Options) *Document {
	doc := &Document{}
	doc.Text, doc.Removed = Frame(text)
	out := &outline{doc: doc}
	out.read()
	r := &reader{doc: doc, o: o, subjects: map[string]int{}, reasons: map[string]bool{}, stated: map[string]bool{}}
	list := r.sentences(r.transcribed(out.passages))
	r.extracts = locate(o.Extracts, doc.Text)
	for _, g := range out.grids {
		r.grid(g)
	}
	r.labels(list)
	for i := range list {
		r.neighbours(list, i)
		if !list[i].read {
			r.sentence(&list[i])
		}
	}
	r.queries(list)
	for i := range doc.Statements {
		st := &doc.Statements[i]
		st.key, st.folded = st.Key(), fold(st.Subject)
	}
	r.unsettle(list)
	r.superseded()
	r.acknowledged(list)
	doc.Chatter = len(doc.Statements)+len(doc.Fences)+len(out.grids) == 0 && chatter(list)
	r.narrow()
	slices.SortStableFunc(doc.Statements, func(a, b Statement) int { return a.From - b.From })
	r.finish()
	return doc
}

// neighbours finds the sentences around one.
func (r *reader) neighbours(list []sentence, i int) {
	s := &list[i]
	r.topic = s.topic
	if r.following = nil; i+1 < len(list) && list[i+1].passage == s.passage {
		r.following = &list[i+1]
	}
	if r.retracted = ""; i+1 < len(list) && list[i+1].section == s.section && list[i+1].block <= s.block+1 && list[i+1].takesBack() {
		r.retracted = list[i+1].text
	}
	before := i - 1
	for before > 0 && list[before].speaker != "" && list[before].passage == s.passage && list[before].acknowledges() {
		before-- // "sure. Sum of …"
	}
	if r.before = nil; i > 0 && list[before].section == s.section {
		r.before = &list[before]
		s.answer = s.speaker != "" && r.before.speaker != "" && r.before.speaker != s.speaker && asks(r.before.text)
	}
}

// sentences splits the passages that can assert something, and determines their languages.
func (r *reader) sentences(passages []passage) []sentence {
	var list []sentence
	bySection := map[int][]string{}
	r.alone = map[int]int{}
	for i := range passages {
		p := &passages[i]
		parts := p.sentences()
		for j := range parts {
			parts[j].passage, parts[j].opens, parts[j].topic = i, j == 0 && p.speaker != "", j == 0 && p.topic
			parts[j].first = j == 0
			parts[j].words = lowered(parts[j].text)
			if m := colonIn(parts[j].text); m == nil || roleOf(m[1]) != ownerRole && roleOf(m[1]) != idleRole || Restricts(m[2]) {
				r.alone[p.section]++
			}
			bySection[p.section] = append(bySection[p.section], parts[j].words...)
		}
		if !p.aside {
			list = append(list, parts...)
		}
	}
	for i := range r.doc.Sections {
		r.doc.Sections[i].Language = tongue(bySection[i])
	}
	for i := range list {
		s := &list[i]
		s.glossary = r.doc.Sections[s.section].Glossary
		if s.language = tongue(s.words); s.language == None && !foreign(s.words) {
			s.language = r.doc.Sections[s.section].Language
		}
		if m := colonIn(s.text); m != nil {
			r.subjects[strings.ToLower(m[1])]++
		}
	}
	return list
}

// foreign reports whether words are in a language without rules.
func foreign(list []string) bool {
	for _, w := range list {
		if stopWords[None](w) && !stopWords[English](w) && !stopWords[German](w) {
			return true
		}
	}
	return false
}

// sourceLine matches a line that names the author: "Source: finance, 2026-11-20".
var sourceLine = text.Pattern(`(?i)^(?:source|quelle|fuente|sources|quellen)\s?:\s*(.+?)\.?$`)

// sourceWords reports whether all that sourceLine matches begins with a word.
func sourceWords(w string) bool {
	switch w {
	case "source", "quelle", "fuente", "sources", "quellen":
		return true
	}
	return false
}

// sourceRemark is the author in parentheses at the end of a sentence: "(source: finance, 2026-11)".
var sourceRemark = text.Pattern(`(?i)\s*\((?:source|quelle|fuente)\s?:\s*([^()]+)\)$`)

// unsourced returns a sentence without the author behind it, and the author.
func unsourced(text string) (rest, source string) {
	if !strings.HasSuffix(text, ")") {
		return text, ""
	}
	if m := sourceRemark().FindStringSubmatchIndex(text); m != nil {
		return strings.TrimRight(text[:m[0]], " .;"), text[m[2]:m[3]]
	}
	return text, ""
}

// sentence reads one sentence. If no rule can read it, an extract may apply. A sentence that restricts
// rows becomes a restriction of the formulas beside it, unless it is a formula itself.
func (r *reader) sentence(s *sentence) {
	r.scratch = r.scratch[:0]
	quoting := r.extracts.of(s)
	if len(s.words) > 0 && sourceWords(s.words[0]) {
		if m := sourceLine().FindStringSubmatch(s.text); m != nil {
			r.source(m[1])
			return
		}
	}
	if len(r.doc.Statements) == maxStatements || s.section >= maxSections {
		r.beyond++
	} else if r.states(s, quoting) {
		return
	}
	if s.restricting() && restriction().MatchString(unfiltered().ReplaceAllString(s.text, " ")) && !asks(s.text) && !s.spoken() && !s.names() {
		r.restrict(s, clean(strings.TrimRight(s.text, " .;。!")))
	}
}

// states reads what a sentence states; false = nothing.
func (r *reader) states(s *sentence, quoting []*place) bool {
	if st, ok := r.namedBehind(s); ok && !r.disowned(s) && r.settle(s, &st, time.Time{}, time.Time{}) {
		r.assert(s, st)
		return true
	}
	if r.guarded(s) || r.disowned(s) {
		return false
	}
	if _, source := unsourced(strings.TrimRight(s.text, " .;。!")); source != "" {
		r.source(source)
	}
	text, from, to := r.undated(s)
	if r.before != nil {
		if name := r.above(r.before.text, text, s); name != "" {
			text = name + " = " + text
		}
	}
	parts := Statement{}
	understood := false
	if s.calculating() {
		parts, understood = r.understood(s, text)
		if understood && parts.Unread == "" && r.settle(s, &parts, from, to) {
			r.assert(s, parts)
			return true
		}
	}
	if all := r.several(s, text); len(all) > 0 && !s.opens {
		for i := range all {
			if r.settle(s, &all[i], from, to) {
				r.assert(s, all[i])
			}
		}
		return true
	}
	st, read := r.match(s, text)
	read = read && (!s.opens || st.Attribute == FormulaOf)
	guess := sync.OnceValues(func() (Statement, bool) {
		if !s.calculating() || understood {
			return Statement{}, false
		}
		return r.guessed(s, text)
	})
	named := read && understood && st.Formula != nil && st.Rule != Parts && len(st.Formula.Where) == 0 && containsWords(fold(st.Subject), fold(parts.Unread))
	if named || read && understood && st.Attribute == Definition {
		st = parts // somebody is asked for the words that are not understood, or for a value in the name that no condition has
	} else if read && (st.Attribute == Definition && (coded(text) || computes(st.Value) && (st.Rule == "equation" || ofWord().MatchString(st.Value))) || st.Attribute == FormulaOf && strings.Contains(st.Subject, ",")) {
		if other, found := guess(); found {
			st = other
		}
	}
	if read && r.settle(s, &st, from, to) {
		r.assert(s, st)
		return true
	}
	formula := false
	for _, q := range quoting {
		formula = !read && r.extracted(s, text, q, from, to) || formula
	}
	if formula {
		return true
	}
	other, found := guess()
	if understood && !found {
		other, found = parts, true
	}
	if found && r.settle(s, &other, from, to) {
		r.assert(s, other)
		return true
	}
	r.introduce(s, text)
	r.nameless(s, text)
	return false
}

// understood reads a definition by its parts: as it stands, below its heading, as an answer, behind a lead, with the next
// sentence.
func (r *reader) understood(s *sentence, text string) (st Statement, ok bool) {
	for _, read := range []func(*sentence, string) (Statement, bool){r.told, r.answered, r.dissected, r.underHeading} {
		if st, ok = read(s, text); ok {
			break
		}
	}
	if !ok || st.Unread != "" {
		if other, titled := r.entitled(s, text); titled {
			return other, true
		}
	}
	if other, led := r.led(s, text); led {
		st, ok, text = other, true, colonIn(text)[2]
	}
	if other, joined := r.continued(s, text, &st, ok); joined {
		st, ok = other, true
	}
	return st, ok
}

// framesOf returns the names that a sentence allows.
func (r *reader) framesOf(s *sentence, text string) []frame {
	a := r.anatomy(s, text)
	if a == nil {
		return nil
	}
	return a.frames(len(text)-len(strings.TrimPrefix(text, s.text[:min(s.bold, len(s.text))])), r.spokenOf(s))
}

// underHeading reads the only sentence under a heading as the calculation of what the heading names, or the first one that is no
// more than a calculation.
func (r *reader) underHeading(s *sentence, text string) (Statement, bool) {
	name := r.headingName(s)
	more := r.alone[s.section] > 1
	if name == "" || more && (r.before != nil || !calculatesOnly(text)) {
		return Statement{}, false
	}
	st, ok := r.dissectedAs(name, s, text)
	ok = ok && st.Unread == ""
	s.headed = ok && more
	return st, ok
}

// headingName returns the name of a number that the heading of a sentence is; "" = it is none.
func (r *reader) headingName(s *sentence) string {
	path := r.doc.Sections[s.section].Path
	if len(path) == 0 || s.item || r.o.Lexicon == nil {
		return ""
	}
	name := r.numberName(term(path[len(path)-1]))
	if roleOf(name) != other || !named(name) {
		return ""
	}
	return name
}

// introduction is a sentence that names a number and says nothing of how it is computed: "Booked value is a number that …".
var introduction = text.Pattern(`(?i)^(?:the |our |der |die |das |unser(?:e)? )?([^,:;()]{2,50}?) (?:is|ist) (?:a|an|one|another|the|eine?|die|der|unsere?)(?: [\pL-]+){0,2} (?:numbers?|figures?|metrics?|kpis?|measures?|kennzahl(?:en)?|zahl(?:en)?|größen?|wert)\b`)

var introducing = text.Words("number numbers figure figures metric metrics kpi kpis measure measures kennzahl kennzahlen zahl zahlen größe größen wert")

// introduce keeps the name that a sentence introduces, for "it" in the next one.
func (r *reader) introduce(s *sentence, text string) {
	if !slices.ContainsFunc(s.words, func(w string) bool { return introducing(w) }) {
		return
	}
	if m := introduction().FindStringSubmatch(text); m != nil && nominal(m[1]) {
		r.last.section, r.last.block, r.last.subject = s.section, s.block, term(m[1])
	}
}

// spokenOf returns what "it" in a sentence means; "" = it is not known.
func (r *reader) spokenOf(s *sentence) string {
	if r.last.section != s.section || r.last.block != s.block {
		return ""
	}
	return r.last.subject
}

func asks(text string) bool { return strings.HasSuffix(strings.TrimRight(text, "\"'”)` "), "?") }

// guarded reports whether a sentence is not read as an assertion: it is a question, uncertain, an
// example, a line of a chat, or too long.
func (r *reader) guarded(s *sentence) bool {
	return len(s.text) > longestSentence || asks(s.text) || hedged(s.text, s.words) || s.supposes() && aside().MatchString(s.text) && !speech().MatchString(s.text) && !r.reasoned(s.text) && r.inquired(s, strings.TrimRight(s.text, " .!")) == "" || s.spoken()
}

// spoken reports whether a sentence begins like a line of a chat.
func (s *sentence) spoken() bool {
	return strings.ContainsAny(s.text, ":<@") && spokenBy().MatchString(s.text) && !broadcast().MatchString(s.text)
}

// reasoned reports whether a sentence begins with why it is written, before a colon: "Weil es wieder Diskussionen gab: …".
func (r *reader) reasoned(text string) bool {
	m := colonIn(text)
	return m != nil && classes()[lowered(m[1])[0]]&reasonWord != 0 && r.passable(m[1], m[2], "")
}

// undated returns a sentence without its lead and its validity, and the validity.
func (r *reader) undated(s *sentence) (text string, from, to time.Time) {
	text, _ = unsourced(strings.TrimRight(s.text, " .;。!"))
	text = tagged().ReplaceAllString(text, "")
	if strings.ContainsAny(text, ":@") || len(s.words) > 0 && (leading(s.words[0]) || greets(s.words[0]) || hesitates(s.words[0])) {
		for _, pattern := range []func() *regexp.Regexp{addressee, leads, addressee} {
			if m := pattern().FindString(text); m != "" && !Restricts(m) && !toThem(text[len(m):]) {
				text = text[len(m):]
				if strings.HasSuffix(m, "dass ") {
					text = verbFinal().ReplaceAllString(text, "$1 $3 $2$4")
				}
			}
		}
	}
	text = concluding().ReplaceAllString(text, " $1 ")
	if at := indifferent().FindStringIndex(text); at != nil {
		if where := conditioned().FindStringIndex(text[:at[0]]); where == nil || !sharesStem(text[at[0]:], text[where[1]:at[0]]) {
			text = text[:at[0]]
		}
	}
	text = setOfDifferent().ReplaceAllString(text, "$1 is the number of $2 ")
	text = s.restate(text)
	if len(s.words) > 0 && accompanied(s.words[0]) && s.calculating() {
		text = unled(text)
	}
	if m := colonIn(text); m != nil && asserts(m[2]) && !r.toldBefore(m[1], m[2]) && r.says(m[1], m[2], "") {
		if a := r.anatomy(s, m[2]); a == nil || r.says(m[1], m[2], a.identity) {
			text = m[2]
		}
	}
	if asked := r.inquired(s, text); asked != "" {
		text = asked
	}
	if strings.ContainsAny(text, "0123456789") && slices.ContainsFunc(s.words, func(w string) bool { return boundCues(w) }) {
		text, from, to = bound(text)
	}
	return text, from, to
}

// indifferent is a clause at the end that something makes no difference: "…, whether the bag turned out fit for use or not".
var indifferent = text.Pattern(`(?i),? (?:whether or not [^,.;:=<>\d]+|whether [^,.;:=<>\d]+ or not|(?:no matter|whatever|regardless of) [^,.;:=<>\d]+|(?:egal|gleich) (?:aus |in |an |von |ob )?(?:welche[mnrs]?|ob|wie|was|wer|wo) [^.;:=<>\d]+)$`)

// conditioned begins a condition, setOfDifferent is a name of different things: "Guests are the different guest_no in …".
var (
	conditioned    = text.Pattern(`(?i) (?:where|with|without|excluding|only|whose|mit|ohne|nur|wo|denen|deren) `)
	setOfDifferent = text.Pattern(`(?i)^([^,:;=]{2,50}?) (?:sind|are) (?:die|the) (verschiedenen|unterschiedlichen|different|distinct) `)
)

// concluding is an adverb between a name and its verb: "Lesson minutes therefore means …".
var concluding = text.Pattern(`(?i) (?:therefore|thus|hence|accordingly|consequently|daher|deshalb|somit|folglich|demnach) (means?|is|are|ist|sind|bedeutet) `)

// asserts reports whether a text says of a name what it is: not "sum of amount where status = paid".
func asserts(s string) bool {
	m, n := equation().FindStringSubmatch(s), predicate().FindStringSubmatch(s)
	condition := m != nil && computes(m[1]) && slices.ContainsFunc(lowered(m[1]), func(w string) bool { return classes()[w]&jointWord != 0 })
	return m != nil && !condition && nominal(term(m[1])) || n != nil && nominal(term(n[1]))
}

// settle adds the fields of a statement that do not depend on the rule; false = it asserts nothing.
func (r *reader) settle(s *sentence, st *Statement, from, to time.Time) bool {
	if st.Rule == formerFormula && from.IsZero() && to.IsZero() || s.speech && st.Formula != nil || classes()[strings.ToLower(st.Subject)]&rowsWord != 0 {
		return false // "Rows with status = 'refunded' do not count."
	}
	if it(strings.ToLower(st.Subject)) {
		if r.last.subject == "" || r.last.section != s.section || r.last.block != s.block {
			return false
		}
		st.Subject = r.last.subject
	}
	if st.Attribute == FormulaOf && st.Rule != Parts && st.Unread == "" {
		st.Unread = backReference().FindString(st.Value) // the rows are those of another sentence
		if name, rest, several := strings.Cut(st.Subject, ","); several {
			st.Subject, st.Unread = name, strings.TrimSpace(rest)
		}
	}
	if st.Attribute == FormulaOf && st.Formula != nil && st.Formula.Table == "" && r.o.Lexicon != nil && rowCount().MatchString(st.Formula.Call()) {
		st.Formula.Table = r.headed(s) // "klub.besuch:" above "Besuche: count(*)"
	}
	above := s.intro
	if r.before != nil && (r.before.passage == s.passage || s.first && r.before.block+1 == s.block) && strings.HasSuffix(r.before.text, ":") {
		above = r.before.text
	}
	if lead, led := strings.CutSuffix(strings.TrimSpace(above), ":"); led && st.Attribute == FormulaOf && st.Unread == "" && (s.indented && !r.passable(lead, st.Value, r.tableOf(st)) || r.elsewhere(above, st.Value)) {
		st.Unread = lead // "Until June we used:"
	}
	if st.Attribute == FormulaOf && st.Formula != nil && st.Unread == "" && r.narrows(s.intro, st) {
		st.Unread = clean(s.intro) // "sales.orders, paid ones:"
	}
	if st.Attribute == FormulaOf && st.Unread == "" && (r.saidBy(s, st.Subject) || aboutWords(strings.ToLower(firstWord(st.Subject))) || st.Rule != Parts && denying(words(st.Subject))) {
		st.Unread = st.Subject
	}
	st.ValidFrom, st.ValidTo, st.Section, st.Span, st.Language = from, to, s.section, s.Span, s.language
	return !st.Weak || r.anchored(s.glossary, st)
}

// aboutWords begin what a sentence is about, and no name: "re Leeds: that is …".
func aboutWords(w string) bool {
	switch w {
	case "re", "regarding", "concerning", "zum", "zur", "betreffs", "betrifft", "bezüglich":
		return true
	}
	return false
}

// backReference are rows that another clause has described.
var backReference = text.Pattern(`(?i)\b(?:of|over|across|among|for|von|der|über|aller) (?:all )?(?:such|solche[rn]?) \pL+`)

// spokenBy matches the beginning of a line of a chat: a time before or after a name.
var spokenBy = text.Pattern(`(?i)^(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\)?\]?\s|[\pL. ]{2,30}\s+\[?\(?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\)?\]?:?(?:\s|$)|<@?[\w.]+>|@\w+(?::\s| (?:says|said|claims|defines|calls|sagt|meint|rechnet|definiert|nennt) ))`)

// it reports whether a pronoun refers to the subject of the previous sentence.
func it(w string) bool { return w == "it" || w == "es" }

// match tries the rules, then the structures.
func (r *reader) match(s *sentence, text string) (Statement, bool) {
	tried := slices.Clone(ruleBook().anyCue)
	for _, w := range s.words {
		tried = append(tried, ruleBook().byCue[w]...)
	}
	slices.Sort(tried)
	for _, i := range slices.Compact(tried) {
		if st, ok := ruleBook().rules[i].try(s, text); ok && (st.Attribute == Filter || st.Attribute == ValueLabel || st.Attribute == FormulaOf || named(st.Subject) || it(strings.ToLower(st.Subject))) {
			return st, true
		}
	}
	st, ok := r.structure(s, text)
	if ok && st.Rule == "colon" && !s.glossary && r.subjects[strings.ToLower(st.Subject)] > 1 {
		return Statement{}, false
	}
	return st, ok
}

// assert adds a statement of a rule.
func (r *reader) assert(s *sentence, st Statement) {
	if r.retracted != "" && st.Attribute != FormulaOf {
		return
	}
	if r.keep(s, &st) && !st.Weak {
		r.stated[Key(st.Subject, st.Language)] = true
	}
}

// keep adds a statement of a sentence; false = a limit is exceeded.
func (r *reader) keep(s *sentence, st *Statement) bool {
	r.qualify(st)
	if st.Attribute == FormulaOf && st.Unread == "" {
		if st.Unread = clean(r.retracted); st.Unread == "" {
			st.Unread = r.tentatively(s, st)
		}
	}
	if st.Attribute != Filter && st.Attribute != ValueLabel {
		r.last.section, r.last.block, r.last.subject = s.section, s.block, st.Subject
	}
	if st.Attribute == FormulaOf && st.Unread == "" {
		st.Unread = r.lost(s, st)
	}
	if len(r.doc.Statements) == maxStatements || s.section >= maxSections {
		r.beyond++
		return false
	}
	if st.Attribute == Filter && st.Polarity != Negative && (st.Subject == "" || st.Formula.Table != "" || sweeping(strings.ToLower(st.Subject))) {
		r.restrict(s, st.Value)
		r.restrictions[len(r.restrictions)-1].alone = st.Subject != "" && !s.general()
	}
	r.doc.Statements = append(r.doc.Statements, *st)
	if st.Attribute == FormulaOf {
		r.formula(s)
	}
	return true
}

// anchored reports whether a weak match counts: in a glossary, in a text that somebody asked to
// remember, or if one of its names is known or was the subject of an earlier statement.
func (r *reader) anchored(glossary bool, st *Statement) bool {
	if glossary || r.o.Asked && len(r.doc.Text) <= maxAsked {
		return true
	}
	names := []string{st.Subject, st.Column}
	if st.Formula != nil {
		names = append(names, st.Formula.Of, st.Formula.Table)
	}
	if len(words(st.Value)) <= longestSubject {
		names = append(names, st.Value)
	}
	for _, name := range names {
		if name != "" && (r.o.Known != nil && r.o.Known(name) || r.stated[Key(name, st.Language)]) {
			return true
		}
	}
	return false
}

func (r *reader) source(text string) {
	if r.doc.Source != "" {
		return
	}
	who := text
	if at := strings.LastIndex(text, ","); at >= 0 {
		if p, ok := date(strings.TrimSpace(text[at+1:])); ok {
			who, r.doc.SourceAt = text[:at], p.from
		}
	}
	r.doc.Source = clean(who)
}

// finish adds the notes about limits, and derives the signals.
func (r *reader) finish() {
	if n := len(r.doc.Sections) - maxSections; n > 0 {
		r.doc.Notes = append(r.doc.Notes, fmt.Sprintf("%d sections after the first %d are kept as text and assert nothing", n, maxSections))
	}
	if r.doc.Removed > 0 {
		r.doc.Notes = append(r.doc.Notes, "taken out: "+text.Count(r.doc.Removed, "invisible character"))
	}
	if r.beyond > 0 {
		r.doc.Notes = append(r.doc.Notes, fmt.Sprintf("%d sentences beyond the limits are kept as text", r.beyond))
	}
	r.doc.Notes = append(r.doc.Notes, r.extracts.notes()...)
	r.doc.signal(r.reasons)
	r.doc.Signals.Reasons = slices.Sorted(maps.Keys(r.reasons))
}
