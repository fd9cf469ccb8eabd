package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Tighten makes inner joins of outer ones whose rows without a partner no condition
// above lets through: engines find better orders for them. It changes the joins below
// a filter in place.
func Tighten(f *Filter) {
	need := needed(nil, f.Cond)
	for r := f.In; ; {
		j, ok := r.(*Join)
		if !ok {
			return
		}
		if j.Kind == Left && slices.ContainsFunc(j.R.Columns(), func(c Column) bool { return need[c.ID] }) {
			j.Kind = Inner
		}
		if j.Kind == Inner {
			need = needed(need, j.On)
		}
		r = j.L
	}
}

// needed adds the columns that cannot be NULL where a condition is true.
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

// common are the columns that cannot be NULL whichever of several conditions is true.
func common(any []expression.Node) map[int]bool {
	all := needed(nil, any[0])
	for _, cond := range any[1:] {
		also := needed(nil, cond)
		maps.DeleteFunc(all, func(id int, _ bool) bool { return !also[id] })
	}
	return all
}

// rejects reports whether a condition is not true as soon as one of its columns is
// NULL.
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

// Strict reports whether an expression is NULL when any of its columns is.
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
