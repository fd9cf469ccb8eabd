package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// chain is the joins that a relation is a line of, the first one first, and what
// they begin with.
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

// link makes a line of joins again.
func link(first Relation, all []*Join) Relation {
	for _, j := range all {
		j.L, first = first, j
	}
	return first
}

// input is what the projection below an aggregate reads: a line of joins, and maybe a
// condition on its rows.
type input struct {
	first Relation
	joins []*Join
	where *Filter
}

// projected are the projection below an aggregate and its input; false = there is no
// plain one.
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

// with is the input with other joins.
func (in input) with(joins []*Join) Relation {
	if in.where == nil {
		return link(in.first, joins)
	}
	return &Filter{In: link(in.first, joins), Cond: in.where.Cond}
}

// used are the conditions of some joins and that on the rows.
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

// InnerFirst puts inner joins before outer ones as far as their conditions let it:
// the rows are the same, and not every engine changes that order by itself.
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

// reads reports whether a join's condition, or what it joins, uses columns that
// another one brings.
func reads(j, other *Join) bool {
	brought := other.R.Columns()
	if other.Kind == Mark {
		brought = []Column{other.Mark}
	}
	return j.On != nil && uses(j.On, ids(brought))
}

// DropKeyJoins leaves out joins of which an aggregate needs nothing but the key that
// they are joined by: the rows have it themselves. A row whose partner is missing has
// a key then, and not NULL.
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

// keys are what a join makes the columns of its right side equal to, when that is all
// that it does and finds one row at most; else nil.
func (j *Join) keys() map[int]expression.Node {
	if _, ok := j.R.(*Scan); !ok || j.Kind != Left || Multiplies(j.R, j.Fixed()) {
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
		panic(err) // there is none
	}
	return out
}
