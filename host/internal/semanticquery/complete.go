package semanticquery

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// MaxNames is the most names that a completion lists.
const MaxNames = 100

// SourceNames completes the name of a public source: the first names that begin with prefix, without case, in
// the order of the model, and the number of all.
// Units: linear in the number of sources.
// Errors: those of List.
func (s *Service) SourceNames(ctx context.Context, id connection.ID, prefix string) (names []string, total int, err error) {
	_, state, _, err := s.state(ctx, id, scanned)
	if err != nil {
		return nil, 0, err
	}
	for source := range state.Model.Outlines() {
		if source.Visibility != model.Public || len(source.Name) < len(prefix) || !strings.EqualFold(source.Name[:len(prefix)], prefix) {
			continue
		}
		if total++; len(names) < MaxNames {
			names = append(names, sourceName(state.Model, source))
		}
	}
	return names, total, nil
}

// sourceName is the name of a source, or its identity where several sources have the name.
func sourceName(m *model.Model, s *model.Source) string {
	if found, err := m.FindSource(s.Name); err == nil && found.ID == s.ID {
		return s.Name
	}
	return s.Identity
}
