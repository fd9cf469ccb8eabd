// Package history shows what happened in a project: the tool calls of agents and the decisions of people.
package history

import (
	"context"
	"embed"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	calls "github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
)

//go:embed template/*.html
var templates embed.FS

// Services has the dependencies of the pages. All fields are required unless noted.
type Services struct {
	// State opens the store of the calls, Log that of memory's log; Log nil = they are the same.
	State, Log store.Opener
	// Connections returns the connections of the project, for the menu of the filter.
	Connections func(context.Context) (*connection.Registry, error)
	// Settings returns the current settings of the history.
	Settings func(context.Context) (calls.Settings, error)
}

// path is the page's, below /console/.
const path = "history"

// Pages returns the page of the history.
func Pages(s Services) page.Group {
	return page.Group{Templates: templates, Pages: []page.Page{
		{Path: path, Section: "history", Template: "history.list", Show: s.show},
	}}
}

// show chooses what a request asks for: a file, one call, or a page of the list.
func (s *Services) show(ctx context.Context, r *page.Request) (*page.View, error) {
	a, err := read(r)
	if err != nil {
		return nil, err
	}
	from, err := s.logs(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Param("call") != "":
		return one(ctx, from.calls, r)
	case r.Param("export") != "":
		return export(from, r, a)
	}
	return s.list(ctx, from, r, a)
}

// logs are the stores of both logs.
type logs struct{ calls, events *store.Store }

func (s *Services) logs(ctx context.Context) (from logs, err error) {
	if from.calls, err = s.State.Get(ctx); err != nil || s.Log == nil {
		return logs{from.calls, from.calls}, err
	}
	from.events, err = s.Log.Get(ctx)
	return from, err
}
