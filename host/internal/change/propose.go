package change

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Origin says where proposals come from.
type Origin struct {
	Run string // "" = none
	By  Actor
}

// Proposed is the result of one proposal.
type Proposed struct {
	// Change is the new change, or the stored one with the same content.
	Change Change
	// Same is the state of a stored change with the same content: Pending, Applied or Rejected; "" = the change is
	// new. A run that is repeated after a crash finds its own changes as Pending and goes on.
	Same State
}

// Propose stores proposals as pending, all or none of them. A proposal with the content of an applied, pending or
// rejected change is not stored again; a rejected one may be proposed again by a person, or when the quote of its
// source has changed.
// Shape: one Proposed for each proposal, in their order.
// Errors: KindInvalid (kind, path), KindUnavailable.
func (e *Engine) Propose(ctx context.Context, from Origin, all []Proposal) ([]Proposed, error) {
	if err := e.settle(ctx); err != nil {
		return nil, err
	}
	out := make([]Proposed, 0, len(all))
	var batch store.MemoryBatch
	fresh := map[string]int{} // signatures of this batch, by place in out
	for i, p := range all {
		if _, err := e.form(p.Kind); err != nil {
			return nil, err
		}
		if err := checkPath(p.Path); err != nil {
			return nil, err
		}
		if at, ok := fresh[p.Signature()]; ok {
			out = append(out, Proposed{out[at].Change, Pending})
			continue
		}
		same, err := e.same(ctx, from, &p)
		if err != nil {
			return nil, err
		}
		if same != nil {
			out = append(out, Proposed{same.Change, same.State})
			continue
		}
		id, err := e.newID(ctx)
		if err != nil {
			return nil, err
		}
		r := record{Change: Change{ID: id, Run: from.Run, Seq: i, Proposal: p, State: Pending, By: from.By, At: e.Now(), Version: 1}}
		fresh[p.Signature()] = len(out)
		batch.New = append(batch.New, r.row())
		out = append(out, Proposed{Change: r.Change})
	}
	if len(batch.New) == 0 {
		return out, nil
	}
	return out, e.commit(ctx, "propose", &batch)
}

// same returns the change that says what a proposal says, nil = none does.
func (e *Engine) same(ctx context.Context, from Origin, p *Proposal) (*record, error) {
	found, err := e.records(ctx, store.MemoryFilter{
		Signature: []byte(p.Signature()), States: []string{string(Pending), string(Draft), string(Applied), string(Rejected)},
	})
	if err != nil {
		return nil, err
	}
	var rejected *record
	for _, r := range found {
		switch {
		case r.State != Rejected:
			return r, nil
		case rejected == nil && !from.By.Person() && !(p.Source != "" && p.Source == r.Source && p.Quote != r.Quote):
			rejected = r
		}
	}
	return rejected, nil
}

// newID returns an id that no change has.
func (e *Engine) newID(ctx context.Context) (ID, error) {
	for {
		var b [idDigits / 2]byte
		if _, err := rand.Read(b[:]); err != nil {
			return "", err
		}
		id := hex.EncodeToString(b[:])
		if found, err := e.records(ctx, store.MemoryFilter{ID: id}); err != nil || len(found) == 0 {
			return ID(id), err
		}
	}
}

// Edit replaces the proposal of a pending change; its Kind, Connection, Target and Path stay.
// Errors: KindConflict for another version or a change that is not pending.
func (e *Engine) Edit(ctx context.Context, id ID, p Proposal, d Decision) (*Change, error) {
	r, err := e.open(ctx, id, d.Version, Pending)
	if err != nil {
		return nil, err
	}
	p.Kind, p.Connection, p.Target, p.Path = r.Kind, r.Connection, r.Target, r.Path
	r.Proposal, r.Problem = p, ""
	return e.close(ctx, "edit", r, r.event(e.Now(), d.By, VerbEdited, d.Note))
}

// Supersede closes pending changes that a newer one replaces. It ignores changes that are not pending.
func (e *Engine) Supersede(ctx context.Context, ids []ID, by Actor, note string) error {
	if err := e.settle(ctx); err != nil {
		return err
	}
	var batch store.MemoryBatch
	for _, id := range ids {
		r, err := e.find(ctx, string(id))
		if err != nil {
			return err
		}
		if r.State != Pending {
			continue
		}
		r.State = Superseded
		r.decide(&decision{By: by, At: e.Now(), Note: note})
		batch.Changed = append(batch.Changed, r.row())
		batch.Events = append(batch.Events, r.event(e.Now(), by, VerbSuperseded, note))
	}
	return e.commit(ctx, "supersede", &batch)
}

// open returns a change that is to be decided, after what was interrupted before is settled and the files that were
// displaced from its path are looked at.
func (e *Engine) open(ctx context.Context, id ID, version int64, states ...State) (*record, error) {
	if err := e.settle(ctx); err != nil {
		return nil, err
	}
	r, err := e.find(ctx, string(id))
	if err != nil {
		return nil, err
	}
	if err := e.lookAgain(ctx, r.Path); err != nil {
		return nil, err
	}
	if r, err = e.find(ctx, string(r.ID)); err != nil {
		return nil, err
	}
	if version != 0 && version != r.Version {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s is of version %d now, not %d", r.ID, r.Version, version).
			WithHint("look at it again: loam review show %s", r.ID)
	}
	for _, s := range states {
		if r.Shown() == s {
			return r, nil
		}
	}
	return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s is %s", r.ID, r.Shown()).WithHint("look at it: loam review show %s", r.ID)
}

// close stores a change that needed no file.
func (e *Engine) close(ctx context.Context, step string, r *record, events ...store.MemoryEvent) (*Change, error) {
	if err := e.commit(ctx, step, &store.MemoryBatch{Changed: []store.MemoryChange{r.row()}, Events: events}); err != nil {
		return nil, err
	}
	r.Version++
	return &r.Change, nil
}
