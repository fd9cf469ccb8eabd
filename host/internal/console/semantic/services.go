// Package semantic has the console's pages of the semantic layer: connections, their sources, a source, and a measure
// with what it rests on and its numbers on request.
package semantic

import (
	"context"
	"embed"
	"net/url"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/sdk"
)

//go:embed template/*.html
var templates embed.FS

// Services are the use cases of the pages. All are required, unless noted.
type Services struct {
	// Connections returns the connections of the project.
	Connections func(ctx context.Context) (*connection.Registry, error)
	Semantic    semantic
	// Memory has the change that made a measure, and takes texts that propose another; nil = there is none.
	Memory remembering
	// Probes returns the recorded test runs of a measure under any of its names, the latest first; at most limit.
	// nil = they cannot be read.
	Probes func(ctx context.Context, id connection.ID, names []string, limit int) ([]memory.Tried, error)
	// Mentions returns pages and saved queries that name a measure; nil = they cannot be read.
	Mentions func(ctx context.Context, id connection.ID, member string) ([]Mention, error)
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
	reader
	Compile(ctx context.Context, r semanticquery.Request) (*semanticquery.Compiled, error)
	Run(ctx context.Context, r semanticquery.Request, sink semanticquery.Sink) (*semanticquery.Compiled, query.Summary, error)
	Validate(ctx context.Context, r validation.Request) (*validation.Report, error)
}

// reader reads the semantic layer.
type reader interface {
	Overview(ctx context.Context, id connection.ID, problems int) (*semanticquery.Overview, error)
	Listings(ctx context.Context, r semanticquery.ListingsRequest) (*semanticquery.Listings, error)
	ReadSource(ctx context.Context, r semanticquery.SourceRequest) (*semanticquery.SourceAnswer, error)
	ReadMeasure(ctx context.Context, id connection.ID, name string) (*semanticquery.MeasureAnswer, error)
}

// remembering is a *memory.Service.
type remembering interface {
	Change(ctx context.Context, id string) (*memory.Detail, error)
	DraftOf(ctx context.Context, connection, target string) (*change.Change, error)
	Accept(ctx context.Context, in memory.Input) (memory.Accepted, error)
}

// Mention is a page or a saved query that names a measure.
type Mention struct {
	Kind string `json:"kind"` // "page" or "query"
	Name string `json:"name"`
	// Link is its address in the console, "" = it has none.
	Link string `json:"link,omitempty"`
}

// Pages returns the pages of the semantic layer.
func Pages(s Services) page.Group {
	p := &pages{s}
	return page.Group{Templates: templates, Pages: []page.Page{
		{Path: "semantic", Section: "semantic", Template: "semantic.connections", Show: p.connections},
		{Path: "semantic/{connection}", Section: "semantic", Template: "semantic.sources", Show: p.sources},
		{Path: "semantic/{connection}/{source}", Section: "semantic", Template: "semantic.source", Show: p.source, Actions: map[string]page.Action{
			"check": {Do: p.checkSource, Query: true},
		}},
		{Path: "measure/{connection}/{member}", Section: "semantic", Template: "semantic.measure", Show: p.measure, Actions: map[string]page.Action{
			"probe": {Do: p.probe, Query: true},
			"chart": {Do: p.chart, Query: true},
			"check": {Do: p.checkMeasure, Query: true},
			"teach": {Do: p.teach},
		}},
	}}
}

type pages struct{ Services }

// offset reads a cursor of a list that is sliced by the page: the number of the entries before.
// Errors: KindInvalid for a text that is none, or that is behind the end.
func offset(cursor string, total int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 || n >= max(total, 1) {
		return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the list has changed, or its cursor is none").WithHint("go to its first page")
	}
	return n, nil
}

// runner is the address of the query runner for a measure.
func runner(id connection.ID, measure, dimension, grain, span string) string {
	q := url.Values{"tab": {"measures"}, "connection": {string(id)}, "m": {measure}}
	for name, value := range map[string]string{"d": dimension, "g": grain, "range": span} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return page.Link("query") + "?" + q.Encode()
}
