package semanticquery

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// MeasureNames returns the names of public measures as requests name them: the metrics, then those of the sources that a
// file defines or changes, in the order of List. Broken ones are left out.
// Units: at most limit names; only the sources of these are built.
// Errors: those of List.
func (s *Service) MeasureNames(ctx context.Context, id connection.ID, limit int) ([]string, error) {
	_, state, _, err := s.state(ctx, id, scanned)
	if err != nil {
		return nil, err
	}
	names := []string{}
	add := func(source *model.Source) {
		of := qualifier(state.Model, source)
		for i := range source.Measures {
			if m := &source.Measures[i]; m.Name != "" && m.Visibility == model.Public && m.Broken == "" && len(names) < limit {
				names = append(names, MemberName(of, m.Name))
			}
		}
	}
	add(state.Model.Source(model.Metrics))
	for outline := range state.Model.Outlines() {
		if len(names) >= limit {
			break
		}
		if outline.File == "" || outline.Visibility != model.Public || outline.Broken != "" || !measured(outline) {
			continue
		}
		add(state.Model.Source(outline.ID))
	}
	return names, nil
}

// MemberName returns a member as requests name it. qualifier is that of a SourceAnswer.
func MemberName(qualifier, member string) string {
	member = expression.String(&expression.Name{Parts: []string{member}})
	if qualifier == "" {
		return member
	}
	return qualifier + "." + member
}

// qualifier is what stands before the members of a source in a request: its name, with its schema where several have the
// name; "" for the metrics.
func qualifier(m *model.Model, source *model.Source) string {
	if source.ID == model.Metrics {
		return ""
	}
	parts := []string{source.Name}
	if found, err := m.FindSource(expression.String(&expression.Name{Parts: parts})); err != nil && found == nil && source.Table.Name != "" {
		parts = nil
		for _, part := range []string{source.Table.Catalog, source.Table.Schema, source.Table.Name} {
			if part != "" {
				parts = append(parts, part)
			}
		}
	}
	return expression.String(&expression.Name{Parts: parts})
}

// measured reports whether a source has a measure that a file defines.
func measured(outline *model.Source) bool {
	for c := range outline.Called() {
		if c.Kind == "measure" && c.Visibility == model.Public {
			return true
		}
	}
	return false
}
