package semantic

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// fixture is a shop in SQLite with files of the semantic layer, and what the pages did.
type fixture struct {
	Services
	dir         string
	description sdk.Description
	session     sdk.Session
	away        error // of a lease; nil = there is none
	catalogs    *catalog.Set

	mu    sync.Mutex
	calls []shown.Call
}

const shop = `
CREATE TABLE customers (id INTEGER, name TEXT);
INSERT INTO customers VALUES (1, 'Ada'), (1, '<b>Ada</b>'), (2, 'Bob');
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, amount NUMERIC, day DATE);
INSERT INTO orders VALUES (1, 1, 'paid', 10, '2025-11-05'), (2, 1, 'paid', 20, '2026-02-05'), (3, 2, 'back', 32, '2026-02-06');
`

const orders = `
name: orders
table: orders
description: What was <i>ordered</i>.
primary_key: [id]
default_time_dimension: day
dimensions:
  - {name: id, type: number}
  - {name: customer_id, type: number}
  - {name: status, type: string, values: [paid, back]}
  - {name: day, type: time, column_type: date}
measures:
  - {name: revenue, agg: sum, expr: amount, unit: EUR, description: "Money <script>alert(1)</script>", synonyms: [turnover]}
  - {name: order_count, agg: count}
  - {name: mean, type: ratio, numerator: revenue, denominator: order_count}
  - {name: wrong, agg: sum, expr: nowhere.x}
segments:
  - {name: done, expr: "status = 'paid'"}
joins:
  - {to: customers, "on": "orders.customer_id = customers.id", relationship: many_to_one}
`

const customers = `
name: customers
table: customers
primary_key: [id]
dimensions:
  - {name: id, type: number}
  - {name: name, type: string}
`

const learned = `
name: orders
measures:
  - {name: sales, agg: sum, expr: amount, learned: {by: agent, at: "2026-03-01T00:00:00Z", change: ab12}, verified: {level: equal, at: "2026-03-01T00:00:00Z", of: orders.revenue}}
`

const metrics = `
metrics:
  - {name: per_order, type: ratio, numerator: orders.revenue, denominator: orders.order_count, description: Money per order.}
`

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	file := filepath.Join(f.dir, "shop.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), shop)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	plugin := sqlite.Connector()
	f.description = plugin.Describe()
	if f.session, err = plugin.Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: config}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for name, content := range map[string]string{"orders.yaml": orders, "customers.yaml": customers, "metrics.yaml": metrics, "_memory/orders.yaml": learned} {
		f.write(t, name, content)
	}
	log := slog.New(slog.DiscardHandler)
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "sqlite"}})
	}, f, log)
	f.catalogs = catalog.NewSet(filepath.Join(f.dir, "catalog"))
	engine := query.New(warehouses, "shop")
	f.Services = Services{
		Connections: warehouses.Connections, Record: f.record, Now: func() time.Time { return now },
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") },
		Semantic: semanticquery.New(semanticquery.Config{
			Warehouses: warehouses, Query: engine, Now: func() time.Time { return now },
			Layer: layer.New(layer.Config{
				Dir: filepath.Join(f.dir, "semantic-layer"), Cache: filepath.Join(f.dir, "cache"), Catalogs: f.catalogs,
				Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") }), Logger: log,
			}),
		}),
	}
	return f
}

// write puts a file into the semantic layer of the shop.
func (f *fixture) write(t testing.TB, name, content string) {
	t.Helper()
	file := filepath.Join(f.dir, "semantic-layer", "shop", filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) record(_ context.Context, c shown.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
}

func (f *fixture) recorded() []shown.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]shown.Call{}, f.calls...)
}

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) { return f.description, nil }

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return f.session, func() {}, f.away
}
