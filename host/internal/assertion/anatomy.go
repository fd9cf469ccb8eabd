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
	// skip is how many names are skipped, because with them the sentence is not understood.
	skip int
	// noun says that no name of the table stands in the sentence, but a noun for its rows, a column, or a heading above it.
	noun bool
	// where are the conditions in their order.
	where []Condition
}

// dissected reads a sentence with a name and a calculation by its parts, in whatever order they are.
// Shape: what is not understood is the statement's Unread, and makes it a question.
func (r *reader) dissected(s *sentence, words string) (Statement, bool) {
	if r.o.Lexicon == nil || len(r.doc.Statements) == maxStatements || len(words) > longestSentence || code().MatchString(words) {
		return Statement{}, false
	}
	var first Statement
	found := false
	all := split(parted(unaccompanied(words)))
	for skip := range mostNames {
		a := &anatomy{lexicon: r.o.Lexicon, language: s.language, all: slices.Clone(all), skip: skip}
		st, ok := a.read(r.spokenOf(s), func() string { return r.headed(s) })
		if ok && st.Unread == "" {
			st.Value = clean(words)
			return st, true
		}
		if ok && !found {
			first, found = st, true
		}
		if a.skip > 0 || a.identity == "" {
			break // there is no other name
		}
	}
	first.Value = clean(words)
	return first, found
}

// mostNames is how many parts of a sentence are tried as the name.
const mostNames = 4

// read reads the sentence with the first name that is not to be skipped. above returns the table that a heading names.
func (a *anatomy) read(it string, above func() string) (Statement, bool) {
	a.concede()
	if !(a.findTable() || a.findNoun(above)) || !a.findName(it) || !a.conditions() {
		return Statement{}, false
	}
	a.classify()
	a.passOver()
	if !a.namely() {
		return Statement{}, false
	}
	f := a.formula()
	if f == nil && a.numbersUnread() {
		f = a.formula()
	}
	if f == nil || a.impossible() || a.subject == "" || !nominal(a.subject) || talks(a.subject) {
		return Statement{}, false
	}
	a.place(f)
	return Statement{Attribute: FormulaOf, Rule: Parts, Subject: a.subject, Formula: f, Unread: a.unread()}, true
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

// findNoun takes the table from a column that no other table has, from a noun for its rows, or from above the sentence.
func (a *anatomy) findNoun(above func() string) bool {
	var owners, tables []string
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
		case !p.word() || glueWords(p.low) && !strings.Contains(p.text, "_") || p.low == "order" && i+1 < len(a.all) && a.all[i+1].low == "to":
			continue
		}
		add(&owners, a.lexicon.Owner(p.text))
		noun := p.text
		if english := rowNouns()[p.low]; english != "" {
			noun = english
		}
		add(&tables, a.lexicon.Table(noun))
	}
	if len(owners) == 0 && len(tables) == 0 {
		add(&tables, above())
	}
	switch {
	case len(owners) == 1:
		a.identity = owners[0]
	case len(owners) == 0 && len(tables) == 1:
		a.identity = tables[0]
	default:
		return false
	}
	a.table, a.noun = a.identity, true
	return true
}

// place completes a formula with its table and its conditions. Whose rows are counted is not certain where only a noun
// says it, so that the noun is kept.
func (a *anatomy) place(f *Formula) {
	f.Where = a.where
	if a.noun && f.Aggregate == "count" && f.Divisor == nil {
		f.Of = base(a.identity)
		return
	}
	f.Table = a.table
	if f.Divisor != nil {
		f.Divisor.Table = a.table
	}
}

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
		if !p.word() || a.language == German && p.low == "pro" && !(i > 0 && a.isColumn(i-1)) {
			return "", ""
		}
		words = p.text
	}
	column, value := a.lexicon.Value(a.identity, words)
	if column == "" && a.language == German {
		if english := states()[uninflected(p.low)]; english != "" {
			column, value = a.lexicon.Value(a.identity, english)
		}
	}
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
		if column, _ := a.value(i); column == "" && !a.counted(i) {
			return true
		}
	}
	return false
}

// counted reports whether a part is a thing that a column of the table refers to, whose different ones are counted: "distinct
// customers", "each customer is counted once".
func (a *anatomy) counted(i int) bool {
	if i == 0 || a.entity(&a.all[i]) == "" {
		return false
	}
	before := a.all[i-1].low
	return distinctWords(before) || eachWords(before) && slices.ContainsFunc(a.all, func(p part) bool { return onceWords(p.low) })
}

// repeats reports whether a part is a value of a condition that the sentence has in full.
func (a *anatomy) repeats(i int) bool {
	_, comparison := a.value(i)
	return comparison != "" && a.all[i].kind == unknownPart && slices.ContainsFunc(a.where, func(c Condition) bool { return c.Text == comparison && !c.Excluded })
}

// restates reports whether a part says in other words which rows the sentence leaves out in full: "net of refunds, i.e. without
// the orders whose status is refunded".
func (a *anatomy) restates(i int) bool {
	if a.all[i].low == "net" && i+2 < len(a.all) && a.all[i+1].low == "of" {
		i += 2
	}
	if i < 2 || len(a.all[i].low) < shortestStem || !(a.all[i-1].low == "of" && a.all[i-2].low == "net" || negatingWords(a.all[i-1].low) && a.all[i-1].kind == gluePart) {
		return false
	}
	return slices.ContainsFunc(a.where, func(c Condition) bool {
		_, value, _ := strings.Cut(c.Text, " = '")
		return c.Excluded && len(value) > shortestStem && strings.HasPrefix(a.all[i].low, value[:shortestStem])
	})
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
			if a.restates(i) {
				continue
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
