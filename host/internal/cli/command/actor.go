package command

import (
	"os/user"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/terminal"
)

// Actor returns who runs the command: a person when both its input and its output are
// a terminal.
func (i *Invocation) Actor() change.Actor {
	actor := change.Actor{Channel: change.CLI, Terminal: terminal.IsTerminal(i.Terminal.In) && terminal.IsTerminal(i.Terminal.Out)}
	if current, err := user.Current(); err == nil {
		actor.User = current.Username
	}
	return actor
}
