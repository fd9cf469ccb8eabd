// Package health shows whether a project runs: its connections, connectors, queues, state and settings. It tests a
// connection on request.
package health

import (
	"context"
	"embed"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	check "github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project/setting"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

//go:embed template/*.html
var templates embed.FS

// Services has the dependencies of the page. All fields are required.
type Services struct {
	Health service
	// Settings returns the effective settings, Trust what the project asks for on this machine.
	Settings func(context.Context) ([]setting.Setting, error)
	Trust    func(context.Context) ([]trust.Item, error)
	// Recorded returns what this process recorded of calls.
	Recorded func() history.Stats
	// Redact removes secrets that the host knows from the text of an error.
	Redact func(string) string
}

// A service looks at a project; *health.Service implements it.
type service interface {
	Status(ctx context.Context) (*check.Status, error)
	Disk(ctx context.Context) (*check.Disk, error)
	TestConnection(ctx context.Context, id connection.ID, resume bool, report func(sdk.TestStep)) (*check.Tested, error)
}

// Pages returns the page of the health.
func Pages(s Services) page.Group {
	return page.Group{Templates: templates, Pages: []page.Page{{
		Path: "health", Section: "health", Template: "health.page", Show: s.show,
		// A test asks the warehouse and changes nothing.
		Actions: map[string]page.Action{"test": {Do: s.test, Query: true}},
	}}}
}

// show returns the page at once; what takes a look at files and at the server follows. No connector is started.
func (s *Services) show(_ context.Context, _ *page.Request) (*page.View, error) {
	return &page.View{
		Title: "Health", Command: "loam status --json", Data: struct{}{}, ThenTemplate: "health.status",
		Then: func(ctx context.Context) (any, error) { return s.status(ctx) },
	}, nil
}
