package memory

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) runsCommand() *cobra.Command {
	return command.Group("runs", "List ingested texts with their outcomes", a.runsListCommand(), a.runsShowCommand())
}

// RunDocument is a run with what the command line tells beside what tools do.
type RunDocument struct {
	*memory.Run
	Connection string    `json:"connectionId,omitempty"`
	By         string    `json:"by"`
	At         time.Time `json:"at"`
}

func newRunDocument(run *memory.Run) RunDocument {
	return RunDocument{Run: run, Connection: run.Connection, By: run.By.Name(), At: run.At}
}

func (a *commands) runsListCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the runs, the latest first",
		Long:    "Lists ingested texts, the latest first: the author, the state, and the numbers of stored changes, waiting changes and questions.",
		Example: "  loam runs list --limit 100 --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return command.Usage(cmd, "--limit must be 1 at least")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				runs, err := services.Records.Runs(cmd.Context(), limit)
				if err != nil {
					return err
				}
				return a.listRuns(runs)
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "most runs to list")
	return cmd
}

func (a *commands) listRuns(runs []*memory.Run) error {
	docs, rows := make([]RunDocument, len(runs)), make([][]string, len(runs))
	for i, run := range runs {
		docs[i] = newRunDocument(run)
		rows[i] = []string{
			string(run.RunID), run.Status, run.By.Name() + ", " + text.Ago(run.At), run.Connection,
			strconv.Itoa(len(captured(run))), strconv.Itoa(len(run.Captured.Pending)), strconv.Itoa(len(run.Questions)),
		}
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"runs": docs})
	}
	if len(runs) == 0 {
		a.term.Infof(`nothing was told yet: loam ingest text "…"`)
		return nil
	}
	return a.term.NewTable([]string{"RUN", "STATUS", "FROM", "CONNECTION", "KEPT", "WAIT", "QUESTIONS"}, 4, 5, 6).Rows(rows)
}

func (a *commands) runsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run: its author, stored changes, waiting changes and questions",
		Example: "  loam runs show 4ZQ5LJ2XH7KWM",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				run, err := services.Texts.Status(cmd.Context(), memory.RunID(args[0]))
				if err != nil {
					return err
				}
				return a.term.Answer(newRunDocument(run), func() error {
					a.term.Infof("told by %s, %s", terminal.Escape(run.By.Name()), text.Ago(run.At))
					return a.printStatus(run)
				})
			})
		},
	}
}

// kept is what a run that was not a dry one did.
const kept = "kept"

// captured are the rows of what a run changed: what it is, and its name.
func captured(run *memory.Run) (rows [][]string) {
	c := run.Captured
	for _, part := range []struct {
		what    string
		targets []string
	}{{"page", c.Wiki}, {"measure or segment", c.SL}, {"metric", c.Metrics}, {"synonym", c.Synonyms}, {"description", c.Descriptions}} {
		for _, target := range part.targets {
			rows = append(rows, []string{part.what, target})
		}
	}
	return rows
}

// printRun prints what became of a text; became is what happened to the part that needs nobody.
func (a *commands) printRun(run *memory.Run, became string) error {
	if run.RunID != "" {
		a.term.Infof("run %s: %s", run.RunID, progressOf(run))
	}
	var rows [][]string
	for _, row := range captured(run) {
		rows = append(rows, append(row, became, ""))
	}
	for _, p := range run.Captured.Pending {
		rows = append(rows, []string{"change " + string(p.ID), p.Target, "waits", strings.TrimSuffix(whyText(p.Why)+": "+p.Note, ": ")})
	}
	if len(rows) > 0 {
		if err := a.term.Table([]string{"WHAT", "NAME", "BECAME", "WHY"}, rows); err != nil {
			return err
		}
	}
	var questions [][]string
	for _, q := range run.Questions {
		questions = append(questions, []string{q.Ask, strings.Join(q.Candidates, ", "), q.Quote})
	}
	if err := a.term.Section([]string{"QUESTION", "ONE OF", "ABOUT"}, questions); err != nil {
		return err
	}
	if run.SkippedReason != nil {
		a.term.Infof("nothing is kept: %s", terminal.Escape(*run.SkippedReason))
	}
	a.term.Notes(run.Notes)
	if run.Done && run.RunID != "" && len(rows) > 0 {
		a.term.Infof("next: loam review --run %s", run.RunID)
	}
	return nil
}

// printStatus prints what became of a run, and why it failed if it did.
func (a *commands) printStatus(run *memory.Run) error {
	if err := a.printRun(run, kept); err != nil {
		return err
	}
	if err := failed(run); err != nil {
		a.term.Warn(err)
	}
	return nil
}

// progressOf is how far a run is.
func progressOf(run *memory.Run) string {
	if run.Status == "running" {
		return run.Stage
	}
	return run.Status
}

// whyText says why a change waits.
func whyText(codes []string) string {
	return strings.ReplaceAll(strings.Join(codes, ", "), "_", " ")
}
