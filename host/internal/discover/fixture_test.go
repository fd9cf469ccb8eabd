package discover

import (
	"context"
	"errors"
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

// fixture is a project folder with a service on it. The connections are "shop"
// and "crm"; a test scans what it needs.
type fixture struct {
	*Service
	dir   string
	index *indexer.Indexer
}

func newFixture(t testing.TB) *fixture { return open(t, t.TempDir()) }

// open makes a service on a folder, which another one may be on as well.
func open(t testing.TB, dir string) *fixture {
	t.Helper()
	pages, err := wiki.Open(filepath.Join(dir, "wiki"), "ada")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{dir: dir}
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}, {ID: "crm", Connector: "foodb"}})
	}
	catalogs := catalog.NewSet(filepath.Join(dir, "catalog"))
	log := slog.New(slog.DiscardHandler)
	sources := layer.New(layer.Config{Dir: filepath.Join(dir, "semantic-layer"), Cache: filepath.Join(dir, "semantic"), Catalogs: catalogs, Logger: log})
	f.index = indexer.New(indexer.Config{
		Dir: filepath.Join(dir, "index"), Connections: connections, Catalogs: catalogs, Semantic: sources, Wiki: pages, Logger: log,
	})
	t.Cleanup(func() {
		if err := f.index.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Service = New(Config{
		Warehouses: warehouse.New(connections, foodb{}, log), Catalogs: catalogs, Index: f.index, Wiki: pages,
		Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(dir, string(id)+".json") }), Logger: log,
		Now: func() time.Time { return scanTime.AddDate(1, 0, 0) },
	})
	return f
}

// foodb is a connector whose engine folds names to lower case since its version 2.
type foodb struct{}

func (foodb) Describe(connection.Connection) (sdk.Description, error) {
	quotes := dialect.Lexis{Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}}, Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true}}}
	return sdk.Description{Dialects: []dialect.Dialect{
		{Name: "foosql", MinVersion: "2", Folding: dialect.FoldLower, Lexis: quotes},
		{Name: "foosql", Folding: dialect.FoldNone, Lexis: quotes},
	}}, nil
}

func (foodb) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{Server: sdk.ServerInfo{Product: "FooDB", Version: "2.1"}}, nil
}

// snapshot is what a test scans.
type snapshot struct {
	id       string
	mode     catalog.Mode
	tables   []*sdk.Table
	profiles map[string][]sdk.ColumnStats  // by the table's display name
	withheld map[string][]catalog.Withheld // of profiles
	cells    map[string][]catalog.Cells    // of profiles with rows
	attached []byte
}

var scanTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// scan commits a snapshot of a connection.
func (f *fixture) scan(t testing.TB, connection string, s snapshot) {
	t.Helper()
	w, err := f.Catalogs.Of(connection).Begin(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range s.tables {
		if err := w.Table(table); err != nil {
			t.Fatal(err)
		}
		if stats := s.profiles[catalog.Display(table.TableRef)]; stats != nil {
			p := &catalog.Profile{At: scanTime, Stats: stats, Withheld: s.withheld[catalog.Display(table.TableRef)]}
			p.Cells, p.Sampled = s.cells[catalog.Display(table.TableRef)]
			if err := w.Profile(table.TableRef, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.attached != nil {
		w.Attach(s.attached)
	}
	id := catalog.Identity{SyncID: s.id, ScanRunID: "run-" + s.id, ExtractedAt: scanTime, Mode: s.mode}
	if s.mode == "" {
		id.Mode = catalog.Structural
	}
	if s.profiles != nil {
		id.Mode, id.Coverage = catalog.Enriched, catalog.Coverage{SampledRows: 1000, ValuesPerColumn: 100, ProfiledAt: scanTime}
	}
	if _, err := w.Commit(context.Background(), id); err != nil {
		t.Fatal(err)
	}
}

// write puts a file below the project folder.
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

func ref(display string) sdk.TableRef {
	schema, name, _ := strings.Cut(display, ".")
	return sdk.TableRef{Schema: schema, Name: name}
}

// table makes a table of columns like "id bigint", "total numeric: in cents".
func table(display, comment string, columns ...string) *sdk.Table {
	t := &sdk.Table{TableRef: ref(display), Kind: sdk.TableBase, Comment: comment, RowEstimate: 12, ByteEstimate: -1}
	types := map[string]sdk.Type{
		"bigint": sdk.TypeInt64, "numeric": sdk.TypeDecimal, "date": sdk.TypeDate, "timestamptz": sdk.TypeTimestampTZ, "boolean": sdk.TypeBool,
	}
	for _, c := range columns {
		c, comment, _ := strings.Cut(c, ": ")
		name, native, _ := strings.Cut(c, " ")
		typ, ok := types[native]
		if !ok {
			typ = sdk.TypeText
		}
		t.Columns = append(t.Columns, sdk.Column{Name: name, NativeType: native, Type: typ, Nullable: name != "id", Comment: comment})
	}
	return t
}

func primary(t *sdk.Table, columns ...string) *sdk.Table {
	t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyPrimary, Columns: columns})
	return t
}

func foreign(t *sdk.Table, name, from, to, toColumns string) *sdk.Table {
	t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyForeign, Name: name, Columns: strings.Fields(from), Ref: ref(to), RefColumns: strings.Fields(toColumns)})
	return t
}

// values are the sampled values of a column.
func values(column string, values ...string) sdk.ColumnStats {
	return sdk.ColumnStats{
		Column: column, Rows: 1000, Complete: true, Distinct: int64(len(values)), Values: values,
		Counts: make([]int64, len(values)), ValuesComplete: true, MinLength: -1, MaxLength: -1,
	}
}

func (foodb) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return nil, nil, errors.New("no warehouse is asked")
}
