package postgres_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// What runs without being named in the statement: the negator and the commutator of an
// operator, a type that is named by its number or in a string, a partition's hash
// function, a function of an extension under another name.
func TestReachIndirect(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testReachIndirect)
}

func testReachIndirect(t *testing.T, server *testserver.PostgresServer) {
	db := server.Database(t, "CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2)")
	for _, sql := range []string{
		"CREATE EXTENSION dblink",
		"CREATE FUNCTION leaves() RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT dblink_exec('') IS NULL $$",
		"CREATE FUNCTION leaves(int) RETURNS boolean LANGUAGE sql AS 'SELECT leaves()'",
		"CREATE FUNCTION alike(a int, b int) RETURNS boolean LANGUAGE sql AS 'SELECT a = b'",
		"CREATE FUNCTION unlike(a int, b int) RETURNS boolean LANGUAGE sql AS 'SELECT leaves()'",
		"CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = alike, NEGATOR = !===, COMMUTATOR = ===)",
		"CREATE OPERATOR !=== (LEFTARG = int, RIGHTARG = int, FUNCTION = unlike, NEGATOR = ===)",
		"CREATE OPERATOR <=| (LEFTARG = int, RIGHTARG = int, FUNCTION = alike, COMMUTATOR = |=>)",
		"CREATE OPERATOR |=> (LEFTARG = int, RIGHTARG = int, FUNCTION = unlike, COMMUTATOR = <=|)",
		"CREATE DOMAIN checked AS int CHECK (leaves(VALUE))",
		"CREATE TYPE checked_row AS (n checked)",
		"CREATE FUNCTION sorts(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT length(leaves()::text)'",
		"CREATE OPERATOR CLASS sorting FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 sorts(int, int)",
		"CREATE TYPE checked_range AS RANGE (subtype = int, subtype_opclass = sorting)",
		"CREATE FUNCTION hashes(a int, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT length(leaves()::text)::bigint'",
		"CREATE OPERATOR CLASS hashing FOR TYPE int USING hash AS OPERATOR 1 =, FUNCTION 2 hashes(int, bigint)",
		"CREATE TABLE hashed (id int) PARTITION BY HASH (id hashing)",
		"ALTER FUNCTION dblink_open(text, text) RENAME TO innocent",
		"CREATE VIEW renamed AS SELECT innocent('', '') AS n",
	} {
		db.Exec(t, testserver.PostgresAdmin, sql)
	}
	s := openAs(t, db, testserver.PostgresOwner)
	oid := func(name string) string {
		r := query(t, s, "SELECT oid::text FROM pg_type WHERE typname = '"+name+"'")
		return r.Rows[0][0].(string)
	}
	hashed := query(t, s, "SELECT oid::text FROM pg_class WHERE relname = 'hashed'").Rows[0][0].(string)
	statements := []string{
		"SELECT * FROM t WHERE NOT (id === 1)",
		"SELECT * FROM t WHERE id <=| 1",
		"SELECT domain_in('1'::cstring, " + oid("checked") + ", -1) IS NULL",
		"SELECT array_in('{1}'::cstring, " + oid("checked") + ", -1) IS NULL",
		"SELECT record_in('(1)'::cstring, " + oid("checked_row") + ", -1) IS NULL",
		"SELECT range_in('[1,2]'::cstring, " + oid("checked_range") + ", -1) IS NULL",
		"SELECT satisfies_hash_partition(" + hashed + ", 4, 0, 1)",
		"SELECT '{1}'::_checked",
		"SELECT 1::checked", "SELECT innocent('', '')",
		"SELECT * FROM renamed", "SELECT '[1,2]'::checked_range", "SELECT '{(1)}'::_checked_row",
	}
	if !strings.HasPrefix(server.Version, "15.") {
		statements = append(statements, "SELECT pg_input_is_valid('1', 'checked')", "SELECT * FROM pg_input_error_info('1', 'chec' || 'ked')")
	}
	for _, sql := range statements {
		if r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly {
			t.Errorf("%s: %v %v", sql, err, r.Rows)
		}
	}
}
