package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// hidingScript makes a view that hides a write over another connection, a
// function that hides it from a measure, and a foreign table whose other end
// moves a sequence.
const hidingScript = `
CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw;
CREATE TABLE spent (by text); GRANT ALL ON spent TO PUBLIC;
CREATE TABLE orders (id int PRIMARY KEY, amount int); INSERT INTO orders SELECT i, i FROM generate_series(1, 50) i;
CREATE SEQUENCE spent_seq; GRANT ALL ON spent_seq TO PUBLIC;
CREATE FUNCTION spend(x int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  PERFORM dblink_exec('%[1]s', 'INSERT INTO spent VALUES (''stolen'')'); RETURN x; END $$;
CREATE VIEW v AS SELECT spend(id) AS id FROM orders;
CREATE VIEW next_spent AS SELECT nextval('spent_seq') AS n;
CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%[2]s', port '%[3]d', dbname '%[4]s');
CREATE USER MAPPING FOR PUBLIC SERVER itself OPTIONS (user '%[5]s', password '%[6]s');
CREATE FOREIGN TABLE far (n bigint) SERVER itself OPTIONS (table_name 'next_spent');
GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC;`

// What a name hides is refused on every way in, with the way and the key that
// allows it; a scan does not run it unasked. The other end is read again each time.
func TestPostgresReach(t *testing.T) {
	heavy(t, "objects that write")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=''%s''", db.Host, db.Port, db.Name, testserver.PostgresOwner, testserver.PostgresPassword)
	db.Exec(t, testserver.PostgresAdmin, fmt.Sprintf(hidingScript, dsn, db.Host, db.Port, db.Name, testserver.PostgresOwner, testserver.PostgresPassword))
	reread := func() [][]string {
		return db.Rows(t, testserver.PostgresAdmin, "SELECT (SELECT count(*) FROM spent), last_value, is_called FROM spent_seq")
	}
	before := reread()
	unchanged := func(after string) {
		t.Helper()
		if diff := cmp.Diff(before, reread()); diff != "" {
			t.Fatalf("%s changed the data:\n%s", after, diff)
		}
	}
	for _, role := range []string{testserver.PostgresReader, testserver.PostgresOwner} {
		dir := warehouse(t, db, role)
		writeFile(t, filepath.Join(dir, "semantic-layer", "warehouse", "orders.yaml"), `name: orders
table: public.orders
grain: [id]
columns:
  - {name: id, type: number}
measures:
  - {name: spent, expr: sum(spend(id)), dialect: postgres}
  - {name: total, expr: sum(id)}
`)
		for _, attack := range []struct{ sql, path, allow string }{
			{"select * from v", "view public.v → function public.spend → public.dblink_exec", `allow_functions: ["public.spend"]`},
			{"select * from far", "foreign table public.far", `allow_foreign_servers: ["itself"]`},
		} {
			for range 2 {
				r := loam(t, dir, "sql", "-c", "warehouse", attack.sql)
				if said := r.stdout + r.stderr; r.code == 0 || !strings.Contains(said, attack.path) || !strings.Contains(said, attack.allow) {
					t.Errorf("as %s, loam sql %q: exit %d: %s", role, attack.sql, r.code, said)
				}
				unchanged("loam sql " + attack.sql)
			}
		}

		r := loam(t, dir, "scan", "--full")
		if r.code != 0 {
			t.Errorf("as %s, loam scan: exit %d: %s", role, r.code, r.stderr)
		}
		unchanged("loam scan --full")

		s := stdioServer(t, dir)
		if got, failed := s.sql(t.Context(), t, "warehouse", "SELECT id FROM v", nil); failed == nil || failed.Code != "not_read_only" || !strings.Contains(failed.Message, "→ public.dblink_exec") {
			t.Errorf("as %s, sql_execution: %+v, %+v", role, got, failed)
		}
		unchanged("sql_execution")
		if failed := s.refusal(t, `{"connectionId": "warehouse", "measures": ["orders.spent"]}`); !strings.Contains(failed.Message, "function public.spend → public.dblink_exec") {
			t.Errorf("as %s, sl_query: %+v", role, failed)
		}
		unchanged("sl_query")
		if got := s.semantic(t, `{"connectionId": "warehouse", "measures": ["orders.total"]}`); len(got.Rows) != 1 {
			t.Errorf("as %s, an ordinary measure: %+v", role, got)
		}
	}
}

// Wrong input of the check is answered with what is wrong: an exception that names
// nothing, definitions that name nothing or each other, system tables that the role may
// not read.
func TestPostgresReachWrongInput(t *testing.T) {
	heavy(t, "wrong input of what a statement reaches")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE orders (id int);
CREATE FUNCTION torn() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN gone(); END'; CREATE VIEW v AS SELECT torn() AS n; CREATE VIEW over_v AS SELECT n FROM v;
CREATE FUNCTION ping(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN n > 0 THEN pong(n - 1) ELSE 0 END; END';
CREATE FUNCTION pong(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN ping(n - 1); END'`)
	dir := project(t, fmt.Sprintf(`version: 1
connections:
  warehouse:
    connector: postgres
    config: {host: %s, port: %d, database: %s, user: %s, password: "%s", allow_functions: [public.tron]}
`, db.Host, db.Port, db.Name, testserver.PostgresReader, secretFile(t, testserver.PostgresPassword)))
	wants := func(code int, said string, args ...string) {
		t.Helper()
		if r := loam(t, dir, args...); r.code != code || !strings.Contains(r.stdout+r.stderr, said) {
			t.Errorf("loam %s: exit %d, want %d and %q: %s%s", strings.Join(args, " "), r.code, code, said, r.stdout, r.stderr)
		}
	}
	const unmatched = "allow_functions names public.tron, which is not there; did you mean public.torn"
	wants(0, unmatched, "connection", "test", "warehouse")
	wants(5, "gone()", "sql", "-c", "warehouse", "SELECT * FROM over_v")
	wants(0, "0", "sql", "-c", "warehouse", "SELECT ping(4)")
	wants(0, unmatched, "connection", "show", "warehouse") // since it was opened

	db.Exec(t, testserver.PostgresAdmin, "REVOKE SELECT ON pg_rewrite FROM PUBLIC")
	const right = "GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO"
	wants(8, right, "sql", "-c", "warehouse", "SELECT * FROM orders")
	wants(8, right, "connection", "test", "warehouse")
}
