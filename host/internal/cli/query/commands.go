// Package query has the commands that run statements and requests to the semantic
// layer.
package query

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// Services are what the commands need of a project.
type Services struct {
	Project  *project.Source
	Catalogs *catalog.Set
	Discover *discover.Service
	Findings *finding.Service
	// Run runs a statement.
	Run      func(context.Context, query.Request, query.Sink) (query.Summary, error)
	Ask      *ask.Service
	Semantic *semanticquery.Service
	Approved *approved.Service
	Suggest  suggesting
}

// noLimit is the number of rows or bytes of an answer that has all of them.
const noLimit = -1

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
}

// Commands returns the commands of this package.
func Commands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	return []*cobra.Command{a.sqlCommand(), a.semanticCommand(), a.savedCommand()}
}

// within opens the project for a command with --timeout; a limit of 0 is none. A
// statement that the limit ends says so itself; anything else of the command that
// it ends would say only what a context says.
func (a *commands) within(ctx context.Context, limit time.Duration, use func(context.Context, *Services) error) error {
	if limit > 0 {
		slow := sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the command took longer than --timeout %v", limit).
			WithHint("run it again with a longer --timeout")
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, slow)
		defer cancel()
	}
	err := a.open(ctx, func(services *Services) error { return use(ctx, services) })
	_, told := errors.AsType[*sdk.Error](err)
	if why := context.Cause(ctx); why != nil && !told && errors.Is(err, context.DeadlineExceeded) {
		return why
	}
	return err
}

// SampleCommand returns the command that belongs below catalog.
func SampleCommand(i *command.Invocation, open command.Open[Services]) *cobra.Command {
	return (&commands{i, i.Terminal, open}).sampleCommand()
}

func (a *commands) semanticCommand() *cobra.Command {
	return command.Group("sl", "Query, describe and validate the semantic layer",
		a.semanticListCommand(), a.semanticShowCommand(), a.semanticQueryCommand(), a.semanticValidateCommand())
}
