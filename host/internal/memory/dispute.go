package memory

import (
	"context"

	"github.com/loam-data/loam/host/internal/change"
)

// Disputes returns the contradictions that wait for a person, as change.Engine.Disputes does.
func (s *Service) Disputes(ctx context.Context) (*change.Disputes, error) {
	if !s.began() {
		return nil, nil
	}
	return s.Engine.Disputes(ctx)
}

// DraftOf returns the latest applied change of a target that nobody reviewed; nil = none.
func (s *Service) DraftOf(ctx context.Context, connection, target string) (*change.Change, error) {
	if !s.began() {
		return nil, nil
	}
	return s.Engine.DraftOf(ctx, connection, target)
}
