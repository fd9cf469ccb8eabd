// Package project has the commands that set up and maintain a project.
package project

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/install"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// Services are what the commands need of a project.
type Services struct {
	Project    *project.Source
	Connectors *connector.Registry
	Install    *install.Service
	Supervisor *connector.Supervisor
	// Secrets resolves every reference, without a check of trust: it is only for what the person
	// typed into this command.
	Secrets connection.Secrets
	// Test runs the staged checks of a connection.
	Test func(context.Context, connection.Connection, func(sdk.TestStep)) error
	// SignIn makes a connector sign a person in, and calls the function with each prompt.
	SignIn   func(context.Context, connection.Connection, func(sdk.Prompt) error) (sdk.Credentials, error)
	Catalogs *catalog.Set
	Health   *health.Service
	Trust    *trust.Services
	// Supply sets the value of a reference to a secret for this process.
	Supply func(reference string, value sdk.Secret)
	Scan   snapshot.Scanner
	// MCP has the services for setting up clients.
	MCP *mcp.Services
}

// commands is the state of this package's commands in one invocation.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
	// writeSample creates a sample database file; see package demo.
	writeSample demoWriter
	keys        secret.Keys
}

// Commands returns the commands of this package. writeSample creates a sample database file, see
// package demo; keys stores the secrets of a sign-in.
func Commands(i *command.Invocation, open command.Open[Services], writeSample demoWriter, keys secret.Keys) []*cobra.Command {
	a := &commands{i, i.Terminal, open, writeSample, keys}
	return []*cobra.Command{a.initCommand(), a.connectCommand(), a.connectionCommand(), a.connectorCommand(), a.statusCommand(), a.configCommand(), a.doctorCommand(), a.demoCommand()}
}
