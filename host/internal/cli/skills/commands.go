// Package skills has the commands for the skills of a project.
package skills

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/skillset"
)

// Services are what the commands need of a project.
type Services struct {
	Skills  *skillset.Service
	Writing writing
	Agents  func() (*agents.Agents, error)
}

// writing writes skills; *memory.Service implements it.
type writing interface {
	PutSkill(ctx context.Context, c memory.Call, name string, content []byte, base string) (*memory.SkillWritten, error)
	DeleteSkill(ctx context.Context, c memory.Call, name, base string) (*memory.SkillWritten, error)
	SkillFile(name string) (content []byte, revision string, err error)
}

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
}

// Commands returns the commands of this package.
func Commands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	return []*cobra.Command{command.Group("skills", "List, write and export skills: ways of working that agents follow",
		a.listCommand(), a.showCommand(), a.addCommand(), a.editCommand(), a.removeCommand(), a.exportCommand())}
}
