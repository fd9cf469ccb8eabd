package memory

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) ingestCommand() *cobra.Command {
	return command.Group("ingest", "Teach Loam facts from texts and files: terms, measures, pitfalls",
		a.ingestTextCommand(), a.ingestFilesCommand(), a.ingestStatusCommand(), a.ingestRetryCommand())
}

type ingestFlags struct {
	connection, file, source string
	noWait, dryRun           bool
}

func (a *commands) ingestTextCommand() *cobra.Command {
	var f ingestFlags
	cmd := dryRunFlag(&cobra.Command{
		Use:   "text [-c CONNECTION] [TEXT]",
		Short: "Remember a text",
		Long: `Learns from a text of at most 256 KiB: whole sentences that name tables and columns, a
glossary, a table of metrics, SQL, LookML, dbt, MetricFlow, Cube (YAML or JavaScript),
Ossie, a semantic view or a metric view in YAML. The text comes from the argument, from
--file, or from standard input (-). Definitions become wiki pages, certain formulas become
measures of the semantic layer, and uncertain statements become questions. The command waits
until that is done.

Without a terminal, the text counts as an agent's: see loam review.`,
		Example: `  loam ingest text -c shop "ARR is the sum of amount in billing.subscription where status = 'active'."
  loam ingest text -c shop --file glossary.md --source finance --dry-run
  pbpaste | loam ingest text --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := command.Text(cmd, a.term, "text", f.file, args)
			if err != nil {
				return err
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.ingest(cmd.Context(), services, f, text) })
		},
	}, &f.dryRun)
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "connection of the text (default: none, so that only pages are written)")
	flags.StringVarP(&f.file, "file", "f", "", `read the text from a file ("-" is standard input)`)
	flags.StringVar(&f.source, "source", "", "source of the text, such as finance (default: the source that the text names)")
	flags.BoolVar(&f.noWait, "no-wait", false, "only queue it, for the next host or loam ingest")
	return cmd
}

func (a *commands) ingest(ctx context.Context, services *Services, f ingestFlags, text string) error {
	in := memory.Input{Content: text, Connection: f.connection, Source: f.source, Actor: a.invocation.Actor(), DryRun: f.dryRun}
	if f.dryRun {
		run, err := services.Texts.Preview(ctx, in)
		if err != nil {
			return err
		}
		return a.term.Answer(run, func() error { return a.printRun(run, "would be kept") })
	}
	accepted, err := services.Texts.Accept(ctx, in)
	if err != nil {
		return err
	}
	return a.accepted(ctx, services, accepted, f.noWait)
}

// accepted waits for a run, unless noWait, and prints what became of it.
func (a *commands) accepted(ctx context.Context, services *Services, accepted memory.Accepted, noWait bool) error {
	if noWait {
		return a.term.Done(accepted, "queued as %[1]s; what became of it: loam ingest status %[1]s", accepted.RunID)
	}
	line := a.term.NewProgress()
	run, err := services.Texts.Wait(ctx, accepted.RunID, func(stage string) { line.Update(doneAt[stage], stage) })
	line.Clear()
	if err != nil {
		if ctx.Err() != nil {
			return sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "cancelled: the text stays queued as %s", accepted.RunID).
				WithHint("see what became of it: loam ingest status %s", accepted.RunID)
		}
		return err
	}
	if accepted.Duplicate {
		a.term.Infof("the same text was told before: this is what became of it then")
	}
	err = a.term.Answer(run, func() error { return a.printRun(run, kept) })
	return errors.Join(err, failed(run))
}

// doneAt is how much of a run is done when a stage begins.
var doneAt = map[string]float64{"planning": 0.1, "checking": 0.4, "applying": 0.7, "indexing": 0.8, "done": 1}

// failed is the error of a run that failed.
func failed(run *memory.Run) error {
	if run.Error == nil {
		return nil
	}
	return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "run %s failed: %s", run.RunID, *run.Error).
		WithHint("try it again: loam ingest retry %s", run.RunID)
}

func (a *commands) ingestStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status RUN",
		Short: "Show what became of a text",
		Long: `Shows the result of a text so far: stored changes, changes that wait for a person, and
questions, which a clearer sentence answers. It returns what memory_ingest_status does.`,
		Example: "  loam ingest status 4ZQ5LJ2XH7KWM",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				run, err := services.Texts.Status(cmd.Context(), memory.RunID(args[0]))
				if err != nil {
					return err
				}
				return a.term.Answer(run, func() error { return a.printStatus(run) })
			})
		},
	}
}

func (a *commands) ingestRetryCommand() *cobra.Command {
	var noWait, dryRun bool
	cmd := dryRunFlag(&cobra.Command{
		Use:     "retry RUN",
		Short:   "Try a text again whose run failed",
		Long:    "Queues a failed run again, with its stored text, and waits for its end.",
		Example: "  loam ingest retry 4ZQ5LJ2XH7KWM",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := memory.RunID(args[0])
			return a.open(cmd.Context(), func(services *Services) error {
				if dryRun {
					run, err := services.Texts.Status(cmd.Context(), id)
					if err != nil {
						return err
					}
					return a.term.Done(run, "run %s is %s, and would be queued again if it failed", run.RunID, run.Status)
				}
				accepted, err := services.Texts.Retry(cmd.Context(), id, a.invocation.Actor())
				if err != nil {
					return err
				}
				return a.accepted(cmd.Context(), services, accepted, noWait)
			})
		},
	}, &dryRun)
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "only queue it, for the next host or loam ingest")
	return cmd
}
