package mcp

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/usage"
)

func (a *commands) statsCommand() *cobra.Command {
	var r usage.Request
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count the calls of MCP tools: outcomes, times, and the size of the answers",
		Long: `Counts the recorded calls of MCP clients by tool: how many there were and how many failed,
how long half of them and 95 % took at most, the bytes of their answers, and an estimate of
the tokens, by the bytes. With --json also the outcomes by code, the periods, and how often
saved queries and skills were used again.

It reads the history of calls, which loam history lists, and knows nothing beyond it.`,
		Example: `  loam stats
  loam stats --since 7d --period daily
  loam stats --since 2026-05-01 --until 2026-05-31 --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				report, err := services.Usage.Report(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(report, func() error { return a.printStats(report) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Start, "since", "", "count from this time: 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z (default: the first recorded call)")
	flags.StringVar(&r.End, "until", "", "count up to this time; a day is counted as a whole (default: now)")
	flags.StringVar(&r.Period, "period", "", "also list periods: daily, weekly, monthly or all (default all: no list)")
	return cmd
}

func (a *commands) printStats(r *usage.Report) error {
	if r.Total.Calls > 0 {
		t := a.term.NewTable([]string{"TOOL", "CALLS", "FAILED", "P50 MS", "P95 MS", "BYTES", "TOKENS"}, 1, 2, 3, 4, 5, 6)
		rows := [][]string{}
		for _, one := range r.Tools {
			c := countCells(one.Counts)
			rows = append(rows, []string{one.Tool, c[0], c[1], millis(one.P50Ms), millis(one.P95Ms), c[2], c[3]})
		}
		if err := t.Rows(rows); err != nil {
			return err
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if r.Period != usage.All {
		if err := a.printPeriods(r.Periods); err != nil {
			return err
		}
	}
	a.term.Infof("%s from %s to %s, %s, about %s", text.Count(r.Total.Calls, "call"), r.Start, r.End,
		text.Count(int(r.Total.Bytes), "byte"), text.Count(int(r.Total.EstimatedTokens), "token"))
	if r.Missing > 0 {
		a.term.Infof("%s of this time are not recorded; loam history says why", text.Count(r.Missing, "call"))
	}
	for _, of := range []struct {
		noun  string
		reuse *usage.Reuse
	}{{"saved query", r.SavedQueries}, {"skill", r.Skills}} {
		if u := of.reuse; u != nil && u.Runs > 0 {
			a.term.Infof("%s of %d different ones, %d of them repeated", text.Count(u.Runs, "run of a "+of.noun), u.Distinct, u.Repeated)
		}
	}
	if t := r.TokenReduction; t != nil {
		a.term.Infof("%s shortened %d tokens to %d, as agents reported", text.Count(t.Checkpoints, "checkpoint"), t.Before, t.After)
	}
	a.term.Notes(r.Notes)
	return nil
}

func (a *commands) printPeriods(all []usage.Period) error {
	t := a.term.NewTable([]string{"FROM", "TO", "CALLS", "FAILED", "BYTES", "TOKENS"}, 2, 3, 4, 5)
	rows := [][]string{}
	for _, p := range all {
		rows = append(rows, append([]string{p.Start, p.End}, countCells(p.Counts)...))
	}
	if err := t.Rows(rows); err != nil {
		return err
	}
	return t.Flush()
}

// countCells are calls, failures, bytes and tokens.
func countCells(c usage.Counts) []string {
	return []string{strconv.Itoa(c.Calls), strconv.Itoa(c.Failed), strconv.FormatInt(c.Bytes, 10), strconv.FormatInt(c.EstimatedTokens, 10)}
}

func millis(ms float64) string { return strconv.FormatFloat(ms, 'f', 1, 64) }
