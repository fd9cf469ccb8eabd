package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/text/diff"
	"github.com/loam-data/loam/sdk"
)

const (
	defaultListed = 20
	maxListed     = 1000
	// around is how many lines before and behind a quote are shown.
	around = 1
)

// Changes lists changes, the latest first.
// Errors: KindInvalid for an unknown state or kind, or a limit out of range.
func (s *Service) Changes(ctx context.Context, r ChangesRequest) (*ChangesAnswer, error) {
	answer := &ChangesAnswer{Changes: []ChangeLine{}}
	f := change.Filter{
		Kind: change.Kind(r.Kind), Connection: r.Connection, Run: strings.ToUpper(string(r.RunID)), Source: r.Source, By: r.Actor, Since: r.Since,
		Limit: r.Limit, Cursor: r.Cursor, Connections: caller.Of(ctx).Connections,
	}
	switch {
	case r.Limit == 0:
		f.Limit = defaultListed
	case r.Limit < 0 || r.Limit > maxListed:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a limit is from 1 to %d", maxListed).WithHint("page with the cursor")
	}
	if r.State != "" {
		state := change.State(r.State)
		if !slices.Contains([]change.State{change.Pending, change.Applying, change.Draft, change.Applied, change.Reverted, change.Rejected, change.Superseded}, state) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no state %q", r.State).
				WithHint("use pending, draft, applied, rejected, reverted or superseded")
		}
		f.States = []change.State{state}
	} else if r.Open {
		f.States = []change.State{change.Pending, change.Draft}
	}
	if !s.began() {
		return answer, nil
	}
	list, err := s.Engine.List(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range list.Changes {
		answer.Changes = append(answer.Changes, lineOf(&list.Changes[i]))
	}
	answer.Total = list.Total
	if list.Next != "" {
		answer.NextCursor = &list.Next
	}
	return answer, nil
}

func lineOf(c *change.Change) ChangeLine {
	line := ChangeLine{
		ID: c.ID, State: string(c.Shown()), Kind: c.Kind, Connection: c.Connection, Target: c.Target, Says: c.Says,
		Why: slices.Clone(c.Why), By: c.By.Name(), Source: c.Source, At: c.At, Actor: c.By,
	}
	if !strings.HasPrefix(c.Run, namedCall) {
		line.RunID = RunID(c.Run)
	}
	return line
}

// Change returns a change by its id or the beginning of it. Errors: KindNotFound, KindInvalid.
func (s *Service) Change(ctx context.Context, id string) (*Detail, error) {
	c, err := s.change(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.detail(ctx, c)
}

func (s *Service) change(ctx context.Context, id string) (*change.Change, error) {
	if !s.began() {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no change %q: nothing was remembered yet", id).WithHint("loam review lists changes")
	}
	c, err := s.Engine.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.seen(ctx, c); err != nil {
		return nil, err
	}
	return c, nil
}

func (s *Service) detail(ctx context.Context, c *change.Change) (*Detail, error) {
	d := &Detail{
		ChangeLine: lineOf(c), Quote: c.Quote, Provenance: c.By, Verification: c.Verified, Conflicts: slices.Clone(c.Conflicts), Problem: c.Problem,
		Note: strings.TrimSpace(c.Proposal.Note + " " + c.Note), Path: c.Path, Version: c.Version,
	}
	file, err := s.shown(ctx, c)
	switch {
	case sdk.KindOf(err) == sdk.KindConflict || sdk.KindOf(err) == sdk.KindInvalid: // it cannot be written as the file is now
		d.Problem = strings.TrimSpace(d.Problem + " " + failureText(err))
	case err != nil:
		return nil, err
	case file != nil:
		d.Diff = unified(c.Path, file)
	}
	if d.Context, err = s.context(ctx, c); err != nil {
		return nil, err
	}
	d.Impact, err = s.impact(ctx, c)
	return d, err
}

// shown is what a change writes while it waits, or wrote; nil = that is not kept.
func (s *Service) shown(ctx context.Context, c *change.Change) (*change.Preview, error) {
	if c.State == change.Applied || c.State == change.Reverted {
		return s.Engine.Written(ctx, c.ID)
	}
	return s.Engine.Preview(ctx, &c.Proposal)
}

func unified(path string, file *change.Preview) string {
	from, to := "a/"+path, "b/"+path
	if file.Before == nil {
		from = diff.Absent
	}
	if file.After == nil {
		to = diff.Absent
	}
	return diff.Unified(from, to, string(file.Before), string(file.After))
}

// context returns the lines around the quote of a change, "" when the text is not kept any more.
func (s *Service) context(ctx context.Context, c *change.Change) (string, error) {
	if c.Run == "" || c.Quote == "" {
		return "", nil
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return "", err
	}
	in, err := state.IngestOf(ctx, c.Run)
	if sdk.KindOf(err) == sdk.KindNotFound || err == nil && in.Content == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := unpack(in.Content)
	if err != nil {
		return "", err
	}
	at := strings.Index(text, c.Quote) // the planner counts in the text that it normalised
	if at < 0 {
		return "", nil
	}
	lines := strings.Split(text, "\n")
	first := strings.Count(text[:at], "\n")
	last := first + strings.Count(c.Quote, "\n")
	return strings.Join(lines[max(0, first-around):min(len(lines), last+around+1)], "\n"), nil
}

// impact names the pages that refer to the target of a change.
func (s *Service) impact(ctx context.Context, c *change.Change) ([]string, error) {
	pages, _, err := s.pages(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for p := range pages.Pages() {
		of := "wiki/" + p.Path
		if of != c.Path && (slices.Contains(p.SLRefs, c.Target) || slices.Contains(p.Refs, c.Target) || c.Kind == change.Page && slices.Contains(p.Links, c.Target)) {
			found = append(found, of)
		}
	}
	return found, nil
}

// each takes a decision of changes one after the other: what goes wrong with one is in its Problem.
func (s *Service) each(ctx context.Context, d Decision, one func(ctx context.Context, c *change.Change, of change.Decision) (*change.Change, string, error)) ([]Decided, error) {
	if len(d.Versions) > 0 && len(d.Versions) != len(d.IDs) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are %d ids and %d versions", len(d.IDs), len(d.Versions)).WithHint("give each id its version, or none")
	}
	all := make([]Decided, len(d.IDs))
	err := s.decide(ctx, d.Actor, func(ctx context.Context) error {
		for i, id := range d.IDs {
			c, err := s.change(ctx, id)
			if err == nil && sameClient(d.Actor, c.By) {
				err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot decide of its own change", d.Actor.Name()).WithHint("ask a person to run loam review show %s", c.ID)
			}
			of := change.Decision{By: d.Actor, Note: d.Note}
			if len(d.Versions) > 0 {
				of.Version = d.Versions[i]
			}
			if err == nil && of.Version != 0 && of.Version != c.Version {
				err = sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s has version %d by now", c.ID, c.Version).WithHint("look at it again: loam review show %s", c.ID)
			}
			problem := ""
			if err == nil {
				c, problem, err = one(ctx, c, of)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			all[i] = Decided{ID: change.ID(id), Problem: problem}
			if c != nil {
				all[i] = Decided{ID: c.ID, State: string(c.Shown()), Target: c.Target, Path: c.Path, Problem: strings.TrimSpace(problem + " " + c.Problem)}
			}
			if err != nil {
				all[i].Problem, all[i].Failed = failureText(err), true // it says more than what was wrong before
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Approve applies pending changes and marks drafts as reviewed; the failure of one is in its Problem.
// Errors: KindDenied for an actor without permission.
func (s *Service) Approve(ctx context.Context, d Decision) ([]Decided, error) {
	return s.each(ctx, d, func(ctx context.Context, c *change.Change, of change.Decision) (*change.Change, string, error) {
		if c.State == change.Pending {
			if err := s.obstacle(ctx, c); err != nil {
				return c, "", err
			}
		}
		var err error
		if of.Blocks, err = reviewed(c); err != nil {
			return c, "", err
		}
		if !d.DryRun {
			done, err := s.Engine.Approve(ctx, c.ID, of)
			if err != nil {
				return c, "", err
			}
			return done, "", nil
		}
		would := *c
		if c.State == change.Pending {
			p := c.Proposal
			p.Blocks = of.Blocks
			if _, err := s.Engine.Preview(ctx, &p); err != nil {
				return c, "", err
			}
		}
		would.State, would.Reviewed = change.Applied, true
		return &would, "", nil
	})
}

// reviewed returns the blocks of a change as a person's approval has them.
func reviewed(c *change.Change) ([]change.Block, error) {
	var review func(text []byte) ([]byte, error)
	switch c.Kind {
	case change.Query:
		review = savedquery.Review
	case change.Skill:
		review = func(text []byte) ([]byte, error) { return skill.Mark(c.Target, text, true) }
	default:
		return form.Stamp(c.Blocks, form.Learned{By: c.By.Name(), At: c.At, Source: c.Source, Reviewed: true, Verified: c.Verified}), nil
	}
	blocks := slices.Clone(c.Blocks)
	for i := range blocks {
		if blocks[i].After == "" {
			continue
		}
		text, err := review([]byte(blocks[i].After))
		if err != nil {
			return nil, err
		}
		blocks[i].After = string(text)
	}
	return blocks, nil
}

// Reject rejects pending changes, which are not proposed again; drafts are reverted first.
func (s *Service) Reject(ctx context.Context, d Decision) ([]Decided, error) {
	return s.each(ctx, d, func(ctx context.Context, c *change.Change, of change.Decision) (*change.Change, string, error) {
		if d.DryRun {
			would := *c
			would.State = change.Rejected
			return &would, "", nil
		}
		done, kept, err := s.Engine.Reject(ctx, c.ID, of)
		if err != nil {
			return c, "", err
		}
		if places := places(c.Path, kept); len(places) > 0 {
			return done, "edited since and stays: " + strings.Join(places, ", "), nil
		}
		return done, "", nil
	})
}

// Revert takes applied changes back, newest first.
// Errors: KindInvalid for an empty choice; KindDenied for an actor without permission.
func (s *Service) Revert(ctx context.Context, r RevertRequest) (*Reverted, error) {
	if len(r.IDs) == 0 && r.RunID == "" && r.Source == "" && r.By == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "nothing is chosen").WithHint("name changes, or --run, --source or --actor")
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
	for _, id := range r.IDs {
		c, err := s.change(ctx, id)
		if err != nil {
			return nil, err
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
	out := RevertedChange{Decided: Decided{ID: c.ID, State: string(c.Shown()), Target: c.Target, Path: c.Path}}
	var kept []change.Block
	var err error
	if r.DryRun {
		var would *change.Preview
		if would, err = s.Engine.PreviewRevert(ctx, c.ID); err == nil {
			kept, out.State = would.Kept, string(change.Reverted)
		}
	} else {
		var undone *change.Undone
		if undone, err = s.Engine.Revert(ctx, c.ID, change.Decision{By: r.Actor, Note: r.Note}); err == nil {
			kept, out.State, out.Problem = undone.Kept, string(undone.Change.Shown()), undone.Change.Problem
			if undone.By == nil {
				out.Problem = "all of it was changed since and stays: " + strings.Join(places(c.Path, kept), ", ")
			}
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Problem, out.Failed = failureText(err), true
	}
	out.Kept = append(out.Kept, places(c.Path, kept)...)
	return out, nil
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

// Log lists the events, the latest first.
func (s *Service) Log(ctx context.Context, limit int) ([]Event, error) {
	if !s.began() {
		return nil, nil
	}
	rows, err := s.Engine.Events(ctx, limit, "")
	if err != nil {
		return nil, err
	}
	all := make([]Event, len(rows))
	for i, e := range rows {
		all[i] = Event{At: e.At, By: e.By.Name(), Via: string(e.By.Channel), Verb: e.Verb, Change: e.Change, RunID: RunID(e.Run), Detail: e.Detail}
	}
	return all, nil
}
