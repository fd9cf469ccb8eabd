package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) agentsCommand() *cobra.Command {
	return command.Group("agents", "Set up MCP clients to use this project", a.agentsSetupCommand(), a.agentsRemoveCommand(), a.agentsStatusCommand())
}

// withAgents opens the project and what sets up its clients. Without a project, only
// servers elsewhere can be set up.
func (a *commands) withAgents(ctx context.Context, elsewhere bool, f func(*Services, *agents.Agents) error) error {
	return a.open(ctx, func(services *Services) error {
		if _, err := services.Project.Current(ctx); err != nil && (!elsewhere || sdk.KindOf(err) != sdk.KindNotFound) {
			return err
		}
		clients, err := services.Agents()
		if err != nil {
			return err
		}
		return f(services, clients)
	})
}

// targets are names of clients from the command line.
func targets(names []string) []agents.Target {
	all := make([]agents.Target, len(names))
	for i, name := range names {
		all[i] = agents.Target(name)
	}
	return all
}

func (a *commands) agentsRemoveCommand() *cobra.Command {
	var r agents.RemoveRequest
	var names []string
	cmd := &cobra.Command{
		Use:   "remove",
		Short: "Take back what setup wrote",
		Long: `Removes what loam agents setup wrote for this project: the entries and the skill, and
nothing else. A file that nobody edited since is then byte for byte as before. Where an
entry was edited since, the command changes nothing without --force.

Entries of the scope global, also of other projects, are removed with --scope global, which
needs no project here.`,
		Example: `  loam agents remove
  loam agents remove --target cursor --dry-run`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Targets = targets(names)
			return a.withAgents(cmd.Context(), r.Scope == agents.Global, func(_ *Services, clients *agents.Agents) error {
				report, err := clients.Remove(cmd.Context(), r)
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(newReportDocument(report, r.Dry))
				}
				if len(report.Changes) == 0 {
					a.term.Infof("there is nothing to take back: loam agents status shows what is there")
					return nil
				}
				return a.agentsReport(report, r.Dry, "")
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&names, "target", nil, "client to remove the entries of (repeatable; default: all)")
	flags.StringVar((*string)(&r.Scope), "scope", "", "project, local or global (default: all)")
	flags.StringVar(&r.Name, "name", "", "only the entries of this name (default: all)")
	flags.BoolVar(&r.Force, "force", false, "remove edited entries too")
	flags.BoolVar(&r.Dry, "dry-run", false, "show what would change as a diff; write nothing")
	return cmd
}

func (a *commands) agentsStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which MCP clients are set up",
		Long: `Shows every client in every scope: installed, outdated (this loam would write another entry:
set it up again), edited (changed since loam wrote it), by hand (not written by loam),
broken (the file cannot be read), absent, or no client (not found on this machine).`,
		Example: "  loam agents status --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAgents(cmd.Context(), true, func(_ *Services, clients *agents.Agents) error {
				all, err := clients.Status()
				if err != nil {
					return err
				}
				return a.term.Answer(map[string]any{"clients": all}, func() error { return a.agentsTable(all) })
			})
		},
	}
}

func (a *commands) agentsTable(all []agents.Status) error {
	rows := make([][]string, len(all))
	var checks []string
	for i, s := range all {
		rows[i] = []string{string(s.Target), string(s.Scope), string(s.State), cmp.Or(string(s.Transport), "-"), s.File, s.Why}
		if check := fmt.Sprintf("%s: %s", s.Target, s.Check); s.Check != "" && !slices.Contains(checks, check) {
			checks = append(checks, check) // a client is in a row for each scope
		}
	}
	if err := a.term.Table([]string{"CLIENT", "SCOPE", "STATE", "BY", "FILE", "ABOUT"}, rows); err != nil {
		return err
	}
	for _, check := range checks {
		a.term.Infof("to check %s", check)
	}
	return nil
}

// reportDocument is what a command did with clients, or would do.
type reportDocument struct {
	Changes []agents.Change `json:"changes"`
	Notes   []string        `json:"notes"`
	DryRun  bool            `json:"dryRun"`
	Diff    string          `json:"diff,omitempty"`
}

func newReportDocument(r *agents.Report, dry bool) reportDocument {
	d := reportDocument{Changes: append([]agents.Change{}, r.Changes...), Notes: terminal.OrEmpty(r.Notes), DryRun: dry}
	if dry {
		d.Diff = r.Diff
	}
	return d
}

// done is a row of each change; what is only shown follows by itself.
func done(changes []agents.Change) (rows [][]string) {
	for _, c := range changes {
		if c.Action != agents.Printed {
			rows = append(rows, []string{string(c.Target), string(c.Scope), string(c.Action), cmp.Or(c.Key, "(skill)"), c.File, c.Note})
		}
	}
	return rows
}

// agentsReport prints what was done; of a dry run, the diff alone goes to stdout,
// so that it can be kept. or is what may be done instead of writing an entry by hand.
func (a *commands) agentsReport(r *agents.Report, dry bool, or string) error {
	if dry {
		if err := a.term.Raw(r.Diff); err != nil {
			return err
		}
		if r.Diff == "" {
			a.term.Infof("nothing would change")
		}
	} else if rows := done(r.Changes); len(rows) > 0 {
		if err := a.term.Table([]string{"CLIENT", "SCOPE", "DONE", "WHAT", "FILE", "ABOUT"}, rows); err != nil {
			return err
		}
	}
	for _, c := range r.Changes {
		if c.Action == agents.Printed {
			a.term.Infof("put this into %s%s:", c.File, or)
			if err := a.term.Raw(c.Snippet); err != nil {
				return err
			}
		}
	}
	for _, note := range r.Notes {
		a.term.Infof("note: %s", terminal.Escape(note))
	}
	return nil
}
