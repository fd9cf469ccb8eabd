package mcp

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/daemon"
)

func (a *commands) mcpLogsCommand() *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show the log of the MCP server in the background",
		Long: `Shows the last log lines of the server in the background; with --follow also new lines,
until Ctrl-C. A server in the foreground logs to its
terminal or service manager instead.`,
		Example: `  loam mcp logs
  loam mcp logs --follow --lines 0`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case lines < 0:
				return command.Usage(cmd, "--lines cannot be negative")
			case follow && a.term.JSON:
				return command.Usage(cmd, "--follow has no end, and --json is one document: use one of them")
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.mcpLogs(cmd.Context(), services, lines, follow) })
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "also show new lines")
	cmd.Flags().IntVarP(&lines, "lines", "n", 50, "how many of the last lines to show")
	return cmd
}

// logsDocument is what logs prints with --json.
type logsDocument struct {
	File  string   `json:"file"`
	Lines []string `json:"lines"`
}

func (a *commands) mcpLogs(ctx context.Context, services *Services, lines int, follow bool) error {
	phase, state, err := services.Daemon.Status(ctx)
	if err != nil {
		return err
	}
	if phase == daemon.Running && state.Foreground {
		a.term.Infof("the server (process %d) runs in the foreground and logs to its terminal or service manager; this is the log of the one before", state.PID)
	}
	d := logsDocument{File: services.Daemon.LogPath(), Lines: []string{}}
	err = services.Daemon.Tail(ctx, lines, follow, func(line string) error {
		if a.term.JSON {
			d.Lines = append(d.Lines, line)
			return nil
		}
		_, err := fmt.Fprintln(a.term.Out, terminal.EscapeText(line))
		return err
	})
	if err != nil || !a.term.JSON {
		return err
	}
	return a.term.Document(d)
}
