package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// split takes German compounds of a name and a noun for its rows or values apart: "amount-Werte", "subscription-Zeilen".
func split(all []part) []part {
	out := make([]part, 0, len(all))
	for _, p := range all {
		at := strings.LastIndexByte(p.text, '-')
		if at <= 0 || at == len(p.text)-1 || !p.word() || !compounding(p.low[at+1:]) {
			out = append(out, p)
			continue
		}
		head, tail := p, p
		head.text, head.low, head.to = p.text[:at], p.low[:at], p.from+at
		tail.text, tail.low, tail.from = p.text[at+1:], p.low[at+1:], p.from+at+1
		out = append(out, head, tail)
	}
	return out
}

var compounding = text.Words("summe durchschnitt werte wert beträge betrag zeilen zeile datensätze einträge spalte feld tabelle status values value rows records entries column table")

// clauseEnds yields the clauses between signs: the parts from and up to.
func (a *anatomy) clausesOf(yield func(from, to int) bool) {
	from := 0
	for i := 0; i <= len(a.all); i++ {
		if i < len(a.all) && !a.boundary(i) {
			continue
		}
		if i > from && !yield(from, i) {
			return
		}
		from = i + 1
	}
}

// boundary reports whether a part is a sign between clauses.
func (a *anatomy) boundary(i int) bool {
	p := &a.all[i]
	return !p.word() && p.quotation() == "" && strings.Contains(",;:()–—", p.text)
}

// concede marks clauses that say what makes no difference: "no matter how many orders they place", "auch wenn er mehrfach
// bestellt".
func (a *anatomy) concede() {
	for from, to := range a.clausesOf {
		words := make([]string, 0, 3)
		for i := from; i < min(to, from+3); i++ {
			words = append(words, a.all[i].low)
		}
		switch begin := strings.Join(words, " "); {
		case strings.HasPrefix(begin, "no matter"), strings.HasPrefix(begin, "regardless of"), strings.HasPrefix(begin, "irrespective of"), strings.HasPrefix(begin, "even if"),
			strings.HasPrefix(begin, "auch wenn"), strings.HasPrefix(begin, "egal "), strings.HasPrefix(begin, "unabhängig von"), strings.HasPrefix(begin, "unabhängig davon"):
			for i := from; i < to; i++ {
				a.all[i].kind = gluePart
			}
		}
	}
}

// passOver marks clauses without a meaning for the number: who looks at it, where it is shown, why it is so. A word that
// may restrict, negate or compare keeps its clause.
func (a *anatomy) passOver() {
	for from, to := range a.clausesOf {
		if !a.idle(from, to) {
			continue
		}
		first := a.all[from].low
		if conjunction(first) && from+1 < to {
			first = a.all[from+1].low
		}
		next := ""
		if to+1 < len(a.all) {
			next = a.all[to+1].low
		}
		shown := slices.ContainsFunc(a.all[from:to], func(p part) bool { return venueNoun(p.low) }) && leadingWords(first)
		looked := slices.ContainsFunc(a.all[from:to], func(p part) bool { return showingWords(p.low) })
		if !reasonWords(first) && !shown && !looked && !consequence(next) && !a.praises(from, to) {
			continue
		}
		for i := from; i < to; i++ {
			if a.all[i].kind == unknownPart {
				a.all[i].kind = gluePart
			}
		}
	}
}

// idle reports whether no word of a clause has a meaning for the number.
func (a *anatomy) idle(from, to int) bool {
	for i := from; i < to; i++ {
		switch p := &a.all[i]; {
		case p.kind == gluePart || p.kind == namePart:
		case p.kind != unknownPart || p.quotation() != "" || p.number() || a.means(i):
			return false
		case periodic(p.low) && !regular(p.low):
			return false
		}
	}
	return true
}

// praises reports whether a clause says what a number is for somebody: "is our north star", "ist unsere Steuerungsgröße".
func (a *anatomy) praises(from, to int) bool {
	for i := from; i+1 < to; i++ {
		low := a.all[i].low
		if (low == "is" || low == "are" || low == "ist" || low == "sind") && (owned(a.all[i+1].low) || a.all[i+1].low == "unser") {
			return true
		}
	}
	return false
}

var (
	conjunction  = text.Words("and but und aber")
	reasonWords  = text.Words("because as since weil da denn damit so")
	leadingWords = text.Words("for in on at to from within under für im in auf am zum fürs bei aus")
	// showingWords are verbs of looking at a number.
	showingWords = text.Words(`goes go appear appears steht stehen erscheint erscheinen track tracks tracked report reports reported show shows shown review reviews reviewed discuss discusses discussed present presents presented publish publishes published
		watch watches watched monitor monitors monitored display displays displayed quote quotes quoted mail mails mailed send sends sent cite cites cited follow follows followed
		führen führt weisen weist berichten berichtet zeigen zeigt gezeigt verfolgen verfolgt beobachten beobachtet besprechen besprochen präsentieren präsentiert veröffentlicht verschickt ausgewiesen`)
	// venueNoun are where and for whom a number is shown.
	venueNoun = text.Words(`report reports reporting dashboard dashboards deck decks mail mails newsletter slides chart charts sheet spreadsheet page wiki overview review meeting meetings presentation summary letter memo pack update updates board management investors auditors
		side perspective view purposes point accounting bericht berichte berichts monatsbericht quartalsbericht jahresbericht wochenbericht dashboard übersicht auswertung folien sitzung runde meeting präsentation geschäftsleitung geschäftsführung vorstand controlling buchhaltung sicht zwecke`)
	// regular are the words of time that say how often a number is looked at.
	regular = text.Words("daily weekly monthly quarterly yearly täglich wöchentlich monatlich quartalsweise jährlich day week month quarter year tag woche monat quartal jahr")
)
