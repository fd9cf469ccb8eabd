package assemble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a project folder with a service on it. A test scans what it needs.
type fixture struct {
	*Service
	dir         string
	connections []connection.Connection
	leases      int
}

func newFixture(t testing.TB, connections ...connection.Connection) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir(), connections: connections}
	if connections == nil {
		f.connections = []connection.Connection{{ID: "shop", Connector: "foodb", Description: "Orders of the web shop."}}
	}
	pages, err := wiki.Open(filepath.Join(f.dir, "wiki"), "")
	if err != nil {
		t.Fatal(err)
	}
	registry := func(context.Context) (*connection.Registry, error) { return connection.New(f.connections) }
	catalogs := catalog.NewSet(filepath.Join(f.dir, "catalog"))
	log := slog.New(slog.DiscardHandler)
	keys := foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") })
	sources := layer.New(layer.Config{Dir: filepath.Join(f.dir, "semantic-layer"), Cache: filepath.Join(f.dir, "semantic"), Catalogs: catalogs, Keys: keys, Logger: log})
	index := indexer.New(indexer.Config{Dir: filepath.Join(f.dir, "index"), Connections: registry, Catalogs: catalogs, Semantic: sources, Wiki: pages, Logger: log})
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Service = New(Config{Warehouses: warehouse.New(registry, f, log), Catalogs: catalogs, Index: index, Keys: keys, Logger: log})
	return f
}

// Describe and LastKnown implement warehouse.Backend. The engine folds names to lower case.
func (*fixture) Describe(connection.Connection) (sdk.Description, error) {
	quotes := dialect.Lexis{Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}}, Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true}}}
	return sdk.Description{Dialects: []dialect.Dialect{{Name: "foosql", Folding: dialect.FoldLower, Lexis: quotes}}}, nil
}

func (*fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

// Lease counts: no answer asks a warehouse.
func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	f.leases++
	return nil, nil, errors.New("no warehouse is asked")
}

// scan commits a snapshot with profiles by display name.
func (f *fixture) scan(t testing.TB, id string, profiles map[string]*catalog.Profile, tables ...*sdk.Table) {
	t.Helper()
	w, err := f.Catalogs.Of(id).Begin(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if err := w.Table(table); err != nil {
			t.Fatal(err)
		}
		if p := profiles[catalog.Display(table.TableRef)]; p != nil {
			if err := w.Profile(table.TableRef, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := w.Commit(context.Background(), catalog.Identity{SyncID: fmt.Sprint(id, len(tables)), ExtractedAt: at, Mode: catalog.Enriched}); err != nil {
		t.Fatal(err)
	}
	if err := f.Index.Refresh(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) write(t testing.TB, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// table makes a table of columns like "id bigint", "total numeric: in cents". Its first column is its key.
func table(display string, rows int64, comment string, columns ...string) *sdk.Table {
	schema, name, _ := strings.Cut(display, ".")
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: schema, Name: name}, Kind: sdk.TableBase, Comment: comment, RowEstimate: rows, ByteEstimate: -1}
	for _, c := range columns {
		c, comment, _ := strings.Cut(c, ": ")
		name, native, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, sdk.Column{Name: name, NativeType: native, Type: sdk.TypeText, Comment: comment})
	}
	t.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{t.Columns[0].Name}}}
	return t
}

// foreign adds a foreign key from a column to the key "id" of a table.
func foreign(t *sdk.Table, column, to string) *sdk.Table {
	schema, name, _ := strings.Cut(to, ".")
	t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{column}, Ref: sdk.TableRef{Schema: schema, Name: name}})
	return t
}

// profile makes a profile with values of columns: "status=open,paid".
func profile(columns ...string) *catalog.Profile {
	p := &catalog.Profile{At: time.Unix(1, 0)}
	for _, c := range columns {
		name, values, _ := strings.Cut(c, "=")
		list := strings.Split(values, ",")
		p.Stats = append(p.Stats, sdk.ColumnStats{
			Column: name, Rows: 1000, Complete: true, Distinct: int64(len(list)), Values: list, Counts: make([]int64, len(list)),
			ValuesComplete: true, MinLength: -1, MaxLength: -1,
		})
	}
	return p
}

// shop is a small project: three tables, a semantic file, a glossary and two facts.
func shop(t testing.TB) *fixture {
	t.Helper()
	f := newFixture(t)
	f.scan(t, "shop", map[string]*catalog.Profile{"main.orders": profile("id=1,2", "status=open,paid")},
		foreign(table("main.orders", 6000, "", "id bigint", "customer_id bigint", "status text: where it is", "amount_cents bigint"), "customer_id", "main.customers"),
		table("main.customers", 300, "Who buys.", "id bigint", "email text", "country text"),
		table("log.events", 90_000, "", "id bigint", "payload json: what happened"),
	)
	f.write(t, "semantic-layer/shop/orders.yaml", `
name: orders
table: main.orders
primary_key: [id]
description: One row per order.
dimensions:
  - {name: status, type: string, values: [open, paid]}
measures:
  - {name: revenue, agg: sum, expr: amount_cents, unit: cents}
segments:
  - {name: paid, expr: "status = 'paid'", description: Paid ones}
`)
	f.write(t, "wiki/global/glossary.md", "# Glossary\n\n- ARR: annual recurring revenue\n- AOV: average order value\n")
	f.write(t, "wiki/global/churn.md", "---\ntitle: Churn\nsummary: A customer without an order for a year.\n---\nText.\n")
	f.write(t, "wiki/global/vat.md", "---\ntitle: VAT\nsummary: Amounts are net of VAT.\ntags: [convention]\norigin: agent\n---\nText.\n")
	return f
}

func (f *fixture) context(t testing.TB, r ContextRequest) *ContextAnswer {
	t.Helper()
	a, err := f.Context(context.Background(), r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return a
}
