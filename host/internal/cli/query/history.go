package query

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) historyCommand() *cobra.Command {
	var r ask.HistoryRequest
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List the statements that MCP clients ran, each once",
		Long: `Lists the statements that MCP clients wrote and ran in this project, the latest run first:
each text once, with its runs, the median of their times, and how the last one ended. A
literal is ? unless loam.yaml has history.arguments: full. The tool get_query_history
answers the same, for the calls of its client alone; loam history lists single calls.`,
		Example: `  loam queries history
  loam queries history --since 7d --table orders --outcome error
  loam queries history -c warehouse --limit 100 --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.Limit < 1 {
				return command.Usage(cmd, "--limit must be 1 at least")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				answer, err := services.Ask.QueryHistory(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(answer, func() error { return a.printHistory(answer) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Since, "since", "", "only runs since this age or time, at most 7d: 90m, 7d or 2026-05-01T12:00:00Z (default 24h)")
	flags.StringSliceVar(&r.Tables, "table", nil, "only statements that read this table; may be given several times")
	flags.StringVarP((*string)(&r.Connection), "connection", "c", "", "only statements on this connection")
	flags.StringVar(&r.Outcome, "outcome", "", "only runs with this outcome: ok, error for all others, or one code, such as timeout")
	flags.IntVarP(&r.Limit, "limit", "n", ask.DefaultQueries, "most statements, up to 100")
	return cmd
}

func (a *commands) printHistory(h *ask.History) error {
	var rows [][]string
	for _, q := range h.Queries {
		id, read := "", ""
		if q.ConnectionID != nil {
			id = *q.ConnectionID
		}
		if q.RowCount != nil {
			read = strconv.Itoa(*q.RowCount)
		}
		rows = append(rows, []string{q.LastRunAt, id, strconv.Itoa(q.Runs), strconv.FormatInt(q.MedianMs, 10), read, q.Outcome, q.SQL})
	}
	if len(rows) > 0 {
		if err := a.term.NewTable([]string{"LAST RUN", "CONNECTION", "RUNS", "MS", "ROWS", "OUTCOME", "STATEMENT"}, 2, 3, 4).Rows(rows); err != nil {
			return err
		}
	}
	a.term.Infof("%s of %s: %s", text.Count(len(rows), "statement"), strconv.Itoa(h.Total), terminal.Escape(strings.TrimSpace(h.Own)))
	a.term.Notes(h.Notes)
	return nil
}
