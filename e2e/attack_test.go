package e2e

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// The corpus through the whole product, guard on, and through all tools that take SQL: every attack is refused and
// changes nothing, every look-alike runs. Guard off is the connectors' own
// conformance test.

func TestPostgresAttacks(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	all := postgres.Dialects()
	d := &all[0]
	db := testserver.Postgres(t).Database(t, strings.Join(corpus.Setup(d), ";\n"))
	reread := func() [][]string {
		var rows [][]string
		for _, q := range corpus.Reread(d) {
			rows = append(rows, db.Rows(t, testserver.PostgresAdmin, q)...)
		}
		return rows
	}
	for _, role := range []string{testserver.PostgresOwner, testserver.PostgresReader} {
		t.Run(role, func(t *testing.T) {
			attack(t, d, strongest(t, role == testserver.PostgresOwner), tenth, db.Version, warehouse(t, db, role), "warehouse", db.DSN(testserver.PostgresWriter), reread)
		})
	}
}

func TestSQLiteAttacks(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	all := sqlite.Dialects()
	d := &all[0]
	dir := project(t, "version: 1\nconnections:\n  file: {connector: sqlite, config: {path: data/bank.db}}\n")
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "data", "bank.db"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, statement := range corpus.Setup(d) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	attack(t, d, 1, 1, "", dir, "file", "", func() [][]string {
		var rows [][]string
		for _, q := range corpus.Reread(d) {
			rows = append(rows, texts(t, db, q)...)
		}
		return append(rows, files(t, filepath.Join(dir, "data")))
	})
}

// TestMariaDBAttacks: even an account that may do everything, with a server that
// lets it write files where the attacks would, and that reads quotes and
// backslashes otherwise than the connector's sessions do.
func TestMariaDBAttacks(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	db := testserver.NewMariaDB(t, "--secure-file-priv=", "--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES").Database(t, "")
	all := mysql.Dialects()
	d := dialect.Pick(all, "MariaDB", db.Version)
	db.Exec(t, testserver.MariaDBOwner, strings.Join(corpus.Setup(d), ";\n"))
	reread := func() [][]string {
		var rows [][]string
		for _, q := range corpus.Reread(d) {
			rows = append(rows, db.Rows(t, testserver.MariaDBAdmin, q)...)
		}
		return rows
	}
	for _, account := range []string{testserver.MariaDBAdmin, testserver.MariaDBOwner, testserver.MariaDBReader} {
		t.Run(account, func(t *testing.T) {
			attack(t, d, strongest(t, account == testserver.MariaDBAdmin), tenth, db.Version, mariaDB(t, db, account), "warehouse", "", reread)
		})
	}
}

// strongest returns every how manieth attack an account sends: all of them only the one with the most rights, for the guard
// decides before an account matters. The others are skipped when tests are short.
func strongest(t *testing.T, is bool) int {
	t.Helper()
	if is {
		return 1
	}
	heavy(t, "the attacks as an account with fewer rights")
	return tenth
}

// attack runs one in nth attacks and one in harmless look-alikes, and reads everything again. But on SQLite it is a tenth of
// the look-alikes: the guard is the same, and conformance runs all of them on every engine, as the reader and as an account
// that may write.
func attack(t *testing.T, d *dialect.Dialect, nth, harmless int, version, dir, connection, dsn string, reread func() [][]string) {
	t.Helper()
	empty := open(t, t.TempDir())
	keepNotes(t, dir)
	if r := loam(t, dir, "scan", connection); r.code != 0 {
		t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
	}
	s := toolsServer(t, dir, "research,queries")
	before := reread()
	refused, ran := 0, 0
	for i, c := range corpus.For(d) {
		if c.Harmless && i%harmless != 0 || !c.Harmless && i%nth != 0 {
			continue
		}
		if newer := (&dialect.Dialect{MinVersion: c.MinVersion}); version != "" && !newer.Matches("", version) {
			t.Logf("%s needs version %s: not run", c.Name, c.MinVersion)
			continue
		}
		text := c.Statement(filepath.Join(empty, "x"), dsn)
		_, failed := s.sql(t.Context(), t, connection, text, nil)
		attackTools(t, s, connection, i, c, text)
		switch {
		case c.Harmless && failed != nil:
			t.Errorf("%s does not run: %s: %s", c.Name, failed.Code, failed.Message)
		case c.Harmless:
			ran++
		case c.Guard && failed == nil:
			t.Errorf("%s was answered", c.Name)
		case c.Guard && failed.Code != "not_read_only" && failed.Code != "syntax":
			t.Errorf("%s was refused with %s: %s", c.Name, failed.Code, failed.Message)
		case failed != nil:
			refused++
		}
	}
	if diff := cmp.Diff(before, reread()); diff != "" {
		t.Errorf("the data changed (-before +after):\n%s", diff)
	}
	if left := files(t, empty); len(left) > 0 {
		t.Errorf("files appeared: %v", left)
	}
	t.Logf("%d attacks refused, %d look-alikes ran", refused, ran)
	if ran*harmless < 2*refused*nth {
		t.Errorf("%d look-alikes for %d attacks: too few to trust the guard's yes", ran, refused)
	}
}

// open lets every account of the machine, the servers' among them, write to a
// folder of the test's.
func open(t *testing.T, dir string) string {
	t.Helper()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func texts(t *testing.T, db *sql.DB, query string) (all [][]string) {
	t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, c := range cells {
			row[i] = c.String
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
