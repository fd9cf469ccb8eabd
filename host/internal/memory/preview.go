package memory

import (
	"context"

	"github.com/loam-data/loam/host/internal/change"
)

// Preview plans and verifies a text. It stores nothing except the cached answer of a
// language model.
// Shape: Captured has the changes that would be applied or would wait, without ids.
// Errors: those of Accept.
func (s *Service) Preview(ctx context.Context, in Input) (*Run, error) {
	text, counted, err := s.admit(ctx, in)
	if err != nil {
		return nil, err
	}
	now := s.Now().UTC()
	j := &job{service: s, text: text, connection: in.Connection, source: in.Source, actor: in.Actor, at: now}
	j.report.Redacted = counted
	if p, err := s.policy(ctx); err == nil && p.Planner == "llm" && s.Model != nil {
		if err := j.ask(ctx); err != nil {
			return nil, err
		}
	}
	plan, err := j.plan(ctx)
	if err != nil {
		return nil, err
	}
	run := &Run{
		Status: "done", Stage: "done", Done: true,
		StartedAt: &now, Connection: in.Connection, By: in.Actor, At: now,
	}
	run.tell(j.report)
	for _, p := range plan.Changes {
		p.Why = j.policy.waits(in.Actor, &p)
		would := change.Change{Proposal: p, State: change.Applied}
		if len(p.Why) > 0 {
			would.State = change.Pending
		}
		run.Captured.add(&would)
	}
	finished := s.Now().UTC()
	run.FinishedAt = &finished
	return run, nil
}
