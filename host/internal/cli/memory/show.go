package memory

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) reviewShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show CHANGE...",
		Short: "Show changes in full: diff, quote, who said it, what contradicts it",
		Long: `Shows changes by their ids or the beginnings of their ids: the diff of the file, the quote
from the source with its context, the author, how far a measure was tested, contradictions,
and references to it.`,
		Example: "  loam review show 3fa2",
		Args:    someChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				details := make([]*memory.Detail, len(args))
				for i, id := range args {
					var err error
					if details[i], err = services.Changes.Change(cmd.Context(), id); err != nil {
						return err
					}
				}
				return a.term.Answer(map[string]any{"changes": details}, func() error {
					for i, d := range details {
						if i > 0 {
							fmt.Fprintln(a.term.Out)
						}
						if err := a.printChange(d); err != nil {
							return err
						}
					}
					return nil
				})
			})
		},
	}
}

// someChanges refuses a command line without a change.
func someChanges(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return command.Usage(cmd, "which change? Give ids: loam review lists them")
	}
	return nil
}

func (a *commands) printChange(d *memory.Detail) error {
	bold := a.term.Style(a.term.Out, "1")
	fmt.Fprintf(a.term.Out, "%s  %s %s %s\n", bold(string(d.ID)), d.State, d.Kind, terminal.Escape(d.Target))
	for _, line := range facts(d) {
		if line[1] != "" {
			fmt.Fprintf(a.term.Out, "  %-10s %s\n", line[0], terminal.Escape(line[1]))
		}
	}
	if d.Context != "" {
		fmt.Fprintf(a.term.Out, "  in its text:\n    | %s\n", strings.ReplaceAll(terminal.EscapeText(strings.TrimRight(d.Context, "\n")), "\n", "\n    | "))
	}
	if d.Diff != "" {
		fmt.Fprintln(a.term.Out)
		if err := a.term.Raw(strings.TrimSuffix(d.Diff, "\n") + "\n"); err != nil {
			return err
		}
	}
	switch d.State {
	case string(change.Pending):
		a.term.Infof("next: loam review approve %[1]s, or loam review reject %[1]s", d.ID)
	case "draft":
		a.term.Infof("next: loam review approve %[1]s, or loam review revert %[1]s", d.ID)
	}
	return nil
}

// facts are the lines about a change: what, and what there is to say.
func facts(d *memory.Detail) [][2]string {
	from := d.By + " over " + string(d.Provenance.Channel) + ", " + text.Ago(d.At)
	if d.Source != "" {
		from += "; source: " + d.Source
	}
	lines := [][2]string{{"says", d.Says}, {"file", d.Path}, {"from", from}, {"run", string(d.RunID)}, {"why", whyText(d.Why)}, {"problem", d.Problem}, {"quote", d.Quote}, {"note", d.Note}}
	if v := d.Verification; v != nil {
		verified := v.Level + ", " + text.Ago(v.At)
		for _, more := range []string{v.Of, v.Reason} {
			if more != "" {
				verified += "; " + more
			}
		}
		lines = append(lines, [2]string{"verified", verified})
	}
	for _, c := range d.Conflicts {
		lines = append(lines, [2]string{"conflict", fmt.Sprintf("%s (%s, %s) %s%s", c.Says, c.By, text.Clock(c.At), c.Path, c.Change)})
	}
	return append(lines, [2]string{"used by", strings.Join(d.Impact, ", ")})
}
