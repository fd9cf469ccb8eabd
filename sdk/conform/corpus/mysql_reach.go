package corpus

// mysqlHiding hides writes as MySQL and MariaDB let a function do them: as its
// definer, whatever the caller may. {dsn} is the name of the database that it is
// set up in, and of a SERVER that leads to it.
func mysqlHiding() Hiding {
	return Hiding{
		Setup: []string{
			"CREATE TABLE vault (id INTEGER PRIMARY KEY, amount INTEGER) ENGINE = MyISAM",
			"INSERT INTO vault VALUES (1, 10)",
			"CREATE FUNCTION spill(n INTEGER) RETURNS INTEGER READS SQL DATA BEGIN SELECT n INTO OUTFILE '{tmp}'; RETURN n; END",
			"CREATE FUNCTION tune(n INTEGER) RETURNS INTEGER NO SQL BEGIN SET GLOBAL max_connections = 77; RETURN n; END",
			"CREATE PROCEDURE stop_somebody() BEGIN KILL USER nobody_of_that_name; END",
			"CREATE FUNCTION stops(n INTEGER) RETURNS INTEGER NO SQL BEGIN CALL stop_somebody(); RETURN n; END",
			"CREATE FUNCTION hoard(n INTEGER) RETURNS INTEGER MODIFIES SQL DATA BEGIN INSERT INTO vault VALUES (n, 0); RETURN n; END",
			"CREATE FUNCTION taxed(n INTEGER) RETURNS INTEGER DETERMINISTIC RETURN CASE WHEN n > 10 THEN n * 2 ELSE COALESCE(n, 0) END",
			"CREATE VIEW spilled AS SELECT id, spill(id) AS n FROM vault",
			"CREATE VIEW spilled_second AS SELECT 1 AS a, spill(7) AS n",
			"CREATE VIEW over_spilled AS SELECT COUNT(*) AS n FROM spilled",
			"CREATE VIEW tuned AS SELECT tune(1) AS n",
			"CREATE VIEW stopped AS SELECT stops(1) AS n",
			"CREATE VIEW hoarding AS SELECT id, hoard(9) AS n FROM vault",
			"CREATE VIEW read_file AS SELECT LOAD_FILE('/etc/hostname') AS n",
			"CREATE VIEW taxes AS SELECT id, taxed(amount) AS tax FROM vault",
			"CREATE TABLE elsewhere (id INTEGER, n INTEGER) ENGINE = FEDERATED CONNECTION = '{dsn}/hoarding'",
			"CREATE VIEW from_elsewhere AS SELECT MAX(n) AS n FROM elsewhere",
		},
		Reread: []string{
			"SELECT * FROM {dsn}.vault ORDER BY id",
			"SELECT @@global.max_connections",
		},
		Statements: []Hidden{
			{Name: "view of a function that writes a file", SQL: "SELECT * FROM {dsn}.spilled", Behind: BehindView, Path: []string{"view", "spilled", "spill", "OUTFILE"}},
			{Name: "view of a function in a later column", SQL: "SELECT * FROM {dsn}.spilled_second", Behind: BehindView, Path: []string{"view", "spilled_second", "spill", "OUTFILE"}},
			{Name: "view of a view", SQL: "SELECT n FROM {dsn}.over_spilled", Behind: BehindView, Path: []string{"over_spilled", "view", "spilled", "spill"}},
			{Name: "view in a subquery", SQL: "SELECT id FROM accounts WHERE id IN (SELECT n FROM {dsn}.`tuned`)", Behind: BehindView, Path: []string{"tuned", "tune", "SET GLOBAL"}},
			{Name: "explain of a view", SQL: "EXPLAIN SELECT * FROM {dsn}.tuned", Behind: BehindView, Path: []string{"tuned", "tune"}},
			{Name: "view in a condition of show", SQL: "SHOW TABLES WHERE (SELECT n FROM {dsn}.tuned) = 1", Behind: BehindView, Path: []string{"tuned", "tune"}},
			{Name: "view of a function that reads a file", SQL: "SELECT n FROM {dsn}.read_file", Behind: BehindView, Path: []string{"read_file", "load_file"}},
			{Name: "function that calls a procedure", SQL: "SELECT * FROM {dsn}.stopped", Behind: BehindFunction, Path: []string{"stopped", "stops", "stop_somebody", "KILL USER"}},
			{Name: "function by name", SQL: "SELECT {dsn}.spill(7)", Behind: BehindFunction, Path: []string{"spill", "OUTFILE"}},
			{Name: "function that writes a row", SQL: "SELECT {dsn}.hoard(7)", Behind: BehindFunction},
			{Name: "view that writes a row", SQL: "SELECT * FROM {dsn}.hoarding", Behind: BehindView},
			{Name: "federated table", SQL: "SELECT * FROM {dsn}.elsewhere", Behind: BehindForeignTable, Path: []string{"foreign table", "elsewhere"}},
			{Name: "view of a federated table", SQL: "SELECT * FROM {dsn}.from_elsewhere", Behind: BehindForeignTable, Path: []string{"from_elsewhere", "elsewhere"}},
			{Name: "view of an ordinary function", SQL: "SELECT SUM(tax) FROM {dsn}.taxes", Harmless: true},
			{Name: "names that look so", SQL: "SELECT spill.id AS tuned, 'SELECT * FROM spilled' AS spilled FROM {dsn}.vault AS spill", Harmless: true},
		},
	}
}
