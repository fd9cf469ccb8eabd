package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// lockPatience bounds the wait for a lock whose owner has not published its state: another
// daemon may be starting or ending.
const lockPatience = 10 * time.Second

// Instance is this process as the daemon of a project. It owns the lock and the state file
// until Close.
// Concurrency: its methods may be called concurrently.
type Instance struct {
	daemon  *Daemon
	unlock  func() error
	process string

	mu    sync.Mutex
	state State // as published
}

// Acquire makes this process the daemon. The caller closes the Instance.
// Errors: *AlreadyError when another process is the daemon; KindConflict with Retry when
// another process has the lock for 10 seconds and its state file does not name it;
// KindDenied; those of ctx.
func (d *Daemon) Acquire(ctx context.Context) (*Instance, error) {
	process, err := identify(os.Getpid())
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "identify this process: %w", err)
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, d.denied(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, errLocked)
	defer cancel()
	for {
		unlock, err := file.Lock(d.lockPath())
		switch {
		case err != nil:
			return nil, d.denied(err)
		case unlock != nil:
			return &Instance{daemon: d, unlock: unlock, process: process}, nil
		}
		state, _, err := d.read()
		switch {
		case err != nil:
			return nil, err
		case state != nil && alive(state.PID, state.Process):
			return nil, &AlreadyError{State: *state}
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
}

var errLocked error = &sdk.Error{
	Kind: sdk.KindConflict, Source: sdk.SourceHost, Retry: true,
	Msg:  "another process has the lock of this project's daemon, and does not say where it listens",
	Hint: "it may run in another container, or be starting or ending: try again",
}

// wait waits for one poll interval. Errors: the cause of the end of ctx.
func wait(ctx context.Context) error {
	select {
	case <-time.After(poll):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// AlreadyError is returned when a project has a daemon already. It unwraps to KindConflict.
type AlreadyError struct{ State State }

func (e *AlreadyError) Error() string {
	return "this project is being served at " + e.State.URL("")
}

// Unwrap returns the error for callers that do not handle AlreadyError.
func (e *AlreadyError) Unwrap() error {
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s", e.Error()).
		WithHint("use that server, or end it first: loam mcp stop")
}

// Publish writes the state file. It sets PID and Process itself.
// Errors: KindDenied.
func (h *Instance) Publish(s State) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.PID, s.Process = os.Getpid(), h.process
	if s.Connectors == nil {
		s.Connectors = []Connector{}
	}
	return h.write(s)
}

// Update writes the live part of the state, if it changed. It sets Process of the connectors,
// also in l.
// Errors: KindDenied.
func (h *Instance) Update(l Live) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, c := range l.Connectors {
		if c.PID == 0 {
			continue
		}
		process, err := identify(c.PID)
		if err != nil {
			return h.daemon.denied(err)
		}
		l.Connectors[i].Process = process
	}
	if reflect.DeepEqual(l, h.state.Live) {
		return nil
	}
	next := h.state
	next.Live = l
	return h.write(next)
}

func (h *Instance) write(s State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := file.Replace(h.daemon.statePath(), append(text, '\n'), 0o600); err != nil {
		return h.daemon.denied(err)
	}
	h.state = s
	return nil
}

// Close removes the state file and releases the lock. It must be called once.
func (h *Instance) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(h.daemon.remove(), h.unlock())
}
