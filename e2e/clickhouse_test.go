package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// clickHouse is a database of one of the two servers: Debian's old one over the
// native protocol with TLS, and today's engine over HTTP.
type clickHouse struct {
	name, version string
	// settings of the connection, without its account.
	settings string
	ask      func(ctx context.Context, user, database, sql string) (string, error)
	exec     func(t testing.TB, statements ...string)
}

func clickHouses(t *testing.T, test func(t *testing.T, create func(statements ...string) *clickHouse)) {
	t.Helper()
	t.Run("18.16 native", func(t *testing.T) {
		heavy(t, "the same on ClickHouse 18.16")
		t.Parallel()
		test(t, func(statements ...string) *clickHouse {
			db := testserver.ClickHouse18(t).Database(t, statements...)
			return &clickHouse{
				name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
				settings: fmt.Sprintf("host: %s, port: %d, protocol: native, database: %s, sslmode: verify-full, sslrootcert: %s", db.Host, db.SecurePort, db.Name, db.CAFile),
			}
		})
	})
	t.Run("26.7 http", func(t *testing.T) {
		t.Parallel()
		test(t, func(statements ...string) *clickHouse {
			db := testserver.ClickHouse(t).Database(t, statements...)
			return &clickHouse{
				name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
				settings: fmt.Sprintf("host: %s, port: %d, protocol: http, database: %s, sslmode: disable", db.Host, db.Port, db.Name),
			}
		})
	})
}

// project makes a project with the database as its warehouse, as an account.
func (db *clickHouse) project(t testing.TB, user string) string {
	t.Helper()
	return project(t, fmt.Sprintf(`version: 1
connections:
  warehouse:
    connector: clickhouse
    config: {%s, user: %s, password: "%s"}
`, db.settings, user, secretFile(t, testserver.ClickHousePassword)))
}

func (db *clickHouse) rows(t testing.TB, user, sql string) []string {
	t.Helper()
	text, err := db.ask(context.WithoutCancel(t.Context()), user, db.name, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Split(text, "\n")
}

func TestClickHouseConnects(t *testing.T) {
	t.Parallel()
	heavy(t, "rows of ClickHouse")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		db := create("CREATE TABLE customers (id Int32, name String) ENGINE = MergeTree ORDER BY id")
		dir := db.project(t, testserver.ClickHouseReader)
		connects(t, dir, "warehouse", "ClickHouse "+db.version)
		cases := []rowsOf{
			{"integers", "SELECT toUInt64('18446744073709551615'), toInt64('9007199254740993'), toInt8(-128)", `[["18446744073709551615","9007199254740993",-128]]`},
			{"decimals", "SELECT toDecimal128('1.5', 10), toFloat64(0.1), nan, -inf", `[["1.5000000000",0.1,"NaN","-Infinity"]]`},
			{"times", "SELECT toDate('2024-02-29'), toDateTime('2024-02-29 12:34:56', 'UTC')", `[["2024-02-29","2024-02-29T12:34:56Z"]]`},
			{"nested", "SELECT [1, 2], ['a', 'b'], [[1], []], (1, 'x')", `[[[1,2],["a","b"],[[1],[]],[1,"x"]]]`},
			{"null and empty", "SELECT NULL, '', toNullable(7)", `[[null,"",7]]`},
			{"text", `SELECT 'Zürich "日本" 😀', 'it\'s', '\\'`, `[["Zürich \"日本\" 😀","it's","\\"]]`},
			{"zero rows", "SELECT id FROM customers", `[]`},
			{"duplicate names", "SELECT 1 AS x, 1 AS x", `[[1,1]]`},
		}
		if newer := (&dialect.Dialect{MinVersion: "25"}); newer.Matches("", db.version) {
			cases = append(cases, clickHouseToday...)
		}
		stdio, http := stdioServer(t, dir), httpServer(t, dir)
		checkRows(t, dir, stdio, http, "warehouse", cases)
	})
}

// TestSemanticLayerOfClickHouse: a server without CTEs is told by its version, seen
// before or not, and runs nothing; sl validate says what it could not look at.
func TestSemanticLayerOfClickHouse(t *testing.T) {
	t.Parallel()
	heavy(t, "the semantic layer on ClickHouse")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		db := create("CREATE TABLE orders (id Int32) ENGINE = MergeTree ORDER BY id", "INSERT INTO orders VALUES (1), (2)")
		dir := db.project(t, testserver.ClickHouseReader)
		writeFile(t, filepath.Join(dir, "semantic-layer/warehouse/orders.yaml"), "name: orders\ntable: orders\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: n, agg: count}]\n")
		tooOld := !(&dialect.Dialect{MinVersion: "21.3"}).Matches("", db.version)
		const needs = "the semantic layer needs clickhouse 21.3 or later"
		for _, seen := range []bool{false, true} {
			if seen {
				if r := loam(t, dir, "scan", "warehouse"); r.code != 0 {
					t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
				}
			}
			r := loam(t, dir, "sl", "query", "--json", "-m", "orders.n")
			if tooOld && (r.code != 9 || !strings.Contains(r.stderr, needs) || !strings.Contains(r.stderr, "unsupported_on_dialect")) {
				t.Errorf("seen: %t: exit %d: %s", seen, r.code, r.stderr)
			}
			if !tooOld && (r.code != 0 || !strings.Contains(r.stdout, "[2]]")) {
				t.Errorf("seen: %t: exit %d: %s%s", seen, r.code, r.stdout, r.stderr)
			}
		}
		if r := loam(t, dir, "sl", "validate", "--data"); tooOld != strings.Contains(r.stdout+r.stderr, needs) {
			t.Errorf("sl validate: exit %d: %s%s", r.code, r.stdout, r.stderr)
		}
	})
}

// clickHouseToday are types that the old server lacks.
var clickHouseToday = []rowsOf{
	{"256 bits", "SELECT toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935'), toInt128('-170141183460469231731687303715884105728')", `[["115792089237316195423570985008687907853269984665640564039457584007913129639935","-170141183460469231731687303715884105728"]]`},
	{"wide decimal", "SELECT toDecimal256('1234567890123456789012345678901234567890.0123456789', 10)", `[["1234567890123456789012345678901234567890.0123456789"]]`},
	{"low cardinality", "SELECT CAST('a', 'LowCardinality(String)'), CAST(NULL, 'LowCardinality(Nullable(String))')", `[["a",null]]`},
	{"array of nullable", "SELECT [1, NULL, 3]", `[[[1,null,3]]]`},
	{"map", "SELECT map('k', 1)", `[[{"k":1}]]`},
	{"fine times", "SELECT toDateTime64('2024-02-29 12:34:56.789012', 6, 'UTC'), toDateTime64('2024-02-29 12:34:56.789012345', 9, 'UTC')", `[["2024-02-29T12:34:56.789012Z","2024-02-29T12:34:56.789012345Z"]]`},
	{"uuid and addresses", "SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toIPv4('127.0.0.1'), toIPv6('::1')", `[["61f0c404-5cb3-11e7-907b-a6006ad3dba0","127.0.0.1","::1"]]`},
	{"enum and bool", "SELECT CAST('b', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)'), true", `[["b",true]]`},
}

func busyClickHouse(tag string) string {
	return "SELECT count() /* " + tag + " */ FROM system.numbers WHERE NOT ignore(number)"
}

func (db *clickHouse) running(t testing.TB, tag string) bool {
	t.Helper()
	return db.rows(t, testserver.ClickHouseAdmin, "SELECT count() FROM system.processes WHERE query LIKE 'SELECT count() /* "+tag+" */%'")[0] != "0"
}

func TestClickHouseStatementsEnd(t *testing.T) {
	t.Parallel()
	heavy(t, "the end of statements of ClickHouse")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		db := create()
		running := func(tag string) bool { return db.running(t, tag) }
		statementsEnd(t, db.project(t, testserver.ClickHouseReader), busyClickHouse, running)
	})
}

func TestClickHouseConnectorIsKilled(t *testing.T) {
	t.Parallel()
	heavy(t, "a connector that is killed")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		db := create()
		survivesKill(t, db.project(t, testserver.ClickHouseReader), busyClickHouse("killed"), func(*server) bool { return db.running(t, "killed") })
	})
}

func TestClickHouseErrors(t *testing.T) {
	t.Parallel()
	heavy(t, "errors of ClickHouse through the programs")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		db := create("CREATE TABLE customers (id Int32, name String) ENGINE = MergeTree ORDER BY id")
		good := db.project(t, testserver.ClickHouseReader)
		checkErrors(t, testserver.ClickHousePassword, []wrong{
			{"syntax", good, "SELECT id\nFRM customers x y", 3, []string{"62", "line 2, column"}},
			{"write", good, "DROP TABLE customers", 4, []string{"DROP", "line 1, column 1"}},
			{"no such table", good, "SELECT * FROM\n  customer", 5, []string{"60", "line 2, column 3", "customers"}},
			{"no such column", good, "SELECT nam FROM customers", 5, []string{"47", "name"}},
			{"settings", good, "SELECT 1 SETTINGS max_threads = 64", 4, []string{"SETTINGS", "line 1, column 10"}},
			{"password", edit(t, good, "user: "+testserver.ClickHouseReader, "user: nobody_here"), "SELECT 1", 7, nil},
			{"database", edit(t, good, "database: "+db.name, "database: nowhere"), "SELECT 1", 5, []string{"nowhere"}},
			{"key", edit(t, good, "sslmode:", "sslmod:"), "SELECT 1", 2, []string{"sslmod"}},
		})
	})
}

func TestClickHouseAttacks(t *testing.T) {
	t.Parallel()
	heavy(t, "attacks on ClickHouse through the programs")
	clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
		all := clickhouse.Dialects()
		db := create()
		d := dialect.Pick(all, "ClickHouse", db.version)
		db.exec(t, corpus.Setup(d)...)
		reread := func() [][]string {
			var rows [][]string
			for _, q := range corpus.Reread(d) {
				rows = append(rows, db.rows(t, testserver.ClickHouseAdmin, q))
			}
			return rows
		}
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			t.Run(user, func(t *testing.T) {
				attack(t, d, strongest(t, user == testserver.ClickHouseAdmin), tenth, db.version, db.project(t, user), "warehouse", "", reread)
			})
		}
	})
}
