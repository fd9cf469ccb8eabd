package corpus

// clickhouseHiding hides what leaves a server of every version. {dsn} is the
// database that it is set up in, {tmp} the address of a web server that counts
// who asks it.
func clickhouseHiding() Hiding {
	return Hiding{
		Setup: []string{
			"CREATE TABLE {dsn}.hid_url (a String) ENGINE = URL('{tmp}/x', 'TSV')",
			"CREATE VIEW {dsn}.hid_view AS SELECT a FROM {dsn}.hid_url",
			"CREATE VIEW {dsn}.hid_function AS SELECT * FROM url('{tmp}/x', 'TSV', 'a String')",
			"CREATE TABLE {dsn}.hid_merge (a String) ENGINE = Merge('{dsn}', '^hid_url$')",
			"CREATE TABLE {dsn}.hid_log (n Int32) ENGINE = Log",
			"INSERT INTO {dsn}.hid_log VALUES (1)",
			"CREATE MATERIALIZED VIEW {dsn}.hid_kept (a String) ENGINE = URL('{tmp}/x', 'TSV') AS SELECT toString(n) AS a FROM {dsn}.hid_log WHERE 0",
			"CREATE TABLE {dsn}.rows_local (url String, file String) ENGINE = Log",
			"CREATE VIEW {dsn}.hid_local AS SELECT r.url, r.file FROM {dsn}.rows_local AS r",
			"CREATE VIEW {dsn}.hid_plain AS SELECT n, upper('hid_url') AS u FROM {dsn}.hid_log",
		},
		Reread: []string{"SELECT n FROM {dsn}.hid_log"},
		Statements: []Hidden{
			{Name: "table of another server", SQL: "SELECT * FROM {dsn}.hid_url", Behind: BehindForeignTable, Path: []string{"foreign table", "hid_url", "engine URL"}},
			{Name: "table behind in", SQL: "SELECT 1 WHERE 'x' IN {dsn}.hid_url", Behind: BehindForeignTable, Path: []string{"foreign table", "hid_url"}},
			{Name: "table in parentheses", SQL: "SELECT 1 WHERE 'x' IN (({dsn}.hid_url))", Behind: BehindForeignTable, Path: []string{"foreign table", "hid_url"}},
			{Name: "table as an argument", SQL: "SELECT notIn('x', {dsn}.hid_url)", Behind: BehindForeignTable, Path: []string{"foreign table", "hid_url"}},
			{Name: "materialized view elsewhere", SQL: "SELECT a FROM {dsn}.hid_kept", Behind: BehindView, Path: []string{"hid_kept", "engine URL"}},
			{Name: "merge of such a table", SQL: "SELECT a FROM {dsn}.hid_merge", Behind: BehindForeignTable, Path: []string{"hid_merge", "hid_url"}},
			{Name: "view of such a table", SQL: "SELECT a FROM (SELECT a FROM {dsn}.hid_view)", Behind: BehindView, Path: []string{"view", "hid_view", "hid_url"}},
			{Name: "view of a table function", SQL: "SELECT * FROM {dsn}.hid_function", Behind: BehindFunction, Path: []string{"view", "hid_function", "url"}},
			{Name: "view of an ordinary table", SQL: "SELECT sum(n) FROM {dsn}.hid_plain", Harmless: true},
			{Name: "view of names like functions", SQL: "SELECT url, file FROM {dsn}.hid_local", Harmless: true},
			{Name: "names that look so", SQL: "SELECT n AS hid_url, 'SELECT * FROM hid_view' AS hid_view FROM {dsn}.hid_log", Harmless: true},
		},
	}
}
