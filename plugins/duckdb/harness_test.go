//go:build cgo

package duckdb_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // opens databases around the connector

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
)

// create makes a database of a script, through the driver that may write.
func create(t testing.TB, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "it's a shop.duckdb")
	change(t, path, statements...)
	return path
}

// change runs statements on a database file, which is closed afterwards.
func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := outside(t, path, "?storage_compatibility_version=latest") // VARIANT needs it
	for _, statement := range append(statements, "CHECKPOINT") {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// outside opens a database around the connector; "" is one in memory.
func outside(t testing.TB, path, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", path+options)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// column returns the first column of a query's rows as text, NULL as "NULL".
func column(t testing.TB, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var all []string
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		if v == nil {
			v = "NULL"
		}
		all = append(all, fmt.Sprint(v))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

func request(t testing.TB, config map[string]any) sdk.OpenRequest {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return sdk.OpenRequest{ConnectionID: "test", Config: sdk.Config{JSON: text}}
}

func open(t testing.TB, path string) sdk.Session {
	t.Helper()
	return openWith(t, map[string]any{"path": path})
}

func openWith(t testing.TB, config map[string]any) sdk.Session {
	t.Helper()
	return openRequest(t, request(t, config))
}

func openRequest(t testing.TB, req sdk.OpenRequest) sdk.Session {
	t.Helper()
	s, err := duckdb.Connector().Open(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// result records what a session wrote.
type result struct {
	columns []sdk.Column
	rows    [][]any
	notices []sdk.Warning
	batches int
}

func (*result) Started(string) error  { return nil }
func (*result) Progress(sdk.Progress) {}

func (r *result) Notice(n sdk.Warning) { r.notices = append(r.notices, n) }

func (r *result) Columns(c []sdk.Column) error {
	r.columns = c
	return nil
}

func (r *result) Batch(b *sdk.Batch) error {
	r.batches++
	for i := range b.Rows {
		row := make([]any, len(r.columns))
		for c := range row {
			row[c] = b.Columns[c].Value(r.columns[c].Type, i)
			if text, ok := row[c].([]byte); ok {
				row[c] = string(text)
			}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

func execute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) (*result, sdk.Summary, error) {
	r := &result{}
	w := sdk.NewRowWriter(r, req.Limits)
	if err := s.Execute(ctx, req, w); err != nil {
		return nil, w.Summary(), err
	}
	err := w.Close()
	return r, w.Summary(), err
}

func query(t testing.TB, s sdk.Session, sql string, params ...sdk.Value) *result {
	t.Helper()
	r, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Params: params})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return r
}

// refused runs a statement that must fail, and returns how.
func refused(t testing.TB, s sdk.Session, sql string) *sdk.Error {
	t.Helper()
	r, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
	if err == nil {
		t.Fatalf("%s runs: %v", sql, r.rows)
	}
	return sdk.AsError(err, sdk.SourceConnector)
}

// scanned records a scan.
type scanned struct {
	tables   []*sdk.Table
	warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error {
	s.tables = append(s.tables, t)
	return nil
}

func (s *scanned) Warning(w sdk.Warning) error {
	s.warnings = append(s.warnings, w)
	return nil
}

func (*scanned) Progress(sdk.Progress) {}

func scan(t testing.TB, s sdk.Session) *scanned {
	t.Helper()
	found := &scanned{}
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil {
		t.Fatal(err)
	}
	return found
}

// write puts files into a folder; names may have folders in front.
func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
