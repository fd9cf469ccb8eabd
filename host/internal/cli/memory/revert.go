package memory

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

type revertFlags struct {
	request    memory.RevertRequest
	run, since string
	yes        bool
}

func (a *commands) reviewRevertCommand() *cobra.Command {
	var f revertFlags
	cmd := dryRunFlag(&cobra.Command{
		Use:   "revert [CHANGE...]",
		Short: "Take changes back, one by one or all of a run, a source or an actor",
		Long: `Reverts applied changes: the named ones, or all of a run, a source, a client or user. Blocks
that were edited since stay, and are listed. Asks first, unless --yes is set.`,
		Example: `  loam review revert 3fa2
  loam review revert --run 4ZQ5LJ2XH7KWM --dry-run
  loam review revert --actor claude-code --since 2d --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.read(cmd, args, time.Now()); err != nil {
				return err
			}
			f.request.Actor = a.invocation.Actor()
			return a.open(cmd.Context(), func(services *Services) error { return a.revert(cmd, services, f) })
		},
	}, &f.request.DryRun)
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "all changes of this run")
	flags.StringVar(&f.request.Source, "source", "", "all changes from this source")
	flags.StringVar(&f.request.By, "actor", "", "all changes that this client or user proposed")
	flags.StringVar(&f.since, "since", "", "only changes since this time: 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z")
	flags.StringVar(&f.request.Note, "note", "", "the reason, for later readers")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return cmd
}

// read checks the command line.
func (f *revertFlags) read(cmd *cobra.Command, args []string, now time.Time) (err error) {
	f.request.IDs, f.request.RunID = args, memory.RunID(f.run)
	chosen := 0
	for _, given := range []bool{len(args) > 0, f.run != "", f.request.Source != "", f.request.By != ""} {
		if given {
			chosen++
		}
	}
	switch {
	case chosen == 0:
		return command.Usage(cmd, "which changes? Give ids, or --run, --source or --actor")
	case chosen > 1:
		return command.Usage(cmd, "give ids, or one of --run, --source and --actor")
	case len(args) > 0 && f.since != "":
		return command.Usage(cmd, "--since goes with --run, --source or --actor")
	}
	f.request.Since, err = command.Since(cmd, f.since, now)
	return err
}

// revert shows what would be taken back, asks, and takes back exactly that.
func (a *commands) revert(cmd *cobra.Command, services *Services, f revertFlags) error {
	ctx := cmd.Context()
	request := f.request
	request.DryRun = true
	would, err := services.Changes.Revert(ctx, request)
	if err != nil {
		return err
	}
	if f.request.DryRun || len(would.Changes) == 0 {
		return a.term.Answer(would, func() error {
			a.term.Infof("%s", terminal.EscapeText(outlook(would)))
			return nil
		})
	}
	if !f.yes {
		if agreed, err := a.agreed(ctx, would); err != nil || !agreed {
			return err
		}
	}
	request = memory.RevertRequest{Actor: f.request.Actor, Note: f.request.Note}
	for _, c := range would.Changes {
		request.IDs = append(request.IDs, string(c.ID))
	}
	done, err := services.Changes.Revert(ctx, request)
	if err != nil {
		return err
	}
	return a.reverted(done)
}

// agreed asks a person whether to go on.
func (a *commands) agreed(ctx context.Context, would *memory.Reverted) (bool, error) {
	if !a.term.CanAsk() {
		return false, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s, and nobody can be asked", outlook(would)).
			WithHint("add --yes, or --dry-run to see the changes")
	}
	agreed, err := a.term.Questions().Confirm(ctx, terminal.EscapeText(outlook(would))+". Go on?", false)
	if err == nil && !agreed {
		a.term.Infof("nothing was changed")
	}
	return agreed, err
}

// outlook says what would be taken back.
func outlook(would *memory.Reverted) string {
	if len(would.Changes) == 0 {
		return "nothing to take back: no change that was written fits"
	}
	var kept []string
	for _, c := range would.Changes {
		kept = append(kept, c.Kept...)
	}
	said := "would undo " + text.Count(len(would.Changes), "change")
	if len(kept) > 0 {
		said += "; what was changed since stays: " + strings.Join(kept, ", ")
	}
	return said
}

// reverted prints what became of changes.
func (a *commands) reverted(done *memory.Reverted) error {
	for _, c := range done.Changes {
		if c.Problem != "" {
			problem := inTheWay(c.Decided, "reverted")
			a.invocation.Code = terminal.ExitCode(problem)
			a.term.Warn(problem)
			continue
		}
		a.term.Infof("reverted %s: %s", c.ID, terminal.Escape(c.Path))
		for _, block := range c.Kept {
			a.term.Infof("  %s was changed since and stays", terminal.Escape(block))
		}
	}
	if a.term.JSON {
		return a.term.Document(done)
	}
	return nil
}
