package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Below returns rows, and a column of them for each of the given columns, with the same
// combinations of values as r has in those columns, some of them more often or less often.
// Groups, distinct rows and shared relations are left out, down to the rows of tables, so
// that an engine that computes a shared relation again for each reader does not group the
// rows only to find the least and the greatest of them. It returns r and the columns if
// something else is below. The new relation shares nothing with r but scans.
func Below(n *Numbers, r Relation, columns []Column) (Relation, []Column) {
	b := &below{}
	if !b.follow(r, values(columns), nil) {
		return r, columns
	}
	u := &Union{}
	from := make([][]Column, len(columns))
	for _, rows := range b.all {
		p := &Project{In: rows.relation()}
		for i, x := range rows.values {
			from[i] = append(from[i], p.Compute(n, columns[i].Name, columns[i].Type, x))
		}
		u.In = append(u.In, p)
	}
	if len(u.In) == 1 {
		return u.In[0], u.In[0].Columns()
	}
	for i, c := range columns {
		u.Stack(n, c.Name, c.Type, from[i]...)
	}
	return u, u.Columns()
}

func values(columns []Column) []expression.Node {
	all := make([]expression.Node, len(columns))
	for i, c := range columns {
		all[i] = c.Ref()
	}
	return all
}

// below are the rows of tables that are found below a relation, each once.
type below struct{ all []tableRows }

// tableRows are rows of tables, conditions on them, and values of them.
type tableRows struct {
	in            Relation
	where, values []expression.Node
}

// follow adds the rows below a relation; false = they cannot be told from what reads them.
func (b *below) follow(r Relation, values, where []expression.Node) bool {
	among := func(columns []int) bool { // and no others
		return !slices.ContainsFunc(slices.Concat(values, where), func(x expression.Node) bool { return !only(x, columns) })
	}
	substitute := func(by map[int]expression.Node) (v, w []expression.Node) {
		for _, x := range values {
			v = append(v, replaced(x, by))
		}
		for _, x := range where {
			w = append(w, replaced(x, by))
		}
		return v, w
	}
	switch r := r.(type) {
	case *Shared:
		return b.follow(r.In, values, where)
	case *Window:
		return among(ids(r.In.Columns())) && b.follow(r.In, values, where)
	case *Aggregate:
		return len(r.By) > 0 && among(r.By) && b.follow(r.In, values, where)
	case *Project:
		by := map[int]expression.Node{}
		for _, v := range r.Values {
			by[v.ID] = v.X
		}
		v, w := substitute(by)
		return b.follow(r.In, v, w)
	case *Union:
		for i, in := range r.In {
			by := map[int]expression.Node{}
			for _, c := range r.Out {
				if c.From[i] != 0 {
					by[c.ID] = expression.NewColumn(c.From[i], c.Type)
				}
			}
			if v, w := substitute(by); !b.follow(in, v, w) {
				return false
			}
		}
		return true
	case *Filter:
		if !ofTables(r) {
			return b.follow(r.In, values, append(slices.Clone(where), expression.Conjuncts(r.Cond)...))
		}
	}
	if !ofTables(r) || !among(ids(r.Columns())) {
		return false
	}
	rows := tableRows{r, where, values}
	if !slices.ContainsFunc(b.all, rows.equal) {
		b.all = append(b.all, rows)
	}
	return true
}

// ofTables reports whether a relation has the rows of tables, joined and filtered alone.
func ofTables(r Relation) bool {
	switch r := r.(type) {
	case *Scan:
		return true
	case *Filter:
		return ofTables(r.In)
	case *Join:
		return ofTables(r.L) && ofTables(r.R)
	}
	return false
}

func (r tableRows) equal(o tableRows) bool {
	same := func(a, b expression.Node) bool { return expression.String(a) == expression.String(b) }
	return r.in == o.in && slices.EqualFunc(r.where, o.where, same) && slices.EqualFunc(r.values, o.values, same)
}

// relation returns the rows that the conditions keep, with joins of its own: rules change
// joins in place.
func (r tableRows) relation() Relation {
	in := copied(r.in)
	if len(r.where) == 0 {
		return in
	}
	return &Filter{In: in, Cond: expression.Conjoin(r.where...)}
}

func copied(r Relation) Relation {
	switch r := r.(type) {
	case *Filter:
		return &Filter{In: copied(r.In), Cond: r.Cond}
	case *Join:
		j := *r
		j.L, j.R = copied(r.L), copied(r.R)
		return &j
	}
	return r
}
