package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
)

// raw returns a connection of the pool, as a session would use it.
func raw(t *testing.T, statements ...string) (c *engine.Conn, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "test.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := connector{config{Path: path}}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn.(*pooled).Conn, path
}

// With the authorizer out of the way, the layers behind it still keep every
// file as it is.
func TestLayersBehindTheAuthorizer(t *testing.T) {
	t.Parallel()
	c, path := raw(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)", "CREATE VIRTUAL TABLE f USING fts5 (b)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Authorize(func(engine.Action) bool { return true }); err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(t.TempDir(), "stolen")
	for _, attack := range []string{
		"INSERT INTO t VALUES (2)", "DELETE FROM t", "CREATE TABLE stolen (x)", "DROP TABLE t", "CREATE TEMP TABLE stolen (x)",
		"INSERT INTO f (f) VALUES ('rebuild')", "UPDATE sqlite_dbpage SET data = zeroblob(4096)", "PRAGMA user_version = 7",
		"ATTACH '{}' AS stolen", "ATTACH 'file:{}?mode=rwc' AS stolen", "ATTACH ':memory:' AS stolen", "VACUUM INTO '{}'", "VACUUM INTO 'file:{}?mode=rwc'", "VACUUM",
		"ANALYZE", "REINDEX", "SELECT load_extension('{}')", "BEGIN IMMEDIATE",
	} {
		attack = strings.ReplaceAll(attack, "{}", stray)
		if err := each(c, attack, nil, nil); err == nil {
			t.Errorf("%s runs", attack)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the file changed")
	}
	for _, folder := range []string{filepath.Dir(stray), filepath.Dir(path)} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Name() != filepath.Base(path) {
				t.Errorf("%s was created", entry.Name())
			}
		}
	}
}

// query_only is on by itself, and stays on.
func TestQueryOnly(t *testing.T) {
	t.Parallel()
	c, _ := raw(t, "CREATE TABLE t (x)")
	err := each(c, "SELECT query_only FROM pragma_query_only", nil, func(row *engine.Stmt) error {
		if row.Int64(0) != 1 {
			t.Errorf("query_only is %d", row.Int64(0))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
