package assertion

import (
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/text"
)

// computedBelow is a sentence that names what a query below it computes: "Net fares are calculated like this:", "Offene Kunden
// rechnen wir so:". It has no other words, which may restrict.
var computedBelow = text.Pattern(`(?i)^(?:the |our |der |die |das |unsere? )?(?:([^,:;()]{2,60}?) (?:is|are|ist|sind|wird|werden)` + thus + ` (?:calculated|computed|defined|measured|counted|derived|worked out|berechnet|definiert|ermittelt|gerechnet|gezählt)` + thus +
	`|([^,:;()]{2,60}?) (?:rechnen|berechnen|ermitteln|zählen|definieren) wir` + thus + `|(?:this is |here is )?how we (?:calculate|compute|define|count|measure) (?:the |our )?([^,:;()]{2,60}?)):$`)

const thus = `(?: (?:always|immer|so|like this|as follows|wie folgt|folgendermaßen|(?:by|with|mit) (?:this|the following|dieser|folgender) (?:query|abfrage)))?`

// names reports whether a sentence only names what stands below it.
func (s *sentence) names() bool {
	return strings.HasSuffix(s.text, ":") && computedBelow().MatchString(s.text)
}

// above returns the name of what a query computes by the sentence above it; "" = there is none.
func (r *reader) above(intro, code string) string {
	m := computedBelow().FindStringSubmatch(strings.TrimSpace(intro))
	if _, alone := selected(code); m == nil || r.o.Lexicon == nil || !alone || alias().MatchString(code) || hedged(intro, lowered(intro)) {
		return ""
	}
	name := strings.Join(m[1:], "")
	if _, rest := clauses(name); len(rest) > 0 || !nominal(name) || Restricts(name) {
		return "" // "Turnover in Leeds is calculated like this:"
	}
	return name
}

// queries reads each query in a fence whose only aggregate has no name but the one above it.
func (r *reader) queries(list []sentence) {
	r.before = nil
	for i := range r.doc.Fences {
		f := &r.doc.Fences[i]
		code := strings.TrimRight(strings.Join(strings.Fields(r.doc.Text[f.Code.From:f.Code.To]), " "), "; ")
		s := sentence{section: f.Section, block: len(r.doc.Sections[f.Section].Blocks) - 1, intro: f.intro, Span: f.Code, language: English}
		name := r.above(f.intro, code)
		s.intro = r.withoutRows(f.intro)
		f.Disowned = r.disowned(&s) || slices.ContainsFunc(list, func(o sentence) bool { return o.section == f.Section && o.From >= f.Code.To && o.disownsQuery() })
		if s.text = name + " = " + code; name == "" || len(code) > longestSentence || f.Disowned {
			continue
		}
		s.words = lowered(s.text)
		if st, ok := r.match(&s, s.text); ok && st.Attribute == FormulaOf && r.settle(&s, &st, time.Time{}, time.Time{}) {
			r.assert(&s, st)
		}
	}
}

// withoutRows returns a lead without its clauses that say something of rows, and so nothing of the query: "…, die offenen
// Aufträge sind noch nicht gefahren:".
func (r *reader) withoutRows(lead string) string {
	if !strings.Contains(lead, ",") {
		return lead
	}
	all := strings.Split(strings.TrimSuffix(strings.TrimSpace(lead), ":"), ",")
	first := all[0]
	all = slices.DeleteFunc(all[1:], func(clause string) bool {
		return slices.ContainsFunc(words(clause), func(w string) bool {
			return germanNoun(strings.ToLower(w)) != nil && capital(w) || r.o.Lexicon != nil && r.o.Lexicon.Table(w) != ""
		})
	})
	return strings.Join(append([]string{first}, all...), ",") + ":"
}

// disownsQuery reports whether a sentence below a query says that it is not so.
func (s *sentence) disownsQuery() bool {
	return s.takesBack() || slices.ContainsFunc(s.words, queryWords) && slices.ContainsFunc(s.words, func(w string) bool { return disowning(w) || retracting(w) })
}

var queryWords = text.Words("query queries sql statement select snippet abfrage abfragen")
