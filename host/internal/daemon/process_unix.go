//go:build unix

package daemon

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/loam-data/loam/sdk"
)

// detach starts the daemon in a new session, so that no terminal signals it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate sends SIGTERM.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// killGroup kills the process group of a connector: the connector and its children.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// Become replaces this process by the program of a launch (execve). The process id, the
// terminal and the working folder stay; Launch.Dir is ignored. It returns only on an error:
// errors.ErrUnsupported on Windows.
func Become(l Launch) error {
	if err := syscall.Exec(l.Program, append([]string{l.Program}, l.Args...), l.Env); err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "start %s: %w", l.Program, err)
	}
	return nil
}
