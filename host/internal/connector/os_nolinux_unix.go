//go:build unix && !linux

package connector

import (
	"os/exec"
	"syscall"
)

// prepare puts the command into a process group of its own.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// LimitsMemory reports whether the system enforces a connector's memory limit.
const LimitsMemory = false

// limit does nothing: no limit of this system counts mapped memory, which allocators use.
func (g *processGroup) limit(int64) error { return nil }
