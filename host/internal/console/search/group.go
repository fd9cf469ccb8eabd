// Package search has the console's page that searches everything: tables, columns, the semantic layer, pages, sampled
// values, and files and notes when they are asked for.
package search

import (
	"context"
	"embed"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
)

//go:embed template/*.html
var templates embed.FS

// Services are what the page needs. All fields are required.
type Services struct {
	Discover finder
	// Connections returns the connections of the project.
	Connections func(context.Context) (*connection.Registry, error)
}

// A finder searches the index; *discover.Service is one. It starts no connector and asks no warehouse.
type finder interface {
	Search(ctx context.Context, r discover.SearchRequest) (*discover.SearchAnswer, error)
	Values(ctx context.Context, r discover.ValuesRequest) (*discover.ValuesAnswer, error)
}

// pages is the page of this group on its services.
type pages struct{ Services }

// Pages returns the page that searches.
func Pages(s Services) page.Group {
	p := &pages{s}
	return page.Group{Templates: templates, Pages: []page.Page{{Path: "search", Template: "search.results", Show: p.search}}}
}
