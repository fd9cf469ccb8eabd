//go:build cgo

package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// duckDB makes a project with a DuckDB file as its warehouse.
func duckDB(t testing.TB, statements ...string) string {
	t.Helper()
	dir := project(t, "version: 1\nconnections:\n  warehouse: {connector: duckdb, config: {path: data/bank.db}}\n")
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	db := openDuckDB(t, filepath.Join(dir, "data", "bank.db"))
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openDuckDB opens a file around the connector; it must not stay open while the
// connector has it, unless it is opened to read.
func openDuckDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func TestDuckDBConnects(t *testing.T) {
	t.Parallel()
	heavy(t, "rows of DuckDB")
	dir := duckDB(t, "CREATE TABLE orders (id INTEGER, update VARCHAR)")
	connects(t, dir, "warehouse", "DuckDB 1.")
	checkRows(t, dir, stdioServer(t, dir), httpServer(t, dir), "warehouse", []rowsOf{
		{"integers", "SELECT 170141183460469231731687303715884105727::HUGEINT, 340282366920938463463374607431768211455::UHUGEINT, 18446744073709551615::UBIGINT, 9007199254740993", `[["170141183460469231731687303715884105727","340282366920938463463374607431768211455","18446744073709551615","9007199254740993"]]`},
		{"decimals", "SELECT 1.5::DECIMAL(38,10), 0.1::DOUBLE, 'NaN'::DOUBLE, 'Infinity'::FLOAT", `[["1.5000000000",0.1,"NaN","Infinity"]]`},
		{"nested", "SELECT [1, NULL], {'a': 1, 'b': [2]}, MAP {'k': 1}", `[[[1,null],{"a":1,"b":[2]},{"k":1}]]`},
		{"times", "SELECT TIMESTAMP '2024-02-29 12:34:56.789012', TIMESTAMPTZ '2024-02-29 12:34:56+02', DATE '2024-02-29', TIME '23:59:59.5', INTERVAL 3 MONTH, TIMESTAMP_NS '2024-02-29 12:34:56.789012345'", `[["2024-02-29T12:34:56.789012","2024-02-29T10:34:56Z","2024-02-29","23:59:59.5","3 months","2024-02-29T12:34:56.789012345"]]`},
		{"infinite times", "SELECT 'infinity'::DATE, '-infinity'::TIMESTAMP", `[["infinity","-infinity"]]`},
		{"others", `SELECT 'x'::ENUM('x', 'y'), '\xAA\x00'::BLOB, '{"a": 1.50}'::JSON, '101'::BIT, TRUE, '00000000-0000-0000-0000-000000000001'::UUID, NULL, ''`, `[["x","qgA=",{"a":1.50},"101",true,"00000000-0000-0000-0000-000000000001",null,""]]`},
		{"duplicate names", "SELECT 1 AS x, 2 AS x", `[[1,2]]`},
		{"zero rows", "FROM orders", `[]`},
		{"1,000 columns", "SELECT " + strings.TrimSuffix(strings.Repeat("7,", 1000), ","), "[[" + strings.TrimSuffix(strings.Repeat("7,", 1000), ",") + "]]"},
	})
}

func TestDuckDBErrors(t *testing.T) {
	heavy(t, "DuckDB beside its conformance")
	t.Parallel()
	good := duckDB(t, "CREATE TABLE customers (id INTEGER, name VARCHAR)")
	notADatabase := edit(t, good, "data/bank.db", "loam.yaml")
	checkErrors(t, "", []wrong{
		{"syntax", good, "SELECT id FRM customers x y", 3, []string{"line 1, column"}},
		{"write", good, "DELETE FROM customers", 4, []string{"DELETE", "line 1, column 1"}},
		{"no such table", good, "SELECT * FROM\n  customer", 5, []string{"line 2, column 3", "customers"}},
		{"no such column", good, "SELECT\n  nam FROM customers", 5, []string{"line 2, column 3", "name"}},
		{"a file of the machine", good, "SELECT * FROM read_text('/etc/passwd')", 4, []string{"read_text"}},
		{"no such file", edit(t, good, "data/bank.db", "data/nowhere.db"), "SELECT 1", 5, []string{"nowhere.db"}},
		{"no database", notADatabase, "SELECT 1", 2, []string{"loam.yaml"}},
		{"key", edit(t, good, "path:", "pth:"), "SELECT 1", 2, []string{"pth", "path"}},
	})
}

// A statement that never ends, and needs little memory for that.
const endlessDuckDB = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

func busyConnector(t *testing.T, s *server) bool {
	t.Helper()
	running := connectors(t, s.cmd.Process.Pid)
	return len(running) == 1 && !idle(t, running[0])
}

func TestDuckDBCancel(t *testing.T) {
	heavy(t, "DuckDB beside its conformance")
	t.Parallel()
	s := stdioServer(t, duckDB(t, "CREATE TABLE t (i INTEGER)"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "warehouse", "sql": endlessDuckDB}})
		ended <- err
	}()
	eventually(t, 2*time.Minute, "the statement runs", func() bool { return busyConnector(t, s) })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled statement ended with %v", err)
	}
	took := eventually(t, settle, "the engine stops", func() bool { return !busyConnector(t, s) })
	t.Logf("stopped after %v", took)
	if _, failed := s.sql(t.Context(), t, "warehouse", "FROM t", nil); failed != nil {
		t.Errorf("after the cancel: %+v", failed)
	}
}

func TestDuckDBConnectorIsKilled(t *testing.T) {
	heavy(t, "DuckDB beside its conformance")
	t.Parallel()
	dir := duckDB(t, "CREATE TABLE t (i INTEGER)")
	survivesKill(t, dir, endlessDuckDB, func(s *server) bool { return busyConnector(t, s) })
}

// TestDuckDBFileIsLocked: a file that another process writes to cannot be
// opened, and the error says who holds it. Beside one that reads, it can.
func TestDuckDBFileIsLocked(t *testing.T) {
	heavy(t, "DuckDB beside its conformance")
	t.Parallel()
	dir := duckDB(t, "CREATE TABLE t AS SELECT 42 AS i")
	path := filepath.Join(dir, "data", "bank.db")
	writer := openDuckDB(t, path)
	if _, err := writer.ExecContext(t.Context(), "INSERT INTO t VALUES (43)"); err != nil {
		t.Fatal(err)
	}
	r := loam(t, dir, "sql", "SELECT i FROM t")
	if r.code != 6 || !strings.Contains(r.stderr, fmt.Sprint(os.Getpid())) {
		t.Errorf("locked: exit %d, or process %d is not named: %s", r.code, os.Getpid(), r.stderr)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	reader := openDuckDB(t, path+"?access_mode=READ_ONLY")
	defer reader.Close()
	if err := reader.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := loam(t, dir, "sql", "--format", "csv", "SELECT max(i) AS i FROM t"); r.code != 0 || !strings.Contains(r.stdout, "43") {
		t.Errorf("beside a reader: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
