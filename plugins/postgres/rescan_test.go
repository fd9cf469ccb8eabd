package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk/conform"
)

// What an incremental scan has to see: the tables that come whole after each
// change. Those that only look changed to the server may come too, but few do.
func TestScanOfWhatChanged(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		t.Parallel()
		db := server.Database(t, `
			CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN cents AS bigint; CREATE SEQUENCE numbers;
			CREATE TABLE a (id int PRIMARY KEY, name text, total cents, note text);
			CREATE TABLE b (id int, a int REFERENCES a, state mood, n int DEFAULT nextval('numbers'));
			CREATE TABLE c (at date, x int) PARTITION BY RANGE (at);
			CREATE VIEW v AS SELECT id, name FROM a;
			CREATE MATERIALIZED VIEW m AS SELECT id FROM b;
			CREATE TABLE still (id int PRIMARY KEY, word text);
			GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC`)
		s := openAs(t, db, testserver.PostgresReader)
		scans := conform.NewRescan(t, s)
		for _, c := range []struct {
			name, ddl string
			want      []string
		}{
			{"nothing", "SELECT 1", nil},
			{"rows", "INSERT INTO still SELECT i, 'x' FROM generate_series(1, 1000) i; ANALYZE", nil},
			{"add a column", "ALTER TABLE a ADD extra int", []string{"public.a"}},
			{"rename a column", "ALTER TABLE a RENAME name TO title", []string{"public.a", "public.v"}},
			{"change a type", "ALTER TABLE a ALTER extra TYPE bigint", []string{"public.a"}},
			{"set a default", "ALTER TABLE a ALTER extra SET DEFAULT 7", []string{"public.a"}},
			{"drop a default", "ALTER TABLE a ALTER extra DROP DEFAULT", []string{"public.a"}},
			{"not null", "ALTER TABLE a ALTER extra SET NOT NULL", []string{"public.a"}},
			{"identity", "ALTER TABLE a ALTER extra ADD GENERATED ALWAYS AS IDENTITY", []string{"public.a"}},
			{"drop a column", "ALTER TABLE a DROP extra", []string{"public.a"}},
			{"comment on a table", "COMMENT ON TABLE a IS 'who'", []string{"public.a"}},
			{"another comment", "COMMENT ON TABLE a IS 'what'", []string{"public.a"}},
			{"comment on a column", "COMMENT ON COLUMN a.note IS 'free'", []string{"public.a"}},
			{"take the comments away", "COMMENT ON TABLE a IS NULL; COMMENT ON COLUMN a.note IS NULL", []string{"public.a"}},
			{"unique index", "CREATE UNIQUE INDEX one ON a (note)", []string{"public.a"}},
			{"rename an index", "ALTER INDEX one RENAME TO two", []string{"public.a"}},
			{"drop an index", "DROP INDEX two", []string{"public.a"}},
			{"unique constraint", "ALTER TABLE b ADD CONSTRAINT uq UNIQUE (id)", []string{"public.b"}},
			{"drop a constraint", "ALTER TABLE b DROP CONSTRAINT uq", []string{"public.b"}},
			{"another foreign key", "ALTER TABLE b ADD FOREIGN KEY (id) REFERENCES still NOT VALID", []string{"public.b"}},
			{"validate it", "ALTER TABLE b VALIDATE CONSTRAINT b_id_fkey", []string{"public.b"}},
			{"rename the table referred to", "ALTER TABLE a RENAME TO renamed", []string{"public.b", "public.renamed", "public.v"}},
			{"and back", "ALTER TABLE renamed RENAME TO a", []string{"public.a", "public.b", "public.v"}},
			{"rename a type", "ALTER TYPE mood RENAME TO humour", []string{"public.b"}},
			{"rename a sequence", "ALTER SEQUENCE numbers RENAME TO counters", []string{"public.b"}},
			{"define a view anew", "CREATE OR REPLACE VIEW v AS SELECT id, title AS name FROM a WHERE id > 0", []string{"public.v"}},
			{"hide a column", "REVOKE SELECT ON a FROM PUBLIC, loam_reader; GRANT SELECT (id) ON a TO loam_reader", []string{"public.a"}},
			{"show it", "GRANT SELECT ON a TO loam_reader", []string{"public.a"}},
			{"row security, which a key of another table refers to", "ALTER TABLE still ENABLE ROW LEVEL SECURITY", []string{"public.b", "public.still"}},
			{"no row security", "ALTER TABLE still DISABLE ROW LEVEL SECURITY", []string{"public.b", "public.still"}},
			{"partition", "CREATE TABLE c1 PARTITION OF c FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')", nil},
			{"detach it", "ALTER TABLE c DETACH PARTITION c1; GRANT SELECT ON c1 TO PUBLIC", []string{"public.c1"}},
			{"drop and create", "DROP TABLE c; CREATE TABLE c (at date, y int); GRANT SELECT ON c TO PUBLIC", []string{"public.c"}},
			{"swap columns", "DROP TABLE c; CREATE TABLE c (y int, at date); GRANT SELECT ON c TO PUBLIC", []string{"public.c"}},
			{"drop", "DROP TABLE c, c1; DROP MATERIALIZED VIEW m", nil},
			{"swap names", "ALTER TABLE still RENAME TO x; ALTER TABLE b RENAME TO still; ALTER TABLE x RENAME TO b", []string{"public.b", "public.still"}},
			{"another schema", "CREATE SCHEMA s; ALTER TABLE b SET SCHEMA s; GRANT USAGE ON SCHEMA s TO PUBLIC", []string{"public.still", "s.b"}},
		} {
			db.Exec(t, testserver.PostgresAdmin, c.ddl)
			if diff := cmp.Diff(c.want, scans.Changed(t)); diff != "" {
				t.Errorf("%s: came whole (-want +got):\n%s", c.name, diff)
			}
		}
	})
}
