package assertion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// Extract is a statement that a language model found in a text. It is used only if no rule can read
// the sentence, and only if its fields are parts of the text that it quotes.
type Extract struct {
	// Quote is a part of the text, equal up to white space.
	Quote     string
	Attribute Attribute
	// Subject, Value and Unit consist of words of the quote, or are known names.
	Subject, Value, Unit string
	// Expr, Filter and Table are parts of the sentence: the calculation of a formula without its
	// conditions, the condition, the table. For a value label or a unit, Table is the column.
	// "" = not stated.
	Expr, Filter, Table string
	Polarity            Polarity
	// ValidFrom and ValidTo are dates as the quote writes them; "" = open.
	ValidFrom, ValidTo string
}

// Extracted is the Rule of statements that come from an Extract.
const Extracted = "extract"

// place is a position of the quote of an extract in the text.
type place struct {
	Span
	extract int
	// reached says that a sentence that contains it, or its beginning, was read.
	reached bool
}

// extracts are the extracts of a text, by the places of their quotes.
type extracts struct {
	all    []Extract
	places []place // ordered by their beginning
	used   map[int]bool
	// foreign counts quotes that are not in the text, changed those with fields that are not.
	foreign, changed int
}

// maxPlaces bounds the places of one quote.
const maxPlaces = 20

// locate returns the places of the quotes in a text.
func locate(all []Extract, text string) extracts {
	x := extracts{all: all, used: map[int]bool{}}
	if len(all) == 0 {
		return x
	}
	folded, at := unspaced(text)
	for i := range all {
		quote, found, from := strings.Join(strings.Fields(all[i].Quote), " "), 0, 0
		for quote != "" && found < maxPlaces {
			next := strings.Index(folded[from:], quote)
			if next < 0 {
				break
			}
			from += next
			x.places = append(x.places, place{Span: Span{at[from], at[from+len(quote)-1] + 1}, extract: i})
			from += len(quote)
			found++
		}
		if found == 0 {
			x.foreign++
		}
	}
	slices.SortStableFunc(x.places, func(a, b place) int { return cmp.Compare(a.From, b.From) })
	return x
}

// unspaced returns a text with single spaces, and for each of its bytes the original offset.
func unspaced(text string) (folded string, at []int) {
	var b strings.Builder
	at = make([]int, 0, len(text))
	space := true
	for i, r := range text {
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
				at = append(at, i)
			}
			space = true
			continue
		}
		space = false
		n := b.Len()
		b.WriteRune(r)
		for j := range b.Len() - n {
			at = append(at, i+j)
		}
	}
	return b.String(), at
}

// of returns the places that begin in a sentence, or before it and in no other sentence.
func (x *extracts) of(s *sentence) (all []*place) {
	for i := range x.places {
		p := &x.places[i]
		if p.From >= s.To {
			break
		}
		if p.To > s.From && !p.reached {
			p.reached = true
			all = append(all, p)
		}
	}
	return all
}

func (x *extracts) notes() (notes []string) {
	if x.foreign > 0 {
		notes = append(notes, fmt.Sprintf("left out of what the model found: %d with a quote that the text does not have", x.foreign))
	}
	if x.changed > 0 {
		notes = append(notes, fmt.Sprintf("left out of what the model found: %d with words that their quote does not have", x.changed))
	}
	return notes
}

// extracted adds the statement of an extract whose quote begins in a sentence that no rule can read, and
// reports whether it is a formula.
func (r *reader) extracted(s *sentence, text string, p *place, from, to time.Time) bool {
	if r.extracts.used[p.extract] {
		return false
	}
	r.extracts.used[p.extract] = true
	st, ok := r.accept(s, text, &r.extracts.all[p.extract], p.Span)
	if !ok {
		r.extracts.changed++
		return false
	}
	if st.ValidFrom.IsZero() {
		st.ValidFrom = from
	}
	if st.ValidTo.IsZero() {
		st.ValidTo = to
	}
	return r.keep(s, &st) && st.Attribute == FormulaOf
}

// accept returns the statement of an extract, if all of its fields are in the text.
func (r *reader) accept(s *sentence, text string, e *Extract, at Span) (Statement, bool) {
	st := Statement{
		Attribute: e.Attribute, Subject: term(e.Subject), Value: clean(e.Value), Unit: clean(e.Unit), Polarity: e.Polarity,
		Span: s.Span, Section: s.section, Language: s.language, Rule: Extracted, Weak: true,
	}
	for _, field := range []string{e.Subject, e.Value, e.Unit} {
		if !r.within(field, e.Quote) {
			return st, false
		}
	}
	for _, d := range []struct {
		text string
		set  func(period)
	}{{e.ValidFrom, func(p period) { st.ValidFrom = p.from }}, {e.ValidTo, func(p period) { st.ValidTo = p.to }}} {
		if d.text == "" {
			continue
		}
		moment, ok := date(d.text)
		if !ok || !strings.Contains(e.Quote, d.text) {
			return st, false
		}
		d.set(moment)
	}
	beyond := ""
	if at.To > s.To {
		beyond = r.doc.Text[s.To:at.To]
	}
	return st, r.complete(s, text+" "+beyond, e, &st)
}

// complete checks a statement by its attribute, and sets the fields of that attribute.
func (r *reader) complete(s *sentence, text string, e *Extract, st *Statement) bool {
	switch e.Attribute {
	case FormulaOf:
		return nominal(st.Subject) && calculated(text, e, st)
	case Filter:
		condition := cmp.Or(e.Filter, e.Value)
		if _, ok := cut(plain(text), condition); !ok || !named(st.Subject) {
			return false
		}
		st.Formula = &Formula{Table: tableOf(r.table(text, e), st.Subject)}
		st.Formula.condition(literal(trimArticle(condition)), e.Polarity == Negative)
		st.Value, st.Polarity = cmp.Or(st.Value, clean(condition)), Positive
		return true
	case Unit, TimeZone:
		st.Column = r.table(text, e)
		if st.Unit = cmp.Or(st.Unit, st.Value); st.Attribute == TimeZone {
			st.Value, st.Unit = st.Unit, ""
		} else {
			st.Value = st.Unit
		}
		return named(st.Subject) && cmp.Or(st.Value, st.Unit) != ""
	case ValueLabel:
		st.Subject, st.Column = strings.Trim(st.Subject, "'\"`“”„"), r.table(text, e)
		return st.Subject != "" && st.Column != "" && phraseOfLabel(st.Value)
	case Synonym, Expansion:
		// A sentence that states a synonym must state nothing else.
		if unread(remove(plain(text), e.Subject, e.Value), nameWords) != "" {
			st.Attribute = Definition
		}
		return named(st.Subject) && st.Value != ""
	case Definition, Deprecation, Relation, Calendar, Owner, Grain:
		return named(st.Subject) && (st.Value != "" || e.Attribute == Deprecation)
	}
	return false
}

// within reports whether a field consists of words and signs of a quote, or is a known name.
func (r *reader) within(field, quote string) bool {
	if field == "" || r.o.Known != nil && r.o.Known(clean(field)) {
		return true
	}
	has := lowered(quote)
	for _, w := range lowered(field) {
		if !slices.Contains(has, w) {
			return false
		}
	}
	for _, sign := range field {
		if !unicode.IsLetter(sign) && !unicode.IsDigit(sign) && !unicode.IsSpace(sign) && !strings.ContainsRune(quote, sign) {
			return false
		}
	}
	return true
}

// table returns the table or column of an extract, if the sentence contains it or it is a known name.
func (r *reader) table(text string, e *Extract) string {
	if _, ok := cut(plain(text), e.Table); ok || r.o.Known != nil && r.o.Known(clean(e.Table)) {
		return clean(e.Table)
	}
	return ""
}

// calculated reads the formula of an extract with the rules. It removes the formula's parts from the
// sentence; if more than a phrase such as "is computed as" remains, the rest becomes Statement.Unread.
func calculated(text string, e *Extract, st *Statement) bool {
	expr, filter, table := plain(cmp.Or(e.Expr, e.Value)), plain(e.Filter), plain(e.Table)
	rest, ok := cut(plain(text), expr)
	if !ok {
		return false
	}
	if strings.Contains(expr, filter) { // the rules read it there
		filter = ""
	} else if rest, ok = cut(rest, filter); !ok {
		return false
	}
	if rest, ok = cut(rest, e.Subject); !ok {
		return false
	}
	if rest, ok = cut(rest, table); !ok {
		table = "" // it is in the expression, or the rules find it or ask
	}
	f, ok := calculation(expr)
	if !ok {
		f = &Formula{Of: expr} // which is no aggregate
	}
	f.Table = cmp.Or(f.Table, clean(table))
	f.filtered(filter)
	st.Formula, st.Unread = f, unread(rest, calculationWords)
	return true
}

// filtered adds a condition that stands apart from the calculation: "where status = 'paid'", "status = 'paid'".
func (f *Formula) filtered(filter string) {
	if head, rest := clauses("x " + filter); filter != "" && head == "x" {
		f.apply(rest)
	} else if filter != "" {
		f.condition(literal(filter), false)
	}
}

// Words without meaning of their own, with which a sentence introduces a calculation or a name. They
// include no word that negates, restricts or aggregates.
var (
	calculationWords = text.Words("is are the a an of as which that we our calculate calculated calculates compute computed computes defined means equals called name named formula metric kpi to get take in on over from table column where with for " +
		"ist sind der die das den dem des ein eine wird werden berechnet definiert als wir unsere unser aus auf im in von tabelle spalte wo mit für heißt")
	nameWords = text.Words("is are the a an of as which that we our also known called call aka same synonym synonymous alias another word name term for stands short means " +
		"ist sind der die das den ein eine auch wird werden genannt heißt synonym steht für kurz bedeutet")
)

// plain returns a text on one line, without backquotes.
func plain(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), " ") }

// cut removes the first whole-word occurrence of a part from a text.
// Shape: ok is false when there is none, or the part is empty.
func cut(text, part string) (rest string, ok bool) {
	part = plain(part)
	for from := 0; part != ""; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		at, end := from+i, from+i+len(part)
		if boundary(text[:at], text[at:]) && boundary(text[:end], text[end:]) {
			return text[:at] + " | " + text[end:], true
		}
		from = end
	}
	return text, false
}

// remove returns a text without the parts that it contains.
func remove(text string, parts ...string) string {
	for _, part := range parts {
		text, _ = cut(text, part)
	}
	return text
}

// boundary reports whether a text may be split between two parts: not inside a word or a name.
func boundary(before, after string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' }
	l, size := utf8.DecodeLastRuneInString(before)
	f, width := utf8.DecodeRuneInString(after)
	if size == 0 || width == 0 {
		return true
	}
	earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	later, _ := utf8.DecodeRuneInString(after[width:])
	named := l == '.' && inside(earlier) && inside(f) || f == '.' && inside(l) && inside(later)
	return !named && !(inside(l) && inside(f))
}

// unread returns the words and signs of a text that are not known.
func unread(text string, known func(string) bool) string {
	var left []string
	for _, w := range strings.Fields(text) {
		bare := strings.Trim(strings.ToLower(w), ".,;:()\"'“”„‘’|–—。")
		if bare != "" && bare != "=" && bare != "|" && !known(bare) {
			left = append(left, w)
		}
	}
	return strings.Join(left, " ")
}
