package assertion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// Parts is the Rule of formulas that were read by the parts of their sentence.
const Parts = "parts"

// anatomy is a sentence by its parts. Each of them must be understood in exactly one way: as a part of the name, of one
// calculation over one table, or of a condition on its rows, or as a word that says nothing about the number.
type anatomy struct {
	lexicon  Lexicon
	language Language
	all      []part
	// around is the text that the sentence stands in.
	around string
	// table as the sentence writes it, and its identity.
	table, identity string
	subject         string
	// declined says that the basic form of the name is not known.
	declined bool
	// noun says that no name of the table stands in the sentence, but a noun for its rows, a column, or a heading above it.
	noun bool
	// rest is the part from which a sentence of its own restricts all of the calculation; 0 = there is none.
	rest int
	// where are the conditions in their order.
	where []Condition
}

// dissected reads a sentence with a name and a calculation by its parts, in whatever order they are.
// Shape: what is not understood is the statement's Unread, and makes it a question. Two names with which all parts are
// understood are not certain either.
func (r *reader) dissected(s *sentence, words string) (Statement, bool) {
	dashed := r.undashed(s, words)
	a := r.anatomy(s, dashed)
	if a == nil {
		return Statement{}, false
	}
	st, ok := a.best(a.frames(len(dashed)-len(strings.TrimPrefix(dashed, s.text[:min(s.bold, len(s.text))])), r.spokenOf(s)), dashed)
	if ok && dashed != words && (st.Formula.Aggregate == "sum" || len(st.Formula.Where) > 0) {
		return Statement{}, false // "gross orders - number of refunded orders" may be a difference
	}
	return st, ok
}

// spacedHyphen stands for a dash between a name and its calculation: "active passes - number of distinct pass_no in lift_scan".
var spacedHyphen = text.Pattern(`^((?:[\pL][\pL\d-]* ){1,5})- `)

// undashed writes a hyphen behind the name that a sentence begins with as a dash. Where the number has a name above it, the hyphen
// subtracts: "Net sales:", and below it "gross sales - sum of rebate".
func (r *reader) undashed(s *sentence, words string) string {
	m := spacedHyphen().FindStringSubmatch(words)
	if m == nil || r.headingName(s) != "" || s.intro != "" || !computes(words[len(m[0]):]) || r.o.Known != nil && r.o.Known(strings.TrimSpace(m[1])) {
		return words
	}
	return m[1] + "– " + words[len(m[0]):]
}

// dissectedAs reads a text that is the calculation of a name.
func (r *reader) dissectedAs(name string, s *sentence, words string) (Statement, bool) {
	a := r.anatomy(s, words)
	if a == nil || !nominal(name) {
		return Statement{}, false
	}
	return a.best([]frame{{subject: name}}, words)
}

// anatomy splits a sentence; nil = it cannot be read.
func (r *reader) anatomy(s *sentence, words string) *anatomy {
	if r.o.Lexicon == nil || len(r.doc.Statements) == maxStatements || len(words) > longestSentence || codeSign(words) {
		return nil
	}
	a := &anatomy{lexicon: r.o.Lexicon, language: s.language, all: r.parts(ordered(strings.ReplaceAll(words, "no. of ", "number of "))), around: r.doc.Text}
	if s.table != "" {
		a.table, a.identity = s.table, r.o.Lexicon.Table(s.table)
	}
	if !a.findTable() && !a.findNoun(func() string { return r.headed(s) }) {
		return nil
	}
	for i := range a.all {
		a.look(i)
	}
	return a
}

// summedFirst says when the two sides of a division are summed, which is always before: "a over b, both summed before dividing".
var summedFirst = text.Pattern(`(?i)\b(summed(?: up)?|added up|summiert|aufsummiert|addiert)((?: (?:over|across|über|in|from|aus) [\pL_.\d]+)?) (?:before (?:we )?(?:dividing|the division|divide)|vorher|vor (?:der|dem) (?:division|teilen))\b`)

// plainCues are parts of all that plainAverage matches.
var plainCues = []string{"plain ", "simple ", "rithmetic ", "weighted ", "einfach", "rithmetisch", "gewichtet"}

// plainAverage is an average that is no other than an average.
var plainAverage = text.Pattern(`(?i)\b(?:plain|simple|arithmetic|unweighted|einfachen?|einfache[rs]?|arithmetische[nrs]?|ungewichtete[nrs]?) (average|mean|durchschnitt|mittelwert|mittel|sum|summe)\b`)

// butOnly is the beginning of a clause that restricts: ", aber nur für …".
var butOnly = strings.NewReplacer(", aber nur ", ", nur ", ", but only ", ", only ", ", und zwar nur ", ", nur ", ", jedoch nur ", ", nur ")

// ordered returns a sentence without when the sides of a division are summed.
func ordered(words string) string {
	if strings.Contains(words, ", ") {
		words = butOnly.Replace(words)
	}
	if anyIn(words, plainCues) {
		words = plainAverage().ReplaceAllString(words, "$1")
	}
	if !strings.Contains(words, "before") && !strings.Contains(words, "vor") {
		return words
	}
	return summedFirst().ReplaceAllString(words, "$1$2")
}

// best reads the sentence with each of some names.
func (a *anatomy) best(frames []frame, words string) (Statement, bool) {
	var first Statement
	read, sure := false, false
	for i := range frames {
		b := *a
		if len(frames) > 1 {
			b.all = slices.Clone(a.all)
		}
		st, ok := b.read(&frames[i])
		switch {
		case !ok:
		case st.Unread != "" && !read:
			first, read = st, true
		case st.Unread == "" && !sure:
			first, read, sure = st, true, true
		case st.Unread == "" && strings.EqualFold(singular(st.Subject), first.Subject): // "a late trip is …; late trips is …"
			first.Subject = st.Subject
		case st.Unread == "" && !strings.EqualFold(st.Subject, first.Subject) && !strings.EqualFold(st.Subject, singular(first.Subject)):
			first.Unread = st.Subject
		}
	}
	first.Value = clean(words)
	return first, read
}

// read reads the sentence with a name.
func (a *anatomy) read(f *frame) (Statement, bool) {
	a.name(f)
	a.shownAt(f)
	a.concede()
	a.rephrase()
	a.glosses()
	if !a.conditions() {
		return Statement{}, false
	}
	a.sameRows()
	a.classify()
	a.passOver()
	formula := a.formula()
	if formula == nil && a.numbersUnread() {
		formula = a.formula()
	}
	if formula == nil || a.impossible() || a.subject == "" || !nominal(a.subject) || talks(a.subject) {
		return Statement{}, false
	}
	if f.less && !strings.Contains(formula.Of+formula.Expr, " - ") {
		return Statement{}, false
	}
	a.place(formula)
	return Statement{Attribute: FormulaOf, Rule: Parts, Subject: a.subject, Formula: formula, Unread: a.unread(formula)}, true
}

// codeCues are parts of all that code matches.
var codeCues = []string{"filter", "select", "case", "group", "over", "join", "having", "(table", "{", "}"}

// code is a sign of a query, whose words are no prose.
var code = text.Pattern(`(?i)\bfilter\s*\(|\bselect\b|\bcase\s+when\b|\bgroup\s+by\b|\bover\s*\(|\bjoin\b|\bhaving\s+(?:sum|count|avg|min|max)\b|\(tables?\b|[{}]`)

func codeSign(words string) bool {
	return anyIn(strings.ToLower(words), codeCues) && code().MatchString(tableAside().ReplaceAllString(words, " "))
}

// tableAside is a table in parentheses behind its rows: "the count of bags (table BAG)".
var tableAside = text.Pattern(`(?i)\s\((?:table|tabelle) ` + namePattern + `\)`)

// tableLeads stand before a table.
var tableLeads = text.Words(`in from on aus auf table tabelle`)

// findTable marks the one table that a sentence names; false = it names none or several, or something with a dot that is
// neither a table nor a column.
func (a *anatomy) findTable() bool {
	claim := func(written, identity string) bool {
		if a.identity == "" {
			a.table, a.identity = written, identity
		}
		return a.identity == identity
	}
	for i := range a.all {
		p := &a.all[i]
		at := strings.LastIndexByte(p.text, '.')
		if at <= 0 || !p.isWord || p.is(glueWord) {
			continue
		}
		if t := a.lexicon.Table(p.text); t != "" {
			p.kind = tablePart
			if !claim(p.text, t) {
				return false
			}
			continue
		}
		t := a.lexicon.Table(p.text[:at])
		if t == "" || !claim(p.text[:at], t) {
			return false
		}
		if p.kind, p.as = columnPart, a.lexicon.Column(t, p.text[at+1:]); p.as == "" {
			return false
		}
		p.column, p.length = p.as, 1
	}
	for i := 1; i < len(a.all) && a.identity == ""; i++ {
		p := &a.all[i]
		if tableLeads(a.all[i-1].low) && p.isWord {
			if t := a.lexicon.Table(p.text); t != "" {
				p.kind, a.table, a.identity = tablePart, p.text, t
			}
		}
	}
	return a.identity != ""
}

// findNoun takes the table from a column that no other table has, from a noun for its rows, or from above the sentence.
func (a *anatomy) findNoun(above func() string) bool {
	var owners, tables, written []string
	add := func(to *[]string, table string) {
		if table != "" && !slices.Contains(*to, table) {
			*to = append(*to, table)
		}
	}
	for i := range a.all {
		p := &a.all[i]
		switch {
		case p.kind == tablePart || p.kind == columnPart:
			return false // findTable has seen several
		case !p.isWord || p.low == "order" && i+1 < len(a.all) && a.all[i+1].low == "to":
			continue
		}
		if a.object(i) {
			add(&tables, a.tableOf(p))
		} else if a.open(i) {
			add(&owners, a.lexicon.Owner(p.text))
			if strings.Contains(p.text, "_") {
				add(&written, a.lexicon.Owner(p.text))
			}
			add(&tables, a.tableOf(p))
		}
	}
	if len(owners) == 0 && len(tables) == 0 {
		add(&tables, above())
	}
	switch {
	case len(owners) == 1:
		a.identity = owners[0]
	case len(written) == 1: // the others are words: "service" of another table
		a.identity = written[0]
	case len(owners) == 0 && len(tables) == 1:
		a.identity = tables[0]
	default:
		return false
	}
	a.table, a.noun = a.identity, true
	return true
}

// open reports whether a part may name a thing of the table: a word that is of no closed class, or is written as a name.
func (a *anatomy) open(i int) bool {
	p := &a.all[i]
	if p.class&^(nounWord|venueWord|speakerWord|barWord|regularWord) == 0 && p.class&nounWord == 0 || p.code || strings.Contains(p.text, "_") {
		return true
	}
	if p.is(sayWord) && !p.is(openWord|nameWord) && (i+1 < len(a.all) && operators(a.all[i+1].low) != "" || i > 0 && operators(a.all[i-1].low) != "" || i > 1 && a.all[i-2].is(aggregateWord) && (a.all[i-1].low == "of" || a.all[i-1].low == "von")) {
		return true // "booked times price", "the sum of booked"
	}
	if i == 0 || p.is(articleWord|pronounWord|jointWord|allWord) {
		return p.class == nounWord
	}
	switch before := a.all[i-1].low; before {
	case "of", "von", "aus", "column", "spalte", "feld", "field":
		return !(p.is(glueWord) && !p.is(nounWord)) || before == "column" || before == "spalte"
	}
	return p.class == nounWord
}

// object reports whether a word that is also a verb of saying stands where only a noun does: "over all calls", "calls with".
func (a *anatomy) object(i int) bool {
	return a.all[i].is(sayWord) && !a.all[i].is(speakerWord|venueWord) && (i > 0 && (a.all[i-1].is(allWord|distinctWord) || a.all[i-1].low == "by" && i+1 < len(a.all) && a.all[i+1].low == "with") || (i == 0 || a.all[i-1].sign() || a.all[i-1].is(countWord|articleWord) || a.all[i-1].low == "of") && i+1 < len(a.all) && (a.all[i+1].low == "with" || a.all[i+1].low == "whose"))
}

// tableOf returns the table whose rows a noun means.
func (a *anatomy) tableOf(p *part) string {
	if t := a.lexicon.Table(p.text); t != "" {
		return t
	}
	for _, english := range germanNoun(p.low) {
		if t := a.lexicon.Table(english); t != "" {
			return t
		}
	}
	for _, ending := range caseEndings[1:7] { // "Aufträge" of auftrag
		if stem, ok := strings.CutSuffix(p.low, ending); ok && a.language != English && capital(p.text) && len(stem) >= shortestHead {
			if t := a.lexicon.Table(stem); t != "" {
				return t
			}
		}
	}
	return ""
}

// longestPhrase is the largest number of words of a name of the warehouse.
const longestPhrase = 3

// look finds what the phrase that begins at a part names in the table: the longest one first.
func (a *anatomy) look(i int) {
	p := &a.all[i]
	if q := p.quotation(); q != "" {
		p.valueOf, p.value = a.lexicon.Value(a.identity, q)
		p.length = 1
		return
	}
	if !p.isWord || p.kind != unknownPart || i > 0 && a.all[i-1].length > 1 {
		return
	}
	whole := p.low == "everything" || p.low == "alles"
	p.rows = p.is(rowsWord) || whole && i+1 < len(a.all) && (a.all[i+1].is(jointWord) || i > 0 && a.all[i-1].low == "over" && tableLeads(a.all[i+1].low)) || (!p.is(glueWord) || a.object(i)) && a.tableOf(p) == a.identity || a.ownRows(p) || a.headOf(p) || a.among(i) || a.spelledOut(i) || a.phrased(i) || i > 0 && a.phrased(i-1)
	if a.phrased(i) && a.lexicon.Table(p.text) == "" {
		p.length = 1
		return // "slope reports", of which slope is a column
	}
	if p.is(regularWord) && i+1 < len(a.all) && a.all[i+1].class == 0 && a.all[i+1].isWord && a.all[i+1].kind == unknownPart {
		if column := a.lexicon.Column(a.identity, p.text+" "+a.all[i+1].text); column != "" {
			p.names = names{length: 2, column: column} // "monthly fee"
			return
		}
	}
	if !a.open(i) { // a word of a closed class is a value beside its column: "the pro plan"
		for _, beside := range []int{i - 1, i + 1} {
			if beside < 0 || beside >= len(a.all) || !a.all[beside].isWord {
				continue
			}
			if column, value := a.lexicon.Value(a.identity, p.text); column != "" && a.lexicon.Column(a.identity, a.all[beside].text) == column {
				p.names = names{length: 1, rows: p.rows, valueOf: column, value: value}
			}
		}
		if column, value := a.lexicon.Value(a.identity, p.text); column != "" && (a.listed(i, column) || a.describes(i) || a.comparedWith(i, column)) {
			p.names = names{length: 1, rows: p.rows, valueOf: column, value: value}
		} else if flag := a.lexicon.Flag(a.identity, p.text); flag != "" && a.describes(i) {
			p.names = names{length: 1, rows: p.rows, flag: flag}
		}
		return
	}
	p.length = 1
	for n := min(longestPhrase, len(a.all)-i); n > 0; n-- {
		words := p.text
		if n > 1 {
			if slices.ContainsFunc(a.all[i:i+n], func(p part) bool { return !p.isWord || p.kind != unknownPart || p.class != 0 }) && !a.closes(i, i+n) {
				continue
			}
			if words += " " + a.all[i+1].text; n > 2 {
				words += " " + a.all[i+2].text
			}
		}
		found := names{length: n, column: a.lexicon.Column(a.identity, words), rows: p.rows}
		found.valueOf, found.value = a.value(words)
		if found.column == "" && found.valueOf == "" {
			found.flag = a.flagOf(words)
		} else if a.lexicon.Flag(a.identity, words) == found.column {
			found.flag = found.column
		}
		if found.column != "" || found.valueOf != "" || found.flag != "" {
			p.names = found
			return
		}
	}
}

// ownRows reports whether an English plural is what the name of the table ends with: "runs" of CrusherRun.
func (a *anatomy) ownRows(p *part) bool {
	_, last := cutLastWord(base(a.identity))
	return a.language != German && p.class == 0 && len(last) > 2 && p.low == last+"s" && a.lexicon.Table(p.text) == "" && a.lexicon.Column(a.identity, p.text) == ""
}

// headOf reports whether a German noun is what the name of the table ends with, "Tests" of sehtest, or nearly both of its words.
func (a *anatomy) headOf(p *part) bool {
	if a.language != German || p.class != 0 || !capital(p.text) || a.lexicon.Table(p.text) != "" || a.lexicon.Column(a.identity, p.text) != "" {
		return false
	}
	if tail, first := compoundOf(p.low), strings.Split(base(a.identity), "_"); tail != "" && len(first) == 2 && slices.Contains(germanNoun(tail), first[1]) &&
		len(first[0]) > shortestHead && strings.HasPrefix(p.low, first[0][:shortestHead+1]) {
		return true // "Reparaturaufträge" in repair_order
	}
	return slices.ContainsFunc(caseEndings, func(ending string) bool {
		stem, ok := strings.CutSuffix(p.low, ending)
		if ok && ending != "" {
			stem = unmarked(stem) // "Verträge" of mietvertrag
		}
		return ok && len(stem) > shortestHead && len(base(a.identity))-len(stem) >= shortestHead && strings.HasSuffix(base(a.identity), stem)
	})
}

// phrased reports whether a part and the next one name the table together: "order lines".
func (a *anatomy) phrased(i int) bool {
	if i+1 >= len(a.all) || !a.all[i].isWord || !a.all[i+1].isWord || a.all[i].kind != unknownPart {
		return false
	}
	first, last := cutLastWord(base(a.identity))
	return a.lexicon.Table(a.all[i].text+" "+a.all[i+1].text) == a.identity || shortens(first, a.all[i].low) && last == singular(a.all[i+1].low) // "vessel calls" in vsl_call
}

// closes reports whether words are a name with a word of a closed class at its end, behind which no word goes on: "kegs out
// minus kegs back".
func (a *anatomy) closes(from, to int) bool {
	for i := from; i < to; i++ {
		if p := &a.all[i]; !p.isWord || p.kind != unknownPart || i < to-1 && p.class != 0 || i == to-1 && !p.is(glueWord) {
			return false
		}
	}
	return to == len(a.all) || a.all[to].sign() || operators(a.all[to].low) != "" || a.all[to].is(andWord)
}

// joins reports whether a part stands between the values of a list.
func (p *part) joins() bool {
	return p.is(andWord|orWord) && p.low != "noch" || p.text == "," || p.text == "/"
}

// describes reports whether a word of a closed class stands before the rows as an adjective: "worked shifts", "support tickets".
func (a *anatomy) describes(i int) bool {
	if !a.mayBeValue(&a.all[i]) {
		return false
	}
	for i++; i < len(a.all) && a.all[i].isWord; i++ {
		p := &a.all[i]
		if a.tableOf(p) == a.identity || p.is(rowsWord) {
			return true
		}
		if of, _ := a.lexicon.Value(a.identity, p.text); of == "" && a.lexicon.Flag(a.identity, p.text) == "" && !p.is(andWord|orWord) {
			return false
		}
	}
	return false
}

// place completes a formula with its table and its conditions. Whose rows are counted is not certain where only a noun
// says it, so that the noun is kept.
func (a *anatomy) place(f *Formula) {
	f.Where = a.where
	if a.noun && f.Aggregate == "count" && f.Divisor == nil {
		f.Of = base(a.identity)
		return
	}
	if a.resembles(f) && !strings.Contains(f.Expr, ".") {
		return
	}
	f.Table = a.table
	if f.Divisor != nil {
		f.Divisor.Table = a.table
	}
}

// known reports whether a part has a meaning for the number.
func (p *part) known() bool {
	return p.column != "" || p.valueOf != "" || p.flag != "" || p.rows || p.number() || p.quotation() != "" ||
		p.is(calculationWord|leaveWord|leftWord|notWord|onlyWord|timeWord|greaterWord|lessWord) && !p.is(regularWord) || doubtful(p.low)
}

// clausesOf yields the clauses between signs: the parts from and up to.
func (a *anatomy) clausesOf(yield func(from, to int) bool) {
	from := 0
	for i := 0; i <= len(a.all); i++ {
		if i < len(a.all) && !a.all[i].sign() {
			continue
		}
		if i > from && !yield(from, i) {
			return
		}
		from = i + 1
	}
}

// unread returns the words that are not understood, and a value in the name that no condition has.
func (a *anatomy) unread(f *Formula) string {
	var left []string
	if a.declined {
		left = append(left, a.subject)
	}
	columns := strings.FieldsFunc(strings.ToLower(f.Of+" "+f.Expr), func(r rune) bool { return !unicode.IsLetter(r) })
	unsaid := func(p *part) bool {
		return p.valueOf != "" && !slices.Contains(columns, p.low) && // "premium" of gross_premium
			!strings.Contains(f.Expr, textLiteral(p.value)) && !slices.ContainsFunc(a.where, func(c Condition) bool {
			return strings.Contains(c.Text, "'"+p.value+"'") || strings.Contains(c.Text, " IN (")
		})
	}
	apart := true // the name stands above
	for i := range a.all {
		p := &a.all[i]
		if p.kind == namePart && p.valueOf == "" && p.is(regularWord) {
			p.valueOf, p.value = a.lexicon.Value(a.identity, p.text) // "day fares"
		}
		denied := i > 0 && p.kind == namePart && a.all[i-1].kind == namePart && a.all[i-1].is(notWord) && slices.ContainsFunc(a.where, func(c Condition) bool {
			return !c.Excluded && (p.valueOf != "" && c.Text == p.valueOf+" = "+textLiteral(p.value) || p.flag != "" && (c.Text == p.flag || c.Text == p.flag+" = true"))
		}) // "not paid orders" where status = 'paid'
		back := denied || i > 0 && p.rows && p.kind != namePart && len(a.where) == 0 && pointing(a.all[i-1].low) // "die Anzahl dieser Zeilen"
		if apart = apart && p.kind != namePart; p.kind == unknownPart || p.kind == namePart && unsaid(p) || back {
			left = append(left, p.text)
		}
	}
	if apart {
		left = append(left, a.untold(unsaid)...)
	}
	return strings.Join(left, " ")
}
