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

// ThisMachine is the one that this program runs on.
// Errors: KindInvalid for a person without a home folder.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "there is no home folder: %w", err).WithHint("set HOME")
	}
	return Machine{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, LookPath: exec.LookPath}, nil
}

// folder is the value of an environment variable that names a folder, or below
// the home folder what stands for it.
func (m Machine) folder(variable string, elements ...string) string {
	if dir := m.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{m.Home}, elements...)...)
}

// state is where Loam keeps what it knows beyond one project.
func (m Machine) state() string { return file.StateDir(m.OS, m.Home, m.Getenv) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Command is how a client starts this program: by the name that PATH has for it
// when that is the same file, since such a name outlives an upgrade, else by the
// path of the executable.
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
