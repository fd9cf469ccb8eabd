package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// passOver marks clauses that say why something is so, what it is for us, or where somebody wants to see it. A word with a meaning for the number keeps
// its clause.
func (a *anatomy) passOver() {
	for from, to := range a.clausesOf {
		first := from
		if a.all[first].is(andWord) && first+1 < to {
			first++
		}
		a.restricted(from, to)
		if a.serves(from, to) || a.describesLeft(from, to) || from > 1 && a.all[from-1].text == "," && a.inUnit(from, to) {
			for i := from; i < to; i++ {
				a.all[i].kind = gluePart
			}
			continue
		}
		wished, idle, passed := false, true, a.all[first].is(reasonWord) && !(a.all[first].low == "so" && first+1 < to && claiming(a.all[first+1].low)) || a.remarks(from, to) || a.appears(from, to) || to+1 < len(a.all) && consequence(a.all[to+1].low)
		follows := from == 0 && to+1 < len(a.all) && (consequence(a.all[to+1].low) || a.all[to+1].low == "so") // "One ride carries one parcel, therefore lost parcels is …"
		for i := to + 1; follows && i < len(a.all) && a.all[i].kind != namePart; i++ {
			follows = !a.all[i].sign()
		}
		passed = passed || follows
		since := a.all[first].low == "since" && slices.ContainsFunc(a.all[first:to], func(p part) bool { return asking(p.low) }) &&
			!slices.ContainsFunc(a.all[first:to], func(p part) bool { return places(p.low) || topics(p.low) }) // "since ops asked again"
		for i := from; i < to; i++ {
			p := &a.all[i]
			idle = idle && (i == first && since || p.kind == gluePart || p.kind == namePart || (p.kind == unknownPart && !p.known() || follows && p.kind == rowsPart) && !disowning(p.low) && !tentative(p.low) && (!wished || showing().MatchString(p.low)))
			wished = wished || wishes(p.low) && i > from && i+1 < to && it(a.all[i+1].low) && !(i+2 < to && likeThis(a.all[i+2].low)) && (capital(a.all[i-1].text) || a.all[from].is(articleWord|pronounWord))
			passed = passed || wished || p.ours() && (i == from || a.all[i-1].is(linkWord))
		}
		for i := from; i < to && idle && passed; i++ {
			if a.all[i].kind == unknownPart || follows && a.all[i].kind == rowsPart {
				a.all[i].kind = gluePart
			}
		}
	}
}

// describesLeft reports whether a clause describes a value that the clause before leaves out: "excluding YouTube, which doesn't deliver the
// field".
func (a *anatomy) describesLeft(from, to int) bool {
	if from < 2 || a.all[from-1].text != "," || !relating(a.all[from].low) || a.all[from-2].where == 0 && a.all[from-2].kind != conditionPart {
		return false
	}
	c := a.all[from-2].where
	return c > 0 && c <= len(a.where) && a.where[c-1].Excluded && !slices.ContainsFunc(a.all[from+1:to], func(p part) bool {
		return p.known() && !p.is(notWord) || p.kind != unknownPart && p.kind != gluePart
	})
}

// inUnit reports whether a clause is the unit of the columns: "median of wait_sec, seconds", "…, Einheit kg".
func (a *anatomy) inUnit(from, to int) bool {
	return (&utterance{preamble: preamble{all: a.all[from:to]}}).unit() && !currencyCode(a.all[to-1].low) && a.sameUnit(to-1)
}

// restricted makes a word of a restriction one that is not understood in a lead, "only as reported: …", "for the massage deck: …",
// "by income they mean …",
// and beside rows of which no condition says which ones: "known ones only".
func (a *anatomy) restricted(from, to int) {
	var has [namePart + 1]bool
	for i := range a.all[from:to] {
		has[a.all[from+i].kind] = true
	}
	end := a.all[min(to, len(a.all)-1)].text
	leads := from == 0 && end == ":" && !has[namePart]
	bare := end != "(" && has[rowsPart] && !has[conditionPart] && !has[namePart] && !has[columnPart]
	needs := from > 0 && slices.ContainsFunc(a.all[from:to], func(p part) bool { return asking(p.low) }) // "; we need it for the refunded ones"
	ours := false                                                                                        // "When finance talks about gross revenue they mean …"
	for i := from; i < to; i++ {
		ours = ours || a.all[i].is(speakerWord)
		if p := &a.all[i]; p.is(onlyWord) && p.kind == gluePart && (leads || bare) || from == 0 && !ours && i+1 < to && theirs(p.low, a.all[i+1].low) || p.kind == conditionPart && (needs || leads && slices.ContainsFunc(a.all[from:i], func(p part) bool { return places(p.low) })) {
			p.kind = unknownPart
		}
	}
}

// serves reports whether a clause behind a calculation says only where the number is seen, or what somebody needs it for: "we need it to
// know how many torches to keep in stock".
func (a *anatomy) serves(from, to int) bool {
	before := from - 1
	for before > 0 && !a.all[before-1].sign() {
		before--
	}
	values, names := func(p *part) bool { return p.valueOf != "" || p.flag != "" }, func(p *part) bool { return p.column != "" || p.rows }
	return from > 1 && (a.all[from-1].text == "," || a.all[from-1].text == ";" || a.all[from-1].text == "–") && !slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.kind != unknownPart && p.kind != gluePart && p.low != "many" }) &&
		slices.ContainsFunc(a.all[:from], func(p part) bool { return p.is(aggregateWord|countWord) || p.kind == callPart }) &&
		(remark(a.all[from:to], values, names) || aimed(a.all[from:to]) && slices.ContainsFunc(a.all[before:from], func(p part) bool { return needing(p.low) }) && !slices.ContainsFunc(a.all[from:to], func(p part) bool { return alters(&p) || values(&p) }))
}

// shownAt passes over where a quoted name stands, between it and its verb: "“open lessons” on the office board counts …".
func (a *anatomy) shownAt(f *frame) {
	to, shown, valued := f.to, false, false
	for to < len(a.all) && !a.all[to].is(linkWord) && !a.all[to].sign() {
		p := &a.all[to]
		shows := p.is(venueWord) || showing().MatchString(p.low) || surface().MatchString(p.low)
		valued = valued || p.valueOf != "" || p.flag != ""
		if shown = shown || shows; p.known() && p.valueOf == "" && p.flag == "" || !p.isWord || relating(p.low) || !shows && p.class&^nounWord != 0 && !p.is(articleWord) && !onto(p.low) && !besideWords(p.low) {
			return
		}
		to++
	}
	if f.subject == "" || to == len(a.all) || to < f.to+3 || !onto(a.all[f.to].low) || !a.all[f.to+1].is(articleWord) || !shown {
		return
	}
	for i := f.to; i < to; i++ {
		if a.all[i].kind = gluePart; valued {
			a.all[i].kind, a.all[i].names = unknownPart, names{} // "on the refunded board" may say which ones
		}
	}
}

// appears reports whether a clause behind a calculation says only where the number is hung up or written: "goes on the little sign by
// the fuel dock", "steht im Aushang neben der Theke".
func (a *anatomy) appears(from, to int) bool {
	return from > 1 && a.all[from-1].text == "," && from+3 <= to && appearing(a.all[from].low) && onto(a.all[from+1].low) && (a.all[from+2].is(articleWord) || a.language == German) &&
		!slices.ContainsFunc(a.all[from+2:to], func(p part) bool {
			return differently(p.low) || opposites[p.low] != "" || p.is(glueWord) && !p.is(articleWord|venueWord) && !onto(p.low) && p.low != "by" && p.low != "bei"
		})
}

// onto stand before the place where a number is seen.
var onto = text.Words("on onto in into im auf am ins ans an")

// appearing reports whether a word is a verb of where a number is to be seen.
func appearing(w string) bool {
	switch w {
	case "goes", "hangs", "stands", "sits", "steht", "hängt", "kommt":
		return true
	}
	return false
}

// remarks reports whether a clause before a name says only where it is written: "fürs Protokoll noch mal".
func (a *anatomy) remarks(from, to int) bool {
	return places(a.all[from].low) && slices.ContainsFunc(a.all[to:], func(p part) bool { return p.kind == namePart }) &&
		slices.ContainsFunc(a.all[from:to], func(p part) bool { return writing(p.low) }) &&
		!slices.ContainsFunc(a.all[from+1:to], func(p part) bool { return !p.is(glueWord) && !writing(p.low) && !preface(p.low) })
}

// wishes are verbs of wanting to see something.
var wishes = text.Words("want wants need needs like likes expect expects will wollen möchte möchten braucht brauchen")

// consequence reports whether a word stands before what follows from the clause before it.
func consequence(w string) bool {
	switch w {
	case "hence", "thus", "therefore", "deshalb", "daher", "folglich":
		return true
	}
	return false
}

// concede marks clauses that say what makes no difference: "no matter how many orders they place", "auch wenn er mehrfach
// bestellt".
func (a *anatomy) concede() {
	rejected := false
	for from, to := range a.clausesOf {
		begin := a.all[from].low
		if rejected = a.rejects(from, to) || rejected && a.all[from-1].text == "," && !slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.known() }); rejected {
			begin, rejected = "nothing else", slices.ContainsFunc(a.all[:from], func(p part) bool { return p.text == "(" }) && a.all[min(to, len(a.all)-1)].text != ")"
		} else if (begin == "so" || begin == "also") && countsOnce(a.all[from+1:to]) && slices.ContainsFunc(a.all[:from], func(p part) bool { return p.is(distinctWord) }) {
			begin = "nothing else" // "so a dog that comes in three times counts once"
		} else if from > 0 && to-from > 1 && (begin == "that's" || begin == "that’s") && a.all[from+1].is(allWord) && !slices.ContainsFunc(a.all[from+2:to], func(p part) bool { return p.known() || p.class == 0 }) ||
			from > 0 && begin == "mehr" && slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.low == "nicht" }) && !slices.ContainsFunc(a.all[from+1:to], func(p part) bool { return p.known() && p.low != "nicht" }) {
			begin = "nothing else" // "that's all there is to it", "mehr steckt nicht dahinter"
		} else if (begin == "nothing" || begin == "nichts") && !slices.ContainsFunc(a.all[from+1:to], func(p part) bool { return p.known() }) { // "nothing fancier than that"
			begin = "nothing else"
		} else if from > 0 && to-from > 2 && (begin == "because" || begin == "weil" || begin == "denn" || begin == "since" && !slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.is(timeWord) && p.low != "since" || months[p.low] > 0 })) && !slices.ContainsFunc(a.all[from+1:to], func(p part) bool {
			return p.column != "" || p.valueOf != "" && !slices.ContainsFunc(a.all[:from], func(o part) bool { return o.value == p.value && o.valueOf == p.valueOf }) || p.flag != "" || p.number() || p.quotation() != "" || p.kind == columnPart || p.kind == callPart || p.is(leaveWord|leftWord)
		}) {
			begin = "nothing else" // "because single ones spoil the average"
		} else if from > 0 && to-from > 2 && (conceding(begin) || begin == "even" && conceding(a.all[from+1].low)) && !slices.ContainsFunc(a.all[from+2:to], func(p part) bool { return p.known() || p.is(countWord|includeWord) || places(p.low) && !onto(p.low) }) || a.matterless(from, to) {
			begin = "nothing else" // "although we clean there", "the reason doesn't matter"
		} else if from+1 < to {
			if begin += " " + a.all[from+1].low; undeducted(begin) && a.adds() && !slices.ContainsFunc(a.all[from+2:to], func(p part) bool {
				return p.valueOf != "" || p.flag != "" || p.number() || p.is(notWord|onlyWord|leaveWord|includeWord|timeWord)
			}) {
				begin = "nothing else" // "ohne Abzug der Provision"
			}
		}
		switch begin {
		case "no matter", "regardless of", "irrespective of", "even if", "auch wenn", "unabhängig von", "unabhängig davon", "egal ob", "egal wie",
			"no filters", "no filter", "no conditions", "no restrictions", "no exclusions", "nothing else", "kein filter", "keine filter", "ohne filter", "sonst nichts":
			if strings.Contains(begin, "filter") && slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.valueOf != "" || p.flag != "" || p.column != "" }) {
				a.all[from+1].class = 0 // "no filter but is_test"
				continue
			}
			for i := from; i < to; i++ {
				if a.all[i].kind == unknownPart {
					a.all[i].kind = gluePart
				}
			}
		}
	}
}

// undeducted reports whether words begin a clause that nothing is taken off.
func undeducted(begin string) bool {
	return begin == "ohne abzug" || begin == "without deducting" || begin == "without deduction" || begin == "without subtracting"
}

// adds reports whether nothing is subtracted in the sentence.
func (a *anatomy) adds() bool {
	return !slices.ContainsFunc(a.all, func(p part) bool {
		return operators(p.low) == "-" || p.text == "-" || p.kind == callPart && strings.Contains(p.text, "-") || p.low == "subtract" || p.low == "less"
	})
}

// conceding reports whether a word begins a clause that changes nothing; "even" may stand before it.
func conceding(w string) bool {
	switch w {
	case "although", "though", "obwohl", "obgleich", "wenngleich":
		return true
	}
	return false
}

// matterless reports whether a clause says that something makes no difference of which the rest of the sentence does not speak: "der Grund
// spielt keine Rolle".
func (a *anatomy) matterless(from, to int) bool {
	if from == 0 || to-from < 3 || !a.all[from].is(articleWord) || a.all[from+1].class&^nounWord != 0 || !idleVerb().MatchString(a.low(from+2, to)) {
		return false
	}
	noun := &a.all[from+1]
	return noun.valueOf == "" && noun.flag == "" && !noun.rows && (noun.column == "" || !slices.ContainsFunc(a.all, func(p part) bool { return p.from != noun.from && (p.column == noun.column || p.valueOf == noun.column) }))
}

// low returns the words of some parts.
func (a *anatomy) low(from, to int) string {
	var all strings.Builder
	for i := from; i < to; i++ {
		all.WriteString(" " + a.all[i].low)
	}
	return strings.TrimSpace(all.String())
}

// idleVerb says of something that it makes no difference.
var idleVerb = text.Pattern(`(?i)^(?:(?:spielt|spielen)(?: dabei| hier)? keine rolle|(?:ist|sind|is|are)(?: dabei| hier)? (?:egal|unerheblich|gleichgültig|irrelevant)|(?:does not|doesn['’]t|do not|don['’]t) matter|makes? no difference|macht keinen unterschied)$`)

// rejects reports whether a clause only names another calculation over all rows, "not the number of moves", or in parentheses
// says what is the matter with it: "(the average is useless".
func (a *anatomy) rejects(from, to int) bool {
	const calculation = aggregateWord | countWord | distinctWord | shareWord
	at, behind := from, linkWord
	if a.all[at].is(andWord) {
		at++
	}
	denied := at < to && a.all[at].is(notWord)
	if denied {
		at, behind = at+1, glueWord
	}
	if at+1 >= to || !denied && (from == 0 || a.all[from-1].text != "(" || at+2 == to) || !a.all[at].is(articleWord) || !a.all[at+1].is(aggregateWord|countWord) || at+2 < to && !a.all[at+2].is(behind) {
		return false
	}
	var said, rest class
	for i := range a.all {
		p := &a.all[i]
		if i < at || i >= to {
			rest |= p.class & calculation
			continue
		}
		said |= p.class & calculation
		if p.valueOf != "" || p.flag != "" || p.number() || p.quotation() != "" || p.is(notWord|orWord|onlyWord|leaveWord|leftWord|timeWord) || p.is(jointWord) && !p.is(articleWord) && p.low != "von" || tentative(p.low) {
			return false
		}
	}
	return rest != 0 && said != rest
}

// countsOnce reports whether a clause says that what occurs several times counts once, as the number of different ones does: not
// once in each of some periods or groups.
func countsOnce(all []part) bool {
	once := slices.IndexFunc(all, func(p part) bool { return p.is(onceWord) })
	beside := func(p part) bool { return p.is(countWord | includeWord) }
	return once > 0 && (slices.ContainsFunc(all[max(0, once-2):once], beside) || once+1 < len(all) && beside(all[once+1])) && !slices.ContainsFunc(all, func(p part) bool {
		return p.is(perWord|eachWord|timeWord|leaveWord|leftWord|notWord|onlyWord|aggregateWord|shareWord) || differently(p.low)
	})
}
