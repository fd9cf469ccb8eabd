package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// now is the moment of every test.
var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

const shopData = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, email TEXT, amount INTEGER, day DATE);
INSERT INTO orders VALUES (1, 1, 'paid', 'a@x', 10, '2026-01-05'), (2, 1, 'paid', 'a@x', 20, '2026-02-05'),
	(3, 2, 'refunded', 'b@x', 30, '2026-02-06'), (4, 3, 'pending', 'c@x', 40, '2026-02-07'), (5, NULL, 'paid', 'd@x', 50, '2026-02-08');
`

const ordersYAML = `
name: orders
table: orders
primary_key: [id]
default_time_dimension: day
dimensions:
  - {name: day, type: time, column_type: date}
measures:
  - {name: revenue, agg: sum, expr: amount}
`

// fixture is a project folder with a shop in an SQLite file, and the connector in this process.
type fixture struct {
	dir         string
	session     sdk.Session
	description sdk.Description
	catalogs    *catalog.Set
	settings    project.Memory
	away        error // of leasing a session
	model       extractor
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir(), description: sqlite.Connector().Describe()}
	f.exec(t, shopData)
	config, err := json.Marshal(map[string]any{"path": f.database()})
	if err != nil {
		t.Fatal(err)
	}
	if f.session, err = sqlite.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: config}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f.catalogs = catalog.NewSet(project.StateFolder(f.dir).Catalog())
	f.scan(t, now.Add(-time.Hour))
	f.write(t, "semantic-layer/shop/orders.yaml", ordersYAML)
	return f
}

func (f *fixture) database() string { return filepath.Join(f.dir, "shop.db") }

// exec runs statements in the shop's database.
func (f *fixture) exec(t testing.TB, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", f.database())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statements)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// scan takes a snapshot of the shop.
func (f *fixture) scan(t testing.TB, at time.Time) {
	t.Helper()
	w, err := f.catalogs.Of("shop").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.session.Scan(t.Context(), sdk.ScanRequest{}, scanned{w}); err != nil {
		t.Fatal(err)
	}
	for _, ref := range w.Refs() {
		p := &catalog.Profile{At: now, Withheld: []catalog.Withheld{{Column: "email", Reason: "personal"}}, Stats: []sdk.ColumnStats{{Column: "id", Rows: 5}}}
		if err := w.Profile(ref, p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: at.Format(time.TimeOnly), ExtractedAt: at, Mode: catalog.Enriched}); err != nil {
		t.Fatal(err)
	}
}

type scanned struct{ *catalog.Writer }

func (w scanned) Table(t *sdk.Table) error { return w.Writer.Table(t) }
func (scanned) Warning(sdk.Warning) error  { return nil }
func (scanned) Progress(sdk.Progress)      {}

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) { return f.description, nil }

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *fixture) Lease(ctx context.Context, _ connection.Connection) (sdk.Session, func(), error) {
	if err := errors.Join(ctx.Err(), f.away); err != nil {
		return nil, nil, err
	}
	return f.session, func() {}, nil
}

// open makes the memory of the fixture's project, as a process of its own would.
func (f *fixture) open(t testing.TB, plan func(planner.Input, planner.View) (*planner.Plan, error), step func(string)) *Service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "sqlite"}})
	}
	pages, err := wiki.Open(project.WikiPath(f.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	layers := layer.New(layer.Config{
		Dir: project.SemanticPath(f.dir), Cache: filepath.Join(t.TempDir(), "cache"), Catalogs: f.catalogs,
		Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") }), Logger: log,
	})
	warehouses := warehouse.New(connections, f, log)
	index := indexer.New(indexer.Config{
		Dir: project.StateFolder(f.dir).Index(), Connections: connections, Catalogs: f.catalogs, Semantic: layers, Wiki: pages, Logger: log,
	})
	state := store.NewLazy(project.StateFolder(f.dir).Database())
	if plan == nil {
		plan = planner.Make
	}
	s := New(Config{
		Dir: f.dir, State: string(project.StateFolder(f.dir)), Settings: func(context.Context) (project.Memory, error) { return f.settings, nil },
		Store: state, Engine: change.New(change.Config{Dir: f.dir, Store: state, Kinds: form.Kinds(), Now: func() time.Time { return now }, Logger: log}),
		Warehouses: warehouses, Layer: layers, Query: query.New(warehouses, "shop"), Wiki: pages, Index: index,
		Plan: plan, Model: f.model, Now: func() time.Time { return now }, Logger: log, step: step,
	})
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), index.Close(), state.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (f *fixture) write(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// read returns a file, "" where there is none.
func (f *fixture) read(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(content)
}

var (
	agent  = change.Actor{Channel: change.MCP, Client: "claude-code", Session: "5e5510"}
	codex  = change.Actor{Channel: change.MCP, Client: "codex"}
	person = change.Actor{Channel: change.CLI, User: "ada", Terminal: true}
	// reviewer signed in to the console.
	reviewer = change.Actor{Channel: change.Console, User: "root", Label: "ada", Address: "127.0.0.1"}
	script   = change.Actor{Channel: change.CLI, User: "ci"}
)

// remember has a text remembered and waits for its end.
func remember(t testing.TB, s *Service, text string, by change.Actor) *Run {
	t.Helper()
	return rememberAbout(t, s, Input{Content: text, Connection: "shop", Actor: by})
}

func rememberAbout(t testing.TB, s *Service, in Input) *Run {
	t.Helper()
	accepted, err := s.Accept(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Wait(t.Context(), accepted.RunID, nil)
	if err != nil {
		t.Fatal(err)
	}
	if run.Status != "done" {
		t.Fatalf("run %s is %s: %v", run.RunID, run.Status, *run.Error)
	}
	return run
}
