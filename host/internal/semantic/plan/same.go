package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Same reports whether two relations have the same rows with the same columns: they
// are made in the same way of the same scans.
func Same(a, b Relation) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *Filter:
		b, ok := b.(*Filter)
		return ok && sameValue(a.Cond, b.Cond) && Same(a.In, b.In)
	case *Join:
		b, ok := b.(*Join)
		return ok && a.Kind == b.Kind && a.Mark == b.Mark && sameValue(a.On, b.On) && Same(a.L, b.L) && Same(a.R, b.R)
	case *Project:
		b, ok := b.(*Project)
		return ok && a.Distinct == b.Distinct && a.Whole == b.Whole && SameValues(a.Values, b.Values) && Same(a.In, b.In)
	}
	return false
}

// SameValues reports whether two lists are of the same columns and expressions.
func SameValues(a, b []Value) bool {
	return slices.EqualFunc(a, b, func(a, b Value) bool { return a.ID == b.ID && sameValue(a.X, b.X) })
}

func sameValue(a, b expression.Node) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return expression.String(a) == expression.String(b)
}
