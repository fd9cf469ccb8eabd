package memory

import (
	"context"
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
	f, err := r.filter(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Limit == 0:
		f.Limit = defaultListed
	case r.Limit < 0 || r.Limit > maxListed:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a limit is from 1 to %d", maxListed).WithHint("page with the cursor")
	}
	if !s.began() {
		return answer, nil
	}
	if f.NotBy, err = s.hides(ctx, &r); err != nil {
		return nil, err
	}
	list, err := s.Engine.List(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range list.Changes {
		answer.Changes = append(answer.Changes, lineOf(&list.Changes[i]))
	}
	answer.Total, answer.Hidden = list.Total, list.Hidden
	if list.Next != "" {
		answer.NextCursor = &list.Next
	}
	return answer, nil
}

// filter is what a request chooses, of what the caller of ctx may see.
// Errors: KindInvalid for an unknown state.
func (r *ChangesRequest) filter(ctx context.Context) (change.Filter, error) {
	f := change.Filter{
		Kind: change.Kind(r.Kind), Connection: r.Connection, Run: strings.ToUpper(string(r.RunID)), Source: r.Source, By: r.Actor, Since: r.Since,
		Disputed: r.Disputed, Text: r.Text, Limit: r.Limit, Cursor: r.Cursor, Connections: caller.Of(ctx).Connections,
	}
	if r.State != "" {
		state := change.State(r.State)
		if !slices.Contains([]change.State{change.Pending, change.Applying, change.Draft, change.Applied, change.Reverted, change.Rejected, change.Superseded}, state) {
			return f, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no state %q", r.State).
				WithHint("use pending, draft, applied, rejected, reverted or superseded")
		}
		f.States = []change.State{state}
	} else if r.Open {
		f.States = []change.State{change.Pending, change.Draft}
	}
	return f, nil
}

// Around returns the changes before and after one in the list of a request, whose Limit and Cursor have no effect;
// nil = there is none.
// Errors: those of Changes.
func (s *Service) Around(ctx context.Context, r ChangesRequest, id change.ID) (before, after *ChangeLine, err error) {
	f, err := r.filter(ctx)
	if err != nil || !s.began() {
		return nil, nil, err
	}
	if f.NotBy, err = s.hides(ctx, &r); err != nil {
		return nil, nil, err
	}
	newer, older, err := s.Engine.Around(ctx, f, id)
	if err != nil {
		return nil, nil, err
	}
	if newer != nil {
		line := lineOf(newer)
		before = &line
	}
	if older != nil {
		line := lineOf(older)
		after = &line
	}
	return before, after, nil
}

func lineOf(c *change.Change) ChangeLine {
	line := ChangeLine{
		ID: c.ID, State: string(c.Shown()), Kind: c.Kind, Connection: c.Connection, Target: c.Target, Says: c.Says,
		Why: slices.Clone(c.Why), By: c.By.Name(), Source: c.Source, At: c.At, Actor: c.By,
		Version: c.Version, Path: c.Path, Disputed: len(c.Conflicts) > 0, Undoes: c.Undoes,
	}
	if !c.DecidedAt.IsZero() {
		line.DecidedBy, line.DecidedAt, line.Reason = c.DecidedBy.Name(), c.DecidedAt, c.Note
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

// Line returns a change as lists show it, by its id or the beginning of it. Errors: KindNotFound, KindInvalid.
func (s *Service) Line(ctx context.Context, id string) (*ChangeLine, error) {
	c, err := s.change(ctx, id)
	if err != nil {
		return nil, err
	}
	line := lineOf(c)
	return &line, nil
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
		d.Diff, d.File = unified(c.Path, file), file
		if c.State == change.Pending {
			d.Base = baseOf(file.Before)
		}
	}
	if d.Context, err = s.context(ctx, c); err != nil {
		return nil, err
	}
	d.Impact, err = s.impact(ctx, c)
	return d, err
}

// baseOf identifies the content of a file; nil = there is none.
func baseOf(content []byte) string {
	if content == nil {
		return change.Hash{}.String()
	}
	return change.Of(content).String()
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
	if n := len(d.Versions); n > 0 && n != len(d.IDs) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are %d ids and %d versions", len(d.IDs), n).WithHint("give each id its version, or none")
	}
	if n := len(d.Bases); n > 0 && n != len(d.IDs) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are %d ids and %d hashes of files", len(d.IDs), n).WithHint("give each id its hash, or none")
	}
	all := make([]Decided, len(d.IDs))
	err := s.decide(ctx, d.Actor, func(ctx context.Context) error {
		for i, id := range d.IDs {
			c, err := s.change(ctx, id)
			of, was, problem := change.Decision{By: d.Actor, Note: d.Note}, "", ""
			if err == nil {
				of.Version, was, err = s.fresh(&d, i, c)
			}
			if err == nil {
				c, problem, err = one(ctx, c, of)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			all[i] = Decided{ID: change.ID(id), Problem: problem, Was: was}
			if c != nil {
				all[i] = Decided{ID: c.ID, State: string(c.Shown()), Target: c.Target, Path: c.Path, Problem: strings.TrimSpace(problem + " " + c.Problem), Was: was, Version: c.Version}
			}
			if err != nil {
				all[i].Problem, all[i].Failed, all[i].Kind = failureText(err), true, sdk.KindOf(err) // it says more than what was wrong before
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// fresh refuses a decision by the proposer, and one that is for another state of a change or of its file. It returns
// the version that the decision is for, 0 = any, and the state of the change.
// Errors: KindDenied, KindConflict.
func (s *Service) fresh(d *Decision, i int, c *change.Change) (version int64, was string, err error) {
	was = string(c.Shown())
	if sameClient(d.Actor, c.By) {
		return 0, was, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot decide of its own change", d.Actor.Name()).WithHint("ask a person to run loam review show %s", c.ID)
	}
	if len(d.Versions) > 0 {
		version = d.Versions[i]
	}
	if version != 0 && version != c.Version {
		return version, was, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s has version %d by now", c.ID, c.Version).WithHint("look at it again: loam review show %s", c.ID)
	}
	if len(d.Bases) == 0 || d.Bases[i] == "" {
		return version, was, nil
	}
	content, err := s.Engine.Read(c.Path)
	if err != nil {
		return version, was, err
	}
	if baseOf(content) != d.Bases[i] {
		return version, was, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s was edited since change %s was shown", c.Path, c.ID).WithHint("look at it again: loam review show %s", c.ID)
	}
	return version, was, nil
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

// Reopen takes rejections back: the changes wait again, and the file of a rejected draft stays without it.
// Errors: KindDenied for an actor without permission.
func (s *Service) Reopen(ctx context.Context, d Decision) ([]Decided, error) {
	return s.each(ctx, d, func(ctx context.Context, c *change.Change, of change.Decision) (*change.Change, string, error) {
		if d.DryRun {
			would := *c
			would.State = change.Pending
			return &would, "", nil
		}
		done, err := s.Engine.Reopen(ctx, c.ID, of)
		if err != nil {
			return c, "", err
		}
		return done, "", nil
	})
}

// Log lists the events, the latest first.
func (s *Service) Log(ctx context.Context, limit int) ([]Event, error) {
	return s.LogOf(ctx, "", limit)
}

// LogOf lists the events of a change, the latest first; "" = of all changes.
func (s *Service) LogOf(ctx context.Context, id change.ID, limit int) ([]Event, error) {
	if !s.began() {
		return nil, nil
	}
	rows, err := s.Engine.Events(ctx, limit, id)
	if err != nil {
		return nil, err
	}
	all := make([]Event, len(rows))
	for i, e := range rows {
		all[i] = Event{At: e.At, By: e.By.Name(), Via: string(e.By.Channel), Verb: e.Verb, Change: e.Change, RunID: RunID(e.Run), Detail: e.Detail}
	}
	return all, nil
}
