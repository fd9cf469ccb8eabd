package dialect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ValidateAll checks the dialects of a connector that is built with this package:
// each by itself, that all have one family name, and that the last one fits every
// server.
// Errors: every problem at once, joined.
func ValidateAll(dialects []Dialect) error { return ValidateBy(dialects, len(required)-1) }

// ValidateBy is ValidateAll for a connector that was built for a minor of the
// contract. Conformance calls it; a host does not, because a newer connector may
// have forms that the host does not know.
func ValidateBy(dialects []Dialect, minor int) error {
	if len(dialects) == 0 {
		return errors.New("there is no dialect")
	}
	var all []error
	for i := range dialects {
		d := &dialects[i]
		if err := d.validate(minor); err != nil {
			all = append(all, fmt.Errorf("dialect %d (%s %s %s-%s): %w", i, d.Name, d.Product, d.MinVersion, d.MaxVersion, err))
		}
		if d.Name != dialects[0].Name {
			all = append(all, fmt.Errorf("dialect %d is named %q, the first one %q", i, d.Name, dialects[0].Name))
		}
	}
	if last := &dialects[len(dialects)-1]; last.Product != "" || last.MinVersion != "" || last.MaxVersion != "" {
		all = append(all, errors.New("the last dialect must fit every server: no Product, no MinVersion, no MaxVersion"))
	}
	return errors.Join(all...)
}

// Validate checks that the guard and the compiler can work with the dialect: the
// required forms are there, templates use the placeholders of their form, the
// printing quotes are among the lexed ones, and enumerations have known values.
// Errors: every problem at once, joined.
func (d *Dialect) Validate() error { return d.validate(len(required) - 1) }

func (d *Dialect) validate(minor int) error {
	v := &validation{d: d, minor: minor}
	if d.Name == "" || d.Name != strings.ToLower(d.Name) {
		v.add("Name %q is not a lower-case name", d.Name)
	}
	for _, bound := range []string{d.MinVersion, d.MaxVersion} {
		if bound != "" && len(numbers(bound)) == 0 {
			v.add("version bound %q has no number", bound)
		}
	}
	v.enumerations()
	v.lexis()
	v.guard()
	v.templates()
	return errors.Join(v.problems...)
}

// Understood reports enumeration values that this package does not know: those of a
// connector that was built with a later one. A compiler checks first, because it
// would write an unknown value as another one.
// Errors: every value at once, joined.
func (d *Dialect) Understood() error {
	v := &validation{d: d}
	v.enumerations()
	return errors.Join(v.problems...)
}

type validation struct {
	d        *Dialect
	minor    int // of the contract that the dialect was built for
	problems []error
}

func (v *validation) add(format string, args ...any) {
	v.problems = append(v.problems, fmt.Errorf(format, args...))
}

func (v *validation) enumerations() {
	d := v.d
	oneOf(v, "Folding", d.Folding, FoldLower, FoldUpper, FoldInsensitive, FoldNone)
	oneOf(v, "TableFolding", d.TableFolding, "", FoldLower, FoldUpper, FoldInsensitive, FoldNone)
	oneOf(v, "Limit", d.Limit, LimitOffset, LimitTop, LimitFetch)
	oneOf(v, "Parameter", d.Parameter, ParameterNone, ParameterQuestion, ParameterDollar, ParameterAt, ParameterColon)
	oneOf(v, "NullsAscending", d.NullsAscending, NullsFirst, NullsLast)
	oneOf(v, "NullsDescending", d.NullsDescending, NullsFirst, NullsLast)
	oneOf(v, "Boolean", d.Boolean, BooleanNative, BooleanInteger, BooleanNone)
	oneOf(v, "IntegerDivision", d.IntegerDivision, DivisionTruncates, DivisionDecimal, DivisionFloat)
	oneOf(v, "Zones", d.Zones, "", ZoneIANA, ZoneWindows, ZoneOffset, ZoneAny)
}

func oneOf[T ~string](v *validation, field string, value T, known ...T) {
	if !slices.Contains(known, value) {
		v.add("%s %q is none of %q", field, value, known)
	}
}

func (v *validation) lexis() {
	x := &v.d.Lexis
	v.printing("Identifier", v.d.Identifier, x.Identifiers)
	v.printing("String", v.d.String, x.Strings)
	for _, q := range slices.Concat(x.Strings, x.Identifiers) {
		if q.Open == "" || q.Close == "" {
			v.add("a quote of the lexis has no Open or no Close: %+v", q)
		} else if !knownQuote(&q) {
			v.add("no engine known to Loam quotes like this: %+v", q)
		}
	}
	for _, q := range x.Identifiers {
		if slices.ContainsFunc(x.Strings, func(s Quote) bool { return strings.EqualFold(s.Prefix, q.Prefix) && s.Open == q.Open }) {
			v.add("%s%s opens both a string and an identifier", q.Prefix, q.Open)
		}
	}
	if len(x.Strings) >= dollarQuote || len(x.Identifiers) >= dollarQuote {
		v.add("the lexis has more than %d quotes", dollarQuote-1)
	}
	for _, c := range x.BlockComments {
		if c.Open == "" || c.Close == "" {
			v.add("a block comment has no Open or no Close")
		} else if !knownBlockComment(&c) {
			v.add("no engine known to Loam writes a comment as %s … %s", c.Open, c.Close)
		}
	}
	for _, c := range x.LineComments {
		if c.Open != "" && !knownLineComment(c.Open) {
			v.add("no engine known to Loam starts a line comment with %s", c.Open)
		}
	}
	for _, p := range x.Parameters {
		if p != "" && !knownParameter(p) {
			v.add("no engine known to Loam starts a parameter with %s", p)
		}
	}
	openings := slices.Concat(x.ExecutableComments, x.Parameters)
	for _, c := range x.LineComments {
		openings = append(openings, c.Open)
	}
	if slices.Contains(openings, "") {
		v.add("a comment or a parameter of the lexis is empty")
	}
	for _, r := range x.IdentifierStart + x.IdentifierPart {
		if !knownIdentifier(string(r)) {
			v.add("the identifier character %q is none of $, # and @; letters, also beyond ASCII, are known", r)
		}
	}
}

// printing checks a quote that writes: it must be able to hold every text and
// must read back.
func (v *validation) printing(field string, q Quote, lexed []Quote) {
	if q.Open == "" || q.Close == "" {
		v.add("%s has no quotes", field)
		return
	}
	if !q.Doubled && !q.Backslash {
		v.add("%s cannot hold its own closing quote: neither Doubled nor Backslash", field)
	}
	if !slices.ContainsFunc(lexed, func(l Quote) bool { return strings.EqualFold(l.Prefix, q.Prefix) && l.Open == q.Open && reads(l, q) }) {
		v.add("%s %s%s is not among the lexis' quotes with the same rules", field, q.Prefix, q.Open)
	}
}

// reads reports whether text written by the rules of w is read by those of l.
func reads(l, w Quote) bool {
	return l.Close == w.Close && l.Backslash == w.Backslash && (l.Doubled || !w.Doubled)
}

func (v *validation) guard() {
	g := &v.d.Guard
	query := false
	for _, s := range g.Statements {
		query = query || s.Kind == StatementQuery
		oneOf(v, "Statement.Kind", s.Kind, StatementQuery, StatementWith, StatementExplain, StatementShow)
		v.upper(s.Words)
		if len(s.Words) > 0 && s.Kind.Known() && !Opens(s.Words[0], s.Kind) {
			v.add("a statement that begins with %s and has the kind %s is refused whatever a dialect says", s.Words[0], s.Kind)
		}
		if len(s.Options) > 0 {
			v.upper(s.Options)
		}
		for _, o := range s.Options {
			if !ExplainOption(o) {
				v.add("the option %s of %s is refused whatever a dialect says", o, strings.Join(s.Words, " "))
			}
		}
		if len(s.Refused) > 0 {
			v.upper(s.Refused)
		}
	}
	if !query {
		v.add("the guard accepts no query")
	}
	for _, p := range g.Phrases {
		v.upper(p.Words)
		if p.Reason == "" {
			v.add("the phrase %q has no reason", p.Words)
		}
	}
	for _, r := range slices.Concat(g.Functions, g.Relations) {
		middle := strings.TrimSuffix(strings.TrimPrefix(r.Pattern, "*"), "*")
		if middle == "" || middle != strings.ToLower(middle) || strings.Contains(middle, "*") {
			v.add("the pattern %q is not lower case with a * at most at its ends", r.Pattern)
		}
		if r.Reason == "" {
			v.add("the pattern %q has no reason", r.Pattern)
		}
	}
}

func (v *validation) upper(words []string) {
	if len(words) == 0 {
		v.add("a statement or phrase of the guard has no words")
	}
	for _, w := range words {
		if w == "" || w != strings.ToUpper(w) || strings.ContainsAny(w, " \t\n") {
			v.add("%q of the guard is not one upper-case word", w)
		}
	}
}

func (v *validation) templates() {
	for _, form := range RequiredBy(v.minor) {
		if _, ok := v.d.Forms[form]; !ok {
			v.add("the required form %s is missing", form)
		}
	}
	if v.d.Boolean == BooleanNone && (v.d.Forms[BoolValue] == "" || v.d.Forms[BoolTest] == "") {
		v.add("without boolean values the forms %s and %s are required", BoolValue, BoolTest)
	}
	for _, form := range slices.Sorted(maps.Keys(v.d.Forms)) {
		want, known := placeholders(form)
		if !known {
			v.add("the form %s is unknown", form)
			continue
		}
		used := v.used(string(form), v.d.Forms[form])
		for _, name := range used {
			if !slices.Contains(want, name) {
				v.add("the form %s uses the unknown placeholder {%s}", form, name)
			}
		}
		for _, name := range want {
			if !slices.Contains(used, name) {
				v.add("the form %s does not use {%s}", form, name)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v.d.Functions)) {
		name, _, _ := strings.Cut(key, "/")
		if !slices.Contains(PortableFunctions(), name) {
			v.add("the function %s is unknown", name)
		}
		for _, p := range v.used(key, v.d.Functions[key]) {
			if n, err := strconv.Atoi(p); p != "args" && (err != nil || n < 1) {
				v.add("the function %s uses the unknown placeholder {%s}", name, p)
			}
		}
	}
	for _, logical := range slices.Sorted(maps.Keys(v.d.Types)) {
		if !slices.Contains(logicalTypes, logical) || v.d.Types[logical] == "" {
			v.add("the type %q is unknown or has no native name", logical)
		}
	}
}

// used lists the placeholders of a template.
func (v *validation) used(name, template string) []string {
	var all []string
	if _, ok := expand(template, func(p string) (string, bool) { all = append(all, p); return "", true }); !ok {
		v.add("the template of %s has a brace that is not closed", name)
	}
	return all
}
