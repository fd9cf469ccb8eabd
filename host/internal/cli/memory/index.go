package memory

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) indexCommand() *cobra.Command {
	var r collect.IndexRequest
	cmd := &cobra.Command{
		Use:   "index [PATH]",
		Short: "Make the texts of a folder found as they are now",
		Long: `Keeps the texts of a folder, the current one by default, in chunks that
loam search --kind file finds. Only what is new or changed is written, and what is gone
is removed: run it as often as you like. The folder gets a name of its own, under which its
files are found.

--include and --exclude choose files by patterns of their paths below the folder, with *,
** for any number of folders, and {a,b}; a pattern without a slash matches in every folder.
What .gitignore and .ignore leave out is left out, and no link is followed. Secrets are
removed before anything is stored. Files that cannot be read are listed, and the exit code
is 1 then.`,
		Example: `  loam index
  loam index ~/work/warehouse --include '**/*.{sql,md}' --exclude target
  loam index models --max-file-size 5000000 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Path = append(args, ".")[0]
			r.By = a.invocation.Actor()
			return a.open(cmd.Context(), func(services *Services) error { return a.index(cmd.Context(), services, r) })
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&r.Include, "include", nil, "pattern of files to index; may be repeated (default: all files)")
	flags.StringArrayVar(&r.Exclude, "exclude", nil, "pattern of files and folders to leave out; may be repeated")
	flags.IntVar(&r.MaxFileSize, "max-file-size", 0, "the largest file, in bytes, up to 10485760 (default 1048576)")
	return cmd
}

func (a *commands) index(ctx context.Context, services *Services, r collect.IndexRequest) error {
	report, clear := a.filesProgress()
	answer, err := services.Files.Index(ctx, r, report)
	clear()
	if err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		a.invocation.Code = exitFound
	}
	return a.term.Answer(answer, func() error {
		if err := a.printFaults(answer.Errors); err != nil {
			return err
		}
		a.term.Infof("%s of %s: %s new or changed, %d unchanged, %d removed", answer.Repo, answer.Path, text.Count(answer.FilesIndexed, "file"), answer.FilesUnchanged, answer.FilesDeleted)
		a.printLeft(answer.Skipped, answer.Redacted, answer.Learned)
		a.term.Notes(answer.Notes)
		return nil
	})
}
