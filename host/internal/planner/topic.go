package planner

import (
	"cmp"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/snippet"
	"github.com/loam-data/loam/host/internal/text"
)

// piece is a block of a page: a paragraph, a list item, a table, a fence.
type piece struct {
	assertion.Span
	headings   []string
	statements []int
}

// topic is what one page is about.
type topic struct {
	title       string
	pieces      []piece
	instruction bool
}

const maxTitle = 60

// topics cuts the text into pages: by the subject of statements, else by headings.
func (w *work) topics() []*topic {
	t := &cutter{work: w, byKey: map[string]*topic{}}
	if w.format != "" {
		return w.snippet()
	}
	asserts := len(w.doc.Statements) > 0
	for i := range w.doc.Sections {
		section := &w.doc.Sections[i]
		subjects := t.subjects(i, section.Span)
		for _, b := range section.Blocks {
			stated := t.within(i, b.Span)
			switch {
			case b.Instruction:
				one := &topic{title: w.opening(b.Span), instruction: true, pieces: []piece{{Span: b.Span}}}
				t.all = append(t.all, one)
			case len(stated) == 0 && (asserts && !w.matters(b) || b.Aside && asserts):
				t.dropped++
			case len(section.Path) > 0 && len(subjects) != 1 && (section.Glossary || !isList(w.doc.Text[b.From:b.To])):
				t.add(section.Path[0], piece{b.Span, section.Path[1:], stated})
			case len(stated) == 0:
				t.add(t.titleOf(section, subjects), piece{Span: b.Span})
			default:
				t.bySubject(i, b, stated)
			}
		}
	}
	if asserts && t.dropped > 0 {
		w.plan.Notes = noted(w.plan.Notes, "what states nothing is left out: %s", text.Count(t.dropped, "paragraph"))
	}
	return t.all
}

// snippet is the page of a text that is a pasted definition: only what is left open of it is
// worth one.
func (w *work) snippet() []*topic {
	if len(w.plan.Questions) == 0 {
		return nil
	}
	title := w.opening(assertion.Span{From: 0, To: len(w.doc.Text)})
	for _, item := range snippet.Read(w.format, w.doc.Text).Items {
		if name := cmp.Or(item.Table, item.Name); name != "" {
			title = name
			break
		}
	}
	return []*topic{{title: title, pieces: []piece{{Span: assertion.Span{From: 0, To: len(w.doc.Text)}}}}}
}

type cutter struct {
	work    *work
	all     []*topic
	byKey   map[string]*topic
	dropped int
}

func (t *cutter) add(title string, p piece) {
	key := assertion.Slug(title)
	if t.byKey[key] == nil {
		t.byKey[key] = &topic{title: title}
		t.all = append(t.all, t.byKey[key])
	}
	t.byKey[key].pieces = append(t.byKey[key].pieces, p)
}

// within are the statements of a section that begin in a part of it.
func (t *cutter) within(section int, at assertion.Span) (all []int) {
	for i := range t.work.doc.Statements {
		if st := &t.work.doc.Statements[i]; st.Section == section && at.From <= st.From && st.From < at.To {
			all = append(all, i)
		}
	}
	return all
}

// subjects are the different subjects of a section's statements.
func (t *cutter) subjects(section int, at assertion.Span) map[string]bool {
	all := map[string]bool{}
	for _, i := range t.within(section, at) {
		if title := t.subject(i); title != "" {
			all[assertion.Key(title, t.work.doc.Statements[i].Language)] = true
		}
	}
	return all
}

// subject is what the page of a statement is called, "" = its heading says.
func (t *cutter) subject(i int) string {
	st := &t.work.doc.Statements[i]
	name := trimCode(st.Subject)
	switch st.Attribute {
	case assertion.ValueLabel:
		if path := t.work.doc.Sections[st.Section].Path; len(path) > 0 {
			return path[len(path)-1]
		}
		name = trimCode(st.Column)
	case assertion.Synonym:
		if len(t.work.lexicon.mentioned(name, aMeasure, aSource)) > 0 {
			name = trimCode(st.Value)
		}
	}
	return shorten(name, maxTitle)
}

// titleOf is the title of a text that states nothing: the only subject, a heading, the first sentence.
func (t *cutter) titleOf(section *assertion.Section, subjects map[string]bool) string {
	if len(subjects) == 1 {
		for i := range t.work.doc.Statements {
			if title := t.subject(i); subjects[assertion.Key(title, t.work.doc.Statements[i].Language)] {
				return title
			}
		}
	}
	switch {
	case len(section.Path) > 0:
		return section.Path[0]
	case len(t.all) > 0:
		return t.all[len(t.all)-1].title
	}
	return t.work.opening(section.Span)
}

// bySubject adds the parts of a block to the pages of their subjects.
func (t *cutter) bySubject(section int, b assertion.Block, stated []int) {
	block := t.work.doc.Text[b.From:b.To]
	title := func(i int) string {
		if s := t.subject(i); s != "" {
			return s
		}
		return t.work.opening(t.work.doc.Statements[i].Span)
	}
	if strings.HasPrefix(strings.TrimSpace(block), "|") {
		name := title(stated[0])
		if len(stated) > 1 {
			name = strings.TrimSpace(strings.Split(strings.TrimSpace(block), "|")[1])
		}
		t.add(name, piece{b.Span, nil, stated})
		return
	}
	if isList(block) {
		t.dropped += strings.Count(strings.TrimSpace(block), "\n") + 1 - len(stated)
		for from := 0; from < len(stated); {
			item := lineAround(t.work.doc.Text, t.work.doc.Statements[stated[from]].From, b.To)
			to := from
			for to < len(stated) && t.work.doc.Statements[stated[to]].From < item.To {
				to++
			}
			t.add(title(stated[from]), piece{item, nil, stated[from:max(to, from+1)]})
			from = max(to, from+1)
		}
		return
	}
	from, at := 0, b.From
	for i := 1; i <= len(stated); i++ {
		if i < len(stated) && assertion.Slug(title(stated[i])) == assertion.Slug(title(stated[from])) {
			continue
		}
		to := b.To
		if i < len(stated) {
			to = max(at, t.work.doc.Statements[stated[i]].From)
		}
		t.add(title(stated[from]), piece{assertion.Span{From: at, To: to}, nil, stated[from:i]})
		from, at = i, to
	}
}

func isList(block string) bool {
	first := strings.TrimSpace(block)
	return strings.HasPrefix(first, "- ") || strings.HasPrefix(first, "* ") || strings.HasPrefix(first, "+ ") || len(first) > 2 && first[0] >= '0' && first[0] <= '9' && strings.ContainsAny(first[1:min(4, len(first))], ".)")
}

// lineAround is the line that a place is in, up to a limit.
func lineAround(all string, at, limit int) assertion.Span {
	from := strings.LastIndexByte(all[:at], '\n') + 1
	to := limit
	if end := strings.IndexByte(all[at:limit], '\n'); end >= 0 {
		to = at + end
	}
	return assertion.Span{From: from, To: to}
}

// matters reports whether a block without statements belongs to what is remembered: it
// names a table or a measure, or is code.
func (w *work) matters(b assertion.Block) bool {
	for _, f := range w.doc.Fences {
		if b.From <= f.Code.From && f.Code.To <= b.To {
			return true
		}
	}
	words := w.doc.Text[b.From:b.To]
	return !b.Aside && (ruled(words) || w.v.Model != nil && len(w.sourcesIn(words)) > 0)
}

// rules are commands of a convention: "Never show …", "always round …".
var rules = text.Pattern(`(?im)^(?:[-*+]\s+|\d{1,2}[.)]\s+)?(?:never|always|do not|don't|nie|niemals|immer|bitte (?:nie|nicht|immer))\s+[\pL]`)

// titleEnd is where the first sentence ends: no full stop inside a name or an abbreviation.
var titleEnd = text.Pattern(`[!?;\n。]|[.:](?:\s|$)`)

// opening is the first sentence of a text, as a title.
func (w *work) opening(at assertion.Span) string {
	first := strings.TrimSpace(w.doc.Text[at.From:at.To])
	if _, code, fenced := strings.Cut(first, "\n"); fenced && strings.HasPrefix(first, "```") {
		first = code
	}
	first = strings.Join(strings.Fields(strings.TrimLeft(first, "#>*-+| `~")), " ")
	if end := titleEnd().FindStringIndex(first); end != nil && end[0] > 0 {
		first = first[:end[0]]
	}
	return shorten(first, maxTitle)
}
