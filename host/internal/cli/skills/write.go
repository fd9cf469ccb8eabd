package skills

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/sdk"
)

// dryRunFlag adds --dry-run to a command that writes.
func dryRunFlag(cmd *cobra.Command, dryRun *bool) *cobra.Command {
	cmd.Flags().BoolVar(dryRun, "dry-run", false, "show what would be done, and write nothing")
	return cmd
}

func (a *commands) call(dryRun bool) memory.Call {
	return memory.Call{Actor: a.invocation.Actor(), DryRun: dryRun}
}

func (a *commands) addCommand() *cobra.Command {
	var file string
	var dryRun bool
	cmd := dryRunFlag(&cobra.Command{
		Use:   "add NAME [--file SKILL.md]",
		Short: "Add a skill from a file",
		Long: `Adds a skill from --file or standard input: Markdown with a frontmatter of name, description
and version, in the agents' own format. At a terminal it is written to skills/NAME/SKILL.md
at once, with reviewed: true; a script's waits for loam review approve.`,
		Example: `  loam skills add close-month --file SKILL.md
  loam skills add close-month --file SKILL.md --dry-run`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := command.Text(cmd, a.term, "skill", file, nil)
			if err != nil {
				return err
			}
			return a.open(cmd.Context(), func(services *Services) error {
				done, err := services.Writing.PutSkill(cmd.Context(), a.call(dryRun), args[0], []byte(content), "")
				if err != nil {
					return err
				}
				return a.wrote(done, dryRun)
			})
		},
	}, &dryRun)
	cmd.Flags().StringVarP(&file, "file", "f", "", `the file ("-" is standard input)`)
	return cmd
}

func (a *commands) editCommand() *cobra.Command {
	var file string
	var dryRun bool
	cmd := dryRunFlag(&cobra.Command{
		Use:   "edit NAME [--file SKILL.md]",
		Short: "Edit a skill in $EDITOR, or replace it from a file",
		Long: `Opens the file of a skill in $VISUAL or $EDITOR, and writes your edited text with
reviewed: true; with --file it writes that one. When the skill was changed meanwhile nothing
is written. Old versions stay readable: loam skills show NAME --version.`,
		Example: `  EDITOR=nano loam skills edit close-month
  loam skills edit close-month --file SKILL.md`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			return a.open(ctx, func(services *Services) error {
				before, revision, err := services.present(name)
				if err != nil {
					return err
				}
				save := func(after string) error {
					done, err := services.Writing.PutSkill(ctx, a.call(dryRun), name, []byte(after), revision)
					if err != nil {
						return err
					}
					return a.wrote(done, dryRun)
				}
				if file == "" {
					return a.invocation.Edit(ctx, skill.FileName, before, save)
				}
				content, err := command.Text(cmd, a.term, "skill", file, nil)
				if err != nil {
					return err
				}
				return save(content)
			})
		},
	}, &dryRun)
	cmd.Flags().StringVarP(&file, "file", "f", "", `read the skill from a file ("-" is standard input)`)
	return cmd
}

// present returns the file of a skill, and its revision.
// Errors: KindNotFound.
func (s *Services) present(name string) (content, revision string, err error) {
	file, revision, err := s.Writing.SkillFile(name)
	if err == nil && file == nil {
		err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no skill %s", name).WithHint("loam skills list shows them; loam skills add %s makes it", name)
	}
	return string(file), revision, err
}

func (a *commands) removeCommand() *cobra.Command {
	var dryRun bool
	return dryRunFlag(&cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a skill",
		Long: `Removes the file SKILL.md of a skill; other files of its folder stay. loam review revert
brings it back for 30 days.`,
		Example: "  loam skills remove close-month",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				_, revision, err := services.present(args[0])
				if err != nil {
					return err
				}
				done, err := services.Writing.DeleteSkill(cmd.Context(), a.call(dryRun), args[0], revision)
				if err != nil {
					return err
				}
				return a.wrote(done, dryRun)
			})
		},
	}, &dryRun)
}

// wrote prints what became of a skill.
func (a *commands) wrote(d *memory.SkillWritten, dryRun bool) error {
	file := terminal.Escape(skill.Path(d.Name))
	switch {
	case d.Status == memory.StatusNoChange:
		return a.term.Done(d, "nothing was changed")
	case dryRun && d.Status == memory.StatusQueued:
		return a.term.Done(d, "would wait for a person: %s", file)
	case dryRun:
		return a.term.Done(d, "would change %s", file)
	case d.Status == memory.StatusQueued:
		return a.term.Done(d, "%s waits for a person: loam review approve %s", file, *d.ChangeID)
	case d.Status == memory.StatusRejected:
		return a.term.Done(d, "%s: %s", file, terminal.Escape(shown(d.Reason)))
	}
	return a.term.Done(d, "changed %s; undo: loam review revert %s", file, *d.ChangeID)
}
