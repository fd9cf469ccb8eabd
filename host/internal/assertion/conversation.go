package assertion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// conversing reports whether the text before a colon only says who asked us, whom we told, or who agreed, in whole clauses: "the
// certifier wanted one figure from us in writing, so that it doesn't get lost". Whoever asks, the definition is ours. A clause with a
// word of another kind may say for which rows or for whom it holds: a place, a group, a condition, a doubt, the claim of somebody else.
func (r *reader) conversing(lead, behind, table string) bool {
	said := false
	words := lowered(lead)
	if strings.ContainsFunc(lead, func(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune(" ,;-–'’", c) }) || slices.ContainsFunc(words, disowning) || slices.ContainsFunc(words, tentative) {
		return false
	}
	for clause := range strings.FieldsFuncSeq(lead, func(c rune) bool { return c == ',' || c == ';' || c == '–' }) {
		t := utterance{preamble: preamble{all: r.parts(clause), behind: lowered(behind)}, known: func(w string) bool { return r.meaningful(w, table) }}
		switch first := t.all[0].low; {
		case said && (first == "so" || first == "damit"):
			if !t.aims() {
				return false
			}
		case said && (questionWords(first) || asksFor(first)):
			if !t.quiet(1) {
				return false
			}
		case !t.speaks():
			return false
		default:
			said = true
		}
	}
	return said
}

// utterance is a clause of a conversation. known reports whether a word names something of the warehouse.
type utterance struct {
	preamble
	known func(string) bool
}

// speaks reports whether a clause has a person or a function as its subject, of one noun, and only words of talking behind it. What
// somebody else claims may be another definition, and what we ask is none.
func (t *utterance) speaks() bool {
	at := 0
	if t.all[at].is(andWord) && len(t.all) > 1 {
		at++
	}
	subject := &t.all[at]
	switch {
	case subject.is(articleWord) || subject.ours():
		if at++; at == len(t.all) || !t.noun(at) {
			return false
		}
	case !subject.is(pronounWord|speakerWord) && !people(subject.low):
		return false
	}
	we, talks := us(subject.low), false
	for i := at + 1; i < len(t.all); i++ {
		low := t.all[i].low
		if low == "used" || (claiming(low) || claimed(low)) && !we || we && (asking(low) || inquiring(low)) || t.attributes(i) {
			return false
		}
		talks = talks || talking(low)
	}
	return talks && t.quiet(at+1)
}

// noun reports whether a part is the only noun behind an article, and no name of the warehouse.
func (t *utterance) noun(i int) bool {
	p := &t.all[i]
	return p.isWord && (p.class == 0 || p.is(speakerWord|venueWord)) && !t.known(p.text) && !talking(p.low)
}

// quiet reports whether each part from one on is a word of talking, of a day, of writing, or of where something is written or shown.
func (t *utterance) quiet(from int) bool {
	for i := from; i < len(t.all); i++ {
		p := &t.all[i]
		switch {
		case !p.isWord || i > 0 && theirs(t.all[i-1].low, p.low) || conditional(p.low) || doubtful(p.low) || differently(p.low) || months[p.low] > 0:
			return false
		case talking(p.low) || p.is(timeWord) && days(p.low) || filler(p.low) || writing(p.low) && p.class == 0 || sameWords(p.low):
		case i+1 < len(t.all) && ordinals(p.low) && t.shows(i+1), t.shows(i), people(p.low) && !p.is(allWord):
		case p.class == 0 && (t.known(p.text) || !slices.Contains(t.behind, p.low)),
			p.is(speakerWord) && !p.is(pronounWord) && i > 0 && places(t.all[i-1].low),
			p.is(calculationWord | leaveWord | leftWord | notWord | onlyWord | orWord | timeWord | allWord | eachWord | perWord | greaterWord | lessWord):
			return false
		case p.class != 0 && !p.is(glueWord|asideWord):
			return false
		}
	}
	return true
}

// asideWord is what may stand in a clause of a conversation beside glue.
const asideWord = sayWord | venueWord | speakerWord | reasonWord | articleWord | pronounWord | andWord

// shows reports whether a part is where a number is shown or written.
func (t *utterance) shows(i int) bool {
	p := &t.all[i]
	return p.is(venueWord) || showing().MatchString(p.low) || surface().MatchString(p.low)
}

// aims reports whether a clause only says what is written down for: "so that it doesn't get lost", "so it can go in the handbook".
func (t *utterance) aims() bool {
	at := 1
	if at < len(t.all) && t.all[at].low == "that" {
		at++
	}
	if at >= len(t.all) || !it(t.all[at].low) && t.all[at].low != "sie" && t.all[at].low != "das" {
		return false
	}
	for i := at + 1; i < len(t.all); i++ {
		p := &t.all[i]
		if p.is(notWord) || p.low == "can" || p.low == "kann" || p.low == "go" || p.low == "get" || losing(p.low) || p.is(articleWord) || (p.low == "in" || p.low == "into" || p.low == "on" || p.low == "auf") || t.shows(i) {
			continue
		}
		return false
	}
	return true
}

// talking reports whether a word is a verb of a conversation, or says that somebody agrees.
func talking(low string) bool {
	return asking(low) || inquiring(low) || claimed(low) || consenting(low)
}

var (
	// inquiring are verbs of those who want to know, claimed of those who say, consenting words of those who agree.
	inquiring  = text.Words("asked wondered inquired phoned rang emailed mailed complained gefragt nachgefragt angefragt angerufen gemailt gebeten wolltest wolltet")
	claimed    = text.Words("told said answered replied explained wrote written gesagt geantwortet erklärt erzählt geschrieben")
	consenting = text.Words("happy satisfied agreed confirmed approved accepted signed zufrieden einverstanden bestätigt genehmigt abgesegnet")
	// conditional are words of a condition, a time or a doubt.
	conditional = text.Words("if when whenever whether while until till unless since wenn falls sobald ob bis ab seit sofern must should will shall soll sollen sollte wird werden würde wäre own eigene eigenen eigener different anders")
	days        = text.Words("monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag today yesterday heute gestern day tag")
	filler      = text.Words("number zahl back him her ihm ihnen them here morning habe hab habt hast")
	ordinals    = text.Words("first second third front erste ersten zweite zweiten dritten")
	// surface matches a word for what is hung up or handed out.
	surface = text.Pattern(`^(?:handbook|manual|wall|door|wand|tür|screen|monitor|poster|leaflet|\pL*(?:plan|tafel|brett|aushang|bildschirm|zettel|handbuch|plakat))$`)
)

// losing reports whether a word says that something is gone.
func losing(w string) bool {
	switch w {
	case "lost", "forgotten", "verloren", "vergessen", "untergeht":
		return true
	}
	return false
}

// asksFor reports whether a word begins what somebody asks for.
func asksFor(w string) bool {
	switch w {
	case "woher", "womit", "wofür", "where", "why", "warum":
		return true
	}
	return false
}
