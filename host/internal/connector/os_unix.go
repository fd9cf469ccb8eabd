//go:build unix

package connector

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// processGroup is a program and whatever it started.
type processGroup struct{ pid int }

// adopt takes over a command that was just started in a group of its own.
func (g *processGroup) adopt(cmd *exec.Cmd) error {
	g.pid = cmd.Process.Pid
	return nil
}

// kill ends every process of the group. A group that is gone is no error.
func (g *processGroup) kill() error {
	if err := syscall.Kill(-g.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func (g *processGroup) release() error { return nil }

// signalOf returns the signal that ended a process, or "".
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// textBusy reports that a file could not be executed because somebody has it
// open for writing: a copy of the host that is just starting another program
// may hold such a descriptor for a moment (golang.org/issue/22315).
func textBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// lockDir takes the exclusive lock of an open folder, waiting for it if asked
// to. Cleaners of temporary folders leave a locked one alone.
func lockDir(dir *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(dir.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// ownedByUs reports whether the folder belongs to this user and to nobody else.
func ownedByUs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

// writableByOthers returns the first of the paths that its group or others may
// write to, or "".
func writableByOthers(paths ...string) string {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o022 != 0 {
			return path
		}
	}
	return ""
}
