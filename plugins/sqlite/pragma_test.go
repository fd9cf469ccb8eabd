package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// PRAGMAs that ask about the file read all kinds of tables, and write to none.
func TestPragmasAboutTheFile(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"delete", "wal"} {
		path := create(t, "PRAGMA journal_mode = "+mode, "CREATE TABLE t (x UNIQUE CHECK (x > 0))", "INSERT INTO t VALUES (1)",
			"CREATE VIRTUAL TABLE f USING fts5 (body)", "INSERT INTO f VALUES ('a b')", "CREATE VIRTUAL TABLE r USING rtree (id, a, b)", "INSERT INTO r VALUES (1, 2, 3)")
		s := open(t, path)
		query(t, s, "SELECT * FROM t") // makes the files of the log
		before := snapshot(t, filepath.Dir(path))
		for sql, want := range map[string]any{
			"PRAGMA journal_mode": mode, "PRAGMA main . journal_mode ; -- asked": mode, "PRAGMA integrity_check": "ok", "PRAGMA integrity_check(t)": "ok",
			"PRAGMA main.quick_check(5)": "ok",
		} {
			if diff := cmp.Diff([][]any{{want}}, query(t, s, sql).rows); diff != "" {
				t.Errorf("%s (-want +got):\n%s", sql, diff)
			}
		}
		for _, sql := range []string{"PRAGMA journal_mode = off", "PRAGMA main.journal_mode(off)", "PRAGMA user_version = journal_mode", "EXPLAIN PRAGMA journal_mode = off"} {
			if _, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if diff := cmp.Diff(before, snapshot(t, filepath.Dir(path))); diff != "" {
			t.Errorf("the files changed (-before +after):\n%s", diff)
		}
	}
}
