package memory

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

// mutes are the actors whose waiting changes lists leave out; *memory.Service has them.
type mutes interface {
	Muted(context.Context) ([]memory.Muted, error)
	Mute(ctx context.Context, actor string, by change.Actor) error
	Unmute(ctx context.Context, actor string, by change.Actor) error
}

func (a *commands) muteCommand() *cobra.Command {
	return a.setMuted(&cobra.Command{
		Use:   "mute [ACTOR]",
		Short: "Leave the changes of an actor out of the list of what waits",
		Long: `Leaves the changes that a client or user proposes out of the list of what waits, here and
in the console. They wait as before, and the actor may propose. Without an actor the command
lists the muted ones.`,
		Example: "  loam review mute codex\n  loam review mute",
		Args:    atMostOne,
	}, mutes.Mute, "muted %[1]s: its changes wait, and are listed with --muted or --actor %[1]s; undo: loam review unmute %[1]s")
}

func (a *commands) unmuteCommand() *cobra.Command {
	return a.setMuted(&cobra.Command{
		Use:     "unmute ACTOR",
		Short:   "List the changes of a muted actor again",
		Long:    "Takes a mute back: the changes of the actor are listed again among those that wait.",
		Example: "  loam review unmute codex",
		Args:    command.Exactly(1),
	}, mutes.Unmute, "unmuted %[1]s")
}

// atMostOne refuses a command line with several actors.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return command.Usage(cmd, "one actor at a time")
	}
	return nil
}

// setMuted completes a command that mutes or unmutes the actor of its argument, and lists the muted ones without.
func (a *commands) setMuted(cmd *cobra.Command, set func(mutes, context.Context, string, change.Actor) error, said string) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.open(cmd.Context(), func(services *Services) error {
			if len(args) > 0 {
				if err := set(services.Mutes, cmd.Context(), args[0], a.invocation.Actor()); err != nil {
					return err
				}
				a.term.Infof(said, text.ShellWord(terminal.Escape(args[0])))
			}
			all, err := services.Mutes.Muted(cmd.Context())
			if err != nil {
				return err
			}
			if a.term.JSON {
				return a.term.Document(map[string]any{"muted": all})
			}
			if len(args) > 0 {
				return nil
			}
			return a.listMuted(all)
		})
	}
	return cmd
}

func (a *commands) listMuted(all []memory.Muted) error {
	if len(all) == 0 {
		a.term.Infof("no actor is muted")
		return nil
	}
	rows := make([][]string, len(all))
	for i, m := range all {
		rows[i] = []string{m.Actor, m.By, text.Ago(m.At)}
	}
	return a.term.Table([]string{"ACTOR", "MUTED BY", "SINCE"}, rows)
}
