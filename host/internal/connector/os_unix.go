//go:build unix

package connector

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// processGroup is a program and its descendants.
type processGroup struct{ pid int }

// adopt sets the group to that of a command that was just started.
func (g *processGroup) adopt(cmd *exec.Cmd) error {
	g.pid = cmd.Process.Pid
	return nil
}

// kill kills every process of the group. A group that does not exist is not an error.
func (g *processGroup) kill() error {
	if err := syscall.Kill(-g.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func (g *processGroup) release() error { return nil }

// signalOf returns the signal that ended a process; "" = none.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// textBusy reports that a file could not be executed because it is open for writing. A fork of the
// host that is starting another program may have such a descriptor for a moment
// (golang.org/issue/22315).
func textBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// lockDir acquires the exclusive lock of an open folder, and waits for it if wait is set.
// systemd-tmpfiles and the like do not remove a locked folder.
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

// ownedByUs reports whether the folder belongs to this user, and no other user has access.
func ownedByUs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

// writableByOthers returns the first of the paths that its group or others may write to; "" = none.
func writableByOthers(paths ...string) string {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o022 != 0 {
			return path
		}
	}
	return ""
}
