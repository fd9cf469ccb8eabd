package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// followEvery is how often a history that is followed is looked at: a little
// more than it takes a host to write a call down.
const followEvery = 500 * time.Millisecond

type historyFlags struct {
	filter store.CallFilter
	since  string
	follow bool
}

func (a *commands) historyCommand() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show the calls of MCP tools with their clients and outcomes",
		Long: `Shows the last tool calls that MCP clients made in this project, and their requests for
prompts, resources and skills, oldest first: when, which tool on which connection, how it
ended, how many rows, how long it took, and the client. The id of a call is in every line
that the host and its connectors logged for it; "loam history show" shows all of its
details.

Calls are kept for 30 days, at most 100,000 of them, and without the values in their
arguments. In loam.yaml, history: {keep: 30d, rows: 100000, arguments: shape} changes
that; history: off keeps nothing.

With --follow, --json prints one document per line and call.`,
		Example: `  loam history
  loam history --outcome error --since 1h
  loam history --tool sql_execution -c warehouse --limit 500 --json
  loam history --follow
  loam history --follow --json | jq .tool`,
		Args: command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(cmd, time.Now()); err != nil {
				return err
			}
			return a.withHistory(cmd.Context(), func(current *project.Project, s *store.Store) error {
				return a.history(cmd.Context(), current, s, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.filter.Tool, "tool", "", "only calls of this tool")
	flags.StringVarP(&f.filter.Connection, "connection", "c", "", "only calls on this connection")
	flags.StringVar(&f.filter.Principal, "principal", "", "only calls with this token: its name, token for the server's own, or none")
	flags.StringVar(&f.filter.Outcome, "outcome", "", "only calls with this outcome: ok, error for all others, or one code, such as timeout")
	flags.StringVar(&f.since, "since", "", "only calls since this time: 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z")
	flags.IntVarP(&f.filter.Limit, "limit", "n", 50, "most calls to list, from the last; 0 = all")
	flags.BoolVarP(&f.follow, "follow", "f", false, "also show new calls")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("principal", a.complete(tokenNames)))
	cmd.AddCommand(a.historyShowCommand())
	return cmd
}

// outcomes are the ways in which a call can end.
func outcomes() []string {
	all := []string{store.OutcomeOK, store.AnyFailure}
	for _, row := range terminal.ExitCodes {
		if row.Kind != "" && !slices.Contains(all, string(row.Kind)) {
			all = append(all, string(row.Kind))
		}
	}
	return all
}

// read checks the flags.
func (f *historyFlags) read(cmd *cobra.Command, now time.Time) error {
	switch {
	case f.filter.Limit < 0:
		return command.Usage(cmd, "--limit cannot be negative")
	case f.filter.Outcome != "" && !slices.Contains(outcomes(), f.filter.Outcome):
		e := command.Usage(cmd, "no call ends with %q", f.filter.Outcome).WithHint("choose from: %s", strings.Join(outcomes(), ", "))
		e.Candidates = sqlkit.Nearest(f.filter.Outcome, outcomes())
		return e
	}
	var err error
	f.filter.Since, err = command.Since(cmd, f.since, now)
	return err
}

// withHistory opens the state of the project.
func (a *commands) withHistory(ctx context.Context, f func(*project.Project, *store.Store) error) error {
	return a.open(ctx, func(services *Services) error {
		current, err := services.Project.Current(ctx)
		if err != nil {
			return err
		}
		state, err := services.State.Get(ctx)
		if err != nil {
			return err
		}
		return f(current, state)
	})
}

func (a *commands) history(ctx context.Context, current *project.Project, s *store.Store, f historyFlags) error {
	calls, err := s.Calls(ctx, f.filter)
	if err != nil {
		return err
	}
	since := f.filter.Since
	if since.IsZero() && len(calls) > 0 {
		since = calls[0].Started
	}
	gaps, err := s.CallGaps(ctx, since)
	if err != nil {
		return err
	}
	if a.term.JSON && !f.follow {
		return a.term.Document(newHistoryDocument(current, calls, gaps))
	}
	show := a.callLines
	if !a.term.JSON {
		t := a.term.NewTable([]string{"TIME (UTC)", "TOOL", "CONNECTION", "OUTCOME", "ROWS", "MS", "PRINCIPAL", "CLIENT", "ID"}, 4, 5)
		show = func(calls []store.Call) error { return callRows(t, calls) }
	}
	if len(calls) > 0 || f.follow {
		if err := show(calls); err != nil {
			return err
		}
	}
	a.reportGaps(gaps)
	if err := a.reportNone(ctx, current, s, f, len(calls)); err != nil || !f.follow {
		return err
	}
	return followCalls(ctx, s, f.filter, calls, show)
}

// callLines writes a document per call, each on a line of its own.
func (a *commands) callLines(calls []store.Call) error {
	enc := json.NewEncoder(a.term.Out)
	enc.SetEscapeHTML(false)
	for i := range calls {
		if err := enc.Encode(history.NewDocument(&calls[i])); err != nil {
			return err
		}
	}
	return nil
}

// callRows writes calls and what the table still holds.
func callRows(t *terminal.Table, calls []store.Call) error {
	rows := make([][]string, len(calls))
	for i, c := range calls {
		rows[i] = []string{
			c.Started.Format("2006-01-02 15:04:05"), c.Tool, c.Connection, c.Outcome, rowsText(c), strconv.FormatInt(c.Duration.Milliseconds(), 10),
			c.Principal, strings.TrimSpace(c.Client + " " + c.ClientVersion), c.Request,
		}
	}
	return t.Rows(rows)
}

// rowsText is the number of a call's rows, nothing when it has none to count.
func rowsText(c store.Call) string {
	if c.Rows == store.NoRows {
		return ""
	}
	return strconv.Itoa(c.Rows)
}

// followCalls writes the calls behind those that were shown, until the command is
// ended, which is no error.
func followCalls(ctx context.Context, s *store.Store, filter store.CallFilter, shown []store.Call, show func([]store.Call) error) error {
	filter.Limit = 0
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		if n := len(shown); n > 0 {
			filter.After = shown[n-1].ID
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var err error
		shown, err = s.Calls(ctx, filter)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if err := show(shown); err != nil {
			return err
		}
	}
}

func (a *commands) reportGaps(gaps []store.CallGap) {
	for _, g := range gaps {
		a.term.Infof("%s between %s and %s are missing: %s", text.Count(g.Calls, "call"), text.Clock(g.From), text.Clock(g.Until), g.Reason)
	}
}

// reportNone says why nothing is shown.
func (a *commands) reportNone(ctx context.Context, current *project.Project, s *store.Store, f historyFlags, found int) error {
	if current.History.Off {
		a.term.Infof("nothing is recorded now: %s says history: off", project.FileName)
	}
	if found > 0 || f.follow {
		return nil
	}
	tools, connections, err := s.CallNames(ctx)
	if err != nil {
		return err
	}
	if len(tools) == 0 {
		a.term.Infof("no tool was called yet; loam agents setup lets a client do that")
		return nil
	}
	a.term.Infof("no call fits")
	for _, of := range []struct {
		what, asked string
		known       []string
	}{{"tool", f.filter.Tool, tools}, {"connection", f.filter.Connection, connections}} {
		if of.asked == "" || slices.Contains(of.known, of.asked) {
			continue
		}
		a.term.Infof("no call of the %s %q is recorded; there are: %s", of.what, of.asked, strings.Join(terminal.EscapeAll(slices.DeleteFunc(of.known, isEmpty)), ", "))
	}
	return nil
}

func isEmpty(s string) bool { return s == "" }
