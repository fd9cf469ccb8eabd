package semanticquery_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// now is the moment of every test.
var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// fixture is a project folder with a shop in an SQLite file, the connector in this
// process, and the services on it. The connection is "shop".
type fixture struct {
	*semanticquery.Service
	dir         string
	connections []connection.Connection
	description sdk.Description
	session     sdk.Session
	catalogs    *catalog.Set
	leases      atomic.Int32
	releases    atomic.Int32
	described   atomic.Int32
	away        error // of leasing a session
	statements  atomic.Int32
	// compilations counts the looks at the clock: each compilation takes one.
	compilations atomic.Int32
	// run runs statements in place of the engine; nil = the engine does.
	run func(context.Context) (query.Summary, error)
}

const shopData = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, segment TEXT);
INSERT INTO customers VALUES (1, 'Ada', 'pro'), (2, 'Bob', 'home'), (3, 'Cy', NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status TEXT, email TEXT, amount INTEGER, day DATE);
INSERT INTO orders VALUES (1, 1, 'paid', 'a@x', 10, '2026-01-05'), (2, 1, 'paid', 'a@x', 20, '2026-02-05'),
	(3, 2, 'refunded', 'b@x', 30, '2026-02-06'), (4, 3, 'pending', 'c@x', 40, '2026-02-07'), (5, NULL, 'paid', 'd@x', 50, '2026-02-08');
CREATE TABLE lines (order_id INTEGER REFERENCES orders (id), line INTEGER, sku TEXT, qty INTEGER, PRIMARY KEY (order_id, line));
INSERT INTO lines VALUES (1, 1, 'pen', 2), (1, 2, 'ink', 1), (2, 1, 'pen', 5), (3, 1, 'cap', 1);
CREATE TABLE numbers (n INTEGER PRIMARY KEY, x REAL);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500) INSERT INTO numbers SELECT n, n / 2.0 FROM c;
`

const ordersYAML = `
name: orders
table: orders
primary_key: [id]
default_time_dimension: day
dimensions:
  - {name: id, type: number}
  - {name: status, type: string}
  - {name: email, type: string}
  - {name: day, type: time, column_type: date}
  - {name: customer_id, type: number, visibility: internal}
measures:
  - {name: order_count, agg: count}
  - {name: revenue, agg: sum, expr: amount, format: currency, unit: EUR}
  - {name: paid_revenue, agg: sum, expr: amount, filter: "status = 'paid'", default: 0}
  - {name: paid_rate, type: ratio, numerator: paid_revenue, denominator: revenue}
segments:
  - {name: completed, expr: "status = 'paid'"}
`

// newFixture opens a project folder; the shop is scanned, and orders are described.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir(), connections: []connection.Connection{{ID: "shop", Connector: "sqlite"}}}
	file := filepath.Join(f.dir, "shop.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), shopData); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	plugin := sqlite.Connector()
	f.description = plugin.Describe()
	config, err := json.Marshal(map[string]any{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	if f.session, err = plugin.Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: config}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if f.leases.Load() != f.releases.Load() {
			t.Errorf("%d leases, %d releases", f.leases.Load(), f.releases.Load())
		}
	})
	f.serve()
	f.scan(t)
	f.write(t, "orders.yaml", ordersYAML)
	return f
}

// serve makes the services of a fixture.
func (f *fixture) serve() {
	log := slog.New(slog.DiscardHandler)
	connections := func(context.Context) (*connection.Registry, error) { return connection.New(f.connections) }
	f.catalogs = catalog.NewSet(filepath.Join(f.dir, "catalog"))
	warehouses := warehouse.New(connections, f, log)
	f.Service = semanticquery.New(semanticquery.Config{
		Warehouses: warehouses,
		Layer: layer.New(layer.Config{
			Dir: filepath.Join(f.dir, "semantic-layer"), Cache: filepath.Join(f.dir, "cache"), Catalogs: f.catalogs,
			Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") }), Logger: log,
		}),
		Query: counted{query.New(warehouses, "shop"), f},
		Now: func() time.Time {
			f.compilations.Add(1)
			return now
		},
	})
}

// counted is the query engine, which counts what it is asked.
type counted struct {
	engine  *query.Service
	fixture *fixture
}

func (c counted) Run(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error) {
	c.fixture.statements.Add(1)
	if c.fixture.run != nil {
		return c.fixture.run(ctx)
	}
	return c.engine.Run(ctx, r, sink)
}

func (c counted) Describe(ctx context.Context, id connection.ID, sql string) ([]sdk.Column, error) {
	c.fixture.described.Add(1)
	return c.engine.Describe(ctx, id, sql)
}

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) { return f.description, nil }

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *fixture) Lease(ctx context.Context, _ connection.Connection) (sdk.Session, func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if f.away != nil {
		return nil, nil, f.away
	}
	f.leases.Add(1)
	return f.session, func() { f.releases.Add(1) }, nil
}

// write puts a file into the semantic layer of the shop.
func (f *fixture) write(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, "semantic-layer", "shop", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Error(err)
	}
	temporary := filepath.Join(f.dir, rand.Text())
	if err := errors.Join(os.WriteFile(temporary, []byte(content), 0o644), os.Rename(temporary, path)); err != nil {
		t.Error(err)
	}
}

// scan commits a snapshot of the shop, with profiles of the orders, and of
// weeks where they are there.
func (f *fixture) scan(t testing.TB) {
	t.Helper()
	w, err := f.catalogs.Of("shop").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.session.Scan(t.Context(), sdk.ScanRequest{}, tableWriter{w}); err != nil {
		t.Fatal(err)
	}
	profiles := map[string]*catalog.Profile{
		"orders": {
			Stats: []sdk.ColumnStats{
				{Column: "status", Rows: 5, Distinct: 3, Complete: true, ValuesComplete: true, Values: []string{"paid", "refunded", "pending"}, Counts: []int64{3, 1, 1}},
				{Column: "email", Rows: 5, Complete: true, ValuesComplete: true, Values: []string{"a@x"}, Counts: []int64{2}},
			},
			Withheld: []catalog.Withheld{{Column: "email", Reason: "personal"}},
		},
		"weeks": {Stats: []sdk.ColumnStats{{Column: "day", Rows: 5, Distinct: 3, Complete: true}}},
	}
	for _, ref := range w.Refs() {
		p := profiles[ref.Name]
		if p == nil {
			continue
		}
		p.At = now.Add(-time.Hour)
		if err := w.Profile(ref, p); err != nil {
			t.Fatal(err)
		}
	}
	id := catalog.Identity{SyncID: "s1", ExtractedAt: now.Add(-time.Hour), Mode: catalog.Enriched}
	if _, err := w.Commit(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

type tableWriter struct{ *catalog.Writer }

func (w tableWriter) Table(t *sdk.Table) error { return w.Writer.Table(t) }
func (tableWriter) Warning(sdk.Warning) error  { return nil }
func (tableWriter) Progress(sdk.Progress)      {}

// answer is a semanticquery.Sink that keeps what it gets.
type answer struct {
	names    []string
	rows     []string // cells with spaces between them
	columns  int      // calls of Columns
	compiled *semanticquery.Compiled
}

func (a *answer) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	a.columns++
	a.compiled = c
	for _, column := range columns {
		a.names = append(a.names, column.Name)
	}
	return nil
}

func (a *answer) Row(cells [][]byte) error {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = string(c)
	}
	a.rows = append(a.rows, strings.Join(texts, " "))
	return nil
}

// ask runs a request and wants it to succeed.
func (f *fixture) ask(t testing.TB, body string) (*answer, *semanticquery.Compiled, query.Summary) {
	t.Helper()
	a := &answer{}
	c, out, err := f.Run(t.Context(), semanticquery.Request{Body: json.RawMessage(body)}, a)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return a, c, out
}

// notes are all notes of an answer.
func notes(c *semanticquery.Compiled, out query.Summary) string {
	return strings.Join(slices.Concat(c.Notes, out.Notes), "\n")
}
