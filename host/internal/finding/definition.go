package finding

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// maxDerived is how deep measures are made of others that are compared.
const maxDerived = 5

// measure returns a measure as one expression over the columns of the table, and the conditions
// on its rows; false = it is no such expression.
func (a *asked) measure(s *model.Source, m *model.Measure, depth int) (text string, filters []string, ok bool) {
	if m.Broken != "" || m.NonAdditive != nil || depth > maxDerived || m.Home != s.ID {
		return "", nil, false
	}
	switch m.Kind {
	case model.Simple:
		if m.Agg == "" {
			return "", nil, false
		}
		of := &expression.Aggregate{Function: m.Agg, Parameter: m.Parameter}
		if m.Expr != nil {
			of.X = m.Expr.Tree
		}
		text, ok = a.fields(s, m.Expr).of(of)
	case model.Derived:
		text, filters, ok = a.derived(s, m, depth)
	}
	if !ok {
		return "", nil, false
	}
	own, ok := a.conditions(s, m)
	if !ok {
		return "", nil, false
	}
	filters = append(filters, own...)
	slices.Sort(filters)
	return text, slices.Compact(filters), true
}

// derived returns a calculation over measures that all have the same conditions.
func (a *asked) derived(s *model.Source, m *model.Measure, depth int) (text string, filters []string, ok bool) {
	first := true
	c := &canon{required: func(string) bool { return false }, mean: func(n *expression.Name) (string, bool) {
		ref, known := m.Expr.Ref(n)
		if !known || ref.Measure == 0 || ref.Source != s.ID {
			return "", false
		}
		part, of, ok := a.measure(s, a.model.Measure(ref.Measure), depth+1)
		if !ok || !first && !slices.Equal(of, filters) {
			return "", false
		}
		first, filters = false, of
		return part, true
	}}
	text, ok = c.of(m.Expr.Tree)
	return text, filters, ok && !first
}

// fields returns a writer of expressions of a source.
func (a *asked) fields(s *model.Source, e *model.Expr) *canon {
	return &canon{required: a.required, mean: func(n *expression.Name) (string, bool) {
		if e == nil {
			return "", false
		}
		ref, known := e.Ref(n)
		if !known || ref.Measure != 0 {
			return "", false
		}
		of := a.reached(s, ref)
		name := fieldColumn(a.model, ref.Field)
		if of == nil || name == "" {
			return "", false
		}
		at := slices.Index(of.columns.Columns, name)
		return meaning(of.position, at), at >= 0
	}}
}

// conditions returns the filter and the segments of a measure.
func (a *asked) conditions(s *model.Source, m *model.Measure) (all []string, ok bool) {
	exprs := slices.Clone(m.Filter)
	for _, id := range m.Segments {
		segment := a.model.Segment(id)
		if segment.Broken != "" {
			return nil, false
		}
		exprs = append(exprs, segment.Expr)
	}
	for _, e := range exprs {
		if e == nil {
			return nil, false
		}
		terms := []expression.Node{e.Tree}
		if logic, is := e.Tree.(*expression.Logic); is && logic.Op == expression.And {
			terms = logic.Terms
		}
		for _, term := range terms {
			text, ok := a.fields(s, e).of(term)
			if !ok {
				return nil, false
			}
			all = append(all, text)
		}
	}
	return all, true
}
