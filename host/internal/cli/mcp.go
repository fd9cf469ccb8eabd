package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/mcpserver"
)

func (a *app) mcpCommand() *cobra.Command {
	return a.group("mcp", "Serve MCP clients", a.mcpStdioCommand(), a.mcpStartCommand(), a.mcpStopCommand(), a.mcpStatusCommand(), a.mcpLogsCommand())
}

func (a *app) mcpStdioCommand() *cobra.Command {
	var chosen mcpserver.Selection
	var rate rateFlags
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Serve one MCP client over standard input and output",
		Long: `Serve one MCP client over standard input and output. This is what a client starts
by itself; nothing but the protocol is written to standard output, logs go to
standard error. The end of input ends the server after the calls in flight.`,
		Example: `  loam mcp stdio --project-dir /path/to/project`,
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A client may never read this pipe: a line per call would fill it, and
			// block the server.
			a.serving, a.serveLevel = true, slog.LevelWarn
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				server, err := rooms.MCP(mcpserver.Config{Selection: chosen, Limits: rate.limits(0)})
				if err != nil {
					return err
				}
				return server.ServeStdio(cmd.Context(), a.in, a.out)
			})
		},
	}
	toolFlags(cmd.Flags(), &chosen)
	rate.add(cmd.Flags(), 0) // one user in a process of their own, whose agents call in parallel
	return cmd
}
