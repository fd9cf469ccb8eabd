package sqlite_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

// create makes a database of a script, through the driver that may write.
func create(t testing.TB, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test #1?.db")
	change(t, path, statements...)
	return path
}

// writable opens a database around the connector.
func writable(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+escape(path))
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

func escape(path string) string {
	var s string
	for _, r := range path {
		switch r {
		case '#', '?', '%':
			s += fmt.Sprintf("%%%02X", r)
		default:
			s += string(r)
		}
	}
	return s
}

func change(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+escape(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
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
	s, err := sqlite.Connector().Open(context.Background(), request(t, config))
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
	batches int
	notices []sdk.Warning
}

func (*result) Started(string) error   { return nil }
func (*result) Progress(sdk.Progress)  {}
func (r *result) Notice(w sdk.Warning) { r.notices = append(r.notices, w) }

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

// snapshot is a folder with the contents of its files.
func snapshot(t testing.TB, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		files[entry.Name()] = hex.EncodeToString(sum[:])
	}
	return files
}
