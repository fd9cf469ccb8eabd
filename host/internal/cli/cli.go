// Package cli is the command line: it parses, calls the rooms below and prints.
// It decides nothing about warehouses or MCP itself.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Rooms are what the commands work with, on one project folder. The
// composition root makes them; nothing in them is started before it is used.
type Rooms struct {
	Project    *project.Source
	Connectors *connector.Registry
	Supervisor *connector.Supervisor
	Query      *query.Service
	Semantic   *semanticquery.Service
	Layer      *layer.Layer
	Scan       *scan.Service
	Discover   *discover.Service
	Catalogs   *catalog.Set
	Index      *indexer.Indexer
	Wiki       *wiki.Wiki
	State      *store.Lazy
	// Tokens are those of the MCP server.
	Tokens *token.Store
	// Secrets resolves whatever is asked for: it is for what the person typed into
	// this command.
	Secrets connection.Secrets
	// Trust is what the person at this machine allows the project.
	Trust *trust.Trust
	// Test runs the staged checks of a connection.
	Test func(context.Context, connection.Connection, func(sdk.TestStep)) error
	// Known is what was last known of a connection.
	Known  func(context.Context, connection.Connection) (connection.State, error)
	Review *review.Service
	Health *health.Service
	// Daemon serves the project in the background, or does not.
	Daemon *daemon.Daemon
	// Agents sets up clients of the MCP server.
	Agents func() (*agents.Agents, error)
	// MCP makes the MCP server of this project.
	MCP func(mcpserver.Config) (*mcpserver.Server, error)
	// Close stops every connector and flushes the state.
	Close func(context.Context) error
}

// Program is the binary around the commands.
type Program struct {
	Version string
	// Open makes the rooms of a project folder; "" means: find it.
	Open func(ctx context.Context, dir string, log *slog.Logger) (*Rooms, error)
	// WriteSample makes a sample database file; see package demo.
	WriteSample demoWriter
	// Tools lists the MCP tools for the generated documentation.
	Tools func() ([]mcpserver.ToolDoc, error)
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
	program Program
	in      io.Reader
	output
	dir     string
	verbose bool
	// serving: the command runs until it is told to end, and logs from serveLevel.
	serving    bool
	serveLevel slog.Level
	// code is the exit code of a command that ends without an error.
	code int
}

// Run executes one command line and returns the exit code of exit.go.
// Errors are printed to stderr. Cancelling ctx cancels the command.
func Run(ctx context.Context, program Program, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{program: program, in: stdin, output: output{out: stdout, err: stderr}}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitPipe // the reader has what it wanted: nobody to tell
	}
	if ctx.Err() != nil && sdk.KindOf(err) != sdk.KindCanceled {
		err = &sdk.Error{Kind: sdk.KindCanceled, Source: sdk.SourceCaller, Msg: "cancelled", Err: err}
	}
	a.failure(err)
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "loam",
		Short: "Context for data agents: read-only SQL over your warehouses, for MCP clients and the command line",
		Example: `  loam demo                                  try it on a sample database
  loam init                                  make this folder a project
  loam connection add warehouse CONNECTOR host=db.internal database=analytics user=reader password=env:PGPASSWORD
  loam scan                                  read what the warehouses hold
  loam search revenue by customer            find it
  loam sl query -m orders.revenue            ask what numbers mean, and for the numbers
  loam sql -c warehouse "select 1"           run one read-only statement
  loam mcp stdio                             serve an MCP client`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.dir, "project-dir", "", "project folder (default: $LOAM_PROJECT_DIR, then the nearest loam.yaml upwards)")
	flags.BoolVar(&a.json, "json", false, "one JSON document on stdout; errors as JSON on stderr")
	flags.BoolVar(&a.quiet, "quiet", false, "no prose and no progress, errors only")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours (NO_COLOR is honoured too)")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log what happens to stderr")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(cmd, "%s", err.Error())
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(a.initCommand(), a.connectionCommand(), a.connectorCommand(), a.trustCommand(), a.scanCommand(), a.sqlCommand(), a.mcpCommand(), a.tokenCommand(), a.agentsCommand(), a.historyCommand(),
		a.catalogCommand(), a.searchCommand(), a.semanticCommand(), a.wikiCommand(),
		a.statusCommand(), a.doctorCommand(), a.demoCommand(), a.versionCommand(), a.docsCommand())
	return root
}

func (a *app) noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := usageError(cmd, "unknown command %q", args[0])
	cmd.SuggestionsMinimumDistance = 2
	e.Candidates = cmd.SuggestionsFor(args[0])
	return e
}

// usageError is a wrong command line; its hint names the help to read.
func usageError(cmd *cobra.Command, format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", fmt.Sprintf(format, args...)).
		WithHint("see: %s --help", cmd.CommandPath())
}

// exactly is cobra's argument check with our error.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError(cmd, "%d argument(s) given, %d expected: %s", len(args), n, cmd.UseLine())
		}
		return nil
	}
}

// quietLevel is above every level: a command's own error says what happened.
const quietLevel = slog.LevelError + 4

// logger writes to stderr: everything with -v; what a server's owner should see
// while it serves; nothing else, because a command prints its error itself.
func (a *app) logger() *slog.Logger {
	level := quietLevel
	switch {
	case a.verbose:
		level = slog.LevelDebug
	case a.quiet && a.serving:
		level = slog.LevelError
	case a.serving:
		level = a.serveLevel
	}
	return slog.New(telemetry.LogHandler(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})))
}

// withRooms opens the project, runs f and closes everything again, also when f
// was cancelled.
func (a *app) withRooms(ctx context.Context, f func(*Rooms) error) (err error) {
	rooms, err := a.program.Open(ctx, a.dir, a.logger())
	if err != nil {
		return err
	}
	defer func() {
		limit := closeTimeout
		if a.serving {
			limit = serveCloseTimeout
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		if closeErr := rooms.Close(ctx); err == nil {
			err = closeErr
		}
	}()
	return f(rooms)
}

// group is a command that only holds others.
func (a *app) group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: a.noSuchCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(commands...)
	return cmd
}

// keyValues parses key=value arguments.
func keyValues(cmd *cobra.Command, args []string) (map[string]string, error) {
	values := map[string]string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, usageError(cmd, "%q is not of the form key=value", arg)
		}
		if _, twice := values[key]; twice {
			return nil, usageError(cmd, "%s is given twice", key)
		}
		values[key] = value
	}
	return values, nil
}
