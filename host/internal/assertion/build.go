package assertion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// quoted reports whether a subject is written as a term: in quotes or as code.
func quoted(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.ContainsRune("\"“„«`", []rune(s)[0])
}

func buildLabel(_ *sentence, st *Statement, m match) bool {
	st.Subject = strings.Trim(m.group("s"), "'\"`“”„")
	if _, computed := calculation(m.group("v")); computed && m.group("c") == "" {
		return false // “ended subscriptions” means count(*) from …
	}
	return st.Subject != "" && phraseOfLabel(st.Value)
}

// phraseOfLabel reports whether a text can be the meaning of a value: any words, but not
// somebody speaking.
func phraseOfLabel(v string) bool { return v != "" && !strings.HasSuffix(v, "?") && !talks(v) }

var weekdays = text.Words("monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend mondays sundays montags sonntags")

// calendarStart is a month or a weekday, or a day of a month.
var calendarStart = text.Pattern(`(?i)^(?:(?:the )?(?:first|1st|1\.?|\d{1,2}(?:\.|st|nd|rd|th)?)(?: of)? )?([\pL]+)(?: \d{1,2}(?:st|nd|rd|th)?)?$`)

func buildCalendar(_ *sentence, st *Statement, _ match) bool {
	m := calendarStart().FindStringSubmatch(st.Value)
	if m == nil {
		return false
	}
	word := strings.ToLower(m[1])
	return months[word] != 0 || weekdays(word)
}

func buildSynonym(_ *sentence, st *Statement, _ match) bool {
	return named(st.Subject) && named(st.Value)
}

// narrowing words begin a clause that restricts a unit, or that names another one.
var narrowing = text.Words("unless except if when where only but or and for not until since otherwise some außer wenn falls sofern nur aber oder und für nicht bis seit ab sonst manche teils wo")

func buildUnit(_ *sentence, st *Statement, m match) bool {
	if rest := lowered(m.group("rest")); len(rest) > 0 && (narrowing(rest[0]) || slices.ContainsFunc(rest, func(w string) bool { return w == "but" || w == "except" || w == "aber" || w == "außer" })) {
		return false
	}
	if per := m.group("per"); per != "" {
		st.Qualifiers = []string{"per " + strings.ToLower(per)}
	}
	if st.Attribute == TimeZone {
		st.Value, st.Unit = st.Unit, ""
	} else {
		st.Value = st.Unit
	}
	return named(st.Subject)
}

// buildFormula accepts a sentence whose predicate is a calculation. It is weak, unless its operand
// or table is written as an identifier.
func buildFormula(_ *sentence, st *Statement, m match) bool {
	f, ok := calculation(m.group("v"))
	if !ok || !nominal(st.Subject) || talks(st.Value) {
		return false
	}
	st.Formula = f
	st.Weak = !identifier(f.Of) && !identifier(f.Table) && !callWord().MatchString(f.Expr)
	return true
}

// identifier reports whether a text is written as an identifier: with "_" or a dot inside.
func identifier(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if i := strings.IndexAny(w, "_."); i > 0 && i < len(w)-1 {
			return true
		}
	}
	return false
}

var unsure = text.Words("that, that more less not no nothing something anything everything you it its it's we they there this these those what how why when either both dass, dass mehr weniger nicht kein keine nichts etwas alles es sie wir dies")

// vague are subjects of technical prose that are not business terms.
var vague = text.Words("zero null nil none true false yes no empty success failure error errors nothing everything something anything undefined default blank missing one two three")

// buildDefinition accepts a term and its meaning. A term with an article, and a common word, are
// weak.
func buildDefinition(_ *sentence, st *Statement, m match) bool {
	raw := m.group("s")
	if !named(st.Subject) || st.Value == "" {
		return false
	}
	list := strings.Fields(strings.ToLower(st.Value))
	if unsure(list[0]) || vague(strings.ToLower(st.Subject)) || len(list) == 1 && !quoted(raw) {
		return false
	}
	for _, w := range list {
		if w = strings.Trim(w, ",.;"); person(w) && w != "we" && w != "our" && w != "us" && w != "wir" && w != "unser" {
			return false
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(raw)), " ")
	if m.group("term") == "" && !quoted(raw) && !acronym(st.Subject) {
		st.Weak = st.Weak || articles(first) || !strings.ContainsFunc(st.Subject[:1], unicode.IsLetter)
	}
	if m.group("term") != "" || quoted(raw) {
		st.Weak = false
	}
	if f, ok := calculation(m.group("v")); ok {
		st.Attribute, st.Formula = FormulaOf, f
	}
	return true
}

func buildExpansion(_ *sentence, st *Statement, _ match) bool {
	if !named(st.Subject) || len(strings.Fields(st.Value)) > 8 {
		return false
	}
	if st.Weak {
		return initials(st.Subject, st.Value)
	}
	st.Weak = !initials(st.Subject, st.Value)
	return true
}

// buildConvention accepts "always exclude x", "never count x", "x wird nicht mitgezählt". Of two
// words the last is the subject: "refunded orders".
func buildConvention(_ *sentence, st *Statement, m match) bool {
	how, verb := strings.ToLower(strings.TrimSpace(m.group("how"))), strings.ToLower(m.group("verb"))
	negated := strings.HasPrefix(how, "never") || strings.HasPrefix(how, "do") || strings.HasPrefix(how, "nie") || how == "nicht"
	excludes := strings.HasPrefix(verb, "exclud") || verb == "ignore" || strings.HasSuffix(verb, " out") ||
		verb == "ausschließen" || verb == "herausfiltern" || verb == "ignorieren" || verb == "weglassen"
	text := literal(trimArticle(m.group("v")))
	if text == "" || st.Subject != "" {
		return false
	}
	subject, table := "", clean(trimArticle(m.group("t")))
	if when := m.group("when"); when != "" {
		list := strings.Fields(clean(when))
		subject = list[len(list)-1]
	}
	comparison := strings.ContainsAny(text, "=<>'\"")
	if subject == "" && table != "" {
		subject = table
	}
	if list := strings.Fields(text); subject == "" && !comparison && len(list) > 1 && len(list) <= 4 {
		subject, text = list[len(list)-1], strings.Join(list[:len(list)-1], " ")
	}
	if len(strings.Fields(text)) > 8 || !comparison && !named(text) {
		return false
	}
	st.Subject, st.Value = subject, text
	st.Formula = &Formula{Table: tableOf(table, subject)}
	// "never exclude" includes; "never count" excludes.
	if excludes {
		st.Formula.condition(text, true)
		st.Polarity = polarity(negated)
	} else {
		st.Formula.condition(text, true)
		st.Polarity = polarity(!negated)
	}
	return true
}

func tableOf(table, subject string) string {
	if table == "" {
		table = subject
	}
	if m := tableName().FindStringSubmatch(table); m != nil {
		return m[1]
	}
	return ""
}

// polarity returns the Polarity of a filter: Positive if rows are excluded.
func polarity(included bool) Polarity {
	if included {
		return Negative
	}
	return Positive
}

// buildInclusion accepts "x excludes y", "x includes only y".
func buildInclusion(s *sentence, st *Statement, m match) bool {
	how, verb := strings.ToLower(strings.TrimSpace(m.group("how"))), strings.ToLower(m.group("verb"))
	if !named(st.Subject) || st.Value == "" || len(strings.Fields(st.Value)) > 8 {
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(m.group("v")), " ")
	if articles(first) && first != "the" || unsure(first) || strings.ContainsAny(st.Value, ":?") {
		return false
	}
	st.Formula = &Formula{}
	only := how == "only" || how == "nur" || m.group("only") != ""
	excludes := strings.HasPrefix(verb, "exclud")
	negated := strings.HasPrefix(how, "do") || how == "never" || how == "keine" || how == "nicht"
	for _, part := range conjuncts(m.group("v"), true) {
		st.Formula.condition(literal(trimArticle(part)), !only)
	}
	if !only {
		st.Polarity = polarity(excludes == negated)
	}
	return len(st.Formula.Where) > 0
}
