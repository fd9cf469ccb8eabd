package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// AggregateEarly adds values up before a table is joined by its key, where groups are by
// that key: the table is joined to sums and not to rows. Of the sums, those that cond,
// a condition on the groups' values, leaves are joined; nil = all are. Rows without a
// partner are one group, so that their sums stay until they are added up. It returns nil
// where groups are otherwise, or where no two rows would be added up.
func AggregateEarly(n *Numbers, a *Aggregate, cond expression.Node) Relation {
	if cond != nil && !only(cond, ids(columns(a.Values))) || !combine(a.Values) {
		return nil
	}
	p, in, ok := projected(a)
	if !ok {
		return nil
	}
	for _, j := range in.joins {
		if !integers(j.On) || j.keys() == nil {
			continue
		}
		d := determined(a, p, j, in.joins)
		if d == nil {
			continue
		}
		late := append([]*Join{j}, d.joins...)
		before := slices.DeleteFunc(slices.Clone(in.joins), func(o *Join) bool { return slices.Contains(late, o) })
		var joined []int
		for _, o := range late {
			joined = append(joined, ids(o.R.Columns())...)
		}
		sums, groups := &Project{}, &Project{}
		needed := in.used(before)
		for _, v := range p.Values {
			if slices.Contains(a.By, v.ID) && only(v.X, joined) {
				groups.Values = append(groups.Values, v)
			} else {
				sums.Values, needed = append(sums.Values, v), append(needed, v.X)
			}
		}
		if slices.ContainsFunc(late, func(o *Join) bool { return o.Kind != Left }) || slices.ContainsFunc(needed, func(x expression.Node) bool { return uses(x, joined) }) {
			continue
		}
		sums.In = in.with(before)
		if out := joinSums(n, a, cond, sums, groups, late); out != nil {
			return out
		}
		in.with(in.joins) // as they were
	}
	return nil
}

// joinSums adds the values of rows up, joins the sums, and makes groups of these.
func joinSums(n *Numbers, a *Aggregate, cond expression.Node, rows, groups *Project, joins []*Join) Relation {
	j := joins[0]
	sums, out, parts := &Aggregate{In: rows}, &Aggregate{In: groups, By: a.By}, map[int]expression.Node{}
	for _, v := range rows.Values {
		if slices.Contains(a.By, v.ID) {
			sums.By, groups.Values = append(sums.By, v.ID), append(groups.Values, Value{v.Column, v.Ref()})
		}
	}
	keys := j.keys()
	var on []expression.Node
	var key expression.Node
	for _, c := range j.R.Columns() {
		if x := keys[c.ID]; x != nil {
			v := Value{n.Column(c.Name, x.Type()), x}
			rows.Values, sums.By = append(rows.Values, v), append(sums.By, v.ID)
			key = c.Ref()
			on = append(on, &expression.Binary{Op: expression.Equal, Left: v.Ref(), Right: key})
		}
	}
	if !Multiplies(rows, sums.By) {
		return nil
	}
	for _, v := range a.Values {
		part := Value{n.Column(v.Name, v.Type), v.X}
		parts[v.ID] = part.Ref()
		sums.Values, groups.Values = append(sums.Values, part), append(groups.Values, Value{part.Column, part.Ref()})
		out.Values = append(out.Values, Value{v.Column, Again(v.X.(*expression.Aggregate).Function, part.Ref())})
	}
	first := *j
	first.On = expression.Conjoin(on...)
	groups.In = link(sums, append([]*Join{&first}, joins[1:]...))
	if cond == nil {
		return out
	}
	groups.In = &Filter{In: groups.In, Cond: expression.Disjoin(replaced(cond, parts), &expression.IsNull{X: key})}
	return JoinAttributes(n, &Filter{In: out, Cond: cond})
}

// combine reports whether all values can be put together from those of parts.
func combine(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool {
		a, ok := v.X.(*expression.Aggregate)
		return !ok || a.Function != expression.Sum && a.Function != expression.Count && a.Function != expression.Min && a.Function != expression.Max
	})
}

// integers reports whether rows are joined by whole numbers alone: equal ones are the
// same in every engine, however it compares texts.
func integers(on expression.Node) bool {
	return on != nil && !slices.ContainsFunc(expression.Conjuncts(on), func(term expression.Node) bool {
		b, ok := term.(*expression.Binary)
		return !ok || b.Left.Type() != sdk.TypeInt64 || b.Right.Type() != sdk.TypeInt64
	})
}

// Again is the aggregate that puts values of parts together. A count of nothing is 0.
func Again(f expression.AggregateFunction, part expression.Node) expression.Node {
	if f != expression.Count {
		return &expression.Aggregate{Function: f, X: part}
	}
	sum := &expression.Aggregate{Function: expression.Sum, X: part}
	return &expression.Cast{X: &expression.Call{Function: "coalesce", Args: []expression.Node{sum, expression.Int(0)}}, To: sdk.TypeInt64}
}
