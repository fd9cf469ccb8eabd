package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// JoinAttributes rewrites groups by a table's key and by attributes that depend on the key
// into groups by the key alone. It joins the attributes to the groups that pass the filter,
// which are fewer. It changes the plan below f in place, and returns f if the rule does not
// apply.
func JoinAttributes(n *Numbers, f *Filter) Relation {
	a, ok := f.In.(*Aggregate)
	if !ok {
		return f
	}
	p, in, ok := projected(a)
	if !ok {
		return f
	}
	for _, j := range in.joins {
		d := determined(a, p, j, in.joins)
		if d == nil || d.values == nil || slices.ContainsFunc(a.Values, func(v Value) bool { return uses(v.X, d.columns()) }) {
			continue
		}
		var groups, rest []expression.Node
		for _, term := range expression.Conjuncts(f.Cond) {
			if uses(term, d.columns()) {
				rest = append(rest, term)
			} else {
				groups = append(groups, term)
			}
		}
		if groups == nil {
			continue
		}
		out := d.join(n, &Filter{In: a, Cond: expression.Conjoin(groups...)}, a.Columns())
		a.By = slices.DeleteFunc(a.By, func(id int) bool { return slices.Contains(d.columns(), id) })
		p.Values = slices.DeleteFunc(p.Values, func(v Value) bool { return slices.Contains(d.columns(), v.ID) })
		p.In = in.with(in.dropUnused(in.joins, p.Values))
		if rest != nil {
			return &Filter{In: out, Cond: expression.Conjoin(rest...)}
		}
		return out
	}
	return f
}

// attributes are grouping values that depend on the key of a table.
type attributes struct {
	key    map[int]Column // the grouping columns that are the key, by the table's columns
	table  *Scan
	joins  []*Join // to-one joins from the table
	values []Value // the attributes: expressions over the table and the joined tables
}

func (d *attributes) columns() (all []int) { return ids(columns(d.values)) }

// determined returns the grouping values that depend on the key of the table that j joins;
// nil = the table's key is not among the groups.
func determined(a *Aggregate, p *Project, j *Join, joins []*Join) *attributes {
	t, ok := j.R.(*Scan)
	if !ok || t.Table.Query != "" || j.Kind == Mark {
		return nil
	}
	if Multiplies(t, j.Fixed()) || nullSafe(j) {
		return nil
	}
	d := &attributes{table: t, key: map[int]Column{}}
	own := ids(t.Columns())
	for _, v := range p.Values {
		if c, ok := v.X.(*expression.Column); ok && slices.Contains(own, c.ID) && slices.Contains(a.By, v.ID) {
			d.key[c.ID] = v.Column
		}
	}
	// A row that is joined by its key has one that is not NULL.
	at := slices.IndexFunc(t.Keys(), func(key []int) bool {
		return within(key, j.Fixed()) && !slices.ContainsFunc(key, func(id int) bool { return d.key[id].ID == 0 })
	})
	if at < 0 {
		return nil
	}
	maps.DeleteFunc(d.key, func(id int, _ Column) bool { return !slices.Contains(t.Keys()[at], id) })
	known := own
	for _, next := range joins {
		to, ok := next.R.(*Scan)
		if !ok || to == t || to.Table.Query != "" || next.Kind == Mark || next.On == nil || nullSafe(next) || Multiplies(to, next.Fixed()) {
			continue
		}
		if both := slices.Concat(known, ids(to.Columns())); only(next.On, both) {
			d.joins, known = append(d.joins, next), both
		}
	}
	for _, v := range p.Values {
		isKey := slices.Contains(slices.Collect(maps.Values(d.key)), v.Column)
		if slices.Contains(a.By, v.ID) && !isKey && only(v.X, known) {
			d.values = append(d.values, v)
		}
	}
	return d
}

// nullSafe reports whether a join matches NULL with NULL.
func nullSafe(j *Join) bool {
	return slices.ContainsFunc(expression.Conjuncts(j.On), func(term expression.Node) bool {
		b, ok := term.(*expression.Binary)
		return ok && b.Op == expression.NotDistinct
	})
}

// only reports whether an expression has columns, and all of them are in columns.
func only(x expression.Node, columns []int) bool {
	used := expression.Columns(x)
	return len(used) > 0 && !slices.ContainsFunc(used, func(c *expression.Column) bool { return !slices.Contains(columns, c.ID) })
}

// join joins the attributes to groups. The result has the given columns, with the same IDs.
func (d *attributes) join(n *Numbers, groups Relation, columns []Column) Relation {
	same := map[int]expression.Node{}
	t := d.table.again(n, same)
	var on []expression.Node
	for _, f := range d.table.Fields {
		if key := d.key[f.ID]; key.ID != 0 {
			on = append(on, &expression.Binary{Op: expression.Equal, Left: key.Ref(), Right: same[f.ID]})
		}
	}
	joins := []*Join{{R: t, Kind: Left, On: expression.Conjoin(on...), ToOne: true}}
	for _, j := range d.joins {
		to := j.R.(*Scan).again(n, same)
		joins = append(joins, &Join{R: to, Kind: Left, On: replaced(j.On, same), ToOne: true})
	}
	out, in := &Project{}, input{first: groups}
	for _, c := range columns {
		v := Value{Column: c, X: c.Ref()}
		if at := slices.IndexFunc(d.values, func(v Value) bool { return v.ID == c.ID }); at >= 0 {
			v.X = replaced(d.values[at].X, same)
		}
		out.Values = append(out.Values, v)
	}
	out.In = in.with(in.dropUnused(joins, out.Values))
	return out
}

// dropUnused leaves out joins that keep each row once and whose columns nothing uses.
func (in input) dropUnused(joins []*Join, values []Value) []*Join {
	joins = slices.Clone(joins)
	for i := len(joins) - 1; i >= 0; i-- {
		j := joins[i]
		all := in.used(slices.Delete(slices.Clone(joins), i, i+1))
		for _, v := range values {
			all = append(all, v.X)
		}
		if !j.whole() || !j.ToOne && Multiplies(j.R, j.Fixed()) || slices.ContainsFunc(all, func(x expression.Node) bool { return uses(x, ids(j.R.Columns())) }) {
			continue
		}
		joins = slices.Delete(joins, i, i+1)
	}
	return joins
}
