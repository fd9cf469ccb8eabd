package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// mariaDB is the dialect of the test server.
func mariaDB(t testing.TB) *dialect.Dialect {
	t.Helper()
	return dialect.Pick(mysql.Dialects(), "MariaDB", testserver.MariaDB(t).Version)
}

// outside returns a connection around the connector, as MariaDBAdmin.
func outside(t testing.TB, db *testserver.MariaDBDatabase) *sql.DB {
	t.Helper()
	pool, err := sql.Open("mysql", db.DSN(testserver.MariaDBAdmin))
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = pool.Close() }) // the server may be gone
	return pool
}

// rereader returns a function that fingerprints everything an attack could have
// changed, through a connection of its own.
func rereader(t testing.TB, db *testserver.MariaDBDatabase, queries []string) func(context.Context) (string, error) {
	t.Helper()
	pool := outside(t, db)
	return func(ctx context.Context) (string, error) { return conform.Fingerprint(ctx, pool, queries) }
}

// running returns a function that looks for a SELECT in the process list; its
// EXPLAIN is none.
func running(t testing.TB, db *testserver.MariaDBDatabase, tag string) func(context.Context) (bool, error) {
	t.Helper()
	pool := outside(t, db)
	return func(ctx context.Context) (bool, error) {
		var n int
		err := pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND INFO LIKE ?", "SELECT%/* "+tag+" */%").Scan(&n)
		return n > 0, err
	}
}

// killer returns a function that kills what the process list shows.
func killer(t testing.TB, db *testserver.MariaDBDatabase, what, where string) func(context.Context) error {
	t.Helper()
	pool := outside(t, db)
	return func(ctx context.Context) error {
		for _, row := range db.Rows(t, testserver.MariaDBAdmin, "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND "+where) {
			_, _ = pool.ExecContext(ctx, "KILL "+what+" "+row[0]) // it may be over by now
		}
		return nil
	}
}

// TestConformance runs beside no other test: the suite counts goroutines and files.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the suite on MariaDB; it runs on SQLite and PostgreSQL")
	}
	d := mariaDB(t)
	db := corpusDatabase(t, d)
	cases, err := conform.LoadCases(os.DirFS("testdata/cases"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		cases[i].SQL = strings.ReplaceAll(cases[i].SQL, "{types}", db.Name+"_types")
	}
	schemas := map[string]any{"schemas": []string{db.Name, db.Name + "_shop", "closed_" + db.Name}}
	unreachable := configOf(db, testserver.MariaDBReader, map[string]any{"port": 1})
	folder := openFolder(t)
	hidden, reader := hide(t, db, d, filepath.Join(folder, "stolen"))
	reread := rereader(t, db, append(corpus.Reread(d), hidden.Reread...))
	// The most dangerous account there is: what it cannot do, no account can.
	writer := configOf(db, testserver.MariaDBAdmin, schemas)
	conform.Run(t, conform.Target{
		Connector:   mysql.Connector(),
		Binary:      program.Connector(t, "mysql"),
		Server:      "real MariaDB " + strings.TrimSuffix(db.Version, "-MariaDB"),
		Config:      configOf(db, reader, schemas),
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables: fixtureTables(db),
			// A view that writes cannot be opened in a read-only session.
			Warned:     []string{"closed_" + db.Name, db.Name + "_shop.broken", db.Name + ".spending", db.Name + ".next_id"},
			Reread:     reread,
			Running:    running(t, db, "conformance"),
			End:        killer(t, db, "QUERY", "INFO LIKE 'SELECT%/* conformance */%'"),
			Disconnect: killer(t, db, "CONNECTION", "USER = '"+reader+"'"),
		},
		Cases: append(cases, conform.Case{
			Name:   "parameters",
			SQL:    "SELECT ? + 1 AS n, ? AS t, ? AS b, ? AS yes, ? AS f, ? AS missing, COUNT(*) AS hits FROM accounts WHERE name = ?",
			Params: []sdk.Value{int64(9007199254740992), "it's ?", []byte{0, 255}, true, 0.1, nil, "Ada"},
			Columns: []conform.Column{
				{Name: "n", Type: "int64"},
				{Name: "t", Type: "text"},
				{Name: "b", Type: "text"},
				{Name: "yes", Type: "int64"},
				{Name: "f", Type: "float64"},
				{Name: "missing", Type: "text"},
				{Name: "hits", Type: "int64"},
			},
			Rows: [][]any{{"9007199254740993", "it's ?", []byte{0, 255}, 1, 0.1, nil, 1}},
		}),
		RowsSQL: func(n int) string { return fmt.Sprintf("SELECT seq AS n FROM seq_1_to_%d", max(n, 1)) + nothing(n) },
		TextSQL: func(n int) string { return fmt.Sprintf("SELECT REPEAT('x', %d) AS t", n) },
		SlowSQL: slow("conformance"),
		// Every statement has a connection of its own.
		SessionSQL: sessionSQL,
		Attacks:    conform.Corpus(d, db.Version, filepath.Join(folder, "stolen"), ""),
		Reach: &conform.Reach{
			Statements: hidden.Statements,
			Tables:     []sdk.TableRef{{Schema: db.Name + "_hidden", Name: "spilled"}, {Schema: db.Name + "_hidden", Name: "elsewhere"}},
			Reread: func(ctx context.Context) (string, error) {
				rows, err := reread(ctx)
				files, listed := os.ReadDir(folder)
				return fmt.Sprint(rows, files), errors.Join(err, listed)
			},
		},
		Skips: map[string]string{
			"reach/covers_operator":          "MariaDB has no operators that users make",
			"reach/covers_domain":            "MariaDB has no domains",
			"reach/covers_cast":              "MariaDB has no casts that users make",
			"reach/covers_view_trigger":      "a view has no triggers, and reading a table fires none",
			"reach/covers_macro":             "MariaDB has no macros",
			"types/covers_nan":               "MariaDB has no such number",
			"types/covers_infinity":          "MariaDB has no such number",
			"types/covers_negative_infinity": "MariaDB has no such number",
			"types/covers_infinite_time":     "MariaDB has no such time",
			"types/covers_invalid_utf8":      "the server converts all text to UTF-8",
			"types/covers_zero_columns":      "MariaDB has no table and no result without columns",
			"types/type_bool":                "MariaDB has no boolean: it is a TINYINT, which holds more",
			"types/type_time":                "a TIME of MariaDB is a length of time, up to 838 hours",
			"types/type_json":                "MariaDB's JSON is a LONGTEXT, and comes as one",
			"types/type_nested_json":         "MariaDB has no arrays and no maps",
			"types/type_uuid":                "MariaDB's protocol does not tell a UUID from a CHAR",
		},
	})
}

// hide makes the objects that hide writes, in a database of their own, and an
// account that can read everything of the test's databases, bodies of routines
// included.
func hide(t testing.TB, db *testserver.MariaDBDatabase, d *dialect.Dialect, tmp string) (hidden corpus.Hiding, reader string) {
	t.Helper()
	name, reader := db.Name+"_hidden", db.Name+"_seer"
	hidden = corpus.Reach(d, tmp, name)
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("CREATE DATABASE %[1]s; CREATE SERVER %[1]s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', PORT %[2]d, USER '%[3]s', PASSWORD '%[4]s', DATABASE '%[1]s')",
		name, db.Port, testserver.MariaDBAdmin, testserver.MariaDBPassword))
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("CREATE USER %s IDENTIFIED BY '%s'", reader, testserver.MariaDBPassword))
	pattern := strings.ReplaceAll(db.Name, "_", `\_`)
	for _, on := range []string{"`" + pattern + "`.*", "`" + pattern + "\\_%`.*"} {
		db.Exec(t, testserver.MariaDBAdmin, "GRANT SELECT, SHOW VIEW ON "+on+" TO "+reader)
	}
	for _, on := range []string{"performance_schema.*", "mysql.proc", "mysql.func"} {
		db.Exec(t, testserver.MariaDBAdmin, "GRANT SELECT ON "+on+" TO "+reader)
	}
	t.Cleanup(func() {
		db.MariaDBServer.Exec(t, testserver.MariaDBAdmin, "", "DROP USER "+reader)
	})
	for _, sql := range hidden.Setup {
		db.MariaDBServer.Exec(t, testserver.MariaDBAdmin, name, sql)
	}
	return hidden, reader
}

// nothing ends a sequence that must be empty.
func nothing(n int) string {
	if n > 0 {
		return ""
	}
	return " WHERE FALSE"
}

// sessionSQL lists what one statement could leave to the next on a connection.
const sessionSQL = `
SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.SESSION_VARIABLES
WHERE VARIABLE_NAME NOT IN ('TIMESTAMP', 'PSEUDO_THREAD_ID', 'RAND_SEED1', 'RAND_SEED2', 'LAST_GTID', 'IN_TRANSACTION', 'GTID_BINLOG_POS', 'GTID_BINLOG_STATE', 'GTID_CURRENT_POS', 'ERROR_COUNT', 'WARNING_COUNT', 'INSERT_ID', 'IDENTITY')
UNION ALL SELECT 'variables', CAST(COUNT(*) AS CHAR) FROM information_schema.USER_VARIABLES
UNION ALL SELECT 'lock', CAST(IS_USED_LOCK('stolen') AS CHAR)
UNION ALL SELECT 'role', CURRENT_ROLE()
ORDER BY 1`

// openFolder returns a folder in which the server's account could write.
func openFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "loam-attack")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}
