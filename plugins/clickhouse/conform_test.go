package clickhouse_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// caseTables are what the cases need beyond the corpus' fixture.
var caseTables = []string{
	"CREATE TABLE low (id Int32, name LowCardinality(String), pair Array(LowCardinality(String))) ENGINE = MergeTree ORDER BY id",
	"INSERT INTO low VALUES (1, 'a', ['x', 'y', 'x']), (2, 'b', []), (3, 'a', ['y']), (4, '', ['x'])",
	"CREATE TABLE nests (id Int32, n Nested(a Int32, b Nullable(String))) ENGINE = Memory",
	"INSERT INTO nests VALUES (1, [1, 2], ['x', NULL]), (2, [], [])",
	"CREATE TABLE events (at DateTime, kind String, n UInt32 DEFAULT 7, day Date MATERIALIZED toDate(at), twice UInt64 ALIAS n * 2) " +
		"ENGINE = MergeTree PARTITION BY kind ORDER BY (kind, at)",
	"INSERT INTO events (at, kind) SELECT toDateTime(1700000000 + number * 60, 'UTC'), concat('kind ', toString(number % 4)) FROM numbers(900)",
}

// todayTables need today's server.
var todayTables = []string{
	"CREATE TABLE dynamics (id Int32, d Dynamic) ENGINE = MergeTree ORDER BY id",
	"INSERT INTO dynamics SELECT 1, 5::Int64",
	"INSERT INTO dynamics SELECT 2, 'x'",
	"INSERT INTO dynamics SELECT 3, [1, 2]::Array(UInt8)",
	"INSERT INTO dynamics SELECT 4, NULL",
	"INSERT INTO dynamics SELECT 5, toDate('2024-02-29')",
	"CREATE TABLE low_null (id Int32, name LowCardinality(Nullable(String))) ENGINE = MergeTree ORDER BY id",
	"INSERT INTO low_null VALUES (1, 'a'), (2, NULL), (3, 'a'), (4, '')",
	"CREATE TABLE sums (s SimpleAggregateFunction(sum, UInt64), a AggregateFunction(sum, UInt8)) ENGINE = MergeTree ORDER BY tuple()",
	"INSERT INTO sums SELECT 7, sumState(toUInt8(3))",
}

func loadCases(t *testing.T, denied string, folders ...string) []conform.Case {
	t.Helper()
	var all []conform.Case
	for _, folder := range folders {
		cases, err := conform.LoadCases(os.DirFS(filepath.Join("testdata", folder)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cases...)
	}
	for i := range all {
		all[i].SQL = strings.ReplaceAll(all[i].SQL, "closed_database", denied)
	}
	return all
}

// rereader returns a function that fingerprints everything an attack could have
// changed, and the folder it could have written to.
func rereader(db *database, d *dialect.Dialect, folder string) func(context.Context) (string, error) {
	// One question for all: the suite asks it hundreds of times.
	var parts []string
	for _, sql := range corpus.Reread(d) {
		parts = append(parts, "SELECT sipHash64(arrayStringConcat(arraySort(groupArray(toString(tuple(*)))), ';')) AS h FROM ("+sql+")")
	}
	all := strings.Join(parts, " UNION ALL ")
	return func(ctx context.Context) (string, error) {
		sum := sha256.New()
		answer, err := db.ask(ctx, testserver.ClickHouseAdmin, db.name, "SELECT groupArray(h) FROM (SELECT h FROM ("+all+") ORDER BY h)")
		if err != nil {
			return "", err
		}
		fmt.Fprint(sum, answer)
		files, err := os.ReadDir(folder)
		fmt.Fprint(sum, files)
		return hex.EncodeToString(sum.Sum(nil)), err
	}
}

// running returns a function that looks for a statement among those that the
// server runs.
func running(db *database, tag string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		answer, err := db.ask(ctx, testserver.ClickHouseAdmin, db.name,
			"SELECT count() FROM system.processes WHERE query LIKE '%"+tag+"%' AND query NOT LIKE '%system.processes%'")
		return strings.TrimSpace(answer) != "0", err
	}
}

// slow runs until it is ended. The server does not keep comments.
func slow(tag string) string {
	return "SELECT max(sipHash64(number)) FROM system.numbers WHERE '" + tag + "' != ''"
}

// openFolder is a folder that the account of a server may write to.
func openFolder(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

const sessionSQL = `SELECT name, value FROM (
  SELECT name, value FROM system.settings WHERE changed AND name NOT IN ('query_cache_tag', 'log_comment')
  UNION ALL SELECT 'database', currentDatabase()
) ORDER BY name`

var skips = map[string]string{
	"reach/covers_operator":      "ClickHouse has no operators that users make",
	"reach/covers_domain":        "ClickHouse has no domains",
	"reach/covers_cast":          "ClickHouse has no casts that users make",
	"reach/covers_view_trigger":  "ClickHouse has no triggers",
	"reach/covers_macro":         "ClickHouse has no macros",
	"types/covers_empty_name":    "ClickHouse names every column",
	"server/disconnected":        "ClickHouse ends statements, not connections",
	"types/covers_raw_bytes":     "ClickHouse has no type for bytes: a String holds any, and comes as text",
	"types/covers_infinite_time": "ClickHouse has no infinite times",
	"types/covers_zero_columns":  "a result has at least one column",
	"types/type_timestamp":       "a DateTime is an instant, with a zone to show it in",
}

func skipping(more map[string]string) map[string]string {
	maps.Copy(more, skips)
	return more
}

// target is what the targets on both servers have in common. It runs beside no
// other test: the suite counts goroutines and files.
func target(t *testing.T, db *database, server, user string, extra map[string]any) conform.Target {
	t.Helper()
	connector := clickhouse.Connector()
	d := dialect.Pick(connector.Dialects, "ClickHouse", db.version)
	unreachable := db.config(user, map[string]any{"port": 1})
	writer := db.config(testserver.ClickHouseAdmin, extra)
	folder := openFolder(t)
	return conform.Target{
		Connector: connector, Binary: program.Connector(t, "clickhouse"), Server: server,
		Config: db.config(user, extra), Unreachable: &unreachable, Writer: &writer,
		Fixture: conform.Fixture{
			Tables: fixtureTables(db), Reread: rereader(db, d, folder), Running: running(db, "conformance"),
			End: func(ctx context.Context) error {
				_, err := db.ask(ctx, testserver.ClickHouseAdmin, db.name, "KILL QUERY WHERE query LIKE '%conformance%' AND query NOT LIKE '%KILL%' ASYNC")
				return err
			},
		},
		RowsSQL: func(n int) string {
			return fmt.Sprintf("SELECT toInt64(number + 1) AS n FROM system.numbers LIMIT %d", n)
		},
		TextSQL: func(n int) string {
			return fmt.Sprintf("SELECT arrayStringConcat(arrayMap(x -> 'x', range(%d))) AS t", n)
		},
		SlowSQL:    slow("conformance"),
		SessionSQL: sessionSQL,
		Attacks:    conform.Corpus(d, db.version, filepath.Join(folder, "stolen"), ""),
	}
}

// hide makes the objects that lead out of the server in a database.
func hide(t testing.TB, db *database, in string) *conform.Reach {
	t.Helper()
	web := newElsewhere(t)
	hidden := corpus.Reach(dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version), web.URL, in)
	db.exec(t, hidden.Setup...)
	ask := func(ctx context.Context, sql string) (string, error) {
		return db.ask(ctx, testserver.ClickHouseAdmin, db.name, sql)
	}
	t.Cleanup(func() {
		for _, table := range []string{"hid_url", "hid_view", "hid_function", "hid_merge", "hid_log", "hid_plain"} {
			if _, err := ask(context.Background(), "DROP TABLE "+in+"."+table); err != nil {
				t.Error(err)
			}
		}
	})
	return &conform.Reach{
		Statements: hidden.Statements,
		Tables:     []sdk.TableRef{{Schema: in, Name: "hid_url"}, {Schema: in, Name: "hid_view"}},
		Reread: func(ctx context.Context) (string, error) {
			rows, err := ask(ctx, strings.Join(hidden.Reread, ""))
			return fmt.Sprint(web.asked.Load(), rows), err
		},
	}
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the suite on ClickHouse 18.16; it runs on SQLite and PostgreSQL")
	}
	server := testserver.ClickHouse18(t)
	statements := slices.Concat(corpus.Setup(dialect.Pick(clickhouse.Dialects(), "ClickHouse", "18.16")), caseTables)
	db := onOld(server.Visible(t, statements...), "native")
	hidden := old(t, "CREATE TABLE t (x Int8) ENGINE = Memory")
	to := target(t, db, "real ClickHouse "+db.version+", native protocol", testserver.ClickHouseLimited,
		map[string]any{"schemas": []string{db.name, hidden.name}})
	writer := db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})
	to.Writer = &writer
	to.Fixture.Warned = []string{hidden.name}
	to.Cases = loadCases(t, hidden.name, "cases", "old")
	to.Reach = hide(t, db, "default") // the account sees no other database
	to.Skips = skipping(map[string]string{
		"plan/explain":              "ClickHouse 18.16 has no EXPLAIN",
		"plan/explain_runs_nothing": "ClickHouse 18.16 has no EXPLAIN",
		"plan/explain_attacks":      "ClickHouse 18.16 has no EXPLAIN",
		"plan/explain_errors":       "ClickHouse 18.16 has no EXPLAIN",
		"concurrent/calls":          "ClickHouse 18.16 has no EXPLAIN, which is one of the calls",
		"types/parameters":          "ClickHouse 18.16 has no parameters",
		"types/type_bool":           "ClickHouse 18.16 has no Bool: a truth is a UInt8",
		"types/covers_early_time":   "ClickHouse 18.16 has no time before 1970",
		"dialect/decimal":           "ClickHouse 18.16 refuses to compute with a decimal and another number",
		"dialect/function_decimal":  "ClickHouse 18.16 refuses to compute with a decimal and another number",
		"dialect/function_position": "ClickHouse 18.16 refuses lengths and positions that may be NULL or negative",
	})
	conform.Run(t, to)
}

func TestConformanceOfToday(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the suite on today's ClickHouse; it runs on SQLite and PostgreSQL")
	}
	server := testserver.ClickHouse(t)
	statements := slices.Concat(corpus.Setup(dialect.Pick(clickhouse.Dialects(), "ClickHouse", "")), caseTables, todayTables)
	db := today(t, statements...)
	hidden := server.Forbidden(t, "CREATE TABLE t (x Int8) ENGINE = Memory")
	to := target(t, db, "fixture: ClickHouse "+db.version+" engine as a library behind an HTTP front", testserver.ClickHouseReader,
		map[string]any{"schemas": []string{db.name}})
	to.Fixture.Tables = append(to.Fixture.Tables, todayFixture(db)...)
	to.Cases = append(loadCases(t, hidden.Name, "cases", "today"), conform.Case{
		Name: "parameters", SQL: "SELECT @p1 + 1 AS n, @p2 AS t, @p3 AS yes, @p4 AS f, @p5 AS missing, count() AS hits FROM accounts WHERE name = @p6",
		Params: []sdk.Value{int64(9007199254740992), "it's @p1", true, 0.1, nil, "Ada"},
		Columns: []conform.Column{
			{Name: "n", Type: "int64"}, {Name: "t", Type: "text"}, {Name: "yes", Type: "bool"}, {Name: "f", Type: "float64"}, {Name: "missing", Type: "text"}, {Name: "hits", Type: "decimal"},
		},
		Rows: [][]any{{"9007199254740993", "it's @p1", true, 0.1, nil, "1"}},
	})
	to.Reach = hide(t, db, today(t).name)
	to.Skips = skips
	to.SkipsBy = map[conform.Class]map[string]string{conform.ByFixture: {
		"query_log":          "the library keeps no log of queries",
		"server/left_behind": "the HTTP front does not notice that its client is gone",
	}}
	// The library takes a fraction of a second to look at the catalogue, which the
	// suite has it do around each of more than a thousand statements. TestAttacks
	// runs all attacks on it, and the suite of the old server all look-alikes.
	few := to.Attacks[:0]
	for i, attack := range to.Attacks {
		if i%10 == 0 {
			few = append(few, attack)
		}
	}
	to.Attacks = few
	conform.Run(t, to)
}

// todayFixture are the tables of todayTables.
func todayFixture(db *database) []sdk.Table {
	ref := func(name string) sdk.TableRef { return sdk.TableRef{Schema: db.name, Name: name} }
	sorted := []sdk.Key{{Kind: sdk.KeyCluster, Columns: []string{"id"}}}
	id := sdk.Column{Name: "id", Type: sdk.TypeInt64, NativeType: "Int32"}
	return []sdk.Table{
		{TableRef: ref("dynamics"), Kind: sdk.TableBase, Keys: sorted, Columns: []sdk.Column{id, {Name: "d", Type: sdk.TypeNestedJSON, NativeType: "Dynamic", Nullable: true}}},
		{TableRef: ref("low_null"), Kind: sdk.TableBase, Keys: sorted, Columns: []sdk.Column{id, {Name: "name", Type: sdk.TypeText, NativeType: "LowCardinality(Nullable(String))", Nullable: true}}},
		{TableRef: ref("sums"), Kind: sdk.TableBase, Columns: []sdk.Column{
			{Name: "s", Type: sdk.TypeDecimal, NativeType: "SimpleAggregateFunction(sum, UInt64)"}, {Name: "a", Type: sdk.TypeText, NativeType: "AggregateFunction(sum, UInt8)"},
		}},
	}
}

func fixtureTables(db *database) []sdk.Table {
	column := func(name, native string) sdk.Column {
		c := sdk.Column{Name: name, Type: sdk.TypeText, NativeType: native}
		switch strings.TrimSuffix(strings.TrimPrefix(native, "Nullable("), ")") {
		case "Int32", "UInt32":
			c.Type = sdk.TypeInt64
		case "UInt64":
			c.Type = sdk.TypeDecimal
		case "Date":
			c.Type = sdk.TypeDate
		case "DateTime":
			c.Type = sdk.TypeTimestampTZ
		}
		if strings.HasPrefix(native, "Array") || strings.HasPrefix(native, "Tuple") || native == "Dynamic" {
			c.Type = sdk.TypeNestedJSON
		}
		c.Nullable = strings.HasPrefix(native, "Nullable") || strings.Contains(native, "LowCardinality(Nullable") || native == "Dynamic"
		return c
	}
	table := func(name string, kind sdk.TableKind, keys []sdk.Key, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: sdk.TableRef{Schema: db.name, Name: name}, Kind: kind, Keys: keys, Columns: columns}
	}
	sorted := func(columns ...string) sdk.Key { return sdk.Key{Kind: sdk.KeyCluster, Columns: columns} }
	day, twice := column("day", "Date"), column("twice", "UInt64")
	day.Generated, twice.Generated = true, true
	accounts := table("accounts", sdk.TableBase, []sdk.Key{sorted("id")},
		column("id", "Int32"), column("name", "String"), column("balance", "Int32"), column("update", "Nullable(String)"),
		column("delete", "Nullable(Int32)"), column("into", "Nullable(String)"), column("set", "Nullable(Int32)"), column("call", "Nullable(Int32)"))
	return []sdk.Table{
		accounts,
		table("ledger", sdk.TableBase, []sdk.Key{sorted("id")}, column("id", "Int32"), column("account_id", "Int32"), column("amount", "Int32"), column("note", "Nullable(String)")),
		table("drop", sdk.TableBase, nil, column("id", "Nullable(Int32)"), column("for", "Nullable(String)")),
		table("docs", sdk.TableBase, nil, column("id", "Int32"), column("tags", "Array(String)"), column("pair", "Tuple(Int32, String)"), column("feels", "Enum8('update' = 1, 'delete' = 2)")),
		table("big_accounts", sdk.TableView, nil, column("id", "Int32"), column("name", "String")),
		table("account_totals", sdk.TableMaterialized, nil, column("name", "String"), column("balance", "Int32")),
		table("low", sdk.TableBase, []sdk.Key{sorted("id")}, column("id", "Int32"), column("name", "LowCardinality(String)"), column("pair", "Array(LowCardinality(String))")),
		table("nests", sdk.TableBase, nil, column("id", "Int32"), column("n.a", "Array(Int32)"), column("n.b", "Array(Nullable(String))")),
		table("events", sdk.TableBase, []sdk.Key{sorted("kind", "at"), {Kind: sdk.KeyPartition, Columns: []string{"kind"}}},
			column("at", "DateTime"), column("kind", "String"), column("n", "UInt32"), day, twice),
	}
}
