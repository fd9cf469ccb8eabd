package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// dialectChecks execute the forms and functions of the session's dialect, and compare the typed
// results with the definitions of package dialect. A form or function that the dialect lacks is
// only a remark: a dialect must leave out what the engine does differently.
func dialectChecks() []check {
	checks := []check{
		dialectCheck("identifier", dialectIdentifier),
		dialectCheck("text", dialectText),
		dialectCheck("boolean", dialectBoolean),
	}
	for _, t := range sdk.Types() {
		checks = append(checks, dialectCheck("type_"+t.String(), func(s *script) { s.proveNative(t) }))
	}
	checks = append(checks,
		dialectCheck("cast", dialectCast),
		dialectCheck("union", dialectUnion),
		dialectCheck("arithmetic", dialectArithmetic),
		dialectCheck("decimal", dialectDecimal),
		dialectCheck("equal", func(s *script) { s.evaluate("", s.forms(equalities())) }),
		dialectCheck("equal_text", dialectEqualText),
		dialectCheck("search", func(s *script) { s.evaluate("", s.forms(searches())) }),
		dialectCheck("like", func(s *script) { s.evaluate("", s.forms(append(s.plain(patterns()), patterns()...))) }),
		dialectCheck("aggregate", dialectAggregate),
		dialectCheck("sum", dialectSum),
		dialectCheck("median", dialectMedian),
		dialectCheck("order", dialectOrder),
		dialectCheck("limit", dialectLimit),
		dialectCheck("inline", dialectInline),
		dialectCheck("sample", dialectSample),
		dialectCheck("hash_order", dialectHashOrder),
		dialectCheck("trunc", dialectTrunc),
		dialectCheck("add", dialectAdd),
		dialectCheck("spine", dialectSpine),
		dialectCheck("zone", dialectZone),
		dialectCheck("stored_time", dialectStoredTime),
		dialectCheck("now", dialectNow),
	)
	for _, room := range functionRooms() {
		checks = append(checks, dialectCheck("function_"+room.name, func(s *script) {
			s.functions(room.cases)
			s.functions(ofNull(room.cases))
		}))
	}
	return append(checks,
		dialectCheck("function_signed", dialectSigned),
		dialectCheck("function_domain", dialectDomain),
	)
}

// script writes statements in the server's dialect, runs them and collects the findings. They are
// passed to the probe only at the end, so that one failure does not hide the others.
type script struct {
	probe   *probe
	d       *dialect.Dialect
	missing []string // what the dialect lacks
	wrong   []Finding
	ran     int
	untyped bool // types of results are not compared
}

func dialectCheck(name string, prove func(*script)) check {
	return check{name, func(p *probe) {
		s := &script{probe: p, d: p.dialectOfServer()}
		prove(s)
		for _, problem := range s.wrong {
			p.note(problem)
		}
		slices.Sort(s.missing)
		missing := strings.Join(slices.Compact(s.missing), ", ")
		if s.ran == 0 {
			p.undeclared("the dialect has no %s", missing)
		}
		if missing != "" {
			p.remark("the dialect has no %s", missing)
		}
	}}
}

func (s *script) wrongf(format string, args ...any) {
	s.wrong = append(s.wrong, Finding{Text: fmt.Sprintf(format, args...), Statement: s.probe.asked})
}

func (s *script) lack(what string) { s.missing = append(s.missing, what) }

// operand is a value that each dialect writes in its own way.
type operand struct {
	logical string // the logical type; "" = text is SQL that is the same in all engines
	text    string
	null    bool
}

func plain(sql string) operand                  { return operand{text: sql} }
func quoted(text string) operand                { return operand{logical: "text", text: text} }
func valueOf(logical, text string) operand      { return operand{logical: logical, text: text} }
func nullOf(logical string) operand             { return operand{logical: logical, null: true} }
func moment(text string) operand                { return valueOf("timestamp", text) }
func day(text string) operand                   { return valueOf("date", text) }
func (s *script) name(identifier string) string { return s.d.QuoteIdentifier(identifier) }

// write returns the SQL of a value; false, with a remark, if the dialect cannot write it.
func (s *script) write(o operand) (string, bool) {
	literal, ok := s.d.Expand(dialect.Literal(o.logical), map[string]string{"v": s.d.EscapeString(o.text)})
	switch {
	case o.logical == "":
		return o.text, true
	case o.null:
		return s.cast("NULL", o.logical)
	case o.logical == "text":
		return s.d.QuoteString(o.text), true
	case ok:
		return literal, true
	default:
		return s.cast(s.d.QuoteString(o.text), o.logical)
	}
}

// cast converts an expression to a logical type.
func (s *script) cast(x, logical string) (string, bool) {
	if text, ok := s.d.Expand(dialect.CastTo(logical), map[string]string{"x": x}); ok {
		return text, true
	}
	native, ok := s.d.Types[logical]
	text, expanded := s.d.Expand(dialect.Cast, map[string]string{"x": x, "type": native})
	if !ok || !expanded {
		s.lack("cast to " + logical)
		return "", false
	}
	return text, true
}

// exam is an expression and its expected value.
type exam struct {
	what, sql string
	want      want
}

// args are the arguments of a form, by placeholder.
type args map[string]operand

// formCase is a form with arguments, and its expected value.
type formCase struct {
	form dialect.Form
	args args
	want want
}

// forms returns the expressions of the cases that the dialect can write.
func (s *script) forms(cases []formCase) []exam {
	var all []exam
	for _, c := range cases {
		sql, ok := s.expand(c.form, c.args)
		if !ok {
			continue
		}
		if c.want.is == sdk.TypeBool && s.d.Boolean == dialect.BooleanNone {
			if sql, ok = s.d.Expand(dialect.BoolValue, map[string]string{"p": sql}); !ok {
				continue // the dialect is not valid
			}
		}
		all = append(all, exam{string(c.form), sql, c.want})
	}
	return all
}

// plain returns the patterns without \ as cases of the form LikePlain, if the dialect has it.
func (s *script) plain(cases []formCase) (all []formCase) {
	if _, ok := s.d.Forms[dialect.LikePlain]; !ok {
		return nil
	}
	for _, c := range cases {
		if c.form == dialect.Like && !strings.Contains(c.args["p"].text, `\`) {
			c.form = dialect.LikePlain
			all = append(all, c)
		}
	}
	return all
}

func (s *script) expand(form dialect.Form, arguments args) (string, bool) {
	if _, ok := s.d.Forms[form]; !ok {
		s.lack(string(form))
		return "", false
	}
	written := map[string]string{}
	for name, o := range arguments {
		text, ok := s.write(o)
		if !ok {
			return "", false
		}
		written[name] = text
	}
	text, ok := s.d.Expand(form, written)
	if !ok {
		s.wrongf("the template of %s is not well-formed: %s", form, s.d.Forms[form])
	}
	return text, ok
}

// evaluate selects all expressions in one statement. If that fails, it selects each by itself, to
// find the one that fails. from is the FROM clause; "" = that of a SELECT without a table.
func (s *script) evaluate(from string, exams []exam) {
	if len(exams) == 0 {
		return
	}
	a, err := s.ask(s.selection(from, exams))
	if err != nil && len(exams) > 1 {
		before := len(s.wrong)
		for _, e := range exams {
			s.evaluate(from, []exam{e})
		}
		if len(s.wrong) == before {
			s.wrongf("each of %d expressions runs by itself, but not all in one statement: %v", len(exams), err)
		}
		return
	}
	if err != nil {
		s.wrongf("%s: %s fails: %v", exams[0].what, exams[0].sql, err)
		return
	}
	if len(a.rows) != 1 || len(a.columns) != len(exams) {
		s.wrongf("%d rows of %d columns, want 1 of %d: %s", len(a.rows), len(a.columns), len(exams), exams[0].sql)
		return
	}
	for i, e := range exams {
		if problem := s.compare(e.want, a.columns[i], a.rows[0][i]); problem != "" {
			s.wrong = append(s.wrong, Finding{Text: fmt.Sprintf("%s: %s gives %s", e.what, e.sql, problem), Statement: e.sql})
		}
	}
}

func (s *script) selection(from string, exams []exam) string {
	list := make([]string, len(exams))
	for i, e := range exams {
		list[i] = e.sql + " AS " + s.name(fmt.Sprintf("c%d", i+1))
	}
	if from == "" {
		from, _ = s.d.Expand(dialect.EmptyFrom, nil)
	}
	return strings.TrimSpace("SELECT " + strings.Join(list, ", ") + " " + from)
}

// ask runs a statement that the host's guard must accept.
func (s *script) ask(sql string) (*answer, error) {
	if err := readonly.Check(sql, s.d); err != nil {
		s.wrongf("the guard refuses %s: %v", firstLine(sql), err)
	}
	return s.statement(sql)
}

func (s *script) statement(sql string) (*answer, error) {
	s.ran++
	return s.probe.try(sdk.ExecuteRequest{SQL: sql})
}

// list returns the first column of a statement's rows as text, NULL as "NULL".
func (s *script) list(what, sql string) ([]string, bool) {
	a, err := s.ask(sql)
	if err != nil {
		s.wrongf("%s: %s fails: %v", what, sql, err)
		return nil, false
	}
	if len(a.columns) == 0 {
		s.wrongf("%s: %s has no columns", what, sql)
		return nil, false
	}
	all := make([]string, len(a.rows))
	for i, row := range a.rows {
		all[i] = readable(a.columns[0].Type, row[0])
	}
	return all, true
}

// wantList compares the first column of a statement's rows, in order.
func (s *script) wantList(what, sql, want string) {
	if got, ok := s.list(what, sql); ok && strings.Join(got, " ") != want {
		got := strings.Join(got, " ")
		s.wrong = append(s.wrong, Finding{Text: fmt.Sprintf("%s: %s gives %q, want %q", what, sql, got, want), Statement: sql, Wanted: want, Got: got})
	}
}
