package workspace

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/workspace"
)

func (a *commands) checkpointSaveCommand() *cobra.Command {
	var in workspace.CheckpointSave
	var before, after int64
	cmd := &cobra.Command{
		Use:   "save SUMMARY",
		Short: "Save where a work stands",
		Long: `Saves a checkpoint: a line that says where a work stands, and what a later session should know. Secrets are taken
out before it is stored; a text with more than 20 is refused.`,
		Example: `  loam workspace checkpoint save "Revenue by month agrees with finance" --tag revenue
  loam workspace checkpoint save "Scan of crm is done" --description "Left: the keys of contacts." --context branch=main`,
		Args: command.Exactly(1),
	}
	read := a.saveFlags(cmd, &in.Save)
	flags := cmd.Flags()
	flags.StringVar(&in.Description, "description", "", "what was done, found, and is open")
	flags.Int64Var(&before, "tokens-before", 0, "tokens of the agent's context before it was shortened to this")
	flags.Int64Var(&after, "tokens-after", 0, "tokens of the agent's context afterwards")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(); err != nil {
			return err
		}
		in.Summary = args[0]
		if flags.Changed("tokens-before") {
			in.TokensBefore = &before
		}
		if flags.Changed("tokens-after") {
			in.TokensAfter = &after
		}
		return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.CheckpointSaved, error) {
			return n.SaveCheckpoint(ctx, in)
		}, func(s *workspace.CheckpointSaved) error {
			a.saved(s.ID, "saved", s.Redacted, s.Repeated, s.Notes)
			return nil
		})
	}
	return cmd
}

// saved says what became of a save.
func (a *commands) saved(id, status string, redacted int, repeated bool, remarks []string) {
	if repeated {
		status = "was saved by the same call before"
	}
	a.term.Infof("%s %s", id, status)
	if redacted > 0 {
		a.term.Infof("%s taken out", text.Count(redacted, "secret"))
	}
	a.term.Notes(remarks)
}

func (a *commands) checkpointSearchCommand() *cobra.Command {
	var in workspace.CheckpointSearch
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find checkpoints by words",
		Example: `  loam workspace checkpoint search "revenue finance"
  loam workspace checkpoint search keys --tag crm --limit 20 --json`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Query = args[0]
			return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.CheckpointMatches, error) {
				return n.SearchCheckpoints(ctx, in)
			}, func(m *workspace.CheckpointMatches) error {
				rows := make([][]string, len(m.Results))
				for i := range m.Results {
					r := &m.Results[i]
					rows[i] = []string{r.ID, r.CreatedAt, strconv.FormatFloat(r.Score, 'f', -1, 64), r.Summary}
				}
				return a.listed([]string{"ID", "SAVED", "SCORE", "SUMMARY"}, rows, "no checkpoint has these words")
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&in.TopK, "limit", "n", 0, "most checkpoints, up to 100 (default 5)")
	flags.StringVar(&in.ProjectPath, "project-path", "", "only checkpoints about this folder")
	flags.StringSliceVar(&in.Tags, "tag", nil, "only checkpoints with this tag; may be given several times: with all of them")
	return cmd
}

// listed prints a table, or a message when it has no rows.
func (a *commands) listed(headers []string, rows [][]string, none string) error {
	if len(rows) == 0 {
		a.term.Infof("%s", none)
		return nil
	}
	return a.term.Table(headers, rows)
}

func (a *commands) checkpointListCommand() *cobra.Command {
	var in workspace.CheckpointList
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List checkpoints, the newest first",
		Example: `  loam workspace checkpoint list
  loam workspace checkpoint list --sort updatedAt --limit 50 --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return answered(a, cmd, func(ctx context.Context, n notes) (*workspace.CheckpointPage, error) {
				return n.ListCheckpoints(ctx, in)
			}, func(p *workspace.CheckpointPage) error {
				rows := make([][]string, len(p.Checkpoints))
				for i := range p.Checkpoints {
					c := &p.Checkpoints[i]
					rows[i] = []string{c.ID, c.CreatedAt, c.Trust, c.Summary}
				}
				if err := a.listed([]string{"ID", "SAVED", "TRUST", "SUMMARY"}, rows, `there are no checkpoints: loam workspace checkpoint save "…"`); err != nil {
					return err
				}
				a.term.Infof("%d of %s", len(rows), text.Count(p.Total, "checkpoint"))
				if p.NextCursor != nil {
					a.term.Infof("more: --cursor %s", *p.NextCursor)
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&in.Limit, "limit", "n", 0, "most checkpoints, up to 100 (default 10)")
	flags.IntVar(&in.Offset, "offset", 0, "leave out that many, up to 10000")
	flags.StringVar(&in.Cursor, "cursor", "", "go on behind a page")
	flags.StringVar(&in.ProjectPath, "project-path", "", "only checkpoints about this folder")
	flags.StringVar(&in.SortBy, "sort", "", "createdAt or updatedAt (default createdAt)")
	return cmd
}
