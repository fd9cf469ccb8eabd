package memory

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/change"
)

// Muted is an actor whose waiting changes lists leave out.
type Muted struct {
	Actor string    `json:"actor"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

// Muted returns the muted actors by name.
func (s *Service) Muted(ctx context.Context) ([]Muted, error) {
	all := []Muted{}
	if !s.began() {
		return all, nil
	}
	found, err := s.Engine.Muted(ctx)
	for _, m := range found {
		all = append(all, Muted{m.Actor, m.By.Name(), m.At})
	}
	return all, err
}

// Mute leaves the changes of an actor out of the lists of what waits. They wait as before, and the actor may propose.
// Errors: KindDenied for somebody who may not decide; KindNotFound for an actor who proposed nothing, KindLimit.
func (s *Service) Mute(ctx context.Context, actor string, by change.Actor) error {
	return s.decide(ctx, by, func(ctx context.Context) error { return s.Engine.Mute(ctx, actor, by) })
}

// Unmute takes a mute back.
// Errors: KindDenied; KindNotFound for an actor who is not muted.
func (s *Service) Unmute(ctx context.Context, actor string, by change.Actor) error {
	return s.decide(ctx, by, func(ctx context.Context) error { return s.Engine.Unmute(ctx, actor, by) })
}

// hides returns the actors whose changes a request leaves out.
func (s *Service) hides(ctx context.Context, r *ChangesRequest) (names []string, err error) {
	waiting := r.Open || r.State == string(change.Pending) || r.State == string(change.Draft)
	if !r.HideMuted || !waiting || r.Actor != "" || r.RunID != "" {
		return nil, nil
	}
	all, err := s.Engine.Muted(ctx)
	for _, m := range all {
		names = append(names, m.Actor)
	}
	return names, err
}
