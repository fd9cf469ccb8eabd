// Package query is the query runner of the console: a person writes a statement or chooses measures, and sees the rows,
// a chart of them, or saves them as CSV. Statements run as those of agents do: the same guard, executor and limits.
package query

import (
	"context"
	"embed"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

//go:embed template/*.html
var templates embed.FS

// Services are the use cases that the runner calls. All are required, unless noted.
type Services struct {
	// Connections returns the connections of the project.
	Connections func(ctx context.Context) (*connection.Registry, error)
	// Run runs a statement, as query.Service.Run does.
	Run      func(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error)
	Semantic semantic
	// Findings compares a statement without rows with what the project knows.
	Findings func(ctx context.Context, id connection.ID, sql string) []finding.Finding
	// Offer adds existing tables with similar names to the error of a statement.
	Offer func(ctx context.Context, id connection.ID, sql string, err error) error
	// Propose proposes a saved query; nil = they cannot be proposed here.
	Propose func(ctx context.Context, c memory.Call, q memory.QueryProposal) (*memory.SuggestedQuery, error)
	// Record puts a call into the history of calls.
	Record func(ctx context.Context, c shown.Call)
	// AnswerSize bounds the rows of one answer in characters of JSON, as that of a tool; 0 = the usual size.
	AnswerSize int
	// Redact removes the secrets of the configuration from a text.
	Redact func(text string) string
	Now    func() time.Time
}

// semantic is a *semanticquery.Service.
type semantic interface {
	Compile(ctx context.Context, r semanticquery.Request) (*semanticquery.Compiled, error)
	Run(ctx context.Context, r semanticquery.Request, sink semanticquery.Sink) (*semanticquery.Compiled, query.Summary, error)
	MeasureNames(ctx context.Context, id connection.ID, limit int) ([]string, error)
	ReadSource(ctx context.Context, r semanticquery.SourceRequest) (*semanticquery.SourceAnswer, error)
}

// service is the state of the runner: running statements and the latest texts, in memory.
type service struct {
	Services
	running running
	recent  recents
}

// Pages returns the pages of the runner.
func Pages(s Services) page.Group {
	one := sync.OnceValue(func() *service { return &service{Services: s} })
	show := func(ctx context.Context, r *page.Request) (*page.View, error) { return one().show(ctx, r) }
	do := func(f func(*service, context.Context, *page.Request) (*page.Outcome, error)) func(context.Context, *page.Request) (*page.Outcome, error) {
		return func(ctx context.Context, r *page.Request) (*page.Outcome, error) { return f(one(), ctx, r) }
	}
	return page.Group{Templates: templates, Pages: []page.Page{{
		Path: "query", Section: "query", Template: "query.runner", Show: show,
		Actions: map[string]page.Action{
			"run":     {Do: do((*service).run), Query: true},
			"csv":     {Do: do((*service).file), Query: true},
			"cancel":  {Do: do((*service).cancel), Query: true},
			"compile": {Do: do((*service).compile), Reader: true},
			"save":    {Do: do((*service).save)},
		},
	}}}
}
