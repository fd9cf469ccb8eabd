package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Tighten turns left joins into inner joins, because engines reorder inner joins better: where a
// condition on the rows drops all that have no partner (nil = there is none), and where all rows
// have one. It changes the joins in place, and unsets Total where an outer join before it may
// have found no row.
func Tighten(r Relation, cond expression.Node) {
	first, joins := chain(r)
	need := needed(nil, cond)
	for _, j := range slices.Backward(joins) {
		if j.Kind == Left && slices.ContainsFunc(j.R.Columns(), func(c Column) bool { return need[c.ID] }) {
			j.Kind = Inner
		}
		if j.Kind == Inner {
			need = needed(need, j.On)
		}
	}
	there := rows(first)
	for _, j := range joins {
		own := rows(j.R)
		j.Total = j.Total && only(j.On, slices.Concat(there, own))
		if j.Kind == Left && j.Total {
			j.Kind = Inner
		}
		if j.Kind == Inner {
			there = append(there, own...)
		}
	}
}

// rows returns the columns of a table; of any other relation none.
func rows(r Relation) []int {
	if s, ok := r.(*Scan); ok {
		return ids(s.Columns())
	}
	return nil
}

// needed adds the columns that are not NULL whenever a condition is true.
func needed(into map[int]bool, cond expression.Node) map[int]bool {
	if into == nil {
		into = map[int]bool{}
	}
	for _, term := range expression.Conjuncts(cond) {
		if either, ok := term.(*expression.Logic); ok && either.Op == expression.Or {
			for id := range common(either.Terms) {
				into[id] = true
			}
		}
		if rejects(term) {
			for _, c := range expression.Columns(term) {
				into[c.ID] = true
			}
		}
	}
	return into
}

// common returns the columns that are not NULL whichever of the conditions is true.
func common(any []expression.Node) map[int]bool {
	all := needed(nil, any[0])
	for _, cond := range any[1:] {
		also := needed(nil, cond)
		maps.DeleteFunc(all, func(id int, _ bool) bool { return !also[id] })
	}
	return all
}

// rejects reports whether a condition is never true when one of its columns is NULL.
func rejects(n expression.Node) bool {
	switch n := n.(type) {
	case *expression.Binary:
		return n.Op.Comparison() && n.Op != expression.Distinct && n.Op != expression.NotDistinct && Strict(n.Left) && Strict(n.Right)
	case *expression.Between, *expression.In, *expression.Match:
		return !slices.ContainsFunc(expression.Children(n), func(c expression.Node) bool { return !Strict(c) })
	case *expression.IsNull:
		return n.Negated && Strict(n.X)
	}
	return false
}

// Strict reports whether an expression is NULL whenever one of its columns is. It returns false
// where that is not known.
func Strict(n expression.Node) bool {
	switch n := n.(type) {
	case *expression.Column:
		return !n.Condition
	case *expression.Literal:
		return true
	case *expression.Unary, *expression.Typed, *expression.Form, *expression.Cast:
		return Strict(expression.Children(n)[0])
	case *expression.Binary:
		nullSafe := n.Op == expression.Distinct || n.Op == expression.NotDistinct
		return !nullSafe && Strict(n.Left) && Strict(n.Right)
	}
	return false
}
