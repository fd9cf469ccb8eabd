package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) ingestFilesCommand() *cobra.Command {
	var r collect.Request
	cmd := dryRunFlag(&cobra.Command{
		Use:   "files DIR... --repo NAME [-c CONNECTION]",
		Short: "Make the texts of folders found, and read them for what they teach",
		Long: `Keeps the texts of folders in chunks that loam search --kind file finds, and discover_data
when the kind file is asked for. Only what is new or changed is written: run it every night.
Files are UTF-8 of at most 1 MiB; what .gitignore and .ignore leave out is left out, and no
link is followed. Secrets are removed before anything is stored.

With --learn, or where memory.learn_from in loam.yaml names NAME, each new or changed
Markdown, SQL or YAML file is also read for facts. The resulting changes of pages and of the
semantic layer wait for a person, in loam review --actor NAME/PATH. A run makes at most 200
changes and takes at most a minute; the next run continues.

Paths are relative to the folder; with several folders they begin with the folder's name.
Files that cannot be read are listed, and the exit code is 1 then.`,
		Example: `  loam ingest files docs --repo handbook --prune
  loam ingest files docs --repo handbook -c shop --prune --learn --json
  loam ingest files models queries --repo warehouse --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return command.Usage(cmd, "which folder?")
			case r.Repo == "":
				return command.Usage(cmd, "--repo is missing: the name under which the files are found, such as handbook")
			}
			r.Folders, r.By = args, a.invocation.Actor()
			return a.open(cmd.Context(), func(services *Services) error { return a.ingestFiles(cmd.Context(), services, r) })
		},
	}, &r.DryRun)
	flags := cmd.Flags()
	flags.StringVar(&r.Repo, "repo", "", "the name under which the files are found")
	flags.StringVarP(&r.Connection, "connection", "c", "", "connection of the files (default: as in the last run, else none)")
	flags.BoolVar(&r.Learn, "learn", false, "learn from Markdown, SQL and YAML files; changes wait for a person")
	flags.BoolVar(&r.Prune, "prune", false, "delete the stored files of --repo that are in none of the folders")
	return cmd
}

func (a *commands) ingestFiles(ctx context.Context, services *Services, r collect.Request) error {
	report, clear := a.filesProgress()
	answer, err := services.Files.Sync(ctx, r, report)
	clear()
	if err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		a.invocation.Code = exitFound
	}
	return a.term.Answer(answer, func() error { return a.printFiles(r, answer) })
}

// filesProgress returns a function that shows the progress of a sync, and one that removes it again.
func (a *commands) filesProgress() (report func(sdk.Progress), clear func()) {
	line := a.term.NewProgress()
	return func(p sdk.Progress) {
		line.Update(float64(p.Done)/float64(max(p.Total, 1)), fmt.Sprintf("%s: %d of %s", p.Phase, p.Done, text.Count(p.Total, strings.TrimSuffix(p.Unit, "s"))))
	}, line.Clear
}

func (a *commands) printFaults(faults []collect.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	rows := make([][]string, len(faults))
	for i, e := range faults {
		rows[i] = []string{"", e.Message, e.Code}
		if e.Path != nil {
			rows[i][0] = *e.Path
		}
	}
	return a.term.Table([]string{"FILE", "ERROR", "CODE"}, rows)
}

func (a *commands) printFiles(r collect.Request, answer *collect.Answer) error {
	if err := a.printFaults(answer.Errors); err != nil {
		return err
	}
	would := ""
	if r.DryRun {
		would = "dry run, nothing is written: "
	}
	a.term.Infof("%s%s new or changed, %d unchanged, %d deleted", would, text.Count(answer.Ingested, "file"), answer.Unchanged, answer.Deleted)
	a.printLeft(answer.Skipped, answer.Redacted, answer.Learned)
	if l := answer.Learned; l != nil && l.Pending > 0 && !r.DryRun {
		a.term.Infof("next: loam review")
	}
	a.term.Notes(answer.Notes)
	if len(answer.Errors) > 0 {
		a.term.Infof("the manifest and the revision of %s stay; mend the files and run the command again", r.Repo)
	}
	return nil
}

// printLeft shows what a sync skipped, redacted and learned.
func (a *commands) printLeft(skipped map[string]int, redacted int, l *collect.Learned) {
	if len(skipped) > 0 {
		var parts []string
		for _, reason := range slices.Sorted(maps.Keys(skipped)) {
			parts = append(parts, fmt.Sprintf("%d %s", skipped[reason], strings.ReplaceAll(reason, "_", " ")))
		}
		a.term.Infof("skipped: %s", strings.Join(parts, ", "))
	}
	if redacted > 0 {
		a.term.Infof("taken out before the texts were kept: %s", text.Count(redacted, "secret"))
	}
	if l == nil {
		return
	}
	a.term.Infof("learned: %s for a person, %d of them against what is known", waiting(l.Pending), l.Conflicts)
	if l.Later > 0 {
		a.term.Infof("%s for the next run", waitingFiles(l.Later))
	}
}

func waiting(n int) string {
	if n == 1 {
		return "1 change waits"
	}
	return fmt.Sprintf("%d changes wait", n)
}

func waitingFiles(n int) string {
	if n == 1 {
		return "1 file waits"
	}
	return fmt.Sprintf("%d files wait", n)
}
