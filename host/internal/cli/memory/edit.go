package memory

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/memory"
)

func (a *commands) reviewEditCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit CHANGE",
		Short: "Edit a change that waits, in $EDITOR",
		Long: `Opens the text of a pending change in $VISUAL or $EDITOR, and stores your edited text. The
change stays pending until it is approved.`,
		Example: "  EDITOR=nano loam review edit 3fa2",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.open(ctx, func(services *Services) error {
				before, version, err := services.Drafts.Pending(ctx, args[0])
				if err != nil {
					return err
				}
				return a.invocation.Edit(ctx, "change-"+args[0]+".yaml", before, func(after string) error {
					detail, err := services.Drafts.EditPending(ctx, args[0], after, version, a.invocation.Actor())
					if err != nil {
						return err
					}
					return a.term.Answer(map[string]any{"changes": []*memory.Detail{detail}}, func() error { return a.printChange(detail) })
				})
			})
		},
	}
}
