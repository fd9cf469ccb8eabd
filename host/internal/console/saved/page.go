// Package saved shows the saved queries of a project, and runs one with values from a form.
package saved

import (
	"context"
	"embed"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/store"
)

//go:embed template/*.html
var templates embed.FS

// Services has the dependencies of the pages. All fields are required.
type Services struct {
	Queries queries
	// State opens the store of memory's changes.
	State store.Opener
	// Connections returns the connections of the project, for the menu of the filter.
	Connections func(context.Context) (*connection.Registry, error)
	// Record puts a run into the history of calls; *history.Recorder has this method.
	Record func(history.Call)
}

// queries lists, checks and runs saved queries; *approved.Service implements it.
type queries interface {
	List(ctx context.Context, r approved.ListRequest) (*approved.Listing, error)
	Show(ctx context.Context, name string, id connection.ID) (*approved.Shown, error)
	Check(ctx context.Context, name string, id connection.ID, dryRun bool) ([]approved.Checked, error)
	Execute(ctx context.Context, r approved.Run, sink query.Sink) (*approved.Result, error)
}

// root is the path of the list, below /console/.
const root = "queries"

// Pages returns the list of saved queries and the page of one.
func Pages(s Services) page.Group {
	return page.Group{Templates: templates, Pages: []page.Page{
		{Path: root, Section: "query", Template: "saved.list", Show: s.list},
		{
			Path: root + "/{connection}/{name}", Section: "query", Template: "saved.query", Show: s.show,
			Actions: map[string]page.Action{
				"run": {Do: s.run, Query: true},
				"csv": {Do: s.save, Query: true},
			},
		},
	}}
}
