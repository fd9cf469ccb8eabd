package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// A schema is not trusted, and the authorizer sees through views: what they would
// do is refused as if the statement had it itself. {} is a file in a folder that
// is empty.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make []string
		sql  string
		want string // in the refusal; "" = it reads
	}{
		{"view that loads code", []string{"CREATE VIEW v AS SELECT load_extension('{}') AS n"}, "SELECT n FROM v", "unsafe use of load_extension()"},
		{"view of a view", []string{"CREATE VIEW w AS SELECT load_extension('{}') AS n", "CREATE VIEW v AS SELECT * FROM w"}, "SELECT count(*) FROM v", "unsafe use of load_extension()"},
		{"view in a subquery", []string{"CREATE VIEW v AS SELECT load_extension('{}') AS n"}, "SELECT 1 WHERE 1 IN (SELECT n FROM v)", "unsafe use of load_extension()"},
		{"explained view", []string{"CREATE VIEW v AS SELECT load_extension('{}') AS n"}, "EXPLAIN QUERY PLAN SELECT n FROM v", "unsafe use of load_extension()"},
		{"view of raw pages", []string{"CREATE VIEW v AS SELECT data FROM sqlite_dbpage"}, "SELECT * FROM v", "unsafe use of virtual table"},
		{"view of a pragma that sets", []string{"CREATE VIEW v AS SELECT * FROM pragma_journal_mode('wal')"}, "SELECT * FROM v", "unsafe use of virtual table"},
		{"view of a function that is not there", []string{"CREATE VIEW v AS SELECT writefile('{}', 'x') AS n"}, "SELECT * FROM v", "writefile"},
		{"view of a view of a function that is not there", []string{"CREATE VIEW w AS SELECT gone(1) AS n", "CREATE VIEW v AS SELECT n FROM w"}, "SELECT * FROM v", "no such function: gone"},
		{"recursive view", []string{"CREATE VIEW v AS WITH RECURSIVE r (n) AS (SELECT load_extension('{}') UNION ALL SELECT n FROM r) SELECT * FROM r"}, "SELECT * FROM v LIMIT 1", "unsafe use of load_extension()"},
		{"write to a full-text table behind a view", []string{"CREATE VIRTUAL TABLE f USING fts5 (b)", "CREATE VIEW v AS SELECT * FROM f"}, "INSERT INTO v VALUES ('x')", "v"},
		{"full-text table and what it keeps", []string{"CREATE VIRTUAL TABLE f USING fts5 (b)", "INSERT INTO f VALUES ('x')", "CREATE VIEW v AS SELECT b, (SELECT count(*) FROM f_data) AS n FROM f"}, "SELECT * FROM v", ""},
		{"generated column", []string{"CREATE TABLE g (a, b AS (a || random_of) VIRTUAL, random_of)", "INSERT INTO g VALUES (1, 2)"}, "SELECT b FROM g", ""},
		{"view with triggers", []string{"CREATE TABLE t (a)", "CREATE VIEW v AS SELECT a FROM t", "CREATE TRIGGER x INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (1); END"}, "SELECT * FROM v", ""},
		{"write to a view with a trigger", []string{"CREATE TABLE t (a)", "CREATE VIEW v AS SELECT a FROM t", "CREATE TRIGGER x INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (1); END"}, "INSERT INTO v VALUES (1)", "v"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stray := filepath.Join(t.TempDir(), "stolen")
			var statements []string
			for _, sql := range tt.make {
				statements = append(statements, strings.ReplaceAll(sql, "{}", stray))
			}
			path := create(t, statements...)
			before := snapshot(t, filepath.Dir(path))
			_, _, err := execute(t.Context(), open(t, path), sdk.ExecuteRequest{SQL: tt.sql})
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || sdk.KindOf(err) == sdk.KindInternal) {
				t.Errorf("got %v", err)
			}
			for name, sum := range snapshot(t, filepath.Dir(path)) {
				if before[name] != sum {
					t.Errorf("%s was changed or created", name)
				}
			}
			if _, err := os.Stat(stray); err == nil {
				t.Error("a file was written")
			}
		})
	}
}

// A generated column cannot do more than compute: SQLite refuses to make one.
func TestGeneratedColumnsOnlyCompute(t *testing.T) {
	t.Parallel()
	db := writable(t, filepath.Join(t.TempDir(), "new.db"))
	for _, sql := range []string{"CREATE TABLE g (a, b AS (load_extension('x')))", "CREATE TABLE g (a, b AS ((SELECT 1)))", "CREATE TABLE g (a, b AS (random()) STORED)"} {
		if _, err := db.ExecContext(t.Context(), sql); err == nil {
			t.Errorf("%s runs", sql)
		}
	}
}
