package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) semanticValidateCommand() *cobra.Command {
	var id string
	var data, showSQL, all bool
	cmd := &cobra.Command{
		Use:   "validate [-c CONNECTION] [SOURCE]...",
		Short: "Look for what is wrong with the semantic layer",
		Long: `Validates the files of semantic-layer. It lists each problem with its file, line and column,
and join paths that are missing or ambiguous. Without -c the layers of all connections are
validated, with SOURCE only these sources. A connector is only started to ask the warehouse
for unknown columns of queries (sql); without a scan, only the definitions in files are
known.

--data checks the declarations against the warehouse: that keys are unique, that to-one
joins lead to one row, how many rows have no match, that the engine accepts computed
members. A false declaration gives wrong numbers that look right. Passed checks are counted,
and listed with --all; errors come last.

Exits with 2 when there is an error; warnings alone are no failure.`,
		Example: `  loam sl validate
  loam sl validate -c shop --data
  loam sl validate --data --json orders customers`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if showSQL && !data {
				return command.Usage(cmd, "--sql goes with --data")
			}
			if all && !data {
				return command.Usage(cmd, "--all goes with --data")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				line := a.term.NewProgress()
				report, err := services.Semantic.Validate(cmd.Context(), validation.Request{
					Connection: connection.ID(id), Sources: args, Data: data, Progress: line.Update,
				})
				line.Clear()
				if err != nil {
					return err
				}
				if a.term.JSON {
					err = a.term.Document(report)
				} else {
					err = a.printReport(report, reportForm{data, showSQL, all})
				}
				if err != nil {
					return err
				}
				return unsound(report)
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "only this connection (default: all)")
	cmd.Flags().BoolVar(&data, "data", false, "check the declarations against the warehouse")
	cmd.Flags().BoolVar(&showSQL, "sql", false, "with --data: the statement of each check that failed")
	cmd.Flags().BoolVar(&all, "all", false, "with --data: list passed checks too")
	return cmd
}

// unsound is the error of a layer that has any.
func unsound(r *validation.Report) error {
	if r.Errors == 0 {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the semantic layer has %s", text.Count(r.Errors, "error")).
		WithHint("mend what is listed, and run loam sl validate again; docs/semantic.md says what files may say")
}

// reportForm is how much of a report is printed.
type reportForm struct{ data, sql, all bool }

func (a *commands) printReport(r *validation.Report, form reportForm) error {
	for _, c := range r.Connections {
		if err := a.printConnectionReport(c, form); err != nil {
			return err
		}
	}
	for _, name := range r.Strangers {
		a.term.Warn(sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "semantic-layer/%s belongs to no connection: nothing reads its files", name).
			WithHint("name the folder after a connection (loam connection list), or remove it"))
	}
	if len(r.Connections) == 0 {
		a.term.Infof("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
	}
	return nil
}

func (a *commands) printConnectionReport(c validation.ConnectionReport, form reportForm) error {
	bold := a.term.Style(a.term.Out, "1")
	about := fmt.Sprintf("%s: %s, %s (%d of them in files), %s, %s", c.Connection,
		text.Count(c.Files, "file"), text.Count(c.Sources, "source"), c.Defined, text.Count(c.Measures, "measure"), text.Count(c.Dimensions, "dimension"))
	if _, err := fmt.Fprintln(a.term.Out, bold(terminal.Escape(about))); err != nil {
		return err
	}
	if c.Error != "" {
		if _, err := fmt.Fprintf(a.term.Out, "%s: %s: %s\n", c.Connection, a.severity(binding.SeverityError), terminal.Escape(c.Error)); err != nil {
			return err
		}
	}
	problems := slices.SortedStableFunc(slices.Values(c.Problems), func(x, y binding.Problem) int { return errorsLast(x.Severity, y.Severity) })
	for _, p := range problems {
		if err := a.printProblem(p); err != nil {
			return err
		}
	}
	if len(c.Checks) > 0 {
		if err := a.printChecks(c.Checks, form); err != nil {
			return err
		}
	}
	a.term.Notes(c.Notes)
	if c.Error == "" && len(c.Problems) == 0 && !form.data {
		a.term.Infof("no problems found; what is declared may still be wrong of the data: loam sl validate -c %s --data", c.Connection)
	}
	return nil
}

// errorsLast orders by severity: the last lines are what a terminal still shows.
func errorsLast(x, y binding.Severity) int {
	rank := func(s binding.Severity) int {
		return slices.Index([]binding.Severity{"", binding.SeverityWarning, binding.SeverityError}, s)
	}
	return cmp.Compare(rank(x), rank(y))
}

// printChecks prints what was asked of the data and what came of it: of all checks how
// many, of those that somebody should look at a table and what to know of each.
func (a *commands) printChecks(checks []validation.Check, form reportForm) error {
	checks = slices.SortedStableFunc(slices.Values(checks), func(x, y validation.Check) int { return errorsLast(x.Severity, y.Severity) })
	var rows [][]string
	for _, c := range checks {
		if form.all || c.Severity != "" {
			rows = append(rows, slices.Concat([]string{c.Source, terminal.Cut(subjectOf(c), terminal.MaxCellWidth), string(c.Kind), statusOf(c)}, countsOf(c)))
		}
	}
	if len(rows) > 0 {
		if err := a.term.NewTable([]string{"SOURCE", "OF", "CHECK", "RESULT", "ROWS", "VIOLATIONS", "NULLS", "ORPHANS"}, 4, 5, 6, 7).Rows(rows); err != nil {
			return err
		}
	}
	for _, c := range checks {
		if c.Severity == "" {
			continue
		}
		if err := a.printCheck(c, form.sql); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.term.Out, checkCounts(checks))
	return err
}

// checkCounts is how the checks came out, in one line.
func checkCounts(checks []validation.Check) string {
	counts := map[string]int{}
	var order []string
	for _, c := range checks {
		status := statusOf(c)
		if counts[status]++; counts[status] == 1 {
			order = append(order, status)
		}
	}
	for i, status := range order {
		order[i] = fmt.Sprintf("%d %s", counts[status], status)
	}
	return text.Count(len(checks), "check") + ": " + strings.Join(order, ", ")
}

// countsOf are the rows of a check, its violations, NULLs and orphans, as far as it
// counts them.
func countsOf(c validation.Check) []string {
	counts := make([]string, 4)
	if c.Status != validation.CheckOK && c.Status != validation.CheckViolated || c.Kind == validation.CheckExpression {
		return counts
	}
	for i, n := range []int64{c.Rows, c.Violations, c.Nulls, c.Orphans} {
		counts[i] = strconv.FormatInt(n, 10)
	}
	if c.Kind == validation.CheckValues {
		return []string{"", counts[1], "", ""}
	}
	return counts
}

// statusOf is how a check came out, in a word that says whether to look.
func statusOf(c validation.Check) string {
	if c.Status == validation.CheckOK && c.Severity != "" {
		return string(c.Severity)
	}
	return string(c.Status)
}

// subjectOf is what of a source a check is about.
func subjectOf(c validation.Check) string {
	if c.Join == "" {
		return strings.Join(c.Columns, ", ")
	}
	if c.To != "" && c.To != c.Join {
		return "→ " + c.Join + " (" + c.To + ")"
	}
	return "→ " + c.Join
}

func (a *commands) printCheck(c validation.Check, showSQL bool) error {
	place := c.Source + " " + subjectOf(c)
	if c.File != "" {
		place = fmt.Sprintf("%s:%d", c.File, c.Line)
	}
	if _, err := fmt.Fprintf(a.term.Out, "%s: %s: %s\n", terminal.Escape(place), a.severity(c.Severity), terminal.Escape(c.Message)); err != nil {
		return err
	}
	if len(c.Examples) > 0 {
		if _, err := fmt.Fprintf(a.term.Out, "    for example: %s\n", strings.Join(terminal.EscapeAll(c.Examples), ", ")); err != nil {
			return err
		}
	}
	if !showSQL || c.SQL == "" {
		return nil
	}
	_, err := fmt.Fprintf(a.term.Out, "    %s\n", strings.ReplaceAll(terminal.EscapeText(c.SQL), "\n", "\n    "))
	return err
}
