package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// deriving are German verbs of computing between their object and "man" or "wir".
var deriving = text.Words("erhält erhalten bekommt bekommen rechnen rechnet berechnen berechnet errechnen errechnet ermitteln ermittelt bestimmen bestimmt definieren definiert bilden bildet")

// computed returns the name between a verb of computing and how: "compute seat income by …", "derive lost contracts from …".
// What somebody should compute is not computed so.
func (a *anatomy) computed(verb int) (frame, bool) {
	if slices.ContainsFunc(a.all[:verb], func(p part) bool { return p.is(barWord) && p.low != "can" && p.low != "must" }) {
		return frame{}, false
	}
	from := verb + 1
	for from < len(a.all) && (a.all[from].is(articleWord) || a.all[from].ours()) {
		from++
	}
	to := from
	for to < len(a.all) && a.all[to].isWord && (!a.all[to].is(glueWord) || to == from && a.participle(to) || to > from && a.all[to].is(nounWord)) {
		to++
	}
	if from == to || to == len(a.all) || !a.named(from, to) {
		return frame{}, false
	}
	end := &a.all[to]
	return frame{from: from, to: to}, end.low == "by" || end.low == "from" || end.low == "as" || a.all[verb].low == "get" && (end.is(pronounWord) || end.text == "," && a.operation(to+1))
}

// operation reports whether a part is a verb of computing that somebody is told to do: "To get turnover, multiply …".
func (a *anatomy) operation(i int) bool {
	return i < len(a.all) && (a.all[i].is(divideWord|sumWord|countWord) || multiplies(a.all[i].low) || strings.HasPrefix(a.all[i].low, "subtract"))
}

// participle reports whether a verb of saying begins a name: "booked money".
func (a *anatomy) participle(i int) bool {
	return a.all[i].is(sayWord) && strings.HasSuffix(a.all[i].low, "ed") && i > 0 && a.all[i-1].is(glueWord) && !a.all[i-1].is(pronounWord&^articleWord|speakerWord)
}

// spokenOf returns the only name of the clause before a sign, if the clause behind it says what "it" is: "we look at refunded
// value a lot; it is …", "… is the typical order; by that we mean …".
func (a *anatomy) spokenOf(sign int) (frame, bool) {
	at := sign + 1
	if at < len(a.all) && a.all[at].low == "by" {
		at++
	}
	if at+1 >= len(a.all) || a.all[at].low != "it" && a.all[at].low != "that" && a.all[at].low != "that's" {
		return frame{}, false
	}
	if a.all[at].low != "that's" && !a.all[at+1].is(linkWord|pronounWord) {
		return frame{}, false
	}
	names := a.namesBefore(sign)
	if len(names) != 1 {
		return frame{}, false
	}
	f := names[0]
	for i := f.to; i <= at; i++ {
		if p := &a.all[i]; p.is(timeWord|regularWord) || i == at {
			f.aside = append(f.aside, i) // "… yesterday: that's …"
		}
	}
	return f, true
}

// unquoted returns the end of a clause without who says its name behind it: "the refunds total we quote externally equals …".
func (a *anatomy) unquoted(to int) int {
	for verb := to - 1; verb > 1 && a.all[verb].is(glueWord); verb-- {
		if a.all[verb].is(sayWord) && a.all[verb-1].is(pronounWord) && !a.all[verb-1].is(articleWord) && a.all[verb-2].isWord && !a.all[verb-2].is(glueWord) {
			return verb - 1
		}
	}
	return to
}

// namesBefore returns the phrases before a part that may be names.
func (a *anatomy) namesBefore(part int) (all []frame) {
	for to := part; to > 0; to-- {
		from := a.run(0, to)
		if from > 0 && from < to && a.participle(from-1) {
			from--
		}
		if from < to && a.named(from, to) && !(to-from == 1 && a.all[from].is(regularWord)) {
			all = append(all, frame{from: from, to: to})
			to = from + 1
		}
	}
	slices.Reverse(all)
	return all
}

// guessed reads a sentence with a calculation of which the name, or a word around it, is not understood, so that somebody is
// asked: the name is the first phrase before it. A name of the warehouse has to stand in it.
func (r *reader) guessed(s *sentence, words string) (Statement, bool) {
	if r.o.Lexicon == nil || len(words) > longestSentence || codeSign(words) {
		return Statement{}, false
	}
	a := &anatomy{lexicon: r.o.Lexicon, language: s.language, all: r.parts(words), around: r.doc.Text}
	found := a.findTable() || a.findNoun(func() string { return "" })
	start := len(a.all) - 1
	for start > 0 && !a.all[start].is(aggregateWord|countWord|distinctWord|shareWord|divideWord) && !strings.HasSuffix(a.all[start].text[1:], ")") {
		start--
	}
	ends := func(p *part) bool { return !p.isWord || p.is(glueWord|notWord) || verbs(p.low) }
	to := 0
	for to < start && (ends(&a.all[to]) || a.all[to].is(sumWord)) {
		to++
	}
	from := to
	for to < start && !ends(&a.all[to]) {
		to++
	}
	for i := range a.all {
		if found {
			a.look(i)
		}
	}
	written := coded(words) || found && !a.noun
	known := func(p part) bool { return p.class == 0 && p.isWord && r.o.Known != nil && r.o.Known(p.text) }
	if from >= to || !written && !(a.all[to].is(linkWord) && (a.calculatesAt(to+1) || !a.all[to].isWord && a.apposes(to+1) && slices.ContainsFunc(a.all[to:], known))) {
		return Statement{}, false
	}
	b := *a
	b.all = slices.Clone(a.all)
	st, ok := b.read(&frame{from: from, to: to})
	if !ok {
		a.name(&frame{from: from, to: to})
		st = Statement{Attribute: FormulaOf, Rule: Parts, Subject: a.subject, Formula: &Formula{}, Unread: a.unread(&Formula{})}
	}
	if st.Unread == "" {
		st.Unread = st.Subject
	}
	st.Value = clean(words)
	first := &a.all[from]
	return st, nominal(st.Subject) && !(to-from == 1 && (first.rows || first.column != "" || a.tableOf(first) != "" || strings.Contains(first.text, ".")))
}

// coded reports whether a text has a name as code has it, or a comparison with a value.
func coded(s string) bool { return identifier(s) || strings.Contains(s, "= '") }

// calculatesAt reports whether a calculation over the warehouse begins at a part: "the share of orders …", "hours times wage".
func (a *anatomy) calculatesAt(i int) bool {
	begins := a.apposes(i) || i+1 < len(a.all) && (a.all[i].column != "" || operators(a.all[i+1].low) != "")
	return begins && (a.identity != "" || slices.ContainsFunc(a.all, func(p part) bool { return a.tableOf(&p) != "" }))
}
