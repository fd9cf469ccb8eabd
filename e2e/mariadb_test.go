package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// mariaDB makes a project with one MariaDB connection, as an account.
func mariaDB(t testing.TB, db *testserver.MariaDBDatabase, account string) string {
	t.Helper()
	return project(t, fmt.Sprintf(`version: 1
connections:
  warehouse:
    connector: mysql
    config: {host: %s, port: %d, database: %s, user: %s, password: "%s", sslmode: verify-full, sslrootcert: %s}
`, db.Host, db.Port, db.Name, account, secretFile(t, testserver.MariaDBPassword), db.CAFile))
}

const hardMariaDB = `
CREATE TABLE hard (u BIGINT UNSIGNED, d DECIMAL(65,30), b BIT(10), y YEAR, t TIME(6), z DATE, g GEOMETRY, j JSON,
	r VARBINARY(8), ts DATETIME(6), s SET('a', 'b'), e ENUM('x', 'y'), t1 TINYINT(1), f FLOAT, dbl DOUBLE, n INTEGER);
SET sql_mode = '';
INSERT INTO hard VALUES (18446744073709551615, 12345678901234567890123456789012345.012345678901234567890123456789, b'1000000101',
	2024, '-838:59:59.000001', '0000-00-00', ST_GeomFromText('POINT(1 2)'), '{"a": [1, 2.50, null]}', x'00ff10',
	'2024-02-29 12:34:56.789012', 'a,b', 'y', 2, 0.1, 1e300, NULL);
CREATE TABLE customers (id INTEGER, name VARCHAR(20));
`

func TestMariaDBConnects(t *testing.T) {
	t.Parallel()
	heavy(t, "rows of MariaDB")
	db := testserver.MariaDB(t).Database(t, hardMariaDB)
	dir := mariaDB(t, db, testserver.MariaDBReader)
	connects(t, dir, "warehouse", "MariaDB "+db.Version)
	checkRows(t, dir, stdioServer(t, dir), httpServer(t, dir), "warehouse", []rowsOf{
		{"numbers", "SELECT u, d, b, y, t1, f, dbl, n FROM hard", `[["18446744073709551615","12345678901234567890123456789012345.012345678901234567890123456789","517",2024,2,0.1,1e+300,null]]`},
		{"times", "SELECT t, z, ts FROM hard", `[["-838:59:59.000001","0000-00-00","2024-02-29T12:34:56.789012"]]`},
		{"others", "SELECT g, j, r, s, e FROM hard", `[["POINT(1 2)","{\"a\": [1, 2.50, null]}","AP8Q","a,b","y"]]`},
		{"integers", "SELECT 9007199254740992, 9007199254740993, -9223372036854775808, TRUE", `[[9007199254740992,"9007199254740993","-9223372036854775808",1]]`},
		{"text", "SELECT 'Zürich \"日本\" 😀', '', NULL", `[["Zürich \"日本\" 😀","",null]]`},
		{"backslashes", `SELECT 'it\'s', '\\', "\""`, `[["it's","\\","\""]]`},
		{"duplicate names", "SELECT 1 AS x, 2 AS x", `[[1,2]]`},
		{"zero rows", "SELECT id FROM customers", `[]`},
		{"1,000 columns", "SELECT " + strings.TrimSuffix(strings.Repeat("7,", 1000), ","), "[[" + strings.TrimSuffix(strings.Repeat("7,", 1000), ",") + "]]"},
	})
}

// A cross join keeps the server busy without any function a guard may refuse.
func busyMariaDB(tag string) string {
	const columns = "information_schema.collations"
	return fmt.Sprintf("SELECT COUNT(*) /* %s */ FROM %s a, %s b, %s c, %s d WHERE a.id + b.id + c.id + d.id < 0", tag, columns, columns, columns, columns)
}

// runningMariaDB looks for the statement itself: not for its EXPLAIN before, in
// which a connector that is killed is asked again, not for those that look for it,
// and not for one that another run of the test has left behind.
func runningMariaDB(t *testing.T, db *testserver.MariaDBDatabase, tag string) bool {
	t.Helper()
	rows := db.Rows(t, testserver.MariaDBAdmin, "SELECT COUNT(*) FROM information_schema.processlist WHERE command IN ('Query', 'Execute') AND db = '"+db.Name+"'"+
		" AND info LIKE 'SELECT%/* "+tag+" */%' AND info NOT LIKE '%processlist%'")
	return rows[0][0] != "0"
}

func TestMariaDBStatementsEnd(t *testing.T) {
	heavy(t, "MariaDB beside its conformance")
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	running := func(tag string) bool { return runningMariaDB(t, db, tag) }
	statementsEnd(t, mariaDB(t, db, testserver.MariaDBReader), busyMariaDB, running)
}

func TestMariaDBConnectorIsKilled(t *testing.T) {
	heavy(t, "MariaDB beside its conformance")
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	survivesKill(t, mariaDB(t, db, testserver.MariaDBReader), busyMariaDB("killed"), func(*server) bool { return runningMariaDB(t, db, "killed") })
}

func TestMariaDBErrors(t *testing.T) {
	heavy(t, "MariaDB beside its conformance")
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE customers (id INTEGER, name VARCHAR(20))")
	good := mariaDB(t, db, testserver.MariaDBReader)
	long := "SELECT id,\n  FROM customers WHERE name = 'the rest of this is far longer than what the server quotes of it' ORDER BY id, name"
	checkErrors(t, testserver.MariaDBPassword, []wrong{
		{"syntax", good, "SELECT id FRM customers x y", 3, []string{"1064", "line 1, column"}},
		{"syntax, quoted in part", good, long, 3, []string{"1064", "line 2, column 3"}},
		{"write", good, "DELETE FROM customers", 4, []string{"DELETE", "line 1, column 1"}},
		{"no such table", good, "SELECT * FROM\n  customer", 5, []string{"1146", "line 2, column 3", "customers"}},
		{"no such column", good, "SELECT nam FROM customers", 5, []string{"1054", "name"}},
		{"permission", good, "SELECT * FROM performance_schema.users", 8, []string{"1142"}},
		{"password", edit(t, good, "user: "+testserver.MariaDBReader, "user: nobody_here"), "SELECT 1", 7, []string{"1045"}},
		{"database", edit(t, good, "database: "+db.Name, "database: nowhere"), "SELECT 1", 8, []string{"nowhere"}},
		{"port", edit(t, good, fmt.Sprintf("port: %d", db.Port), "port: 1"), "SELECT 1", 14, []string{"127.0.0.1"}},
		{"certificate", edit(t, good, db.CAFile, "/etc/hostname"), "SELECT 1", 2, []string{"sslrootcert"}},
		{"key", edit(t, good, "sslmode:", "sslmod:"), "SELECT 1", 2, []string{"sslmod"}},
	})
}
