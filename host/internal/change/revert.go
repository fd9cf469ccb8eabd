package change

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Reject marks a pending change as rejected, so that it is not proposed again; a draft is reverted first. kept are the
// blocks of a draft that were edited since and stay.
// Errors: KindConflict for another version or a state that cannot be rejected.
func (e *Engine) Reject(ctx context.Context, id ID, d Decision) (c *Change, kept []Block, err error) {
	r, err := e.open(ctx, id, d.Version, Pending, Draft)
	if err != nil {
		return nil, nil, err
	}
	if r.State == Applied {
		u, err := e.takeBack(ctx, r, d, Rejected)
		if err != nil {
			return nil, nil, err
		}
		if u.Change.State == Rejected || u.By != nil {
			return &u.Change, u.Kept, nil
		}
		kept = u.Kept // all of them: nothing of it is Loam's any more
	}
	r.State = Rejected
	r.decide(&decision{By: d.By, At: e.Now(), Note: d.Note})
	c, err = e.close(ctx, "reject", r, r.event(e.Now(), d.By, VerbRejected, d.Note))
	return c, kept, err
}

// Reopen takes a rejection back: the change waits again. The file of a rejected draft stays without it.
// Errors: KindConflict for another version, a change that is not rejected, or one that was proposed again since.
func (e *Engine) Reopen(ctx context.Context, id ID, d Decision) (*Change, error) {
	r, err := e.open(ctx, id, d.Version, Rejected)
	if err != nil {
		return nil, err
	}
	again, err := e.records(ctx, store.MemoryFilter{
		Signature: []byte(r.Signature()), States: []string{string(Pending), string(Draft), string(Applied)}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(again) > 0 {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s was proposed again since, as %s", r.ID, again[0].ID).
			WithHint("look at it: loam review show %s", again[0].ID)
	}
	r.State, r.Problem, r.AppliedAt, r.whole, r.written = Pending, "", time.Time{}, false, false
	r.decide(&decision{})
	if len(r.Why) == 0 { // a draft; without a reason its proposer could apply it
		r.Why = []string{WhyPolicy}
	}
	return e.close(ctx, "reopen", r, r.event(e.Now(), d.By, VerbReopened, d.Note))
}

// Undone is the result of a revert.
type Undone struct {
	// Change is reverted, or still applied where nothing could be taken back.
	Change Change
	// By is the change that reverted it and can be reverted itself; nil where nothing could be taken back. It is
	// pending when a person edited the file first.
	By *Change
	// Kept are the blocks that were edited since and stay.
	Kept []Block
}

// Revert takes an applied change back. It restores the file where nothing else changed it since; else it removes the
// change's blocks one by one.
// Errors: KindConflict for another version or a change that is not applied.
func (e *Engine) Revert(ctx context.Context, id ID, d Decision) (*Undone, error) {
	r, err := e.open(ctx, id, d.Version, Draft, Applied)
	if err != nil {
		return nil, err
	}
	return e.takeBack(ctx, r, d, Reverted)
}

func (e *Engine) takeBack(ctx context.Context, r *record, d Decision, undone State) (*Undone, error) {
	current, err := e.Read(r.Path)
	if err != nil {
		return nil, err
	}
	p, err := e.planRevert(ctx, r)(current)
	if err != nil {
		return nil, err
	}
	if len(p.kept) > 0 && bytes.Equal(p.after, current) || len(p.blocks) == 0 && len(r.Blocks) > 0 {
		return &Undone{Change: r.Change, Kept: p.kept}, nil
	}
	fresh, err := e.newID(ctx)
	if err != nil {
		return nil, err
	}
	w := work{
		record: &record{Change: Change{
			ID: fresh, Run: r.Run, State: Pending, By: d.By, At: e.Now(), Undoes: r.ID, Version: 1,
			Proposal: Proposal{
				Kind: r.Kind, Connection: r.Connection, Target: r.Target, Path: r.Path, Source: r.Source,
				Blocks: p.blocks, Says: "undo: " + r.Says, Value: "undo " + string(r.ID),
			},
		}},
		fresh: true, was: Pending, then: Applied, verb: VerbApplied, anyFile: true, undone: undone,
		decision: &decision{By: d.By, At: e.Now(), Note: d.Note, Reviewed: true},
		plan:     e.planRevert(ctx, r),
	}
	by, err := e.carry(ctx, &w)
	if err != nil {
		return nil, err
	}
	after, err := e.find(ctx, string(r.ID))
	if err != nil {
		return nil, err
	}
	return &Undone{Change: after.Change, By: by, Kept: w.kept}, nil
}

// planRevert takes the blocks of a change out.
func (e *Engine) planRevert(ctx context.Context, r *record) func([]byte) (*plan, error) {
	return func(current []byte) (*plan, error) {
		p := &plan{before: hashOf(current), whole: true}
		if r.whole && r.written && hashOf(current) == r.after {
			before, err := e.Content(ctx, r.before)
			if err == nil {
				p.after, p.blocks = before, inverse(r.Blocks, nil)
				return p, nil
			}
			if sdk.KindOf(err) != sdk.KindNotFound {
				return nil, err
			}
		}
		if current == nil {
			p.kept = slices.DeleteFunc(slices.Clone(r.Blocks), func(b Block) bool { return b.Before == "" })
			p.blocks = inverse(r.Blocks, p.kept)
			return p, nil
		}
		form, err := e.form(r.Kind)
		if err != nil {
			return nil, err
		}
		p.after, p.kept, err = form.Revert(current, r.Blocks)
		p.blocks = inverse(r.Blocks, p.kept)
		return p, err
	}
}

// inverse returns blocks that take others back, the last first, but for those that are kept.
func inverse(blocks, kept []Block) (out []Block) {
	left := slices.Clone(kept)
	for _, b := range slices.Backward(blocks) {
		if at := slices.IndexFunc(left, func(k Block) bool { return k.Place == b.Place && k.Before == b.Before && k.After == b.After }); at >= 0 {
			left = slices.Delete(left, at, at+1)
			continue
		}
		out = append(out, Block{Place: b.Place, Before: b.After, After: b.Before})
	}
	return out
}

// Undoing returns a proposal that reverts an applied change, for a person to decide.
func (c *Change) Undoing(why, note string) Proposal {
	return Proposal{
		Kind: c.Kind, Connection: c.Connection, Target: c.Target, Path: c.Path, Source: c.Source,
		Blocks: inverse(c.Blocks, nil), Says: "undo: " + c.Says, Value: "undo " + string(c.ID), Why: []string{why}, Note: note,
		Conflicts: []Conflict{{Says: c.Says, By: c.By.Name(), At: c.At, Change: c.ID, Path: c.Path, Target: c.Target}},
	}
}

// undo adds to a batch what becomes of the change that a written one undoes, and of the one which that had undone.
func (e *Engine) undo(ctx context.Context, r *record, in *intent, batch *store.MemoryBatch) error {
	if r.Undoes == "" {
		return nil
	}
	undone, again := in.Undone, Applied
	if undone == "" {
		undone = Reverted
	}
	if undone == Applied { // the revert itself is taken back
		again = Reverted
	}
	target, err := e.find(ctx, string(r.Undoes))
	if err != nil || target.State == undone {
		return err
	}
	target.enter(undone)
	by := r.By
	if in.Decision != nil {
		by = in.Decision.By
		target.decide(&decision{By: by, At: in.Decision.At, Note: in.Decision.Note, Reviewed: target.Reviewed})
	}
	batch.Changed = append(batch.Changed, target.row())
	verb := VerbReverted
	if undone == Rejected {
		verb = VerbRejected
	}
	batch.Events = append(batch.Events, target.event(e.Now(), by, verb, string(r.ID)))
	if target.Undoes == "" {
		return nil
	}
	first, err := e.find(ctx, string(target.Undoes))
	if err != nil || first.State == again {
		return err
	}
	first.enter(again)
	batch.Changed = append(batch.Changed, first.row())
	return nil
}

// Preview is a file before and after a change; nil = there is no file.
type Preview struct {
	Before, After []byte
	// Own: the file is not there, or Loam's.
	Own bool
	// Kept are the blocks that a revert would leave.
	Kept []Block
}

// Preview returns the file before and after a proposal, without storing anything.
// Errors: those of the form, KindInvalid (kind, path).
func (e *Engine) Preview(ctx context.Context, p *Proposal) (*Preview, error) {
	r := &record{Change: Change{Proposal: *p}}
	return e.preview(ctx, r, e.planBlocks(r, p.Blocks))
}

// PreviewRevert returns the file before and after the revert of a change.
func (e *Engine) PreviewRevert(ctx context.Context, id ID) (*Preview, error) {
	r, err := e.find(ctx, string(id))
	if err != nil {
		return nil, err
	}
	return e.preview(ctx, r, e.planRevert(ctx, r))
}

func (e *Engine) preview(ctx context.Context, r *record, make func([]byte) (*plan, error)) (*Preview, error) {
	current, err := e.Read(r.Path)
	if err != nil {
		return nil, err
	}
	own, err := e.Own(ctx, r.Path, current)
	if err != nil {
		return nil, err
	}
	p, err := make(current)
	if err != nil {
		return nil, err
	}
	return &Preview{Before: current, After: p.after, Own: own || current == nil, Kept: p.kept}, nil
}

// Written returns the file before and after the write of an applied or reverted change.
// Shape: nil when those revisions are deleted.
func (e *Engine) Written(ctx context.Context, id ID) (*Preview, error) {
	r, err := e.find(ctx, string(id))
	if err != nil || !r.whole || !r.written {
		return nil, err
	}
	before, err := e.Content(ctx, r.before)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	after, err := e.Content(ctx, r.after)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	return &Preview{Before: before, After: after}, nil
}

func ignoreNotFound(err error) error {
	if sdk.KindOf(err) == sdk.KindNotFound {
		return nil
	}
	return err
}
