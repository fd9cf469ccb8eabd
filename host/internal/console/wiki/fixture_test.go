package wiki

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var (
	agent    = change.Actor{Channel: change.MCP, Client: "claude-code"}
	reviewer = change.Actor{Channel: change.Console, User: "root", Label: "ada"}
)

// foodb is a connector that must not be started.
type foodb struct{}

func (foodb) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: []dialect.Dialect{{Name: "foosql"}}}, nil
}

func (foodb) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (foodb) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return nil, nil, errors.New("no warehouse is asked")
}

// fixture is a project folder with the group of pages on it.
type fixture struct {
	dir      string
	memory   *memory.Service
	services Services
	group    page.Group
	browser  *consoletest.Browser
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := newProject(t)
	f.browser = consoletest.Open(t, f.group)
	return f
}

// newProject makes the pages without a browser.
func newProject(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}})
	}
	view, err := wiki.Open(project.WikiPath(f.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	own := project.StateFolder(f.dir)
	catalogs := catalog.NewSet(own.Catalog())
	keys := foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") })
	layers := layer.New(layer.Config{Dir: project.SemanticPath(f.dir), Cache: own.SemanticCache(), Catalogs: catalogs, Keys: keys, Logger: log})
	warehouses := warehouse.New(connections, foodb{}, log)
	index := indexer.New(indexer.Config{Dir: own.Index(), Connections: connections, Catalogs: catalogs, Semantic: layers, Wiki: view, Logger: log})
	state := store.NewLazy(own.Database())
	f.memory = memory.New(memory.Config{
		Dir: f.dir, State: string(own), Settings: func(context.Context) (project.Memory, error) { return project.Memory{}, nil },
		Store: state, Engine: change.New(change.Config{Dir: f.dir, Store: state, Kinds: form.Kinds(), Now: time.Now, Logger: log}),
		Warehouses: warehouses, Layer: layers, Wiki: view, Index: index, Plan: planner.Make, Now: time.Now, Logger: log,
	})
	t.Cleanup(func() {
		if err := errors.Join(f.memory.Close(), index.Close(), state.Close()); err != nil {
			t.Error(err)
		}
	})
	found := discover.New(discover.Config{
		Warehouses: warehouses, Catalogs: catalogs, Index: index, Wiki: view, Keys: keys, Disputes: f.memory.Disputes, Now: time.Now, Logger: log,
	})
	s := Services{Discover: found, Wiki: view, Files: f.memory, Revisions: f.memory, Changes: f.memory}
	f.services, f.group = s, Pages(s)
	return f
}

func (f *fixture) write(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) read(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(content)
}

// show runs the function of a page that a reviewer asks for.
func (f *fixture) show(t testing.TB, address string) (*page.View, error) {
	t.Helper()
	u, err := url.Parse(page.Root + address)
	if err != nil {
		t.Fatal(err)
	}
	key, below := strings.CutPrefix(u.Path, page.Root+"wiki/")
	r := &page.Request{Query: u.Query(), Actor: reviewer, Role: page.Reviewer, Now: time.Now(), URL: u, Path: func(string) string { return key }}
	if !below {
		return f.group.Pages[0].Show(t.Context(), r)
	}
	return f.group.Pages[1].Show(t.Context(), r)
}

// shot is a page as a browser gets it, and its data.
type shot struct {
	*consoletest.Page
	view *page.View
}

// get shows an address.
func (f *fixture) get(t testing.TB, address string) *shot {
	t.Helper()
	view, err := f.show(t, address)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	s := &shot{f.browser.Get(address), view}
	if s.Status != 200 && s.Status != view.Status {
		t.Fatalf("%s: status %d: %s", address, s.Status, s.Text)
	}
	checkHidden(t, s.Text)
	return s
}

// post sends a form to a page.
func (f *fixture) post(t testing.TB, address string, fields ...string) *consoletest.Page {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return f.browser.Post(address, form)
}

// checkHidden fails for characters that change the direction of a page.
func checkHidden(t testing.TB, text string) {
	t.Helper()
	if at := strings.IndexAny(text, "\u202e\u2066"); at >= 0 {
		t.Errorf("a direction character in %.200q", text[at:])
	}
}

// to returns the address of the link with these words; "" = there is none.
func to(p *consoletest.Page, words string) string {
	for _, l := range p.Links {
		if strings.Join(strings.Fields(l.Text), " ") == words {
			return l.To
		}
	}
	return ""
}

// field returns a field of the forms of a page.
func field(p *consoletest.Page, name string) string {
	for _, f := range p.Forms {
		if f.Fields.Has(name) {
			return f.Fields.Get(name)
		}
	}
	return ""
}
