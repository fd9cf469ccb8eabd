package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

// Outlook returns what a revert would do to at most that many changes, the latest first, and how many there are. Unlike
// a dry run of Revert it takes no lock and asks for no permission.
// Errors: those of Revert, but for KindDenied.
func (s *Service) Outlook(ctx context.Context, r RevertRequest, most int) (answer *Reverted, total int, err error) {
	if err := r.check(); err != nil {
		return nil, 0, err
	}
	chosen, err := s.chosen(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	answer, r.DryRun = &Reverted{Changes: []RevertedChange{}}, true
	for _, c := range chosen[:min(most, len(chosen))] {
		one, err := s.revert(ctx, r, &c)
		if err != nil {
			return nil, 0, err
		}
		answer.Changes = append(answer.Changes, one)
	}
	return answer, len(chosen), nil
}

// check refuses a request that chooses nothing, or that has not a version for each id.
// Errors: KindInvalid.
func (r *RevertRequest) check() error {
	if len(r.IDs) == 0 && r.RunID == "" && r.Source == "" && r.By == "" {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "nothing is chosen").WithHint("name changes, or --run, --source or --actor")
	}
	if n := len(r.Versions); n > 0 && n != len(r.IDs) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are %d ids and %d versions", len(r.IDs), n).WithHint("give each id its version, or none")
	}
	return nil
}

// Revert takes applied changes back, newest first.
// Errors: KindInvalid for an empty choice; KindDenied for an actor without permission.
func (s *Service) Revert(ctx context.Context, r RevertRequest) (*Reverted, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	answer := &Reverted{Changes: []RevertedChange{}}
	err := s.decide(ctx, r.Actor, func(ctx context.Context) error {
		chosen, err := s.chosen(ctx, r)
		if err != nil {
			return err
		}
		for _, c := range chosen {
			one, err := s.revert(ctx, r, &c)
			if err != nil {
				return err
			}
			answer.Changes = append(answer.Changes, one)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// chosen are the applied changes that a request chooses, newest first.
func (s *Service) chosen(ctx context.Context, r RevertRequest) (all []change.Change, err error) {
	for i, id := range r.IDs {
		c, err := s.change(ctx, id)
		if err != nil {
			return nil, err
		}
		if len(r.Versions) > 0 { // the engine compares it
			c.Version = r.Versions[i]
		}
		all = append(all, *c)
	}
	slices.SortStableFunc(all, func(a, b change.Change) int { return b.AppliedAt.Compare(a.AppliedAt) })
	switch {
	case len(r.IDs) > 0:
		return all, nil
	case !s.began() && r.RunID != "":
		return nil, unknownRun(r.RunID)
	case !s.began():
		return nil, nil
	}
	list, err := s.Engine.List(ctx, change.Filter{
		States: []change.State{change.Applied, change.Draft}, Run: strings.ToUpper(string(r.RunID)), Source: r.Source, By: r.By, Since: r.Since,
	})
	if err != nil {
		return nil, err
	}
	if r.RunID != "" && len(list.Changes) == 0 {
		if _, err := s.Status(ctx, r.RunID); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(list.Changes, func(c change.Change) bool { return c.Undoes != "" }), nil
}

// revert takes one change back; what is wrong with it is its Problem.
// Errors: those of ctx.
func (s *Service) revert(ctx context.Context, r RevertRequest, c *change.Change) (RevertedChange, error) {
	out := RevertedChange{
		Decided: Decided{ID: c.ID, State: string(c.Shown()), Target: c.Target, Path: c.Path, Was: string(c.Shown()), Version: c.Version},
		Says:    c.Says, By: c.By.Name(), At: c.At,
	}
	version := int64(0)
	if len(r.Versions) > 0 {
		version = c.Version
	}
	var kept []change.Block
	var err error
	if r.DryRun {
		var would *change.Preview
		if c.State != change.Applied {
			err = sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s is %s", c.ID, c.Shown()).WithHint("look at it: loam review show %s", c.ID)
		} else if would, err = s.Engine.PreviewRevert(ctx, c.ID); err == nil {
			kept, out.State = would.Kept, string(change.Reverted)
		}
	} else {
		var undone *change.Undone
		if undone, err = s.Engine.Revert(ctx, c.ID, change.Decision{By: r.Actor, Note: r.Note, Version: version}); err == nil {
			kept, out.State, out.Problem, out.Version = undone.Kept, string(undone.Change.Shown()), undone.Change.Problem, undone.Change.Version
			if undone.By == nil {
				out.Problem = "all of it was changed since and stays: " + strings.Join(places(c.Path, kept), ", ")
			}
			out.Undo, out.UndoVersion, err = s.undoing(ctx, undone)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Problem, out.Failed, out.Kind = failureText(err), true, sdk.KindOf(err)
	}
	out.Kept = append(out.Kept, places(c.Path, kept)...)
	return out, nil
}

// undoing returns the change whose revert takes a revert back, and its version. After the revert of a revert that is the
// first change, which is applied again.
func (s *Service) undoing(ctx context.Context, u *change.Undone) (change.ID, int64, error) {
	switch {
	case u.By == nil || u.By.State != change.Applied:
		return "", 0, nil
	case u.Change.Undoes == "":
		return u.By.ID, u.By.Version, nil
	}
	first, err := s.Engine.Get(ctx, string(u.Change.Undoes))
	if err != nil || first.State != change.Applied {
		return "", 0, err
	}
	return first.ID, first.Version, nil
}

// places names blocks of a file by their lines, or by their places where those are not known.
func places(path string, blocks []change.Block) (all []string) {
	for _, b := range blocks {
		if b.Line > 0 {
			all = append(all, fmt.Sprintf("%s:%d", path, b.Line))
		} else {
			all = append(all, path+" ("+b.Place+")")
		}
	}
	return all
}
