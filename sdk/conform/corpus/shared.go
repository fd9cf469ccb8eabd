package corpus

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// shared returns the cases that every engine with ordinary SQL must decide alike.
func shared(d *dialect.Dialect) []Case {
	return slices.Concat(sharedAttacks(), sharedHarmless(d))
}

// said writes a harmless statement of this package in the words of a dialect. It returns
// false for a statement that the dialect has no words for.
func said(c Case, d *dialect.Dialect) (Case, bool) {
	from, ok := d.Expand(dialect.EmptyFrom, nil)
	if ok && from != "" {
		from = " " + from
	}
	c.SQL = strings.ReplaceAll(c.SQL, noTable, from)
	inner := strings.Contains(c.Name, "nested with") || c.Name == "with in a sub-select"
	line, block := comments(c.SQL)
	has := (!inner || !d.TopLevelWith) &&
		(!line || slices.ContainsFunc(d.Lexis.LineComments, func(x dialect.LineComment) bool { return x.Open == "--" })) &&
		(!block || slices.ContainsFunc(d.Lexis.BlockComments, func(x dialect.BlockComment) bool { return x.Open == "/*" }))
	return c, has
}

// comments reports which kinds of standard comments a statement has outside its strings
// and names.
func comments(sql string) (line, block bool) {
	for len(sql) > 0 {
		end := ""
		switch {
		case strings.HasPrefix(sql, "--"):
			line, end = true, "\n"
		case strings.HasPrefix(sql, "/*"):
			block, end = true, "*/"
		case strings.ContainsRune("'\"`", rune(sql[0])):
			end = sql[:1]
		}
		sql = sql[1:]
		if end != "" {
			_, sql, _ = strings.Cut(sql, end)
		}
	}
	return line, block
}

// noTable stands for what follows a SELECT without a table.
const noTable = "{from}"

func sharedAttacks() []Case {
	return attacks("",
		"insert", "INSERT INTO ledger VALUES (9, 1, 5, 'x')",
		"insert from select", "INSERT INTO ledger SELECT id + 10, 1, 1, 'x' FROM accounts",
		"update", "UPDATE accounts SET balance = 0",
		"delete", "DELETE FROM accounts",
		"delete in other case", "dElEtE fRoM accounts",
		"delete behind a line comment", "-- just looking\nDELETE FROM accounts",
		"delete behind a comment", "/* SELECT */ DELETE FROM accounts",
		"delete with comments between words", "DELETE/**/FROM/**/accounts",
		"delete behind white space", " \t\r\n DELETE FROM accounts",
		"delete in parentheses", "(DELETE FROM accounts)",
		"delete behind a byte order mark", "\uFEFFDELETE FROM accounts",
		"delete behind a no-break space", "\u00A0DELETE FROM accounts",
		"delete with an ideographic space", "DELETE\u3000FROM accounts",
		"delete behind a zero-width space", "\u200BDELETE FROM accounts",
		"create table", "CREATE TABLE stolen (id INTEGER)",
		"create table as", "CREATE TABLE stolen AS SELECT * FROM accounts",
		"create view", "CREATE VIEW stolen AS SELECT * FROM accounts",
		"create index", "CREATE INDEX stolen ON accounts (name)",
		"alter table", "ALTER TABLE accounts ADD COLUMN stolen INTEGER",
		"rename table", "ALTER TABLE accounts RENAME TO stolen",
		"drop table", "DROP TABLE accounts",
		"second statement", "SELECT 1; DELETE FROM accounts",
		"second statement with an end", "SELECT 1; DELETE FROM accounts;",
		"second statement without space", "SELECT 1;DELETE FROM accounts",
		"second statement behind a comment", "SELECT 1 -- one\n; DELETE FROM accounts",
		"second statement behind a comment with a semicolon", "SELECT 1 /* ; */ ; DELETE FROM accounts",
		"second statement behind a quoted semicolon", "SELECT ';' ; DELETE FROM accounts",
		"second statement behind a doubled quote", "SELECT 'it''s' ; DROP TABLE accounts",
		"second statement behind a comment mark in a string", "SELECT '--' ; DROP TABLE accounts",
		"second statement behind a comment start in a string", "SELECT '/*' ; DROP TABLE accounts -- '*/'",
		"second statement behind an empty one", "SELECT 1;; DELETE FROM accounts",
		"second statement behind an empty first one", "; DELETE FROM accounts",
		"second statement that reads", "SELECT 1; SELECT 2",
		"second statement behind a NUL", "SELECT 1\x00; DELETE FROM accounts",
		"second statement behind a carriage return in a comment", "SELECT 1 -- one\r; DELETE FROM accounts",
		"second statement behind a carriage return and a quote", "SELECT 1 -- '\r; DELETE FROM accounts -- '",
		"second statement behind a no-break space", "SELECT 1\u00A0; DELETE FROM accounts",
		"insert behind with", "WITH x AS (SELECT 1 AS n) INSERT INTO ledger SELECT n, 1, 1, 'x' FROM x",
		"update behind with", "WITH x AS (SELECT 1 AS n) UPDATE accounts SET balance = 0 WHERE id IN (SELECT n FROM x)",
		"delete behind with", "WITH x AS (SELECT 1 AS n) DELETE FROM accounts WHERE id IN (SELECT n FROM x)",
		"delete behind recursive with", "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) DELETE FROM accounts WHERE id IN (SELECT n FROM x)",
		"delete in a CTE", "WITH x AS (DELETE FROM accounts RETURNING id) SELECT * FROM x",
		"update in a second CTE", "WITH a AS (SELECT 1 AS n), b AS (UPDATE accounts SET balance = 0 RETURNING id) SELECT * FROM a, b",
		"insert in a CTE", "WITH x AS (INSERT INTO ledger VALUES (9, 1, 5, 'x') RETURNING id) SELECT * FROM x",
		"delete in a nested CTE", "WITH a AS (WITH b AS (DELETE FROM accounts RETURNING id) SELECT * FROM b) SELECT * FROM a",
		"delete in a sub-select", "SELECT * FROM (DELETE FROM accounts RETURNING id) AS x",
		"delete in an expression", "SELECT (DELETE FROM accounts RETURNING id)",
		"update in a sub-select", "SELECT * FROM (UPDATE accounts SET balance = 0 RETURNING id) AS x",
		"insert in exists", "SELECT 1 WHERE EXISTS (INSERT INTO ledger VALUES (9, 1, 5, 'x') RETURNING id)",
		"select into", "SELECT * INTO stolen FROM accounts",
		"select into behind a label", "SELECT id AS x INTO stolen FROM accounts",
		"select into behind a column named as", "SELECT a.as INTO stolen FROM accounts a",
		"explain delete", "EXPLAIN DELETE FROM accounts",
		"explain insert", "EXPLAIN INSERT INTO ledger VALUES (9, 1, 5, 'x')",
		"explain delete in a CTE", "EXPLAIN WITH x AS (DELETE FROM accounts RETURNING id) SELECT * FROM x",
		"begin", "BEGIN",
		"commit", "COMMIT",
		"rollback", "ROLLBACK",
		"savepoint", "SAVEPOINT stolen",
		"leave the transaction and write", "ROLLBACK; BEGIN; DELETE FROM accounts; COMMIT",
		"call", "CALL pay(1)",
		"execute", "EXECUTE stolen",
		"set", "SET x = 1",
		"grant", "GRANT ALL ON accounts TO PUBLIC",
	)
}

func sharedHarmless(d *dialect.Dialect) []Case {
	q := d.QuoteIdentifier
	short := "CAST(balance AS CHAR(10))"
	if native, ok := d.Types["text"]; ok && !known(d) {
		if cast, ok := d.Expand(dialect.Cast, map[string]string{"x": "balance", "type": native}); ok {
			short = cast
		}
	}
	cases := harmless(
		"select", "SELECT id, name FROM accounts",
		"trailing semicolon", "SELECT 1{from};",
		"trailing semicolon and comment", "SELECT 1{from}; -- done; DELETE FROM accounts",
		"leading comments", "-- DELETE FROM accounts\n/* DROP TABLE accounts */ SELECT 1{from}",
		"comment without space", "SELECT/**/id/**/FROM/**/accounts",
		"lower case", "select id from accounts",
		"white space", " \t\r\n SELECT\r\n\t1{from} \r\n",
		"quoted columns named like verbs", "SELECT "+strings.Join([]string{q("update"), q("delete"), q("into"), q("set"), q("call")}, ", ")+" FROM accounts",
		"quoted aliases named like verbs", "SELECT id AS "+q("insert")+", name AS "+q("drop")+", balance AS "+q("for update")+" FROM accounts",
		"quoted table named like a verb", "SELECT d.id, d."+q("for")+" FROM "+q("drop")+" d",
		"string with two statements", "SELECT '1; DELETE FROM accounts' AS note{from}",
		"string with quotes", "SELECT 'it''s; DROP TABLE accounts' AS note{from}",
		"string with a comment start", "SELECT '/*' AS a, '*/' AS b, '--' AS c{from}",
		"strings compared", "SELECT id FROM ledger WHERE note = 'deposit; insert into ledger'",
		"string with for update", "SELECT name FROM accounts WHERE name <> 'for update'",
		"function named like a verb", "SELECT REPLACE(name, 'a', 'b') AS x FROM accounts",
		"union", "SELECT id FROM accounts UNION ALL SELECT id FROM ledger ORDER BY 1",
		"sub-select", "SELECT * FROM (SELECT id, name FROM accounts) AS x",
		"scalar sub-select", "SELECT name, (SELECT COUNT(*) FROM ledger l WHERE l.account_id = a.id) AS n FROM accounts a",
		"exists", "SELECT name FROM accounts a WHERE EXISTS (SELECT 1 FROM ledger l WHERE l.account_id = a.id)",
		"in a sub-select", "SELECT name FROM accounts WHERE id IN (SELECT account_id FROM ledger)",
		"nested parentheses", "SELECT ((((1 + 2)))) AS n{from}",
		"case", "SELECT CASE WHEN balance > 0 THEN 'insert' ELSE 'delete' END AS x FROM accounts",
		"with", "WITH x AS (SELECT id FROM accounts) SELECT * FROM x",
		"with two", "WITH a AS (SELECT 1 AS n{from}), b AS (SELECT n + 1 AS m FROM a) SELECT * FROM a, b",
		"with columns", "WITH x (a, b) AS (SELECT id, name FROM accounts) SELECT a, b FROM x",
		"with a quoted name", "WITH "+q("delete")+" AS (SELECT 1 AS n{from}) SELECT n FROM "+q("delete"),
		"with a nested with", "WITH a AS (WITH b AS (SELECT 1 AS n{from}) SELECT n FROM b) SELECT n FROM a",
		"with in a sub-select", "SELECT * FROM (WITH b AS (SELECT 1 AS n{from}) SELECT n FROM b) AS x",
		"recursive with", "WITH RECURSIVE x(n) AS (SELECT 1{from} UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT n FROM x",
		"window", "SELECT id, SUM(amount) OVER (PARTITION BY account_id ORDER BY id) AS running FROM ledger",
		"group", "SELECT account_id, SUM(amount) AS total FROM ledger GROUP BY account_id HAVING SUM(amount) > 0",
		"join", "SELECT a.name, l.amount FROM accounts a LEFT JOIN ledger l ON l.account_id = a.id",
		"negative numbers", "SELECT 1 - -1 AS two, -2 AS minus{from}",
		"division and multiplication", "SELECT 6 / 2 * 3 AS n{from}",
		"cast", "SELECT "+short+" AS x FROM accounts",
		"concatenated look-alike", "SELECT 'DEL' || 'ETE FROM accounts' AS note{from}",
		"coalesce and nullif", "SELECT COALESCE(NULLIF(name, ''), 'insert into') AS x FROM accounts",
		"string with line breaks", "SELECT 'one\nDELETE FROM accounts;\n' AS note{from}",
		"letters beyond ASCII", "SELECT 'naïve café 東京 \u00A0 \u200B' AS note{from}",
		"order and alias", "SELECT name AS updated, balance AS inserted FROM accounts ORDER BY updated DESC",
		"names that contain verbs", "SELECT a.id AS created_at, a.name AS update_count, a.balance AS dropped FROM accounts a",
		"comment with quotes", "SELECT 1 /* it's \" fine ` */ AS n{from}",
		"line comment with quotes", "SELECT 1 -- it's \" fine `\n AS n{from}",
		"comment at the end", "SELECT 1 AS n{from} -- DELETE FROM accounts",
	)
	return cases
}
