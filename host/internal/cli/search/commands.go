// Package search has the commands that search the whole project, or the wiki only, and the one that says what the
// project is about.
package search

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/wiki"
)

// Services are what the commands need of a project.
type Services struct {
	Discover *discover.Service
	Assemble *assemble.Service
	Wiki     *wiki.Wiki
	// CheckWiki reports what is wrong with the pages.
	CheckWiki func(context.Context, func(health.Finding)) error
}

// commands are those of this package on one command line.
type commands struct {
	term *terminal.Terminal
	open command.Open[Services]
}

// Commands returns the commands of this package; below wiki are also those that write
// pages.
func Commands(i *command.Invocation, open command.Open[Services], writing ...*cobra.Command) []*cobra.Command {
	a := &commands{i.Terminal, open}
	wiki := a.wikiCommand()
	wiki.AddCommand(writing...)
	return []*cobra.Command{a.searchCommand(), a.contextCommand(), wiki}
}
