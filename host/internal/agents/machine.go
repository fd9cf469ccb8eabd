// Package agents sets up MCP clients: it writes the entry of this server and the
// skill into the configuration of each client, reports what is there, and removes
// what it wrote.
package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Machine is the computer and the person whose clients are set up.
type Machine struct {
	OS       string // as runtime.GOOS
	Home     string
	Getenv   func(string) string
	LookPath func(program string) (string, error)
}

// ThisMachine returns the Machine of this process.
// Errors: KindInvalid for a person without a home folder.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "there is no home folder: %w", err).WithHint("set HOME")
	}
	return Machine{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, LookPath: exec.LookPath}, nil
}

// folder returns the value of an environment variable if it is an absolute path, else a folder
// below the home folder.
func (m Machine) folder(variable string, elements ...string) string {
	if dir := m.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{m.Home}, elements...)...)
}

// state returns the folder of Loam's state beyond one project.
func (m Machine) state() string { return file.StateDir(m.OS, m.Home, m.Getenv) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Command returns the command by which a client starts this program: the path of loam in PATH if
// that is the same file, because it stays valid after an upgrade, else executable.
func (m Machine) Command(executable string) string {
	found, err := m.LookPath("loam")
	if err != nil || !filepath.IsAbs(found) {
		return executable
	}
	a, errA := os.Stat(found)
	b, errB := os.Stat(executable)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return executable
	}
	return found
}
