package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Tighten turns left joins into inner joins where the conditions above drop all rows without a
// partner, because engines reorder inner joins better. It changes the joins below the filter in
// place.
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
