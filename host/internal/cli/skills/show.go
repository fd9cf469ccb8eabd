package skills

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/skillset"
)

func (a *commands) showCommand() *cobra.Command {
	var r skillset.ApplyRequest
	var apply, success bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a skill, also in an old version",
		Long: `Shows a skill, reviewed or not, also one that waits for a person. With --apply a use is
counted, as skill_apply does it; with --success the outcome of the last use is.`,
		Example: `  loam skills show close-month
  loam skills show close-month --version 1.0.0
  loam skills show close-month --success=false`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Name, r.Actor = args[0], a.invocation.Actor()
			reports := cmd.Flags().Changed("success")
			if reports && apply {
				return command.Usage(cmd, "--apply begins a use and --success reports one: give one of them")
			}
			if reports {
				r.Success = &success
			}
			return a.open(cmd.Context(), func(services *Services) error {
				read := services.Skills.Read
				if apply || reports {
					read = services.Skills.Apply
				}
				s, err := read(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(s, func() error { return a.printSkill(s) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Version, "version", "", "this version (default: the present one)")
	flags.BoolVar(&apply, "apply", false, "count a use")
	flags.BoolVar(&success, "success", false, "report whether the last use helped")
	return cmd
}

func (a *commands) printSkill(s *skillset.Applied) error {
	head := strings.Join(strings.Fields(s.Name+" "+shown(s.Version)), " ")
	if s.Content == nil {
		a.term.Infof("%s: %s", head, usage(s.UsageCount, s.SuccessRate))
		return nil
	}
	lines := []string{head + ", " + s.Trust + ", " + usage(s.UsageCount, s.SuccessRate)}
	for _, p := range s.Prerequisites {
		lines = append(lines, "Needs: "+p)
	}
	if s.ExpectedOutcome != nil {
		lines = append(lines, "Outcome: "+*s.ExpectedOutcome)
	}
	for _, f := range s.Files {
		lines = append(lines, "File: "+f)
	}
	if err := a.term.Raw(terminal.EscapeText(strings.Join(lines, "\n")) + "\n\n" + terminal.EscapeText(*s.Content)); err != nil {
		return err
	}
	a.term.Notes(s.Notes)
	return nil
}
