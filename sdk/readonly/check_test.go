package readonly_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func byName(t testing.TB, name string) *dialect.Dialect {
	t.Helper()
	for _, list := range engines() {
		if list[0].Name == name {
			return &list[0]
		}
	}
	t.Fatalf("no dialect %q", name)
	return nil
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, sql string }{
		{"duckdb", "FROM t SELECT a"},
		{"mysql", "EXPLAIN ANALYZE SELECT 1"},
		{"mysql", "SELECT last_insert_id(), LAST_INSERT_ID ( )"},
		{"mysql", "SELECT /*+ NO_INDEX_MERGE(t1 i_a, i_b) */ * FROM t1"},
		{"mysql", "SELECT /*+ qb_name(qb1) JOIN_ORDER(@qb1 t1, t2) NO_BNL() */ 1"},
		{"mysql", "SELECT /*+ */ 1"},
		{"duckdb", "EXPLAIN ANALYZE FROM t"},
		{"duckdb", "PRAGMA show_tables"},
		{"duckdb", "PRAGMA table_info('t')"},
		{"duckdb", "EXPLAIN (FORMAT JSON) FROM t"},
		{"duckdb", "EXPLAIN (FORMAT = JSON, ANALYZE) FROM t"},
		{"duckdb", "EXPLAIN (SELECT 1)"},
		{"duckdb", "WITH RECURSIVE t(a) USING KEY (a) AS (SELECT 1 UNION SELECT a + 1 FROM t) SELECT * FROM t"},
		{"duckdb", "WITH recursive AS (SELECT 1) SELECT * FROM recursive"},
		{"duckdb", "WITH a AS NOT MATERIALIZED (SELECT 1) FROM a"},
		{"duckdb", "WITH RECURSIVE a AS (SELECT 1 AS n, 2 AS m) SEARCH BREADTH FIRST BY n, m SET o CYCLE n, m SET c TO 1 DEFAULT 0 USING p FROM a"},
		{"duckdb", "WITH a AS (FROM t), b AS MATERIALIZED ((SELECT 1)) (SELECT * FROM a) UNION ALL FROM b"},
		{"duckdb", "SELECT {'a': [1, 2]}, x[1:2], y -> 'z', $$; DROP TABLE t$$"},
		{"duckdb", "SELECT\u00A01"},
		{"duckdb", "SELECT 'read_csv(x)', read_csv FROM t"},
		{"duckdb", "SELECT t.query, (t.a).b, (1), t.query FROM main.query t"},
		{"duckdb", "SELECT (update), (delete), count(insert) FROM t"},
		{"duckdb", "SELECT (WITH a AS (SELECT 1 AS n) SELECT n FROM a)"},
		{"duckdb", "SELECT (t).into, x[1].into FROM t"},
		{"mysql", "SELECT `into`, t.into FROM t # INTO OUTFILE 'x'"},
		{"mysql", `SELECT 'a\'; DROP TABLE t; --' AS x, "FOR UPDATE"`},
		{"mysql", "SELECT 5--1, 1 -- INTO x"},
		{"mysql", "EXPLAIN FORMAT=JSON SELECT 1"},
		{"mysql", "SHOW CREATE TABLE t"},
		{"mysql", "WITH RECURSIVE a AS (SELECT 1 AS n) CYCLE n RESTRICT SELECT n FROM a"},
		{"mysql", "DESCRIBE t"},
		{"mysql", "SELECT * FROM 2021_sales"},
		{"mysql", "SELECT REPLACE(a, 'x', 'y') FROM t"},
		{"mysql", "VALUES (1), (2)"},
		{"clickhouse", "WITH 1 AS x, (SELECT max(a) FROM t) AS y, z AS (SELECT 2) SELECT x, y FROM z"},
		{"clickhouse", "WITH toDate('2024-01-01') AS d SELECT d FORMAT JSON"},
		{"clickhouse", "SELECT a FROM t LIMIT 1 BY b"},
		{"clickhouse", "SHOW SETTINGS LIKE 'max%'"},
		{"clickhouse", "SHOW CHANGED SETTINGS ILIKE 'max%'"},
		{"clickhouse", "EXPLAIN PLAN header = 1, actions = 1 SELECT 1"},
		{"clickhouse", "SELECT 1 AS a$x$, ' $x$'"},
		{"sqlserver", "SELECT TOP (5) [update], [a]]b] FROM dbo.[drop] WITH (NOLOCK) ORDER BY 1;"},
		{"sqlserver", "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3"},
		{"sqlserver", "WITH a AS (SELECT 1 AS n) SELECT n FROM a OPTION (MAXRECURSION 0)"},
		{"sqlserver", "SELECT (SELECT 1), N'EXEC sp_who', \"delete\" FROM t"},
		{"sqlserver", "SELECT a FROM t FOR JSON PATH"},
		{"snowflake", "SELECT v:a.b::int, $1, $$DROP TABLE t;$$ FROM t // DELETE"},
		{"snowflake", "EXPLAIN USING TABULAR SELECT 1"},
		{"snowflake", "SHOW TABLES LIKE 'x'"},
		{"bigquery", `SELECT r'\d', "it's; DROP", '''a''b''' FROM ` + "`p-1.d.t`"},
		{"bigquery", "SELECT * FROM p-1.d.t # ; DELETE"},
		{"bigquery", "FROM t |> WHERE a > 1 |> SELECT a"},
	} {
		if err := readonly.Check(c.sql, byName(t, c.dialect)); err != nil {
			t.Errorf("%s: %s\nis refused: %v", c.dialect, c.sql, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dialect, sql string
		kind               sdk.Kind
		pos                sdk.Position
		msg                string
	}{
		{"empty", "duckdb", "", sdk.KindInvalid, sdk.Position{}, "there is no statement"},
		{"only a comment", "duckdb", " -- x", sdk.KindInvalid, sdk.Position{}, "there is no statement"},
		{"only semicolons", "duckdb", ";;", sdk.KindInvalid, sdk.Position{}, "there is no statement"},
		{"write", "duckdb", "\n  delete FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 2, Column: 3}, "DELETE is refused because it changes rows"},
		{"unknown verb", "duckdb", "FROBNICATE t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "FROBNICATE is refused because it is not known to only read"},
		{"storage", "duckdb", "VACUUM", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "VACUUM is refused because it rewrites storage"},
		{"statistics", "mysql", "ANALYZE TABLE t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "ANALYZE is refused because it writes statistics, or runs the statement that it analyses"},
		{"another engine's statement", "mysql", "PRAGMA table_info(t)", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "PRAGMA is refused because it is no statement of this engine"},
		{"setting as a pragma", "duckdb", "PRAGMA version(1) x", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 19}, "the pragma version is refused in this form because it is not known to only read"},
		{"last_insert_id with a value", "mysql", "SELECT last_insert_id(7)", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 8}, "the function last_insert_id is refused because it changes session state"},
		{"no verb", "duckdb", "1 + 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 1}, "a statement cannot start with 1"},
		{"verb as long as a message shows it", "duckdb", strings.Repeat("x", 40), sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, strings.Repeat("X", 40) + " is refused because it is not known to only read"},
		{"longer verb, cut between characters", "duckdb", "x" + strings.Repeat("é", 50), sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "X" + strings.Repeat("É", 19) + "… is refused because it is not known to only read"},
		{"second statement", "duckdb", "SELECT 'é'; SELECT 2", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "a second statement is refused: only one may be sent at a time"},
		{"empty statement where none may be", "mysql", "SELECT 1;;", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "a second statement is refused: only one may be sent at a time"},
		{"empty first statement where none may be", "mysql", ";SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 1}, "a statement cannot start with ;"},
		{"unterminated", "duckdb", "SELECT 'x", sdk.KindSyntax, sdk.Position{Line: 1, Column: 8}, "the string that starts here has no end"},
		{"open parenthesis", "duckdb", "SELECT (1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 9}, "a bracket is not closed"},
		{"open parenthesis of a CTE", "duckdb", "WITH a AS (SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 19}, "a bracket is not closed"},
		{"closed parenthesis", "duckdb", "SELECT 1)", sdk.KindSyntax, sdk.Position{Line: 1, Column: 9}, "the bracket ) has no partner"},
		{"wrong bracket", "duckdb", "SELECT (1]", sdk.KindSyntax, sdk.Position{Line: 1, Column: 10}, "the bracket ] has no partner"},
		{"semicolon in parentheses", "duckdb", "SELECT (1; DELETE FROM t)", sdk.KindSyntax, sdk.Position{Line: 1, Column: 10}, "the statement ends before it is complete"},
		{"write in a CTE", "duckdb", "WITH a AS (SELECT 1), b AS (UPDATE t SET x = 1) SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 29}, "UPDATE inside WITH is refused because it changes rows"},
		{"write behind with", "duckdb", "WITH a AS (SELECT 1) INSERT INTO t SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 22}, "INSERT after WITH is refused because it changes rows"},
		{"nothing behind with", "duckdb", "WITH a AS (SELECT 1)", sdk.KindSyntax, sdk.Position{Line: 1, Column: 20}, "the statement ends where a query is expected"},
		{"with that is none", "duckdb", "WITH 1 AS a SELECT a", sdk.KindSyntax, sdk.Position{Line: 1, Column: 6}, "WITH is not followed by a name, AS and a query in parentheses"},
		{"show inside with", "mysql", "WITH a AS (SHOW TABLES) SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 12}, "SHOW inside WITH is refused because it is no query, and only a query may stand here"},
		{"write in expression with", "clickhouse", "WITH (SELECT 1) AS x, y AS (DELETE FROM t) SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 29}, "DELETE inside WITH is refused because it changes rows"},
		{"write behind expression with", "clickhouse", "WITH 1 AS x INSERT INTO t SELECT x", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "INSERT after WITH is refused because it changes rows"},
		{"delete behind expression with", "clickhouse", "WITH 1 AS x DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "DELETE after WITH is refused because it changes rows"},
		{"expression with without a name", "clickhouse", "WITH 1, 2 AS x SELECT x", sdk.KindSyntax, sdk.Position{Line: 1, Column: 7}, "an expression behind WITH has no name"},
		{"search without an end", "duckdb", "WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x; DELETE FROM t", sdk.KindSyntax, sdk.Position{Line: 1, Column: 55}, "the SEARCH clause is not complete"},
		{"search with a write in it", "duckdb", "WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY DELETE FROM t SET y SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 61}, "the SEARCH clause is not complete"},
		{"search that sets no name", "duckdb", "WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x SET 1 SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 56}, "the SEARCH clause is not complete"},
		{"cycle to no value", "duckdb", "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y TO ? DEFAULT 0 USING z SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 46}, "the CYCLE clause is not complete"},
		{"cycle with no value as the default", "duckdb", "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y TO 1 DEFAULT ? USING z SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 46}, "the CYCLE clause is not complete"},
		{"cycle without an end", "duckdb", "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y TO 1 DEFAULT 0 SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 61}, "the CYCLE clause is not complete"},
		{"write behind a cycle clause", "duckdb", "WITH RECURSIVE a AS (SELECT 1) CYCLE x SET y USING z DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 54}, "DELETE after WITH is refused because it changes rows"},
		{"semicolon as the value of an option", "mysql", "EXPLAIN FORMAT=;SELECT 1", sdk.KindSyntax, sdk.Position{Line: 1, Column: 15}, "a statement cannot start with ="},
		{"write in explain", "mysql", "EXPLAIN ANALYZE DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 17}, "DELETE inside EXPLAIN is refused because it changes rows"},
		{"option of explain", "duckdb", "EXPLAIN (FORMAT JSON, WRITE) SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 23}, "the option WRITE of EXPLAIN is refused because it is not known to only read"},
		{"options of explain without an end", "duckdb", "EXPLAIN (FORMAT JSON", sdk.KindSyntax, sdk.Position{Line: 1, Column: 17}, "the options of EXPLAIN are not complete"},
		{"option of explain that another engine has", "snowflake", "EXPLAIN ANALYZE SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 9}, "ANALYZE inside EXPLAIN is refused because it is no option of EXPLAIN in this engine"},
		{"explain of explain", "duckdb", "EXPLAIN EXPLAIN SELECT 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 9}, "EXPLAIN inside EXPLAIN is refused because it is no query, and only a query may stand here"},
		{"hint that is run", "mysql", "SELECT /*+ SET_VAR(sql_mode = '') */ 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 8}, "a hint in /*+ … */ is refused unless it only chooses a plan: it may change a setting or lift the time limit"},
		{"function behind a mathematical minus", "clickhouse", "SELECT 1 −sleep(3)", sdk.KindSyntax, sdk.Position{Line: 1, Column: 10}, "the character '−' (U+2212) has no meaning outside quotes"},
		{"cycle restrict with a write behind it", "mysql", "WITH RECURSIVE a AS (SELECT 1 AS n) CYCLE n RESTRICT DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 54}, "DELETE after WITH is refused because it changes rows"},
		{"write in explain in parentheses", "duckdb", "SELECT * FROM (EXPLAIN ANALYZE DELETE FROM t)", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 32}, "DELETE inside EXPLAIN is refused because it changes rows"},
		{"show in explain in parentheses", "clickhouse", "SELECT * FROM (EXPLAIN SHOW TABLES)", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 24}, "SHOW inside EXPLAIN is refused because it is no query, and only a query may stand here"},
		{"refused word", "mysql", "DESC ANALYZE DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 6}, "ANALYZE is refused in this statement"},
		{"phrase", "mysql", "SELECT 1 INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "INTO is refused because it writes a file or a variable"},
		{"phrase behind a number and a dot", "mysql", "SELECT 1.INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "INTO is refused because it writes a file or a variable"},
		{"phrase behind an exponent", "mysql", "SELECT 1e5INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 11}, "INTO is refused because it writes a file or a variable"},
		{"phrase behind a member named as", "mysql", "SELECT t.as INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "INTO is refused because it writes a file or a variable"},
		{"phrase behind a label named as", "mysql", "SELECT 1 AS as INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 16}, "INTO is refused because it writes a file or a variable"},
		{"phrase of several words", "mysql", "SELECT 1 FROM t LOCK IN /**/ SHARE MODE", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 17}, "LOCK IN SHARE MODE is refused because it takes row locks"},
		{"phrase of an operator", "mysql", "SELECT @a := 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 11}, ":= is refused because it assigns a variable"},
		{"settings of a show", "clickhouse", "SHOW TABLES SETTINGS a = 1", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "SETTINGS is refused because it changes settings, readonly among them"},
		{"settings behind a show that names nothing", "clickhouse", "SHOW SETTINGS", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 6}, "SETTINGS is refused because it changes settings, readonly among them"},
		{"settings behind a show of names", "clickhouse", "SHOW SETTINGS a b", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 6}, "SETTINGS is refused because it changes settings, readonly among them"},
		{"phrase in show", "clickhouse", "SHOW TABLES INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "INTO is refused because it writes a table or a file"},
		{"function", "mysql", "SELECT Load_File /* */ ('x')", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 8}, "the function Load_File is refused because it reads a file of the server"},
		{"function, quoted and qualified", "duckdb", `SELECT * FROM main."read_csv"('x')`, sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 20}, "the function read_csv is refused because it reads or writes files"},
		{"function by its last part", "duckdb", "FROM sqlite_scan('x', 'y')", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 6}, "the function sqlite_scan is refused because it reads or writes files"},
		{"function as a label", "duckdb", "SELECT 1 AS read_csv('x')", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 13}, "the function read_csv is refused because it reads or writes files"},
		{"function as a member of an expression", "mysql", "SELECT ('x').load_file", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 14}, "the function load_file is refused because it reads a file of the server"},
		{"function at the end of a chain", "duckdb", `SELECT x[1] . a."query"`, sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 17}, "the function query is refused because it runs SQL that the guard cannot see"},
		{"function as a member of a parameter", "duckdb", "SELECT $1.query", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 11}, "the function query is refused because it runs SQL that the guard cannot see"},
		{"escaped name", "clickhouse", "SELECT * FROM `\\x66ile`('x')", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 15}, "a quoted name with escapes is refused because it hides what it names"},
		{"relation", "duckdb", "SELECT * FROM duckdb_secrets", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 15}, "the relation duckdb_secrets is refused because it looks for credentials"},
		{"relation as a string", "duckdb", "SELECT * FROM t, 'duckdb_secrets'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 18}, "the relation duckdb_secrets is refused because it looks for credentials"},
		{"relation as a member", "snowflake", "SELECT s.nextval", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "the relation nextval is refused because it advances a sequence"},
		{"executable comment", "mysql", "SELECT 1 /*!50000 INTO OUTFILE 'x' */", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "the comment /*! hides SQL that the engine runs"},
		{"executable comment of MariaDB", "mysql", "SELECT 1 /*M! INTO OUTFILE 'x' */", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "the comment /*M! hides SQL that the engine runs"},
		{"comment that is none", "mysql", "SELECT 1 --1 INTO OUTFILE 'x'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 14}, "INTO is refused because it writes a file or a variable"},
		{"backslash is plain here", "sqlserver", `SELECT '\' ; DROP TABLE t --'`, sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 14}, "a second statement is refused: only one may be sent at a time"},
		{"brackets are names here", "sqlserver", "SELECT [a]]b'] ; DROP TABLE t --']", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 18}, "a second statement is refused: only one may be sent at a time"},
		{"write without a separator", "sqlserver", "SELECT 1 DELETE FROM t", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "DELETE is refused because it begins another statement"},
		{"query without a separator", "sqlserver", "SELECT 1 SELECT 2", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 10}, "a second statement is refused: only one may be sent at a time"},
		{"query without a separator behind with", "sqlserver", "WITH a AS (SELECT 1 AS n) SELECT n FROM a SELECT 2", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 43}, "a second statement is refused: only one may be sent at a time"},
		{"comment of snowflake", "snowflake", "SELECT 1 // '\n; DELETE FROM t //'", sdk.KindNotReadOnly, sdk.Position{Line: 2, Column: 3}, "a second statement is refused: only one may be sent at a time"},
		{"dollars of snowflake have no tag", "snowflake", "SELECT $a$ ; DELETE FROM t; SELECT $a$", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 14}, "a second statement is refused: only one may be sent at a time"},
		{"raw string", "bigquery", `SELECT r'\' ' ; DELETE FROM t --'`, sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 17}, "a second statement is refused: only one may be sent at a time"},
		{"triple quotes", "bigquery", "SELECT '''a' ''' ; DELETE FROM t --'", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 20}, "a second statement is refused: only one may be sent at a time"},
		{"script", "bigquery", "BEGIN SELECT 1; END", sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 1}, "BEGIN is refused because it controls a transaction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := readonly.Check(c.sql, byName(t, c.dialect))
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok {
				t.Fatalf("%s: %v is no *sdk.Error", c.sql, err)
			}
			if e.Kind != c.kind || e.Pos != c.pos || e.Msg != c.msg || e.Source != sdk.SourceCaller || e.Hint == "" {
				t.Errorf("%s\ngot  %s %v %q (%s, hint %q)\nwant %s %v %q", c.sql, e.Kind, e.Pos, e.Msg, e.Source, e.Hint, c.kind, c.pos, c.msg)
			}
		})
	}
}

// A hint names the statements that are accepted, or the accepted form of this one.
func TestHints(t *testing.T) {
	t.Parallel()
	const starts = "send one statement that starts with SELECT, VALUES, "
	const explain = "write EXPLAIN ANALYZE SELECT …"
	for _, c := range []struct{ dialect, sql, want string }{
		{"snowflake", "DROP TABLE t", starts + "WITH, SHOW, DESCRIBE, DESC, EXPLAIN"},
		{"snowflake", "ANALYZE SELECT 1", starts},
		{"snowflake", "EXPLAIN ANALYZE SELECT 1", "leave it out"},
		{"mysql", "ANALYZE SELECT 1", explain},
		{"mysql", "ANALYZE FORMAT=JSON WITH x AS (SELECT 1) SELECT * FROM x", explain},
		{"mysql", "ANALYZE TABLE t", starts},
		{"mysql", "WITH x AS (ANALYZE SELECT 1) SELECT 1", starts},
	} {
		err := readonly.Check(c.sql, byName(t, c.dialect))
		if e, ok := errors.AsType[*sdk.Error](err); !ok || !strings.HasPrefix(e.Hint, c.want) {
			t.Errorf("%s: %v, want the hint %q", c.sql, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	d := byName(t, "duckdb")
	fits := "SELECT '" + strings.Repeat("x", readonly.MaxTextBytes-9) + "'"
	nested := func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }
	with := func(n int) string {
		return strings.Repeat("WITH a AS (", n) + "SELECT 1" + strings.Repeat(") SELECT 1", n)
	}
	for name, c := range map[string]struct {
		sql  string
		kind sdk.Kind
	}{
		"longest text":         {fits, ""},
		"one byte longer":      {fits + " ", sdk.KindLimit},
		"deepest":              {nested(readonly.MaxDepth), ""},
		"one deeper":           {nested(readonly.MaxDepth + 1), sdk.KindLimit},
		"much deeper":          {nested(100_000), sdk.KindLimit},
		"deepest with":         {with(readonly.MaxDepth), ""},
		"one with deeper":      {with(readonly.MaxDepth + 1), sdk.KindLimit},
		"leading parentheses":  {strings.Repeat("(", 300) + "SELECT 1", sdk.KindLimit},
		"parentheses of a CTE": {"WITH a AS (" + strings.Repeat("(", 300) + "SELECT 1", sdk.KindLimit},
	} {
		if got := sdk.KindOf(readonly.Check(c.sql, d)); got != c.kind {
			t.Errorf("%s: kind %q, want %q", name, got, c.kind)
		}
	}
}

// Phrases and patterns that no engine here has: nothing is refused by a phrase
// without words or by an empty pattern, and a pattern may be open at both ends.
func TestRulesOfOtherDialects(t *testing.T) {
	t.Parallel()
	d := *byName(t, "duckdb")
	d.Guard.Phrases = []dialect.Phrase{{}, {Words: []string{""}}, {Words: []string{"*"}}, {Words: []string{"a", "::", "b"}, Reason: "casts"},
		{Words: []string{"FIFTEEN_LETTERS"}}, {Words: []string{"SIXTEEN_LETTERS_"}}, {Words: []string{"THIRTY_LETTERS_ARE_IN_ONE_WORD"}}}
	d.Guard.Functions = dialect.Rules("loads", "", "*load*", "*ing", "un*")
	for sql, refused := range map[string]bool{
		"SELECT a, b":            false,
		"SELECT a :: c":          false,
		"SELECT a :: b":          true,
		"SELECT fifteen_letters": true, "SELECT Sixteen_Letters_": true, "SELECT 1 THIRTY_letters_are_in_one_word": true,
		"SELECT fifteen_letter, sixteen_letters_x, thirty_letters_are_in_one_name": false,
		"SELECT load(1), 1": true, "SELECT Xload(1)": true, "SELECT loadx(1)": true, "SELECT xxLOADxx(1)": true, "SELECT xloaload(1)": true,
		"SELECT loa(1), oad(1), lo_ad(1)": false,
		"SELECT ing(1)":                   true, "SELECT xING(1)": true, "SELECT ings(1)": false, "SELECT un(1)": true, "SELECT unx(1)": true, "SELECT xun(1)": false,
	} {
		if err := readonly.Check(sql, &d); (err != nil) != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// Of the statements that match, the one with the most words counts, and the
// first one of these.
func TestLongestStatementCounts(t *testing.T) {
	t.Parallel()
	d := *byName(t, "mysql")
	d.Guard.Statements = []dialect.Statement{
		{Words: []string{"SHOW", "TABLES"}, Kind: dialect.StatementShow, Refused: []string{"LIKE"}},
		{Words: []string{"SHOW"}, Kind: dialect.StatementShow},
		{Words: []string{"SHOW", "TABLES"}, Kind: dialect.StatementShow},
	}
	for sql, refused := range map[string]bool{"SHOW TABLES LIKE 'x'": true, "SHOW TABLES": false, "SHOW COLUMNS LIKE 'x'": false} {
		if err := readonly.Check(sql, &d); (err != nil) != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// The zero dialect accepts nothing, and a malformed one is the connector's fault.
func TestCheckWithOtherDialects(t *testing.T) {
	t.Parallel()
	if kind := sdk.KindOf(readonly.Check("SELECT 1", &dialect.Dialect{})); kind != sdk.KindNotReadOnly {
		t.Errorf("the zero dialect: kind %q", kind)
	}
	wordless := dialect.Dialect{Guard: dialect.Guard{Statements: []dialect.Statement{{Kind: dialect.StatementQuery}}}}
	if kind := sdk.KindOf(readonly.Check("SELECT 1", &wordless)); kind != sdk.KindNotReadOnly {
		t.Errorf("a statement without words: kind %q", kind)
	}
	broken := *byName(t, "duckdb")
	broken.Lexis.Parameters = []string{""}
	e, _ := errors.AsType[*sdk.Error](readonly.Check("SELECT 1", &broken))
	if e == nil || e.Kind != sdk.KindInternal || e.Source != sdk.SourceConnector {
		t.Errorf("a malformed dialect: %v", e)
	}
}
