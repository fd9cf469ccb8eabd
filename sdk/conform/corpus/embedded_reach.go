package corpus

// duckdbHiding hides what DuckDB's own fences or the connector's look at macros
// and views stop. Macros have no tables that a scan would show.
func duckdbHiding() Hiding {
	return Hiding{
		Setup: []string{
			"CREATE MACRO hid_file() AS TABLE SELECT * FROM read_text('/etc/hostname')",
			"CREATE MACRO hid_scalar() AS (SELECT max(content) FROM read_text('/etc/hostname'))",
			"CREATE MACRO hid_copy(name) AS TABLE SELECT * FROM query(name)",
			"CREATE MACRO hid_next() AS nextval('ledger_id_seq')",
			"CREATE MACRO hid_over(n) AS hid_next() + n",
			"CREATE MACRO hid_log() AS write_log('{tmp}')",
			"CREATE MACRO hid_tax(n) AS n * 2 + length('nextval')",
		},
		Reread: []string{"SELECT * FROM duckdb_sequences() ORDER BY ALL"},
		Statements: []Hidden{
			{Name: "view that advances a sequence", SQL: "SELECT * FROM next_id", Behind: BehindView},
			{Name: "macro that advances a sequence", SQL: "SELECT hid_next()", Behind: BehindMacro},
			{Name: "macro of a macro", SQL: "SELECT hid_over(1)", Behind: BehindMacro},
			{Name: "macro that reads a file", SQL: "FROM hid_file()", Behind: BehindMacro},
			{Name: "scalar macro that reads a file", SQL: "SELECT hid_scalar()", Behind: BehindMacro},
			{Name: "macro that runs SQL", SQL: "FROM hid_copy('COPY accounts TO ''{tmp}''')", Behind: BehindMacro},
			{Name: "macro that writes a log", SQL: "SELECT hid_log()", Behind: BehindMacro},
			{Name: "ordinary macro", SQL: "SELECT hid_tax(balance) FROM accounts", Harmless: true},
			{Name: "names that look so", SQL: "SELECT 'hid_next()' AS s, id AS hid_tax FROM accounts", Harmless: true},
		},
	}
}

// sqliteHiding hides little: a view that SQLite finds unsafe cannot be listed with
// its columns, which other checks of a fixture do. The connector's own tests have
// such views in databases of their own.
func sqliteHiding() Hiding {
	return Hiding{
		Setup: []string{
			"CREATE VIEW hid_plain AS SELECT upper(name) AS name FROM accounts",
			"CREATE TRIGGER hid_trigger INSTEAD OF INSERT ON hid_plain BEGIN DELETE FROM accounts; END",
		},
		Statements: []Hidden{
			{Name: "write to a view with a trigger", SQL: "INSERT INTO hid_plain VALUES ('x')", Behind: BehindViewTrigger},
			{Name: "view with a trigger", SQL: "SELECT * FROM hid_plain", Harmless: true},
		},
	}
}
