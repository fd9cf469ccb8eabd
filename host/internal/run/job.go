package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const (
	// stageStarting is the stage of a run before its work reports one.
	stageStarting = "starting"
	// stageCanceling is the stage of a run whose process has seen that it is to be canceled.
	stageCanceling = "canceling"
)

var (
	// ErrCanceled is the error of a run that somebody canceled.
	ErrCanceled = sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the run was canceled")
	errHostEnds = sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the host ended before the run did").WithHint("run it again")
)

// job is a run under way in this process.
type job struct {
	engine   *Engine
	state    *store.Store
	unlock   func() error
	deadline time.Duration
	wake     chan struct{} // has an element when the keeper should look now

	mu       sync.Mutex
	row      store.Run // what the keeper stores of it changes until run returns
	changed  bool      // since it was stored
	canceled bool
}

// run works, stores the end, and releases the lock. It returns the error of the work.
func (j *job) run(ctx context.Context, do func(ctx context.Context, report func(sdk.Progress)) (any, error)) error {
	deadline := j.deadline
	if deadline == 0 {
		deadline = longest
	}
	limited, end := context.WithTimeout(ctx, deadline)
	defer end()
	working, cancel := context.WithCancelCause(limited)
	defer cancel(nil)

	kept := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(kept)
		j.keep(working, stop, cancel)
	}()
	report, err := j.attempt(working, do)
	cause := context.Cause(working)
	close(stop)
	<-kept
	j.end(ctx, report, err, cause)
	return err
}

// attempt does the work; a panic is its error.
func (j *job) attempt(ctx context.Context, do func(ctx context.Context, report func(sdk.Progress)) (any, error)) (report any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			j.engine.Logger.ErrorContext(ctx, "a run panicked", "run", j.row.ID, "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the run failed; the log has the place")
		}
	}()
	return do(ctx, j.report)
}

// report notes how far the work is. It does not wait for the store.
func (j *job) report(p sdk.Progress) {
	j.mu.Lock()
	fresh := j.row.Stage != p.Phase
	j.row.Stage, j.row.Done, j.row.Total, j.changed = p.Phase, p.Done, nil, true
	if p.Total > 0 {
		j.row.Total = &p.Total
	}
	j.mu.Unlock()
	if fresh {
		j.poke()
	}
}

func (j *job) poke() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// keep stores the progress and looks for a cancel, until stop.
func (j *job) keep(ctx context.Context, stop <-chan struct{}, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(j.engine.pace)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		case <-j.wake:
		}
		if err := j.store(context.WithoutCancel(ctx), cancel); err != nil {
			j.engine.Logger.WarnContext(ctx, "the progress of a run was not stored", "run", j.row.ID, "error", err)
		}
	}
}

// store stores the progress since the last time, and looks for a cancel.
func (j *job) store(ctx context.Context, cancel context.CancelCauseFunc) error {
	asked, err := j.state.Canceling(ctx, j.row.ID)
	if err != nil {
		return err
	}
	j.mu.Lock()
	stage, done, total, changed := j.row.Stage, j.row.Done, j.row.Total, j.changed
	if asked {
		stage, changed = stageCanceling, changed || !j.canceled
	}
	j.changed, j.canceled = false, j.canceled || asked
	j.mu.Unlock()
	if asked {
		cancel(ErrCanceled)
	}
	if !changed {
		return nil
	}
	return j.state.PutProgress(ctx, j.row.ID, stage, done, total)
}

// end stores the end of the run, and releases its lock after that.
func (j *job) end(ctx context.Context, report any, failure, cause error) {
	e := j.engine
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	j.mu.Lock()
	j.row.State, j.row.FinishedAt = Done, e.Now().UTC()
	switch {
	case failure == nil:
		j.row.Stage = string(Done)
	case errors.Is(cause, ErrCanceled), errors.Is(cause, context.Canceled):
		j.row.State = Canceled
	case errors.Is(cause, errHostEnds):
		j.row.State, failure = Failed, errHostEnds
	default:
		j.row.State = Failed
	}
	if failure != nil {
		j.row.Error, j.row.ErrorKind = e.Redact(Failure(failure)), string(sdk.AsError(failure, sdk.SourceHost).Kind)
	}
	row := j.row
	j.mu.Unlock()
	err := j.setReport(&row, report)
	ended, stored := j.state.EndRun(ctx, row)
	if stored == nil && !ended {
		stored = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the row of run %s had ended before", row.ID)
	}
	j.mu.Lock()
	j.row = row
	j.mu.Unlock()
	e.forget(row.ID)
	if err = errors.Join(err, stored, j.unlock()); err != nil {
		e.Logger.ErrorContext(ctx, "the end of a run was not stored", "run", row.ID, "error", err)
	}
}

// setReport stores a report in the row, without secrets.
func (j *job) setReport(row *store.Run, report any) error {
	if report == nil {
		return nil
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if clean := j.engine.Redact(string(text)); json.Valid([]byte(clean)) {
		row.Report = []byte(clean)
		return nil
	}
	return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the report of run %s has a secret in its structure", row.ID)
}
