package corpus

import (
	"github.com/loam-data/loam/sdk/dialect"
)

// mysqlLexis are second statements behind text that a careless tokenizer splits
// otherwise than the server does.
func mysqlLexis() []Case {
	return attacks("",
		"statement behind an escaped quote", `SELECT '\'' ; DELETE FROM accounts -- '`,
		"statement behind an escaped backslash", `SELECT '\\' ; DELETE FROM accounts -- '`,
		"statement behind an escaped double quote", `SELECT "\"" ; DELETE FROM accounts -- "`,
		"statement behind a national string", `SELECT N'\'' ; DELETE FROM accounts -- '`,
		"statement behind a string with a character set", `SELECT _latin1'\'' ; DELETE FROM accounts -- '`,
		"statement behind a string in an odd character set", "SELECT _gbk'\u00bf\\'' ; DELETE FROM accounts -- '",
		"statement behind a hex string", "SELECT X'' ; DELETE FROM accounts -- '",
		"statement behind a bit string", "SELECT b'1' ; DELETE FROM accounts -- '",
		"statement behind a quoted name", "SELECT 1 AS `a``b` ; DELETE FROM accounts -- `",
		"statement behind a backslash in a name", "SELECT 1 AS `a\\` ; DELETE FROM accounts -- `",
		"statement behind a hash comment", "SELECT 1 # '\n; DELETE FROM accounts # '",
		"statement behind two dashes", "SELECT 1 --'\n' ; DELETE FROM accounts -- '",
		"statement behind a comment that does not nest", "SELECT 1 /* /* */ ; DELETE FROM accounts -- */",
		"statement behind dollars", "SELECT 1 AS a$$ ; DELETE FROM accounts -- $$",
		"statement behind a variable", "SELECT @'a;' ; DELETE FROM accounts",
		"statement behind adjacent strings", `SELECT 'a' '\'' ; DELETE FROM accounts -- '`,
		"two dashes that are no comment", "SELECT 1--1 INTO @stolen",
		"two dashes and a tab", "SELECT 1 --\t\n INTO @stolen",
		"line comment that ends", "SELECT 1 # comment\nINTO @stolen",
		"hash without space", "SELECT 1 #comment\n; DELETE FROM accounts",
		"comment that does not end", "SELECT 1 /* ; DELETE FROM accounts",
		"string that does not end", `SELECT 'x\' ; DELETE FROM accounts -- x`,
		"name that does not end", "SELECT ` ; DELETE FROM accounts",
		"semicolon in parentheses", "SELECT (1 ; DELETE FROM accounts)",
		"hint that sets a variable", "SELECT /*+ SET_VAR(max_execution_time = 0) */ 1",
		"hint that sets the mode", "SELECT /*+ SET_VAR(sql_mode = 'ANSI_QUOTES') */ 1",
		"hint that sets a variable behind a harmless one", "SELECT /*+ NO_ICP(accounts) SET_VAR(sql_mode = 'ANSI_QUOTES') */ 1",
		"hint with a quoted name", "SELECT /*+ INDEX(`a*/ INTO OUTFILE '{tmp}' -- `) */ 1",
		"hint that moves the thread", "SELECT /*+ RESOURCE_GROUP(g) */ 1",
		"hint that lifts the deadline", "SELECT /*+ MAX_EXECUTION_TIME(0) */ 1",
	)
}

// mysqlEngineOnly are attacks that look like reads: the guard cannot know what a
// function or a view of the database does.
func mysqlEngineOnly(d *dialect.Dialect) []Case {
	cases := []Case{
		{Name: "function that writes", SQL: "SELECT spend(5)"},
		{Name: "function that writes, in a filter", SQL: "SELECT id FROM accounts WHERE spend(id) > 0"},
		{Name: "function that writes, explained", SQL: "EXPLAIN SELECT spend(5)"},
		{Name: "function that writes in a derived table, explained", SQL: "EXPLAIN SELECT * FROM (SELECT spend_always(5) AS n) x WHERE n = 5"},
		{Name: "constant function that writes, explained", SQL: "EXPLAIN SELECT id FROM accounts WHERE id = spend_always(1)"},
		{Name: "function that writes without transactions", SQL: "SELECT archived(5)"},
		{Name: "function that makes a temporary table", SQL: "SELECT own_table(1)"},
		{Name: "view that writes", SQL: "SELECT * FROM spending"},
		{Name: "view that writes, counted", SQL: "SELECT SUM(spent) FROM spending"},
		// Under NO_BACKSLASH_ESCAPES or ANSI_QUOTES these would hold more than a string.
		{Name: "file behind a backslash", SQL: `SELECT '\' INTO OUTFILE "{tmp}" -- ' AS n`, Needs: NeedsFile},
		{Name: "file behind a quoted backslash", SQL: `SELECT "\" INTO OUTFILE '{tmp}' -- " AS n`, Needs: NeedsFile},
		{Name: "variable behind a backslash", SQL: `SELECT '\' INTO @stolen -- ' AS n`},
	}
	if mariaDB(d) {
		cases = append(cases,
			Case{Name: "view that advances a sequence", SQL: "SELECT * FROM next_id"},
			Case{Name: "view that advances a sequence, explained", SQL: "EXPLAIN SELECT * FROM next_id"})
	}
	return cases
}

func mysqlHarmless(d *dialect.Dialect) []Case {
	cases := harmless(
		"parenthesised set operation", "(SELECT 1) UNION (SELECT 2) ORDER BY 1 LIMIT 1",
		"parenthesised CTE", "WITH x AS ((SELECT 1 AS n)) SELECT n FROM x",
		"explain", "EXPLAIN SELECT * FROM accounts",
		"explain analyze", "EXPLAIN ANALYZE SELECT * FROM accounts",
		"hint", "SELECT /*+ NO_ICP(accounts) */ id FROM accounts",
		"hints", "SELECT /*+ JOIN_ORDER(a, l) NO_BNL() QB_NAME(q1) */ a.id FROM accounts a JOIN ledger l ON l.account_id = a.id",
		"last_insert_id without a value", "SELECT LAST_INSERT_ID() AS n",
		"explain in json", "EXPLAIN FORMAT=JSON SELECT * FROM accounts",
		"explain a with", "EXPLAIN WITH x AS (SELECT 1 AS n) SELECT n FROM x",
		"show tables", "SHOW TABLES",
		"show full tables", "SHOW FULL TABLES LIKE 'acc%'",
		"show columns", "SHOW COLUMNS FROM accounts",
		"show create table", "SHOW CREATE TABLE accounts",
		"show indexes", "SHOW INDEX FROM ledger",
		"show variables", "SHOW VARIABLES LIKE 'transaction%'",
		"show table status", "SHOW TABLE STATUS LIKE 'accounts'",
		"describe", "DESCRIBE accounts",
		"desc of a column", "DESC accounts name",
		"columns named like verbs, unquoted members", "SELECT a.update, a.delete, a.into, a.set, a.call FROM accounts a",
		"labels named like verbs, quoted", "SELECT id AS `into`, name AS `for update`, 1 AS 'insert', 2 AS \"delete\" FROM accounts",
		"labels that are no keywords", "SELECT 1 AS share, 2 AS nextval, 3 AS outfile_name, 4 AS begin, 5 AS commit",
		"columns named like commands", "SELECT handler, do_it, savepoint, begin, commit, start FROM (SELECT 1 AS handler, 2 AS do_it, 3 AS savepoint, 4 AS begin, 5 AS commit, 6 AS start) x",
		"columns named like denied functions", "SELECT x.sleep, x.get_lock, x.setval FROM (SELECT 1 AS sleep, 2 AS get_lock, 3 AS setval) x",
		"string that names a denied function", "SELECT 'SLEEP(10)' AS note, \"LOAD_FILE('/etc/passwd')\" AS file",
		"string in double quotes", `SELECT "it's; DELETE FROM accounts" AS note, "a""b" AS quote`,
		"escapes", `SELECT 'it\'s; DELETE FROM accounts', '\\', "\"; DROP TABLE accounts", '\n\t\0\Z\%\_'`,
		"adjacent strings", "SELECT 'DELETE ' 'FROM accounts' AS note",
		"national and other strings", "SELECT N'x; y', _utf8mb4'naïve', X'4142', 0x4142, b'101', 0b11",
		"hash comment", "SELECT 1 AS n # ; DELETE FROM accounts",
		"hash comment in the middle", "SELECT 1 # INTO OUTFILE 'x'\n AS n",
		"two dashes without space", "SELECT 5--1, 5 - -1",
		"comment that ends early", "SELECT 1 /* /* */ AS n",
		"comment with a bang inside", "SELECT 1 /* ! INTO @x */ AS n",
		"comment with a plus inside", "SELECT 1 /* + SET_VAR(x = 1) */ AS n",
		"quoted name with a backslash", "SELECT 1 AS `a\\b; DELETE`",
		"quoted name with a backtick", "SELECT 1 AS `a``; DELETE FROM accounts`",
		"dollar in a name", "SELECT 1 AS a$b, 2 AS $c",
		"name that starts with a digit", "SELECT x.1st, x.1e FROM (SELECT 1 AS 1st, 2 AS 1e) x",
		"variables", "SELECT @nothing, @@version, @@session.sql_mode, @@global.max_connections > 0, @`quoted`",
		"variable compared", "SELECT @nothing = 1, @nothing <=> NULL",
		"odbc escapes", "SELECT {d '2024-01-01'}, {ts '2024-01-01 10:00:00'}",
		"replace function", "SELECT REPLACE(name, 'A', 'insert into') FROM accounts",
		"insert function", "SELECT INSERT('DELETE', 1, 2, 'x'), LEFT('abc', 1), RIGHT('abc', 1)",
		"values function", "SELECT GREATEST(1, 2), IF(1, 'update', 'delete'), IFNULL(NULL, 'set')",
		"truncate function", "SELECT TRUNCATE(1.239, 2), ROUND(1.5)",
		"char and schema functions", "SELECT CHAR(68, 69, 76 USING utf8mb4), DATABASE(), USER(), VERSION(), CONNECTION_ID() > 0",
		"lock that is only looked at", "SELECT IS_FREE_LOCK('stolen')",
		"interval", "SELECT DATE_ADD('2024-01-31', INTERVAL 1 MONTH), '2024-01-01' + INTERVAL 2 DAY",
		"extract and trim", "SELECT EXTRACT(YEAR FROM '2024-01-01'), TRIM(BOTH 'x' FROM 'xupdatex'), SUBSTRING('abc' FROM 2 FOR 1), POSITION('b' IN 'abc')",
		"substring with for", "SELECT SUBSTRING(name FROM 1 FOR 3) FROM accounts",
		"group_concat", "SELECT GROUP_CONCAT(DISTINCT name ORDER BY name DESC SEPARATOR '; ') FROM accounts",
		"with rollup", "SELECT account_id, SUM(amount) FROM ledger GROUP BY account_id WITH ROLLUP",
		"match modifiers", "SELECT name REGEXP '^A', name RLIKE 'a', name LIKE 'A|_%' ESCAPE '|', name SOUNDS LIKE 'Ada' FROM accounts",
		"operators", "SELECT 5 DIV 2, 5 MOD 2, 5 % 2, 1 XOR 0, !1, ~1, 1 << 2, 6 & 3 | 8, 6 ^ 3, 1 <=> NULL, NOT 1 && 1 || 0",
		"binary and collate", "SELECT BINARY name, CONVERT(name USING utf8mb4) COLLATE utf8mb4_bin FROM accounts",
		"casts", "SELECT CAST('1' AS SIGNED), CONVERT('x' USING utf8mb4), CAST(1 AS DECIMAL(10,2)), CONVERT('2024-01-01', DATE)",
		"json", `SELECT JSON_EXTRACT(doc, '$.update.set[0]'), JSON_VALID('{"delete": 1}') FROM docs`,
		"enum and set", "SELECT feels, marks, FIND_IN_SET('into', marks), feels + 0 FROM docs",
		"table without transactions", "SELECT * FROM archive",
		"view", "SELECT * FROM big_accounts",
		"straight join and index hints", "SELECT STRAIGHT_JOIN a.id FROM accounts a IGNORE INDEX (PRIMARY) JOIN ledger l FORCE INDEX (PRIMARY) ON l.account_id = a.id",
		"select modifiers", "SELECT SQL_NO_CACHE DISTINCT SQL_SMALL_RESULT id FROM accounts",
		"dual", "SELECT 1 FROM DUAL",
		"limit with an offset", "SELECT id FROM accounts ORDER BY id LIMIT 1, 2",
		"natural and using", "SELECT * FROM accounts JOIN (SELECT 1 AS id) x USING (id)",
		"row values", "SELECT (1, 2) = (1, 2), ROW(1, 2) IN (SELECT 1, 2)",
		"any and all", "SELECT id FROM accounts WHERE id >= ALL (SELECT id FROM accounts) OR id = ANY (SELECT 1)",
		"case with verbs", "SELECT CASE `update` WHEN 'yes' THEN 'insert' ELSE 'drop' END FROM accounts",
		"null-safe in a join", "SELECT a.id FROM accounts a JOIN accounts b ON a.`update` <=> b.`update`",
		"window frame", "SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM ledger",
		"named window", "SELECT RANK() OVER w FROM ledger WINDOW w AS (ORDER BY amount)",
		"intersect and except", "SELECT id FROM accounts INTERSECT SELECT account_id FROM ledger EXCEPT SELECT 3",
		"catalogue", "SELECT table_name FROM information_schema.tables WHERE table_name = 'accounts'",
		"routines of the catalogue", "SELECT routine_name FROM information_schema.routines WHERE routine_name LIKE 'spend%'",
		"numbers", "SELECT 1e3, .5, 1., 0.5e-3, 1E+2, -1",
		"zero dates", "SELECT CAST('0000-00-00' AS CHAR), DATE '2024-02-29', TIME '838:59:59', TIMESTAMP '2024-01-01 00:00:00'",
	)
	if mariaDB(d) {
		cases = append(cases, harmless(
			"values", "VALUES (1, 'insert'), (2, 'delete')",
			"table of the past", "SELECT id FROM history FOR SYSTEM_TIME ALL",
			"table as of now", "SELECT id FROM history FOR SYSTEM_TIME AS OF NOW()",
			"sequence as a table", "SELECT start_value, increment FROM ledger_id_seq",
			"limit rows examined", "SELECT id FROM accounts LIMIT 1 ROWS EXAMINED 1000",
			"fetch first", "SELECT id FROM accounts ORDER BY id OFFSET 1 ROW FETCH FIRST 1 ROW ONLY",
			"cycle restrict", "WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT a FROM x) CYCLE a RESTRICT SELECT a FROM x",
			"dynamic columns", "SELECT COLUMN_GET(COLUMN_CREATE('update', 1), 'update' AS INTEGER)",
		)...)
	} else {
		cases = append(cases, harmless(
			"values", "VALUES ROW(1, 'insert'), ROW(2, 'delete')",
			"table", "TABLE accounts",
			"lateral", "SELECT a.name, l.amount FROM accounts a, LATERAL (SELECT amount FROM ledger WHERE account_id = a.id LIMIT 1) l",
			"json arrow", "SELECT doc->'$.update', doc->>'$.update.set' FROM docs",
			"member of", "SELECT 1 MEMBER OF ('[1, 2]')",
		)...)
	}
	return cases
}
