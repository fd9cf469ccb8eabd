// Package host puts the rooms together: it is the only package that imports
// all of them, and the wiring diagram of the program.
package host

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/agents/skill"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/heap"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/proto/wire"
	"github.com/loam-data/loam/sdk"
)

// recordTimeout bounds the write of what opening a connection found.
const recordTimeout = 5 * time.Second

// wikiUser names the variable with the user whose own wiki pages are read
// beside the global ones.
const wikiUser = "LOAM_USER"

// Main runs one command line and returns its exit code. SIGINT and SIGTERM
// cancel it; a reader of its output that goes away is an error, not a signal,
// so that connectors are drained in that case too.
func Main(version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	heap.Bound()
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	program := cli.Program{
		Version:     version,
		WriteSample: store.WriteDatabase,
		Tools:       mcpserver.Docs,
		Open: func(_ context.Context, dir string, log *slog.Logger) (*cli.Rooms, error) {
			return open(version, dir, log)
		},
	}
	return cli.Run(ctx, program, args, stdin, stdout, stderr)
}

// open makes the rooms of a project folder. Nothing is read, opened or started
// before a command needs it.
func open(version, dir string, log *slog.Logger) (*cli.Rooms, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "working directory: %w", err)
	}
	folder, err := project.Find(dir, os.Getenv, cwd)
	if err != nil {
		return nil, err
	}
	trusted := newTrust(folder)
	if err := trusted.CheckLinks(project.StateFolder(folder)); err != nil {
		return nil, err
	}
	state := store.NewLazy(project.StatePath(folder))
	tokens := token.New(project.TokensPath(folder), time.Now)
	h := &house{
		project: project.NewSource(folder, time.Now),
		secrets: secret.New(folder, connector.Inherited(os.Environ(), nil), log),
		trust:   trusted,
		found:   connector.NewRegistry(connector.Places()),
		memory:  connection.NewMemory(state, time.Now),
		log:     log,
	}
	h.supervisor = connector.New(connector.Config{Logger: log, HostVersion: version, OnOpen: h.remember})
	h.query = query.New(query.Config{Connections: h.connections, Connectors: h, Sessions: h, Remembered: h, Logger: log})
	h.observe(state)
	if err := h.furnish(folder); err != nil {
		return nil, err
	}
	return &cli.Rooms{
		Project: h.project, Connectors: h.found, Supervisor: h.supervisor, Query: h.query, Semantic: h.numbers, Layer: h.semantic, State: state,
		Tokens: tokens, Target: h.target, Known: h.LastKnown, Trust: h.trust, Secrets: h.secrets.Granting(trust.Everything().Allows),
		Scan: h.scan, Discover: h.discover, Catalogs: h.catalogs, Index: h.index, Wiki: h.pages, Decisions: h.decisions,
		Daemon: daemon.New(project.StateFolder(folder)),
		Agents: func() (*agents.Agents, error) { return clients(folder) },
		MCP: func(c mcpserver.Config) (*mcpserver.Server, error) {
			current, err := h.project.Current(context.Background())
			if err != nil {
				return nil, err
			}
			analytics := skill.Analytics()
			c.Version, c.Logger, c.Configured = version, log, mcpserver.Selection(current.MCP)
			c.Skill = mcpserver.Skill{Name: analytics.Name, Description: analytics.Description, Body: analytics.Body, File: analytics.File()}
			c.Connections, c.Connectors, c.Remembered, c.Query = h.connections, h, h, h.query
			c.Discover, c.Semantic = h.discover, h.numbers
			h.given.Add(sdk.Config{Secrets: map[string]sdk.Secret{"token": c.Token}})
			c.Redact = func(text string) string { return token.Redact(h.given.Scrub(text)) }
			if err := h.watch(context.Background(), current, version, &c); err != nil {
				return nil, err
			}
			server, err := mcpserver.New(c)
			h.server.Store(server)
			return server, err
		},
		Close: func(ctx context.Context) error {
			wait := h.flush(ctx) // beside the connectors, which may take all the time there is
			err := errors.Join(h.supervisor.Close(ctx), h.index.Close())
			wait()
			return errors.Join(err, state.Close())
		},
	}, nil
}

// furnish makes the rooms that work on what is kept in a project folder.
func (h *house) furnish(folder string) (err error) {
	h.catalogs = catalog.NewSet(project.CatalogPath(folder))
	h.decisions = func(id connection.ID) string { return project.DecisionsPath(folder, string(id)) }
	if h.pages, err = wiki.Open(project.WikiPath(folder), os.Getenv(wikiUser)); err != nil {
		return err
	}
	h.semantic = layer.New(layer.Config{
		Dir: project.SemanticPath(folder), Cache: project.SemanticCachePath(folder), Catalogs: h.catalogs, Decisions: h.decisions, Logger: h.log,
	})
	h.numbers = semanticquery.New(semanticquery.Config{
		Connections: h.connections, Connectors: h, Remembered: h, Sessions: h,
		Layer: h.semantic, Run: h.run, Describe: h.query.Describe, Now: time.Now, Logger: h.log,
	})
	h.index = indexer.New(indexer.Config{
		Dir: project.IndexPath(folder), Connections: h.project.Connections, Catalogs: h.catalogs, Semantic: h.semantic, Wiki: h.pages, Logger: h.log,
	})
	h.discover = discover.New(discover.Config{
		Connections: h.connections, Connectors: h, Remembered: h,
		Catalogs: h.catalogs, Index: h.index, Wiki: h.pages, Decisions: h.decisions, Logger: h.log,
	})
	h.scan = scan.New(scan.Config{
		Connections: h.connections, Connectors: h, Sessions: h,
		Catalogs: h.catalogs, Index: h.index, Decisions: h.decisions, Logger: h.log, Now: time.Now,
	})
	return nil
}

// house holds the rooms and is the joint between them.
type house struct {
	project    *project.Source
	secrets    *secret.Resolver
	trust      *trust.Trust
	given      wire.Scrubber // the secrets that connections and the server were given
	found      *connector.Registry
	supervisor *connector.Supervisor
	memory     *connection.Memory
	query      *query.Service
	catalogs   *catalog.Set
	decisions  func(connection.ID) string
	semantic   *layer.Layer
	numbers    *semanticquery.Service
	pages      *wiki.Wiki
	index      *indexer.Indexer
	discover   *discover.Service
	scan       *scan.Service
	observed
	log *slog.Logger
}

// connections returns the configured connections that are open to the caller of
// ctx. Every use case asks here; who keeps something for all callers, as the indexer
// does, asks the project.
func (h *house) connections(ctx context.Context) (*connection.Registry, error) {
	all, err := h.project.Connections(ctx)
	who := caller.Of(ctx)
	switch {
	case !who.Narrows():
		return all, err
	case err != nil: // it may name others
		return nil, sdk.Errorf(sdk.KindOf(err), sdk.SourceHost, "the project's file cannot be used as it is").
			WithHint("ask whoever runs the server: loam doctor says what is wrong")
	}
	return all.Only(func(id connection.ID) bool { return who.AllowsConnection(string(id)) }), nil
}

// Describe returns what the manifest of a connection's connector says.
func (h *house) Describe(c connection.Connection) (sdk.Description, error) {
	installed, err := h.found.Find(c.Connector, c.Path)
	return installed.Description, err
}

// run runs a statement of the semantic layer as every other statement is run.
func (h *house) run(ctx context.Context, s semanticquery.Statement, rows semanticquery.Rows) (semanticquery.Outcome, error) {
	r := query.Request{Connection: s.Connection, SQL: s.SQL, MaxRows: s.MaxRows, MaxBytes: s.MaxBytes}
	if s.Progress != nil {
		r.Progress = func(fraction float64, message string) { s.Progress(query.Executed(fraction), message) }
	}
	summary, err := h.query.Run(ctx, r, rows)
	return semanticquery.Outcome(summary), err
}

// remember keeps what opening a connection found. It is worth a warning, not a
// failed query, when it cannot be kept.
func (h *house) remember(id string, server sdk.ServerInfo, failure error) {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	registry, err := h.project.Connections(ctx)
	if err == nil {
		var c connection.Connection
		if c, err = registry.Get(connection.ID(id)); err == nil {
			err = h.memory.Record(ctx, c, server, failure)
		}
	}
	if err != nil {
		h.log.Warn("what is known of a connection was not kept", "connection", id, "error", err)
	}
}
