// Package wiki has the console's pages of the wiki: the list, a page with its provenance and contradictions, its
// revisions, and the form that edits it.
package wiki

import (
	"context"
	"embed"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/wiki"
)

//go:embed template/*.html
var templates embed.FS

// Services are what the pages need. All fields are required.
type Services struct {
	Discover finder
	Wiki     viewer
	// Files, Revisions and Changes are the memory.
	Files     files
	Revisions revisions
	Changes   changes
}

// A finder finds pages with their trust; *discover.Service is one.
type finder interface {
	Pages(ctx context.Context, r discover.PagesRequest) (*discover.PagesAnswer, error)
	ReadWiki(ctx context.Context, key string) (*discover.WikiPage, error)
	PageRefs(ctx context.Context, key string, references []string) (*wiki.View, []discover.PageRef, error)
}

// A viewer is a *wiki.Wiki.
type viewer interface {
	View(ctx context.Context) (*wiki.View, error)
}

// files reads and writes pages; *memory.Service does.
type files interface {
	PageFile(ctx context.Context, key string) (content, hash string, err error)
	WritePage(ctx context.Context, w memory.PageWrite) (*memory.Decided, error)
	RevertPageFrom(ctx context.Context, key string, n int, w memory.PageWrite) (*memory.Decided, error)
}

// revisions reads earlier contents of pages; *memory.Service does.
type revisions interface {
	PageHistory(ctx context.Context, key string) ([]memory.PageVersion, error)
	PageVersionText(ctx context.Context, key string, n int) (string, error)
}

// changes lists the changes of a page; *memory.Service does.
type changes interface {
	PageChanges(ctx context.Context, path string) ([]change.Change, error)
}

// pages are the pages of this group on their services.
type pages struct{ Services }

// Pages returns the pages of the wiki.
func Pages(s Services) page.Group {
	p := &pages{s}
	return page.Group{Templates: templates, Pages: []page.Page{
		{Path: "wiki", Section: "wiki", Template: "wiki.list", Show: p.list},
		{Path: "wiki/{key...}", Section: "wiki", Template: "wiki.page", Show: p.one, Actions: map[string]page.Action{
			"save": {Do: p.save}, "preview": {Do: p.preview}, "revert": {Do: p.revert},
		}},
	}}
}

// one shows a page, or with a parameter its revisions, one of them, or the form that edits it.
func (p *pages) one(ctx context.Context, r *page.Request) (*page.View, error) {
	key := keyOf(r)
	switch {
	case key == "":
		return p.list(ctx, r)
	case r.Param("edit") != "":
		return p.edit(ctx, key)
	case r.Param("version") != "":
		return p.version(ctx, r, key)
	case r.Param("history") != "":
		return p.history(ctx, r, key)
	}
	return p.show(ctx, key)
}

func keyOf(r *page.Request) string { return tidy(r.Path("key")) }

// tidy returns a key as a person typed it without what is no part of it.
func tidy(key string) string { return strings.TrimSuffix(strings.Trim(key, "/ "), ".md") }

// address returns the address of a page of the wiki.
func address(key string) string {
	return page.Link(append([]string{"wiki"}, strings.Split(key, "/")...)...)
}

// below returns an address without the root, as outcomes and forms name it.
func below(address string) string { return strings.TrimPrefix(address, page.Root) }

func versionAddress(key string, n int) string { return address(key) + "?version=" + strconv.Itoa(n) }

// changeAddress returns the address of a change; "" for none.
func changeAddress(id change.ID) string {
	if id == "" {
		return ""
	}
	return page.Link("change", string(id))
}
