package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// What a statement reaches through the objects that it names is refused, as
// every account; what only writes inside the transaction is the engine's.
func TestReach(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testReach)
}

func testReach(t *testing.T, server *testserver.PostgresServer) {
	connector := postgres.Connector()
	d := &connector.Dialects[len(connector.Dialects)-1]
	db := corpusDatabase(t, server, d)
	reached := hide(t, db, d)
	want, err := reached.Reread(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{testserver.PostgresAdmin, testserver.PostgresOwner, testserver.PostgresReader} {
		s := openAs(t, db, role)
		for _, h := range reached.Statements {
			for range 2 { // the second time is another way in
				r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: h.SQL})
				if kind := sdk.KindOf(err); h.Harmless && err != nil || !h.Harmless && kind != sdk.KindNotReadOnly {
					t.Errorf("%s as %s: %v, rows %v\n%s", h.Name, role, err, r.Rows, h.SQL)
				} else if err != nil {
					t.Logf("%s: %v", h.Name, err)
				}
			}
			if got, err := reached.Reread(t.Context()); err != nil || got != want {
				t.Fatalf("%s as %s: the data changed (%v)\n%s", h.Name, role, err, h.SQL)
			}
		}
	}
}

// What a refusal says to add lets the statement run, and nothing else.
func TestReachAllowed(t *testing.T) {
	t.Parallel()
	server := testserver.Postgres(t)
	connector := postgres.Connector()
	d := &connector.Dialects[len(connector.Dialects)-1]
	db := corpusDatabase(t, server, d)
	reached := hide(t, db, d)
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresOwner, map[string]any{
		"allow_functions":       []string{"hide.hide_sql", "hide_plpgsq", "hide.run_*"},
		"allow_foreign_servers": []string{"itself", "itsel"},
	})})
	var warned []string
	for _, w := range s.Server().Warnings {
		if strings.HasPrefix(w.Path, "allow_") {
			warned = append(warned, w.Summary)
		}
	}
	want := []string{
		"allow_functions names hide_plpgsq, which is not there; did you mean hide_plpgsql?",
		"allow_foreign_servers names itsel, which is not there; did you mean itself?",
	}
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Error(diff)
	}
	for sql, allowed := range map[string]bool{
		"SELECT * FROM hidden_deeper": true, "SELECT hide_sql()": true, "SELECT * FROM hidden_next": true, "SELECT run_text('SELECT 1')": true,
		"SELECT * FROM hidden_direct": false, "SELECT hide_plpgsql()": false, "SELECT * FROM hidden_program": false,
	} {
		before, err := reached.Reread(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		if (sdk.KindOf(err) != sdk.KindNotReadOnly) != allowed {
			t.Errorf("%s: %v", sql, err)
		}
		if after, err := reached.Reread(t.Context()); err != nil || !allowed && after != before {
			t.Errorf("%s: the data changed, %v", sql, err)
		}
	}
}

// A definition that another session changes right before a statement counts, also
// for a statement that ran before.
func TestReachSeesChanges(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE VIEW v AS SELECT f() AS n")
	db.Exec(t, testserver.PostgresAdmin, "CREATE EXTENSION dblink")
	s := openAs(t, db, testserver.PostgresOwner)
	for i, change := range []struct {
		sql     string
		refused bool
	}{
		{"SELECT", false},
		{"CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT length(dblink_exec('', '')) $$", true},
		{"SELECT", true},
		{"INSERT INTO t VALUES (1)", true},
		{"CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 2'", false},
		{"CREATE OR REPLACE VIEW v AS SELECT f() + length(dblink_exec('', '')) AS n", true},
		{"DROP VIEW v; CREATE VIEW v AS SELECT 3 AS n", false},
		{"DROP VIEW v; CREATE TABLE v (n int)", false},
		{"CREATE FUNCTION dangerous(n int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT dblink_exec('', '') IS NULL $$; CREATE POLICY p ON v USING (dangerous(n))", true},
		{"DROP POLICY p ON v", false},
		{"CREATE DOMAIN plain AS int; ALTER TABLE v ALTER n TYPE plain", false},
		{"ALTER DOMAIN plain ADD CHECK (dangerous(VALUE)) NOT VALID", true},
		{"ALTER TABLE v ALTER n TYPE int", false},
	} {
		db.Exec(t, testserver.PostgresOwner, change.sql)
		for range 3 {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM v"})
			if refused := sdk.KindOf(err) == sdk.KindNotReadOnly; refused != change.refused || !refused && err != nil {
				t.Errorf("%d %s: %v", i, change.sql, err)
			}
		}
	}
}

// The functions of an operator class run when the planner or a scan uses an index or a
// partitioned table that names it, though the type is the server's.
func TestReachOperatorClasses(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE indexed (id int); CREATE TABLE plain (id int);
		CREATE FUNCTION compares(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT btint4cmp(a, b)'`)
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION dblink; CREATE OPERATOR CLASS own FOR TYPE int USING btree AS
		OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compares(int, int)`)
	s := openAs(t, db, testserver.PostgresReader)
	wants := func(change string, refused ...string) {
		t.Helper()
		db.Exec(t, testserver.PostgresAdmin, change)
		for _, table := range []string{"plain", "indexed", "parted", "viewed"} {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM " + table + " WHERE id = 7"})
			if got := sdk.KindOf(err) == sdk.KindNotReadOnly; got != slices.Contains(refused, table) || !got && err != nil {
				t.Errorf("%s: %s: %v", change, table, err)
			}
		}
	}
	wants(`CREATE TABLE parted (id int) PARTITION BY RANGE (id own); CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (50);
		CREATE VIEW viewed AS SELECT id FROM indexed; GRANT SELECT ON ALL TABLES IN SCHEMA public TO loam_reader`)
	wants("CREATE OR REPLACE FUNCTION compares(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT length(dblink_exec('', '')) $$", "parted")
	// A cast names the type, which such a class does not taint.
	wants("CREATE TYPE unit AS (n int); CREATE FUNCTION units(u unit) RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE CAST (unit AS int) WITH FUNCTION units(unit)", "parted")
	if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id::int4 FROM plain"}); err != nil {
		t.Error(err)
	}
	wants("CREATE INDEX by_own ON indexed (id own)", "parted", "indexed", "viewed")
	wants("DROP TABLE parted; CREATE TABLE parted (id int); GRANT SELECT ON parted TO loam_reader", "indexed", "viewed")
	wants("DROP INDEX by_own")
	wants(`CREATE OR REPLACE FUNCTION compares(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT btint4cmp(a, b)'; CREATE INDEX by_own ON indexed (id own);
		CREATE FUNCTION sorts(a internal) RETURNS void LANGUAGE internal AS 'btint4sortsupport'`)
	wants("ALTER OPERATOR FAMILY own USING btree ADD FUNCTION 2 (int, int) sorts(internal)", "indexed", "viewed")
}

// SQL that a function puts together can do what the role may do that it runs as:
// it is refused where that leaves the transaction, and only there.
func TestReachDynamic(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE t (id int);
		CREATE FUNCTION counts(name text) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN EXECUTE format('SELECT count(*) FROM %I', name) INTO n; RETURN n; END $$;
		CREATE FUNCTION definer(name text) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT counts(name)';
		CREATE VIEW counted AS SELECT counts('t') AS n, definer('t') AS m`)
	wants := func(change, role string, refused ...bool) {
		t.Helper()
		db.Exec(t, testserver.PostgresAdmin, change)
		s := openAs(t, db, role)
		for i, sql := range []string{"SELECT counts('t')", "SELECT definer('t')", "SELECT * FROM counted", "SELECT super('t')"}[:len(refused)] {
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); (sdk.KindOf(err) == sdk.KindNotReadOnly) != refused[i] {
				t.Errorf("%s as %s: %v", sql, role, err)
			}
		}
	}
	wants("SELECT", testserver.PostgresReader, false, false, false)
	wants("SELECT", testserver.PostgresAdmin, true, true, true)
	wants(`CREATE EXTENSION dblink; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
		GRANT EXECUTE ON FUNCTION counts, definer TO PUBLIC`, testserver.PostgresReader, false, false, false)

	// Who may call a function that leaves it with the rights of its owner can leave it.
	wants(`CREATE FUNCTION super(name text) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT public.counts(name)';
		REVOKE EXECUTE ON FUNCTION super FROM PUBLIC`, testserver.PostgresReader, false, false, false, true)
	wants("GRANT EXECUTE ON FUNCTION super TO loam_reader", testserver.PostgresReader, true, true, true, true)
	wants("DROP FUNCTION super", testserver.PostgresReader, false, false, false)
	wants(`CREATE FUNCTION lends() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT dblink_exec('', '') $$; REVOKE EXECUTE ON FUNCTION lends FROM PUBLIC`,
		testserver.PostgresReader, false, false, false)
	wants("GRANT EXECUTE ON FUNCTION lends TO loam_reader", testserver.PostgresReader, true, true, true)
	wants("DROP FUNCTION lends", testserver.PostgresReader, false, false, false)

	// So can who may read a foreign table.
	wants(`CREATE EXTENSION postgres_fdw; CREATE SERVER erp FOREIGN DATA WRAPPER postgres_fdw; CREATE FOREIGN TABLE far (id int, n int) SERVER erp`,
		testserver.PostgresReader, false, false, false)
	wants("GRANT SELECT (n) ON far TO loam_reader", testserver.PostgresReader, true, true, true)
	wants("REVOKE ALL (n) ON far FROM loam_reader", testserver.PostgresReader, false, false, false)

	// So can who may become a superuser.
	defer db.Exec(t, testserver.PostgresAdmin, "DROP OWNED BY loam_climber; DROP ROLE loam_climber")
	wants(fmt.Sprintf("CREATE ROLE loam_climber LOGIN NOINHERIT PASSWORD '%s'; GRANT CONNECT ON DATABASE %s TO loam_climber; GRANT USAGE ON SCHEMA public TO loam_climber", testserver.PostgresPassword, db.Name),
		"loam_climber", false, false)
	wants("GRANT loam_admin TO loam_climber", "loam_climber", true, true)

	wants("GRANT EXECUTE ON FUNCTION dblink_exec(text, text) TO loam_owner", testserver.PostgresReader, false, true, true)
	wants("SELECT", testserver.PostgresOwner, true, true, true)
}

// What a role may do by itself, and what functions are there to be called, counts
// for functions that were read before.
func TestReachSeesRights(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE FUNCTION counts(name text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT ' || name INTO name; RETURN name; END $$;
		CREATE FUNCTION late(name text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT row_name FROM crosstab3('SELECT ' || name)); END $$`)
	s := openAs(t, db, testserver.PostgresReader)
	wants := func(change, sql string, refused bool) {
		t.Helper()
		db.Exec(t, testserver.PostgresAdmin, change)
		for range 2 {
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); (sdk.KindOf(err) == sdk.KindNotReadOnly) != refused {
				t.Errorf("%s after %s: %v", sql, change, err)
			}
		}
	}
	wants("SELECT", "SELECT counts('1')", false)
	wants("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO loam_reader", "SELECT counts('1')", true)
	wants("SELECT", "SELECT late('1')", false)
	wants("CREATE EXTENSION tablefunc", "SELECT late('1')", true)
	wants("REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM loam_reader", "SELECT counts('1')", false)
}

// The input function of a base type is code that cannot be read, unless it is of an
// extension: a value of the type is refused, repeated or not.
func TestReachBaseTypes(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int)")
	s := openAs(t, db, testserver.PostgresOwner)
	query(t, s, "SELECT * FROM t")
	db.Exec(t, testserver.PostgresAdmin, `CREATE TYPE own; CREATE FUNCTION own_in(cstring) RETURNS own LANGUAGE internal IMMUTABLE STRICT AS 'textin';
		CREATE FUNCTION own_out(own) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout'; CREATE TYPE own (INPUT = own_in, OUTPUT = own_out, LIKE = text);
		CREATE TABLE kept (x own); INSERT INTO kept VALUES ('a'); GRANT SELECT ON kept TO loam_owner; CREATE EXTENSION hstore; CREATE EXTENSION citext`)
	for range 2 {
		for _, sql := range []string{"SELECT 'x'::own", "SELECT own 'x'", "SELECT '{x}'::_own", "SELECT x FROM kept"} {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
			if e := wantKind(t, err, sdk.KindNotReadOnly); !strings.Contains(e.Msg, "own_") || !strings.Contains(e.Msg, "of no extension, which cannot be read") {
				t.Errorf("%s: %v", sql, err)
			}
		}
		query(t, s, "SELECT 'a => b'::hstore -> 'a', 'X'::citext = 'x'")
	}
}

// A role that may not read the system tables is told so: nothing is guessed.
func TestReachWithoutCatalog(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int)")
	s := openAs(t, db, testserver.PostgresReader)
	db.Exec(t, testserver.PostgresAdmin, "REVOKE SELECT ON pg_rewrite FROM PUBLIC")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM t"})
	if e := wantKind(t, err, sdk.KindDenied); !strings.Contains(e.Msg, "pg_rewrite") || !strings.Contains(e.Hint, "GRANT SELECT") {
		t.Errorf("%v, %s", e, e.Hint)
	}
}

// The server's own functions, operators, types and tables are not those of
// somebody who put others of their names on the path.
func TestSystemNamesFirst(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		db := server.Database(t, `CREATE SCHEMA evil; CREATE FUNCTION evil.now() RETURNS text LANGUAGE sql AS $$ SELECT 'evil' $$;
			CREATE FUNCTION evil.plus(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT 666'; CREATE OPERATOR evil.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.plus);
			CREATE DOMAIN evil.date AS text; CREATE TABLE evil.pg_class (relname text); CREATE TABLE evil.own (id int)`)
		db.Exec(t, testserver.PostgresAdmin, "ALTER DATABASE "+db.Name+" SET search_path = evil, pg_catalog, public")
		for _, role := range []string{testserver.PostgresReader, testserver.PostgresOwner} {
			s := openAs(t, db, role)
			for range 2 {
				got := query(t, s, "SELECT pg_typeof(now())::text, 1 + 1, pg_typeof('2024-01-01'::date)::text, (SELECT count(*) > 100 FROM pg_class), (SELECT count(*) FROM own)").Rows[0]
				if diff := cmp.Diff([]any{"timestamp with time zone", int64(2), "date", true, int64(0)}, got); diff != "" {
					t.Errorf("as %s: %s", role, diff)
				}
			}
		}
	})
}

// A connection that keeps the path it was opened with is judged by that path.
func TestReachByPathOfConnection(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, `CREATE SCHEMA calm; CREATE SCHEMA wild; CREATE VIEW calm.v AS SELECT 1 AS n`)
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION dblink; CREATE VIEW wild.v AS SELECT public.dblink_exec('', '') AS n;
		GRANT SELECT ON wild.v TO PUBLIC; ALTER ROLE loam_reader SET search_path = wild`)
	s := openAs(t, db, testserver.PostgresReader)
	refused := func() bool {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM v"})
		return sdk.KindOf(err) == sdk.KindNotReadOnly
	}
	if !refused() {
		t.Error("the view on the path runs")
	}
	db.Exec(t, testserver.PostgresAdmin, "ALTER ROLE loam_reader SET search_path = calm")
	other := openAs(t, db, testserver.PostgresReader) // opened now: another path
	if _, err := execute(t.Context(), other, sdk.ExecuteRequest{SQL: "SELECT * FROM v"}); err != nil {
		t.Error(err)
	}
	if !refused() {
		t.Error("the connection that was opened before reads by the path of another")
	}
}
