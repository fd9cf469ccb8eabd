package project

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk/readonly"
)

func (a *commands) connectorInfoCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:     "show CONNECTOR",
		Aliases: []string{"info"},
		Short:   "Show one connector: its keys, how to add it, and the SQL that it allows",
		Long: `Shows a connector's manifest: its configuration keys with their types and defaults, how to
add a connection, the SQL that creates a least-privilege account, how it keeps statements
from writing, its abilities, and the words that a statement may begin with. No connector is
started. Loam's own guard has a fixed list of such words: a connector can only narrow it.`,
		Example: "  loam connector show CONNECTOR\n  loam connector show acme/foodb --path ./foodb/connector.json",
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
				c := newConnectorDocument(found, services.Install.Level(found))
				keys, err := connection.Keys(found.Description.ConfigSchema)
				if err != nil {
					return err
				}
				example := addExample(found, keys)
				reader := connection.ReaderSQL(found.Description.ConfigSchema)
				if a.term.JSON {
					return a.term.Document(struct {
						connectorDocument
						Schemes []string         `json:"urlSchemes,omitempty"`
						Keys    []connection.Key `json:"keys"`
						Example []string         `json:"example"`
						// Reader is the SQL that creates an account of least privilege.
						Reader []string `json:"reader,omitempty"`
					}{c, connection.Schemes(found.Description.ConfigSchema), keys, example, reader})
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
				rows := make([][]string, len(keys))
				for i, k := range keys {
					rows[i] = []string{k.Name, k.Type, k.Default, k.Description}
					if k.Required {
						rows[i][2] = "required"
					}
				}
				if err := a.term.Section([]string{"KEY", "TYPE", "DEFAULT", "MEANING"}, rows); err != nil {
					return err
				}
				fmt.Fprintln(a.term.Out)
				for _, line := range example {
					fmt.Fprintln(a.term.Out, terminal.Escape(line))
				}
				if len(reader) > 0 {
					fmt.Fprintf(a.term.Out, "\nA reader of least privilege, as an administrator makes it:\n")
				}
				for _, statement := range reader {
					fmt.Fprintf(a.term.Out, "  %s;\n", terminal.Escape(statement))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&path, "path", "", "its program, manifest or folder, where it is not installed")
	return cmd
}

// addExample returns the commands that add a connection of a connector: by URL or file, and by keys.
func addExample(c connector.Installed, keys []connection.Key) []string {
	var lines []string
	schema := c.Description.ConfigSchema
	if endings, key := connection.Extensions(schema); key != "" && len(endings) > 0 {
		lines = append(lines, "loam connection add ID data/NAME"+endings[0])
	} else if example := connection.ExampleURL(schema); example != "" {
		lines = append(lines, "loam connection add ID "+example)
	}
	words := "loam connection add ID " + c.Name
	for _, k := range keys {
		switch {
		case k.Secret && k.URL == "password":
			words += " " + k.Name + "=env:NAME"
		case k.Required || k.URL == "host" || k.URL == "file":
			words += " " + k.Name + "=…"
		}
	}
	return append(lines, words)
}
