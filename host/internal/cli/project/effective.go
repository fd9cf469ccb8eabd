package project

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/project/setting"
)

func (a *commands) configCommand() *cobra.Command {
	return command.Group("config", "Show the settings of the project", &cobra.Command{
		Use:   "show",
		Short: "Show the effective settings, and where each comes from",
		Long: `Shows the settings that are in force: of a flag, of the environment, of loam.yaml with its
line, or the default. What a connector needs to connect is not shown here, because some of it
is secret: loam connection show has it, with references in place of secrets.`,
		Example: "  loam config show\n  loam config show --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				current, err := services.Project.Current(cmd.Context())
				if err != nil {
					return err
				}
				settings, err := setting.Of(current, a.invocation.Dir, os.Getenv)
				if err != nil {
					return err
				}
				return a.term.Answer(map[string]any{"project": current.File, "settings": settings}, func() error { return a.printSettings(settings) })
			})
		},
	})
}

func (a *commands) printSettings(settings []setting.Setting) error {
	rows := make([][]string, len(settings))
	for i, s := range settings {
		text, err := s.Text()
		if err != nil {
			return err
		}
		rows[i] = []string{s.Key, text, s.Origin()}
	}
	return a.term.Table([]string{"SETTING", "VALUE", "FROM"}, rows)
}
