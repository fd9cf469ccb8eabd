package wiki

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/net/html"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
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
	dir    string
	memory *memory.Service
	pages  *pages
	group  page.Group
}

func newFixture(t testing.TB) *fixture {
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
	f.pages, f.group = &pages{s}, Pages(s)
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

// request asks for an address below /console/; form is what a POST sends.
func request(t testing.TB, address string, form url.Values) *page.Request {
	t.Helper()
	u, err := url.Parse(page.Root + address)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := strings.CutPrefix(u.Path, page.Root+"wiki/")
	return &page.Request{Query: u.Query(), Form: form, Actor: reviewer, Role: page.Reviewer, Now: time.Now(), URL: u, Path: func(string) string { return key }}
}

// get shows an address.
func (f *fixture) get(t testing.TB, address string) *shot {
	t.Helper()
	r := request(t, address, nil)
	of := &f.group.Pages[0]
	if strings.HasPrefix(r.URL.Path, page.Root+"wiki/") {
		of = &f.group.Pages[1]
	}
	view, err := of.Show(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return f.render(t, r, view, of.Template)
}

// post runs an action of a page.
func (f *fixture) post(t testing.TB, address string, fields ...string) (*page.Outcome, error) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return f.group.Pages[1].Actions[form.Get("do")].Do(t.Context(), request(t, address, form))
}

// shot is a page as a browser gets it.
type shot struct {
	view *page.View
	html string
	root *html.Node
}

// render renders a view as the frame does, and checks what holds for every page.
func (f *fixture) render(t testing.TB, r *page.Request, view *page.View, named string) *shot {
	t.Helper()
	if view.Template != "" {
		named = view.Template
	}
	all, err := page.Parse(fstest.MapFS{}, f.group)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := all.ExecuteTemplate(&b, named, page.Dot{Data: view.Data, Token: "tok", Reviewer: r.Role == page.Reviewer, Now: r.Now, Here: r.URL}); err != nil {
		t.Fatal(err)
	}
	s := &shot{view: view, html: b.String()}
	if s.root, err = html.Parse(strings.NewReader(s.html)); err != nil {
		t.Fatal(err)
	}
	s.check(t)
	return s
}

// check tests what the policy of the console forbids, and the size.
func (s *shot) check(t testing.TB) {
	t.Helper()
	if len(s.html) > 60<<10 {
		t.Errorf("the page has %d bytes", len(s.html))
	}
	ids := map[string]bool{}
	for n := range s.root.Descendants() {
		switch n.Data {
		case "script", "style", "img", "iframe", "object", "svg", "math", "base", "link", "meta":
			if n.Type == html.ElementNode {
				t.Errorf("element %s", n.Data)
			}
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src":
				t.Errorf("attribute %s=%q of %s", a.Key, a.Val, n.Data)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("the id %s is doubled", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case (a.Key == "href" || a.Key == "action") && !strings.HasPrefix(a.Val, "/console/") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "mailto:"):
				t.Errorf("address %q", a.Val)
			}
		}
		if n.Data == "form" && n.Type == html.ElementNode && attribute(n, "method") == "post" && !strings.Contains(textOf(n, true), "token") {
			t.Error("a form without a token")
		}
		if n.Type == html.TextNode && strings.ContainsAny(n.Data, "\u202e\u2066") && n.Parent.Data != "textarea" {
			t.Errorf("a direction character in %q", n.Data)
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the words of a node; named adds the names of fields.
func textOf(n *html.Node, named bool) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		} else if named {
			b.WriteString(attribute(d, "name") + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (s *shot) text() string { return textOf(s.root, false) }

// links returns the addresses of links by their words.
func (s *shot) links() map[string]string {
	all := map[string]string{}
	for n := range s.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			all[textOf(n, false)] = attribute(n, "href")
		}
	}
	return all
}

// field returns the value of a field of a form.
func (s *shot) field(name string) string {
	for n := range s.root.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "name") == name {
			if n.Data == "textarea" && n.FirstChild != nil {
				return n.FirstChild.Data
			}
			return attribute(n, "value")
		}
	}
	return ""
}
