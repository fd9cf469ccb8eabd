package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/agents/skill"
	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/assemble/guide"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/install"
	"github.com/loam-data/loam/host/internal/install/machine"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/skillset"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/host/internal/usage"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/host/internal/workspace"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/wire"
)

// recordTimeout bounds the write of what opening a connection found.
const recordTimeout = 5 * time.Second

// wikiUser names the variable with the user whose own wiki pages are read
// beside the global ones.
const wikiUser = "LOAM_USER"

// open makes the application of a project folder. Nothing is read, opened or
// started before a command needs it.
func open(version, dir string, log *slog.Logger) (*application, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "working directory: %w", err)
	}
	folder, err := project.Find(dir, os.Getenv, cwd)
	if err != nil {
		return nil, err
	}
	trusted := newTrust(folder)
	named, err := project.FindState(folder, os.Getenv)
	if err != nil {
		return nil, err
	}
	// Memory writes in .loam of the project also where the state is elsewhere, and a new state
	// begins with files of it.
	if err := trusted.CheckLinks(string(project.StateFolder(folder))); err != nil {
		return nil, err
	}
	if below, err := filepath.Rel(folder, string(named)); err == nil && filepath.IsLocal(below) {
		if err := trusted.CheckLinks(string(named)); err != nil {
			return nil, err
		}
	}
	own, temporary, err := ownFolder(folder, named, log)
	if err != nil {
		return nil, err
	}
	state := store.NewLazy(own.Database())
	source := project.NewSource(folder, time.Now)
	sums := connector.NewSums()
	installer := install.New(install.Config{
		Sums: sums, Logger: log,
		Dir: folder, Store: machine.New(connector.DataFolder()), Project: source.Current, PolicyFile: policy.MachineFile,
		Platform: wire.PlatformName(runtime.GOOS, runtime.GOARCH), Everything: os.Getenv(trust.Variable) == "1", Now: time.Now,
	})
	a := &application{
		own: own, temporary: temporary, decided: state,
		project:  source,
		install:  installer,
		secrets:  secret.New(folder, connector.Inherited(os.Environ(), nil), log),
		trust:    trusted,
		registry: connector.NewLockedRegistry(connector.Places(), installer.Locked),
		known:    connection.NewStateStore(state, time.Now),
		state:    state,
		tokens:   token.New(own.Tokens(), time.Now),
		version:  version,
		log:      log,
	}
	if own != named {
		a.decided = store.NewCopy(decidedPath(own), named.Database()) // a person's decision is refused rather than lost
	}
	a.supervisor = connector.New(connector.Config{Logger: log, HostVersion: version, OnOpen: a.remember, Admit: a.admit, Sums: sums})
	a.warehouses = warehouse.New(a.connections, a, log)
	a.query = query.New(a.warehouses, filepath.Base(folder))
	a.observe()
	if err := a.makeServices(folder); err != nil {
		return nil, err
	}
	return a, nil
}

// makeServices makes the services that work on the files of a project folder.
func (a *application) makeServices(folder string) (err error) {
	a.catalogs = catalog.NewSet(a.own.Catalog())
	a.keys = foreignkey.NewSet(func(id connection.ID) string { return project.DecisionsPath(folder, string(id)) })
	if a.wiki, err = wiki.Open(project.WikiPath(folder), os.Getenv(wikiUser)); err != nil {
		return err
	}
	a.layer = layer.New(layer.Config{
		Dir: project.SemanticPath(folder), Cache: a.own.SemanticCache(), Catalogs: a.catalogs, Keys: a.keys, Logger: a.log,
	})
	a.index = indexer.New(indexer.Config{
		Dir: a.own.Index(), Connections: a.project.Connections, Catalogs: a.catalogs, Semantic: a.layer, Wiki: a.wiki, Logger: a.log,
	})
	a.chunks = chunk.New(a.decided, time.Now)
	a.fileIndex = indexer.New(indexer.Config{Dir: a.own.FileIndex(), Files: a.chunks, Logger: a.log})
	a.saved = library.New(project.QueriesPath(folder))
	a.remembered = a.newMemory(folder)
	a.runs = a.newRuns()
	a.collected = a.newCollect(folder)
	a.skillset = a.newSkills(folder)
	a.notes = a.newNotes()
	a.workspace = a.newWorkspace()
	a.semanticQuery = semanticquery.New(semanticquery.Config{
		Warehouses: a.warehouses, Layer: a.layer, Query: a.query, Now: time.Now, Memory: a.remembered,
		FiscalYear: a.fiscalYear,
	})
	a.discover = discover.New(discover.Config{
		Warehouses: a.warehouses, Catalogs: a.catalogs, Index: a.index, Wiki: a.wiki, Keys: a.keys, Files: a.fileIndex, Texts: a.chunks, Notes: a.notes, Logger: a.log,
		Uses: a.uses, Disputes: a.remembered.Disputes, Now: time.Now,
	})
	a.findings = finding.New(finding.Config{
		Warehouses: a.warehouses, Catalogs: a.catalogs, Keys: a.keys, Layer: a.layer, Uses: a.uses, Try: a.try, Now: time.Now, Logger: a.log,
	})
	a.assemble = assemble.New(assemble.Config{
		Warehouses: a.warehouses, Catalogs: a.catalogs, Index: a.index, Keys: a.keys, Used: a.discover.Used,
		Approved: func(ctx context.Context) ([]assemble.ApprovedQuery, error) { return reviewed(ctx, a.saved) }, Extracting: a.extracting, Logger: a.log,
	})
	a.approved = approved.New(approved.Config{
		Warehouses: a.warehouses, Queries: a.saved, Query: a.query, Findings: a.findings.Of, Usage: a.savedUsage,
	})
	a.ask = ask.New(ask.Config{
		Warehouses: a.warehouses, Query: a.query, Catalogs: a.catalogs, Findings: a.findings.Of, History: a.history, Tables: a.discover.Tables, Offer: a.offer, Now: time.Now,
	})
	a.guide = guide.New(guide.Config{
		Warehouses: a.warehouses, Layer: a.layer, Wiki: a.wiki, Queries: a.saved, Disputes: a.remembered.Disputes, Try: a.try,
	})
	a.review = review.New(review.Config{
		Keys: a.keys, Now: time.Now, Record: a.recordDecisions,
		Lock: func(ctx context.Context) (func() error, error) { return project.Lock(ctx, folder) },
	})
	a.daemon = daemon.New(string(a.own))
	a.agents = func() (*agents.Agents, error) { return a.clients(folder) }
	a.health = health.New(health.Config{
		Version: a.version, Endpoint: transport.Endpoint, Project: a.project, State: a.state, Catalogs: a.catalogs, Review: a.review, Layer: a.layer, Semantic: a.semanticQuery,
		Wiki: a.wiki, DeadSLRefs: a.discover.DeadSLRefs, Memory: a.remembered, Index: a.index, Trust: a.trust, Daemon: a.daemon, Agents: a.agents,
		Connections: a.connections, Known: a.LastKnown, Describe: a.Describe, Test: a.test, Resume: a.resume, Tested: a.known.Tested, Free: file.Free,
	})
	a.scan = scan.New(scan.Config{
		Warehouses: a.warehouses, Catalogs: a.catalogs, Index: a.index, Decisions: a.keys.File, Tags: a.query.Tags, Logger: a.log, Now: time.Now,
	})
	a.jobs = a.newJobs()
	return nil
}

// reviewed returns the saved queries that a person reviewed, of all connections.
func reviewed(ctx context.Context, saved *library.Library) (all []assemble.ApprovedQuery, err error) {
	items, err := saved.Items(ctx)
	for _, item := range items {
		if item.Query != nil && item.Query.Reviewed {
			all = append(all, assemble.ApprovedQuery{ConnectionID: item.Connection, Name: item.Name, Title: item.Query.Title})
		}
	}
	return all, err
}

// try returns an error unless the semantic layer of a connection can answer a request.
func (a *application) try(ctx context.Context, id connection.ID, request json.RawMessage) error {
	_, err := a.semanticQuery.Compile(ctx, semanticquery.Request{Connection: id, Body: request})
	return err
}

// offer adds existing tables with similar names to the error of a statement.
func (a *application) offer(ctx context.Context, id connection.ID, sql string, err error) error {
	return discover.Offer(err, func() []string { return a.discover.Statement(ctx, id, sql).Tables })
}

// application holds the services of one project and connects them.
type application struct {
	version       string
	own           project.State // where the host writes
	temporary     string        // the folder around it that goes with the application; "" = none
	state         *store.Lazy
	decided       *store.Lazy // what the memory keeps; a copy that takes no writes while own is temporary
	tokens        *token.Store
	project       *project.Source
	install       *install.Service
	secrets       *secret.Resolver
	trust         *trust.Trust
	scrubber      wire.Scrubber // the secrets that connections and the server were given
	registry      *connector.Registry
	supervisor    *connector.Supervisor
	known         *connection.StateStore // what was last known of each
	warehouses    *warehouse.Set
	query         *query.Service
	catalogs      *catalog.Set
	keys          *foreignkey.Set
	layer         *layer.Layer
	semanticQuery *semanticquery.Service
	wiki          *wiki.Wiki
	index         *indexer.Indexer
	discover      *discover.Service
	findings      *finding.Service
	assemble      *assemble.Service
	approved      *approved.Service
	saved         *library.Library
	ask           *ask.Service
	guide         *guide.Guide
	review        *review.Service
	daemon        *daemon.Daemon
	agents        func() (*agents.Agents, error)
	health        *health.Service
	scan          *scan.Service
	remembered    *memory.Service
	runs          *run.Engine
	jobs          *job.Service
	chunks        *chunk.Engine
	fileIndex     *indexer.Indexer
	collected     *collect.Service
	skillset      *skillset.Service
	notes         *note.Engine
	workspace     *workspace.Service
	history       *history.Recorder
	usage         *usage.Service
	otlp          *otlp.Telemetry // nil unless a receiver is named
	server        atomic.Pointer[mcpserver.Server]
	log           *slog.Logger
}

// newServer makes the MCP server of the project.
func (a *application) newServer(c mcpserver.Config) (*mcpserver.Server, error) {
	current, err := a.project.Current(context.Background())
	if err != nil {
		return nil, err
	}
	analytics := skill.Analytics()
	c.Version, c.Logger, c.Configured = a.version, a.log, current.MCP
	c.Skill = mcpserver.Skill{Name: analytics.Name, Description: analytics.Description, Body: analytics.Body, File: analytics.File()}
	c.Warehouses, c.Query, c.Discover, c.Semantic = a.warehouses, advised{a.query, a.workspace}, a.discover, a.semanticQuery
	c.Guide, c.Assemble, c.Approved, c.Ask, c.Findings = a.guide, a.assemble, a.approved, a.ask, a.findings
	c.Memory, c.Changes, c.Writing, c.Files, c.Jobs = a.remembered, a.remembered, a.remembered, a.collected, a.jobs
	a.serveSkills(&c)
	c.Admin = a.admin()
	c.Workspace = a.workspace
	a.scrubber.Add(sdk.Config{Secrets: map[string]sdk.Secret{"token": c.Token}})
	c.Redact = func(text string) string { return token.Redact(a.scrubber.Scrub(text)) }
	if err := a.watch(context.Background(), current, &c); err != nil {
		return nil, err
	}
	c.Console = a.newConsole(current, &c)
	server, err := mcpserver.New(c)
	if err != nil {
		return nil, err
	}
	a.server.Store(server)
	a.remembered.Resume()
	return server, nil
}

// fiscalYear returns the month in which the fiscal year of the project starts, 0 = it has none.
func (a *application) fiscalYear(ctx context.Context) (time.Month, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return 0, err
	}
	return current.FiscalYearStart, nil
}

// connections returns the configured connections that are open to the caller of ctx, as
// they were when its call asked first. Every use case asks here. A package that keeps
// something for all callers, like the indexer, asks the project.
func (a *application) connections(ctx context.Context) (*connection.Registry, error) {
	all, err := telemetry.Once(ctx, a.project.Connections)
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
func (a *application) Describe(c connection.Connection) (sdk.Description, error) {
	installed, err := a.registry.Find(c.Connector, c.Path)
	return installed.Description, err
}

// dialect returns the dialect of a connection's server as it was last seen; nil when
// its connector is missing, without which a snapshot can be read all the same.
func (a *application) dialect(ctx context.Context, c connection.Connection) *dialect.Dialect {
	known, _ := a.warehouses.Of(c).Known(ctx)
	return known.Dialect()
}

// close gives the queue of the memory some seconds, ends the calls' records, every connector and the index, and flushes the state.
func (a *application) close(ctx context.Context) error {
	remembered := errors.Join(a.runs.Close(), a.remembered.Close()) // they use connectors and index
	wait := a.flush(ctx)                                            // beside the connectors, which may take all the time there is
	err := errors.Join(remembered, a.supervisor.Close(ctx), a.index.Close(), a.fileIndex.Close(), a.notes.Close())
	wait()
	err = errors.Join(err, a.state.Close(), a.decided.Close())
	if a.temporary != "" {
		err = errors.Join(err, os.RemoveAll(a.temporary))
	}
	return err
}

// remember records the outcome of opening a connection. A failure to record it is a
// warning: the query goes on.
func (a *application) remember(id string, server sdk.ServerInfo, failure error) {
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	registry, err := a.project.Connections(ctx)
	if err == nil {
		var c connection.Connection
		if c, err = registry.Get(connection.ID(id)); err == nil {
			err = a.known.Record(ctx, c, server, failure)
		}
	}
	if err != nil {
		a.log.Warn("what is known of a connection was not kept", "connection", id, "error", err)
	}
}

// clients sets up clients for the project in folder, which they may know by a
// name without symbolic links; without a project there, for servers elsewhere.
func (a *application) clients(folder string) (*agents.Agents, error) {
	machine, err := agents.ThisMachine()
	if err != nil {
		return nil, err
	}
	program, err := daemon.Program()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	config := agents.Config{
		Machine: machine, Project: folder, State: string(a.own), Command: machine.Command(program), Now: time.Now,
	}
	current, err := a.project.Current(context.Background())
	switch {
	case err == nil:
		config.Variables = a.variables(current)
	case sdk.KindOf(err) == sdk.KindNotFound:
		config.Project = ""
	}
	return agents.New(config), nil
}

// variables lists the environment variables that connections and the memory's language model need: those that their
// secrets refer to, and of those that their connectors ask for or that say where things
// are, the ones that are set.
func (a *application) variables(of *project.Project) []string {
	var names []string
	if of.Memory.Planner == "llm" {
		names = secret.Variables(map[string]any{"api_key": of.Memory.LLM.APIKey})
	}
	place := []string{connector.EnvPath, project.StateVariable, wikiUser, "DBUS_SESSION_BUS_ADDRESS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"}
	for _, c := range of.Connections.All() {
		names = append(names, secret.Variables(c.Config)...)
		if with, err := a.registry.Find(c.Connector, c.Path); err == nil {
			place = append(place, with.Description.EnvPassthrough...)
		}
	}
	for _, name := range place {
		if os.Getenv(name) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
