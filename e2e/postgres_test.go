package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// warehouse makes a project with one PostgreSQL connection, as a role.
func warehouse(t testing.TB, db *testserver.PostgresDatabase, role string) string {
	t.Helper()
	return project(t, fmt.Sprintf(`version: 1
connections:
  warehouse:
    connector: postgres
    config: {host: %s, port: %d, database: %s, user: %s, password: "%s", sslmode: verify-full, sslrootcert: %s}
`, db.Host, db.Port, db.Name, role, secretFile(t, testserver.PostgresPassword), db.CAFile))
}

const typesScript = `
CREATE TYPE mood AS ENUM ('calm', 'cross');
CREATE TABLE wide AS SELECT * FROM (VALUES (1)) AS t(a);
`

func TestPostgresSameRowsEverywhere(t *testing.T) {
	t.Parallel()
	heavy(t, "the same rows everywhere on PostgreSQL")
	dir := warehouse(t, testserver.Postgres(t).Database(t, typesScript), testserver.PostgresReader)
	stdio, http := stdioServer(t, dir), httpServer(t, dir)
	cases := []rowsOf{
		{"integers", "SELECT 9007199254740992::int8, 9007199254740993::int8, (-9223372036854775808)::int8, 1::int2", `[[9007199254740992,"9007199254740993","-9223372036854775808",1]]`},
		{"numeric", "SELECT 1234567890123456789012345678.0123456789::numeric(38,10), 0.10::numeric(4,2), 'NaN'::numeric, 'Infinity'::numeric", `[["1234567890123456789012345678.0123456789","0.10","NaN","Infinity"]]`},
		{"float", "SELECT 0.1::float8, 'NaN'::float8, 'Infinity'::float8, '-Infinity'::float4", `[[0.1,"NaN","Infinity","-Infinity"]]`},
		{"timestamps", "SELECT '2024-02-29 12:34:56.789012'::timestamp, '2024-02-29 12:34:56.789012+02'::timestamptz, '2024-02-29'::date, '23:59:59.5'::time", `[["2024-02-29T12:34:56.789012","2024-02-29T10:34:56.789012Z","2024-02-29","23:59:59.5"]]`},
		{"infinite dates", "SELECT 'infinity'::date, '-infinity'::timestamp, 'infinity'::timestamptz", `[["infinity","-infinity","infinity"]]`},
		{"interval", "SELECT '1 year 2 mons 3 days 04:05:06.7'::interval", `[["1 year 2 mons 3 days 04:05:06.7"]]`},
		{"bytea", `SELECT '\x00ff10'::bytea`, `[["AP8Q"]]`},
		{"arrays", "SELECT ARRAY[1,NULL,3], ARRAY['a','b\"c']", `[[[1,null,3],["a","b\"c"]]]`},
		{"json", `SELECT '{"a": [1, 2.50, null]}'::jsonb, '[1, "x"]'::json`, `[[{"a":[1,2.50,null]},[1,"x"]]]`},
		{"uuid and enum", "SELECT 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, 'cross'::mood", `[["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","cross"]]`},
		{"bool and null", "SELECT true, false, NULL::int, ''", `[[true,false,null,""]]`},
		{"duplicate names", "SELECT 1 AS x, 2 AS x", `[[1,2]]`},
		{"zero columns", "SELECT FROM wide", `[[]]`},
		{"zero rows", "SELECT a FROM wide WHERE false", `[]`},
		{"1,000 columns", "SELECT " + strings.TrimSuffix(strings.Repeat("7,", 1000), ","), "[[" + strings.TrimSuffix(strings.Repeat("7,", 1000), ",") + "]]"},
	}
	checkRows(t, dir, stdio, http, "warehouse", cases)

	mib := "SELECT 1 AS n, repeat('x', 1048576) AS t"
	var whole answer
	unmarshal(t, []byte(loam(t, dir, "sql", "--json", mib).stdout), &whole)
	if len(whole.Rows) != 1 || len(whole.Rows[0][1]) != 1<<20+2 {
		t.Errorf("1 MiB cell: %d rows", len(whole.Rows))
	}
	const n = 100 // MiB
	large := fmt.Sprintf("SELECT i, repeat('x', 1024) FROM generate_series(1, %d) AS g(i)", n<<10)
	for name, s := range map[string]*server{"stdio": stdio, "http": http} {
		got, failed := s.sql(t.Context(), t, "warehouse", large, map[string]any{"maxRows": 10000})
		if failed != nil || !got.Truncated || got.TruncatedBy != "bytes" {
			t.Fatalf("%s: %+v, %+v", name, got, failed)
		}
		for _, pid := range append(connectors(t, s.cmd.Process.Pid), s.cmd.Process.Pid) {
			if peak := resident(t, pid, "VmHWM"); peak > 128<<10 {
				t.Errorf("%s: the peak of process %d is %d KiB", name, pid, peak)
			}
		}
	}
	if got := loam(t, dir, "sql", "--format", "csv", "--max-rows", "0", large); got.code != 0 || len(got.stdout) < n<<20 {
		t.Errorf("%d MiB on the command line: exit %d, %d bytes: %s", n, got.code, len(got.stdout), got.stderr)
	}
}

// TestPostgresStatementsEnd: a cancel, a deadline and a client that goes away
// end the statement in the server, as its own process list shows.
func TestPostgresStatementsEnd(t *testing.T) {
	heavy(t, "PostgreSQL beside its conformance")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, typesScript)
	dir := warehouse(t, db, testserver.PostgresReader)
	// A cross join keeps the server busy without any function a guard may refuse.
	busy := func(tag string) string {
		return fmt.Sprintf("SELECT count(*) /* %s */ FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b", tag)
	}
	running := func(tag string) bool {
		rows := db.Rows(t, testserver.PostgresAdmin, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND usename = '"+testserver.PostgresReader+"' AND datname = current_database() AND query LIKE '%/* "+tag+" */%'")
		return rows[0][0] != "0"
	}
	statementsEnd(t, dir, busy, running)
}

// TestPostgresErrors: each says what, where and what to do.
func TestPostgresErrors(t *testing.T) {
	heavy(t, "PostgreSQL beside its conformance")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE secret (a int); CREATE TABLE customers (id int, name text);")
	db.Exec(t, testserver.PostgresOwner, "REVOKE ALL ON secret FROM "+testserver.PostgresReader)
	good := warehouse(t, db, testserver.PostgresReader)
	checkErrors(t, testserver.PostgresPassword, []wrong{
		{"syntax", good, "SELECT id FRM customers x y", 3, []string{"42601", "line 1, column"}},
		{"no such table", good, "SELECT * FROM\n  customer", 5, []string{"42P01", "line 2, column 3"}},
		{"no such column", good, "SELECT nam FROM customers", 5, []string{"42703", "nam"}},
		{"permission", good, "SELECT * FROM secret", 8, []string{"42501", "secret"}},
		{"password", edit(t, good, "user: "+testserver.PostgresReader, "user: nobody_here"), "SELECT 1", 7, []string{"28P01"}},
		{"database", edit(t, good, "database: "+db.Name, "database: nowhere"), "SELECT 1", 5, []string{"3D000", "nowhere"}},
		{"port", edit(t, good, fmt.Sprintf("port: %d", db.Port), "port: 1"), "SELECT 1", 14, []string{"127.0.0.1"}},
		{"certificate", edit(t, good, db.CAFile, "/etc/hostname"), "SELECT 1", 2, []string{"sslrootcert"}},
		{"key", edit(t, good, "sslmode:", "sslmod:"), "SELECT 1", 2, []string{"sslmod"}},
	})
}
