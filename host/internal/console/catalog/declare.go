// Package catalog is the pages of the console about the catalogue: connections, schemas and tables, the joins that a
// person decides on, pictures of tables and their foreign keys, and snapshots with their differences.
package catalog

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Services are what the pages need of a project. All fields are required, except those that say what nil means.
type Services struct {
	Connections func(context.Context) (*connection.Registry, error)
	Catalogs    *catalog.Set
	Keys        *foreignkey.Set
	// Dialect returns the dialect of a connection's server as it was last seen, nil when nobody knows it.
	Dialect  func(context.Context, connection.Connection) *dialect.Dialect
	Review   reviewer
	Discover searcher
	Ask      sampler
	// Source returns the source of the semantic layer that describes a table, nil when there is none. nil = no page
	// links to sources.
	Source func(context.Context, connection.ID, sdk.TableRef) (*Source, error)
	// Memory takes descriptions of tables; nil = none is asked for.
	Memory describer
	// Record puts a question to a warehouse into the history of calls; nil = nobody may ask for rows.
	Record func(context.Context, shown.Call)
	// Redact removes the secrets of the configuration from a text of a warehouse; nil = such texts are not shown.
	Redact func(string) string
	// Now is the time; nil = that of the clock.
	Now func() time.Time
}

// Source is a source of the semantic layer.
type Source struct {
	Identity    string `json:"identity"`
	Description string `json:"description,omitempty"`
}

// A reviewer lists joins and records decisions; *review.Service implements it.
type reviewer interface {
	Overview(context.Context, review.Scope) (*review.Overview, error)
	Choose(context.Context, review.Scope, []review.Choice) ([]review.Outcome, error)
}

// A searcher finds tables by their texts; *discover.Service implements it.
type searcher interface {
	Search(context.Context, discover.SearchRequest) (*discover.SearchAnswer, error)
}

// A sampler reads some rows of a table; *ask.Service implements it.
type sampler interface {
	Sample(context.Context, ask.SampleRequest, query.Sink) (ask.Sample, error)
}

// A describer takes descriptions of tables; *memory.Service implements it.
type describer interface {
	EnhanceEntity(context.Context, memory.Call, memory.Enhancement) (*memory.Suggested, error)
}

//go:embed template/*.html
var templates embed.FS

// section is the entry of the navigation.
const section = "catalog"

// Pages returns the pages.
func Pages(s Services) page.Group {
	if s.Now == nil {
		s.Now = time.Now
	}
	p := &pages{s}
	files, err := fs.Sub(templates, "template")
	if err != nil {
		panic("catalog: " + err.Error()) // the folder is embedded
	}
	return page.Group{Templates: files, Pages: []page.Page{
		{Path: "catalog", Section: section, Template: "catalog.connections", Show: p.connections},
		{Path: "catalog/{connection}", Section: section, Template: "catalog.tables", Show: p.tables},
		{Path: "catalog/{connection}/table/{table...}", Section: section, Template: "catalog.table", Show: p.table, Actions: p.tableActions()},
		{Path: "catalog/{connection}/joins", Section: section, Template: "catalog.joins", Show: p.joins, Actions: p.joinActions()},
		{Path: "catalog/{connection}/er", Section: section, Template: "catalog.er", Show: p.picture},
		{Path: "catalog/{connection}/snapshots", Section: section, Template: "catalog.snapshots", Show: p.snapshots},
	}}
}

// pages shows the pages.
type pages struct{ Services }
