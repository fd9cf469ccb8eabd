package conform

import (
	"cmp"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// ofNull are the calls with NULL for a first argument, which are NULL.
func ofNull(cases []functionCase) []functionCase {
	var all []functionCase
	for _, c := range cases {
		switch c.name {
		case "coalesce", "concat", "greatest", "least":
			continue
		}
		c.args = slices.Clone(c.args)
		c.args[0], c.want = nullOf(cmp.Or(c.args[0].logical, "int64")), null
		all = append(all, c)
	}
	return all
}

// dialectSigned: what gives a whole number gives one of the type that negative
// ones have too, so that a column may hold both.
func dialectSigned(s *script) {
	low, ok := s.write(valueOf("int64", "-5"))
	if !ok {
		return
	}
	other := func(sql string) string { return "CASE WHEN 1 = 0 THEN " + sql + " ELSE " + low + " END" }
	var cases []functionCase
	for _, room := range functionRooms() {
		for _, c := range room.cases {
			if c.want.is == sdk.TypeInt64 {
				cases = append(cases, c)
			}
		}
	}
	exams := s.calls(cases)
	for i := range exams {
		exams[i].sql, exams[i].want = other(exams[i].sql), whole("-5")
	}
	s.evaluate("", exams)
	for _, form := range []dialect.Form{dialect.Count, dialect.CountDistinct, dialect.ApproxDistinct} {
		if sql, ok := s.expand(form, args{"x": plain(s.name("x"))}); ok {
			s.evaluate(s.rows("1"), []exam{{string(form), other(sql), whole("-5")}})
		}
	}
}

// dialectDomain: what has no value is NULL or an error, so that no NaN and no
// infinity gets into an answer.
func dialectDomain(s *script) {
	for _, c := range []functionCase{
		call("ln", null, valueOf("float64", "0")),
		call("ln", null, valueOf("float64", "-1")),
		call("sqrt", null, valueOf("float64", "-1")),
		call("exp", null, valueOf("float64", "1000")),
		call("power", null, valueOf("float64", "0"), plain("(-1)")),
		call("power", null, valueOf("float64", "-8"), valueOf("float64", "0.5")),
		call("power", null, valueOf("float64", "-10"), plain("309")),
	} {
		var written []string
		for _, o := range c.args {
			text, _ := s.write(o)
			written = append(written, text)
		}
		sql, ok := s.d.Call(c.name, written...)
		if !ok {
			s.lack(c.name)
			continue
		}
		if a, err := s.ask(s.selection("", []exam{{sql: sql}})); err == nil && len(a.rows) == 1 && a.rows[0][0] != nil {
			s.wrongf("%s: %s gives %s, want NULL or an error", c.name, sql, readable(a.columns[0].Type, a.rows[0][0]))
		}
	}
}
