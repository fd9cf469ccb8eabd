package memory

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Status returns the present outcome of a text.
// Errors: KindNotFound, also for the text of a caller with more connections than the caller of ctx.
func (s *Service) Status(ctx context.Context, id RunID) (*Run, error) {
	if !s.began() {
		return nil, unknownRun(id)
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	row, err := state.Run(ctx, strings.ToUpper(string(id)))
	if sdk.KindOf(err) == sdk.KindNotFound || err == nil && row.Kind != store.KindIngest {
		return nil, unknownRun(id)
	}
	if err != nil {
		return nil, err
	}
	var by author
	if err := json.Unmarshal(row.Actor, &by); err != nil {
		return nil, err
	}
	if !by.open(caller.Of(ctx)) {
		return nil, unknownRun(id)
	}
	return s.runOf(ctx, row)
}

func unknownRun(id RunID) error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", string(id)).WithHint("use the runId of memory_ingest; loam runs list names the latest")
}

// runOf makes the answer of a row: what it captured is what its changes are now.
func (s *Service) runOf(ctx context.Context, row store.Run) (*Run, error) {
	run := &Run{
		RunID: RunID(row.ID), Status: string(row.State), Stage: row.Stage, Done: row.State.Ended(),
		Connection: row.Target, At: row.QueuedAt,
	}
	if err := json.Unmarshal(row.Actor, &run.By); err != nil {
		return nil, err
	}
	if row.Error != "" {
		run.Error = &row.Error
	}
	if !row.StartedAt.IsZero() {
		run.StartedAt = &row.StartedAt
	}
	if !row.FinishedAt.IsZero() {
		run.FinishedAt = &row.FinishedAt
	}
	if row.Report != nil {
		var r report
		if err := json.Unmarshal(row.Report, &r); err != nil {
			return nil, err
		}
		run.tell(r)
	}
	if row.State == store.RunQueued {
		return run, nil
	}
	changes, err := s.Engine.List(ctx, change.Filter{Run: row.ID})
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Backward(changes.Changes) {
		if c.Undoes == "" {
			run.Captured.add(&c)
		}
	}
	return run, nil
}

// tell puts what a run says of itself into an answer.
func (r *Run) tell(of report) {
	r.Signals = of.Signals
	r.Questions, r.Notes = append(r.Questions, of.Questions...), append(r.Notes, of.Notes...)
	if of.Skipped != "" {
		r.SkippedReason = &of.Skipped
	}
}

// add lists a change by what it is; one that was rejected or taken back is not listed.
func (c *Captured) add(one *change.Change) {
	var to *[]string
	switch one.State {
	case change.Pending, change.Applying:
		why := one.Why
		if one.Problem != "" && !slices.Contains(why, change.WhyEdited) {
			why = append(slices.Clone(why), change.WhyEdited)
		}
		c.Pending = append(c.Pending, PendingLine{ID: one.ID, Target: one.Target, Why: why, Note: strings.TrimSpace(one.Proposal.Note + " " + one.Problem)})
		return
	case change.Applied:
	default:
		return
	}
	switch one.Kind {
	case change.Measure, change.Segment:
		if to = &c.SL; path.Base(one.Path) == "metrics.yaml" {
			to = &c.Metrics
		}
	case change.Alias, change.Synonyms:
		to = &c.Synonyms
	case change.Description:
		to = &c.Descriptions
	case change.Page:
		to = &c.Wiki
	default: // approved by a person: a unit, values, a join, a query
		to = &c.SL
	}
	if !slices.Contains(*to, one.Target) {
		*to = append(*to, one.Target)
	}
}

// Retry queues a failed run again.
// Errors: KindNotFound; KindConflict for a run that did not fail, or whose text is deleted.
func (s *Service) Retry(ctx context.Context, id RunID, by change.Actor) (Accepted, error) {
	return s.again(ctx, id, by, store.RunFailed)
}

// Replay queues an ended run again, whatever its end was: what it captured is already there, and is not captured twice.
// Errors: KindNotFound; KindConflict for a run that is not at its end, or whose text is deleted.
func (s *Service) Replay(ctx context.Context, id RunID, by change.Actor) (Accepted, error) {
	return s.again(ctx, id, by, store.RunFailed, store.RunDone, store.RunCanceled)
}

// again queues a run that is in one of these states again.
func (s *Service) again(ctx context.Context, id RunID, by change.Actor, from ...store.RunState) (Accepted, error) {
	p, err := s.policy(ctx)
	if err != nil {
		return Accepted{}, err
	}
	if err := p.admits(by); err != nil {
		return Accepted{}, err
	}
	before, err := s.Status(ctx, id)
	if err != nil {
		return Accepted{}, err
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return Accepted{}, err
	}
	in, err := state.IngestOf(ctx, string(before.RunID))
	if err != nil {
		return Accepted{}, err
	}
	if in.Content == nil {
		return Accepted{}, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the text of run %s is not kept any more", before.RunID).WithHint("ingest it again")
	}
	queued := false
	if is := store.RunState(before.Status); slices.Contains(from, is) {
		if queued, err = state.RequeueRun(ctx, string(before.RunID), is, s.Now()); err != nil {
			return Accepted{}, unavailable(err)
		}
	}
	if !queued {
		which := "only one that failed can be tried again"
		if len(from) > 1 {
			which = "it cannot be run again: it has not ended, or an equal text waits"
		}
		return Accepted{}, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "run %s is %s, and %s", before.RunID, before.Status, which).
			WithHint("loam ingest status %s", before.RunID)
	}
	if err := s.Engine.Record(ctx, change.Event{By: by, Verb: "retry", Run: string(before.RunID)}); err != nil {
		return Accepted{}, err
	}
	if by.Channel == change.MCP || by.Channel == change.Console { // these processes stay
		s.worker.start()
	}
	return Accepted{RunID: before.RunID}, nil
}

// Waiting counts the runs and changes that wait or failed. It does not create a missing state store.
func (s *Service) Waiting(ctx context.Context) (Waiting, error) {
	if !s.began() {
		return Waiting{}, nil
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return Waiting{}, err
	}
	runs, err := state.CountRuns(ctx)
	if err != nil {
		return Waiting{}, err
	}
	changes, err := s.Engine.Waiting(ctx)
	if err != nil {
		return Waiting{}, err
	}
	w := Waiting{Queued: runs.Queued, Failed: runs.Failed, Pending: changes.Pending, Drafts: changes.Drafts, Disputed: changes.Disputed}
	for _, at := range []*time.Time{&runs.First, &changes.Oldest} {
		if !at.IsZero() && (w.Oldest == nil || at.Before(*w.Oldest)) {
			w.Oldest = at
		}
	}
	return w, nil
}
