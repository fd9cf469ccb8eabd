// Package trust has the command that shows what a project would run or send and asks
// for permission, and the messages of other commands about it.
package trust

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/trust"
)

// Services are what the commands need of a project.
type Services struct {
	Project    *project.Source
	Connectors *connector.Registry
	// Trust is what the person at this machine allows the project.
	Trust *trust.Trust
}

// commands are those of this package on one command line.
type commands struct {
	term *terminal.Terminal
	open command.Open[Services]
}

// Commands returns the commands of this package.
func Commands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i.Terminal, open}
	return []*cobra.Command{a.trustCommand()}
}
