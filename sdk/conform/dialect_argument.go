package conform

import (
	"cmp"
	"slices"
	"strings"

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

// dialectSigned: what gives a whole number gives one that may stand beside a
// negative one.
func dialectSigned(s *script) {
	const low = "(-5)"
	var exams []exam
	for _, room := range functionRooms {
		for _, c := range room.cases {
			if c.want.is != sdk.TypeInt64 && c.name != "abs" || slices.ContainsFunc(exams, func(e exam) bool { return e.what == c.name }) {
				continue
			}
			written, ok := make([]string, len(c.args)), true
			for i, o := range c.args {
				text, fine := s.write(o)
				written[i], ok = text, ok && fine
			}
			sql, known := s.d.Call(c.name, written...)
			if !ok || !known {
				continue
			}
			least, ok := s.d.Call("least", sql, low)
			if !ok {
				s.lack("least")
				return
			}
			exams = append(exams, exam{c.name, least, number(strings.Trim(low, "()"))})
		}
	}
	for form, rows := range map[dialect.Form]string{dialect.Count: "1", dialect.CountDistinct: "1"} {
		if sql, ok := s.expand(form, args{"x": plain(s.name("x"))}); ok {
			s.evaluate(s.rows("1"), []exam{{string(form), sql, whole(rows)}})
		}
	}
	s.evaluate("", exams)
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
