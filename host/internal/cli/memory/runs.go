package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// forever is longer than any run.
const forever = 100 * 365 * 24 * time.Hour

func (a *commands) runsCommand() *cobra.Command {
	return command.Group("runs", "List, follow, cancel and repeat long work: scans, ingested texts",
		a.runsListCommand(), a.runsShowCommand(), a.runsCancelCommand(), a.runsReplayCommand(), a.runsArtifactsCommand())
}

func (a *commands) runsListCommand() *cobra.Command {
	var r job.ListRequest
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs, the latest first",
		Long: `Lists the runs of all kinds, the latest first: who began each, its state and how far it is.
A run whose process was killed is an error: the process ended before the run did.`,
		Example: `  loam runs list --limit 100 --json
  loam runs list --kind scan --state running`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.Limit < 1 {
				return command.Usage(cmd, "--limit must be 1 at least")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				list, err := services.Jobs.List(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(list, func() error { return a.printRuns(list) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&r.Kinds, "kind", nil, "only these kinds: ingest, scan, import, index, mine, validate")
	flags.StringSliceVar(&r.States, "state", nil, "only these states: queued, running, done, error, canceled")
	flags.StringVar(&r.Target, "target", "", "only with this target, such as a connection")
	flags.IntVarP(&r.Limit, "limit", "n", 20, "most runs to list")
	flags.StringVar(&r.Cursor, "cursor", "", "nextCursor of the page before")
	return cmd
}

func (a *commands) printRuns(list *job.List) error {
	if list.Total == 0 {
		a.term.Infof(`there is no run yet: loam scan, or loam ingest text "…"`)
		return nil
	}
	rows := make([][]string, len(list.Runs))
	for i := range list.Runs {
		r := &list.Runs[i]
		rows[i] = []string{r.RunID, r.Kind, string(r.Status), stageOf(r), targetOf(r), r.By + ", " + text.Ago(r.QueuedAt)}
	}
	if err := a.term.Table([]string{"RUN", "KIND", "STATUS", "STAGE", "TARGET", "FROM"}, rows); err != nil {
		return err
	}
	if list.Next != nil {
		a.term.Infof("%d of %d; the next ones: --cursor %s", len(list.Runs), list.Total, *list.Next)
	}
	return nil
}

func targetOf(r *job.Status) string {
	if r.Target == nil {
		return ""
	}
	return *r.Target
}

// stageOf is the stage of a run, with how much of it is done.
func stageOf(r *job.Status) string {
	switch {
	case r.Status.Ended():
		return ""
	case r.Total != nil:
		return fmt.Sprintf("%s, %d of %d", r.Stage, r.Done, *r.Total)
	case r.Done > 0:
		return fmt.Sprintf("%s, %d", r.Stage, r.Done)
	}
	return r.Stage
}

func (a *commands) runsShowCommand() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its author, how far it is, its report or error",
		Example: `  loam runs show 4ZQ5LJ2XH7KWM
  loam runs show 4ZQ5LJ2XH7KWM --follow --json`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				r, err := a.followed(cmd.Context(), services, args[0], follow)
				if err != nil {
					return err
				}
				return a.term.Answer(r, func() error { return a.printOne(cmd.Context(), services, &r) })
			})
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "wait for the end of the run, and show its progress")
	return cmd
}

// followed returns a run now, or at its end.
func (a *commands) followed(ctx context.Context, services *Services, id string, follow bool) (job.Status, error) {
	f := job.Follow{RunID: id}
	if follow {
		line := a.term.NewProgress()
		defer line.Clear()
		fraction, message := 0.0, ""
		f.Wait = forever
		f.Progress = func(p sdk.Progress) {
			fraction, message = job.Fraction(fraction, p)
			line.Update(fraction, message)
		}
	}
	return services.Jobs.Report(ctx, f)
}

func (a *commands) printOne(ctx context.Context, services *Services, r *job.Status) error {
	a.term.Infof("%s of %s, begun by %s, %s", r.Kind, orNone(targetOf(r)), terminal.Escape(r.By), text.Ago(r.QueuedAt))
	if r.Kind == run.Ingest {
		of, err := services.Texts.Status(ctx, memory.RunID(r.RunID))
		if err != nil {
			return err
		}
		return a.printStatus(of)
	}
	a.term.Infof("run %s: %s", r.RunID, orElse(stageOf(r), string(r.Status)))
	if r.Canceling {
		a.term.Infof("it was canceled, and is about to end")
	}
	if r.Error != nil {
		a.term.Infof("%s", terminal.Escape(r.Error.Message))
	}
	if r.Kind == run.Scan && r.Status == run.Done {
		a.term.Infof("next: loam runs artifacts %s", r.RunID)
	}
	return nil
}

func orNone(target string) string { return orElse(target, "no connection") }

func orElse(one, other string) string {
	if one == "" {
		return other
	}
	return one
}

func (a *commands) runsCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Cancel a run, of this process or another",
		Long: `Cancels a run that waits or is under way, in whichever process. It returns when that process
has seen it, within two seconds. What the run would have replaced stays: a canceled scan leaves
the last snapshot, a canceled text changes nothing. A text whose changes are being applied is
not canceled any more.`,
		Example: "  loam runs cancel 4ZQ5LJ2XH7KWM",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				r, err := services.Jobs.Cancel(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.term.Done(r, "run %s: %s", r.RunID, orElse(stageOf(&r), string(r.Status)))
			})
		},
	}
}

func (a *commands) runsReplayCommand() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "replay RUN",
		Short: "Run an ended run again from its stored input, and wait for its end",
		Long: `Runs an ended run again from its stored input: a text in its own run, without capturing twice
what it captured; a scan, and the files of folders, in a new run. Texts are kept for 30 days;
files that were pushed are not kept, and their run is refused.`,
		Example: "  loam runs replay 4ZQ5LJ2XH7KWM --follow",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error { return a.replay(cmd.Context(), services, args[0], follow) })
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "show the progress")
	return cmd
}

func (a *commands) replay(ctx context.Context, services *Services, id string, follow bool) error {
	r, err := services.Jobs.Replay(ctx, job.Caller{Actor: a.invocation.Actor(), Cause: "loam runs replay"}, id)
	if err != nil {
		return err
	}
	if r.Kind == run.Ingest && !r.Status.Ended() { // its queue is worked on while somebody waits
		if _, err := services.Texts.Wait(ctx, memory.RunID(r.RunID), nil); err != nil {
			return err
		}
	}
	term := *a.term
	term.Quiet = term.Quiet || !follow
	watching := &commands{a.invocation, &term, a.open}
	done, err := watching.followed(ctx, services, r.RunID, true)
	if err != nil {
		if ctx.Err() != nil && r.Kind != run.Ingest { // it is a run of this process, which ends
			_, canceled := services.Jobs.Cancel(context.WithoutCancel(ctx), r.RunID)
			if canceled == nil {
				return sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "run %s was canceled", r.RunID).WithHint("begin it again: loam runs replay %s", id)
			}
		}
		return err
	}
	return a.term.Answer(done, func() error { return a.printOne(ctx, services, &done) })
}

func (a *commands) runsArtifactsCommand() *cobra.Command {
	var id string
	var offset int64
	cmd := &cobra.Command{
		Use:   "artifacts {RUN | -c CONNECTION} [NAME]",
		Short: "List the artifacts of a scan, or read one",
		Long: `Lists what a scan made, or the last scan of a connection: its report, the identity of the
snapshot, its tables, and how it differs from the snapshot before. With a NAME it prints that
artifact, at most 64 KiB from --offset on. What it says comes from the warehouse.`,
		Example: `  loam runs artifacts 4ZQ5LJ2XH7KWM
  loam runs artifacts -c shop tables --json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := job.ArtifactsRequest{Connection: connection.ID(id)}
			if id == "" && len(args) > 0 {
				r.RunID, args = args[0], args[1:]
			}
			if len(args) > 1 {
				return command.Usage(cmd, "name one artifact")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				if len(args) == 0 {
					return a.listArtifacts(cmd.Context(), services, r)
				}
				part, err := services.Jobs.ReadArtifact(cmd.Context(), r, args[0], offset)
				if err != nil {
					return err
				}
				return a.term.Answer(part, func() error { return a.printPart(part) })
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "the last scan of this connection, in place of a RUN")
	cmd.Flags().Int64Var(&offset, "offset", 0, "byte to begin at: nextOffset of the part before")
	return cmd
}

func (a *commands) listArtifacts(ctx context.Context, services *Services, r job.ArtifactsRequest) error {
	all, err := services.Jobs.ListArtifacts(ctx, r)
	if err != nil {
		return err
	}
	return a.term.Answer(all, func() error {
		rows := make([][]string, len(all.Artifacts))
		for i, one := range all.Artifacts {
			rows[i] = []string{one.Name, one.Kind, fmt.Sprint(one.Bytes)}
		}
		return a.term.NewTable([]string{"NAME", "KIND", "BYTES"}, 2).Rows(rows)
	})
}

func (a *commands) printPart(part *job.Part) error {
	if _, err := fmt.Fprint(a.term.Out, terminal.EscapeText(part.Content)); err != nil {
		return err
	}
	if part.NextOffset != nil {
		a.term.Infof("%d of %d bytes; go on with --offset %d", *part.NextOffset, part.Bytes, *part.NextOffset)
	}
	return nil
}
