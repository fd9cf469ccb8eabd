package memory

import (
	"context"
	"path"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/text/diff"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) pageWriteCommand() *cobra.Command {
	var file string
	var dryRun bool
	cmd := dryRunFlag(&cobra.Command{
		Use:   "write KEY [TEXT]",
		Short: "Write a page",
		Long: `Writes a page of the wiki, with or without frontmatter, from the argument, from --file, or
from standard input (-). An existing page is replaced; its revisions are kept: loam wiki
history. Without a terminal, replacing a page that a person wrote waits for approval.`,
		Example: `  loam wiki write revenue --file revenue.md
  echo "# Churn" | loam wiki write churn --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usage(cmd, "which page? Give its key")
			}
			content, err := command.Text(cmd, a.term, "page", file, args[1:])
			if err != nil {
				return err
			}
			return a.open(cmd.Context(), func(services *Services) error {
				_, base, err := services.Pages.PageFile(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.writePage(cmd.Context(), services, memory.PageWrite{Key: args[0], Content: content, Base: base, DryRun: dryRun})
			})
		},
	}, &dryRun)
	cmd.Flags().StringVarP(&file, "file", "f", "", `read the page from a file ("-" is standard input)`)
	return cmd
}

// writePage writes a page for whoever runs the command.
func (a *commands) writePage(ctx context.Context, services *Services, w memory.PageWrite) error {
	w.Actor = a.invocation.Actor()
	done, err := services.Pages.WritePage(ctx, w)
	if err != nil {
		return err
	}
	return a.wrote(done, w.DryRun)
}

// wrote prints what became of a page.
func (a *commands) wrote(d *memory.Decided, dryRun bool) error {
	switch {
	case d.Problem != "":
		return inTheWay(*d, "written")
	case dryRun && d.State == string(change.Pending):
		return a.term.Done(d, "would wait for a person: %s", terminal.Escape(d.Path))
	case dryRun:
		return a.term.Done(d, "would write %s", terminal.Escape(d.Path))
	case d.ID == "":
		return a.term.Done(d, "nothing was changed")
	case d.State == string(change.Pending):
		return a.term.Done(d, "%s waits for a person: loam review approve %s", terminal.Escape(d.Path), d.ID)
	default:
		return a.term.Done(d, "wrote %s; undo: loam review revert %s", terminal.Escape(d.Path), d.ID)
	}
}

func (a *commands) pageEditCommand() *cobra.Command {
	var dryRun bool
	return dryRunFlag(&cobra.Command{
		Use:   "edit KEY",
		Short: "Edit a page in $EDITOR",
		Long: `Opens a page of the wiki in $VISUAL or $EDITOR, and writes your edited text. When the page
was changed meanwhile, nothing is written, and your text is saved to a file.`,
		Example: "  EDITOR=nano loam wiki edit revenue",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.open(ctx, func(services *Services) error {
				before, base, err := services.Pages.PageFile(ctx, args[0])
				if err != nil {
					return err
				}
				return a.invocation.Edit(ctx, path.Base(args[0])+".md", before, func(after string) error {
					return a.writePage(ctx, services, memory.PageWrite{Key: args[0], Content: after, Base: base, DryRun: dryRun})
				})
			})
		},
	}, &dryRun)
}

func (a *commands) pageHistoryCommand() *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "history KEY",
		Short: "List the revisions of a page, or show what one changed",
		Long: `Lists the stored revisions of a page, the latest first: 50 of them or those of 90 days,
whichever is more. With --diff, shows the change of one revision.`,
		Example: "  loam wiki history revenue\n  loam wiki history revenue --diff 3",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("diff") && n < 1 {
				return command.Usage(cmd, "--diff takes the number of a revision, from 1")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				versions, err := services.Pages.PageHistory(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if n > 0 {
					return a.showRevision(cmd.Context(), services, args[0], versions, n)
				}
				return a.listRevisions(args[0], versions)
			})
		},
	}
	cmd.Flags().IntVar(&n, "diff", 0, "show the change of this revision")
	return cmd
}

func (a *commands) listRevisions(key string, versions []memory.PageVersion) error {
	if a.term.JSON {
		return a.term.Document(map[string]any{"key": key, "revisions": append([]memory.PageVersion{}, versions...)})
	}
	if len(versions) == 0 {
		a.term.Infof("no revision of %s is kept", terminal.Escape(key))
		return nil
	}
	rows := make([][]string, len(versions))
	for i, v := range versions {
		rows[i] = []string{strconv.Itoa(v.N), text.Clock(v.At), v.Origin, v.By, string(v.Change), strconv.Itoa(v.Bytes)}
	}
	return a.term.NewTable([]string{"N", "TIME", "ORIGIN", "BY", "CHANGE", "BYTES"}, 0, 5).Rows(rows)
}

// showRevision prints the difference between a revision and the one that is kept before it.
func (a *commands) showRevision(ctx context.Context, services *Services, key string, versions []memory.PageVersion, n int) error {
	before := 0
	known := false
	for _, v := range versions {
		known = known || v.N == n
		if v.N < n && v.N > before {
			before = v.N
		}
	}
	if !known {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no revision %d of %s is kept", n, key).WithHint("loam wiki history %s lists them", text.ShellWord(key))
	}
	was, from := "", diff.Absent
	if before > 0 {
		var err error
		if was, err = services.Pages.PageVersionText(ctx, key, before); err != nil {
			return err
		}
		from = key + "@" + strconv.Itoa(before)
	}
	is, err := services.Pages.PageVersionText(ctx, key, n)
	if err != nil {
		return err
	}
	shown := diff.Unified(from, key+"@"+strconv.Itoa(n), was, is)
	return a.term.Answer(map[string]any{"key": key, "revision": n, "diff": shown}, func() error { return a.term.Raw(shown) })
}

func (a *commands) pageRevertCommand() *cobra.Command {
	var to int
	var dryRun bool
	cmd := dryRunFlag(&cobra.Command{
		Use:   "revert KEY --to N",
		Short: "Write a page as it was in a revision",
		Long: `Restores a revision of a page. That makes a new revision, so that nothing is lost. Without a
terminal, replacing a person's text waits for approval.`,
		Example: "  loam wiki revert revenue --to 3",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to < 1 {
				return command.Usage(cmd, "to which revision? Give --to N: loam wiki history lists them")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				done, err := services.Pages.RevertPage(cmd.Context(), args[0], to, a.invocation.Actor(), dryRun)
				if err != nil {
					return err
				}
				return a.wrote(done, dryRun)
			})
		},
	}, &dryRun)
	cmd.Flags().IntVar(&to, "to", 0, "the number of the revision")
	return cmd
}
