package project

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
)

func (a *commands) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the project and propose remedies",
		Long: `Checks the project file, the state, every connector a connection needs (present,
checksum right), every connection (configuration, secrets, reaching the warehouse,
read-only) and its catalog (whole, of this warehouse, not old), the decisions on
relationships, the files of the semantic layer, the wiki's pages, the search index, the
MCP server and whether the clients that were set up find it.
Exits with the code of the first problem, 0 when there is none but warnings.`,
		Example: "  loam doctor",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				f := a.term.NewFindings()
				if err := services.Health.Check(cmd.Context(), f.Add, f.Progress); err != nil {
					return err
				}
				return f.End()
			})
		},
	}
}
