package run

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Cancel asks the process of an open run to end it, and returns when that has seen it. What the run replaces stays as it was.
// Errors: KindNotFound; KindConflict when the run has ended otherwise; KindTimeout when its process has
// not seen it within two seconds, which it may do later.
func (e *Engine) Cancel(ctx context.Context, id string) error {
	r, err := e.Get(ctx, id)
	if err != nil || r.State == Canceled {
		return err
	}
	state, err := e.Store.Get(ctx)
	if err != nil {
		return err
	}
	if r.State == Queued {
		if canceled, err := state.CancelIngest(ctx, r.ID, e.Now()); err != nil || canceled {
			return err
		}
	}
	asked, err := state.AskCancel(ctx, r.ID, e.Now())
	if err != nil {
		return err
	}
	if j := e.local(r.ID); j != nil {
		j.poke()
	}
	for over := e.after(answer); ; {
		if r, err = e.Get(ctx, r.ID); err != nil {
			return err
		}
		switch {
		case r.State == Canceled, !r.State.Ended() && r.Stage == stageCanceling:
			return nil
		case r.State.Ended() || !asked:
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "run %s has ended: %s", r.ID, r.State).WithHint("loam runs show %s", r.ID)
		case over():
			return sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the process of run %s has not answered within %v; it ends the run when it does", r.ID, answer).
				WithHint("see what became of it: loam runs show %s", r.ID)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// Watch cancels ctx with ErrCanceled when somebody cancels a run of a queue, and returns when ctx is over.
func Watch(ctx context.Context, state *store.Store, id string, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if asked, err := state.Canceling(ctx, id); err == nil && asked {
			cancel(ErrCanceled)
		}
	}
}

// Wait waits until a run ended, but no longer than d, and returns it as it is then. progress is called with every
// change that it sees; nil = no reports.
// Errors: KindNotFound; those of ctx, while the work goes on.
func (e *Engine) Wait(ctx context.Context, id string, d time.Duration, progress func(sdk.Progress)) (Run, error) {
	var last sdk.Progress
	for over := e.after(d); ; {
		r, err := e.Get(ctx, id)
		if err != nil {
			return Run{}, err
		}
		now := sdk.Progress{Phase: r.Stage, Done: r.Done}
		if r.Total != nil {
			now.Total = *r.Total
		}
		if progress != nil && now != last {
			last = now
			progress(now)
		}
		if r.State.Ended() || over() {
			return r, nil
		}
		if err := pause(ctx); err != nil {
			return Run{}, err
		}
	}
}
