package corpus

import "slices"

func clickhouseSetup() []string {
	return []string{
		"CREATE VIEW big_accounts AS SELECT id, name FROM accounts WHERE balance > 100",
		"CREATE MATERIALIZED VIEW account_totals ENGINE = MergeTree ORDER BY name POPULATE AS SELECT name, balance FROM accounts",
		"CREATE TABLE docs (id Int32, tags Array(String), pair Tuple(Int32, String), feels Enum8('update' = 1, 'delete' = 2)) ENGINE = Memory",
		"INSERT INTO docs SELECT 1, ['drop', 'into'], (1, 'insert into'), 'update'",
	}
}

func clickhouseReread() []string {
	return []string{
		"SELECT id, tags, feels FROM docs ORDER BY id",
		"SELECT * FROM account_totals ORDER BY name",
		"SELECT name, engine FROM system.tables WHERE database = currentDatabase() ORDER BY name",
		"SELECT table, name, type FROM system.columns WHERE database = currentDatabase() ORDER BY table, name",
		"SELECT name FROM system.databases WHERE name LIKE 'stolen%' ORDER BY name",
		"SELECT name FROM system.dictionaries ORDER BY name",
		"SELECT count() FROM system.functions",
	}
}

func clickhouse() []Case {
	return slices.Concat(clickhouseStatements(), clickhouseSession(), clickhouseQueries(), clickhouseReaches(), clickhouseLexis(), clickhouseEngineOnly(),
		clickhouseHarmless())
}

// clickhouseSince says which of the shared statements that only read need a newer
// server than the oldest that the connector serves: the others run on all.
var clickhouseSince = map[string]string{
	"with": "20.10", "with two": "20.10", "with a quoted name": "20.10", "with a nested with": "20.10",
	"with in a sub-select": "20.10", "with columns": "25.8", "recursive with": "24.4", "window": "21.3",
	"scalar sub-select": "25.8", "exists": "25.8", "cast": "20.5",
}

func clickhouseStatements() []Case {
	return attacks("",
		"insert in a format", "INSERT INTO ledger FORMAT JSONEachRow {\"id\": 9}",
		"insert into a function", "INSERT INTO FUNCTION file('{tmp}', 'TSV', 'a String') SELECT 'x'",
		"insert into a table function", "INSERT INTO TABLE FUNCTION url('http://127.0.0.1:1/', 'TSV', 'a String') SELECT name FROM accounts",
		"insert from a file", "INSERT INTO ledger FROM INFILE '/etc/passwd' FORMAT TSV",
		"insert with settings", "INSERT INTO ledger SETTINGS async_insert = 1 VALUES (9, 1, 5, 'x')",
		"alter update", "ALTER TABLE accounts UPDATE balance = 0 WHERE 1",
		"alter delete", "ALTER TABLE accounts DELETE WHERE 1",
		"alter drop partition", "ALTER TABLE accounts DROP PARTITION tuple()",
		"alter freeze", "ALTER TABLE accounts FREEZE",
		"alter modify ttl", "ALTER TABLE accounts MODIFY SETTING old_parts_lifetime = 1",
		"truncate", "TRUNCATE TABLE accounts",
		"truncate all", "TRUNCATE ALL TABLES FROM default",
		"optimize", "OPTIMIZE TABLE accounts FINAL",
		"rename", "RENAME TABLE accounts TO stolen",
		"exchange", "EXCHANGE TABLES accounts AND ledger",
		"attach", "ATTACH TABLE stolen",
		"attach from a path", "ATTACH TABLE stolen FROM '{tmp}' (id Int32) ENGINE = File(TSV)",
		"detach", "DETACH TABLE accounts",
		"detach permanently", "DETACH TABLE accounts PERMANENTLY",
		"undrop", "UNDROP TABLE stolen",
		"drop database", "DROP DATABASE IF EXISTS stolen",
		"drop sync", "DROP TABLE accounts SYNC",
		"create table in memory", "CREATE TABLE stolen (id Int32) ENGINE = Memory",
		"create table over a file", "CREATE TABLE stolen (a String) ENGINE = File(TSV, '{tmp}')",
		"create table over a url", "CREATE TABLE stolen (a String) ENGINE = URL('http://127.0.0.1:1/', TSV)",
		"create or replace table", "CREATE OR REPLACE TABLE accounts (id Int32) ENGINE = Memory",
		"replace table", "REPLACE TABLE accounts (id Int32) ENGINE = Memory",
		"create temporary table", "CREATE TEMPORARY TABLE stolen (id Int32)",
		"create temporary table that hides another", "CREATE TEMPORARY TABLE accounts AS SELECT 7 AS id",
		"create materialized view", "CREATE MATERIALIZED VIEW stolen ENGINE = Memory AS SELECT 1 AS a",
		"create live view", "CREATE LIVE VIEW stolen AS SELECT 1",
		"create dictionary", "CREATE DICTIONARY stolen (a String) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id' FORMAT TSV)) LAYOUT(FLAT()) LIFETIME(1)",
		"create function", "CREATE FUNCTION stolen AS (x) -> x + 1",
		"create named collection", "CREATE NAMED COLLECTION stolen AS a = 1",
		"create user", "CREATE USER stolen IDENTIFIED BY 'x'",
		"create role", "CREATE ROLE stolen",
		"create quota", "CREATE QUOTA stolen",
		"create row policy", "CREATE ROW POLICY stolen ON accounts USING 1",
		"create settings profile", "CREATE SETTINGS PROFILE stolen SETTINGS readonly = 0",
		"create workload", "CREATE WORKLOAD stolen",
		"two creates at once", "CREATE TABLE stolen (id Int32) ENGINE = Memory PARALLEL WITH CREATE TABLE stolen2 (id Int32) ENGINE = Memory",
		"two creates over files at once", "CREATE TABLE stolen (a String) ENGINE = File(TSV, '/etc/passwd') PARALLEL WITH CREATE TABLE stolen2 (id Int32) ENGINE = Memory",
		"two databases at once", "CREATE DATABASE stolen PARALLEL WITH CREATE DATABASE stolen2",
		"two drops at once", "DROP TABLE IF EXISTS stolen PARALLEL WITH DROP TABLE accounts",
		"two inserts at once", "INSERT INTO ledger SELECT 9, 1, 5, 'x' PARALLEL WITH INSERT INTO ledger SELECT 10, 1, 5, 'x'",
		"a read and a create at once", "SELECT 1 PARALLEL WITH CREATE TABLE stolen (id Int32) ENGINE = Memory",
		"lightweight update", "UPDATE accounts SET balance = 0 WHERE 1",
		"lightweight delete", "DELETE FROM accounts WHERE 1",
		"move user", "MOVE USER stolen TO disk",
		"backup", "BACKUP TABLE accounts TO File('{tmp}')",
		"restore", "RESTORE TABLE accounts FROM File('{tmp}')",
		"insert behind an expression", "WITH 1 AS n INSERT INTO ledger SELECT n, 1, 1, 'x'",
		"explain ast of a drop", "EXPLAIN AST DROP TABLE accounts",
		"explain pipeline of an insert", "EXPLAIN PIPELINE INSERT INTO ledger SELECT 9, 1, 5, 'x'",
		"explain syntax of an alter", "EXPLAIN SYNTAX ALTER TABLE accounts DELETE WHERE 1",
		"explain table override", "EXPLAIN TABLE OVERRIDE mysql('127.0.0.1:1', 'a', 'b', 'c', 'd') COLUMNS (x Int32)",
		"kill query", "KILL QUERY WHERE query_id = 'stolen' SYNC",
		"kill mutation", "KILL MUTATION WHERE mutation_id = 'stolen'",
		"kill transaction", "KILL TRANSACTION WHERE 1",
		"watch", "WATCH account_totals",
		"check table", "CHECK TABLE accounts",
		"system flush logs", "SYSTEM FLUSH LOGS",
		"system shutdown", "SYSTEM RELOAD CONFIG",
		"system stop merges", "SYSTEM STOP MERGES accounts",
		"system drop cache", "SYSTEM DROP MARK CACHE",
		"system enable failpoint", "SYSTEM ENABLE FAILPOINT dummy_failpoint",
		"execute as", "EXECUTE AS default SELECT 1",
	)
}

// clickhouseSession are statements that change what later ones of a connection
// mean; the engine runs most of them under readonly = 1.
func clickhouseSession() []Case {
	return attacks("",
		"use", "USE system",
		"set readonly", "SET readonly = 0",
		"set readonly to 2", "SET readonly = 2",
		"set limits", "SET max_execution_time = 0, max_memory_usage = 0",
		"set a parameter", "SET param_stolen = 1",
		"set role", "SET ROLE NONE",
		"set default role", "SET DEFAULT ROLE NONE TO CURRENT_USER",
		"set two at once", "SET readonly = 0 PARALLEL WITH SET readonly = 0",
		"set transaction snapshot", "SET TRANSACTION SNAPSHOT 1",
		"begin transaction", "BEGIN TRANSACTION",
		"rollback transaction", "ROLLBACK TRANSACTION",
		"revoke", "REVOKE ALL ON *.* FROM default",
		"grant with option", "GRANT ALL ON *.* TO default WITH GRANT OPTION",
		"grant current grants", "GRANT CURRENT GRANTS ON *.* TO stolen",
	)
}

func clickhouseQueries() []Case {
	return attacks("",
		"select into a file", "SELECT * FROM accounts INTO OUTFILE '{tmp}'",
		"select into a file with a format", "SELECT 1 INTO OUTFILE '{tmp}' FORMAT CSV",
		"select into a file, appended", "SELECT 1 INTO OUTFILE '{tmp}' APPEND",
		"select into a file, in other case", "select 1 into outfile '{tmp}'",
		"select into a file with comments", "SELECT 1 INTO/**/OUTFILE/**/'{tmp}'",
		"select into a file and to standard output", "SELECT 1 INTO OUTFILE '{tmp}' AND STDOUT",
		"union into a file", "SELECT 1 UNION ALL SELECT 2 INTO OUTFILE '{tmp}'",
		"show into a file", "SHOW TABLES INTO OUTFILE '{tmp}'",
		"describe into a file", "DESCRIBE accounts INTO OUTFILE '{tmp}'",
		"exists into a file", "EXISTS accounts INTO OUTFILE '{tmp}'",
		"explain into a file", "EXPLAIN SELECT 1 INTO OUTFILE '{tmp}'",
		"with into a file", "WITH 1 AS x SELECT x INTO OUTFILE '{tmp}'",
		"settings in show", "SHOW TABLES SETTINGS readonly = 0",
		"settings that lift read-only", "SELECT 1 SETTINGS readonly = 0",
		"sleep", "SELECT sleep(0.05)",
		"sleep behind a mathematical minus", "SELECT 1 −sleep(0.05)",
		"sleep each row", "SELECT sleepEachRow(0.01) FROM accounts",
		"sleep in other case", "SELECT `sleep`(0.05)",
		"credentials of collections", "SELECT * FROM system.named_collections",
		"password of a user", "SHOW CREATE USER default",
	)
}

// clickhouseEngineOnly are attacks that read, on the server's own terms: it takes
// no setting under readonly = 1, and over HTTP it would answer in the format that
// the statement names, which the driver takes for its own.
func clickhouseEngineOnly() []Case {
	return []Case{
		{Name: "settings that lift the limits", SQL: "SELECT count() FROM accounts SETTINGS max_execution_time = 0, max_memory_usage = 0"},
		{Name: "settings in a sub-select", SQL: "SELECT * FROM (SELECT 1 SETTINGS max_threads = 64)"},
		{Name: "settings with comments", SQL: "SELECT 1 SETTINGS/**/max_result_rows = 0"},
		{Name: "format that the driver does not read", SQL: "SELECT 1 FORMAT JSON"},
		{Name: "format in quotes", SQL: "SELECT 1 FORMAT `JSON`"},
		{Name: "format in double quotes", SQL: `SELECT 1 FORMAT "RowBinary"`},
		{Name: "format behind a name like a keyword", SQL: "SELECT 1 FROM accounts AS `by` FORMAT JSON"},
		{Name: "format null", SQL: "SELECT 1 FORMAT Null"},
	}
}

// clickhouseReaches read what lies outside the server, or write there.
func clickhouseReaches() []Case {
	return attacks("",
		"url", "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
		"url, quoted", "SELECT * FROM `url`('http://127.0.0.1:1/', 'TSV', 'a String')",
		"url in double quotes", "SELECT * FROM \"url\" ('http://127.0.0.1:1/', 'TSV', 'a String')",
		"url with a comment", "SELECT * FROM url/**/('http://127.0.0.1:1/', 'TSV', 'a String')",
		"url in a sub-select", "SELECT id FROM accounts WHERE name IN (SELECT a FROM url('http://127.0.0.1:1/', 'TSV', 'a String'))",
		"url described", "DESCRIBE url('http://127.0.0.1:1/x.csv')",
		"url of a cluster", "SELECT * FROM urlCluster('default', 'http://127.0.0.1:1/', 'TSV', 'a String')",
		"file", "SELECT * FROM file('/etc/passwd', 'LineAsString', 'a String')",
		"file with escapes in its name", "SELECT * FROM `\\x66ile`('/etc/passwd', 'LineAsString', 'a String')",
		"file as a value", "SELECT file('/etc/passwd')",
		"file as a value, in a filter", "SELECT id FROM accounts WHERE name = file('/etc/passwd')",
		"file described", "DESCRIBE TABLE file('/etc/passwd')",
		"files of a folder", "SELECT * FROM filesystem('/etc')",
		"program", "SELECT * FROM executable('id', 'TSV', 'a String')",
		"program of a cluster", "SELECT * FROM clusterAllReplicas('default', executable('id', 'TSV', 'a String'))",
		"remote", "SELECT * FROM remote('127.0.0.1:1', system.one)",
		"remote over TLS", "SELECT * FROM remoteSecure('127.0.0.1:1', 'system', 'one', 'default', 'x')",
		"cluster", "SELECT * FROM cluster('default', system.one)",
		"mysql", "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
		"postgresql", "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
		"mongodb", "SELECT * FROM mongodb('127.0.0.1:1', 'a', 'b', 'c', 'd', 'e String')",
		"redis", "SELECT * FROM redis('127.0.0.1:1', 'k', 'k String')",
		"sqlite", "SELECT * FROM sqlite('{tmp}', 'x')",
		"jdbc", "SELECT * FROM jdbc('jdbc:x', 'a', 'b')",
		"odbc", "SELECT * FROM odbc('DSN=x', 'a', 'b')",
		"s3", "SELECT * FROM s3('http://127.0.0.1:1/x.csv')",
		"s3 of a cluster", "SELECT * FROM s3Cluster('default', 'http://127.0.0.1:1/x.csv')",
		"gcs", "SELECT * FROM gcs('http://127.0.0.1:1/x.csv')",
		"oss", "SELECT * FROM oss('http://127.0.0.1:1/x.csv')",
		"hdfs", "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'TSV', 'a String')",
		"azure", "SELECT * FROM azureBlobStorage('x', 'y', 'z')",
		"iceberg", "SELECT * FROM iceberg('http://127.0.0.1:1/x')",
		"iceberg on the disk", "SELECT * FROM icebergLocal('/etc')",
		"delta lake", "SELECT * FROM deltaLake('http://127.0.0.1:1/x')",
		"hudi", "SELECT * FROM hudi('http://127.0.0.1:1/x')",
		"paimon", "SELECT * FROM paimonLocal('/etc')",
		"arrow flight", "SELECT * FROM arrowflight('127.0.0.1:1', 'x')",
		"input", "SELECT * FROM input('a String')",
		"endless loop", "SELECT * FROM loop(numbers(3))",
		"text as a query", "SELECT * FROM eval('SELECT 1')",
		"model in a file", "SELECT catboostEvaluate('/etc/passwd', 1)",
		"language model", "SELECT aiGenerate('x')",
		"serial number", "SELECT generateSerialID('stolen')",
	)
}

// clickhouseLexis are second statements behind text that a careless tokenizer
// splits otherwise than the server does.
func clickhouseLexis() []Case {
	return attacks("",
		"statement behind an escaped quote", `SELECT '\'' ; DROP TABLE accounts -- '`,
		"statement behind an escaped backslash", `SELECT '\\' ; DROP TABLE accounts -- '`,
		"statement behind a name in double quotes", `SELECT 1 AS "a\"" ; DROP TABLE accounts -- "`,
		"statement behind a name with a doubled quote", "SELECT 1 AS `a``` ; DROP TABLE accounts -- `",
		"statement behind a heredoc", "SELECT $$ ' $$ ; DROP TABLE accounts -- '",
		"statement behind a tagged heredoc", "SELECT $a$ $$ ' $a$ ; DROP TABLE accounts -- '",
		"statement behind a hash comment", "SELECT 1 # '\n; DROP TABLE accounts -- '",
		"statement behind a shebang comment", "SELECT 1 #!'\n; DROP TABLE accounts -- '",
		"statement behind a slash comment", "SELECT 1 // '\n; DROP TABLE accounts -- '",
		"statement behind dashes without space", "SELECT 1 --'\n; DROP TABLE accounts -- '",
		"statement behind nested comments", "SELECT 1 /* /* */ */ ; DROP TABLE accounts",
		"statement behind a curly string", "SELECT ‘'’ ; DROP TABLE accounts -- '",
		"statement behind a curly name", "SELECT 1 AS “\"” ; DROP TABLE accounts -- \"",
		"statement behind a hex string", "SELECT x'41' ; DROP TABLE accounts",
		"statement behind a substitution", "SELECT {a:String} ; DROP TABLE accounts",
		"statement behind a no-break space", "SELECT 1\u00A0;\u00A0DROP TABLE accounts",
		"heredoc that does not end", "SELECT $x$ ; DROP TABLE accounts $y$",
		"string that does not end", "SELECT ' ; DROP TABLE accounts",
		"comment that does not end", "SELECT 1 /* /* */ ; DROP TABLE accounts",
		"semicolon in parentheses", "SELECT (1 ; DROP TABLE accounts)",
		"semicolon in an array", "SELECT [1 ; DROP TABLE accounts]",
	)
}

func clickhouseHarmless() []Case {
	cases := harmless(
		"expression in with", "WITH 1 AS x SELECT x",
		"function in with", "WITH toDate('2024-01-01') AS d SELECT d, 'insert into' AS note",
		"sub-select in with", "WITH (SELECT max(id) FROM accounts) AS m SELECT m",
		"set operation in parentheses", "(SELECT 1) UNION ALL (SELECT 2)",
		"describe", "DESCRIBE TABLE accounts",
		"describe a query", "DESCRIBE (SELECT id FROM accounts)",
		"show tables", "SHOW TABLES",
		"show databases", "SHOW DATABASES",
		"show create", "SHOW CREATE TABLE accounts",
		"show processes", "SHOW PROCESSLIST",
		"exists as a statement", "EXISTS accounts",
		"columns named like verbs, quoted", "SELECT `update`, `delete`, `into`, `set`, `call` FROM accounts",
		"members named like verbs", "SELECT a.`update`, a.`into` FROM accounts AS a",
		"labels named like verbs", "SELECT id AS `into`, name AS `format`, balance AS `settings` FROM accounts",
		"names in double quotes", `SELECT "update", "into" FROM "accounts"`,
		"names with escapes of quotes doubled", "SELECT 1 AS `a``b`, 2 AS \"c\"\"d\"",
		"string that names a table function", "SELECT 'url(''http://127.0.0.1/'')' AS note",
		"string with backslashes", `SELECT 'it\'s; DROP TABLE accounts', '\\', '\n\t\0\x41'`,
		"string with a doubled quote", "SELECT 'it''s; DROP TABLE accounts'",
		"comment with slashes", "SELECT 1 AS n // ; DROP TABLE accounts",
		"comment with dashes and no space", "SELECT 1 AS n --; DROP TABLE accounts",
		"arrays", "SELECT [1, 2, 3][1], tags[1], has(tags, 'drop'), length(tags) FROM docs",
		"array join", "SELECT id, tag FROM docs ARRAY JOIN tags AS tag",
		"array join as a function", "SELECT arrayJoin(tags) AS tag FROM docs",
		"lambda", "SELECT arrayMap(x -> concat(x, ' table'), tags), arrayFilter(x -> x != 'drop', tags) FROM docs",
		"tuples", "SELECT pair.1, tupleElement(pair, 2), (1, 'insert') = (1, 'insert') FROM docs",
		"enum", "SELECT feels, feels = 'update', toInt8(feels) FROM docs",
		"limit by", "SELECT account_id, amount FROM ledger ORDER BY id LIMIT 1 BY account_id",
		"prewhere", "SELECT name FROM accounts PREWHERE id = 1 WHERE balance > 0",
		"with totals", "SELECT account_id, sum(amount) FROM ledger GROUP BY account_id WITH TOTALS",
		"global in", "SELECT id FROM accounts WHERE id GLOBAL IN (SELECT account_id FROM ledger)",
		"any join", "SELECT a.name, l.amount FROM accounts AS a ANY LEFT JOIN ledger AS l ON l.account_id = a.id",
		"join using", "SELECT id FROM accounts ALL INNER JOIN (SELECT account_id AS id FROM ledger) AS l USING (id)",
		"ternary", "SELECT balance > 0 ? 'insert' : 'delete' FROM accounts",
		"if and multiIf", "SELECT if(balance > 0, 'update', 'drop'), multiIf(id = 1, 'a', id = 2, 'b', 'set') FROM accounts",
		"case of a value", "SELECT CASE name WHEN 'Ada' THEN 'insert' ELSE 'drop' END FROM accounts",
		"parametric aggregate", "SELECT quantile(0.5)(amount), topK(2)(note), uniqExact(account_id) FROM ledger",
		"aggregate with a condition", "SELECT sumIf(amount, amount > 0), countIf(note LIKE '%insert into%') FROM ledger",
		"group array", "SELECT arrayStringConcat(groupArray(name), '; DELETE ') FROM accounts",
		"casts", "SELECT toInt32('1'), CAST(1 AS String), CAST(1, 'String'), toDecimal64(1, 2)",
		"dates", "SELECT toDate('2024-01-01') + INTERVAL 1 DAY, toStartOfMonth(toDate('2024-02-29')), now() > toDateTime(0)",
		"operators", "SELECT 5 % 3, intDiv(5, 2), 1 = 1, 1 == 1, 1 != 2, 1 <> 2, NOT 0, -(-1), 'a' || 'b'",
		"patterns", "SELECT name LIKE 'A%', match(name, '^A'), position(name, 'd') FROM accounts",
		"between and null", "SELECT id FROM accounts WHERE balance BETWEEN 1 AND 100 AND `update` IS NOT NULL",
		"numbers", "SELECT 1e3, .5, 1., 0x1F, -1, inf, nan",
		"numbers as a table", "SELECT number FROM system.numbers LIMIT 3",
		"one", "SELECT dummy FROM system.one",
		"view", "SELECT * FROM big_accounts",
		"materialized view", "SELECT * FROM account_totals",
		"tables of the catalogue", "SELECT name, engine FROM system.tables WHERE name = 'accounts'",
		"columns of the catalogue", "SELECT name, type FROM system.columns WHERE table = 'accounts'",
		"settings", "SELECT name, value FROM system.settings WHERE name IN ('readonly', 'max_execution_time')",
		"functions listed", "SELECT name FROM system.functions WHERE name IN ('sleep', 'toDate')",
		"columns named like table functions", "SELECT url, file, remote FROM (SELECT 1 AS url, 2 AS file, 3 AS remote)",
		"functions on addresses", "SELECT domain('http://x/y'), path('http://x/y'), cutToFirstSignificantSubdomain('http://x.y')",
		"host", "SELECT hostName() = '' AS unnamed, version(), currentDatabase(), uptime() > 0",
		"order with nulls", "SELECT id FROM accounts ORDER BY `update` DESC NULLS LAST",
		"star of a table", "SELECT a.*, 1 AS one FROM accounts AS a",
		"distinct", "SELECT DISTINCT account_id FROM ledger",
		"sample of text", "SELECT substring(name, 1, 2), lower(name), replaceAll(name, 'a', 'insert into') FROM accounts",
	)
	return append(cases, clickhouseNewer()...)
}

// clickhouseNewer are reads that the oldest servers do not know.
func clickhouseNewer() []Case {
	cases := harmless(
		"explain", "EXPLAIN SELECT * FROM accounts",
		"explain with settings", "EXPLAIN PLAN header = 1, actions = 1 SELECT * FROM accounts",
		"explain pipeline", "EXPLAIN PIPELINE SELECT count() FROM accounts",
		"explain syntax", "EXPLAIN SYNTAX SELECT * FROM big_accounts",
		"explain ast", "EXPLAIN AST SELECT 1",
		"from first", "FROM accounts SELECT id",
		"hash comment", "SELECT 1 AS n # ; DROP TABLE accounts",
		"shebang comment", "SELECT 1 AS n #! ; DROP TABLE accounts",
		"nested comments", "SELECT 1 /* a /* b; DROP TABLE accounts */ c */ AS n",
		"heredoc", "SELECT $$ it's; DROP TABLE accounts $$",
		"tagged heredoc", "SELECT $body$ $$ ; DROP TABLE accounts; $$ $body$",
		"hex and binary strings", "SELECT x'4142', b'01000001', X'44454C455445'",
		"empty statements behind", "SELECT 1;;",
		"numbers as a function", "SELECT sum(number) FROM numbers(10)",
		"values as a table", "SELECT * FROM values('a Int32, b String', (1, 'insert'), (2, 'delete'))",
		"view as a function", "SELECT * FROM view(SELECT 1 AS a)",
		"map", "SELECT map('update', 1)['update'], mapKeys(map('delete', 2))",
		"cast with colons", "SELECT 1::String, '2024-01-01'::Date, [1]::Array(UInt8)",
		"star without a column", "SELECT * EXCEPT (balance) REPLACE (id + 1 AS id) FROM accounts",
		"columns by a pattern", "SELECT COLUMNS('^(id|name)$') APPLY toString FROM accounts",
		"window frame", "SELECT sum(amount) OVER (PARTITION BY account_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM ledger",
		"qualify", "SELECT id FROM ledger QUALIFY row_number() OVER (PARTITION BY account_id ORDER BY id) = 1",
		"asof join", "SELECT a.id FROM accounts AS a ASOF JOIN ledger AS l ON l.account_id = a.id AND l.id <= a.id",
		"limit with ties", "SELECT id FROM ledger ORDER BY account_id LIMIT 1 WITH TIES",
		"fill", "SELECT id FROM accounts ORDER BY id WITH FILL FROM 1 TO 6",
		"intersect and except", "SELECT id FROM accounts INTERSECT SELECT account_id FROM ledger EXCEPT SELECT 3",
		"grouping sets", "SELECT account_id, note, sum(amount) FROM ledger GROUP BY GROUPING SETS ((account_id), (note), ())",
		"null-safe comparison", "SELECT 1 <=> NULL, 1 IS NOT DISTINCT FROM 1",
		"columns of a table shown", "SHOW COLUMNS FROM accounts",
		"setting by a function", "SELECT getSetting('readonly')",
		"name that starts with a digit", "SELECT 1st FROM (SELECT 2 AS 1st)",
	)
	for i := range cases {
		cases[i].MinVersion = "25.8"
	}
	return cases
}
