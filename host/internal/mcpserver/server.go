// Package mcpserver is the MCP server: it declares the tools, translates their calls to use cases, and
// serves them over stdio and Streamable HTTP. Each tool is one file with its schemas in schema/.
// Package tool registers tools, package transport carries their messages.
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/conformance"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
)

const (
	name  = "loam"
	title = "Loam"
)

// toolsetResearch is everything a data agent needs, and the default.
const toolsetResearch = "research"

// toolsetContext says what a project is about, and takes what agents learn of it; toolsetQueries keeps
// queries. Both are off by default.
const (
	toolsetContext = "context"
	toolsetQueries = "queries"
)

// toolsetWorkspace keeps what agents learn while they work, toolsetSources the texts of files, and toolsetAdmin
// looks after a project. All are off by default.
const (
	toolsetWorkspace = "workspace"
	toolsetSources   = "sources"
	toolsetAdmin     = "admin"
)

// toolsetLegacy has tools under names of other servers. Each is a fixed call of another tool.
const toolsetLegacy = "legacy"

// allToolsets stands for every toolset but toolsetLegacy in a Selection.
const allToolsets = "all"

// Selection says which tools are switched on.
type Selection = tool.Selection

// maxAnswer is the largest AnswerSize, in characters.
const maxAnswer = 8 << 20

// listFresh is how long a client may keep the list of tools, which changes only
// with the server.
const listFresh = time.Minute

// Config is what a Server is made of. Name, Version, Logger, Warehouses,
// Query, Discover, Findings, Semantic, Assemble, Approved, Ask, Files, Memory, Changes, Writing, Jobs, Skills, SkillWriting,
// Workspace, Admin and Skill are required.
type Config struct {
	Name    string // "" = "loam"
	Version string
	Logger  *slog.Logger

	Warehouses *warehouse.Set
	// Query runs statements.
	Query querier
	// Discover answers what exists.
	Discover discoverer
	// Findings says what is probably wrong with a statement that returned nothing.
	Findings finder
	// Semantic asks the semantic layer.
	Semantic semantic
	// Approved lists and runs saved queries.
	Approved approving
	// Assemble answers what the project is about.
	Assemble assembling
	// Memory accepts what is to be remembered, and Changes is what became of it.
	Memory  remembering
	Changes changes
	// Writing proposes single changes.
	Writing writing
	// Workspace saves and finds notes.
	Workspace noting
	// Ask checks and explains statements, reads samples and lists past statements.
	Ask statements
	// Files stores the texts of files.
	Files files
	// Admin looks after the project.
	Admin Admin
	// Jobs is long work.
	Jobs jobs

	// Selection is what the command line says of the tools, Configured what the
	// project's file does. Each name list of the former replaces the latter's; either
	// can ask for read-only tools. Neither toolsets nor tools = research.
	Selection, Configured Selection
	// Guide writes prompts; nil = the skill is the only one.
	Guide guide
	// Skill is served beside the tools.
	Skill Skill
	// Skills are those of the project: SkillServing has the reviewed ones, nil = none are served; SkillWriting proposes
	// changes.
	Skills       skillCatalog
	SkillServing skillServing
	SkillWriting skillWriting
	// AnswerSize bounds the rows of one answer, in characters of JSON; 0 =
	// query.DefaultMaxBytes, at most 8 Mi.
	AnswerSize int
	// Calls, AskTime, Redact, Audit, Tracer and CheckOutput are those of tool.Config.
	Calls       int
	AskTime     time.Duration
	Redact      func(string) string
	Audit       func(context.Context, tool.Record)
	Tracer      telemetry.Tracer
	CheckOutput bool
	// Console answers the requests below /console; nil = there is none.
	Console http.Handler
	// TrustedProxy: the console believes X-Forwarded-Proto, by which a proxy says that the browser's connection is
	// encrypted.
	TrustedProxy bool

	Limits transport.Limits
	// Host, Token, Tokens, AllowedHosts and AllowedOrigins are those of
	// transport.Access.
	Host           string
	Token          sdk.Secret
	Tokens         *token.Store
	AllowedHosts   []string
	AllowedOrigins []string
}

type querier interface {
	Run(ctx context.Context, req query.Request, sink query.Sink) (query.Summary, error)
}

type discoverer interface {
	Search(context.Context, discover.SearchRequest) (*discover.SearchAnswer, error)
	Entities(context.Context, discover.EntitiesRequest) (*discover.EntitiesAnswer, error)
	Values(context.Context, discover.ValuesRequest) (*discover.ValuesAnswer, error)
	Statement(ctx context.Context, id connection.ID, sql string) discover.Statement
	SearchWiki(ctx context.Context, query string, limit int) (*discover.WikiAnswer, error)
	ReadWiki(ctx context.Context, key string) (*discover.WikiPage, error)
	Scanned(connection.ID) (*catalog.Identity, error)
	completing
}

type completing interface {
	ConnectionIDs(ctx context.Context, prefix string) (*discover.Names, error)
	TableNames(ctx context.Context, id connection.ID, prefix string) (*discover.Names, error)
	PageKeys(ctx context.Context, prefix string) (*discover.Names, error)
}

type semantic interface {
	Run(context.Context, semanticquery.Request, semanticquery.Sink) (*semanticquery.Compiled, query.Summary, error)
	ReadSource(context.Context, semanticquery.SourceRequest) (*semanticquery.SourceAnswer, error)
	SourceNames(ctx context.Context, id connection.ID, prefix string) (names []string, total int, err error)
}

type approving interface {
	List(context.Context, approved.ListRequest) (*approved.Listing, error)
	Show(ctx context.Context, name string, id connection.ID) (*approved.Shown, error)
	Execute(context.Context, approved.Run, query.Sink) (*approved.Result, error)
}

type assembling interface {
	Context(context.Context, assemble.ContextRequest) (*assemble.ContextAnswer, error)
	Schema(context.Context, assemble.SchemaRequest) (*assemble.SchemaAnswer, error)
	Glossary(context.Context, connection.ID) (*assemble.ContextAnswer, error)
}

type remembering interface {
	Accept(context.Context, memory.Input) (memory.Accepted, error)
	Status(context.Context, memory.RunID) (*memory.Run, error)
}

type changes interface {
	Changes(context.Context, memory.ChangesRequest) (*memory.ChangesAnswer, error)
	Change(ctx context.Context, id string) (*memory.Detail, error)
	Approve(context.Context, memory.Decision) ([]memory.Decided, error)
	Reject(context.Context, memory.Decision) ([]memory.Decided, error)
}

type writing interface {
	SuggestKnowledge(context.Context, memory.Call, memory.Knowledge) (*memory.Suggested, error)
	EnhanceEntity(context.Context, memory.Call, memory.Enhancement) (*memory.Suggested, error)
	EnhanceRelationship(context.Context, memory.Call, memory.Edge) (*memory.Suggested, error)
	RecommendQuery(context.Context, memory.Call, memory.QuerySuggestion) (*memory.SuggestedQuery, error)
	ReplacePage(context.Context, memory.Call, memory.PageWrite) (*memory.Suggested, error)
	ReplaceSource(context.Context, memory.Call, memory.SourceWrite) (*memory.Suggested, error)
}

type files interface {
	Push(context.Context, collect.PushRequest) (*collect.Answer, error)
	BeginIndex(ctx context.Context, r collect.IndexRequest, wait time.Duration, progress func(sdk.Progress)) (*collect.Indexed, error)
}

type statements interface {
	Validate(context.Context, ask.Statement) (*ask.Validation, error)
	Explain(ctx context.Context, in ask.Statement, maxChars int) (*ask.Plan, error)
	Sample(context.Context, ask.SampleRequest, query.Sink) (ask.Sample, error)
	QueryHistory(context.Context, ask.HistoryRequest) (*ask.History, error)
}

// Server serves MCP clients.
type Server struct {
	wire     transport.Config
	http     *transport.HTTP
	toolsets []string
}

// New makes a server; nothing listens yet.
// Errors: KindInvalid for a host, origin, toolset or limit that cannot be.
func New(c Config) (*Server, error) {
	if c.AnswerSize < 0 || c.AnswerSize > maxAnswer {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "an answer of %d characters is not possible", c.AnswerSize).
			WithHint("choose a size from 1 to %d, or 0 for %d", maxAnswer, query.DefaultMaxBytes)
	}
	tools, err := register(c)
	if err != nil {
		return nil, err
	}
	chosen := c.selection()
	chosen.Toolsets = expand(chosen.Toolsets, tools.Toolsets())
	if err := tools.Select(chosen); err != nil {
		return nil, err
	}
	fixtures := tools.Enabled(conformance.Toolset)
	project := c.projectSkills()
	hooks := &server.Hooks{}
	hooks.AddAfterListResourceTemplates(withoutAny)
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
		r.Tools = tools.Listed(ctx, r.Tools)
	})
	hooks.AddAfterDiscover(offerTasks(tools))
	options := []server.ServerOption{
		server.WithTitle(title),
		server.WithInstructions(instructions(chosen.Toolsets, tools.Toolsets())),
		server.WithToolCapabilities(fixtures), // the lists never change while the server runs
		server.WithPromptCapabilities(fixtures),
		server.WithResourceCapabilities(fixtures, false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(completion{c.resources(), c.prompts(), project}),
		server.WithPromptCompletionProvider(completion{c.resources(), c.prompts(), project}),
		server.WithExtensions(map[string]any{skillsExtension: struct{}{}}),
		server.WithToolHandlerMiddleware(transport.EndCalls),
		server.WithHooks(hooks),
		server.WithCacheHints(listFresh.Milliseconds(), mcp.CacheScopePrivate),
	}
	options = append(options, project.options()...)
	if fixtures {
		options = append(options, conformance.Options()...)
	}
	library := server.NewMCPServer(cmp.Or(c.Name, name), c.Version, options...)
	tools.Install(library)
	c.Skill.install(library)
	c.resources().install(library)
	c.prompts().install(library)
	project.install(library, hooks)
	if fixtures {
		conformance.Install(library)
	}
	self, err := json.Marshal(c.implementation())
	if err != nil {
		return nil, err
	}
	methods := c.skillMethods(project)
	maps.Copy(methods, c.taskMethods(tools))
	s := &Server{toolsets: chosen.Toolsets, wire: transport.Config{
		Library: library, Check: tools.Check, Admit: tools.Admit, Self: self, Methods: methods, Task: c.began, Console: c.Console, Logger: c.Logger, Limits: c.Limits,
	}}
	access := transport.Access{Host: c.Host, Token: c.Token, Tokens: c.Tokens, AllowedHosts: c.AllowedHosts, AllowedOrigins: c.AllowedOrigins}
	s.http, err = transport.NewHTTP(s.wire, access, c.Version)
	return s, err
}

// implementation is what the server says of itself.
func (c Config) implementation() mcp.Implementation {
	return mcp.Implementation{Name: cmp.Or(c.Name, name), Title: title, Version: c.Version}
}

// selection returns the selection in force: Selection, else Configured.
func (c Config) selection() Selection {
	either := func(given, configured []string) []string {
		if len(given) > 0 {
			return given
		}
		return configured
	}
	s := Selection{
		Toolsets:     either(c.Selection.Toolsets, c.Configured.Toolsets),
		Tools:        either(c.Selection.Tools, c.Configured.Tools),
		ExcludeTools: either(c.Selection.ExcludeTools, c.Configured.ExcludeTools),
		ReadOnly:     c.Selection.ReadOnly || c.Configured.ReadOnly,
	}
	if len(s.Toolsets) == 0 && len(s.Tools) == 0 {
		s.Toolsets = []string{toolsetResearch}
	}
	return s
}

// instead names the tool to call for one that other servers have. No tool writes to a warehouse.
var instead = map[string]string{
	"execute":               "sql_execution, which runs one statement that only reads",
	"memory_capture":        "memory_ingest",
	"memory_capture_status": "memory_ingest_status",
}

// expand replaces allToolsets by the toolsets that it stands for.
func expand(chosen, all []string) (names []string) {
	if !slices.Contains(chosen, allToolsets) {
		return chosen
	}
	for _, name := range chosen {
		if name != allToolsets {
			names = append(names, name)
			continue
		}
		for _, toolset := range all {
			if toolset != toolsetLegacy {
				names = append(names, toolset)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// register declares every tool there is, switched on or not.
func register(c Config) (*tool.Set, error) {
	set := tool.New(tool.Config{
		Logger: c.Logger, Calls: c.Calls, Admit: transport.NewRates(c.Limits).Take,
		Ask: c.Configured.Ask, AskTime: c.AskTime,
		Redact: c.Redact, Audit: c.Audit, Tracer: c.Tracer, CheckOutput: c.CheckOutput, Hidden: []string{conformance.Toolset},
		Instead: instead,
	})
	return set, errors.Join(
		tool.Register(set, connectionList(c)),
		tool.Register(set, discoverData(c)),
		tool.Register(set, entityDetails(c)),
		tool.Register(set, dictionarySearch(c)),
		tool.Register(set, wikiSearch(c)),
		tool.Register(set, wikiRead(c)),
		tool.Register(set, slReadSource(c)),
		tool.Register(set, slQuery(c)),
		tool.Register(set, sqlExecution(c)),
		tool.Register(set, memoryIngest(c)),
		tool.Register(set, memoryIngestStatus(c)),
		tool.Register(set, changeList(c)),
		tool.Register(set, changeGet(c)),
		tool.Register(set, changeApprove(c)),
		tool.Register(set, changeReject(c)),
		tool.Register(set, getContext(c)),
		tool.Register(set, searchSchema(c)),
		tool.Register(set, suggestKnowledge(c)),
		tool.Register(set, enhanceEntity(c)),
		tool.Register(set, enhanceRelationship(c)),
		tool.Register(set, listApprovedQueries(c)),
		tool.Register(set, executeApprovedQuery(c)),
		tool.Register(set, recommendQuery(c)),
		tool.Register(set, getQueryHistory(c)),
		tool.Register(set, sample(c)),
		tool.Register(set, validateStatement(c)),
		tool.Register(set, explainQuery(c)),
		tool.Register(set, skillCreate(c)),
		tool.Register(set, skillSearch(c)),
		tool.Register(set, skillList(c)),
		tool.Register(set, skillUpdate(c)),
		tool.Register(set, skillDelete(c)),
		tool.Register(set, skillApply(c)),
		tool.Register(set, wikiWrite(c)),
		tool.Register(set, slWriteSource(c)),
		tool.Register(set, ingestSourceFiles(c)),
		tool.Register(set, indexRepository(c)),
		tool.Register(set, healthTool(c)),
		tool.Register(set, status(c)),
		tool.Register(set, echo(c)),
		tool.Register(set, analyticsGet(c)),
		tool.Register(set, connectionTest(c)),
		tool.Register(set, slListSources(c)),
		tool.Register(set, slValidate(c)),
		tool.Register(set, scanTrigger(c)),
		tool.Register(set, scanStatus(c)),
		tool.Register(set, scanReport(c)),
		tool.Register(set, scanListArtifacts(c)),
		tool.Register(set, scanReadArtifact(c)),
		tool.Register(set, ingestTrigger(c)),
		tool.Register(set, ingestStatus(c)),
		tool.Register(set, ingestReport(c)),
		tool.Register(set, ingestReplay(c)),
		tool.Register(set, checkpointSave(c)),
		tool.Register(set, checkpointSearch(c)),
		tool.Register(set, checkpointList(c)),
		tool.Register(set, remediationSave(c)),
		tool.Register(set, remediationSearch(c)),
		tool.Register(set, troubleshoot(c)),
		tool.Register(set, listPatterns(c)),
		tool.Register(set, getSchema(c)),
		tool.Register(set, getOntology(c)),
		tool.Register(set, getGlossary(c)),
		tool.Register(set, legacyQuery(c)),
		conformance.Register(set))
}

// ServeStdio serves one client over a pair of pipes; see transport.ServeStdio.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return transport.ServeStdio(ctx, s.wire, in, out)
}

// Serve serves Streamable HTTP on l at /mcp; see transport.HTTP.Serve.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.http.Serve(ctx, l) }

// Sessions returns how many clients have a session over HTTP.
func (s *Server) Sessions() int { return s.http.Sessions() }

// Toolsets returns those that are switched on as a whole.
func (s *Server) Toolsets() []string { return slices.Clone(s.toolsets) }

// AsksForToken reports whether requests over HTTP must carry a token.
func (s *Server) AsksForToken() bool { return s.http.AsksForToken() }

// Toolsets lists those that there are, by name.
func Toolsets() ([]string, error) {
	set, err := register(Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return set.Toolsets(), nil
}

// ToolDoc is one tool as its clients see it.
type ToolDoc struct {
	Name, Title, Toolset, Description string
	// Command is the command line of the same use case; "" = there is none.
	Command  string
	ReadOnly bool
	// Default: the tool is on unless a selection says otherwise.
	Default bool
	// Off is why the tool is switched off; "" = it is on.
	Off           string
	Input, Output json.RawMessage // JSON Schemas
	// Bytes are those that the tool has in tools/list, and Tokens an estimate of what they
	// cost a model.
	Bytes, Tokens int
}

// Docs describes all tools, those of the default toolset first, with what a selection of
// the command line and one of the project's file switch off.
// Errors: those of New about a selection.
func Docs(given, configured Selection) ([]ToolDoc, error) {
	set, err := register(Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	chosen := Config{Selection: given, Configured: configured}.selection()
	chosen.Toolsets = expand(chosen.Toolsets, set.Toolsets())
	if err := set.Select(chosen); err != nil {
		return nil, err
	}
	var docs []ToolDoc
	for _, t := range set.All() {
		listed, err := json.Marshal(t.Tool)
		if err != nil {
			return nil, err
		}
		docs = append(docs, ToolDoc{
			Name: t.Name, Title: t.Title, Toolset: t.Toolset, Command: t.Command, Description: t.Description, ReadOnly: *t.Annotations.ReadOnlyHint,
			Default: t.Toolset == toolsetResearch, Off: t.Off, Input: t.RawInputSchema, Output: t.RawOutputSchema,
			Bytes: len(listed), Tokens: tokens.Estimate(string(listed)),
		})
	}
	slices.SortStableFunc(docs, func(a, b ToolDoc) int {
		return cmp.Or(cmp.Compare(rank(a.Toolset), rank(b.Toolset)), cmp.Compare(a.Toolset, b.Toolset))
	})
	return docs, nil
}

// rank orders toolsets: the default one comes first.
func rank(toolset string) int {
	if toolset == toolsetResearch {
		return 0
	}
	return 1
}
