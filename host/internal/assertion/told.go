package assertion

import (
	"slices"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// telling is a sentence that names a number and tells what it is for, without computing it: "The copay is what patients bring
	// themselves.", "Die Gefahrgutbewegungen brauchen wir für die Meldung.", "When ops talk about train kilometres they mean …".
	telling = text.Pattern(`(?i)^(?:(?:the |our |die |der |das |unsere? )?((?:[\pL-]+ ){0,3}?[\pL-]+) (?:(?:is|are) (?:what|how (?:much|many)) |(?:ist|sind) (?:das|die|der), (?:was|die|der) |(?:brauchen|benötigen|nutzen|verwenden) (?:wir|man) )` +
		`|when(?:ever)? ((?:[\pL-]+ ){1,3})(?:talks?|speaks?) (?:about|of) ((?:[\pL-]+ ){0,3}?[\pL-]+),? (?:they|we|he|she) means? )`)
	// tellsOf is a sentence about an amount, or about what the calculation names too: persons tell things as well.
	tellsOf = text.Pattern(`^(?:(\p{Lu}[\pL-]*(?: \p{Ll}[\pL-]*){1,3}) (?:tells|shows|says)(?: us)? (?:what|how|which|whether) |(?:Die|Der|Das) (\p{Lu}[\pL-]*) (?:gibt an|sagt|zeigt)(?: uns)?, (?:was|wie|welche[rs]?|ob) )`)
	// computed is the beginning of a sentence that computes what the sentence before is about.
	computed = text.Pattern(`(?i)^(?:(?:it|that|this|they|es|das|dies) (?:is|are|ist|sind) |(?:we|wir|man) (?:get|compute|calculate|measure|take|rechnen|berechnen|ermitteln) (?:it|them|that|sie|ihn|es|das) (?:(?:as|by|from|als|aus) )?|(?:gerechnet|berechnet|ermittelt) (?:wird|werden) (?:sie|er|es) )`)
)

// told reads a sentence that computes what the sentence before names and describes. The description changes the number where it
// restricts, and makes a question then.
func (r *reader) told(s *sentence, words string) (Statement, bool) {
	m := computed().FindString(words)
	if m == "" || r.o.Lexicon == nil || r.before == nil || r.before.passage != s.passage || r.guarded(r.before) || r.before.speech {
		return Statement{}, false
	}
	name, calculation := "", words[len(m):]
	if told := telling().FindStringSubmatch(r.before.text); told != nil && !slices.ContainsFunc(lowered(told[2]), func(w string) bool { return classes()[w]&(speakerWord|glueWord) == 0 }) {
		name = told[1] + told[3]
	} else if told := tellsOf().FindStringSubmatch(r.before.text); told != nil {
		if name = told[1] + told[2]; !amounting(fold(name)) && !slices.ContainsFunc(lowered(name), func(w string) bool { return slices.Contains(s.words, w) }) {
			return Statement{}, false
		}
	}
	if name == "" || !nominal(name) || slices.ContainsFunc(lowered(name), func(w string) bool { return classes()[w]&^nounWord != 0 || people(w) }) {
		return Statement{}, false
	}
	st, ok := r.dissectedAs(name, s, calculation)
	if ok && st.Unread == "" && !r.restricts(r.before, &st) {
		r.before.read = true
	}
	return st, ok
}

// restricts reports whether the description of a number may say which rows it is over: by a word of restriction, a time, a place
// without an article, or a name of the table.
func (r *reader) restricts(s *sentence, st *Statement) bool {
	all, table, name := parted(s.text), r.tableOf(st), lowered(st.Subject)
	for i := range all {
		p := &all[i]
		if slices.Contains(name, p.low) {
			continue
		}
		if alters(p) || compares(*p) || i > 0 && p.is(timeWord) || p.class&^nounWord == 0 && table != "" && r.ofTable(p.text, table) ||
			places(p.low) && p.low != "of" && !(i+1 < len(all) && all[i+1].is(articleWord|pronounWord)) {
			return true
		}
	}
	return Restricts(s.text)
}
