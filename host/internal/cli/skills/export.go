package skills

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) exportCommand() *cobra.Command {
	var r agents.ExportRequest
	var targets []string
	var yes bool
	cmd := dryRunFlag(&cobra.Command{
		Use:   "export NAME",
		Short: "Copy a skill into the folder of an agent",
		Long: `Copies a reviewed skill with its files to where agents look for skills, such as
.claude/skills/NAME, and asks first. A file that loam did not write there is left alone,
unless --force is given; a copy of it is kept. Exported again, the skill replaces what was
exported before.`,
		Example: `  loam skills export close-month --target claude-code
  loam skills export close-month --target cursor --scope global --yes`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Name = args[0]
			for _, name := range targets {
				r.Targets = append(r.Targets, agents.Target(name))
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.export(cmd.Context(), services, r, yes) })
		},
	}, &r.Dry)
	flags := cmd.Flags()
	flags.StringArrayVar(&targets, "target", nil, "client: "+strings.Join(agents.Names(), ", ")+" (repeatable; default: those found)")
	flags.StringVar((*string)(&r.Scope), "scope", "", "project or global (default: project, where the client has it)")
	flags.BoolVar(&r.Force, "force", false, "replace files that loam did not write, or that were edited")
	flags.BoolVarP(&yes, "yes", "y", false, "do not ask")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// exported is what an export did, or would do.
type exported struct {
	Name    string          `json:"name"`
	Changes []agents.Change `json:"changes"`
	Notes   []string        `json:"notes"`
	DryRun  bool            `json:"dryRun"`
}

func (a *commands) export(ctx context.Context, services *Services, r agents.ExportRequest, yes bool) error {
	clients, err := services.Agents()
	if err != nil {
		return err
	}
	if r.Files, err = services.Skills.Export(ctx, r.Name); err != nil {
		return err
	}
	asked := r
	asked.Dry = true
	would, err := clients.Export(ctx, asked)
	if err != nil {
		return err
	}
	if r.Dry || !changes(would) {
		return a.exported(r, would)
	}
	if !yes {
		if !a.term.CanAsk() {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "nobody can be asked whether the skill may be copied").WithHint("look at it with --dry-run, then give --yes")
		}
		if err := a.table(would); err != nil {
			return err
		}
		ok, err := a.term.Questions().Confirm(ctx, "Copy it?", false)
		if err != nil || !ok {
			return err
		}
	}
	done, err := clients.Export(ctx, r)
	if err != nil {
		return err
	}
	return a.exported(r, done)
}

// changes reports whether anything is to be written.
func changes(r *agents.Report) bool {
	for _, c := range r.Changes {
		if c.Action != agents.Unchanged && c.Action != agents.Kept {
			return true
		}
	}
	return false
}

func (a *commands) exported(r agents.ExportRequest, report *agents.Report) error {
	return a.term.Answer(exported{r.Name, append([]agents.Change{}, report.Changes...), terminal.OrEmpty(report.Notes), r.Dry}, func() error {
		a.term.Notes(report.Notes)
		return a.table(report)
	})
}

func (a *commands) table(r *agents.Report) error {
	rows := make([][]string, len(r.Changes))
	for i, c := range r.Changes {
		rows[i] = []string{string(c.Target), string(c.Scope), string(c.Action), c.File, c.Note}
	}
	if len(rows) == 0 {
		a.term.Infof("no client was found: name one with --target")
		return nil
	}
	return a.term.Table([]string{"CLIENT", "SCOPE", "DONE", "FILE", "ABOUT"}, rows)
}
