package conform

import "slices"

// functionCase is a call of a portable function and its answer.
type functionCase struct {
	name string
	args []operand
	want want
}

func call(name string, w want, arguments ...operand) functionCase {
	return functionCase{name, arguments, w}
}

// functions calls what the dialect has.
func (s *script) functions(cases []functionCase) { s.evaluate("", s.calls(cases)) }

// calls writes the cases that the dialect can.
func (s *script) calls(cases []functionCase) []exam {
	fractions := true
	var exams []exam
	for _, c := range cases {
		written, ok := make([]string, len(c.args)), true
		for i, o := range c.args {
			text, fine := s.write(o)
			written[i], ok = text, ok && fine
			if o.logical == "timestamp" && len(o.text) > len("2006-01-02 15:04:05") {
				fractions = fractions && s.holdsFractions()
				ok = ok && fractions
			}
		}
		if !ok {
			continue
		}
		sql, ok := s.d.Call(c.name, written...)
		if !ok {
			s.lack(c.name)
			continue
		}
		exams = append(exams, exam{c.name, sql, c.want})
	}
	return exams
}

// functionRoom is functions of one kind.
type functionRoom struct {
	name  string
	cases []functionCase
}

// functionRooms call every portable function; a test tests that none is left out.
func functionRooms() []functionRoom { return slices.Concat(numberRooms(), textRooms()) }

func numberRooms() []functionRoom {
	return []functionRoom{
		{"choice", []functionCase{
			call("coalesce", number("3"), nullOf("int64"), nullOf("int64"), plain("3")),
			call("nullif", null, plain("1"), plain("1")),
			call("nullif", number("1"), plain("1"), plain("2")),
			call("greatest", number("3"), plain("1"), plain("3")),
			call("greatest", number("3"), plain("1"), plain("3"), plain("2")),
			call("least", number("1"), plain("3"), plain("1")),
			call("least", number("1"), plain("3"), plain("1"), plain("2")),
		}},
		{"number", []functionCase{
			call("abs", number("2"), plain("(-2)")),
			call("abs", whole("2"), valueOf("int64", "-2")),
			call("ceil", number("2"), plain("1.2")),
			call("ceil", number("-1"), plain("(-1.2)")),
			call("floor", number("1"), plain("1.8")),
			call("floor", number("-2"), plain("(-1.2)")),
			call("sign", whole("-1"), plain("(-3)")),
			call("sign", whole("0"), plain("0")),
			call("exp", number("1"), valueOf("float64", "0")),
			call("ln", number("0"), valueOf("float64", "1")),
			call("sqrt", number("3"), valueOf("float64", "9")),
			call("power", number("8"), plain("2"), plain("3")),
			call("mod", number("1"), plain("7"), plain("3")),
			call("mod", number("-1"), plain("(-7)"), plain("3")),
			call("mod", number("1"), plain("7"), plain("(-3)")),
			call("mod", number("1"), plain("9007199254740993"), plain("2")), // which is no double
			call("round", number("3"), valueOf("float64", "2.6")),
			call("round", number("-2"), valueOf("float64", "-2.4")),
			call("round", number("2.35"), valueOf("float64", "2.346"), plain("2")),
			call("round", number("12345678901234568"), valueOf("float64", "12345678901234568")),
			call("round", number("12345678901234568"), valueOf("float64", "12345678901234568"), plain("2")),
		}},
		{"decimal", []functionCase{
			call("abs", number("2.5"), valueOf("decimal", "-2.5")),
			call("sign", whole("-1"), valueOf("decimal", "-2.5")),
			call("mod", number("1.5"), valueOf("decimal", "7.5"), plain("2")),
			call("mod", number("0.5"), valueOf("decimal", "1.5"), plain("1")),
			call("mod", number("0.3"), valueOf("decimal", "7.5"), valueOf("decimal", "0.4")),
			call("round", number("3"), valueOf("decimal", "2.5")),
			call("round", number("-3"), valueOf("decimal", "-2.5")),
			call("round", number("2.38"), valueOf("decimal", "2.375"), plain("2")),
		}},
	}
}

func textRooms() []functionRoom {
	return []functionRoom{
		{"text", []functionCase{
			call("concat", words("a1b"), quoted("a"), plain("1"), quoted("b")),
			call("concat", words("ab"), quoted("a"), nullOf("text"), quoted("b"), nullOf("int64")),
			call("concat", words(""), nullOf("text")),
			call("concat", words("123456"), plain("1"), plain("2"), plain("3"), plain("4"), plain("5"), quoted("6")),
			call("lower", words("ab"), quoted("Ab")),
			call("upper", words("AB"), quoted("aB")),
			call("left", words("äb"), quoted("äbc"), plain("2")),
			call("right", words("bc"), quoted("äbc"), plain("2")),
			call("right", words(""), quoted("abc"), plain("0")),
			call("right", words("abc"), quoted("abc"), plain("9")),
			call("length", whole("2"), quoted("äb")),
			call("length", whole("0"), quoted("")),
			call("strpos", whole("3"), quoted("äbc"), quoted("c")),
			call("strpos", whole("0"), quoted("abc"), quoted("x")),
			call("strpos", whole("0"), quoted("abc"), quoted("C")),
			call("substring", words("bcd"), quoted("äbcd"), plain("2")),
			call("substring", words("bc"), quoted("äbcd"), plain("2"), plain("2")),
			call("substring", words(""), quoted("abc"), plain("9")),
			call("replace", words("xAb"), quoted("aAb"), quoted("a"), quoted("x")),
			call("replace", words("xbx"), quoted("aba"), quoted("a"), quoted("x")),
			call("replace", words(`it\s`), quoted("it's"), quoted("'"), quoted(`\`)),
			call("split_part", words("b"), quoted("a-b-c"), quoted("-"), plain("2")),
			call("split_part", words(""), quoted("a-b-c"), quoted("-"), plain("4")),
			call("trim", words("a"), quoted(" a ")),
			call("trim", words("a\t"), quoted(" a\t ")),
			call("ltrim", words("a "), quoted("  a ")),
			call("rtrim", words(" a"), quoted(" a  ")),
		}},
		{"position", []functionCase{ // from columns, which are as wide as they come
			call("round", number("-2.63"), valueOf("decimal", "-2.625"), valueOf("int64", "2")),
			call("left", words("ä"), quoted("äbc"), valueOf("int64", "1")),
			call("right", words("c"), quoted("äbc"), valueOf("int64", "1")),
			call("substring", words("bc"), quoted("äbcd"), valueOf("int64", "2"), valueOf("int64", "2")),
			call("split_part", words("c"), quoted("aXbxc"), quoted("x"), valueOf("int64", "2")),
		}},
		{"time", []functionCase{
			call("year", whole("2024"), moment("2024-05-15 13:14:59")),
			call("quarter", whole("2"), moment("2024-05-15 13:14:59")),
			call("quarter", whole("4"), moment("2024-12-31 23:59:59")),
			call("month", whole("5"), moment("2024-05-15 13:14:59")),
			call("day", whole("15"), moment("2024-05-15 13:14:59")),
			call("hour", whole("13"), moment("2024-05-15 13:14:59")),
			call("minute", whole("14"), moment("2024-05-15 13:14:59")),
			call("second", whole("59"), moment("2024-05-15 13:14:59")),
			call("second", whole("59"), moment("2024-05-15 13:14:59.900")),
			call("weekday", whole("1"), moment("2024-05-13 00:00:00")),
			call("weekday", whole("7"), moment("2024-05-19 23:59:59")),
			call("weekday", whole("7"), day("2024-05-19")),
			call("iso_week", whole("1"), day("2024-12-30")),
			call("iso_week", whole("52"), day("2023-01-01")),
			call("year", whole("2024"), day("2024-12-30")),
			call("date_diff_days", whole("2"), moment("2024-02-28 23:00:00"), moment("2024-03-01 01:00:00")),
			call("date_diff_days", whole("-1"), day("2025-01-01"), day("2024-12-31")),
		}},
	}
}
