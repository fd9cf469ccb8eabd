package statement

import (
	"slices"
	"strings"
)

// merge notes the columns that USING and NATURAL make one, and the equalities that they mean.
func (r *resolver) merge(s *scope, j *joining) {
	b := s.block
	names := j.using
	if j.natural {
		names = nil
		for _, rel := range b.Relations[:j.end] {
			if !rel.known() {
				r.doubt(b, "NATURAL joins by columns that are not known")
				return
			}
		}
		for _, right := range b.Relations[j.begin:j.end] {
			for _, name := range right.columnNames() {
				if r.first(b.Relations[:j.begin], name) != nil {
					names = append(names, name)
				}
			}
		}
	}
	if names == nil {
		return
	}
	if s.merged == nil {
		s.merged = map[string]bool{}
	}
	for _, name := range names {
		left, right := r.first(b.Relations[:j.begin], name), r.first(b.Relations[j.begin:j.end], name)
		s.merged[strings.ToLower(name.Text)] = true
		if left == nil || right == nil {
			r.doubt(b, "USING names a column that is not known")
			continue
		}
		b.Joins = append(b.Joins, Join{left, right, j.at})
	}
}

// columnNames returns the names of all columns of a known relation.
func (rel *Relation) columnNames() (all []Part) {
	if rel.Table != nil {
		for _, name := range rel.Table.Columns {
			all = append(all, Part{Text: name, Quoted: true})
		}
		return all
	}
	for _, o := range rel.result.outputs {
		all = append(all, o.name)
	}
	return all
}

// first returns the column of the first relation that has one of that name. A single relation
// whose columns are not known has it.
func (r *resolver) first(relations []*Relation, name Part) *Column {
	for _, rel := range relations {
		if c := r.column(rel, name); c != nil {
			return c
		}
	}
	if len(relations) == 1 && !relations[0].known() {
		return &Column{Relation: relations[0], Name: name.Text}
	}
	return nil
}

// conclude collects what the predicates of a resolved block mean.
func (r *resolver) conclude(b *Block) {
	for i := range b.joined {
		j := &b.joined[i]
		conjuncts(j.on, func(e *Expr) { b.add(e, !j.outer, false) })
	}
	for _, filter := range b.filters {
		conjuncts(filter, func(e *Expr) { b.add(e, true, true) })
	}
	for _, e := range b.compared {
		if c, ok := condition(e); ok {
			b.Conditions = append(b.Conditions, c)
		}
	}
	slices.SortStableFunc(b.Conditions, func(a, b Condition) int { return a.At - b.At })
	for _, e := range b.calls {
		if e.Window || !r.aggregates.has(e.Name[0].Text) {
			continue
		}
		if name := e.Name[0].Text; (name == "min" || name == "max") && len(e.Args) > 1 {
			continue
		}
		b.Aggregates = append(b.Aggregates, e)
	}
}

// add takes a conjunct of ON or WHERE.
func (b *Block) add(e *Expr, every, where bool) {
	if left, right, ok := e.equality(); ok {
		b.Joins = append(b.Joins, Join{left, right, e.Start})
		return
	}
	e.every = every
	inner, negated := e, false
	if e.Kind == Operation && e.Operator == "NOT" {
		inner, negated = e.Args[0], true
	}
	if inner.Kind == Ref && inner.Column != nil { // WHERE NOT deleted
		b.Conditions = append(b.Conditions, Condition{Column: inner.Column, Operator: "IS TRUE", Negated: negated, Every: every, At: inner.Start})
	}
	if where {
		b.Where = append(b.Where, e)
	} else {
		b.On = append(b.On, e)
	}
}

// equality returns the columns of two relations of the block that an expression compares.
func (e *Expr) equality() (left, right *Column, ok bool) {
	if e.Kind != Predicate || e.Operator != "=" || len(e.Args) != 2 {
		return nil, nil, false
	}
	left, right = e.Args[0].Column, e.Args[1].Column
	if left == nil || right == nil || e.Args[0].Kind != Ref || e.Args[1].Kind != Ref || left.Outer || right.Outer || left.Relation == right.Relation {
		return nil, nil, false
	}
	return left, right, true
}

// conjuncts calls a function for each of the expressions that AND combines.
func conjuncts(e *Expr, each func(*Expr)) {
	for e != nil && e.Kind == Operation && e.Operator == "AND" {
		conjuncts(e.Args[1], each)
		e = e.Args[0]
	}
	if e != nil {
		each(e)
	}
}

// mirrored are the operators with their sides exchanged.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<=>": "<=>"}

// condition returns a predicate as a comparison of a column with literals.
func condition(e *Expr) (Condition, bool) {
	c := Condition{Operator: e.Operator, Negated: e.Negated, Every: e.every}
	column, others := e.Args[0], e.Args[1:]
	if column.Kind == Value && len(others) == 1 && others[0].Kind == Ref && mirrored[e.Operator] != "" {
		c.Operator = mirrored[e.Operator]
		column, others = others[0], e.Args[:1]
	}
	if column.Kind != Ref || column.Column == nil {
		return c, false
	}
	c.Column, c.At = column.Column, column.Start
	for _, o := range others {
		if o.Kind == Value {
			c.Values = append(c.Values, o.Literal)
		}
	}
	return c, len(c.Values) > 0 || len(others) == 0
}
