package project

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk/readonly"
)

func (a *commands) connectorInfoCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "info CONNECTOR",
		Short: "Show one connector and the SQL that it allows",
		Long: `Shows what a connector's manifest says: how it keeps statements from writing, what it can
do, and which words a statement may begin with. Nothing is started. Loam's own guard sets
the limit: a connector narrows it, and what it declares beyond is refused all the same.`,
		Example: "  loam connector info CONNECTOR\n  loam connector info acme/foodb --path ./foodb/connector.json",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				if path != "" {
					absolute, err := filepath.Abs(path)
					if err != nil {
						return err
					}
					path = absolute
				}
				found, err := services.Connectors.Find(args[0], path)
				if err != nil {
					return err
				}
				c := newConnectorDocument(found)
				if a.term.JSON {
					return a.term.Document(c)
				}
				fmt.Fprintf(a.term.Out, "%s %s (%s), %s\n", c.ID, c.Version, terminal.Escape(c.DisplayName), c.Trust)
				for _, fact := range [][2]string{
					{"reads only by", c.ReadOnly},
					{"abilities", strings.Join(c.Abilities, " ")},
					{"allows SQL", readonly.Allowed(found.Description.Dialects).String()},
					{"contract", fmt.Sprintf("1.%d", found.Description.ContractMinor)},
					{"program", c.Path},
				} {
					fmt.Fprintf(a.term.Out, "  %-14s %s\n", fact[0], terminal.Escape(fact[1]))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&path, "path", "", "its program, manifest or folder, where it is not installed")
	return cmd
}
