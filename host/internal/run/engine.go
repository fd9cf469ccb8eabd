// Package run records long work in the state store, one row per run, and works in the
// background.
//
// A run belongs to the process that began it. That process has the lock of the run's kind
// and target from before the row exists until after the row has its end, and the system
// releases the lock when the process dies. So an open row whose lock is free belongs to a
// dead process: who reads it next, in any process, ends it with an error. A run of kind
// ingest is different: its text waits in a queue, and the memory takes it over.
//
// A cancel is a mark in the row, which the process of the run reads several times a
// second.
package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Keep is how long ended runs are kept, but for those of texts.
const Keep = 90 * 24 * time.Hour

const (
	// died is the error of a run whose process was killed.
	died = "the process ended before the run did: what it had finished stays, run it again for the rest"
	// longest is the deadline of work that names none.
	longest = 24 * time.Hour
	// patience is how long Begin waits for a lock: who looks after a dead process has it for a moment.
	patience = 100 * time.Millisecond
	// pace is how often a working process stores its progress and looks for a cancel.
	pace = 200 * time.Millisecond
	// answer is how long Cancel waits for the process of a run.
	answer = 2 * time.Second
	// look is how often Wait and Cancel read the row.
	look = 20 * time.Millisecond
	// lastWrite bounds the write of the end of a run.
	lastWrite = 15 * time.Second
)

// Config is the configuration of an Engine. Fields are required unless noted.
type Config struct {
	// State is the folder of the state, where the locks are.
	State string
	Store LazyStore
	// Queues has the kinds of runs that wait in a queue of their own.
	Queues map[string]Queue
	// Redact removes secrets from errors and reports.
	Redact func(string) string
	Now    func() time.Time
	Logger *slog.Logger
	// pace is for tests; 0 = the usual one.
	pace time.Duration
}

// LazyStore opens the state store on first use; *store.Lazy is one.
type LazyStore interface {
	Get(ctx context.Context) (*store.Store, error)
	Path() string
}

// A Queue works off its runs itself, and takes over those of dead processes.
type Queue interface {
	Recover(ctx context.Context) error
}

// Engine records and runs long work. It opens no file before it is used.
// Concurrency: any number of goroutines, and of processes on one project.
type Engine struct {
	Config
	background context.Context
	stop       context.CancelCauseFunc

	mu      sync.Mutex
	closed  bool
	running map[string]*job
	work    sync.WaitGroup
}

// New makes an Engine.
func New(c Config) *Engine {
	e := &Engine{Config: c, running: map[string]*job{}}
	e.background, e.stop = context.WithCancelCause(context.Background())
	if e.pace == 0 {
		e.pace = pace
	}
	return e
}

// Begin records a run and works in the background, where ctx's values are kept and its cancellation
// and deadline are not. The row exists when it returns. What do returns is stored as JSON, also beside an error.
// Errors: KindConflict with Retry while another run has the kind and target; KindUnavailable after
// Close; those of the state store.
func (e *Engine) Begin(ctx context.Context, w Work, do func(ctx context.Context, report func(sdk.Progress)) (any, error)) (Run, error) {
	j, err := e.begin(ctx, w)
	if err != nil {
		return Run{}, err
	}
	first, err := runOf(j.row) // the goroutine changes the row
	go func() {
		defer e.work.Done()
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		defer cancel(nil)
		defer context.AfterFunc(e.background, func() { cancel(context.Cause(e.background)) })()
		if err := j.run(ctx, do); err != nil {
			e.Logger.WarnContext(ctx, "a run failed", "run", j.row.ID, "kind", w.Kind, "target", w.Target, "error", err)
		}
	}()
	return first, err
}

// Do is Begin in the foreground: it returns after the work, and ctx cancels it.
// Errors: those of Begin, and the work's own.
func (e *Engine) Do(ctx context.Context, w Work, do func(ctx context.Context, report func(sdk.Progress)) (any, error)) (Run, error) {
	j, err := e.begin(ctx, w)
	if err != nil {
		return Run{}, err
	}
	defer e.work.Done()
	failure := j.run(ctx, do)
	last, err := runOf(j.row)
	return last, errors.Join(failure, err)
}

// Close ends the work in the background, whose runs end with an error, and waits for it. Idempotent.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop(errHostEnds)
	e.work.Wait()
	return nil
}

// begin takes the lock of the work and inserts the row. The caller runs the job, and calls work.Done after it.
func (e *Engine) begin(ctx context.Context, w Work) (*job, error) {
	actor, err := json.Marshal(AuthorOf(ctx, w.Actor))
	if err != nil {
		return nil, err
	}
	var input []byte
	if w.Input != nil {
		if input, err = json.Marshal(w.Input); err != nil {
			return nil, err
		}
	}
	state, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := e.lock(ctx, w.Kind, w.Target, patience)
	if err != nil {
		return nil, err
	}
	if unlock == nil {
		return nil, e.taken(ctx, state, w)
	}
	now := e.Now().UTC().Truncate(time.Millisecond) // as the row keeps it
	j := &job{engine: e, state: state, unlock: unlock, deadline: w.Deadline, wake: make(chan struct{}, 1), row: store.Run{
		ID: NewID(), Kind: w.Kind, State: Running, Stage: stageStarting, Target: w.Target, Actor: actor, Principal: w.Principal, Cause: w.Cause, Input: input,
		Attempts: 1, QueuedAt: now, StartedAt: now,
	}}
	if !e.enter(j) {
		return nil, errors.Join(errHostEnds, unlock())
	}
	if err := state.BeginRun(ctx, j.row, died, now.Add(-Keep)); err != nil {
		e.forget(j.row.ID)
		e.work.Done()
		return nil, errors.Join(err, unlock())
	}
	return j, nil
}

// enter counts a job as work, until work.Done. Shape: false after Close.
func (e *Engine) enter(j *job) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.running[j.row.ID] = j
	e.work.Add(1)
	return true
}

func (e *Engine) forget(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, id)
}

// local returns the job of a run of this process; nil = it is another's.
func (e *Engine) local(id string) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running[id]
}

// lock takes the lock of a kind and target. Shape: unlock is nil when somebody else has it.
func (e *Engine) lock(ctx context.Context, kind, target string, wait time.Duration) (unlock func() error, err error) {
	folder := filepath.Join(e.State, "run")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, denied(err)
	}
	const digits = 16 // a target can be longer than a name of a file
	sum := sha256.Sum256([]byte(target))
	unlock, err = file.Wait(ctx, filepath.Join(folder, kind+"-"+hex.EncodeToString(sum[:])[:digits]+".lock"), wait)
	if _, refused := errors.AsType[*os.PathError](err); refused {
		return nil, denied(err)
	}
	return unlock, err
}

func denied(err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the locks of runs cannot be written: %w", err).WithHint("make the folder .loam writable for this user")
}

// taken is the error for work whose kind and target have another run. Its row may not be there yet.
func (e *Engine) taken(ctx context.Context, state *store.Store, w Work) error {
	id := ""
	for over := e.after(patience); id == ""; {
		open, _, err := state.ListRuns(ctx, store.RunFilter{Kinds: []string{w.Kind}, Target: w.Target, States: []string{string(Queued), string(Running)}, Limit: 1})
		if err != nil {
			return err
		}
		if len(open) > 0 {
			id = open[0].ID
		} else if over() {
			break
		} else if err := pause(ctx); err != nil {
			return err
		}
	}
	err := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another %s of %s is under way: run %s", w.Kind, w.Target, id).WithHint("wait for it: loam runs show %[1]s; or end it: loam runs cancel %[1]s", id)
	if id == "" {
		err = sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another %s of %s is about to begin or to end", w.Kind, w.Target).WithHint("see it: loam runs list; or try again")
	}
	err.Retry = true
	return err
}

// after returns a function that reports whether a time is over.
func (e *Engine) after(d time.Duration) func() bool {
	until := time.Now().Add(d)
	return func() bool { return time.Now().After(until) }
}

// pause waits until the row is to be read again. Errors: those of ctx.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(look):
		return nil
	}
}
