package cli

import (
	"log/slog"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/sdk"
)

func (a *app) mcpCommand() *cobra.Command {
	return a.group("mcp", "Serve MCP clients", a.mcpStdioCommand(), a.mcpStartCommand())
}

func (a *app) mcpStdioCommand() *cobra.Command {
	return &cobra.Command{
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
				server, err := rooms.MCP(mcpserver.Config{})
				if err != nil {
					return err
				}
				return server.ServeStdio(cmd.Context(), a.in, a.out)
			})
		},
	}
}

type startFlags struct {
	host, token    string
	port           int
	foreground     bool
	hosts, origins []string
}

func (a *app) mcpStartCommand() *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start --foreground",
		Short: "Serve MCP clients over Streamable HTTP",
		Long: `Serve MCP clients over Streamable HTTP at /mcp, in the foreground, until Ctrl-C.

The server listens on this machine only unless --host says otherwise, and then it
asks for a token: LOAM_MCP_TOKEN, or --token.`,
		Example: `  loam mcp start --foreground
  LOAM_MCP_TOKEN=… loam mcp start --foreground --host 0.0.0.0 --allowed-host loam.internal`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !f.foreground {
				return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "the background service does not exist yet").
					WithHint("add --foreground, or let your service manager run it")
			}
			return a.serveHTTP(cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.host, "host", "127.0.0.1", "address to listen on")
	flags.IntVar(&f.port, "port", 7878, "port to listen on; 0 = any free one")
	flags.StringVar(&f.token, "token", "", "bearer token every request must carry (better: LOAM_MCP_TOKEN)")
	flags.BoolVar(&f.foreground, "foreground", false, "stay in the foreground and log to the terminal")
	flags.StringArrayVar(&f.hosts, "allowed-host", nil, "accept this Host header too (repeatable)")
	flags.StringArrayVar(&f.origins, "allowed-origin", nil, "accept this Origin, scheme://host[:port] (repeatable)")
	return cmd
}

func (a *app) serveHTTP(cmd *cobra.Command, f startFlags) error {
	a.serving, a.serveLevel = true, slog.LevelInfo
	if f.token == "" {
		f.token = os.Getenv("LOAM_MCP_TOKEN")
	}
	return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
		server, err := rooms.MCP(mcpserver.Config{Host: f.host, Token: sdk.NewSecret(f.token), AllowedHosts: f.hosts, AllowedOrigins: f.origins})
		if err != nil {
			return err
		}
		var lc net.ListenConfig
		listener, err := lc.Listen(cmd.Context(), "tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
		if err != nil {
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "listen on %s port %d: %w", f.host, f.port, err).
				WithHint("choose another port with --port, or --port 0 for any free one")
		}
		address := listener.Addr().String()
		if a.json {
			if err := a.document(map[string]any{"url": "http://" + address + "/mcp"}); err != nil {
				return err
			}
		}
		a.say("serving MCP at http://%s/mcp (Ctrl-C ends it)", address)
		return server.Serve(cmd.Context(), listener)
	})
}
