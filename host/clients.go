package host

import (
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
)

// clients sets up clients for the project in folder, which they may know by a
// name without symbolic links.
func clients(folder string) (*agents.Agents, error) {
	machine, err := agents.ThisMachine()
	if err != nil {
		return nil, err
	}
	program, err := daemon.Program()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return agents.New(agents.Config{
		Machine: machine, Project: folder, State: project.StateFolder(folder), Command: machine.Command(program), Now: time.Now,
	}), nil
}
