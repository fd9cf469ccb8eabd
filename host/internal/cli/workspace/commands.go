// Package workspace has the commands of notes: checkpoints of a work, and remediations of errors.
package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/workspace"
)

// Services are what the commands need of a project.
type Services struct{ Notes notes }

type notes interface {
	checkpoints
	remediations
	Troubleshoot(context.Context, workspace.Trouble) (*workspace.Diagnosis, error)
	ListPatterns(context.Context, workspace.PatternList) (*workspace.Patterns, error)
	Prune(context.Context) (*workspace.Pruned, error)
}

type checkpoints interface {
	SaveCheckpoint(context.Context, workspace.CheckpointSave) (*workspace.CheckpointSaved, error)
	SearchCheckpoints(context.Context, workspace.CheckpointSearch) (*workspace.CheckpointMatches, error)
	ListCheckpoints(context.Context, workspace.CheckpointList) (*workspace.CheckpointPage, error)
}

type remediations interface {
	SaveRemediation(context.Context, workspace.RemediationSave) (*workspace.RemediationSaved, error)
	SearchRemediations(context.Context, workspace.RemediationSearch) (*workspace.RemediationMatches, error)
	ReviewRemediation(ctx context.Context, id string, approve bool, by change.Actor) (*workspace.Reviewed, error)
	Unreviewed(ctx context.Context, limit int) (*workspace.Unreviewed, error)
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
	return []*cobra.Command{command.Group("workspace", "Save and find checkpoints of a work, and what mended errors",
		command.Group("checkpoint", "Save, find and list checkpoints of a work", a.checkpointSaveCommand(), a.checkpointSearchCommand(), a.checkpointListCommand()),
		command.Group("remediation", "Save, find and review what mended errors", a.remediationSaveCommand(), a.remediationSearchCommand(), a.reviewCommand()),
		a.troubleshootCommand(),
		command.Group("pattern", "List errors that came again", a.patternListCommand()),
		a.pruneCommand(),
	)}
}

// answered calls a use case and prints its answer.
func answered[A any](a *commands, cmd *cobra.Command, ask func(context.Context, notes) (A, error), show func(A) error) error {
	return a.open(cmd.Context(), func(services *Services) error {
		answer, err := ask(cmd.Context(), services.Notes)
		if err != nil {
			return err
		}
		return a.term.Answer(answer, func() error { return show(answer) })
	})
}

// saveFlags adds the flags of all commands that save; read completes the save when the command runs.
func (a *commands) saveFlags(cmd *cobra.Command, in *workspace.Save) (read func() error) {
	var pairs []string
	flags := cmd.Flags()
	flags.StringVar(&in.ProjectPath, "project-path", "", "the absolute path of the folder that it is about")
	flags.StringArrayVar(&pairs, "context", nil, "a further fact as KEY=VALUE; may be given several times")
	flags.StringSliceVar(&in.Tags, "tag", nil, "a tag; may be given several times")
	flags.BoolVar(&in.Shared, "shared", false, "also principals of the MCP server see it")
	flags.StringVar(&in.ClientID, "client-id", "", "names this call: the same id with the same content is the same call")
	return func() (err error) {
		in.Actor = a.invocation.Actor()
		in.Context, err = command.KeyValues(cmd, pairs)
		return err
	}
}

func (a *commands) pruneCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prune",
		Short: "Delete the notes whose time is over",
		Long: `Deletes the checkpoints and remediations that loam.yaml does not keep any longer, of all principals. Each save does
this for its own principal. Usually checkpoints are kept for 90 days, and 1,000 of each principal; remediations
for a year since they were last confirmed or tried.`,
		Example: `  loam workspace prune
  loam workspace prune --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.Pruned, error) { return n.Prune(ctx) }, func(p *workspace.Pruned) error {
				a.term.Infof("deleted %d checkpoints and %d remediations", p.Checkpoints, p.Remediations)
				return nil
			})
		},
	}
}
