package assertion

import (
	"slices"

	"github.com/loam-data/loam/host/internal/text"
)

// restriction is a word with which a sentence says that not all rows count.
var restriction = text.Pattern(`(?i)(?:^|[^\pL])(?:only|solely|exclusively|exclud(?:e|es|ed|ing)|excl\.|without|except|excepting|ignor(?:e|es|ed|ing)|omit(?:s|ted)?|disregard(?:s|ed)?|` +
	`filter(?:s|ed)?|(?:leave|leaves|left) out|not (?:be )?(?:count|counted|included|part of)|(?:do|does)n['’]t (?:count|include|belong)|never (?:count|counts|counted|include|includes)|` +
	`nur|lediglich|ausschließlich|ohne|außer|ausgenommen|ausgeschlossen|ignoriert|gefiltert|herausgefiltert|zählen|zählt|gezählt|mitgezählt|berücksichtigt)(?:$|[^\pL])|` +
	`(?i)(?:^|[^\pL])(?:where|wo|for|für) [^=<>]{1,60}[=<>]`)

// placed is a part of a text and where it is.
type placed struct {
	section, block, passage int
	item                    bool
	// alone: a restriction of rows that it names itself is about formulas of its own paragraph only.
	alone bool
	// at is the place of a formula among the statements, text what a restriction says.
	at   int
	text string
}

func (s *sentence) place() placed {
	return placed{section: s.section, block: s.block, passage: s.passage, item: s.item}
}

// beside reports whether a restriction may be about a formula: both are in one paragraph or in paragraphs next to
// each other. Of a list, the items before and after belong together.
func (p placed) beside(formula placed) bool {
	near := func(a, b int) bool { return a-b <= 1 && b-a <= 1 }
	if p.section != formula.section || p.alone && p.passage != formula.passage {
		return false
	}
	if p.item && formula.item {
		return near(p.passage, formula.passage)
	}
	return near(p.block, formula.block)
}

// formula records that the last statement is one.
func (r *reader) formula(s *sentence) {
	p := s.place()
	p.at = len(r.doc.Statements) - 1
	r.formulas = append(r.formulas, p)
}

// restrict records a restriction.
func (r *reader) restrict(s *sentence, text string) {
	p := s.place()
	p.text = text
	r.restrictions = append(r.restrictions, p)
}

// narrow gives each formula the conditions that other sentences, or its headings, state: whether one is part of the
// calculation is a question.
func (r *reader) narrow() {
	for _, f := range r.formulas {
		st := &r.doc.Statements[f.at]
		for _, c := range r.restrictions {
			if c.beside(f) {
				st.qualified(c.text)
			}
		}
		for i := range r.doc.Statements {
			if o := &r.doc.Statements[i]; o.narrows(st) {
				st.qualified(o.Value)
			}
		}
		for _, heading := range r.doc.Sections[st.Section].Path {
			if restriction().MatchString(heading) {
				st.qualified(heading)
			}
		}
	}
}

// narrows reports whether a statement says which rows a formula counts: it is about the same subject, or about the
// formula's table.
func (st *Statement) narrows(formula *Statement) bool {
	if st.Attribute != Filter && st.Attribute != Definition {
		return false
	}
	same := st.Key() == formula.Key()
	switch st.Attribute {
	case Filter:
		return st.Polarity != Negative && st.Subject != "" && (same || formula.Formula != nil && base(formula.Formula.Table) == fold(st.Subject))
	case Definition:
		return same && st.Span != formula.Span && restriction().MatchString(st.Value)
	}
	return false
}

func (st *Statement) qualified(by string) {
	if !slices.Contains(st.Qualifiers, by) {
		st.Qualifiers = append(st.Qualifiers, by)
	}
}
