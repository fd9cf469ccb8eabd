package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const (
	// ending is how long a host that ends works on its queue.
	ending = 5 * time.Second
	// patience is how long somebody who decides waits for the lock of the memory.
	patience = 30 * time.Second
	// turn is how long a worker waits for the lock before it looks whether anything is left to do.
	turn = time.Second
	// batch and batchTime bound the runs that share one wait for the index.
	batch     = 64
	batchTime = 200 * time.Millisecond
	// pause leaves the lock to others between batches: more than they wait between two tries.
	pause = 15 * time.Millisecond
	// maxAttempts is how often a run begins before it is given up.
	maxAttempts = 3
)

// worker is the goroutine that does the queue's work. It is there while there is work that this process
// asked for.
type worker struct {
	service    *Service
	background context.Context
	cancel     context.CancelFunc
	close      func() error

	mu      sync.Mutex
	active  bool
	asked   bool // since it looked last
	closing bool
	// failures counts the ends of work by an error, failure is the last one.
	failures int
	failure  error
	running  sync.WaitGroup
}

func (w *worker) init(s *Service) {
	w.service = s
	w.background, w.cancel = context.WithCancel(context.Background())
	w.close = sync.OnceValue(w.end)
}

// start has the goroutine work until nothing is queued.
func (w *worker) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = true
	if w.active || w.closing {
		return
	}
	w.active = true
	w.running.Go(w.loop)
}

func (w *worker) loop() {
	for {
		w.mu.Lock()
		if !w.asked || w.background.Err() != nil {
			w.active = false
			w.mu.Unlock()
			return
		}
		w.asked = false
		w.mu.Unlock()
		if err := w.service.drain(w.background); err != nil && w.background.Err() == nil {
			w.service.Logger.Warn("what is to be remembered waits", "error", err)
			w.mu.Lock()
			w.failures, w.failure = w.failures+1, err
			w.mu.Unlock()
		}
	}
}

// failed returns the last error if there were more than so many, and how many there were.
// Errors: KindUnavailable when the host ends.
func (w *worker) failed(before int) (failures int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failures > before:
		err = w.failure
	case w.closing:
		err = sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the host ends; what waits is for the next one").WithHint("run the command again")
	}
	return w.failures, err
}

// end waits some seconds for the work that is under way and what is queued behind it.
func (w *worker) end() error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	stop := time.AfterFunc(ending, w.cancel)
	w.running.Wait()
	stop.Stop()
	w.cancel()
	return nil
}

// hold runs work while this process alone writes what is remembered. Recovery comes first.
// Shape: done is false when somebody else had the lock all the while.
// Errors: those of work; KindUnavailable for a folder that cannot be written.
func (s *Service) hold(ctx context.Context, wait time.Duration, work func(ctx context.Context) error) (done bool, err error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case s.deciding <- struct{}{}:
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-s.deciding }()
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return false, unavailable(sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%w", err))
	}
	unlock, err := file.Wait(ctx, s.lockPath(), wait)
	if _, refused := errors.AsType[*fs.PathError](err); refused {
		return false, unavailable(sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%w", err))
	}
	if err != nil || unlock == nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := s.Engine.Recover(ctx); err != nil {
		return true, err
	}
	return true, work(ctx)
}

// drain works on everything that is queued. Where another process does, it waits for it.
func (s *Service) drain(ctx context.Context) error {
	state, err := s.Store.Get(ctx)
	if err != nil {
		return err
	}
	var found asked
	for {
		if n, err := state.CountRuns(ctx); err != nil || n.Queued == 0 {
			return err
		}
		if found, err = s.ask(ctx, state, found); err != nil {
			return err
		}
		_, err := s.hold(ctx, turn, func(ctx context.Context) error {
			if err := state.RecoverRuns(ctx, maxAttempts, s.Now()); err != nil {
				return err
			}
			return s.batches(ctx, state, found)
		})
		if err != nil {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// Recover has the runs of dead processes wait again. It does nothing while another process works on the queue.
func (s *Service) Recover(ctx context.Context) error {
	state, err := s.Store.Get(ctx)
	if err != nil {
		return err
	}
	_, err = s.hold(ctx, 0, func(ctx context.Context) error { return state.RecoverRuns(ctx, maxAttempts, s.Now()) })
	return err
}

// batches works on one batch of the queue; old texts are forgotten with it. Where a model is asked, the runs that it
// was not asked about wait.
func (s *Service) batches(ctx context.Context, state *store.Store, found asked) error {
	queued, err := state.QueuedRuns(ctx, batch)
	if err != nil || len(queued) == 0 {
		return err
	}
	var done []store.RunEnd
	var about []job
	began := time.Now()
	for _, r := range queued {
		if len(done) > 0 && time.Since(began) > batchTime {
			break
		}
		answer, ok := found[r.ID]
		if found != nil && !ok {
			continue
		}
		j, err := s.attempt(ctx, state, r, answer)
		switch {
		case ctx.Err() != nil: // not its fault
			return errors.Join(ctx.Err(), s.requeue(ctx, state, append(done, store.RunEnd{ID: r.ID})))
		case err != nil:
			if err := state.EndRuns(ctx, []store.RunEnd{{ID: r.ID, Error: failureText(err), Canceled: errors.Is(err, run.ErrCanceled)}}, s.Now()); err != nil {
				return err
			}
		case j != nil:
			done, about = append(done, store.RunEnd{ID: r.ID}), append(about, *j)
		}
	}
	s.step("indexing")
	if err := s.indexed(ctx, about, done); err != nil {
		return errors.Join(err, s.requeue(ctx, state, done))
	}
	if err := state.EndRuns(ctx, done, s.Now()); err != nil {
		return err
	}
	s.step("done")
	return errors.Join(state.ForgetInputs(ctx, s.Now().Add(-keep)), state.ForgetAnswers(ctx, s.Now().Add(-keep)))
}

// requeue has runs that were interrupted wait again, as if they had not begun.
func (s *Service) requeue(ctx context.Context, state *store.Store, all []store.RunEnd) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	var errs []error
	for _, r := range all {
		_, err := state.RequeueRun(ctx, r.ID, store.RunRunning, s.Now())
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// attempt works on one run; a panic is an error of it alone.
// Shape: nil when the run does not wait any more.
func (s *Service) attempt(ctx context.Context, state *store.Store, r store.Run, found extract.Found) (j *job, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.Logger.ErrorContext(ctx, "remembering a text failed", "run", r.ID, "error", fmt.Sprint(fault), "stack", string(debug.Stack()))
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "remembering the text failed; the log has the place")
		}
	}()
	in, started, err := state.StartRun(ctx, r.ID, stagePlanning, s.Now())
	if err != nil || !started {
		return nil, err
	}
	s.step(stagePlanning)
	j, by, err := s.jobOf(state, r, in)
	if err != nil {
		return nil, err
	}
	j.found = found
	return j, j.run(by.seeing(ctx))
}

// jobOf makes the job of a run, and returns who sent its text.
func (s *Service) jobOf(state *store.Store, r store.Run, in store.Ingest) (j *job, by author, err error) {
	text, err := unpack(in.Content)
	if err != nil {
		return nil, by, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the kept text cannot be read: %w", err)
	}
	if err := json.Unmarshal(r.Actor, &by); err != nil {
		return nil, by, err
	}
	j = &job{service: s, state: state, id: r.ID, text: text, connection: in.Connection, source: in.Source, at: r.QueuedAt, actor: by.Actor}
	if r.Report != nil {
		var before report
		if err := json.Unmarshal(r.Report, &before); err != nil {
			return nil, by, err
		}
		j.report.Redacted = before.Redacted
	}
	return j, by, nil
}

// failureText is an error as a run keeps it.
func failureText(err error) string { return run.Failure(err) }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Wait waits until a run ended, and does its work where no other process does. progress is
// called with each stage that it sees; nil = no reports.
// Errors: KindNotFound; KindUnavailable when no process can work on it; those of ctx, while the work goes on.
func (s *Service) Wait(ctx context.Context, id RunID, progress func(stage string)) (*Run, error) {
	const look = 20 * time.Millisecond
	stage, never := "", math.MaxInt
	before, err := s.worker.failed(never)
	if err != nil {
		return nil, err
	}
	for {
		run, err := s.Status(ctx, id)
		if err != nil {
			return nil, err
		}
		if progress != nil && run.Stage != stage {
			stage = run.Stage
			progress(stage)
		}
		if run.Done {
			return run, nil
		}
		if _, err := s.worker.failed(before); err != nil {
			return nil, unavailable(err)
		}
		s.worker.start()
		if err := sleep(ctx, look); err != nil {
			return nil, err
		}
	}
}

// decide runs a decision under the lock. Errors: KindConflict with Retry when others keep it.
func (s *Service) decide(ctx context.Context, a change.Actor, work func(ctx context.Context) error) error {
	p, err := s.policy(ctx)
	if err != nil {
		return err
	}
	if err := p.decides(a); err != nil {
		return err
	}
	return s.alone(ctx, work)
}

// alone is hold for a caller who waits for its end.
func (s *Service) alone(ctx context.Context, work func(ctx context.Context) error) error {
	done, err := s.hold(ctx, patience, work)
	if err == nil && !done {
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another process has been writing what is remembered for %v", patience).WithHint("try again; loam status tells what waits")
		e.Retry = true
		return e
	}
	return err
}
