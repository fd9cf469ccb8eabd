package clickhouse_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// elsewhere is a web server that counts who asks it.
type elsewhere struct {
	*httptest.Server
	asked atomic.Int64
}

func newElsewhere(t testing.TB) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e.asked.Add(1)
		fmt.Fprintln(w, "1\tx")
	}))
	t.Cleanup(e.Close)
	return e
}

// way is a way out of readonly = 1 through an object. {url} is a server that counts
// who asks it, {db} the database.
type way struct {
	name string
	// make are statements; the server of an old version may not know them.
	make []string
	sql  string
	// path is in the refusal; "" = the statement reads, and reaches nothing else.
	path string
	old  bool // 18.16 has it too
}

var ways = []way{
	{"view of url", []string{"CREATE VIEW v_url AS SELECT * FROM url('{url}/x', 'TSV', 'a String, b String')"}, "SELECT * FROM v_url", "view {db}.v_url → url, which reaches other servers", true},
	{"view without a definer", []string{"CREATE VIEW v_none SQL SECURITY NONE AS SELECT * FROM url('{url}/x', 'TSV', 'a String, b String')"}, "SELECT * FROM v_none", "view {db}.v_none → url", false},
	{"view with settings", []string{"CREATE VIEW v_set AS SELECT * FROM url('{url}/x', 'TSV', 'a String, b String') SETTINGS readonly = 0"}, "SELECT * FROM v_set", "view {db}.v_set → url", true},
	{"view of a definer", []string{"CREATE VIEW v_def DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT * FROM url('{url}/x', 'TSV', 'a String, b String')"}, "SELECT a FROM v_def", "view {db}.v_def → url", false},
	{"view with parameters", []string{"CREATE VIEW v_param AS SELECT * FROM url({u:String}, 'TSV', 'a String, b String')"}, "SELECT * FROM v_param(u = '{url}/x')", "view {db}.v_param → url", false},
	{"table of url", []string{"CREATE TABLE e_url (a String, b String) ENGINE = URL('{url}/x', 'TSV')"}, "SELECT * FROM e_url", "foreign table {db}.e_url, which is at another place (engine URL)", true},
	{"table by a name with an escape", nil, "SELECT * FROM `e_\\x75rl`", "a name is written in escapes", true},
	{"table behind IN", nil, "SELECT 1 WHERE ('x', 'y') IN e_url", "foreign table {db}.e_url", true},
	{"table in a subquery", nil, "SELECT * FROM (SELECT count() FROM {db}.e_url)", "foreign table {db}.e_url", true},
	{"table in parentheses behind IN", nil, "SELECT 1 WHERE ('x', 'y') IN ((e_url))", "foreign table {db}.e_url", true},
	{"table as an argument of in()", nil, "SELECT multiIf(globalNotIn(('x', 'y'), ({db}.e_url)), 1, 2)", "foreign table {db}.e_url", true},
	{"table under an alias", nil, "WITH e_url AS t, t AS u SELECT ('x', 'y') IN u", "foreign table {db}.e_url", false},
	{"view with IN", []string{"CREATE VIEW v_in AS SELECT ('x', 'y') IN ({db}.e_url) AS a"}, "SELECT a FROM v_in", "view {db}.v_in → foreign table {db}.e_url", true},
	{"endless table in a view", []string{"CREATE VIEW v_loop SQL SECURITY NONE AS SELECT a FROM loop('{db}', 'e_url') LIMIT 1"}, "SELECT a FROM v_loop", "view {db}.v_loop → foreign table {db}.e_url", false},
	{"endless table by a name in a view", []string{"CREATE VIEW v_loop2 SQL SECURITY NONE AS SELECT a FROM loop({db}.e_url) LIMIT 1"}, "SELECT a FROM v_loop2", "view {db}.v_loop2 → foreign table {db}.e_url", false},
	{"subquery in a function", []string{"CREATE FUNCTION {db}_counts AS (x) -> (SELECT x + count() FROM e_url)"}, "SELECT {db}_counts(1)", "function {db}_counts → foreign table {db}.e_url", false},
	{"materialized view that is elsewhere", []string{"CREATE MATERIALIZED VIEW e_own (a String, b String) ENGINE = URL('{url}/x', 'TSV') AS SELECT toString(number) AS a, '' AS b FROM system.numbers WHERE 0"}, "SELECT a FROM e_own", "foreign table {db}.e_own, which is at another place (engine URL)", true},
	{"another server asked for a column", nil, "SELECT hasColumnInTable('127.0.0.1:1', 'd', 't', 'c')", "the function hascolumnintable is refused because it asks other servers for a column", true},
	{"database of files", []string{"CREATE DATABASE {db}_fs ENGINE = Filesystem"}, "SELECT * FROM system.one, {db}_fs.`x.tsv`", "foreign table {db}_fs.x.tsv, which is at another place (a database of the engine Filesystem)", false},
	{"explained table", nil, "EXPLAIN PIPELINE SELECT * FROM `e_url`", "foreign table {db}.e_url", false},
	{"view of the table", []string{"CREATE VIEW v_e AS SELECT a FROM e_url"}, "SELECT a FROM v_e", "view {db}.v_e → foreign table {db}.e_url", true},
	{"view of a view", []string{"CREATE VIEW v_v AS SELECT * FROM v_e"}, "WITH x AS (SELECT * FROM v_v) SELECT * FROM x", "view {db}.v_v → view {db}.v_e → foreign table {db}.e_url", false},
	{"merge of tables", []string{"CREATE TABLE e_merge (a String) ENGINE = Merge('{db}', '^e_ur.$')"}, "SELECT a FROM e_merge", "table {db}.e_merge → table {db}./^e_ur.$/ → foreign table {db}.e_url", true},
	{"merge by function", nil, "SELECT a FROM merge('{db}', '^e_url')", "→ foreign table {db}.e_url", false},
	{"merge by function here", nil, "SELECT a FROM merge('^e_url')", "→ foreign table {db}.e_url", false},
	{"merge by function in the current database", nil, "SELECT a FROM merge(currentDatabase(), '^e_url')", "→ foreign table {db}.e_url", false},
	{"merge by a name that stands for a lambda", nil, "WITH () -> 'system' AS currentDatabase SELECT name FROM merge(currentDatabase(), '^one$')", "table chosen by an expression, which may be any", false},
	{"merge by an expression", nil, "SELECT a FROM merge('{db}', concat('^e_', 'url'))", "table chosen by an expression, which may be any", false},
	{"materialized view", []string{"CREATE MATERIALIZED VIEW e_mv TO e_url AS SELECT toString(number) AS a, '' AS b FROM system.numbers_mt WHERE 0"}, "SELECT a FROM e_mv", "table {db}.e_mv → foreign table {db}.e_url", false},
	{"program", []string{"CREATE TABLE e_exec (a String) ENGINE = Executable('x.sh', 'TSV')"}, "SELECT * FROM e_exec", "foreign table {db}.e_exec, which is at another place (engine Executable)", false},
	{"mysql", []string{"CREATE TABLE e_mysql (a String) ENGINE = MySQL('127.0.0.1:1', 'd', 't', 'u', 'p')"}, "SELECT * FROM e_mysql", "(engine MySQL)", true},
	{"postgresql", []string{"CREATE TABLE e_pg (a String) ENGINE = PostgreSQL('127.0.0.1:1', 'd', 't', 'u', 'p')"}, "SELECT * FROM e_pg", "(engine PostgreSQL)", false},
	{"kafka", []string{"CREATE TABLE e_kafka (a String) ENGINE = Kafka('127.0.0.1:1', 'topic', 'group', 'JSONEachRow')"}, "SELECT * FROM e_kafka", "(engine Kafka)", true},
	{"dictionary", []string{"CREATE DICTIONARY d_http (k UInt64, s String) PRIMARY KEY k SOURCE(HTTP(url '{url}/x' format 'TSV')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT dictGet('{db}.d_http', 's', toUInt64(1))", "dictionary {db}.d_http, which is not loaded", false},
	{"dictionary as a table", nil, "SELECT * FROM d_http", "which is not loaded", false},
	{"dictionary by a name in a string", nil, "SELECT dictHas('d_http', toUInt64(1))", "which is not loaded", false},
	{"dictionary by an expression", nil, "SELECT dictGet(concat('d_', 'http'), 's', toUInt64(1))", "chosen by an expression", false},
	{"dictionary that asks", []string{"CREATE DICTIONARY d_direct (k UInt64, s String) PRIMARY KEY k SOURCE(HTTP(url '{url}/x' format 'TSV')) LAYOUT(DIRECT())"}, "SELECT * FROM d_direct", "dictionary {db}.d_direct, which asks its source for every key (HTTP, layout DIRECT)", false},
	{"dictionary over a table of url", []string{"CREATE DICTIONARY d_over (k UInt64, s String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT toUInt64(a) AS k, b AS s FROM {db}.e_url')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT * FROM d_over", "dictionary {db}.d_over → foreign table {db}.e_url", false},
	{"table of a dictionary", []string{"CREATE TABLE e_dict (k UInt64, s String) ENGINE = Dictionary('{db}.d_direct')"}, "SELECT * FROM e_dict", "table {db}.e_dict → dictionary {db}.d_direct", false},
	{"function over a dictionary", []string{"CREATE FUNCTION {db}_ask AS (x) -> dictGet('{db}.d_direct', 's', toUInt64(x))"}, "SELECT {db}_ask(1)", "function {db}_ask → dictionary {db}.d_direct", false},
	{"function over a function", []string{"CREATE FUNCTION {db}_asks AS (x) -> {db}_ask(x)"}, "SELECT {db}_asks(1)", "function {db}_asks → function {db}_ask → dictionary", false},
	{"column with an alias", []string{"CREATE TABLE aliased (id UInt64, s String ALIAS dictGet('{db}.d_direct', 's', id)) ENGINE = MergeTree ORDER BY id", "INSERT INTO aliased VALUES (1)"}, "SELECT s FROM aliased", "table {db}.aliased → dictionary {db}.d_direct", false},
	{"column with a default", []string{"CREATE TABLE defaulted (id UInt64) ENGINE = MergeTree ORDER BY id", "INSERT INTO defaulted VALUES (1)", "ALTER TABLE defaulted ADD COLUMN s String DEFAULT dictGet('{db}.d_direct', 's', id)"}, "SELECT s FROM defaulted", "table {db}.defaulted → dictionary {db}.d_direct", false},
	{"column that is materialized", []string{"CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY id", "INSERT INTO kept VALUES (1)", "ALTER TABLE kept ADD COLUMN s String MATERIALIZED dictGet('{db}.d_direct', 's', id)"}, "SELECT s FROM kept", "table {db}.kept → dictionary {db}.d_direct", false},
	{"function behind APPLY", nil, "SELECT * APPLY {db}_ask FROM (SELECT 1 AS x)", "function {db}_ask → dictionary {db}.d_direct", false},
	{"function of the server behind APPLY", nil, "SELECT * APPLY(file) FROM (SELECT 'x' AS x)", "function file, which reads or writes files", false},
	{"function by its name", nil, "SELECT arrayMap({db}_ask, [1])", "function {db}_ask → dictionary {db}.d_direct", false},
	{"function of the server by its name", []string{"CREATE FUNCTION {db}_files AS (x) -> arrayMap(file, [x])"}, "SELECT {db}_files('x')", "function {db}_files → file, which reads or writes files", false},
	{"dictionary by an alias", nil, "WITH 'd_direct' AS n SELECT dictGet(n, 's', toUInt64(1))", "chosen by an expression", false},
	{"dictionary by an alias without AS", nil, "SELECT 'd_direct' n, dictGet(n, 's', toUInt64(1))", "chosen by an expression", false},
	{"dictionary by an argument", []string{"CREATE FUNCTION {db}_of AS (d, x) -> dictGet(d, 's', toUInt64(x))"}, "SELECT {db}_of('d_direct', 1)", "function {db}_of → table chosen by an expression", false},
	{"dictionary whose columns are called like parts of a source", []string{"CREATE DICTIONARY d_key (query UInt64, table String) PRIMARY KEY query SOURCE(CLICKHOUSE(QUERY 'SELECT toUInt64(a) AS query, b AS table FROM {db}.e_url')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT * FROM d_key", "dictionary {db}.d_key → foreign table {db}.e_url", false},
	{"dictionary with an expression", []string{"CREATE TABLE keyed (id UInt64) ENGINE = MergeTree ORDER BY id", "CREATE DICTIONARY d_expr (id UInt64, s String EXPRESSION (SELECT any(b) FROM {db}.e_url)) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'keyed')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT * FROM d_expr", "dictionary {db}.d_expr → foreign table {db}.e_url", false},
	{"dictionary with a condition", []string{"CREATE DICTIONARY d_where (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'keyed' WHERE 'id IN (SELECT toUInt64(a) FROM {db}.e_url)')) LIFETIME(0) LAYOUT(HASHED())"}, "SELECT * FROM d_where", "dictionary {db}.d_where → foreign table {db}.e_url", false},
	{"dictionary of another server at this host", []string{"CREATE DICTIONARY d_port (k UInt64, s String) PRIMARY KEY k SOURCE(CLICKHOUSE(HOST '127.0.0.1' PORT 1 TABLE 't')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT * FROM d_port", "dictionary {db}.d_port, which is not loaded", false},
	{"dictionary of a named collection", []string{"CREATE NAMED COLLECTION {db}_nc AS host = '127.0.0.1', port = 1, table = 't'", "CREATE DICTIONARY d_named (k UInt64, s String) PRIMARY KEY k SOURCE(CLICKHOUSE(NAME {db}_nc)) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT * FROM d_named", "dictionary {db}.d_named, which is not loaded", false},

	{"table of merge()", []string{"CREATE TABLE f_merge AS merge('{db}', '^e_ur.$')", "SELECT a FROM f_merge FORMAT Null"}, "SELECT a FROM f_merge", "{db}.f_merge", false},
	{"table of remote()", []string{"CREATE TABLE f_far (a String, b String) AS remote('127.0.0.1', '{db}', 'v_e')"}, "SELECT a FROM f_far", "{db}.f_far", false},
	{"table of url()", []string{"CREATE TABLE f_url (a String, b String) AS url('{url}/x', 'TSV', 'a String, b String')"}, "SELECT a FROM f_url", "foreign table {db}.f_url, which is at another place (engine URL)", false},

	{"ordinary tables", []string{"CREATE TABLE lg (id Int32, e_url String) ENGINE = Log", "INSERT INTO lg VALUES (1, 'x')", "CREATE VIEW v_lg AS SELECT id, upper(e_url) AS u FROM lg"}, "SELECT count(), sum(id) FROM v_lg", "", true},
	{"buffer", []string{"CREATE TABLE e_buffer (id Int32, e_url String) ENGINE = Buffer('{db}', 'lg', 1, 10, 100, 10, 100, 10, 100)"}, "SELECT id FROM e_buffer", "", true},
	{"merge of ordinary tables", []string{"CREATE TABLE e_lgs (id Int32) ENGINE = Merge('{db}', '^lg$')"}, "SELECT id FROM e_lgs", "", true},
	{"merge of the current database", nil, "SELECT id FROM merge(currentDatabase(), '^lg$')", "", false},
	{"dictionary of the server's own", []string{"CREATE DICTIONARY d_local (k UInt64, s String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k, \\'x\\' AS s')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT s FROM d_local", "", false},
	{"alias of a table", []string{"CREATE TABLE e_as ENGINE = Alias('lg')"}, "SELECT id FROM e_as", "", false},
	{"columns called like functions", nil, "SELECT concat(file, url), t.url FROM (SELECT 'a' AS file, 'b' AS url) AS t WHERE url IN ('b') AND t.file NOT IN ('x')", "", true},
	{"view of tables and columns called like functions", []string{"CREATE TABLE hits_local (url String, file String) ENGINE = Log", "INSERT INTO hits_local VALUES ('a', 'b')", "CREATE VIEW v_local AS SELECT h.url, h.file FROM {db}.hits_local AS h"}, "SELECT * FROM v_local", "", true},
	{"view of columns behind IN", []string{"CREATE VIEW v_both AS SELECT h.url, h.url IN (h.file) AS same FROM {db}.hits_local AS h"}, "SELECT * FROM v_both", "", false},
	{"table with defaults", []string{"CREATE TABLE e_def (id Int32, at DateTime DEFAULT now(), u String MATERIALIZED upper('x')) ENGINE = MergeTree ORDER BY id"}, "SELECT id, at, u FROM e_def", "", true},
	{"dictionary by its bare name", []string{"CREATE DICTIONARY d_bare (k UInt64, s String) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k, \\'x\\' AS s')) LIFETIME(0) LAYOUT(FLAT())"}, "SELECT count() FROM lg", "", false},
	{"ordinary function", []string{"CREATE FUNCTION {db}_double AS (x) -> x * 2"}, "SELECT {db}_double(21)", "", false},
	{"strings and aliases that look so", nil, "SELECT 'SELECT * FROM v_e' AS s, id AS v FROM lg WHERE s != 'e_urls'", "", true},
	{"the system's tables", nil, "SELECT count() > 0 FROM system.tables", "", true},
}

// TestWaysOut runs every way out as an account that may do everything and as one
// that may read, and counts what the other server is asked.
func TestWaysOut(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db, web := make(t), newElsewhere(t)
		folder := openFolder(t)
		old := strings.HasPrefix(db.version, "18.")
		fill := strings.NewReplacer("{url}", web.URL, "{db}", db.name)
		for _, w := range ways {
			for _, sql := range w.make {
				if _, err := db.ask(t.Context(), testserver.ClickHouseAdmin, db.name, fill.Replace(sql)); err != nil && (w.old || !old) {
					t.Fatalf("%s: %v", sql, err)
				}
			}
		}
		if !old {
			t.Cleanup(func() {
				for _, sql := range []string{
					"DROP FUNCTION {db}_asks", "DROP FUNCTION {db}_ask", "DROP FUNCTION {db}_double", "DROP FUNCTION {db}_counts", "DROP FUNCTION {db}_files", "DROP FUNCTION {db}_of",
					"DROP DICTIONARY {db}.d_named", "DROP NAMED COLLECTION {db}_nc", "DROP DATABASE {db}_fs",
				} {
					if _, err := db.ask(context.Background(), testserver.ClickHouseAdmin, "default", fill.Replace(sql)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		before := web.asked.Load()
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			s := db.openAs(t, user)
			for _, w := range ways {
				if old && !w.old {
					continue
				}
				sql := fill.Replace(w.sql)
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{Timeout: 20 * time.Second}})
				if w.path == "" {
					if err != nil {
						t.Errorf("as %s, %s: %v", user, w.name, err)
					}
					continue
				}
				if sdk.KindOf(err) != sdk.KindNotReadOnly {
					t.Errorf("as %s, %s: %v", user, w.name, err)
					continue
				}
				e := sdk.AsError(err, sdk.SourceConnector)
				if !strings.Contains(e.Msg, fill.Replace(w.path)) || strings.Contains(e.Msg, "can leave") && !strings.Contains(e.Hint, "allow_functions: [") {
					t.Errorf("as %s, %s: %s (%s)", user, w.name, e.Msg, e.Hint)
				}
				if _, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: sql}); err == nil {
					t.Errorf("as %s, %s is explained", user, w.name)
				}
				if _, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: sql}); err == nil {
					t.Errorf("as %s, %s is validated", user, w.name)
				}
			}
			for _, table := range []string{"e_url", "v_e", "e_merge"} {
				if err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: table}}, nil); sdk.KindOf(err) != sdk.KindNotReadOnly {
					t.Errorf("as %s, the profile of %s: %v", user, table, err)
				}
			}
		}
		if asked := web.asked.Load() - before; asked > 0 {
			t.Errorf("the other server was asked %d times", asked)
		}
		if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
			t.Errorf("files appeared: %v, %v", found, err)
		}
	})
}

// A view runs with the rights of somebody else, and reaches what the account cannot see.
func TestWaysOutOutOfSight(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: what a view reaches with the rights of somebody else, on the engine of today")
	}
	t.Parallel()
	web := newElsewhere(t)
	db := today(t, "CREATE TABLE e_url (a String, b String) ENGINE = URL('"+web.URL+"/x', 'TSV')", "CREATE TABLE plain (a String, b String) ENGINE = Log",
		"CREATE DICTIONARY d (k UInt64, s String) PRIMARY KEY k SOURCE(HTTP(url '"+web.URL+"/x' format 'TSV')) LAYOUT(DIRECT())")
	fill := strings.NewReplacer("{db}", db.name)
	for name, query := range map[string]string{
		"from": "SELECT a FROM {db}.e_url", "in": "SELECT ('x', 'y') IN ({db}.e_url) AS a", "dict": "SELECT dictGet('{db}.d', 's', toUInt64(1)) AS a",
		"loop": "SELECT a FROM loop({db}.e_url) LIMIT 1", "merge": "SELECT a FROM merge('{db}', '^e_url$')", "cte": "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
	} {
		view := "default." + db.name + "_" + name
		db.exec(t, "CREATE VIEW "+view+" SQL SECURITY NONE AS "+fill.Replace(query))
		t.Cleanup(func() {
			if _, err := db.ask(context.Background(), testserver.ClickHouseAdmin, "default", "DROP VIEW "+view); err != nil {
				t.Error(err)
			}
		})
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseLimited, map[string]any{"database": "default"})})
		before := web.asked.Load()
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM " + view})
		if (err == nil) != (name == "cte") || err != nil && sdk.KindOf(err) != sdk.KindNotReadOnly {
			t.Errorf("%s: %v", name, err)
		}
		if web.asked.Load() > before {
			t.Errorf("%s: the other server is asked", name)
		}
	}
}

// TestWaysOutAreReal: what the connector refuses, the server does under
// readonly = 1.
func TestWaysOutAreReal(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		web := newElsewhere(t)
		db := make(t, "CREATE TABLE e_url (a String, b String) ENGINE = URL('"+web.URL+"/x', 'TSV')")
		if !strings.HasPrefix(db.version, "18.") {
			db.exec(t, "CREATE VIEW v_none SQL SECURITY NONE AS SELECT * FROM url('"+web.URL+"/x', 'TSV', 'a String, b String')")
		}
		for _, table := range []string{"e_url", "v_none"} {
			before := web.asked.Load()
			_, err := db.ask(t.Context(), testserver.ClickHouseReader, db.name, "SELECT * FROM "+table)
			if table == "v_none" && strings.HasPrefix(db.version, "18.") {
				continue
			}
			if err != nil || web.asked.Load() == before {
				t.Errorf("%s: the other server is not asked (%v)", table, err)
			}
		}
	})
}

// A table of another server of the cluster is judged by the table of that name here. There,
// the statement runs with readonly = 1, whatever the account of the cluster may do.
func TestDistributedTables(t *testing.T) {
	t.Parallel()
	web := newElsewhere(t)
	db := old(t, "CREATE TABLE e_url (a String, b String) ENGINE = URL('"+web.URL+"/x', 'TSV')", "CREATE VIEW v_url AS SELECT * FROM url('"+web.URL+"/x', 'TSV', 'a String, b String')",
		"CREATE TABLE lg (a String) ENGINE = Log", "INSERT INTO lg VALUES ('x')")
	for table, behind := range map[string]string{"far_url": "e_url", "far_view": "v_url", "far_lg": "lg", "far_gone": "gone"} {
		db.exec(t, fmt.Sprintf("CREATE TABLE %s (a String) ENGINE = Distributed(loam_itself, %s, %s)", table, db.name, behind))
	}
	before := web.asked.Load()
	s := db.openAs(t, testserver.ClickHouseReader)
	for table, path := range map[string]string{"far_url": "table {db}.far_url → foreign table {db}.e_url", "far_view": "table {db}.far_view → view {db}.v_url → url"} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT a FROM " + table})
		if e := wantKind(t, err, sdk.KindNotReadOnly); !strings.Contains(e.Msg, strings.ReplaceAll(path, "{db}", db.name)) {
			t.Errorf("%s: %v", table, err)
		}
	}
	if got := query(t, s, "SELECT a FROM far_lg").Rows; len(got) != 1 {
		t.Errorf("an ordinary table: %v", got)
	}
	if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT a FROM far_gone"}); err == nil || sdk.KindOf(err) == sdk.KindNotReadOnly || sdk.KindOf(err) == sdk.KindInternal {
		t.Errorf("a table that is on neither server: %v", err)
	}
	if _, err := db.ask(t.Context(), testserver.ClickHouseReader, db.name, "SELECT a FROM far_view"); err == nil || !strings.Contains(err.Error(), "164") {
		t.Errorf("the other server reads url(): %v", err)
	}
	if web.asked.Load() > before {
		t.Error("the request left")
	}
}

// Functions that call each other, and a view of a view of one that is gone: the server has
// put its text in place of the call when the view was made.
func TestTornDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: functions that call each other, on the engine of today")
	}
	t.Parallel()
	db := today(t)
	fill := strings.NewReplacer("{db}", db.name)
	for _, sql := range []string{
		"CREATE FUNCTION {db}_even AS (x) -> {db}_odd(x)", "CREATE FUNCTION {db}_odd AS (x) -> {db}_even(x)", "CREATE FUNCTION {db}_gone AS (x) -> x + 1",
		"CREATE VIEW torn AS SELECT {db}_gone(1) AS n", "CREATE VIEW over_torn AS SELECT n FROM torn", "DROP FUNCTION {db}_gone",
	} {
		db.exec(t, fill.Replace(sql))
	}
	t.Cleanup(func() {
		for _, sql := range []string{"DROP FUNCTION {db}_even", "DROP FUNCTION {db}_odd"} {
			if _, err := db.ask(context.Background(), testserver.ClickHouseAdmin, "default", fill.Replace(sql)); err != nil {
				t.Error(err)
			}
		}
	})
	s := db.openAs(t, testserver.ClickHouseReader)
	query(t, s, "SELECT * FROM over_torn")
	for _, sql := range []string{"SELECT {db}_even(4)", "SELECT {db}_gone(4)"} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: fill.Replace(sql)}); err == nil || sdk.KindOf(err) == sdk.KindNotReadOnly || sdk.KindOf(err) == sdk.KindInternal {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// What the refusal says to add is what lets the statement run.
func TestAllowFunctions(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		web := newElsewhere(t)
		db := make(t, "CREATE TABLE e_url (a String, b String) ENGINE = URL('"+web.URL+"/x', 'TSV')", "CREATE VIEW v_e AS SELECT a FROM e_url")
		for _, allowed := range []string{"e_url", db.name + ".e_url", "v_e", db.name + ".*"} {
			s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseReader, map[string]any{"allow_functions": []string{allowed}})})
			if r := query(t, s, "SELECT a FROM v_e"); len(r.Rows) != 1 {
				t.Errorf("%s: %v", allowed, r.Rows)
			}
		}
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseReader, map[string]any{"allow_functions": []string{"E_URL", "v_ee", "url"}})})
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT a FROM v_e"})
		wantKind(t, err, sdk.KindNotReadOnly)
		var warned []string
		for _, w := range s.Server().Warnings {
			if w.Path == "allow_functions" {
				warned = append(warned, w.Summary)
			}
		}
		if diff := cmp.Diff([]string{
			"allow_functions names E_URL, which is not there; did you mean e_url?",
			"allow_functions names v_ee, which is not there; did you mean v_e?",
		}, warned); diff != "" {
			t.Error(diff)
		}
	})
}
