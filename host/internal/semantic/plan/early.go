package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// AggregateEarly aggregates rows by a foreign key before the table with that key is joined, if
// the groups are determined by the key: the table is joined to sums, not to rows. cond is a
// condition on the groups' values; sums that fail it are not joined; nil = none. It returns nil,
// and leaves the plan as it is, if the rule does not apply or no two rows would be added up.
//
// If each row is known to have one partner in every joined table, each sum is a group. Otherwise
// sums of rows without a partner are kept, because they are added up into one group.
func AggregateEarly(n *Numbers, a *Aggregate, cond expression.Node) Relation {
	if cond != nil && !only(cond, ids(columns(a.Values))) {
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
		each := eachIsGroup(a, p, late)
		if !each && !combine(a.Values) {
			continue
		}
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
		if slices.ContainsFunc(late, func(o *Join) bool { return !o.whole() }) || slices.ContainsFunc(needed, func(x expression.Node) bool { return uses(x, joined) }) {
			continue
		}
		sums.In = in.with(before)
		if out := joinSums(n, a, cond, sums, groups, late, each); out != nil {
			return out
		}
		in.with(in.joins) // restore the joins
	}
	return nil
}

// eachIsGroup reports whether each sum is a group: groups are by all columns that the first join
// equates, and no join loses a sum or finds several rows for it. A declared key would not do: if
// the data breaks it, a group would be several rows.
func eachIsGroup(a *Aggregate, p *Project, joins []*Join) bool {
	return !slices.ContainsFunc(joins, func(j *Join) bool { return !j.Total }) &&
		!slices.ContainsFunc(joins[0].Fixed(), func(id int) bool {
			return !slices.ContainsFunc(p.Values, func(v Value) bool {
				c, ok := v.X.(*expression.Column)
				return ok && c.ID == id && slices.Contains(a.By, v.ID)
			})
		})
}

// joinSums aggregates the rows by the foreign key and joins the table to the sums; each = each
// sum is a group.
func joinSums(n *Numbers, a *Aggregate, cond expression.Node, rows, groups *Project, joins []*Join, each bool) Relation {
	sums, first := &Aggregate{In: rows, Many: a.Many}, *joins[0]
	for _, v := range rows.Values {
		if slices.Contains(a.By, v.ID) {
			sums.By, groups.Values = append(sums.By, v.ID), append(groups.Values, Value{v.Column, v.Ref()})
		}
	}
	keys, known := first.keys(), map[int]expression.Node{}
	var on []expression.Node
	for _, c := range first.R.Columns() {
		if x := keys[c.ID]; x != nil {
			v := Value{n.Column(c.Name, x.Type()), x}
			rows.Values, sums.By = append(rows.Values, v), append(sums.By, v.ID)
			known[c.ID] = v.Ref()
			on = append(on, &expression.Binary{Op: expression.Equal, Left: v.Ref(), Right: c.Ref()})
		}
	}
	if !Multiplies(rows, sums.By) {
		return nil
	}
	first.On = expression.Conjoin(on...)
	joins = append([]*Join{&first}, joins[1:]...)
	if each {
		return keptSums(a, cond, sums, groups, joins, known)
	}
	return regrouped(n, a, cond, sums, groups, joins)
}

// keptSums joins the sums that pass the condition. Each is a group. keys are the table's columns
// that the sums know; what needs no other column needs no join.
func keptSums(a *Aggregate, cond expression.Node, sums *Aggregate, groups *Project, joins []*Join, keys map[int]expression.Node) Relation {
	sums.Values = a.Values
	kept := input{first: sums}
	if cond != nil {
		kept.first = &Filter{In: sums, Cond: cond}
	}
	out := &Project{}
	for _, c := range a.Columns() {
		v := Value{c, c.Ref()}
		if at := slices.IndexFunc(groups.Values, func(v Value) bool { return v.ID == c.ID }); at >= 0 {
			v.X = replaced(groups.Values[at].X, keys)
		}
		out.Values = append(out.Values, v)
	}
	out.In = kept.with(kept.dropUnused(joins, out.Values))
	return out
}

// regrouped joins the sums that pass the condition or have no partner, and groups them again.
func regrouped(n *Numbers, a *Aggregate, cond expression.Node, sums *Aggregate, groups *Project, joins []*Join) Relation {
	out, parts := &Aggregate{In: groups, By: a.By}, map[int]expression.Node{}
	for _, v := range a.Values {
		part := Value{n.Column(v.Name, v.Type), v.X}
		parts[v.ID] = part.Ref()
		sums.Values, groups.Values = append(sums.Values, part), append(groups.Values, Value{part.Column, part.Ref()})
		out.Values = append(out.Values, Value{v.Column, Again(v.X.(*expression.Aggregate).Function, part.Ref())})
	}
	groups.In = link(sums, joins)
	if cond == nil {
		return out
	}
	on := expression.Conjuncts(joins[0].On)
	key := on[len(on)-1].(*expression.Binary).Right
	groups.In = &Filter{In: groups.In, Cond: expression.Disjoin(replaced(cond, parts), &expression.IsNull{X: key})}
	return JoinAttributes(n, &Filter{In: out, Cond: cond})
}

// combine reports whether all values can be computed from partial aggregates.
func combine(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool {
		a, ok := v.X.(*expression.Aggregate)
		return !ok || a.Function != expression.Sum && a.Function != expression.Count && a.Function != expression.Min && a.Function != expression.Max
	})
}

// integers reports whether a condition compares only integers. Equal texts can differ, depending
// on an engine's collation, and then group differently than they join.
func integers(on expression.Node) bool {
	return on != nil && !slices.ContainsFunc(expression.Conjuncts(on), func(term expression.Node) bool {
		b, ok := term.(*expression.Binary)
		return !ok || b.Left.Type() != sdk.TypeInt64 || b.Right.Type() != sdk.TypeInt64
	})
}

// Again returns the aggregate of partial aggregates: sums are summed, counts are summed with 0
// for no rows, minima and maxima keep their function.
func Again(f expression.AggregateFunction, part expression.Node) expression.Node {
	if f != expression.Count {
		return &expression.Aggregate{Function: f, X: part}
	}
	sum := &expression.Aggregate{Function: expression.Sum, X: part}
	return &expression.Cast{X: &expression.Call{Function: "coalesce", Args: []expression.Node{sum, expression.Int(0)}}, To: sdk.TypeInt64}
}
