// Package project has the commands that set up and maintain a project.
package project

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// Services are what the commands need of a project.
type Services struct {
	Project    *project.Source
	Connectors *connector.Registry
	Supervisor *connector.Supervisor
	// Secrets resolves whatever is asked for: it is for what the person typed into
	// this command.
	Secrets connection.Secrets
	// Test runs the staged checks of a connection.
	Test func(context.Context, connection.Connection, func(sdk.TestStep)) error
	// Resume is Test, and may resume what is suspended.
	Resume func(context.Context, connection.Connection, func(sdk.TestStep)) error
	// SignIn has a connector sign a person in, who gets each prompt.
	SignIn func(context.Context, connection.Connection, func(sdk.Prompt) error) (sdk.Credentials, error)
	// Known is what was last known of a connection.
	Known    func(context.Context, connection.Connection) (connection.State, error)
	Catalogs *catalog.Set
	Health   *health.Service
	Trust    *trust.Services
	// Supply gives a reference to a secret its value for this process.
	Supply func(reference string, value sdk.Secret)
	Scan   *scan.Service
	// MCP is for setting up clients.
	MCP *mcp.Services
}

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
	// writeSample makes a sample database file; see package demo.
	writeSample demoWriter
	keys        secret.Keys
}

// Commands returns the commands of this package. writeSample makes a sample database
// file; see package demo. keys are where secrets of a sign-in are kept.
func Commands(i *command.Invocation, open command.Open[Services], writeSample demoWriter, keys secret.Keys) []*cobra.Command {
	a := &commands{i, i.Terminal, open, writeSample, keys}
	return []*cobra.Command{a.initCommand(), a.connectCommand(), a.connectionCommand(), a.connectorCommand(), a.statusCommand(), a.doctorCommand(), a.demoCommand()}
}
