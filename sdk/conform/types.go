package conform

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// outcome is the result of a case. Each case runs once per mode.
type outcome struct {
	answer *answer
	err    error
}

func (p *probe) outcome(c *Case) *outcome {
	if o, ok := p.run.outcomes[c.Name]; ok {
		return o
	}
	a, err := p.try(sdk.ExecuteRequest{SQL: c.SQL, Params: c.Params})
	o := &outcome{a, err}
	p.run.outcomes[c.Name] = o
	return o
}

func typeChecks(t *Target) []check {
	var checks []check
	for i := range t.Cases {
		c := &t.Cases[i]
		if c.Error == nil {
			checks = append(checks, check{c.Name, func(p *probe) { p.proveCase(c) }})
		}
	}
	for _, topic := range topics {
		checks = append(checks, check{"covers_" + topic.name, func(p *probe) { p.proveTopic(topic) }})
	}
	for _, typ := range sdk.Types() {
		checks = append(checks, check{"type_" + typ.String(), func(p *probe) { p.proveType(typ) }})
	}
	return append(checks, check{"parameters", proveParameters})
}

// proveCase compares the complete result of a case.
func (p *probe) proveCase(c *Case) {
	o := p.outcome(c)
	p.must(firstLine(c.SQL), o.err)
	got := o.answer
	if len(got.columns) != len(c.Columns) {
		p.fatalf("%d columns, want %d: %s", len(got.columns), len(c.Columns), columnList(got.columns))
	}
	for i, want := range c.Columns {
		column := got.columns[i]
		if column.Name != want.Name || column.Type.String() != want.Type || want.Native != "" && column.NativeType != want.Native {
			p.errorf("column %d is %q %s (%s), want %q %s (%s)", i+1, column.Name, column.Type, column.NativeType, want.Name, want.Type, want.Native)
		}
		if column.TimeDigits != want.Digits {
			p.errorf("column %d has %d digits of a second, want %d", i+1, column.TimeDigits, want.Digits)
		}
	}
	if len(got.rows) != len(c.Rows) {
		p.errorf("%d rows, want %d", len(got.rows), len(c.Rows))
	}
	if p.failed() {
		return
	}
	if c.AnyOrder {
		p.compareSets(c, got)
		return
	}
	for i, want := range c.Rows {
		for j, cell := range want {
			column := got.columns[j]
			if !matches(column.Type, cell, got.rows[i][j]) {
				wanted, came := brief(cell), brief(literal(column.Type, got.rows[i][j]))
				p.note(Finding{
					Text:      fmt.Sprintf("row %d, column %d (%q %s): got %s, want %s", i+1, j+1, column.Name, column.Type, came, wanted),
					Statement: c.SQL, Wanted: wanted, Got: came,
				})
			}
		}
	}
	if got.summary.TruncatedBy != sdk.TruncatedNot || got.summary.CellsClipped != 0 {
		p.errorf("the answer was cut (by %q, %d cells clipped) without a limit", got.summary.TruncatedBy, got.summary.CellsClipped)
	}
}

// compareSets compares rows without their order.
func (p *probe) compareSets(c *Case, got *answer) {
	used := make([]bool, len(got.rows))
	for _, want := range c.Rows {
		found := false
		for i, row := range got.rows {
			if !used[i] && matchesRow(got.columns, want, row) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			p.errorf("no row %s", brief(want))
		}
	}
	for i, row := range got.rows {
		if !used[i] {
			p.errorf("unexpected row %s", brief(literals(got.columns, row)))
		}
	}
}

func matchesRow(columns []sdk.Column, want, row []any) bool {
	for i := range want {
		if !matches(columns[i].Type, want[i], row[i]) {
			return false
		}
	}
	return true
}

func literals(columns []sdk.Column, row []any) []any {
	all := make([]any, len(row))
	for i, v := range row {
		all[i] = literal(columns[i].Type, v)
	}
	return all
}

func columnList(columns []sdk.Column) string {
	const most = 10
	var words []string
	for _, c := range columns[:min(len(columns), most)] {
		words = append(words, fmt.Sprintf("%q %s", c.Name, c.Type))
	}
	if len(columns) > most {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// answers calls f with the result of each case until f returns true, and reports whether it did.
func (p *probe) answers(f func(*answer) (found bool)) bool {
	for i := range p.run.target.Cases {
		c := &p.run.target.Cases[i]
		if o := p.outcome(c); o.err == nil && f(o.answer) {
			return true
		}
	}
	return false
}

// proveTopic checks that a case covers a topic.
func (p *probe) proveTopic(t topic) {
	if !p.answers(t.shown) {
		p.errorf("no case shows %s: add one, or skip types/covers_%s with the reason why the engine cannot", t.what, t.name)
	}
}

// proveType checks that a case returns a value of a type that the dialect can cast to.
func (p *probe) proveType(t sdk.Type) {
	if p.dialectOfServer().Types[t.String()] == "" {
		p.undeclared("the dialect has no %s", t)
	}
	if !p.answers(func(a *answer) bool { return hasValue(a, t, func(any) bool { return true }) }) {
		p.errorf("no case returns a value of type %s, which the dialect can cast to", t)
	}
}

func proveParameters(p *probe) {
	p.subject()
	if !p.run.description.Capabilities.Params {
		p.undeclared("parameters are not declared")
	}
	for i := range p.run.target.Cases {
		if c := &p.run.target.Cases[i]; len(c.Params) > 0 && c.Error == nil {
			return // its own check proves the answer
		}
	}
	p.errorf("parameters are declared, but no case has any")
}

// errorKinds are kinds of errors that every engine can return.
var errorKinds = []sdk.Kind{sdk.KindSyntax, sdk.KindNotFound, sdk.KindDenied}

func errorChecks(t *Target) []check {
	var checks []check
	for i := range t.Cases {
		c := &t.Cases[i]
		if c.Error != nil {
			checks = append(checks, check{c.Name, func(p *probe) { p.proveFailure(c) }})
		}
	}
	for _, kind := range errorKinds {
		checks = append(checks, check{"covers_" + string(kind), func(p *probe) {
			for _, c := range p.run.target.Cases {
				if c.Error != nil && c.Error.Kind == kind {
					return
				}
			}
			p.errorf("no case fails with kind %s: add one, or skip errors/covers_%s with the reason why the engine cannot", kind, kind)
		}})
	}
	return checks
}

func (p *probe) proveFailure(c *Case) {
	err := p.outcome(c).err
	e := p.want(firstLine(c.SQL), err, c.Error.Kind)
	if err == nil {
		return
	}
	if want := c.Error.Code; want != "" && e.Code != want {
		p.errorf("code %q, want %q", e.Code, want)
	}
	if c.Error.Kind == sdk.KindSyntax && e.Pos.IsZero() {
		p.errorf("a syntax error has no position: %v", err)
	}
	if want := (sdk.Position{Line: c.Error.Line, Column: c.Error.Column}); !want.IsZero() && e.Pos != want {
		p.errorf("position %d:%d, want %d:%d", e.Pos.Line, e.Pos.Column, want.Line, want.Column)
	}
	p.query(p.rowsSQL(1), sdk.Limits{}) // the session works on
}
