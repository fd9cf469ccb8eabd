package ask_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fixture is a service over the connection shop, whose snapshot has the table orders, and over crm without a snapshot.
type fixture struct {
	*ask.Service
	t        *testing.T
	dialects []dialect.Dialect
	scan     connection.Scan
	db       *sql.DB

	asked    []string // statements that reached the session, by method
	params   []sdk.Value
	fails    error // of the session's next answer
	bare     bool  // the session has neither plans nor validation
	server   sdk.ServerInfo
	found    []finding.Finding
	filter   history.RunsFilter
	runs     history.Runs
	runsFail error
	read     int // statements whose tables were looked up
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T, engine string) *fixture {
	t.Helper()
	f := &fixture{t: t, runs: history.Runs{Kept: history.Shape}}
	content, err := os.ReadFile("../../../sdk/dialect/testdata/" + engine + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &f.dialects); err != nil {
		t.Fatal(err)
	}
	catalogs := catalog.NewSet(t.TempDir())
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb", Scan: f.scan}, {ID: "crm", Connector: "foodb"}})
	}, f, slog.New(slog.DiscardHandler))
	f.Service = ask.New(ask.Config{
		Warehouses: warehouses, Query: query.New(warehouses, "project"), Catalogs: catalogs, Findings: f.Of, History: f, Now: func() time.Time { return now },
		Tables: func(_ context.Context, _ connection.ID, text string) []string {
			f.read++
			if strings.Contains(text, "orders") {
				return []string{"main.orders"}
			}
			return nil
		},
		Offer: func(_ context.Context, _ connection.ID, _ string, err error) error { return err },
	})
	f.snapshot(catalogs)
	return f
}

const hostile = `a "b" 'c' ; DROP TABLE orders --`

// snapshot scans orders, with a table of a name that wants out of its quotes, and one of another server.
func (f *fixture) snapshot(catalogs *catalog.Set) {
	f.t.Helper()
	columns := []sdk.Column{
		{Name: "id", NativeType: "INTEGER", Type: sdk.TypeInt64}, {Name: "status", NativeType: "TEXT", Type: sdk.TypeText},
		{Name: "at", NativeType: "TEXT", Type: sdk.TypeText}, {Name: "total", NativeType: "REAL", Type: sdk.TypeFloat64},
		{Name: "email", NativeType: "TEXT", Type: sdk.TypeText},
	}
	w, err := catalogs.Of("shop").Begin(f.t.Context(), true)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, t := range []sdk.Table{
		{TableRef: sdk.TableRef{Schema: "main", Name: hostile}, Columns: []sdk.Column{{Name: hostile, Type: sdk.TypeText}}},
		{TableRef: sdk.TableRef{Schema: "main", Name: "abroad"}, Columns: columns[:1], Properties: map[string]string{sdk.PropertyForeignServer: "erp"}},
		{TableRef: sdk.TableRef{Schema: "main", Name: "orders"}, Columns: columns},
		{TableRef: sdk.TableRef{Schema: "main", Name: "secrets"}, Columns: []sdk.Column{{Name: "password", Type: sdk.TypeText}}},
	} {
		t.Kind, t.RowEstimate, t.ByteEstimate = sdk.TableBase, -1, -1
		if err := w.Table(&t); err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := w.Commit(f.t.Context(), catalog.Identity{SyncID: "s1", ScanRunID: "r1", ExtractedAt: now, Mode: catalog.Structural}); err != nil {
		f.t.Fatal(err)
	}
}

// rows opens a database with the rows of orders, on which statements run from now on.
func (f *fixture) rows() {
	f.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.t.TempDir(), "shop.db"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			f.t.Error(err)
		}
	})
	f.db = db
	name := `"` + strings.ReplaceAll(hostile, `"`, `""`) + `"`
	for _, s := range []string{
		"CREATE TABLE orders (id INTEGER, status TEXT, at TEXT, total REAL, email TEXT)",
		"INSERT INTO orders VALUES (1, 'paid', '2026-01-01', 1.5, 'ada@x.de'), (2, 'open', '2026-01-02', 2.5, 'bob@x.de'), (3, NULL, NULL, NULL, NULL), (4, '50%_off', NULL, -1, NULL)",
		"CREATE TABLE " + name + " (" + name + " TEXT)",
		"INSERT INTO " + name + " VALUES ('x')",
	} {
		if _, err := db.ExecContext(f.t.Context(), s); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: f.dialects, Capabilities: sdk.Capabilities{Params: true}}, nil
}

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	if f.bare {
		return bare{f}, func() {}, nil
	}
	return session{bare{f}}, func() {}, nil
}

func (f *fixture) Of(context.Context, connection.ID, string, *dialect.Dialect) []finding.Finding {
	return f.found
}

func (f *fixture) Runs(_ context.Context, filter history.RunsFilter) (history.Runs, error) {
	f.filter = filter
	return f.runs, f.runsFail
}

// bare is a session that runs statements alone.
type bare struct{ f *fixture }

func (s bare) Server() sdk.ServerInfo    { return s.f.server }
func (bare) Ping(context.Context) error  { return nil }
func (bare) Close(context.Context) error { return nil }
func (bare) Scan(context.Context, sdk.ScanRequest, sdk.ScanWriter) (sdk.ScanSummary, error) {
	return sdk.ScanSummary{}, nil
}

func (s bare) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	s.f.asked = append(s.f.asked, "run: "+req.SQL)
	if s.f.db == nil {
		return w.Columns(sdk.Column{Name: "n", Type: sdk.TypeInt64})
	}
	rows, err := s.f.db.QueryContext(ctx, req.SQL)
	if err != nil {
		return sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "%w", err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	columns, cells := make([]sdk.Column, len(names)), make([]any, len(names))
	for i, n := range names {
		columns[i] = sdk.Column{Name: n, Type: sdk.TypeText}
	}
	if err := w.Columns(columns...); err != nil {
		return err
	}
	for rows.Next() {
		texts := make([]sql.NullString, len(names))
		for i := range texts {
			cells[i] = &texts[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		row := make([]any, len(names))
		for i, text := range texts {
			if text.Valid {
				row[i] = text.String
			}
		}
		if err := w.Row(row...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// session has plans and validation too.
type session struct{ bare }

func (s session) Validate(_ context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	s.f.asked = append(s.f.asked, "validate: "+req.SQL)
	return sdk.Validation{
		Columns:  []sdk.Column{{Name: "n", Type: sdk.TypeInt64}, {Name: "n", NativeType: "TEXT"}, {Name: "x", Type: sdk.TypeText}}, // over the wire, a type that is not known is text
		Warnings: []sdk.Warning{{Message: "an implicit cast"}}, Estimate: sdk.EstimateUpper, EstimatedBytes: 2048,
	}, s.f.fails
}

func (s session) Explain(_ context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	s.f.asked, s.f.params = append(s.f.asked, "explain: "+req.SQL), req.Params
	return sdk.Explanation{Format: "text", Text: "SCAN orders\nSORT", EstimatedRows: 7, EstimatedBytes: -1, EstimatedCostUSD: -1}, s.f.fails
}

// sink collects rows.
type sink struct {
	names []string
	rows  []string
}

func (s *sink) Columns(columns []sdk.Column) error {
	for _, c := range columns {
		s.names = append(s.names, c.Name)
	}
	return nil
}

func (s *sink) Row(cells [][]byte) error {
	var texts []string
	for _, c := range cells {
		texts = append(texts, string(c))
	}
	s.rows = append(s.rows, strings.Join(texts, ","))
	return nil
}
