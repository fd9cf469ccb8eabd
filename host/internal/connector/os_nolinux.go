//go:build !linux

package connector

import (
	"os"
	"os/exec"
)

const openFilePath = ""

func execsOpenFile() bool { return false }

func restrict(int) error { return nil }

func oomKills() int64 { return 0 }

// awaitExit returns false at once: only Linux can wait for a process without reaping it.
func awaitExit(*os.Process) bool { return false }

const (
	residentField = iota
	dataField
)

func memoryOf(_, _ int) int64 { return 0 }

type spawner struct{}

func newSpawner() *spawner { return &spawner{} }

func (*spawner) start(cmd *exec.Cmd) error { return cmd.Start() }

func (*spawner) close() {}
