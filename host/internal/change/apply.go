package change

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Apply writes a pending change on behalf of its proposer. A person's change counts as reviewed and may change any
// file; any other one becomes a draft and changes only files that Loam owns. Afterwards the change is applied, or
// pending with a Problem.
// Errors: KindNotFound, KindConflict (not pending), KindUnavailable (disk full, read-only: nothing is half-written).
func (e *Engine) Apply(ctx context.Context, id ID) (*Change, error) {
	r, err := e.open(ctx, id, 0, Pending)
	if err != nil {
		return nil, err
	}
	w := work{record: r, was: Pending, then: Draft, verb: VerbApplied, plan: e.planBlocks(r, r.Blocks)}
	if r.By.Person() {
		w.then, w.anyFile = Applied, true
		w.decision = &decision{By: r.By, At: e.Now(), Reviewed: true}
	}
	return e.carry(ctx, &w)
}

// Decision is a person's decision about a change.
type Decision struct {
	By   Actor
	Note string
	// Version that the decision is for, 0 = any.
	Version int64
	// Blocks replace the change's blocks; nil = they stay. An approval passes blocks that are marked as reviewed. Place
	// and Before of blocks that are written already stay.
	Blocks []Block
}

// Approve applies a pending change, even to a person's file, and marks a draft as reviewed.
// Errors: those of Apply; KindConflict for another version or a state that cannot be approved.
func (e *Engine) Approve(ctx context.Context, id ID, d Decision) (*Change, error) {
	r, err := e.open(ctx, id, d.Version, Pending, Draft)
	if err != nil {
		return nil, err
	}
	w := work{
		record: r, was: r.Shown(), then: Applied, verb: VerbApproved, anyFile: true,
		decision: &decision{By: d.By, At: e.Now(), Note: d.Note, Reviewed: true},
	}
	blocks := r.Blocks
	if d.Blocks != nil {
		blocks = d.Blocks
	}
	if r.State == Pending {
		w.plan = e.planBlocks(r, blocks)
		return e.carry(ctx, &w)
	}
	w.plan = e.planMark(r, blocks)
	return e.carry(ctx, &w)
}

// plan is what a file is to become.
type plan struct {
	after []byte // nil = no file
	// before is the file without the change, when whole says that it is known.
	before Hash
	whole  bool
	blocks []Block // the change's, when it is written
	kept   []Block // that a revert leaves
}

// work is a change on its way into its file.
type work struct {
	record *record
	// fresh: the change is not stored yet.
	fresh     bool
	was, then State // as Shown
	verb      string
	// anyFile: a person's file may be changed.
	anyFile  bool
	decision *decision
	// undone is the state of the change that this one undoes, and problem what is left, when it is written.
	undone  State
	problem string
	plan    func(current []byte) (*plan, error)
	// kept is what the plan left.
	kept []Block
}

// planBlocks applies blocks. Blocks that are there already are not the change's.
func (e *Engine) planBlocks(r *record, blocks []Block) func([]byte) (*plan, error) {
	return func(current []byte) (*plan, error) {
		form, err := e.form(r.Kind)
		if err != nil {
			return nil, err
		}
		after, err := form.Apply(current, blocks)
		if err != nil {
			return nil, err
		}
		p := &plan{after: after, before: hashOf(current), whole: true, blocks: blocks}
		if current != nil {
			p.blocks = slices.DeleteFunc(slices.Clone(blocks), func(b Block) bool {
				alone, err := form.Apply(current, []Block{b})
				return err == nil && bytes.Equal(alone, current)
			})
		}
		return p, nil
	}
}

// planMark writes what differs between the blocks of a change and the same ones as they are after a review.
func (e *Engine) planMark(r *record, blocks []Block) func([]byte) (*plan, error) {
	merged, steps := mergeBlocks(r.Blocks, blocks)
	return func(current []byte) (*plan, error) {
		unmarked := &plan{after: current, before: r.before, whole: r.whole && hashOf(current) == r.after, blocks: r.Blocks}
		if len(steps) == 0 || current == nil {
			return unmarked, nil
		}
		form, err := e.form(r.Kind)
		if err != nil {
			return nil, err
		}
		after, err := form.Apply(current, steps)
		if sdk.KindOf(err) == sdk.KindConflict || sdk.KindOf(err) == sdk.KindInvalid {
			return unmarked, nil // a person made it theirs: nothing in the file says that it is unreviewed
		}
		return &plan{after: after, before: r.before, whole: unmarked.whole, blocks: merged}, err
	}
}

// mergeBlocks returns the blocks of a change after others are written at the same places, and the steps from the one to the
// other. A block at a place of its own is added.
func mergeBlocks(old, blocks []Block) (merged, steps []Block) {
	merged = slices.Clone(old)
	matched := make([]bool, len(old))
	var differ []Block
	match := func(b Block, same func(o Block) bool) int {
		for at, o := range old {
			if !matched[at] && o.Place == b.Place && same(o) {
				matched[at] = true
				return at
			}
		}
		return -1
	}
	for _, b := range blocks {
		if match(b, func(o Block) bool { return o.After == b.After }) < 0 {
			differ = append(differ, b)
		}
	}
	for _, b := range differ {
		at := match(b, func(Block) bool { return true })
		if at < 0 {
			merged, steps = append(merged, b), append(steps, b)
			continue
		}
		steps = append(steps, Block{Place: b.Place, Before: merged[at].After, After: b.After})
		merged[at].After = b.After
	}
	return merged, steps
}

// tries is how often a write is planned: once more when a person was faster.
const tries = 2

// carry plans a change against the file as it is, writes it, and plans again when a person was
// faster. What cannot be written goes back to where it was, with a problem.
func (e *Engine) carry(ctx context.Context, w *work) (*Change, error) {
	for range tries {
		current, err := e.Read(w.record.Path)
		if err != nil {
			return nil, err
		}
		own, err := e.Own(ctx, w.record.Path, current)
		if err != nil {
			return nil, err
		}
		if current != nil && !own && !w.anyFile {
			break
		}
		p, err := w.plan(current)
		if kind := sdk.KindOf(err); kind == sdk.KindConflict || kind == sdk.KindInvalid {
			return e.fail(ctx, w, sdk.AsError(err, sdk.SourceHost).Msg)
		}
		if err != nil {
			return nil, err
		}
		w.kept = p.kept
		done, err := e.attempt(ctx, w, current, own, p)
		if err != nil || done {
			return &w.record.Change, err
		}
	}
	return e.fail(ctx, w, WhyEdited)
}

// attempt writes a plan. done = false: a person was faster, and what they saved is in place.
func (e *Engine) attempt(ctx context.Context, w *work, current []byte, own bool, p *plan) (done bool, err error) {
	origin, err := e.originOf(ctx, w.record, current, own, p.after)
	if err != nil {
		return false, err
	}
	w.record.writing = &intent{
		Was: w.was, Then: w.then, Base: hashOf(current), After: hashOf(p.after), Before: p.before, Whole: p.whole,
		Blocks: p.blocks, Decision: w.decision, Origin: origin, Verb: w.verb, Undone: w.undone, Problem: w.problem,
	}
	var batch store.MemoryBatch
	if err := e.keep(ctx, &batch, w.record.Path, current, own); err != nil {
		return false, err
	}
	if bytes.Equal(current, p.after) && (current == nil) == (p.after == nil) {
		return true, e.finish(ctx, w, batch) // it is there already
	}
	if p.after != nil {
		batch.Blobs = append(batch.Blobs, blobOf(p.after))
	}
	w.record.State = Applying
	if err := e.save(ctx, "begin", w, batch); err != nil {
		return false, err
	}
	ctx = context.WithoutCancel(ctx) // what has begun is recorded
	result, err := e.put(ctx, w.record.ID, w.record.Path, current, p.after)
	switch {
	case err != nil && !result.unsettled:
		_, failed := e.fail(ctx, w, sdk.AsError(err, sdk.SourceHost).Msg)
		return false, errors.Join(err, failed)
	case err != nil: // Recover finds what is to be done
		return false, err
	case result.outrun:
		return false, nil
	}
	return true, e.finish(ctx, w, store.MemoryBatch{})
}

// save stores a work with what else belongs to it.
func (e *Engine) save(ctx context.Context, step string, w *work, batch store.MemoryBatch) error {
	if w.fresh {
		batch.New = append(batch.New, w.record.row())
	} else {
		batch.Changed = append(batch.Changed, w.record.row())
	}
	if err := e.commit(ctx, step, &batch); err != nil {
		return err
	}
	if !w.fresh {
		w.record.Version++
	}
	w.fresh = false
	return nil
}

// finish stores that the file is as its intent says.
func (e *Engine) finish(ctx context.Context, w *work, batch store.MemoryBatch) error {
	in, now := w.record.writing, e.Now()
	w.record.writing = nil
	w.record.before, w.record.whole, w.record.after, w.record.written = in.Before, in.Whole, in.After, true
	w.record.Blocks, w.record.Problem = in.Blocks, in.Problem
	w.record.decide(in.Decision)
	w.record.enter(in.Then)
	if w.record.AppliedAt.IsZero() && w.record.State == Applied {
		w.record.AppliedAt = now
	}
	by := w.record.By
	if in.Decision != nil {
		by = in.Decision.By
	}
	if in.Base != in.After {
		batch.Revisions = append(batch.Revisions, store.MemoryRevision{Path: w.record.Path, Hash: in.After[:], At: now, Origin: string(in.Origin), Change: string(w.record.ID)})
	}
	batch.Events = append(batch.Events, w.record.event(now, by, in.Verb, w.record.Change.Note))
	if err := e.undo(ctx, w.record, in, &batch); err != nil {
		return err
	}
	if err := e.save(ctx, "finish", w, batch); err != nil {
		return err
	}
	if in.After == (Hash{}) {
		e.prune(path.Dir(w.record.Path))
	}
	return nil
}

// fail stores that a change could not be written, and returns it.
func (e *Engine) fail(ctx context.Context, w *work, problem string) (*Change, error) {
	w.record.enter(w.was)
	w.record.writing, w.record.Problem = nil, problem
	verb := VerbFailed
	if problem == WhyEdited {
		verb = VerbOutrun
	}
	return &w.record.Change, e.save(ctx, "fail", w, store.MemoryBatch{Events: []store.MemoryEvent{w.record.event(e.Now(), w.record.By, verb, problem)}})
}
