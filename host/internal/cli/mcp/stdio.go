package mcp

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/mcpserver"
)

func (a *commands) mcpCommand() *cobra.Command {
	return command.Group("mcp", "Serve MCP clients", a.mcpStdioCommand(), a.mcpStartCommand(), a.mcpStopCommand(), a.mcpStatusCommand(), a.mcpToolsCommand(), a.mcpLogsCommand())
}

func (a *commands) mcpStdioCommand() *cobra.Command {
	var chosen mcpserver.Selection
	var rate rateFlags
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Serve one MCP client over standard input and output",
		Long: `Serves one MCP client over standard input and output. Clients start this command by
themselves. Standard output has only the protocol, logs go to standard error. At the end of
the input the server finishes running calls and ends.`,
		Example: `  loam mcp stdio --project-dir /path/to/project`,
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A client may never read this pipe: a line per call would fill it, and
			// block the server.
			a.invocation.Serve(slog.LevelWarn)
			return a.open(cmd.Context(), func(services *Services) error {
				server, err := services.Server(mcpserver.Config{Selection: chosen, Limits: rate.limits(0)})
				if err != nil {
					return err
				}
				return server.ServeStdio(cmd.Context(), a.term.In, a.term.Out)
			})
		},
	}
	toolFlags(cmd.Flags(), &chosen)
	rate.add(cmd.Flags(), 0) // one user in a process of their own, whose agents call in parallel
	return cmd
}
