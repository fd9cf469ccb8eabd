package conform

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// odd is text with everything that a literal or a pattern could trip over.
const odd = `it's "100%" of \ C_D`

// dialectIdentifier: a quoted name comes back as it is.
func dialectIdentifier(s *script) {
	empty, _ := s.d.Expand(dialect.EmptyFrom, nil)
	for _, name := range []string{"Plain", "select", "odd ]' Näme", "a \"quoted\" `name`"} {
		sql := strings.TrimSpace("SELECT 1 AS " + s.name(name) + " " + empty)
		ask := s.ask
		if !s.d.Identifier.Doubled {
			ask = s.statement // the guard refuses a name with escapes
		}
		switch a, err := ask(sql); {
		case err != nil:
			s.wrongf("%s fails: %v", sql, err)
		case len(a.columns) != 1 || a.columns[0].Name != name:
			s.wrongf("the column %s is named %s", s.name(name), columnList(a.columns))
		}
	}
}

func dialectText(s *script) {
	var exams []exam
	for _, text := range []string{"", "naïve 🙂", odd, `\`, `'`, `''`, `\'`, "two\nlines", "-- no comment", "a;b"} {
		exams = append(exams, exam{"a string literal", s.d.QuoteString(text), words(text)})
	}
	s.evaluate("", exams)
}

func dialectBoolean(s *script) {
	var exams []exam
	for form, w := range map[dialect.Form]want{dialect.True: yes, dialect.False: no} {
		if text, ok := s.expand(form, nil); ok {
			exams = append(exams, exam{string(form), text, w})
		}
	}
	if text, ok := s.d.Expand(dialect.BoolValue, map[string]string{"p": "1 = 1"}); ok {
		exams = append(exams, exam{string(dialect.BoolValue), text, yes})
	}
	for value, answer := range map[dialect.Form]string{dialect.True: "1", dialect.False: "0"} {
		test := s.d.Forms[value]
		if text, ok := s.d.Expand(dialect.BoolTest, map[string]string{"x": test}); ok {
			test = text
		}
		exams = append(exams, exam{string(value) + " as a test", "CASE WHEN " + test + " THEN 1 ELSE 0 END", number(answer)})
	}
	s.evaluate("", exams)
}

// natives are values that a cast must make, or a literal must say.
var natives = map[string]struct {
	from operand
	want want
}{
	"bool":         {plain("1"), yes},
	"int64":        {quoted("-12"), want{sdk.TypeInt64, "-12"}},
	"float64":      {quoted("0.5"), double("0.5")},
	"text":         {plain("12"), words("12")},
	"bytes":        {quoted("ab"), want{sdk.TypeBytes, "ab"}},
	"decimal":      {quoted("-1.50"), number("-1.5")},
	"date":         {quoted("2024-02-29"), onDay("2024-02-29")},
	"time":         {quoted("13:14:15"), want{sdk.TypeTime, "13:14:15"}},
	"timestamp":    {quoted("2024-02-29 13:14:15"), atMoment("2024-02-29 13:14:15")},
	"json":         {quoted(`{"a":[1,null]}`), want{sdk.TypeJSON, `{"a":[1,null]}`}},
	"nested_json":  {quoted(`[1,2]`), want{sdk.TypeNestedJSON, `[1,2]`}},
	"uuid":         {quoted("6f1c5b2e-0d3a-4c5b-9e8f-1a2b3c4d5e6f"), want{sdk.TypeUUID, "6f1c5b2e-0d3a-4c5b-9e8f-1a2b3c4d5e6f"}},
	"timestamp_tz": {valueOf("timestamp_tz", "2024-05-15T13:14:15+02:00"), want{sdk.TypeTimestampTZ, "2024-05-15 11:14:15"}},
}

// proveNative casts to a type, writes a literal of it and a NULL. The answer's
// type is compared unless the target says, by skipping types/type_…, that the
// engine's answers do not tell it.
func (s *script) proveNative(t sdk.Type) {
	name := t.String()
	if s.d.Types[name] == "" {
		s.probe.undeclared("the dialect has no %s", t)
	}
	if class, reason := s.probe.run.target.skipped("types", "type_"+name); class != "" {
		s.untyped = true
		s.probe.remark("the type of answers is not compared: %s", reason)
	}
	var exams []exam
	if cast, ok := s.write(nullOf(name)); ok {
		exams = append(exams, exam{"a NULL of " + name, cast, null})
	}
	sample, ok := natives[name]
	if !ok {
		s.evaluate("", exams) // its text is the engine's own
		return
	}
	from, written := s.write(sample.from)
	if cast, ok := from, written; ok && sample.from.logical != name {
		if cast, ok = s.cast(cast, name); ok {
			exams = append(exams, exam{"a cast to " + name, cast, sample.want})
		}
	}
	if _, ok := s.d.Forms[dialect.Literal(name)]; ok || sample.from.logical == name {
		value := sample.from
		value.logical = name
		if literal, ok := s.write(value); ok {
			exams = append(exams, exam{"a literal of " + name, literal, sample.want})
		}
	}
	s.evaluate("", exams)
}

func dialectArithmetic(s *script) {
	quotient := number("3.5")
	if s.d.IntegerDivision == dialect.DivisionTruncates {
		quotient = number("3")
	}
	native := s.d.Types["int64"]
	exams := append(s.forms([]formCase{
		{dialect.SafeDivide, args{"a": plain("1"), "b": plain("2")}, double("0.5")},
		{dialect.SafeDivide, args{"a": plain("1"), "b": plain("0")}, null},
		{dialect.SafeDivide, args{"a": nullOf("int64"), "b": plain("2")}, null},
		{dialect.SafeDivide, args{"a": valueOf("float64", "1"), "b": valueOf("float64", "0")}, null},
		{dialect.SafeDivide, args{"a": valueOf("decimal", "1.5"), "b": valueOf("decimal", "0.0")}, null},
		{dialect.SafeDivide, args{"a": valueOf("float64", "0"), "b": plain("0")}, null},
		{dialect.SafeDivide, args{"a": plain("1"), "b": nullOf("decimal")}, null},
		{dialect.SafeDivide, args{"a": valueOf("decimal", "1.5"), "b": valueOf("decimal", "0.25")}, double("6")},
		{dialect.SafeDivide, args{"a": plain("2"), "b": plain("3")}, double("0.6666666666666666")},
		{dialect.SafeDivide, args{"a": plain("(-7)"), "b": valueOf("float64", "2")}, double("-3.5")},
		{dialect.Nullable, args{"x": plain("7")}, number("7")},
	}), exam{"7 / 2, by IntegerDivision", "(7 / 2)", quotient})
	if _, ok := s.d.Forms[dialect.TryCast]; ok && native != "" {
		exams = append(exams, s.forms([]formCase{
			{dialect.TryCast, args{"x": quoted("12"), "type": plain(native)}, number("12")},
			{dialect.TryCast, args{"x": quoted("twelve"), "type": plain(native)}, null},
		})...)
	} else {
		s.lack(string(dialect.TryCast))
	}
	s.evaluate("", exams)
}

func equalities() []formCase {
	return []formCase{
		{dialect.NullSafeEqual, args{"a": nullOf("int64"), "b": nullOf("int64")}, yes},
		{dialect.NullSafeEqual, args{"a": plain("1"), "b": nullOf("int64")}, no},
		{dialect.NullSafeEqual, args{"a": nullOf("int64"), "b": plain("1")}, no},
		{dialect.NullSafeEqual, args{"a": plain("1"), "b": plain("1")}, yes},
		{dialect.NullSafeEqual, args{"a": plain("1"), "b": plain("2")}, no},
		{dialect.NullSafeEqual, args{"a": quoted("a"), "b": nullOf("text")}, no},
		{dialect.NullSafeEqual, args{"a": quoted(odd), "b": quoted(odd)}, yes},
		{dialect.NullSafeEqual, args{"a": nullOf("date"), "b": day("2024-02-29")}, no},
		{dialect.NullSafeEqual, args{"a": day("2024-02-29"), "b": day("2024-02-29")}, yes},
		{dialect.NullSafeEqual, args{"a": valueOf("decimal", "1.50"), "b": valueOf("decimal", "1.5")}, yes},
		{dialect.NullSafeEqual, args{"a": valueOf("float64", "0.5"), "b": valueOf("float64", "0.5")}, yes},
		{dialect.NullSafeEqual, args{"a": nullOf("timestamp"), "b": nullOf("timestamp")}, yes},
	}
}

// dialectEqualText: text is equal when it is the same. An engine may compare, group
// and join by a collation that takes more for equal, if the dialect's notes say so.
func dialectEqualText(s *script) {
	for _, c := range []struct{ a, b, what string }{{"a", "A", "case"}, {"a", "ä", "accents"}, {"a", "a ", "space"}} {
		sql, ok := s.expand(dialect.NullSafeEqual, args{"a": quoted(c.a), "b": quoted(c.b)})
		if !ok {
			return
		}
		got, ok := s.list("equal text", s.selection("", []exam{{sql: "CASE WHEN " + sql + " THEN 1 ELSE 0 END"}}))
		if !ok || len(got) == 1 && got[0] == "0" {
			continue
		}
		s.probe.remark("text is compared without regard to %s", c.what)
		if !slices.ContainsFunc(s.d.Notes, func(note string) bool { return strings.Contains(note, "collation") && strings.Contains(note, c.what) }) {
			s.wrongf("%q equals %q, and no note of the dialect says that the collation disregards %s", c.a, c.b, c.what)
		}
	}
}

func search(form dialect.Form, x, p string, w want) formCase {
	return formCase{form, args{"x": quoted(x), "p": quoted(p)}, w}
}

// searches are without regard to case, and know no wildcard.
func searches() []formCase {
	return []formCase{
		search(dialect.Contains, "100% Ada", "% aD", yes),
		search(dialect.Contains, "Ada", "%", no),
		search(dialect.Contains, "Ada", "_", no),
		search(dialect.Contains, "Ada", "", yes),
		search(dialect.Contains, odd, `'S "100%" OF \ c_d`, yes),
		search(dialect.StartsWith, "Ada", "aD", yes),
		search(dialect.StartsWith, "Ada", "d", no),
		search(dialect.StartsWith, "Ada", "_", no),
		search(dialect.StartsWith, "Ada", "", yes),
		search(dialect.StartsWith, "da", "dada", no),
		search(dialect.StartsWith, odd, `IT'S "1`, yes),
		search(dialect.EndsWith, "Ada", "DA", yes),
		search(dialect.EndsWith, "Ada", "d", no),
		search(dialect.EndsWith, "Ada", "%", no),
		search(dialect.EndsWith, "Ada", "", yes),
		search(dialect.EndsWith, "da", "ada", no),
		search(dialect.EndsWith, odd, `\ c_D`, yes),
	}
}

// patterns have wildcards, and \ before those that are meant literally.
func patterns() []formCase {
	return []formCase{
		search(dialect.Like, "Ada_1", `A%\_1`, yes),
		search(dialect.Like, "AdaX1", `A%\_1`, no),
		search(dialect.Like, "Ada", `A_a`, yes),
		search(dialect.Like, "Ada", `A_`, no),
		search(dialect.Like, "100%", `100\%`, yes),
		search(dialect.Like, "1000", `100\%`, no),
		search(dialect.Like, "it's", `it'%`, yes),
		search(dialect.ILike, "Ada_1", `aDA\__`, yes),
		search(dialect.ILike, "AdaX1", `aDA\__`, no),
		search(dialect.ILike, "it's", `IT'%`, yes),
		search(dialect.ILike, "100%", `1%\%`, yes),
		search(dialect.Like, "Ada", `a%`, no),
		search(dialect.Like, "ADA", `ada`, no),
		search(dialect.Like, "it's a*b?[c]", `it_s a*b?[c]`, yes),
		search(dialect.Like, "ab", `a*`, no),
		search(dialect.Like, "ab", `a?`, no),
		search(dialect.Like, "ab", `a[b]`, no),
		search(dialect.Like, `C:\x`, `C:\\_`, yes),
		search(dialect.Like, "xÿz", `x_z`, yes),
		search(dialect.Like, "a\nb", `a%b`, yes),
		search(dialect.Like, "", `%`, yes),
		search(dialect.Like, "a", ``, no),
		search(dialect.ILike, "AB", `a*`, no),
		{dialect.Like, args{"x": nullOf("text"), "p": quoted("%")}, null},
		{dialect.ILike, args{"x": nullOf("text"), "p": quoted("%")}, null},
	}
}
