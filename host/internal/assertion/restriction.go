package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// restriction matches a word by which a sentence restricts rows.
var restriction = text.Pattern(`(?i)(?:^|[^\pL])(?:only|solely|exclusively|exclud(?:e|es|ed|ing)|excl\.|without|except|excepting|ignor(?:e|es|ed|ing)|omit(?:s|ted)?|disregard(?:s|ed)?|` +
	`filter(?:s|ed)?|(?:leave|leaves|left) out|not (?:be )?(?:count|counted|included|part of|belong)|(?:do|does)n['’]t (?:count|include|belong)|never (?:count|counts|counted|include|includes)|` +
	`nur|lediglich|ausschließlich|ohne|außer|ausgenommen|ausgeschlossen|ignoriert|gefiltert|herausgefiltert|zählen|zählt|gezählt|mitgezählt|berücksichtigt|außen vor|gehör(?:en|t) (?:hier |da )?nicht|(?:bleiben|bleibt) (?:\pL+ ){0,2}(?:draußen|weg)|(?:lassen|lässt|nehmen|nimmt|rechnen|rechnet) (?:\pL+ ){1,3}(?:weg|raus|heraus)|(?:nehmen|nimmt|rechnen|rechnet) (?:\pL+ ){0,2}nicht mit)(?:$|[^\pL])|` +
	`(?i)(?:^|[^\pL])(?:where|wo|for|für) [^=<>]{1,60}[=<>]`)

// restrictingWords begin the words without which no sentence restricts rows, unless it has a comparison.
var restrictingWords = strings.Fields("only sole exclu excl without except ignor omit disregard filter leave left don doesn does never nur lediglich ausschließ ohne außer ausgenommen ausgeschlossen gefiltert herausgefiltert zähl gezählt mitgezählt berücksichtigt außen weg raus heraus draußen rechne")

// restricting reports whether a sentence may restrict rows.
func (s *sentence) restricting() bool {
	return strings.ContainsAny(s.text, "=<>") || slices.ContainsFunc(s.words, func(w string) bool {
		return w == "not" || slices.ContainsFunc(restrictingWords, func(begin string) bool { return strings.HasPrefix(w, begin) })
	})
}

// placed is a formula or a restriction, and its place in the text.
type placed struct {
	section, block, passage int
	item                    bool
	// alone says that a restriction applies only to formulas of its own paragraph, because it names its
	// rows itself.
	alone bool
	// at is the index of a formula's statement, text is the text of a restriction.
	at   int
	text string
}

func (s *sentence) place() placed {
	return placed{section: s.section, block: s.block, passage: s.passage, item: s.item}
}

// beside reports whether a restriction may apply to a formula: both are in one paragraph, in adjacent ones, or
// in adjacent items of a list.
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

// formula records that the last statement is a formula.
func (r *reader) formula(s *sentence) {
	p := s.place()
	p.at = len(r.doc.Statements) - 1
	r.formulas = append(r.formulas, p)
}

// restrict records a restriction.
func (r *reader) restrict(s *sentence, text string) {
	p := s.place()
	p.text = text
	p.alone = !s.general() && slices.ContainsFunc(r.formulas, func(f placed) bool { return f.passage == s.passage && !s.item })
	r.restrictions = append(r.restrictions, p)
}

// general reports whether a sentence may be about the definitions of other paragraphs, too: "All of these exclude tests."
func (s *sentence) general() bool { return slices.ContainsFunc(s.words, sweeping) }

// sweeping reports whether a word is one of those with which a sentence speaks of several definitions.
func sweeping(w string) bool {
	switch w {
	case "all", "both", "these", "those", "every", "each", "everywhere", "always", "generally", "numbers", "figures", "metrics", "measures", "definitions", "above", "following", "whole", "beide", "beiden", "alle", "allen", "aller", "jede", "jeder", "jedes", "überall", "immer", "generell", "grundsätzlich", "zahlen", "kennzahlen", "definitionen", "oben", "obigen", "folgenden", "sämtliche", "sämtlichen":
		return true
	}
	return false
}

// narrow adds to each formula the conditions in other sentences and headings as qualifiers: a person has to decide
// whether they are part of the calculation.
func (r *reader) narrow() {
	for _, f := range r.formulas {
		st := &r.doc.Statements[f.at]
		for _, c := range r.restrictions {
			if c.beside(f) && !r.settled(c.text, st) {
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

// narrows reports whether a filter statement applies to a formula: it has the same subject, or is about the formula's
// table.
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

// doubtful words in a name say that it is not ours, or not so.
var doubtful = text.Words("wrong false incorrect naive naively old former formerly previous previously legacy competitor competitors not never no nobody none without except unless instead nor neither some sometimes usually rarely other others another only " +
	"falsch falsche falscher falsches alte alter früher frühere ehemals konkurrenz wettbewerb nicht nie niemals kein keine keiner ohne außer manchmal meistens andere anderer niemand nur")

// Restricts reports whether words say which rows are meant, or that something is not so.
func Restricts(s string) bool {
	return restriction().MatchString(s) || slices.ContainsFunc(lowered(s), doubtful)
}

// lost returns a value, a flag or a column of the table that the sentences of a definition have and its formula has not, whatever else was
// passed over; "" = there is none. Reasons, and what is counted as well, may have them.
func (r *reader) lost(s *sentence, st *Statement) string {
	table := r.tableOf(st)
	if table == "" {
		return ""
	}
	said, formula := []string{s.text}, strings.ToLower(st.Formula.String())
	if r.following != nil && r.following.read {
		said = append(said, r.following.text)
	}
	has := func(name string) bool { return strings.Contains(formula, strings.ToLower(name)) }
	chosen := func(column string) bool { return column != "" && st.Formula.chooses(column) } // beside a value of the same column another one is not meant
	for _, text := range said {
		if reason := reasoning().FindStringIndex(text); reason != nil {
			text = text[:reason[0]]
		}
		for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
			if alsoInside().MatchString(strings.TrimSpace(clause)) {
				continue
			}
			for _, p := range parted(clause) {
				if !p.isWord || p.class != 0 {
					continue
				}
				of, value := r.valueOf(table, p.text)
				flag, column := r.o.Lexicon.Flag(table, p.text), r.o.Lexicon.Column(table, p.text)
				switch {
				case strings.Contains(p.text, "_") && strings.EqualFold(column, p.text) && !has(column), !has(flag):
					return p.text
				case !has(value) && !chosen(of) && !containsWords(fold(st.Subject), p.low):
					return p.text
				}
			}
		}
	}
	return ""
}

// chooses reports whether a formula wants a value of a column: in a condition that leaves nothing out, or inside of its calculation.
func (f *Formula) chooses(column string) bool {
	wants := func(text string) bool {
		text, column = strings.ToLower(text), strings.ToLower(column)
		return strings.HasPrefix(text, column+" = ") || strings.HasPrefix(text, column+" in (")
	}
	for side := f; side != nil; side = side.Divisor {
		if slices.ContainsFunc(side.Where, func(c Condition) bool { return !c.Excluded && wants(c.Text) }) {
			return true
		}
	}
	_, inside, found := strings.Cut(strings.ToLower(f.Expr), "when ")
	return found && wants(inside)
}
