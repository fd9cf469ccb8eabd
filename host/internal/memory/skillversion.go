package memory

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/skill"
)

// KeepSkill keeps the present content of a skill's file.
// Errors: those of change.Engine.Keep.
func (s *Service) KeepSkill(ctx context.Context, name string) error {
	return s.Engine.Keep(ctx, skill.Path(name))
}

// SkillVersions returns the contents of a skill's file, the latest first.
// Errors: those of change.Engine.Revisions.
func (s *Service) SkillVersions(ctx context.Context, name string) ([][]byte, error) {
	all, err := s.Engine.Revisions(ctx, skill.Path(name))
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, 0, len(all))
	for _, r := range slices.Backward(all) {
		if r.Hash == (change.Hash{}) {
			continue
		}
		content, err := s.Engine.ContentOf(ctx, &r)
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	return contents, nil
}

// WaitingSkill returns the file of a skill that waits for a person; nil = none does that the caller of ctx may see.
// Another principal's is for the command line and the console alone.
func (s *Service) WaitingSkill(ctx context.Context, name string, by change.Actor) ([]byte, error) {
	if !s.began() {
		return nil, nil
	}
	waiting, err := s.Engine.List(ctx, change.Filter{Kind: change.Skill, Path: skill.Path(name), States: []change.State{change.Pending}})
	if err != nil {
		return nil, err
	}
	for _, c := range waiting.Changes {
		same := c.By.Principal == by.Principal || by.Channel == change.CLI || by.Channel == change.Console
		if c.Blocks[0].After != "" && same && (by.Principal != "" || !caller.Of(ctx).Narrows()) {
			return []byte(c.Blocks[0].After), nil
		}
	}
	return nil, nil
}

// WaitingSkills counts the new skills that wait for a person.
func (s *Service) WaitingSkills(ctx context.Context) (int, error) {
	if !s.began() || caller.Of(ctx).Narrows() {
		return 0, nil
	}
	waiting, err := s.Engine.List(ctx, change.Filter{Kind: change.Skill, States: []change.State{change.Pending}, Limit: 1})
	if err != nil {
		return 0, err
	}
	return waiting.Total, nil
}
