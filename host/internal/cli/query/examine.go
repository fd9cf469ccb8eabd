package query

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
)

// examineFlags are those of a statement that is not run.
type examineFlags struct {
	check, explain bool
	parameters     string
}

func (f *examineFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.check, "check", false, "check the statement, do not run it")
	flags.BoolVar(&f.explain, "explain", false, "print the engine's plan, do not run the statement")
	flags.StringVar(&f.parameters, "parameters", "", "with --check or --explain: a JSON list with a value for each placeholder, in their order")
}

func (f *examineFlags) wanted(cmd *cobra.Command) bool {
	return f.check || f.explain || cmd.Flags().Changed("parameters")
}

// statement returns the statement of the flags.
func (f *sqlFlags) statement(cmd *cobra.Command, text string) (ask.Statement, error) {
	in := ask.Statement{Connection: connection.ID(f.connection), SQL: text}
	switch {
	case f.examine.check && f.examine.explain:
		return in, command.Usage(cmd, "give either --check or --explain")
	case !f.examine.check && !f.examine.explain:
		return in, command.Usage(cmd, "--parameters goes with --check or --explain")
	case cmd.Flags().Changed("format") || cmd.Flags().Changed("max-rows"):
		return in, command.Usage(cmd, "--format and --max-rows are for rows, and --check and --explain print none")
	case !cmd.Flags().Changed("parameters"):
		return in, nil
	}
	if err := json.Unmarshal([]byte(f.examine.parameters), &in.Parameters); err != nil || in.Parameters == nil {
		return in, command.Usage(cmd, "--parameters is no JSON list").WithHint(`write for instance --parameters '["paid", 7, null]'`)
	}
	return in, nil
}

// examine checks or explains a statement.
func (a *commands) examine(cmd *cobra.Command, f sqlFlags, text string) error {
	in, err := f.statement(cmd, text)
	if err != nil {
		return err
	}
	return a.within(cmd.Context(), f.timeout, func(ctx context.Context, services *Services) error {
		if f.examine.explain {
			plan, err := services.Ask.Explain(ctx, in, noLimit)
			if err != nil {
				return err
			}
			return a.term.Answer(plan, func() error { return a.printPlan(plan) })
		}
		checked, err := services.Ask.Validate(ctx, in)
		if err != nil {
			return err
		}
		if err := a.term.Answer(checked, func() error { return a.printValidation(checked) }); err != nil {
			return err
		}
		return checked.Error.Err()
	})
}

func (a *commands) printValidation(v *ask.Validation) error {
	if !v.Valid {
		return nil // the error says why
	}
	word := "statement"
	if v.Statement != nil {
		word = *v.Statement
	}
	a.term.Infof("valid: one %s that only reads, checked by the %s", terminal.Escape(word), v.CheckedBy)
	var rows [][]string
	for _, c := range v.Columns {
		native := ""
		if c.Type != nil {
			native = *c.Type
		}
		rows = append(rows, []string{c.Name, native})
	}
	if err := a.term.Table([]string{"COLUMN", "TYPE"}, rows); err != nil {
		return err
	}
	if len(v.Tables) > 0 {
		a.term.Infof("reads %s", terminal.Escape(strings.Join(v.Tables, ", ")))
	}
	a.printFindings(v.Findings)
	a.term.Notes(v.Notes)
	return nil
}

func (a *commands) printPlan(p *ask.Plan) error {
	if err := a.term.Raw(strings.TrimSuffix(p.Plan, "\n") + "\n"); err != nil {
		return err
	}
	var estimates []string
	if p.EstimatedRows != nil {
		estimates = append(estimates, fmt.Sprintf("%d rows", *p.EstimatedRows))
	}
	if p.EstimatedBytes != nil {
		estimates = append(estimates, fmt.Sprintf("%d bytes", *p.EstimatedBytes))
	}
	if p.EstimatedCostUSD != nil {
		estimates = append(estimates, fmt.Sprintf("%.4f USD", *p.EstimatedCostUSD))
	}
	if len(estimates) > 0 {
		a.term.Infof("the engine estimates %s", strings.Join(estimates, ", "))
	}
	a.printFindings(p.Findings)
	a.term.Notes(p.Notes)
	a.term.Infof("nothing was run")
	return nil
}

func (a *commands) printFindings(all []finding.Finding) {
	for _, f := range all {
		text := strings.Join(sentences(f), " ")
		if f.Position != nil {
			text += fmt.Sprintf(" (line %d, column %d)", f.Position.Line, f.Position.Column)
		}
		a.term.Infof("finding: %s", terminal.Escape(text))
	}
}

func sentences(f finding.Finding) (all []string) {
	for _, text := range []string{f.Message, f.Evidence, f.Suggestion} {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}
