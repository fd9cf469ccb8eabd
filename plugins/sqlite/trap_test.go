package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Statements that pass a file opened with mode=ro, query_only or
// sqlite3_stmt_readonly. Each is refused before it runs, and leaves every file as
// it was; {} is a file in the database's folder.
func TestTraps(t *testing.T) {
	t.Parallel()
	const written, denied = sdk.KindNotReadOnly, sdk.KindDenied
	for _, tt := range []struct {
		trap       string
		kind       sdk.Kind
		statements []string
	}{
		{"a write", written, []string{
			"INSERT INTO t VALUES (2)", "UPDATE t SET x = 2", "DELETE FROM t", "WITH n AS (SELECT 2 AS i) INSERT INTO t SELECT i FROM n",
			"INSERT INTO t VALUES (2) RETURNING x", "CREATE TABLE stolen (x)", "DROP TABLE t", "ANALYZE", "REINDEX",
		}},
		{"a full-text index is rebuilt", written, []string{"INSERT INTO f (f) VALUES ('rebuild')"}},
		{"raw pages are written", written, []string{"UPDATE sqlite_dbpage SET data = zeroblob(4096) WHERE pgno = 1"}},
		{"raw pages are read past the rules about tables", denied, []string{"SELECT * FROM sqlite_dbpage", "SELECT data FROM 'sqlite_dbpage'"}},
		{"a temporary table runs under mode=ro", written, []string{"CREATE TEMP TABLE stolen (x)"}},
		{"BEGIN IMMEDIATE runs under mode=ro", written, []string{"BEGIN IMMEDIATE", "BEGIN", "COMMIT", "SAVEPOINT s"}},
		{"ATTACH creates a file under mode=ro and query_only", written, []string{
			"ATTACH 'file:{}?mode=rwc' AS stolen", "ATTACH '{}' AS stolen", "ATTACH ':memory:' AS stolen", "DETACH main",
		}},
		{"VACUUM INTO copies the database under mode=ro and query_only", written, []string{"VACUUM INTO '{}'", "VACUUM main INTO 'file:{}?mode=rwc'", "VACUUM"}},
		{"a PRAGMA switches query_only off", written, []string{"PRAGMA query_only = off", "PRAGMA query_only(0)"}},
		{"a PRAGMA changes settings under query_only", written, []string{
			"PRAGMA temp_store_directory = '{}'", "PRAGMA mmap_size = 268435456", "PRAGMA writable_schema = on", "PRAGMA optimize", "PRAGMA journal_mode = delete",
		}},
		{"a second statement that the driver would run", written, []string{
			"SELECT 1; INSERT INTO t VALUES (2)", "PRAGMA query_only = off; INSERT INTO t VALUES (2)", "SELECT 1; SELECT 2", "SELECT 1;\n-- x\nDELETE FROM t",
		}},
		{"EXPLAIN of a write", written, []string{"EXPLAIN DELETE FROM t", "EXPLAIN QUERY PLAN DELETE FROM t"}},
		{"a function that loads code", denied, []string{"SELECT load_extension('{}')"}},
		{"functions on files that this build has not", sdk.KindNotFound, []string{"SELECT readfile('{}')", "SELECT writefile('{}', 'x')", "SELECT fts3_tokenizer('simple')"}},
		{"a value that fills the memory", sdk.KindLimit, []string{"SELECT hex(zeroblob(200000000))", "SELECT zeroblob(1000000000)"}},
	} {
		t.Run(tt.trap, func(t *testing.T) {
			t.Parallel()
			path := create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)", "CREATE VIRTUAL TABLE f USING fts5 (body)")
			s := open(t, path)
			before := snapshot(t, filepath.Dir(path))
			for _, statement := range tt.statements {
				statement = strings.ReplaceAll(statement, "{}", filepath.Join(filepath.Dir(path), "stolen"))
				_, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: statement})
				if e := sdk.AsError(err, ""); e == nil || e.Kind != tt.kind || e.Hint == "" {
					t.Errorf("%s: %#v", statement, err)
				}
			}
			if got := query(t, s, "SELECT group_concat(x) FROM t").rows[0][0]; got != "1" {
				t.Errorf("the table holds %v", got)
			}
			after := snapshot(t, filepath.Dir(path))
			for name, sum := range after {
				if before[name] != sum {
					t.Errorf("%s was changed or created", name)
				}
			}
		})
	}
}

// What immutable=1 would hide: rows that are in the WAL alone.
func TestTrapImmutableHidesTheWAL(t *testing.T) {
	t.Parallel()
	path := create(t, "PRAGMA journal_mode = wal", "CREATE TABLE t (x)")
	db := writable(t, path)
	for _, statement := range []string{"PRAGMA wal_autocheckpoint = 0", "INSERT INTO t VALUES (7)"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, open(t, path), "SELECT x FROM t").rows; len(got) != 1 || got[0][0] != int64(7) {
		t.Errorf("got %v", got)
	}
}

// An endless statement ends with its context, and its connection serves the next.
func TestTrapEndlessStatement(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"})
	if sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("got %v", err)
	}
	query(t, s, "SELECT 1")
}
