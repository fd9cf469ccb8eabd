package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// The weak structures: a label and what follows it.
var (
	equation = text.Pattern(`^([^=<>!:：?]{1,100}?)\s*(?::=|\s=\s)\s*([^=].*)$`)
	colon    = text.Pattern(`^([^:：?]{1,160}?)\s?(?::\s|：)\s*(.+)$`)
	dash     = text.Pattern(`^([^–—?]{1,100}?)\s[–—]\s(.+)$`)
	hyphen   = text.Pattern(`^([^?]{1,60}?)\s-\s(.+)$`)
	// defines ends a subject before a colon: "ARR means: …".
	defines = text.Pattern(`(?i)\s+(?:means|heißt|bedeutet|is defined as|ist definiert als)$`)
	// listed matches a value in a list below a column: "1 = open", "'paid': captured".
	listed = text.Pattern("^(?:(-?\\d+|[A-Z])|'([^']+)'|\"([^\"]+)\"|`([^`]+)`)\\s*(?:=|:|–|—|-\\s|→|->|means|bedeutet)\\s*(.+)$")
	// introduced matches an introduction that ends with the column of a list: "orders.status:", "Values of `status`:".
	introduced = text.Pattern("(?i)(?:^|\\s)(" + namePattern + ")(?:\\s+(?:values?|werte|codes?|column|spalte))?\\s*(?:\\([^)]*\\))?\\s*[:：]?$")
	setting    = text.Pattern("(?i)^(?:[\\pL]{2,10},? )?\\d{1,2}:\\d{2}|^(?:-?\\d[\\d.,]*|true|false|null|none|yes|no|on|off|'[^']*'|\"[^\"]*\"|`[^`]*`)$")
)

// structure reads a sentence by its form. All its statements are weak.
func (r *reader) structure(s *sentence, text string) (Statement, bool) {
	if st, ok := r.listed(s, text); ok {
		return st, true
	}
	if s.bold > 0 && s.bold < len(text) && strings.HasPrefix(s.text, text) {
		rest := strings.TrimLeft(text[s.bold:], " :：–—-=")
		if rest != "" && !verbs(strings.ToLower(firstWord(rest))) {
			return labelledBy("bold_lead", text[:s.bold], rest)
		}
	}
	if strings.Contains(text, "=") {
		if m := equation().FindStringSubmatch(text); m != nil {
			return equal(m[1], m[2])
		}
	}
	if m := colonIn(text); m != nil {
		if strings.ContainsRune("[{&*|>!", rune(strings.TrimSpace(m[2])[0])) { // of a file of settings
			return Statement{}, false
		}
		st, ok := labelledBy("colon", m[1], m[2])
		if ok {
			return st, true
		}
		if len(words(m[1])) < 2 || strings.ContainsAny(m[1], "{[<|") { // a key of a file
			return Statement{}, false
		}
		if st, ok = r.dissected(s, m[2]); !ok || st.Unread != "" {
			st, ok = r.match(s, m[2])
		}
		if ok && st.Attribute == FormulaOf {
			st.Qualifiers = append(st.Qualifiers, clean(m[1])) // it may restrict the formula: a person decides
			return st, true
		}
		return Statement{}, false
	}
	if strings.ContainsAny(text, "–—") {
		if m := dash().FindStringSubmatch(text); m != nil {
			return labelledBy("dash", m[1], m[2])
		}
	}
	if strings.Contains(text, " - ") {
		if m := hyphen().FindStringSubmatch(text); m != nil {
			st, ok := labelledBy("dash", m[1], m[2])
			return st, ok && (s.item || st.Attribute == FormulaOf && st.Formula != nil && st.Formula.spells(st.Subject))
		}
	}
	return Statement{}, false
}

// colonIn returns the parts of "X: Y"; nil = the text is not of this form.
func colonIn(text string) []string {
	if !strings.ContainsAny(text, ":：") {
		return nil
	}
	return colon().FindStringSubmatch(text)
}

// spells reports whether a formula has each word of a name, so that "name - formula" is no difference of the two.
func (f *Formula) spells(name string) bool {
	said := lowered(strings.Join([]string{f.Of, f.Expr, f.Table}, " "))
	where := []string{}
	for _, c := range f.Where {
		where = append(where, lowered(c.Text)...)
	}
	list, narrowed := lowered(name), false
	for _, w := range list {
		stem := w[:min(len(w), shortestStem)]
		begins := func(o string) bool {
			return slices.ContainsFunc(strings.FieldsFunc(o, func(r rune) bool { return r == '.' || r == '_' }), func(part string) bool { return strings.HasPrefix(part, stem) })
		}
		if slices.ContainsFunc(where, begins) {
			narrowed = true
		} else if !slices.ContainsFunc(said, begins) {
			return false
		}
	}
	return narrowed && len(list) > 1
}

// formula makes a statement the formula of its subject, where the value is a calculation or a query; a query that is no
// calculation has no Formula.
func (st *Statement) formula(value string) bool {
	f, ok := calculation(value)
	if !ok {
		f = nil
	}
	if !ok && !query(value) || !nominal(st.Subject) && !(st.Rule == "equation" && entitles(st.Subject) && callWord().MatchString(value)) {
		return false
	}
	st.Attribute, st.Formula, st.Rule = FormulaOf, f, "formula"
	return true
}

// equal reads "X = e", where e is a calculation or words.
func equal(subject, value string) (Statement, bool) {
	st := Statement{Attribute: Definition, Rule: "equation", Weak: true, Subject: term(subject), Value: clean(value)}
	if st.formula(value) {
		return st, true
	}
	if !named(st.Subject) {
		return Statement{}, false
	}
	if setting().MatchString(strings.TrimRight(value, ".;")) || strings.ContainsAny(value, "=[]{}<>|\\") || !phrase(st.Value) || len(strings.Fields(st.Value)) < 2 {
		return Statement{}, false
	}
	expand(&st)
	return st, true
}

// labelledBy reads "X: Y", "X – Y" and "**X** Y".
func labelledBy(name, subject, value string) (Statement, bool) {
	subject = defines().ReplaceAllString(subject, "")
	st := Statement{Attribute: Definition, Rule: name, Weak: true, Subject: term(strings.TrimRight(subject, ":： ")), Value: clean(value)}
	if st.formula(value) {
		return st, true
	}
	if !named(st.Subject) || st.Value == "" {
		return Statement{}, false
	}
	if owner, ok := strings.CutSuffix(strings.ToLower(st.Subject), " owner"); ok && owner != "" {
		st.Attribute, st.Subject = Owner, st.Subject[:len(owner)]
		return st, named(st.Subject)
	}
	if setting().MatchString(strings.TrimRight(value, ".;")) || !phrase(strings.TrimRight(strings.TrimSpace(value), ".;")) || len(strings.Fields(st.Value)) < 2 && !dense(st.Value) {
		return Statement{}, false
	}
	expand(&st)
	return st, true
}

// dense reports whether a text is in a script without spaces, so that it can be several words.
func dense(s string) bool {
	n := 0
	for _, r := range s {
		if r >= 0x2e80 {
			n++
		}
	}
	return n >= 4
}

// expand turns a definition that spells out its subject's initials into an expansion.
func expand(st *Statement) {
	if initials(st.Subject, st.Value) {
		st.Attribute = Expansion
	}
}

// listed reads the values of a column in a list below its name.
func (r *reader) listed(s *sentence, text string) (Statement, bool) {
	if !s.item {
		return Statement{}, false
	}
	m := listed().FindStringSubmatch(text)
	if bare := bareListed().FindStringSubmatch(text); m == nil && bare != nil && r.isValue(r.columnOf(s), bare[1]) {
		m = []string{text, bare[1], "", "", "", bare[2]}
	}
	if m == nil {
		return Statement{}, false
	}
	column := r.columnOf(s)
	if column == "" {
		return Statement{}, false
	}
	st := Statement{Attribute: ValueLabel, Rule: "value_list", Weak: true, Subject: m[1] + m[2] + m[3] + m[4], Value: clean(m[5]), Column: column}
	return st, phraseOfLabel(st.Value)
}

// bareListed matches a word in a list, which may be a value of the list's column: "pending: not captured yet".
var bareListed = text.Pattern(`(?i)^([\pL_][\pL\d_-]*)\s*(?:=|:|–|—|-|→|->|means|bedeutet|heißt)\s+(.+)$`)

// isValue reports whether a column, with its table, is known to have a value.
func (r *reader) isValue(column, value string) bool {
	table, name, ok := r.splitColumn(column)
	if !ok {
		return false
	}
	of, _ := r.o.Lexicon.Value(table, value)
	return of == name
}

// columnOf returns the column of a list: the name at the end of its introduction or heading; "" = none.
func (r *reader) columnOf(s *sentence) string {
	intro := s.intro
	if path := r.doc.Sections[s.section].Path; intro == "" && len(path) > 0 {
		intro = path[len(path)-1]
	}
	// The name and the words after it are at the end.
	list := strings.Fields(intro)
	m := introduced().FindStringSubmatch(strings.Join(list[max(0, len(list)-6):], " "))
	if m == nil || len(m[1]) > maxSlug || !r.column(m[1]) {
		return ""
	}
	return clean(m[1])
}

// column reports whether a word is written as a name or is a known one.
func (r *reader) column(name string) bool {
	return strings.HasPrefix(name, "`") || identifier(name) || r.o.Known != nil && r.o.Known(clean(name)) || clean(name) == "status"
}
