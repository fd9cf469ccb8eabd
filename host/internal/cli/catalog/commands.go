// Package catalog has the commands that fill the catalog and show its content.
package catalog

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk/dialect"
)

// Services are what the commands need of a project.
type Services struct {
	Project  *project.Source
	Catalogs *catalog.Set
	// Dialect returns the dialect of a connection's server as it was last seen, nil
	// when nobody knows it.
	Dialect func(context.Context, connection.Connection) *dialect.Dialect
	Review  *review.Service
	Scan    snapshot.Scanner
}

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
}

// Commands returns the commands of this package; below catalog are also those that read a
// warehouse.
func Commands(i *command.Invocation, open command.Open[Services], reading ...*cobra.Command) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	catalog := a.catalogCommand()
	catalog.AddCommand(reading...)
	return []*cobra.Command{catalog, a.scanCommand()}
}
