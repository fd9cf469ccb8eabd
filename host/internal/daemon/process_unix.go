//go:build unix

package daemon

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/loam-data/loam/sdk"
)

// detach gives the daemon a session of its own: no terminal reaches it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate asks a process to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// killGroup ends a connector and whatever it started: it leads a group.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// Become replaces this process by the program of a launch, which keeps the
// process id, the terminal and the working folder. It returns only errors:
// errors.ErrUnsupported where the system has no such thing.
func Become(l Launch) error {
	if err := syscall.Exec(l.Program, append([]string{l.Program}, l.Args...), l.Env); err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "start %s: %w", l.Program, err)
	}
	return nil
}
