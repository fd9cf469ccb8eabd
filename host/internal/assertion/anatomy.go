package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// Parts is the Rule of formulas that were read by the parts of their sentence.
const Parts = "parts"

// anatomy is a sentence by its parts. All of them must be understood: a name, one calculation over one table, the
// conditions on its rows, and words that say nothing about the number.
type anatomy struct {
	lexicon  Lexicon
	language Language
	all      []part
	// table as the sentence writes it, and its identity.
	table, identity string
	subject         string
	// where are the conditions in their order.
	where []Condition
}

// dissected reads a sentence with a name and a calculation by its parts, in whatever order they are.
// Shape: what is not understood is the statement's Unread, and makes it a question.
func (r *reader) dissected(s *sentence, words string) (Statement, bool) {
	if r.o.Lexicon == nil || len(r.doc.Statements) == maxStatements || len(words) > longestSentence || code().MatchString(words) {
		return Statement{}, false
	}
	a := &anatomy{lexicon: r.o.Lexicon, language: s.language, all: parted(unaccompanied(words))}
	if !a.findTable() || !a.findName(r.spokenOf(s)) || !a.conditions() {
		return Statement{}, false
	}
	a.classify()
	f := a.formula()
	if f == nil || a.subject == "" || !nominal(a.subject) || talks(a.subject) {
		return Statement{}, false
	}
	f.Table, f.Where = a.table, a.where
	if f.Divisor != nil {
		f.Divisor.Table = a.table
	}
	st := Statement{Attribute: FormulaOf, Rule: Parts, Subject: a.subject, Value: clean(words), Formula: f, Unread: a.unread()}
	return st, true
}

// code is a sign of a query, whose words are no prose.
var code = text.Pattern(`(?i)\bfilter\s*\(|\bselect\b|\bcase\s+when\b|\bgroup\s+by\b|\bover\s*\(|\bjoin\b|\bhaving\s+(?:sum|count|avg|min|max)\b|\(tables?\b|[{}]`)

// findTable marks the one table that a sentence names; false = it names none or several, or something with a dot that is
// neither a table nor a column.
func (a *anatomy) findTable() bool {
	claim := func(p *part, written, identity string) bool {
		if a.identity != "" && a.identity != identity {
			return false
		}
		if a.identity == "" {
			a.table, a.identity = written, identity
		}
		return true
	}
	for i := range a.all {
		p := &a.all[i]
		at := strings.LastIndexByte(p.text, '.')
		if at <= 0 || !p.word() || p.low == "i.e" || p.low == "e.g" || p.low == "d.h" {
			continue
		}
		if t := a.lexicon.Table(p.text); t != "" {
			p.kind = tablePart
			if !claim(p, p.text, t) {
				return false
			}
			continue
		}
		t := a.lexicon.Table(p.text[:at])
		if t == "" || !claim(p, p.text[:at], t) {
			return false
		}
		if p.kind, p.as = columnPart, a.lexicon.Column(t, p.text[at+1:]); p.as == "" {
			return false
		}
	}
	for i := 1; i < len(a.all) && a.identity == ""; i++ {
		p := &a.all[i]
		if t := a.lexicon.Table(p.text); t != "" && p.word() && tableLeads(a.all[i-1].low) {
			p.kind, a.table, a.identity = tablePart, p.text, t
		}
	}
	return a.identity != ""
}

// linkWords end the subject of a sentence.
var linkWords = text.Words(`is are means equals counts sums adds totals averages covers should must can will shall : = – — ist sind wird werden bedeutet entspricht ergibt gilt zählt zählen umfasst berechnet errechnet`)

// findName marks the name: a quotation, what follows a word of naming, the subject of the sentence, else the only
// part that is not known. it is what "it" means.
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
	for i := range a.all {
		counts := i > 0 && a.all[i].low == "als" && (a.all[i-1].low == "gilt" || a.all[i-1].low == "gelten")
		wanted := wantingWords(a.all[i].low) && slices.ContainsFunc(a.all[i:], func(p part) bool { return p.low == "which" })
		if (namingWords(a.all[i].low) || counts || wanted) && a.nameAfter(i+1) {
			return true
		}
	}
	if end := slices.IndexFunc(a.all, func(p part) bool { return linkWords(p.low) }); end > 0 && a.nameIn(0, end, it) {
		return true
	}
	return a.nameAlone()
}

// wantingWords stand before a name that a relative clause defines: "logistics needs paid parcels, which is …".
var wantingWords = text.Words("needs need wants want reports report shows show tracks track watches watch uses use sees see quotes quote asks")

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
}

// nameAfter takes the words from a part to the next sign or the end as the name, if one of them is not known.
func (a *anatomy) nameAfter(from int) bool {
	for from < len(a.all) && a.glue(from) {
		from++
	}
	to := from
	for to < len(a.all) && a.all[to].word() && a.all[to].kind == unknownPart && !(to > from && (a.computes(to) || articles(a.all[to].low))) {
		to++
	}
	for to > from && a.glue(to-1) && !nouns(a.all[to-1].low) {
		to--
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
		if it == "" || a.all[from].low != "it" && a.all[from].low != "es" && a.all[from].low != "this" && a.all[from].low != "das" && a.all[from].low != "sie" && a.all[from].low != "er" {
			return false
		}
		a.all[from].kind, a.subject = gluePart, it
		return true
	}
	for from < to && a.glue(from) {
		from++
	}
	for to > from+1 && a.glue(to-1) && !nouns(a.all[to-1].low) {
		to--
	}
	if from == to || to-from > longestName {
		return false
	}
	a.take(from, to)
	return true
}

// nameAlone takes the only run of words that are not known as the name.
func (a *anatomy) nameAlone() bool {
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
	if !a.introduced(from, to) {
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

// glue reports whether a part says nothing about a number.
func (a *anatomy) glue(i int) bool {
	p := &a.all[i]
	if p.kind == unknownPart && glueWords(p.low) {
		column, _ := a.value(i)
		return column == ""
	}
	return p.kind == gluePart
}

// computes reports whether a part is a word of a calculation.
func (a *anatomy) computes(i int) bool {
	low := a.all[i].low
	for _, of := range aggregateWords {
		if of(low) {
			return true
		}
	}
	return countWords(low) || distinctWords(low) || shareWords(low) || divisionWords(low) || byWords(low) || onceWords(low) || orWords(low) ||
		negatingWords(low) || excludedWords(low) || includedWords(low)
}

func (a *anatomy) isColumn(i int) bool {
	return a.all[i].kind == columnPart || a.all[i].word() && a.lexicon.Column(a.identity, a.all[i].text) != ""
}

func (a *anatomy) isRows(i int) bool {
	return anyRows(a.all[i].low) || rowsOf(a.all[i].low, a.identity)
}

// value returns the comparison that a part stands for by itself; "" = it is no value.
func (a *anatomy) value(i int) (column, comparison string) {
	p := &a.all[i]
	words := p.quotation()
	if words == "" {
		if !p.word() || a.language == German && p.low == "pro" {
			return "", ""
		}
		words = p.text
	}
	column, value := a.lexicon.Value(a.identity, words)
	if column == "" {
		return "", ""
	}
	return column, column + " = '" + strings.ReplaceAll(value, "'", "''") + "'"
}

// strange reports whether there is a word that is not known between two parts.
func (a *anatomy) strange(from, to int) bool {
	for i := from; i < to; i++ {
		p := &a.all[i]
		if p.kind != unknownPart || !p.word() || glueWords(p.low) || a.computes(i) || a.isColumn(i) || a.isRows(i) {
			continue
		}
		if column, _ := a.value(i); column == "" {
			return true
		}
	}
	return false
}

// repeats reports whether a part is a value of a condition that the sentence has in full.
func (a *anatomy) repeats(i int) bool {
	_, comparison := a.value(i)
	return comparison != "" && a.all[i].kind == unknownPart && slices.ContainsFunc(a.where, func(c Condition) bool { return c.Text == comparison && !c.Excluded })
}

// unread returns the words that are not understood, and a value in the name that no condition has.
func (a *anatomy) unread() string {
	var left []string
	for i := range a.all {
		p := &a.all[i]
		switch p.kind {
		case unknownPart:
			if i > 0 && a.repeats(i-1) && !(i+1 < len(a.all) && a.all[i+1].kind == unknownPart && a.all[i+1].word()) {
				continue // "active contracts, i.e. status = 'active'"
			}
			if _, comparison := a.value(i); comparison == "" || !slices.ContainsFunc(a.where, func(c Condition) bool { return c.Text == comparison && !c.Excluded }) {
				left = append(left, p.text) // not a condition that is said twice
			}
		case namePart:
			_, comparison := a.value(i)
			if comparison != "" && !slices.ContainsFunc(a.where, func(c Condition) bool {
				return strings.Contains(c.Text, comparison) || strings.Contains(c.Text, " IN (")
			}) {
				left = append(left, p.text)
			}
		}
	}
	return strings.Join(left, " ")
}
