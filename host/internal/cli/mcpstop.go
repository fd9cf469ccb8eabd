package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *app) mcpStopCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "End the MCP server of the project",
		Long: `Ends the server that loam mcp start has started, in the background or in the
foreground. Calls that run may finish, connectors are ended; what takes longer than
the timeout is killed. That no server runs is no error.`,
		Example: "  loam mcp stop",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if timeout < 0 {
				return usageError(cmd, "--timeout cannot be negative")
			}
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error { return a.mcpStop(cmd.Context(), rooms, timeout) })
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", daemon.StopGrace, "how long the server may take to end")
	return cmd
}

// stoppedDocument is what stop prints with --json.
type stoppedDocument struct {
	// Was is the state in which the server was found.
	Was daemon.Phase `json:"was"`
	PID int          `json:"pid,omitempty"`
	// Killed: it did not end in time, and so many connectors not with it.
	Killed           bool `json:"killed"`
	KilledConnectors int  `json:"killedConnectors"`
}

func (a *app) mcpStop(ctx context.Context, rooms *Rooms, timeout time.Duration) error {
	ending, err := rooms.Daemon.Stop(ctx, timeout)
	if err != nil {
		return err
	}
	d := stoppedDocument{Was: ending.Phase, Killed: ending.Killed, KilledConnectors: ending.Connectors}
	if ending.State != nil {
		d.PID = ending.State.PID
	}
	switch {
	case a.json:
		return a.document(d)
	case d.Was == daemon.Stopped:
		a.say("no MCP server of this project runs")
	case d.Was == daemon.Stale:
		a.say("no MCP server of this project runs: it was killed, or the machine went down; its state file was removed")
	case d.Killed:
		a.say("the MCP server (process %d) did not end within %v and was killed", d.PID, timeout)
	default:
		a.say("the MCP server (process %d) has ended", d.PID)
	}
	if d.KilledConnectors > 0 {
		a.say("%s did not end by themselves and were killed", text.Count(d.KilledConnectors, "connector"))
	}
	return nil
}
