package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/project"
)

func (a *commands) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a folder a Loam project",
		Long: `Writes loam.yaml, and .gitignore lines for the state folder .loam. An existing loam.yaml is
left alone. Shows the commands that add the connections it finds: the URL in DATABASE_URL or
in .env, the targets of dbt's profiles (profiles.yml in DBT_PROFILES_DIR, in the folder or
in ~/.dbt), and database files in the folder and its subfolders. It opens no database and
copies no password.`,
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
			proposals := a.proposals(cmd.Context(), dir)
			if a.term.JSON {
				return a.term.Document(map[string]any{"project": dir, "created": created, "proposals": proposals})
			}
			if len(created) == 0 {
				a.term.Infof("%s is a Loam project already; nothing was changed", dir)
				return nil
			}
			a.term.Infof("%s is a Loam project now: %s", dir, strings.Join(created, ", "))
			for _, p := range proposals {
				if p.PassedOver != "" {
					a.term.Infof("passed over %s: %s", terminal.Escape(p.Found), terminal.Escape(p.PassedOver))
					continue
				}
				a.term.Infof("found %s: %s", terminal.Escape(p.Found), terminal.Escape(p.Command))
			}
			a.term.Infof("next: loam connection add   (it asks in a terminal; --help names the arguments)")
			return nil
		},
	}
}

// proposals returns the connections that a folder suggests; none if the project cannot be opened.
func (a *commands) proposals(ctx context.Context, dir string) (found []proposal) {
	a.invocation.Dir = dir
	err := a.open(ctx, func(services *Services) error {
		found = propose(dir, homeFolder(), services.Connectors.List(), os.Getenv)
		return nil
	})
	if err != nil {
		return []proposal{}
	}
	return found
}
