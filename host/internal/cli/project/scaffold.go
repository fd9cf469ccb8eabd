package project

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/scaffold"
	"github.com/loam-data/loam/sdk"
)

var released = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v\d+\.\d+\.\d+$`) })

func (a *commands) connectorNewCommand() *cobra.Command {
	var language, dir, like string
	cmd := &cobra.Command{
		Use:   "new NAMESPACE/NAME",
		Short: "Write the project of a new connector",
		Long: `Writes a project that is a whole connector: it reads a database file, builds, and passes
"make check" as it is. Replace the driver, the catalog queries, the types and the dialect by
those of your engine, with make check after each step. Nothing is built or started.

With --like the project has the dialect of an installed connector, for an engine that is
related to it. make check is then red until main.go opens that engine.`,
		Example: "  loam connector new acme/foodb\n  loam connector new acme/foodb --dir foodb\n  loam connector new acme/foodb --like CONNECTOR",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(scaffold.Languages(), language) {
				return command.Usage(cmd, "there is no template in %q, only in %s", language, strings.Join(scaffold.Languages(), ", "))
			}
			project := scaffold.Project{ID: args[0], Language: language, Version: "v0.0.0"}
			if released().MatchString(a.invocation.Version) {
				project.Version = a.invocation.Version
			}
			if err := a.beginLike(cmd, &project, like); err != nil {
				return err
			}
			if dir == "" {
				dir = project.Folder()
			}
			files, err := project.Write(dir)
			if err != nil {
				return err
			}
			absolute, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			return a.term.Done(map[string]any{"id": project.ID, "language": language, "dir": absolute, "files": files},
				"created %s in %s (%s, %d files)\n  cd %s && make check     builds it and runs every check\n  next: README.md says what to replace, in which order",
				project.ID, dir, language, len(files), dir)
		},
	}
	cmd.Flags().StringVar(&language, "lang", "go", "the language: "+strings.Join(scaffold.Languages(), ", "))
	cmd.Flags().StringVar(&like, "like", "", "begin from the dialect of this installed connector (Go only)")
	cmd.Flags().StringVar(&dir, "dir", "", "the folder to make (default: loam-connector-NAME)")
	return cmd
}

// beginLike gives a project the dialect of an installed connector.
func (a *commands) beginLike(cmd *cobra.Command, project *scaffold.Project, like string) error {
	switch {
	case like == "":
		return nil
	case project.Language != "go":
		return command.Usage(cmd, "--like is for a project in go")
	}
	return a.open(cmd.Context(), func(services *Services) error {
		found, err := services.Connectors.Find(like, "")
		if err != nil {
			return err
		}
		if len(found.Description.Dialects) == 0 {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "%s has no dialect", found.Name).WithHint("name another connector: loam connector list")
		}
		project.Like = &found.Description.Dialects[0]
		return nil
	})
}
