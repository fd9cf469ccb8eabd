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
	// StopGrace is the time a daemon has to finish what it does and to end its
	// connectors.
	StopGrace = 10 * time.Second
	// killGrace is the time in which a killed process is gone, and in which the
	// connectors of a killed daemon end by themselves.
	killGrace = 5 * time.Second
)

// Ending is what Stop has found and done.
type Ending struct {
	// Phase is the one in which the daemon was.
	Phase Phase
	// State is that of the daemon, where there was one.
	State *State
	// Killed: the daemon did not end in time. Connectors are how many of its
	// connectors had to be killed as well.
	Killed     bool
	Connectors int
}

// Stop asks the daemon to end, and kills it with its connectors after the grace.
// A state file without a process is removed; what has its id now is left alone.
// Errors: KindDenied for the daemon of another user; KindConflict with Retry
// when it cannot be told which process it is; those of ctx.
func (d *Daemon) Stop(ctx context.Context, grace time.Duration) (*Ending, error) {
	phase, state, err := d.Look(ctx)
	e := &Ending{Phase: phase, State: state}
	switch {
	case err != nil:
		return nil, err
	case phase == Unknown:
		return nil, errHeld
	case phase == Stale:
		return e, d.clean(ctx, state)
	case phase == Stopped:
		return e, nil
	}
	gone, err := d.end(ctx, state, grace, terminate)
	if err == nil && !gone {
		e.Killed = true
		if last, _, err := d.read(); err == nil && last != nil && last.Process == state.Process {
			state = last // with the connectors of now
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

// end signals the daemon and reports whether it was gone in time.
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

// awaitGone reports whether a process was gone in time.
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

// killConnectors kills those of the connectors that do not end by themselves
// now that their daemon is gone, and returns how many.
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
