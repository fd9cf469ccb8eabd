package workspace

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/workspace"
)

func (a *commands) remediationSaveCommand() *cobra.Command {
	var in workspace.RemediationSave
	cmd := &cobra.Command{
		Use:   "save MESSAGE",
		Short: "Save an error and what mended it",
		Long: `Saves a remediation. The same error with the same solution confirms the one that is there: numbers, quoted values,
paths, times and ids make no difference. The type of a warehouse's error is its native code.`,
		Example: `  loam workspace remediation save 'relation "ordrs" does not exist' --type 42P01 --solution "The table is orders."
  loam workspace remediation save "TimeoutError: pool is empty" --type TimeoutError --solution "Close cursors." --severity high`,
		Args: command.Exactly(1),
	}
	read := a.saveFlags(cmd, &in.Save)
	flags := cmd.Flags()
	flags.StringVar(&in.ErrorType, "type", "", "the error's class, or its native code (required)")
	flags.StringVar(&in.Solution, "solution", "", "what mended it (required)")
	flags.StringVar(&in.StackTrace, "stack-trace", "", "the stack trace")
	flags.StringVar(&in.Severity, "severity", "", "low, medium, high or critical")
	flags.StringVarP(&in.Connection, "connection", "c", "", "the connection that it is about")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(); err != nil {
			return err
		}
		in.ErrorMessage = args[0]
		return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.RemediationSaved, error) {
			return n.SaveRemediation(ctx, in)
		}, func(s *workspace.RemediationSaved) error {
			a.saved(s.ID, s.Status, s.Redacted, s.Repeated, s.Notes)
			return nil
		})
	}
	return cmd
}

func (a *commands) remediationSearchCommand() *cobra.Command {
	var in workspace.RemediationSearch
	var least float64
	cmd := &cobra.Command{
		Use:   "search MESSAGE",
		Short: "Find what mended errors like one",
		Example: `  loam workspace remediation search "relation does not exist"
  loam workspace remediation search "$ERROR" --stack-trace "$TRACE" --min-score 0.8 --json`,
		Args: command.Exactly(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.StackTrace, "stack-trace", "", "the stack trace")
	flags.IntVarP(&in.Limit, "limit", "n", 0, "most remediations, up to 50 (default 5)")
	flags.Float64Var(&least, "min-score", 0, "only with this score at least, 0 to 1 (default 0.5)")
	flags.StringSliceVar(&in.Tags, "tag", nil, "only remediations with this tag; may be given several times: with all of them")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in.ErrorMessage = args[0]
		if flags.Changed("min-score") {
			in.MinScore = &least
		}
		return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.RemediationMatches, error) {
			return n.SearchRemediations(ctx, in)
		}, func(m *workspace.RemediationMatches) error {
			rows := make([][]string, len(m.Results))
			for i := range m.Results {
				r := &m.Results[i]
				rows[i] = []string{r.ID, strconv.FormatFloat(r.Score, 'f', -1, 64), r.Trust, strconv.Itoa(r.Worked), strconv.Itoa(r.Failed), r.Solution}
			}
			return a.listed([]string{"ID", "SCORE", "TRUST", "WORKED", "FAILED", "SOLUTION"}, rows, "no remediation is of an error like this")
		})
	}
	return cmd
}

func (a *commands) reviewCommand() *cobra.Command {
	var approve, reject bool
	limit := 20
	cmd := &cobra.Command{
		Use:   "review [ID]",
		Short: "List unreviewed remediations, or approve or reject one",
		Long: `Without ID, lists the remediations of all principals that nobody reviewed. With ID, records a decision. An approved one
that worked more often than it failed is named in the hint of its error; a rejected one is not found any more. Deciding
needs a terminal, unless memory.approve_from in loam.yaml allows otherwise.`,
		Example: `  loam workspace remediation review
  loam workspace remediation review 01KE7ZYXW9V8T7S6R5Q4P3N2M1 --approve`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && (approve || reject) || len(args) == 1 && approve == reject {
				return command.Usage(cmd, "give an ID with either --approve or --reject, or nothing")
			}
			if len(args) == 0 {
				return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.Unreviewed, error) { return n.Unreviewed(ctx, limit) }, a.showUnreviewed)
			}
			return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.Reviewed, error) {
				return n.ReviewRemediation(ctx, args[0], approve, a.invocation.Actor())
			}, func(r *workspace.Reviewed) error {
				a.term.Infof("%s is %s", r.ID, r.Decision)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&approve, "approve", false, "it is right, and may be named in hints")
	flags.BoolVar(&reject, "reject", false, "it is wrong, and is not found any more")
	flags.IntVarP(&limit, "limit", "n", limit, "most remediations of the list, up to 100")
	return cmd
}

func (a *commands) showUnreviewed(u *workspace.Unreviewed) error {
	rows := make([][]string, len(u.Remediations))
	for i := range u.Remediations {
		r := &u.Remediations[i]
		rows[i] = []string{r.ID, r.Trust, strconv.Itoa(r.Worked), strconv.Itoa(r.Failed), r.ErrorType + ": " + r.ErrorMessage, r.Solution}
	}
	if err := a.listed([]string{"ID", "TRUST", "WORKED", "FAILED", "ERROR", "SOLUTION"}, rows, "nothing waits for a review"); err != nil {
		return err
	}
	a.term.Infof("%d of %s", len(rows), text.Count(u.Total, "unreviewed remediation"))
	return nil
}
