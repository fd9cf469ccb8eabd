package memory

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) approveCommand() *cobra.Command {
	return a.decideCommand(&cobra.Command{
		Use:   "approve CHANGE...",
		Short: "Approve changes",
		Long: `Approves changes by their ids or the beginnings of their ids: pending ones are applied,
drafts are marked as reviewed. Needs a terminal, unless memory.approve_from in loam.yaml
allows otherwise. A change whose file was edited meanwhile stays pending, with a message.`,
		Example: `  loam review approve 3fa2 --note "checked with finance"`,
	}, "approved", changes.Approve, func(d memory.Decided) string {
		return "approved " + string(d.ID) + ": " + d.Path + "; undo: loam review revert " + string(d.ID)
	})
}

func (a *commands) rejectCommand() *cobra.Command {
	return a.decideCommand(&cobra.Command{
		Use:   "reject CHANGE...",
		Short: "Reject changes",
		Long: `Rejects changes by their ids or the beginnings of their ids. Drafts are reverted. A rejected
change is not proposed again until its source changes.`,
		Example: `  loam review reject 91bb --note "finance uses net amounts"`,
	}, "rejected", changes.Reject, func(d memory.Decided) string {
		return "rejected " + string(d.ID) + ": " + d.Target + " is not proposed again until its source changes"
	})
}

// decideCommand completes the command of a decision; done says what became of a change.
func (a *commands) decideCommand(cmd *cobra.Command, verb string, decide func(changes, context.Context, memory.Decision) ([]memory.Decided, error), done func(memory.Decided) string) *cobra.Command {
	var decision memory.Decision
	cmd.Args = someChanges
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		decision.IDs, decision.Actor = args, a.invocation.Actor()
		return a.open(cmd.Context(), func(services *Services) error {
			all, err := decide(services.Changes, cmd.Context(), decision)
			if err != nil {
				return err
			}
			return a.decided(all, verb, decision.DryRun, done)
		})
	}
	cmd.Flags().StringVar(&decision.Note, "note", "", "the reason, for later readers")
	return dryRunFlag(cmd, &decision.DryRun)
}

// decided prints what became of changes. The exit code is that of a conflict when something
// is in the way of one.
func (a *commands) decided(all []memory.Decided, verb string, dryRun bool, done func(memory.Decided) string) error {
	for _, d := range all {
		switch {
		case d.Problem != "":
			problem := inTheWay(d, verb)
			a.invocation.Code = terminal.ExitCode(problem)
			a.term.Warn(problem)
		case dryRun:
			a.term.Infof("would be %s: %s %s", verb, d.ID, terminal.Escape(d.Path))
		default:
			a.term.Infof("%s", terminal.Escape(done(d)))
		}
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"changes": append([]memory.Decided{}, all...)})
	}
	return nil
}

// inTheWay is why a change was not decided.
func inTheWay(d memory.Decided, verb string) *sdk.Error {
	problem := sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is not %s: %s", d.ID, verb, d.Problem)
	if d.Failed {
		return problem
	}
	return problem.WithHint("see: loam review show %s", d.ID)
}
