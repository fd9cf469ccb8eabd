package postgres_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// ONLY leaves the foreign children of a table out; what the table does by itself, and any
// other way to its children, counts as before.
func TestReachOnly(t *testing.T) {
	t.Parallel()
	db := testserver.PostgresAt(t, "18").Database(t, "CREATE TABLE t (id int); CREATE TABLE near (id int); CREATE TABLE guarded (id int)")
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION postgres_fdw; CREATE EXTENSION dblink; CREATE SERVER erp FOREIGN DATA WRAPPER postgres_fdw;
		CREATE FOREIGN TABLE far () INHERITS (t) SERVER erp; CREATE FOREIGN TABLE farther () INHERITS (guarded) SERVER erp;
		CREATE TABLE "T" (id int); CREATE FOREIGN TABLE "Far" () INHERITS ("T") SERVER erp;
		CREATE FOREIGN TABLE lone (id int) SERVER erp; CREATE TABLE below () INHERITS (lone);
		CREATE FUNCTION leaves(id int) RETURNS bool LANGUAGE sql AS $$ SELECT dblink_exec('', '') IS NULL $$;
		CREATE FUNCTION counts() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM t';
		ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON guarded USING (leaves(id));
		CREATE TABLE read (id int); CREATE FOREIGN TABLE read_far () INHERITS (read) SERVER erp;
		ALTER TABLE read ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON read USING (counts() = 0);
		CREATE VIEW whole AS SELECT id FROM t; CREATE SCHEMA other; CREATE TABLE other.t (id int);
		GRANT USAGE ON SCHEMA other TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA public, other TO PUBLIC`)
	s := openAs(t, db, testserver.PostgresReader)
	for sql, refused := range map[string]bool{
		"SELECT * FROM t":                       true,
		"SELECT * FROM t *":                     true,
		"SELECT * FROM only t":                  false,
		"select * from ONLY (t)":                false,
		"SELECT * FROM ONLY public.t":           false,
		"SELECT * FROM ONLY (public.t) AS x":    false,
		`SELECT * FROM ONLY "public"."t"`:       false,
		`SELECT * FROM ONLY "T"`:                false,
		`SELECT * FROM "T"`:                     true,
		"SELECT t.id FROM ONLY t WHERE t.id= 1": false,
		"TABLE ONLY t":                          false,
		"SELECT * FROM near JOIN ONLY t ON t.id = near.id, ONLY (t) AS u":                      false,
		"SELECT * FROM ONLY t, t AS u":                                                         true,
		"SELECT * FROM ONLY t JOIN public.t AS u ON true":                                      true,
		"SELECT * FROM ONLY t WHERE id IN (SELECT id FROM t)":                                  true,
		"SELECT * FROM ONLY t, far":                                                            true,
		"SELECT counts() FROM ONLY t":                                                          true,
		"SELECT id FROM near UNION (SELECT id FROM near FETCH FIRST 1 ROW ONLY) UNION TABLE t": true,
		"SELECT * FROM ONLY far":                                                               true,
		"SELECT * FROM ONLY lone":                                                              true,
		"SELECT * FROM ONLY guarded":                                                           true,
		"SELECT * FROM ONLY read":                                                              true,
		"SELECT * FROM ONLY whole":                                                             true,
		"SELECT * FROM ONLY near":                                                              false,
		"SELECT * FROM ONLY other.t":                                                           false,
		"SELECT * FROM ONLY other.t, public.t u":                                               true,
		`SELECT * FROM ONLY U&"\0074"`:                                                         true,
		`SELECT near."only" FROM (SELECT 1 AS "only") AS near, t`:                              true,
	} {
		for range 2 { // the second time is another way in
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
			if got := sdk.KindOf(err) == sdk.KindNotReadOnly; got != refused || !got && err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	// A policy that comes later counts.
	db.Exec(t, testserver.PostgresAdmin, "CREATE POLICY p ON t USING (leaves(id)); ALTER TABLE t ENABLE ROW LEVEL SECURITY")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM ONLY t"})
	wantKind(t, err, sdk.KindNotReadOnly)
}
