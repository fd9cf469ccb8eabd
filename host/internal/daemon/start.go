package daemon

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Launch is how to start the daemon.
type Launch struct {
	// Program, with Args, must Hold the daemon, Publish its state and serve.
	Program string
	Args    []string
	// Env is its environment; nil = that of this process. A secret goes here.
	Env []string
	// Dir is its working folder.
	Dir string
}

// startTimeout bounds the time until the daemon answers: a system may look a
// new program over first.
const startTimeout = time.Minute

// maxOutput is how much of the log an EndedError has, in bytes.
const maxOutput = 8 << 10

// EndedError is a daemon that ended before it served.
type EndedError struct {
	// Output is the end of what it logged.
	Output string
	How    string
}

func (e *EndedError) Error() string { return "the daemon ended before it served: " + e.How }

// Start starts the daemon in a session of its own, with its output in the log,
// and returns when it answers. Of several that start it at once one succeeds.
// Errors: *AlreadyError when there is one; *EndedError; KindTimeout, KindDenied;
// those of ctx, and the daemon is ended then.
func (d *Daemon) Start(ctx context.Context, l Launch) (*State, error) {
	if err := d.already(ctx); err != nil {
		return nil, err
	}
	log, err := d.OpenLog()
	if err != nil {
		return nil, err
	}
	began := log.size
	cmd := exec.Command(l.Program, l.Args...) //nolint:noctx // it outlives this process
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = l.Env, l.Dir, log.file, log.file
	detach(cmd)
	err = cmd.Start()
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "start %s: %w", l.Program, err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, startTimeout, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the daemon does not answer after %v", startTimeout).
		WithHint("see why: loam mcp logs"))
	defer cancel()
	state, err := d.awaitChild(limited, cmd, began)
	if err == nil {
		return state, cmd.Process.Release()
	}
	if _, ended := errors.AsType[*EndedError](err); !ended {
		return nil, errors.Join(err, d.giveUp(ctx, cmd))
	}
	if already := d.already(ctx); already != nil {
		return nil, already // it gave way to this one
	}
	return nil, err
}

// giveUp ends a daemon that does not answer.
func (d *Daemon) giveUp(ctx context.Context, cmd *exec.Cmd) error {
	pid := cmd.Process.Pid
	process, err := identify(pid)
	if err == nil && process != "" {
		err = terminate(cmd.Process)
		if gone, _ := awaitGone(context.WithoutCancel(ctx), pid, process, killGrace); !gone {
			err = errors.Join(err, cmd.Process.Kill())
		}
	}
	if waited := cmd.Wait(); waited != nil {
		if _, exit := errors.AsType[*exec.ExitError](waited); !exit {
			err = errors.Join(err, waited)
		}
	}
	return err
}

// already is the error for a daemon that runs, nil when none does.
func (d *Daemon) already(ctx context.Context) error {
	phase, state, err := d.Look(ctx)
	if err == nil && phase == Running {
		return &AlreadyError{State: *state}
	}
	return err
}

// awaitChild waits until the daemon answers or has ended.
func (d *Daemon) awaitChild(ctx context.Context, cmd *exec.Cmd, began int64) (*State, error) {
	for {
		process, err := identify(cmd.Process.Pid)
		switch {
		case err != nil:
			return nil, err
		case process == "":
			how := "exit status 0"
			if err := cmd.Wait(); err != nil {
				how = err.Error()
			}
			return nil, &EndedError{Output: d.loggedSince(began), How: how}
		}
		state, _, err := d.read()
		if err != nil {
			return nil, err
		}
		if state != nil && state.PID == cmd.Process.Pid && state.Process == process {
			if _, err := Probe(ctx, state.Host, state.Port); err == nil {
				return state, nil
			}
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
}

// loggedSince returns the end of what was logged after a place in the log. It
// is for a person to read: a log that cannot be read has nothing to say.
func (d *Daemon) loggedSince(began int64) string {
	f, err := os.Open(d.LogPath())
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was read only
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	if began > size {
		began = 0 // the log was put aside
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(began, size-maxOutput), maxOutput))
	if err != nil {
		return ""
	}
	return string(text)
}

// Program returns the program that runs now, for Launch.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "find this program: %w", err)
	}
	return filepath.Clean(path), nil
}
