package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// chain splits a left-deep chain of joins into its first relation and its joins, in order.
func chain(r Relation) (first Relation, all []*Join) {
	for {
		j, ok := r.(*Join)
		if !ok {
			slices.Reverse(all)
			return r, all
		}
		all, r = append(all, j), j.L
	}
}

// link builds a left-deep chain of joins. It sets L of each.
func link(first Relation, all []*Join) Relation {
	for _, j := range all {
		j.L, first = first, j
	}
	return first
}

// input is the input of the projection below an aggregate: a chain of joins, and a filter if
// where is set.
type input struct {
	first Relation
	joins []*Join
	where *Filter
}

// projected returns the projection below an aggregate and its input; false = there is no plain
// projection.
func projected(a *Aggregate) (p *Project, in input, ok bool) {
	if p, ok = a.In.(*Project); !ok || p.Distinct || p.Whole != nil {
		return nil, in, false
	}
	rows := p.In
	if in.where, _ = rows.(*Filter); in.where != nil {
		rows = in.where.In
	}
	in.first, in.joins = chain(rows)
	return p, in, true
}

// with returns the input with other joins. It sets their L.
func (in input) with(joins []*Join) Relation {
	if in.where == nil {
		return link(in.first, joins)
	}
	return &Filter{In: link(in.first, joins), Cond: in.where.Cond}
}

// used returns the conditions of some joins and of the filter.
func (in input) used(joins []*Join) (all []expression.Node) {
	for _, j := range joins {
		if j.On != nil {
			all = append(all, j.On)
		}
	}
	if in.where != nil {
		all = append(all, in.where.Cond)
	}
	return all
}

// InnerFirst moves inner joins before outer ones where their conditions allow it. The result has
// the same rows; not every engine reorders them by itself.
func InnerFirst(r Relation) Relation {
	first, left := chain(r)
	var done []*Join
	ready := func(j *Join) bool {
		return !slices.ContainsFunc(left, func(o *Join) bool { return o != j && reads(j, o) })
	}
	for len(left) > 0 {
		at := max(0, slices.IndexFunc(left, func(j *Join) bool { return j.Kind == Inner && ready(j) }))
		done, left = append(done, left[at]), slices.Delete(left, at, at+1)
	}
	return link(first, done)
}

// reads reports whether a join's condition uses columns that another join adds.
func reads(j, other *Join) bool {
	brought := other.R.Columns()
	if other.Kind == Mark {
		brought = []Column{other.Mark}
	}
	return j.On != nil && uses(j.On, ids(brought))
}

// DropKeyJoins removes joins of which an aggregate needs only the key: the rows have the foreign
// key. It changes the result for rows without a partner: they have the foreign key instead of
// NULL.
func DropKeyJoins(a *Aggregate) {
	p, in, ok := projected(a)
	if !ok {
		return
	}
	joins := in.joins
	for i := len(joins) - 1; i >= 0; i-- {
		j := joins[i]
		keys := j.keys()
		rest := slices.Delete(slices.Clone(joins), i, i+1)
		needed := func(x expression.Node) bool {
			return expression.AnyColumn(x, func(c *expression.Column) bool {
				return slices.Contains(ids(j.R.Columns()), c.ID) && keys[c.ID] == nil
			})
		}
		if keys == nil || slices.ContainsFunc(in.used(rest), func(x expression.Node) bool { return uses(x, ids(j.R.Columns())) }) ||
			slices.ContainsFunc(p.Values, func(v Value) bool { return needed(v.X) }) {
			continue
		}
		for k := range p.Values {
			p.Values[k].X = replaced(p.Values[k].X, keys)
		}
		joins = rest
	}
	p.In = in.with(joins)
}

// keys returns the expressions of L by the columns of R that they equal, if that is the whole
// condition of a join that keeps each row of L once; else nil.
func (j *Join) keys() map[int]expression.Node {
	if _, ok := j.R.(*Scan); !ok || !j.whole() || Multiplies(j.R, j.Fixed()) {
		return nil
	}
	if values, alone := j.equated(); alone {
		return values
	}
	return nil
}

func replaced(x expression.Node, keys map[int]expression.Node) expression.Node {
	out, err := expression.Transform(x, func(n expression.Node) (expression.Node, error) {
		if c, ok := n.(*expression.Column); ok && keys[c.ID] != nil {
			return expression.As(keys[c.ID], c.Type()), nil
		}
		return n, nil
	})
	if err != nil {
		panic(err) // the function returns no error
	}
	return out
}
