package project

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/project"
)

func (a *commands) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "init [DIR]",
		Short:   "Make a folder a Loam project",
		Long:    "Writes loam.yaml, and .gitignore lines for the state folder .loam. An existing loam.yaml is left alone.",
		Example: "  mkdir analytics && cd analytics && loam init",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.invocation.Dir
			if len(args) == 1 {
				dir = args[0]
			}
			if dir == "" {
				dir = "."
			}
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			created, err := project.Init(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if a.term.JSON {
				return a.term.Document(map[string]any{"project": dir, "created": created})
			}
			if len(created) == 0 {
				a.term.Infof("%s is a Loam project already; nothing was changed", dir)
				return nil
			}
			a.term.Infof("%s is a Loam project now: %s", dir, strings.Join(created, ", "))
			a.term.Infof("next: loam connection add ID CONNECTOR key=value…   (loam connector list shows the connectors)")
			return nil
		},
	}
}
