package postgres_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// Whatever makes a relation or a type leave the transaction counts for the next statement, though
// relations and types were not looked at as long as none did.
func TestReachLinks(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testReachLinks)
}

func testReachLinks(t *testing.T, server *testserver.PostgresServer) {
	db := server.Database(t, "CREATE TABLE t (id int); CREATE TABLE parent (id int); CREATE TABLE parts (id int) PARTITION BY RANGE (id)")
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw;
		CREATE FUNCTION spend(a int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT length(public.dblink_exec('', '')) $$;
		CREATE FUNCTION same(a int, b int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT public.spend(a) = b $$;
		CREATE FUNCTION sorts(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT public.spend(a) $$;
		CREATE FUNCTION apart(a int, b int) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT public.spend(a)::float8 $$;
		CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = same);
		CREATE OPERATOR CLASS sorting FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 sorts(int, int);
		CREATE TYPE pair AS (x int); CREATE FUNCTION paired(a int) RETURNS pair LANGUAGE sql AS $$ SELECT ROW(public.spend(a))::public.pair $$`)
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresAdmin))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	change := func(script string) {
		t.Helper()
		if _, err := conn.PgConn().Exec(t.Context(), script).ReadAll(); err != nil {
			t.Fatalf("%s: %v", script, err)
		}
	}
	s := openAs(t, db, testserver.PostgresReader)
	check := func(sql string, refused bool) {
		t.Helper()
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		if got := sdk.KindOf(err) == sdk.KindNotReadOnly; got != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, c := range []struct {
		made, sql, more, also, gone string
		harmless                    bool // what is made first
	}{
		{made: "CREATE VIEW v AS SELECT spend(1)", sql: "SELECT * FROM v", more: "ALTER VIEW v RENAME TO w", also: "SELECT * FROM w", gone: "DROP VIEW w"},
		{made: "CREATE VIEW v AS SELECT pg_read_file('x')", sql: "SELECT * FROM v", more: "CREATE VIEW w AS TABLE v", also: "SELECT * FROM w", gone: "DROP VIEW v CASCADE"},
		{made: "CREATE VIEW v AS SELECT 1 === id AS x FROM t", sql: "SELECT * FROM v", gone: "DROP VIEW v"},
		{made: "CREATE FOREIGN TABLE f (id int) SERVER far", sql: "SELECT * FROM f", more: "ALTER FOREIGN TABLE f INHERIT parent", also: "SELECT * FROM parent", gone: "DROP FOREIGN TABLE f"},
		{made: "CREATE FOREIGN TABLE f PARTITION OF parts DEFAULT SERVER far", sql: "SELECT * FROM parts", gone: "DROP FOREIGN TABLE f"},
		{made: "CREATE INDEX i ON t (spend(id))", sql: "SELECT * FROM t", gone: "DROP INDEX i"},
		{made: "CREATE INDEX i ON t (id) WHERE id === 3", sql: "SELECT * FROM t", gone: "DROP INDEX i"},
		{made: "CREATE INDEX i ON t (id sorting)", sql: "SELECT * FROM t", gone: "DROP INDEX i"},
		{made: "ALTER TABLE t ADD CONSTRAINT c CHECK (spend(id) > 0)", sql: "SELECT * FROM t", gone: "ALTER TABLE t DROP CONSTRAINT c"},
		{made: "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (spend(id) > 0)", sql: "SELECT * FROM t", gone: "DROP POLICY p ON t"},
		{made: "CREATE STATISTICS st ON (spend(id)), id FROM t", sql: "SELECT * FROM t", gone: "DROP STATISTICS st"},
		{made: "CREATE TABLE p (id int) PARTITION BY LIST (spend(id))", sql: "SELECT * FROM p", gone: "DROP TABLE p"},
		{made: "CREATE TABLE p (id int) PARTITION BY RANGE (id sorting)", sql: "SELECT * FROM p", gone: "DROP TABLE p"},
		{made: "CREATE TYPE r AS RANGE (subtype = int, subtype_diff = apart)", sql: "SELECT '[1,2]'::r", more: "CREATE TABLE u (x r)", also: "SELECT * FROM u", gone: "DROP TYPE r CASCADE; DROP TABLE u"},
		{made: "CREATE TYPE r AS RANGE (subtype = int, subtype_opclass = sorting)", sql: "SELECT '[1,2]'::r", gone: "DROP TYPE r"},
		{made: "CREATE DOMAIN d AS int CHECK (spend(VALUE) > 0)", sql: "SELECT 1::d", more: "ALTER TABLE t ALTER id TYPE d", also: "SELECT * FROM t", gone: "ALTER TABLE t ALTER id TYPE int; DROP DOMAIN d"},
		{made: "CREATE DOMAIN d AS int CHECK (spend(VALUE) > 0)", sql: "SELECT 1::d", more: "CREATE TYPE e AS (x d)", also: "SELECT '(1)'::e", gone: "DROP TYPE e; DROP DOMAIN d"},
		{made: "CREATE DOMAIN d AS int CHECK (spend(VALUE) > 0)", sql: "SELECT '{1}'::_d", more: "CREATE TYPE _d AS (y int)", also: "SELECT '{1}'::__d", gone: "DROP TYPE _d; DROP DOMAIN d"},
		{made: "CREATE DOMAIN d AS int CHECK (spend(VALUE) > 0)", sql: "SELECT 1::d", more: "CREATE TABLE u (x d[])", also: "SELECT * FROM u", gone: "DROP TABLE u; DROP DOMAIN d"},
		{made: "CREATE DOMAIN d AS text CHECK (pg_read_file(VALUE) IS NULL)", sql: "SELECT ''::d", more: "CREATE DOMAIN e AS d", also: "SELECT ''::e", gone: "DROP DOMAIN e; DROP DOMAIN d"},
		{made: "CREATE DOMAIN d AS int", sql: "SELECT 1::d", harmless: true, more: "ALTER DOMAIN d ADD CONSTRAINT c CHECK (VALUE === 1)", also: "SELECT 1::d", gone: "DROP DOMAIN d"},
		{made: "ALTER TABLE t ADD CONSTRAINT c CHECK (id === 3)", sql: "SELECT * FROM t", gone: "ALTER TABLE t DROP CONSTRAINT c"},
		{made: "CREATE CAST (int AS pair) WITH FUNCTION paired(int)", sql: "SELECT 1::pair", gone: "DROP CAST (int AS pair)"},
		{made: "CREATE FUNCTION g(a int) RETURNS int LANGUAGE sql AS 'SELECT spend(a)'", sql: "SELECT g(1)", more: "CREATE VIEW v AS SELECT g(1)", also: "SELECT * FROM v", gone: "DROP FUNCTION g CASCADE"},
	} {
		query(t, s, "SELECT 1")
		if !s.Narrow() {
			t.Errorf("before %s: links are looked at", c.made)
		}
		change(c.made)
		check(c.sql, !c.harmless)
		if c.more != "" {
			change(c.more)
			check(c.also, true)
		}
		change(c.gone)
	}
	check("SELECT * FROM t", false)
}

// A view that runs SQL which is put together keeps the links in view: whether it leaves the
// transaction may change with a role alone.
func TestReachLinksOfDynamicSQL(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE t (id int);
		CREATE FUNCTION run(a text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE a; RETURN 1; END $$`)
	s := openAs(t, db, testserver.PostgresReader)
	for _, c := range []struct {
		change string
		narrow bool
	}{
		{"SELECT", true},
		{"CREATE VIEW v AS SELECT run('SELECT 1')", false},
		{"DROP VIEW v", true},
	} {
		db.Exec(t, testserver.PostgresOwner, c.change)
		query(t, s, "SELECT id FROM t")
		if s.Narrow() != c.narrow {
			t.Errorf("%s: narrow is %t", c.change, !c.narrow)
		}
	}
}

// Where no relation and no type leaves the transaction, the look after another transaction
// reads as many rows with many tables as with few.
func TestReachReadsNoTables(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		few, many := rowsRead(t, server, 10), rowsRead(t, server, 400)
		if few == 0 || many > few+20 { // statistics of the catalogue change the plan
			t.Errorf("%d rows with 10 tables, %d with 400", few, many)
		}
	})
}

// rowsRead counts the rows that the server reads for the version of a catalogue with n tables.
func rowsRead(t *testing.T, server *testserver.PostgresServer, n int) int {
	db := server.Database(t, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP
		EXECUTE format('CREATE TABLE t%%s (id int PRIMARY KEY CHECK (id > 0), name text DEFAULT ''x''); CREATE INDEX ON t%%1$s (name)', i); END LOOP; END $$`, n))
	s := openAs(t, db, testserver.PostgresReader)
	query(t, s, "SELECT 1")
	if !s.Narrow() {
		t.Errorf("with %d tables links are looked at", n)
	}
	return rowsOf(explained(t, db, testserver.PostgresReader, strings.ReplaceAll(postgres.SourceVersionSQL, "$1", "'{}'")))
}

// explained runs a statement and returns its plan.
func explained(t testing.TB, db *testserver.PostgresDatabase, role, sql string) (lines []string) {
	for _, row := range db.Rows(t, role, "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) "+sql) {
		lines = append(lines, row[0])
	}
	return lines
}

// rowsOf counts the rows that the nodes of a plan returned or passed over.
func rowsOf(plan []string) (read int) {
	number := regexp.MustCompile(`rows=(\d+)\S* loops=(\d+)|Rows Removed by (?:Filter|Index Recheck): (\d+)`)
	for _, line := range plan {
		for _, found := range number.FindAllStringSubmatch(line, -1) {
			rows, _ := strconv.Atoi(found[1] + found[3])
			loops, _ := strconv.Atoi(found[2])
			read += rows * max(loops, 1)
		}
	}
	return read
}

// An expression of an index or of a generated column calls IMMUTABLE functions alone, and of the
// check of a table nothing else runs when it is read. So none that leaves the transaction runs
// there but by a function of users.
// ts_rewrite runs a text where it has two arguments.
func TestNoImmutableFunctionLeaves(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		db := server.Database(t, "SELECT")
		for _, row := range db.Rows(t, testserver.PostgresReader, "SELECT proname FROM pg_catalog.pg_proc WHERE provolatile = 'i' AND oid < 16384 AND NOT (proname = 'ts_rewrite' AND pronargs = 3)") {
			if postgres.Leaves(row[0]) {
				t.Errorf("%s is IMMUTABLE", row[0])
			}
		}
	})
}
