package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// partial is rows aggregated by day, or by the period that all windows begin and end
// with, and by the other dimensions: measures of several windows read one.
type partial struct {
	rows   *plan.Project
	groups *plan.Aggregate
	shared *plan.Shared
	// dims are the columns of the request's dimensions, as in a branch.
	dims []plan.Column
}

// partial returns the rows of a branch by day. Its bases are aggregated again from the
// values there.
func (br *branch) partial(rows *plan.Project) *plan.Shared {
	c := br.rows.c
	if g := br.pitch(); g != dialect.Day {
		at := slices.IndexFunc(rows.Values, func(v plan.Value) bool { return v.ID == br.columns[br.periodAt].ID })
		rows.Values[at].X = expression.As(trunc(g, rows.Values[at].X), sdk.TypeDate)
	}
	inputs := rows.Values[len(rows.Values)-len(br.inputs):]
	rows.Values = rows.Values[:len(rows.Values)-len(br.inputs)]
	p := c.partialOf(rows, br)
	br.columns = p.dims
	in := map[int]plan.Column{}
	for _, v := range inputs {
		in[v.ID] = p.input(v)
	}
	br.inputs = nil
	part := func(f expression.AggregateFunction, b *base, t sdk.Type) expression.Node {
		v := p.value(c, f, in[b.in.ID], b.called(), t)
		if !slices.ContainsFunc(br.inputs, func(o plan.Value) bool { return o.ID == v.ID }) {
			br.inputs = append(br.inputs, v)
		}
		return &expression.Aggregate{Function: combining(f), X: v.Ref()}
	}
	for _, b := range br.bases {
		switch b.agg {
		case expression.Count:
			b.again = countAgain(part(expression.Count, b, sdk.TypeInt64))
		case expression.Avg:
			sum := &expression.Cast{X: part(expression.Sum, b, b.in.Type), To: sdk.TypeFloat64}
			b.again = &expression.Binary{Op: expression.Divide, Left: sum, Right: part(expression.Count, b, sdk.TypeInt64)}
		default:
			b.again = part(b.agg, b, b.in.Type)
		}
	}
	return p.shared
}

// combining is the function that puts values of parts together.
func combining(f expression.AggregateFunction) expression.AggregateFunction {
	if f == expression.Count {
		return expression.Sum
	}
	return f
}

// countAgain is a sum of counts as a count: of nothing, it is 0.
func countAgain(sum expression.Node) expression.Node {
	return &expression.Cast{X: &expression.Call{Function: "coalesce", Args: []expression.Node{sum, expression.Int(0)}}, To: sdk.TypeInt64}
}

// partialOf finds or makes the partial of rows that have groups alone.
func (c *compiler) partialOf(rows *plan.Project, br *branch) *partial {
	for _, p := range c.partials {
		if plan.Same(p.rows.In, rows.In) && slices.EqualFunc(p.rows.Values[:len(p.groups.By)], rows.Values, sameExpression) {
			return p
		}
	}
	p := &partial{rows: rows, groups: &plan.Aggregate{In: rows}, dims: br.columns}
	for _, v := range rows.Values {
		p.groups.By = append(p.groups.By, v.ID)
	}
	p.shared = &plan.Shared{In: p.groups, Name: c.m.Source(br.home).Name + "_by_" + string(br.pitch())}
	c.partials = append(c.partials, p)
	return p
}

func sameExpression(a, b plan.Value) bool { return expression.String(a.X) == expression.String(b.X) }

// input finds or adds a value of the rows.
func (p *partial) input(v plan.Value) plan.Column {
	for _, known := range p.rows.Values[len(p.groups.By):] {
		if sameExpression(known, v) {
			return known.Column
		}
	}
	p.rows.Values = append(p.rows.Values, v)
	return v.Column
}

// value finds or adds an aggregate of an input.
func (p *partial) value(c *compiler, f expression.AggregateFunction, in plan.Column, name string, t sdk.Type) plan.Value {
	v := plan.Value{X: &expression.Aggregate{Function: f, X: in.Ref()}}
	for _, known := range p.groups.Values {
		if sameExpression(known, v) {
			return known
		}
	}
	v.Column = c.column(name, t)
	p.groups.Values = append(p.groups.Values, v)
	return v
}
