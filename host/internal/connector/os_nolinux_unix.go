//go:build unix && !linux

package connector

import (
	"os/exec"
	"syscall"
)

// prepare puts the command into a process group of its own.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
