package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// regrouped is the rows of a branch as they are in its partial.
func (br *branch) regrouped() (rel plan.Relation, at []plan.Column) {
	p := br.partial
	rel = p.shared
	if cond := expression.Conjoin(p.inside(br)...); cond != nil {
		rel = &plan.Filter{In: rel, Cond: cond}
	}
	at = slices.Clone(p.columns)
	for i, d := range br.dims {
		if d == nil {
			at[i] = plan.Column{}
		}
	}
	if br.period != nil {
		at[br.periodAt] = p.time
	}
	return rel, at
}

// reprojected is the projection of a branch that reads a partial.
func (br *branch) reprojected() (*plan.Project, error) {
	c, p := br.rows.c, br.partial
	rel, columns := br.regrouped()
	out := &plan.Project{In: rel}
	br.columns = make([]plan.Column, len(columns))
	for i, column := range columns {
		if column.ID == 0 {
			continue
		}
		name, t, x := c.dims[i].out, c.dims[i].typ, column.Ref()
		switch {
		case br.period == nil || i != br.periodAt:
		case br.spans():
			name, t = "day", sdk.TypeDate
		case br.period.calendar != nil:
			days := br.period.calendar.of.use()
			out.In = &plan.Join{L: rel, R: days, Kind: plan.Left, On: equal(p.time.Ref(), days.Values[0].Ref()), ToOne: true}
			x = br.period.calendar.among(days).Ref()
		default:
			if g := br.period.Grain; g != p.grain {
				x = expression.As(trunc(g, x), br.period.typ)
			}
			var err error
			if x, err = br.counted(x); err != nil {
				return nil, err
			}
		}
		br.columns[i] = out.Compute(c.numbers, name, t, x)
	}
	out.Values = append(out.Values, br.inputs...)
	return out, nil
}

// keeps reports whether each group of its partial is one of a branch too.
func (br *branch) keeps() bool {
	p := br.partial
	if p == nil || p.value != nil || br.spans() {
		return false
	}
	for i, d := range p.dims {
		if d != nil && br.dims[i] == nil {
			return false
		}
	}
	return p.grain == "" || br.period != nil && br.period.Grain == p.grain
}

// kept is the stage of a branch that keeps the groups of its partial.
func (br *branch) kept(rows *plan.Project) (*stage, error) {
	out := &stage{rel: rows, dims: br.columns, values: map[*base]plan.Column{}}
	rows.Values = rows.Values[:len(rows.Values)-len(br.inputs)]
	for _, b := range br.bases {
		x, err := expression.Check(single(b.again), ownType)
		if err != nil {
			return nil, err
		}
		out.values[b] = rows.Compute(br.rows.c.numbers, b.called(), b.typ, x)
	}
	return out, nil
}

// single is a value over groups of one row each.
func single(x expression.Node) expression.Node {
	if columns := expression.Columns(x); len(columns) == 1 {
		return columns[0]
	}
	x, err := expression.Transform(x, func(n expression.Node) (expression.Node, error) {
		if a, ok := n.(*expression.Aggregate); ok {
			return a.X, nil
		}
		return n, nil
	})
	if err != nil {
		panic(err) // there is none
	}
	return x
}

// inside are the conditions that rows which others of the partial read are not among
// those of a branch. Periods of a range on both ends join no others.
func (p *partial) inside(br *branch) (all []expression.Node) {
	if !br.uncut {
		all = p.within(br)
	}
	if p.unknown(br) {
		all = append(all, known(p.time))
	}
	return all
}

// within are the conditions that rows are in the span of a branch.
func (p *partial) within(br *branch) (all []expression.Node) {
	from, until := p.beyond(br)
	day := func(b *timerange.Bound) expression.Node {
		l, _ := expression.Date(b.Day.Format("2006-01-02")) // a range in the years that there are
		return l
	}
	if from != nil {
		all = append(all, binary(expression.GreaterEqual, p.time.Ref(), day(from)))
	}
	if until != nil {
		all = append(all, binary(expression.Less, p.time.Ref(), day(until)))
	}
	return all
}

// begins reports whether an end that there is begins a period.
func begins(b *timerange.Bound, g dialect.Grain) bool {
	return b == nil || startIn(b.Day, g).Equal(b.Day)
}
