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

// Launch is the command that starts the daemon.
type Launch struct {
	// Program, with Args, must call Acquire and Publish, and then serve.
	Program string
	Args    []string
	// Env is its environment; nil = that of this process. Secrets are passed here, not in Args.
	Env []string
	// Dir is its working folder; "" = that of this process.
	Dir string
}

// startTimeout bounds the time until the daemon answers: the system may check a new
// program first.
const startTimeout = time.Minute

// maxOutput bounds EndedError.Output, in bytes.
const maxOutput = 8 << 10

// EndedError is returned by Start when the daemon ended before it answered.
type EndedError struct {
	// Output is the end of what it logged, at most 8 KiB; "" = the log cannot be read.
	Output string
	How    string // such as "exit status 1"
}

func (e *EndedError) Error() string { return "the daemon ended before it served: " + e.How }

// Start starts the daemon detached from the terminal, with its output in the log, and returns
// when it answers on /health. Of several concurrent calls one succeeds.
// Errors: *AlreadyError when a daemon runs; *EndedError; KindTimeout after one minute,
// KindInternal for a program that cannot be started, KindDenied; those of ctx. After an error
// the process that was started has ended.
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
		return nil, already // it ended because another daemon was faster
	}
	return nil, err
}

// giveUp terminates a daemon that does not answer, kills it after killGrace, and waits for it.
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

// already returns an *AlreadyError when a daemon runs, else nil.
func (d *Daemon) already(ctx context.Context) error {
	phase, state, err := d.Status(ctx)
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

// loggedSince returns the end of what was logged after an offset of the log; "" when the log
// cannot be read.
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
		began = 0 // the log was rotated
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(began, size-maxOutput), maxOutput))
	if err != nil {
		return ""
	}
	return string(text)
}

// Program returns the path of this process's program, for Launch.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "find this program: %w", err)
	}
	return filepath.Clean(path), nil
}
