package mcp

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) mcpStopCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "End the MCP server of the project",
		Long: `Ends the server of loam mcp start, in the background or in the foreground. Running calls may
finish, and connectors are ended; after the timeout all are killed. It is no error when no
server runs.`,
		Example: "  loam mcp stop",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if timeout < 0 {
				return command.Usage(cmd, "--timeout cannot be negative")
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.mcpStop(cmd.Context(), services, timeout) })
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", daemon.StopGrace, "how long the server may take to end")
	return cmd
}

// StoppedDocument is what stop prints with --json.
type StoppedDocument struct {
	// Was is the state in which the server was found.
	Was daemon.Phase `json:"was"`
	PID int          `json:"pid,omitempty"`
	// Killed: it did not end in time, and so many connectors not with it.
	Killed           bool `json:"killed"`
	KilledConnectors int  `json:"killedConnectors"`
}

func (a *commands) mcpStop(ctx context.Context, services *Services, timeout time.Duration) error {
	ending, err := services.Daemon.Stop(ctx, timeout)
	if err != nil {
		return err
	}
	d := StoppedDocument{Was: ending.Phase, Killed: ending.Killed, KilledConnectors: ending.Connectors}
	if ending.State != nil {
		d.PID = ending.State.PID
	}
	switch {
	case a.term.JSON:
		return a.term.Document(d)
	case d.Was == daemon.Stopped:
		a.term.Infof("no MCP server of this project runs")
	case d.Was == daemon.Stale:
		a.term.Infof("no MCP server of this project runs: it was killed, or the machine went down; its state file was removed")
	case d.Killed:
		a.term.Infof("the MCP server (process %d) did not end within %v and was killed", d.PID, timeout)
	default:
		a.term.Infof("the MCP server (process %d) has ended", d.PID)
	}
	if d.KilledConnectors > 0 {
		a.term.Infof("%s did not end by themselves and were killed", text.Count(d.KilledConnectors, "connector"))
	}
	return nil
}
