package conform

import (
	"fmt"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// castCase is a value of one type as one of another.
type castCase struct {
	from operand
	to   string
	want want
}

// castCases are between all types that have a portable cast.
func castCases() []castCase {
	return []castCase{
		{plain("12"), "text", words("12")},
		{valueOf("int64", "-12"), "text", words("-12")},
		{day("2024-02-29"), "text", words("2024-02-29")},
		{quoted("9223372036854775807"), "int64", whole("9223372036854775807")},
		{valueOf("float64", "3"), "int64", whole("3")},
		{valueOf("decimal", "-3"), "int64", whole("-3")},
		{quoted("0.1234567891"), "decimal", number("0.1234567891")},
		{quoted("1234567890123.25"), "decimal", number("1234567890123.25")},
		{valueOf("float64", "0.29"), "decimal", number("0.29")}, // which is a little less
		{valueOf("float64", "-1.15"), "decimal", number("-1.15")},
		{valueOf("float64", "0.0000001"), "decimal", number("0.0000001")},
		{valueOf("float64", "15000000000"), "decimal", number("15000000000")},
		{valueOf("int64", "9007199254740993"), "decimal", number("9007199254740993")},
		{valueOf("int64", "7"), "float64", double("7")},
		{valueOf("decimal", "-0.125"), "float64", double("-0.125")},
		{quoted("1e-3"), "float64", double("0.001")},
		{moment("2024-02-29 23:59:59"), "date", onDay("2024-02-29")},
		{valueOf("timestamp_tz", "2024-02-29T23:59:59Z"), "date", onDay("2024-02-29")},
		{day("2024-02-29"), "timestamp", atMoment("2024-02-29 00:00:00")},
		{valueOf("timestamp_tz", "2024-02-29T23:59:59Z"), "timestamp", atMoment("2024-02-29 23:59:59")},
		{nullOf("int64"), "text", null},
		{nullOf("text"), "int64", null},
		{nullOf("float64"), "decimal", null},
		{nullOf("timestamp"), "date", null},
	}
}

func dialectCast(s *script) {
	var exams []exam
	for _, c := range castCases() {
		from, ok := s.write(c.from)
		if !ok {
			continue
		}
		if sql, ok := s.cast(from, c.to); ok {
			exams = append(exams, exam{fmt.Sprintf("a %s as %s", c.from.logical, c.to), sql, c.want})
		}
	}
	s.evaluate("", exams)
}

// dialectUnion: a NULL of a type and a value of it are one column, whichever
// comes first, and the value is its maximum.
func dialectUnion(s *script) {
	for _, t := range []sdk.Type{sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal, sdk.TypeText, sdk.TypeDate, sdk.TypeTimestamp} {
		sample := natives[t.String()]
		empty, okNull := s.write(nullOf(t.String()))
		value, ok := s.write(sample.from)
		if !ok || !okNull {
			continue
		}
		if value, ok = s.cast(value, t.String()); !ok {
			continue
		}
		for _, rows := range [][2]string{{empty, value}, {value, empty}} {
			highest, ok := s.expand(dialect.Max, args{"x": plain(s.name("x"))})
			if !ok {
				return
			}
			s.evaluate(s.rows(rows[:]...), []exam{{fmt.Sprintf("the maximum of NULL and a %s", t), highest, sample.want}})
		}
	}
}

// rows is a FROM with a row for each of the expressions: x of n.
func (s *script) rows(expressions ...string) string {
	empty, _ := s.d.Expand(dialect.EmptyFrom, nil)
	from := "FROM ("
	for i, x := range expressions {
		if i > 0 {
			from += " UNION ALL "
		}
		from += "SELECT " + x + " AS " + s.name("x")
		if empty != "" {
			from += " " + empty
		}
	}
	return from + ") " + s.name("n")
}

// values is rows of values of a type.
func (s *script) values(logical string, texts ...string) (string, bool) {
	var all []string
	for _, text := range texts {
		x, ok := s.cast(s.d.QuoteString(text), logical)
		if !ok {
			return "", false
		}
		all = append(all, x)
	}
	return s.rows(all...), true
}

// dialectDecimal: literals and decimals compute as such, not as doubles, where
// the engine has decimals.
func dialectDecimal(s *script) {
	literal := func(text string) string {
		if sql, ok := s.d.Expand(dialect.Literal("decimal"), map[string]string{"v": text}); ok {
			return sql
		}
		return text
	}
	price, ok := s.cast(s.d.QuoteString("19.99"), "decimal")
	if !ok {
		return
	}
	s.evaluate("", []exam{
		{"a sum of literals", "(" + literal("0.1") + " + " + literal("0.2") + ")", number("0.3")},
		{"a product of literals", "(" + literal("1.05") + " * " + literal("1.05") + " * " + literal("1.05") + ")", number("1.157625")},
		{"a product with a decimal", "(" + price + " * " + literal("0.15") + ")", number("2.9985")},
		{"a product with a difference", "(" + price + " * (1 - " + literal("0.05") + "))", number("18.9905")},
		{"a literal of many digits", literal("12345678901234567890.123456789"), number("12345678901234567890.123456789")},
		{"a small literal", literal("0.000000000000000001"), number("0.000000000000000001")},
		{"a literal beside a double", "CASE WHEN " + s.double("0.1") + " = " + literal("0.1") + " THEN 1 ELSE 0 END", number("1")},
		{"a literal in place of NULL", s.call("coalesce", s.null("decimal"), literal("0.5")), number("0.5")},
		{"a literal in place of a rounded NULL", s.call("coalesce", s.call("round", s.null("decimal")), literal("1.5")), number("1.5")},
	})
}

func (s *script) double(text string) string {
	x, _ := s.write(valueOf("float64", text))
	return x
}

func (s *script) null(logical string) string {
	x, _ := s.write(nullOf(logical))
	return x
}

// call writes a function that every dialect has.
func (s *script) call(name string, written ...string) string {
	x, ok := s.d.Call(name, written...)
	if !ok {
		s.wrongf("the dialect has no %s", name)
	}
	return x
}
