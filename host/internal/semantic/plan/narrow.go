package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// NarrowEntities computes values per entity only for the entities that a filter keeps. It applies
// if rows are joined with groups by the key of a table, and a filter above has conditions only on
// that table: the conditions are repeated below the groups. Groups with several readers are not
// changed. It changes the plan in place.
func NarrowEntities(n *Numbers, root Relation) {
	readers, filters := map[Relation]int{}, []*Filter{}
	var walk func(Relation)
	walk = func(r Relation) {
		if readers[r]++; readers[r] > 1 {
			return
		}
		if f, ok := r.(*Filter); ok {
			filters = append(filters, f)
		}
		for _, in := range r.Inputs() {
			walk(in)
		}
	}
	walk(root)
	for _, f := range filters {
		first, joins := chain(f.In)
		for _, j := range joins {
			if groups := grouped(j, readers); groups != nil {
				narrow(n, f.Cond, groups, j, first, joins)
			}
		}
	}
}

// grouped returns the aggregate over plain rows that only this join reads; nil = there is none.
func grouped(j *Join, readers map[Relation]int) *Aggregate {
	s, ok := j.R.(*Shared)
	if !ok || readers[s] > 1 || j.Kind != Inner && j.Kind != Left {
		return nil
	}
	a, ok := s.In.(*Aggregate)
	if !ok || readers[a] > 1 {
		return nil
	}
	if p, ok := a.In.(*Project); !ok || p.Distinct || p.Whole != nil || readers[p] > 1 {
		return nil
	}
	return a
}

// narrow joins the table with the groups' rows, and filters them by the conditions on the table.
func narrow(n *Numbers, cond expression.Node, a *Aggregate, j *Join, first Relation, joins []*Join) {
	by := map[int]expression.Node{} // the grouping expressions, by the columns that they equal
	p := a.In.(*Project)
	values, alone := j.equated()
	for group, x := range values {
		key, ok := x.(*expression.Column)
		at := slices.IndexFunc(p.Values, func(v Value) bool { return v.ID == group })
		if !ok || at < 0 || !slices.Contains(a.By, group) {
			return
		}
		by[key.ID] = p.Values[at].X
	}
	if !alone {
		return
	}
	t := keyed(by, first, joins)
	if t == nil {
		return
	}
	about := ids(t.Columns())
	var terms []expression.Node
	for _, term := range expression.Conjuncts(cond) {
		if only(term, about) {
			terms = append(terms, term)
		}
	}
	if len(terms) == 0 {
		return
	}
	same := map[int]expression.Node{}
	copied := t.again(n, same)
	var on []expression.Node
	for _, f := range t.Fields {
		if by[f.ID] != nil {
			on = append(on, &expression.Binary{Op: expression.Equal, Left: by[f.ID], Right: same[f.ID]})
		}
	}
	for i := range terms {
		terms[i] = replaced(terms[i], same)
	}
	p.In = narrowed(p.In, &Join{R: copied, On: expression.Conjoin(on...), ToOne: true}, terms)
}

// keyed returns the table of which the columns are a key; nil = none.
func keyed(by map[int]expression.Node, first Relation, joins []*Join) *Scan {
	relations := []Relation{first}
	for _, j := range joins {
		if j.Kind != Mark {
			relations = append(relations, j.R)
		}
	}
	for _, r := range relations {
		t, ok := r.(*Scan)
		if !ok {
			continue
		}
		var key []int
		for _, c := range t.Columns() {
			if by[c.ID] != nil {
				key = append(key, c.ID)
			}
		}
		if len(key) > 0 && len(key) == len(by) && !Multiplies(t, key) {
			return t
		}
	}
	return nil
}

// narrowed returns rows with another inner join and further conditions.
func narrowed(in Relation, j *Join, terms []expression.Node) Relation {
	if f, ok := in.(*Filter); ok {
		j.L = f.In
		return &Filter{In: InnerFirst(j), Cond: expression.Conjoin(append([]expression.Node{f.Cond}, terms...)...)}
	}
	j.L = in
	return &Filter{In: InnerFirst(j), Cond: expression.Conjoin(terms...)}
}
