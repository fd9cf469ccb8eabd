// Package mcp has the commands of the MCP server: starting and stopping it, its
// tokens, its clients, and the history of their calls.
package mcp

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/host/internal/usage"
)

// Services are what the commands need of a project.
type Services struct {
	Project *project.Source
	// Tokens are those of the MCP server.
	Tokens *token.Store
	// Daemon serves the project in the background, or does not.
	Daemon *daemon.Daemon
	// Server makes the MCP server of the project.
	Server     func(mcpserver.Config) (*mcpserver.Server, error)
	Supervisor *connector.Supervisor
	State      *store.Lazy
	Health     *health.Service
	Usage      *usage.Service
	// Agents sets up clients of the MCP server.
	Agents func() (*agents.Agents, error)
	Trust  *trust.Services
	// InMemory: what the host writes ends with this process.
	InMemory bool
}

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
}

// Commands returns the commands of this package.
func Commands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	return []*cobra.Command{a.mcpCommand(), a.consoleCommand(), a.tokenCommand(), a.agentsCommand(), a.historyCommand(), a.statsCommand()}
}
