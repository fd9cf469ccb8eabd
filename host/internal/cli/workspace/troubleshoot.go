package workspace

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/workspace"
)

func (a *commands) troubleshootCommand() *cobra.Command {
	var in workspace.Trouble
	var pairs []string
	var outcome workspace.Outcome
	cmd := &cobra.Command{
		Use:   "troubleshoot MESSAGE",
		Short: "Diagnose an error by what mended errors like it",
		Long: `Compares an error with the remediations that were saved, and lists what they say to do. Solutions are what others wrote:
read them before you run anything. With --outcome it also counts whether a remediation worked.`,
		Example: `  loam workspace troubleshoot "canceling statement due to statement timeout"
  loam workspace troubleshoot "$ERROR" --outcome 01KE7ZYXW9V8T7S6R5Q4P3N2M1 --worked`,
		Args: command.Exactly(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.StackTrace, "stack-trace", "", "the stack trace")
	flags.StringArrayVar(&pairs, "context", nil, "a fact as KEY=VALUE, such as code=timeout; may be given several times")
	flags.StringVar(&in.Category, "category", "", "permission, timeout, limit, connection, syntax, missing, conflict, unsupported or other")
	flags.StringVar(&in.Mode, "mode", "", "auto, interactive or guided: the latter list questions (default auto)")
	flags.StringSliceVar(&in.Tags, "tag", nil, "only remediations with this tag; may be given several times: with all of them")
	flags.IntVarP(&in.TopK, "limit", "n", 0, "most remediations, up to 50 (default 5)")
	flags.StringVarP(&in.Connection, "connection", "c", "", "only remediations of this connection and of none")
	flags.StringVar(&outcome.ID, "outcome", "", "the id of a remediation that was tried")
	flags.BoolVar(&outcome.Worked, "worked", false, "with --outcome: it worked; without this it failed")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if outcome.Worked && outcome.ID == "" {
			return command.Usage(cmd, "--worked goes with --outcome")
		}
		if in.Context, err = command.KeyValues(cmd, pairs); err != nil {
			return err
		}
		if in.ErrorMessage = args[0]; outcome.ID != "" {
			in.OutcomeOf = &outcome
		}
		return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.Diagnosis, error) { return n.Troubleshoot(ctx, in) }, a.showDiagnosis)
	}
	return cmd
}

func (a *commands) showDiagnosis(d *workspace.Diagnosis) error {
	fmt.Fprintf(a.term.Out, "category    %s\nconfidence  %s (%s)\n", d.Category, d.Confidence, strconv.FormatFloat(d.ConfidenceScore, 'f', -1, 64))
	if d.RootCause != nil {
		fmt.Fprintf(a.term.Out, "cause       %s\n", terminal.Escape(*d.RootCause))
	}
	rows := make([][]string, len(d.RecommendedActions))
	for i := range d.RecommendedActions {
		r := &d.RecommendedActions[i]
		warning := ""
		if r.Destructive {
			warning = "destructive"
		}
		rows[i] = []string{r.RemediationID, r.Trust, warning, r.Step}
	}
	if err := a.term.Section([]string{"ID", "TRUST", "WARNING", "WHAT MENDED IT"}, rows); err != nil {
		return err
	}
	for _, step := range d.DiagnosticSteps {
		fmt.Fprintf(a.term.Out, "- %s\n", step)
	}
	a.term.Notes(d.Notes)
	return nil
}

func (a *commands) patternListCommand() *cobra.Command {
	var in workspace.PatternList
	var least float64
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List errors that came three times or more, with the solution that worked best",
		Example: `  loam workspace pattern list
  loam workspace pattern list --category timeout --min-success 0.5 --json`,
		Args: command.Exactly(0),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Category, "category", "", "only errors of this category")
	flags.StringVar(&in.Severity, "severity", "", "only errors of this severity: low, medium, high or critical")
	flags.Float64Var(&least, "min-success", 0, "only errors whose remediations worked in this share of cases, 0 to 1")
	flags.IntVarP(&in.Limit, "limit", "n", 0, "most patterns, up to 100 (default 10)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.Changed("min-success") {
			in.MinSuccessRate = &least
		}
		return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.Patterns, error) { return n.ListPatterns(ctx, in) }, func(p *workspace.Patterns) error {
			rows := make([][]string, len(p.Patterns))
			for i := range p.Patterns {
				r := &p.Patterns[i]
				rows[i] = []string{strconv.Itoa(r.UsageCount), r.Category, r.Trust, r.ErrorPattern, r.Solution}
			}
			if err := a.listed([]string{"USES", "CATEGORY", "TRUST", "ERROR", "SOLUTION"}, rows, "no error came three times"); err != nil {
				return err
			}
			a.term.Infof("%d of %s", len(rows), text.Count(p.Total, "pattern"))
			return nil
		})
	}
	return cmd
}
