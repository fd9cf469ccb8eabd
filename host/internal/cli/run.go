// Package cli is the command line: it parses arguments, calls use cases and prints
// results. Each group of commands is a package below, which declares the services that
// it needs.
package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/memory"
	"github.com/loam-data/loam/host/internal/cli/project"
	"github.com/loam-data/loam/host/internal/cli/query"
	"github.com/loam-data/loam/host/internal/cli/search"
	"github.com/loam-data/loam/host/internal/cli/secret"
	"github.com/loam-data/loam/host/internal/cli/skills"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/cli/workspace"
	"github.com/loam-data/loam/host/internal/mcpserver"
	keyring "github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// Services are what the groups of commands need of one project folder. The composition
// root makes them; nothing in them is started before it is used.
type Services struct {
	Catalog catalog.Services
	Query   query.Services
	Search  search.Services
	Memory  memory.Services
	Notes   workspace.Services
	Skills  skills.Services
	MCP     mcp.Services
	Trust   trust.Services
	Project project.Services
	// Close stops every connector and flushes the state.
	Close func(context.Context) error
}

// Program is the binary around the commands.
type Program struct {
	Version string
	// Open makes the services of a project folder; "" means: find it.
	Open func(ctx context.Context, dir string, log *slog.Logger) (*Services, error)
	// WriteSample makes a sample database file; see package demo.
	WriteSample func(ctx context.Context, path string, statements iter.Seq[string]) error
	// Tools describes the MCP tools for the generated documentation.
	Tools func(given, configured mcpserver.Selection) ([]mcpserver.ToolDoc, error)
	// Keys are the secrets in the key ring of the person.
	Keys keyring.Keys
}

// closeTimeout bounds the draining of connectors at the end of a command, and
// serveCloseTimeout that of one that serves: whoever has told it to end waits for
// ten seconds, for the calls as well.
const (
	closeTimeout      = 10 * time.Second
	serveCloseTimeout = 3 * time.Second
)

// app is one run of the command line.
type app struct {
	invocation *command.Invocation
	program    Program
}

// Run executes one command line and returns the exit code of package terminal.
// Errors are printed to stderr. Cancelling ctx cancels the command.
func Run(ctx context.Context, program Program, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	term := &terminal.Terminal{In: stdin, Out: stdout, Err: stderr}
	a := &app{invocation: &command.Invocation{Terminal: term, Version: program.Version}, program: program}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.invocation.Code
	}
	if errors.Is(err, syscall.EPIPE) {
		return terminal.ExitPipe // the reader has what it wanted: nobody to tell
	}
	if ctx.Err() != nil && sdk.KindOf(err) != sdk.KindCanceled {
		err = &sdk.Error{Kind: sdk.KindCanceled, Source: sdk.SourceCaller, Msg: "cancelled", Err: err}
	}
	term.Fail(err)
	return terminal.ExitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "loam",
		Short: "Context for data agents: read-only SQL over your warehouses, for MCP clients and the command line",
		Example: `  loam demo                                  try it on a sample database
  loam connect SCHEME://reader@db.internal/analytics
                                             project, connection, scan and clients in one command
  loam scan                                  read the structure of the warehouses again
  loam search revenue by customer            find tables, measures and pages
  loam sl query -m orders.revenue            query a measure of the semantic layer
  loam sql -c warehouse "select 1"           run one read-only statement
  loam ingest text "ARR means …"             teach a fact; loam review lists the change
  loam console                               review and look around in the browser
  loam mcp stdio                             serve an MCP client`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          command.NoSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.invocation.Dir, "project-dir", "", "project folder (default: $LOAM_PROJECT_DIR, then the nearest loam.yaml upwards)")
	flags.BoolVar(&a.invocation.Terminal.JSON, "json", false, "one JSON document on stdout; errors as JSON on stderr")
	flags.BoolVar(&a.invocation.Terminal.Quiet, "quiet", false, "print errors only, no messages and no progress")
	flags.BoolVar(&a.invocation.Terminal.NoColor, "no-color", false, "no colours (NO_COLOR is honoured too)")
	flags.BoolVarP(&a.invocation.Verbose, "verbose", "v", false, "write a log to stderr")
	root.SetFlagErrorFunc(command.FlagError)
	root.CompletionOptions.HiddenDefaultCmd = false
	memories := open(a, func(s *Services) *memory.Services { return &s.Memory })
	statements := open(a, func(s *Services) *query.Services { return &s.Query })
	for _, group := range [][]*cobra.Command{
		catalog.Commands(a.invocation, open(a, func(s *Services) *catalog.Services { return &s.Catalog }), query.SampleCommand(a.invocation, statements)),
		query.Commands(a.invocation, statements),
		search.Commands(a.invocation, open(a, func(s *Services) *search.Services { return &s.Search }), memory.WikiCommands(a.invocation, memories)...),
		memory.Commands(a.invocation, memories),
		workspace.Commands(a.invocation, open(a, func(s *Services) *workspace.Services { return &s.Notes })),
		skills.Commands(a.invocation, open(a, func(s *Services) *skills.Services { return &s.Skills })),
		mcp.Commands(a.invocation, open(a, func(s *Services) *mcp.Services { return &s.MCP })),
		trust.Commands(a.invocation, open(a, func(s *Services) *trust.Services { return &s.Trust })),
		project.Commands(a.invocation, open(a, func(s *Services) *project.Services { return &s.Project }), a.program.WriteSample, a.program.Keys),
		secret.Commands(a.invocation, a.program.Keys),
		{a.versionCommand(), a.docsCommand()},
	} {
		root.AddCommand(group...)
	}
	a.withCompletion(root)
	return root
}

// open returns how a group of commands opens the project for what it needs of it.
func open[S any](a *app, part func(*Services) *S) command.Open[S] {
	return func(ctx context.Context, f func(*S) error) (err error) {
		defer a.invocation.FlushLog()
		services, err := a.program.Open(ctx, a.invocation.Dir, a.invocation.Logger())
		if err != nil {
			return err
		}
		defer func() {
			limit := closeTimeout
			if a.invocation.Serving() {
				limit = serveCloseTimeout
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
			defer cancel()
			if closeErr := errors.Join(services.Close(ctx), a.invocation.Closed()); err == nil {
				err = closeErr
			}
		}()
		return f(part(services))
	}
}
