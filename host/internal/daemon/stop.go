package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/loam-data/loam/sdk"
)

const (
	// StopGrace is the usual time for a daemon to finish its calls and end its connectors.
	StopGrace = 10 * time.Second
	// killGrace bounds the wait for the end of a killed process, and for the connectors of a
	// killed daemon to end by themselves.
	killGrace = 5 * time.Second
)

// Ending is the result of Stop.
type Ending struct {
	// Phase and State are as of Status, before Stop did anything.
	Phase Phase
	State *State
	// Killed says that the daemon did not end in time and was killed. Connectors is the number
	// of its connectors that were killed.
	Killed     bool
	Connectors int
}

// Stop terminates the daemon, and kills it and its connectors after grace. A stale state file
// is removed; a process that has the same id now is not touched.
// Errors: KindDenied for the daemon of another user; KindConflict with Retry when the phase is
// Unknown; KindTimeout when it does not end although it was killed; those of ctx.
func (d *Daemon) Stop(ctx context.Context, grace time.Duration) (*Ending, error) {
	phase, state, err := d.Status(ctx)
	e := &Ending{Phase: phase, State: state}
	switch {
	case err != nil:
		return nil, err
	case phase == Unknown:
		return nil, errLocked
	case phase == Stale:
		return e, d.clean(ctx, state)
	case phase == Stopped:
		return e, nil
	}
	gone, err := d.end(ctx, state, grace, terminate)
	if err == nil && !gone {
		e.Killed = true
		if last, _, err := d.read(); err == nil && last != nil && last.Process == state.Process {
			state = last // it has the current connectors
		}
		gone, err = d.end(ctx, state, killGrace, (*os.Process).Kill)
	}
	switch {
	case err != nil:
		return nil, err
	case !gone:
		return nil, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "process %d does not end, although it was killed", state.PID).
			WithHint("see what it waits for: ps -o state,wchan -p %d", state.PID)
	}
	if e.Connectors, err = killConnectors(ctx, state.Connectors); err != nil {
		return nil, err
	}
	return e, d.clean(ctx, state)
}

// end signals the daemon and reports whether it ended in time.
func (d *Daemon) end(ctx context.Context, s *State, within time.Duration, signal func(*os.Process) error) (gone bool, err error) {
	p, err := find(s.PID, s.Process)
	if err != nil || p == nil {
		return p == nil, err
	}
	defer func() { err = errors.Join(err, p.Release()) }()
	switch err := signal(p); {
	case errors.Is(err, fs.ErrPermission):
		return false, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the daemon, process %d, belongs to another user", s.PID).
			WithHint("end it as that user")
	case err != nil && !errors.Is(err, os.ErrProcessDone):
		return false, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "end process %d: %w", s.PID, err)
	}
	return awaitGone(ctx, s.PID, s.Process, within)
}

// awaitGone reports whether a process ended in time.
func awaitGone(ctx context.Context, pid int, process string, within time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for alive(pid, process) {
		if wait(limited) != nil {
			return !alive(pid, process), ctx.Err()
		}
	}
	return true, nil
}

// killConnectors kills the connectors that do not end by themselves within killGrace after
// their daemon ended, and returns their number.
func killConnectors(ctx context.Context, all []Connector) (killed int, err error) {
	limited, cancel := context.WithTimeout(ctx, killGrace)
	defer cancel()
	for _, c := range all {
		if c.PID == 0 {
			continue
		}
		for alive(c.PID, c.Process) && wait(limited) == nil {
		}
		p, err := find(c.PID, c.Process)
		if err != nil {
			return killed, err
		}
		if p == nil {
			continue
		}
		if err := errors.Join(killGroup(p), p.Release()); err != nil {
			return killed, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "end connector %s, process %d: %w", c.Name, c.PID, err)
		}
		killed++
	}
	return killed, ctx.Err()
}
