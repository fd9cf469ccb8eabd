package assertion

import (
	"slices"
	"strings"
)

// glosses reads what stands in parentheses behind a noun and says what it is in the warehouse: a column, "das Gewicht
// (weight_kg)", or the table, "Gepäckstücke (Tabelle bag)". The noun means it wherever else it stands.
func (a *anatomy) glosses() {
	for i := 1; i < len(a.all); i++ {
		if a.all[i].text != "(" || a.all[i].kind != unknownPart {
			continue
		}
		at, to := i+1, i+1
		for to < len(a.all) && a.all[to].text != ")" && to < i+6 {
			if a.all[to].column != "" || a.all[to].kind == tablePart || a.all[to].kind == columnPart {
				at = to
			}
			to++
		}
		ends := a.all[i-1].kind == namePart || to == len(a.all)-1
		if a.unit(i, to) || to == i+2 && ends && a.sameUnit(i+1) || to < len(a.all) && ends && a.tableAndUnit(i+1, to) {
			for j := i; j <= to; j++ {
				a.all[j].kind = gluePart
			}
			continue
		}
		if to >= len(a.all) || a.all[to].text != ")" || at == to || slices.ContainsFunc(a.all[i+1:at], func(p part) bool { return !p.is(glueWord) }) ||
			at+max(1, a.all[at].length) != to {
			continue
		}
		a.gloss(i, at, to)
	}
}

// unit reports whether parentheses say only what one value of a factor is per: "(area_m2 is per piece)".
func (a *anatomy) unit(open, end int) bool {
	return end < len(a.all) && end == open+5 && a.all[open+1].column != "" && (a.all[open+2].is(linkWord) || a.all[open+2].low == "gilt") && a.all[open+3].is(perWord) && !a.all[open+4].known() && a.all[open+4].class == 0 &&
		slices.ContainsFunc(a.all[:open], func(p part) bool { return p.column == a.all[open+1].column }) && slices.ContainsFunc(a.all[:open], func(p part) bool { return multiplies(p.low) || operators(p.low) == "*" })
}

// tableAndUnit reports whether parentheses have the table and the unit of a number: "Margin (shop.part, in EUR)".
func (a *anatomy) tableAndUnit(from, to int) bool {
	return to >= from+3 && to <= from+4 && a.all[from].kind == tablePart && a.all[from+1].text == "," && (to == from+3 || a.all[from+2].low == "in") && a.sameUnit(to-1)
}

// sameUnit reports whether a part is the unit that the columns of the sentence have: "Net intake (kg)", of gross_kg and tare_kg, or a
// currency, where neither a column nor the rows have another one.
func (a *anatomy) sameUnit(i int) bool {
	p := &a.all[i]
	said, known := units()[p.low]
	money := currencyCode(p.low)
	if !known || p.valueOf != "" || p.flag != "" {
		return false
	}
	same := money
	for j := range a.all {
		if a.all[j].column == "" {
			continue
		}
		of, ok := units()[lastWord(a.all[j].column)]
		if ok && of.base != "percent" && (money || of != said) {
			return false
		}
		same = same || spelledIn(a.all[j].column, p.low)
	}
	return same && !(money && slices.ContainsFunc([]string{"currency", "currency_code", "waehrung", "währung"}, func(name string) bool { return a.lexicon.Column(a.identity, name) != "" }))
}

// currencyCode reports whether a word is a currency.
func currencyCode(low string) bool {
	switch units()[low].base {
	case "eur", "usd", "gbp", "jpy", "chf":
		return true
	}
	return false
}

// rephrase marks a clause that says a quotient in words, each of which is in the columns of its side: "sum(expl_kg) / sum(rock_t),
// i.e. kg of explosive per tonne of rock".
func (a *anatomy) rephrase() {
	for from, to := range a.clausesOf {
		per := from + slices.IndexFunc(a.all[from:to], func(p part) bool { return p.is(perWord) })
		cut := slices.IndexFunc(a.all[:from], func(p part) bool { return p.text == "/" || p.is(divideWord) || p.low == "durch" })
		begins := a.all[from].low == "i.e" || a.all[from].low == "d.h" || a.all[from].low == "sprich" || from > 0 && a.all[from-1].text == "("
		if per <= from || per == to-1 || cut < 0 || !begins || !a.said(from, per, a.all[:cut]) || !a.said(per+1, to, a.all[cut:from]) {
			continue
		}
		for i := from; i < to; i++ {
			a.all[i].kind = gluePart
		}
	}
}

// said reports whether each word of a clause is glue, or in a name of some parts.
func (a *anatomy) said(from, to int, names []part) bool {
	any := false
	for i := from; i < to; i++ {
		p := &a.all[i]
		if !p.isWord || p.is(glueWord) && !p.is(onlyWord|allWord|timeWord) && p.column == "" {
			continue
		}
		any = slices.ContainsFunc(names, func(o part) bool {
			return slices.ContainsFunc(strings.FieldsFunc(o.text, func(r rune) bool { return r == '(' || r == ')' || r == ' ' }), func(name string) bool { return spelledIn(name, p.low) })
		})
		if !any {
			return false
		}
	}
	return any
}

// glossedNouns is the largest number of words that a name in parentheses explains.
const glossedNouns = 2

// gloss has the name at a part, in the parentheses from open to end, explain the noun before them.
func (a *anatomy) gloss(open, at, end int) {
	name := a.all[at]
	if name.flag != "" && name.column == name.flag { // "charter flights (is_charter)" is a condition
		return
	}
	table := name.kind == tablePart || name.column == "" || a.tableOf(&name) == a.identity && !a.explains(open, &name)
	from := open
	for from > 0 && open-from < glossedNouns {
		p := &a.all[from-1]
		if !p.isWord || p.kind != unknownPart || p.class&^nounWord != 0 && !(p.rows && table) || p.known() && !(p.rows && table) && p.column != name.column {
			break
		}
		from--
	}
	if open-from > 1 && !table && !a.spells(&a.all[from], name.column) {
		from = open - 1 // an adjective of which the column has nothing restricts
	}
	if from == open || table && open-from > 1 || table && compoundOf(a.all[from].low) != "" && !strings.Contains(base(a.identity), "_") {
		return
	}
	noun := a.all[open-1].low
	for i := from; i <= end; i++ {
		if i != at && !(i > at && i < end) {
			a.all[i].kind, a.all[i].glossed = gluePart, true
		}
	}
	if table {
		a.all[at].kind, a.all[at].glossed = gluePart, true
		if from > 0 && a.all[from-1].is(allWord) { // "/ all jobs (fab.printjob)"
			a.all[from].kind, a.all[from].rows = unknownPart, true
		}
	}
	for i := range a.all {
		p := &a.all[i]
		if p.low != noun || p.kind != unknownPart || p.known() || i+1 < len(a.all) && a.all[i+1].text == "(" {
			continue
		}
		if table {
			p.rows = true
		} else {
			p.column, p.length = name.column, 1
		}
	}
}

// spells reports whether a column has an adjective in its name: "verlorene Teile (lost_pieces)".
func (a *anatomy) spells(p *part, column string) bool {
	word := p.low
	if english := states()[uninflected(word)]; english != "" {
		word = english
	}
	return slices.Contains(strings.Split(column, "_"), word)
}

// explains reports whether a column stands behind a noun for a value, and not for the rows: "Gewicht (weight)".
func (a *anatomy) explains(open int, name *part) bool {
	return a.all[open-1].column == name.column || slices.ContainsFunc(a.all[max(0, open-3):open-1], func(p part) bool { return p.is(aggregateWord) })
}
