package assertion

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// clock is a time of the day, as a transcript writes it.
const clock = `[\[(]?(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4},? )?\d{1,2}[:.]\d{2}(?::\d{2})?(?:\s?[aApP][mM])?[\])]?`

// speaking matches the label of a line: who speaks, with or without the time: "Tom: ", "Flo 09:12: ", "[10:03] Paul: ", "mira 09:12".
var speaking = text.Pattern(`^(?:(` + clock + `),?\s+)?(\pL[\pL.'’-]*(?: \p{Lu}[\pL.'’-]*){0,2})(?:,?\s+(` + clock + `))?(:\s+|:?$|\s)`)

// turn is a line that begins with a label.
type turn struct {
	passage, from, rest int
	speaker             string
	timed               bool
	says                string // the rest of the line
}

// turns returns the lines of passages that begin with a label.
func turns(passages []passage) (all []turn) {
	for i := range passages {
		p := &passages[i]
		for from := 0; from < len(p.text) && !p.item && !p.aside; {
			line, _, _ := strings.Cut(p.text[from:], "\n")
			if m := speaking().FindStringSubmatch(line); m != nil && (m[3] != "" || strings.HasPrefix(m[4], ":") && len(m[0]) < len(line)) {
				all = append(all, turn{i, from, from + len(m[0]), m[2], m[1]+m[3] != "", line[len(m[0]):]})
			}
			from += len(line) + 1
		}
	}
	return all
}

// transcribed splits the passages of a transcript into those of its speakers, without their labels: lines with a time and a name,
// or lines of a few names that come back. Those of minutes are split into their items.
func (r *reader) transcribed(passages []passage) []passage {
	all := turns(passages)
	timed := slices.DeleteFunc(slices.Clone(all), func(t turn) bool { return !t.timed })
	if len(timed) < 2 {
		timed = r.conversation(all)
	}
	if len(timed) == 0 {
		timed = items(passages)
	}
	if len(timed) == 0 {
		return passages
	}
	out := make([]passage, 0, len(passages)+len(timed))
	for i := range passages {
		p, from := passages[i], 0
		for ; len(timed) > 0 && timed[0].passage == i; timed = timed[1:] {
			out = p.part(out, from, timed[0].from)
			p.speaker, p.topic, from = timed[0].speaker, timed[0].speaker == "", timed[0].rest
		}
		out = p.part(out, from, len(p.text))
	}
	return out
}

// numbered matches the number of an item of minutes: "TOP 2 ", "Item 3: ".
var numbered = text.Pattern(`(?i)^(?:top|punkt|point|item|agenda item|tagesordnungspunkt) ?#?(\d{1,2})[.:)]?\s+`)

// items returns the lines that begin an item of minutes. One more has the next number, so that "Top 10 Kunden" is none.
func items(passages []passage) (all []turn) {
	for i := range passages {
		p := &passages[i]
		for from := 0; from < len(p.text) && !p.aside; {
			line, _, _ := strings.Cut(p.text[from:], "\n")
			if m := numbered().FindStringSubmatch(line); m != nil {
				all = append(all, turn{passage: i, from: from, rest: from + len(m[0]), says: m[1]})
			}
			from += len(line) + 1
		}
	}
	number := func(t turn) int { n, _ := strconv.Atoi(t.says); return n }
	for i := 1; i < len(all); i++ {
		if number(all[i]) != number(all[i-1])+1 {
			return nil
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// part adds a part of a passage to a list, if it has a text.
func (p *passage) part(list []passage, from, to int) []passage {
	part := *p
	part.text, part.at, part.bold = p.text[from:to], p.at[from:to], max(0, p.bold-from)
	if strings.TrimSpace(part.text) == "" {
		return list
	}
	return append(list, part)
}

// mostSpeakers is the largest number of labels of a transcript without times.
const mostSpeakers = 8

// conversation returns the turns of lines without a time, if their labels name speakers: there are several, one of them comes back,
// one line asks or is in the first or second person, and the text speaks of none of them. So no glossary is one.
func (r *reader) conversation(all []turn) []turn {
	count, speaks, whole := map[string]int{}, false, strings.Builder{}
	for _, t := range all {
		count[t.speaker]++
		speaks = speaks || asks(t.says) || talks(t.says)
		whole.WriteString("\n" + strings.ToLower(t.says))
	}
	back := slices.ContainsFunc(all, func(t turn) bool { return count[t.speaker] > 1 })
	if !back || !speaks || len(count) < 2 || len(count) > mostSpeakers {
		return nil
	}
	for name := range count {
		low := lowered(name)
		if labels(low[0]) || roleOf(name) != other || months[low[0]] > 0 || r.o.Known != nil && r.o.Known(name) || mentions(whole.String(), strings.ToLower(name)) {
			delete(count, name)
		}
	}
	all = slices.DeleteFunc(all, func(t turn) bool { return count[t.speaker] == 0 })
	if len(count) < 2 || !slices.ContainsFunc(all, func(t turn) bool { return count[t.speaker] > 1 }) {
		return nil
	}
	return all
}

// saidBy reports whether the label of a sentence may be who speaks, because somebody asks or talks before it: "Anna: how do we get the
// load factor?", "Ben: sum of …".
func (r *reader) saidBy(s *sentence, label string) bool {
	if r.before == nil || s.speaker != "" || r.before.block+1 < s.block || !strings.HasPrefix(s.text, label+":") {
		return false
	}
	m := speaking().FindStringSubmatch(r.before.text)
	return m != nil && m[2] != "" && strings.HasPrefix(m[4], ":") && !labels(strings.ToLower(firstWord(m[2]))) && (asks(r.before.text) || talks(r.before.text[len(m[0]):]))
}

// mentions reports whether a text has a name other than to address somebody: "Col, how full are we?"
func mentions(s, name string) bool {
	return containsWords(fold(strings.NewReplacer(name+",", " ", ", "+name, " ", "@"+name, " ").Replace(s)), fold(name))
}

// acknowledged leaves the formulas of a transcript unsure to which somebody objects, and those of a heading of which more is said
// below.
func (r *reader) acknowledged(list []sentence) {
	formulas := map[Span][]*Statement{}
	for i := range r.doc.Statements {
		if st := &r.doc.Statements[i]; st.Attribute == FormulaOf {
			formulas[st.Span] = append(formulas[st.Span], st)
		}
	}
	for i := range list {
		s := &list[i]
		for _, st := range formulas[s.Span] {
			switch {
			case st.Unread != "" || st.Formula == nil:
			case s.speaker != "":
				st.Unread = r.objection(list[i:], st, formulas)
			case s.headed:
				for j := i + 1; j < len(list) && list[j].section == s.section && st.Unread == ""; j++ {
					if o := &list[j]; !o.read && !r.remarks(o.text, st) && (computes(o.text) || o.doubts() || r.goesOn(o, st) || r.alters(o.text, st)) {
						st.Unread = clean(o.text)
					}
				}
			}
		}
	}
}

// objection returns what is said behind a formula by its speaker or the next one, up to the next formula, and leaves it unsure; "" =
// the next one accepts it, or nobody speaks behind the answer to a question.
func (r *reader) objection(list []sentence, st *Statement, formulas map[Span][]*Statement) string {
	s, heard := &list[0], false
	for i := range list[1:] {
		o := &list[i+1]
		if o.section != s.section || o.speaker == "" {
			break
		}
		if defines := formulas[o.Span] != nil; defines && heard {
			break
		} else if defines || asks(o.text) && i+2 < len(list) && formulas[list[i+2].Span] != nil {
			continue
		}
		answers := !heard && o.speaker != s.speaker
		if heard = heard || answers; answers && !o.acknowledges() || (!heard || o.speaker == s.speaker) && slices.ContainsFunc(o.words, speaksOn) || !heard && r.goesOn(o, st) || o.doubts() || r.alters(o.text, st) {
			return clean(o.text)
		}
	}
	if !heard && !s.answer {
		return s.speaker
	}
	return ""
}

// doubts reports whether a sentence takes something back, or is not sure of it: "Really?", "ah, that was the old one".
func (s *sentence) doubts() bool {
	return s.takesBack() || hedged(s.text, s.words) || asks(s.text) && len(s.words) < 3 ||
		slices.ContainsFunc(s.words, func(w string) bool { return retracting(w) || disowning(w) || tentative(w) })
}

// acknowledges reports whether a sentence only thanks, accepts or says that it is passed on: "perfect, I'll pass that on".
func (s *sentence) acknowledges() bool {
	if len(s.words) == 0 {
		return !strings.ContainsAny(s.text, "🤔❓👎❌🙄⛔🚫?")
	}
	return polite(s.text, nil) || accepting(s.words[0]) && !asks(s.text) && !Restricts(s.text) && !slices.ContainsFunc(s.words, func(w string) bool {
		c := classes()[w]
		return c&(barWord|leaveWord|notWord|onlyWord|aggregateWord|countWord|calculationWord) != 0 || disowning(w) || tentative(w) || w == "for" || w == "für" ||
			c&(glueWord|venueWord|speakerWord|sayWord|pronounWord) == 0 && !accepting(w) && !asking(w) && !passedOn(w) && len(w) > 2
	})
}

var (
	// accepting are words that accept what somebody said.
	accepting = text.Words(`ah oh aha thanks thank thx ty cheers ta merci great perfect super ok okay k yes yep yeah sure good nice lovely cool brilliant awesome excellent fine right got gotcha makes sense understood noted wonderful fab splendid
		danke dankeschön dank vielen besten passt prima klasse gut alles klar verstanden notiert ja jo jep genau top stimmt spitze wunderbar toll perfekt sehr besser`)
	// passedOn are words of somebody who writes down what was said, or hands it on.
	passedOn = text.Words("ll ve hab habe pass passes passing put add adding write writing note copy forward share send needed wanted much again lot trage schreibe notiere leite nehme gebe weiter ein auf rein ins wiki")
)
