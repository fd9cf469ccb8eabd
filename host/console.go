package host

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	snapshot "github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/console"
	"github.com/loam-data/loam/host/internal/console/catalog"
	"github.com/loam-data/loam/host/internal/console/code"
	"github.com/loam-data/loam/host/internal/console/health"
	calls "github.com/loam-data/loam/host/internal/console/history"
	"github.com/loam-data/loam/host/internal/console/page"
	runner "github.com/loam-data/loam/host/internal/console/query"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/console/review"
	"github.com/loam-data/loam/host/internal/console/saved"
	"github.com/loam-data/loam/host/internal/console/search"
	"github.com/loam-data/loam/host/internal/console/semantic"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/console/wiki"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/project/setting"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

// newConsole makes the console of a server. Nothing is read, parsed or kept before its first request; each request is
// served with the settings that the project has by then.
func (a *application) newConsole(current *project.Project, c *mcpserver.Config) *console.Server {
	host := cmp.Or(c.Host, "127.0.0.1")
	return console.New(console.Config{
		Groups: a.pages(c),
		Settings: func(ctx context.Context) (console.Settings, error) {
			now, err := a.project.Current(ctx)
			if err != nil {
				return console.Settings{}, err
			}
			set := now.Console
			return console.Settings{Enabled: !set.Off, Token: set.Token != "", ReaderQuery: set.ReaderQuery, Idle: set.Idle}, nil
		},
		Tokens:  func(ctx context.Context) (console.Tokens, error) { return a.consoleTokens(ctx, c.Token) },
		Take:    func(given string) (string, error) { return code.Take(string(a.own), given, time.Now()) },
		Project: filepath.Base(current.Dir), Version: a.version, User: userName(),
		Local: (&project.Console{}).LoginAt(host) != project.ConsoleClosed, TrustedProxy: c.TrustedProxy,
		Redact: c.Redact, Now: time.Now, Logger: a.log,
	})
}

// consoleTokens resolves the tokens that the project has now. server is the token of the MCP server.
func (a *application) consoleTokens(ctx context.Context, server sdk.Secret) (tokens console.Tokens, err error) {
	now, err := a.project.Current(ctx)
	if err != nil {
		return console.Tokens{}, err
	}
	tokens.Reviewer, err = a.consoleToken(ctx, now.Console.Token)
	if err == nil {
		tokens.Reader, err = a.consoleToken(ctx, now.Console.ReaderToken)
	}
	if err == nil {
		err = project.CheckConsoleTokens(tokens.Reviewer, tokens.Reader, server)
	}
	if err != nil {
		return console.Tokens{}, err
	}
	return tokens, nil
}

// consoleToken resolves a token of the console; none without a reference. Nobody has to trust it: it is compared with
// what people type, and sent nowhere.
func (a *application) consoleToken(ctx context.Context, reference string) (sdk.Secret, error) {
	if reference == "" {
		return sdk.Secret{}, nil
	}
	return a.secrets.Granting(func(r string) bool { return r == reference }).Resolve(ctx, reference)
}

// userName returns the name of the operating system's user, "" when it has none.
func userName() string {
	who, err := user.Current()
	if err != nil {
		return ""
	}
	return cmp.Or(who.Name, who.Username)
}

// pages returns the pages of the console.
func (a *application) pages(c *mcpserver.Config) []page.Group {
	return []page.Group{
		result.Group(), shown.Group(),
		review.Pages(review.Services{Memory: a.remembered, Jobs: a.jobs}),
		calls.Pages(calls.Services{State: a.state, Log: a.decided, Connections: a.connections, Settings: a.historySettings}),
		saved.Pages(saved.Services{Queries: a.approved, State: a.decided, Connections: a.connections, Record: a.history.Record}),
		runner.Pages(runner.Services{
			Connections: a.connections, Run: advised{a.query, a.workspace}.Run, Semantic: a.semanticQuery, Findings: a.findings.OfEmpty, Offer: a.offer,
			Propose: a.remembered.ProposeQuery, Record: a.recordShown, AnswerSize: c.AnswerSize, Redact: c.Redact, Now: time.Now,
		}),
		semantic.Pages(semantic.Services{
			Connections: a.connections, Semantic: a.semanticQuery, Memory: a.remembered, Probes: a.remembered.Probes, Mentions: a.mentions, Record: a.recordShown,
			AnswerSize: c.AnswerSize, Redact: c.Redact, Now: time.Now,
		}),
		catalog.Pages(catalog.Services{
			Connections: a.connections, Catalogs: a.catalogs, Keys: a.keys, Dialect: a.dialect, Review: a.review, Discover: a.discover, Ask: a.ask,
			Source: a.sourceOf, Memory: a.remembered, Record: a.recordShown, Redact: c.Redact, Now: time.Now,
		}),
		wiki.Pages(wiki.Services{Discover: a.discover, Wiki: a.wiki, Files: a.remembered, Revisions: a.remembered, Changes: a.remembered}),
		search.Pages(search.Services{Discover: a.discover, Connections: a.connections}),
		health.Pages(health.Services{
			Health: a.health, Settings: a.settings, Trust: a.trusted, Recorded: a.history.Stats, Redact: c.Redact,
		}),
	}
}

// settings returns the effective settings of the project.
func (a *application) settings(ctx context.Context) ([]setting.Setting, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return nil, err
	}
	return setting.Of(current, "", os.Getenv)
}

// trusted returns what the project asks for on this machine.
func (a *application) trusted(ctx context.Context) ([]trust.Item, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return nil, err
	}
	items, _, err := a.trust.Items(current, func(c connection.Connection) (connector.Installed, error) {
		return a.registry.Find(c.Connector, c.Path)
	})
	return items, err
}

// recordShown puts a question of the console to a warehouse into the history of calls.
func (a *application) recordShown(ctx context.Context, c shown.Call) {
	who := caller.Of(ctx)
	a.history.Record(history.Call{
		Request: telemetry.ID(ctx), Started: c.Started, Elapsed: c.Elapsed, Tool: c.Tool, Connection: c.Connection,
		Arguments: c.Arguments, Outcome: c.Outcome, Rows: c.Rows, Bytes: c.Bytes,
		Caller: caller.Record{Client: "Loam console", Version: a.version, Transport: who.Transport, Principal: c.Actor.Name(), Session: who.Session()},
	})
}

// sourceOf returns the source of the semantic layer that describes a table; nil when there is none.
func (a *application) sourceOf(ctx context.Context, id connection.ID, table sdk.TableRef) (*catalog.Source, error) {
	of, err := a.warehouses.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	state, err := a.layer.Current(ctx, id, a.dialect(ctx, of.Connection))
	if err != nil {
		return nil, err
	}
	source, _ := state.Model.FindSource(snapshot.Display(table))
	if source == nil {
		return nil, nil
	}
	return &catalog.Source{Identity: source.Identity, Description: source.Description}, nil
}

// mentions returns the pages that name a member of a semantic layer among their references.
func (a *application) mentions(ctx context.Context, _ connection.ID, member string) (all []semantic.Mention, err error) {
	view, err := a.wiki.View(ctx)
	if err != nil {
		return nil, err
	}
	for p := range view.Pages() {
		if slices.Contains(p.SLRefs, member) || slices.Contains(p.Refs, member) {
			all = append(all, semantic.Mention{Kind: "page", Name: p.Key, Link: page.Link("wiki", p.Key)})
		}
	}
	return all, nil
}
