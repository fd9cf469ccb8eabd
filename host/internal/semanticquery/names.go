package semanticquery

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
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
	add := func(prefix string, source *model.Source) {
		for i := range source.Measures {
			if m := &source.Measures[i]; m.Name != "" && m.Visibility == model.Public && m.Broken == "" && len(names) < limit {
				names = append(names, prefix+m.Name)
			}
		}
	}
	add("", state.Model.Source(model.Metrics))
	for outline := range state.Model.Outlines() {
		if len(names) >= limit {
			break
		}
		if outline.File == "" || outline.Visibility != model.Public || outline.Broken != "" || !measured(outline) {
			continue
		}
		prefix := outline.Name
		if _, err := state.Model.FindSource(outline.Name); err != nil { // several have this name
			prefix = outline.Identity
		}
		add(prefix+".", state.Model.Source(outline.ID))
	}
	return names, nil
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
