package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// remarks reports whether a sentence behind a definition only says where the number is seen, that it is the same elsewhere, what somebody
// needs it for, or its unit: "It is shown on the barge screen every morning; unit is kg."
func (r *reader) remarks(s string, st *Statement) bool {
	a, table, said := &anatomy{all: parted(s)}, r.tableOf(st), false
	if measuredAs(a.all, st) {
		return true
	}
	names := func(p *part) bool { return p.class&^nounWord == 0 && table != "" && r.ofTable(p.text, table) }
	restricts := func(p *part) bool {
		of := ""
		if table != "" && p.class == 0 {
			if of, _ = r.valueOf(table, p.text); of == "" {
				of = r.o.Lexicon.Flag(table, p.text)
			}
		}
		return of != ""
	}
	quotient := st.Formula.Divisor != nil || divides(st.Formula.Expr)
	if quotient && !slices.ContainsFunc(a.all, func(p part) bool {
		return restricts(&p) || names(&p) || alters(&p) && !p.is(shareWord) && p.text != "0" && p.text != "1" && p.text != "100" || p.low == "of" || p.low == "von" || relating(p.low) && p.low != "as" && p.low != "als" && !p.is(articleWord)
	}) && slices.ContainsFunc(a.all, func(p part) bool { return p.is(shareWord) || p.low == "ratio" }) {
		return true // "A fraction between 0 and 1, the formatting is done in the report."
	}
	for from, to := range a.clausesOf {
		clause := a.all[from:to]
		switch {
		case remark(clause, restricts, names), said && aimed(clause) && !slices.ContainsFunc(clause, func(p part) bool { return alters(&p) || restricts(&p) }):
			said = true
		case !(&utterance{preamble: preamble{all: clause}}).unit() && (slices.ContainsFunc(clause, func(p part) bool { return alters(&p) || restricts(&p) || names(&p) }) || speaksOn(clause[0].low)):
			return false
		}
	}
	return said
}

// measuredAs reports whether a sentence only gives the unit of the columns of a formula, and what is not their unit: "Shown in minutes,
// not hours.", "Euros per line, not percent!"
func measuredAs(all []part, st *Statement) bool {
	given, not := false, false
	for i := range all {
		p := &all[i]
		u, known := units()[p.low]
		same := known && slices.ContainsFunc(words(st.Formula.Of+" "+st.Formula.Expr), func(name string) bool { return units()[lastWord(name)] == u })
		switch {
		case p.is(notWord) && i+1 < len(all) && given:
			not = true
		case known && (not && same || !not && given):
			return false
		case known:
			given = given || !not
		case p.is(perWord) && i+1 < len(all) && rowWords(all[i+1].low) && st.Formula.Aggregate == "avg", i > 0 && all[i-1].is(perWord) && rowWords(p.low):
		case p.isWord && !p.is(sayWord) && p.low != "in" && p.low != "is" && p.low != "ist" && !unitWords(p.low):
			return false
		}
	}
	return given
}

// remark reports whether a clause says where a number is seen, that it is the same elsewhere, or what somebody needs it for.
func remark(all []part, restricts, names func(*part) bool) bool {
	if slices.ContainsFunc(all, func(p part) bool { return alters(&p) || restricts(&p) }) {
		return false
	}
	at, last := 0, len(all)-1
	switch {
	case last > 2 && speaksOn(all[0].low) && predicates(all[1].low) && seeing(all[last].low): // "er wird am Eingang ausgehängt"
		return seenAt(all[2:last], names)
	case last > 3 && speaksOn(all[0].low) && predicates(all[1].low) && onto(all[2].low) && all[3].is(articleWord): // "it is on the wall"
		return (&utterance{preamble: preamble{all: all}}).shows(4) && seenAt(all[2:], names)
	}
	for at <= last && at < longestSubject && !seeing(all[at].low) && !asking(all[at].low) && !sameWords(all[at].low) && !needing(all[at].low) {
		at++
	}
	switch {
	case at >= last || at == longestSubject:
		return false
	case sameWords(all[at].low):
		return introducing(all[at+1].low) && !slices.ContainsFunc(all[:at], func(p part) bool { return !p.is(glueWord) })
	case asking(all[at].low) || needing(all[at].low):
		if at == 0 || !needing(all[at].low) || !speaksOn(all[at+1].low) {
			return false
		}
		return at+1 == last || at+3 <= last && (all[at+2].low == "to" && purposes(all[at+3].low) || all[at+2].low == "for" && strings.HasSuffix(all[at+3].low, "ing"))
	case slices.ContainsFunc(all[:at], func(p part) bool { return speaksOn(p.low) || p.is(articleWord|eachWord|speakerWord) }):
		return seenAt(all[at+1:], names)
	}
	return false
}

// aimed reports whether a clause says what for, behind who needs it: "wir brauchen sie, um die Umkleiden zu planen".
func aimed(all []part) bool {
	last := len(all) - 1
	return last > 1 && all[0].low == "um" && all[last-1].low == "zu"
}

// seenAt reports whether words behind a verb of showing are only places and how often: "on the barge screen every morning". A word before
// the first place says how it is shown, as do those behind a preposition without an article: "at cost", "by oven".
func seenAt(all []part, names func(*part) bool) bool {
	placed := false
	for i := range all {
		p := &all[i]
		switch {
		case onto(p.low) || besideWords(p.low):
			next := i + 1
			if next == len(all) {
				return false
			}
			merged := p.low == "am" || p.low == "im" || p.low == "ans" || p.low == "beim"
			several := (p.low == "in" || p.low == "on") && strings.HasSuffix(all[next].low, "s") && (next+1 == len(all) || onto(all[next+1].low)) && !names(&all[next])
			if !merged && !several && !all[next].is(articleWord|eachWord) && !all[next].ours() && all[next].low != "its" {
				return false
			}
			placed = true
		case p.is(eachWord):
			placed = true
		case !placed && !p.is(regularWord) && !p.is(glueWord) && !it(p.low), relating(p.low) && !(i > 0 && (onto(all[i-1].low) || besideWords(all[i-1].low))):
			return false
		}
	}
	return placed
}

// alters reports whether a word may change a number that somebody shows: "net", "before", "only", "half".
func alters(p *part) bool {
	return p.number() || p.is(leaveWord|leftWord|notWord|onlyWord|orWord|aggregateWord|distinctWord|shareWord|divideWord|perWord|includeWord&^countWord) && !p.is(articleWord) || p.low == "before" || p.low == "after" || p.low == "vor" || p.low == "nach" ||
		differently(p.low) || conditional(p.low) && p.low != "wird" && p.low != "werden" || doubtful(p.low) || disowning(p.low) || tentative(p.low) || months[p.low] > 0 || opposites[p.low] != "" || worths(p.low) || scales(p.low)
}

// unit reports whether a clause is a unit: "unit is kg", "in minutes", "Einheit Euro".
func (t *utterance) unit() bool {
	last := len(t.all) - 1
	return (unitOf(t.all[last].text) != "" || units()[t.all[last].low].base != "") && !slices.ContainsFunc(t.all[:last], func(p part) bool {
		return !unitWords(p.low) && p.low != "in" && p.low != "is" && p.low != "ist" && !p.is(articleWord)
	})
}

var (
	// seeing are verbs of showing a number, and of having it somewhere.
	seeing = text.Words("shown displayed printed quoted published posted hung pinned listed presented has have puts hangs stands sits appears gezeigt angezeigt ausgehängt veröffentlicht gedruckt hängt steht hat haben")
	// besideWords stand before the place of something.
	besideWords = text.Words("above at beside behind by near over am an auf hinter neben über beim bei")
	// needing are verbs of those who need a number, purposes what they do with it: "it has to be weekly" is none.
	needing  = text.Words("need needs use uses brauche braucht brauchen nutze nutzt nutzen")
	purposes = text.Words("know plan decide order check pay prepare schedule see bill tell steer fill buy hire staff forecast negotiate answer")
	// relating are words of what may restrict or describe what is shown.
	relating = text.Words("for für as als with mit from that which who where whose dass")
	// worths are words for how something is valued.
	worths = text.Words("currency currencies price prices terms basis level assumption way manner form währung weise preise preisen grundlage annahme")
)

// deducting matches a sentence of somebody who takes something off a number, or corrects it: "Tom takes the sweepings off."
var deducting = text.Pattern(`(?i)(?:^|[^\pL])(?:(?:take|takes|knock|knocks|strip|strips) (?:[\pL-]+ ){1,4}off|(?:ziehe|zieht|ziehen|rechnet|rechnen) (?:[\pL-]+ ){1,4}(?:ab|raus|heraus)|(?:deduct|subtract|round)(?:s|ed)?|(?:correct|adjust|smooth|override|divide|multiply|cap|scale|weight|halve|double)(?:s|d|ed)? (?:it|them|this|that)|(?:korrigiert|korrigieren|bereinigt|bereinigen|teilen|teilt|multiplizieren|multipliziert|deckeln|deckelt|gewichten|halbieren|verdoppeln|schätzt|schätzen|glättet|glätten) (?:sie|es|ihn|das|die)|hochgerechnet|(?:want|need|expect)s? (?:it|them|this|that) to|give or take|approximately|roughly|ungefähr|abgezogen|gerundet|aufgerundet|abgerundet)(?:$|[^\pL])`)

// resized reports whether a sentence gives another unit than the columns of a formula have, or counts in more than ones: "In hours.",
// "The board shows it in dozens."
func resized(s string, st *Statement) bool {
	var of []measure
	for _, name := range words(st.Formula.Of + " " + st.Formula.Expr) {
		if u, ok := units()[lastWord(name)]; ok && u.base != "percent" {
			of = append(of, u)
		}
	}
	all := lowered(s)
	for i, w := range all {
		if scales(w) && !(thanks(all[0]) && len(all) < 4) {
			return true
		}
		u, ok := units()[w]
		states := i == 0 || all[i-1] == "in" || all[i-1] == "is" || all[i-1] == "ist" || unitWords(all[i-1])
		if ok && states && len(of) > 0 && u.base != "percent" && (len(w) > 1 || len(all) == 1) && !slices.Contains(of, u) {
			return true
		}
	}
	return false
}

// scales are words for many of something, unitWords stand before a unit.
var (
	scales = text.Words("hundred hundreds thousand thousands million millions billion billions dozen dozens hundert tausend tausender million millionen mio mrd milliarden dutzend dutzenden")
)

// unitWords reports whether a word stands before a unit.
func unitWords(w string) bool {
	switch w {
	case "unit", "units", "einheit", "angabe", "angaben":
		return true
	}
	return false
}
