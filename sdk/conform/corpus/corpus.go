// Package corpus is the attack corpus as data: statements that try to change
// something through a reader, each with look-alikes that only read and must run.
//
// A connector's tests run it twice. With the guard, every case with Guard is
// refused and every harmless one runs. Without the guard, the engine's own
// mechanism must hold: whatever an attack answers, the rows that Reread returns
// are the same afterwards and no file appears in the folder of Tmp.
package corpus

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Placeholders in Case.SQL, to be replaced with Case.Statement.
const (
	// Tmp is a path in an empty folder; nothing may ever appear there.
	Tmp = "{tmp}"
	// DSN is a libpq connection string with password, of an account that may
	// write, to the same server.
	DSN = "{dsn}"
)

// What an attack needs to take effect at all, for Case.Needs.
const (
	// NeedsSuperuser: other accounts are refused by their privileges.
	NeedsSuperuser = "superuser"
	// NeedsDBLink: the extension dblink must be installed.
	NeedsDBLink = "dblink"
)

// Case is one statement.
type Case struct {
	// Name is unique within a dialect's cases.
	Name string
	SQL  string
	// Harmless: the statement reads, runs on the fixture, and passes the guard.
	// All others are attacks.
	Harmless bool
	// Guard: the guard alone must refuse the attack. The others look like reads,
	// and only the engine can tell.
	Guard bool
	// Needs says what an attack needs to take effect, or "".
	Needs string
	// MinVersion of the server, or "".
	MinVersion string
}

// Statement returns the SQL with its placeholders replaced.
func (c Case) Statement(tmp, dsn string) string {
	return strings.NewReplacer(Tmp, tmp, DSN, dsn).Replace(c.SQL)
}

// For returns the cases for an engine: the shared ones, its own if its family is
// known here, and for each attack the look-alikes that carry its text in a
// string, in a comment and in a quoted name.
func For(d *dialect.Dialect) []Case {
	cases := shared(d)
	switch d.Name {
	case "sqlite":
		cases = append(cases, sqlite()...)
	case "postgres":
		cases = append(cases, postgres()...)
	}
	return append(cases, disguised(d, cases)...)
}

// Setup returns the statements that make the fixture in an empty database, for
// an account that may write. An unknown family gets the tables alone.
func Setup(d *dialect.Dialect) []string {
	statements := tables(d)
	switch d.Name {
	case "sqlite":
		statements = append(statements, sqliteSetup()...)
	case "postgres":
		statements = append(statements, postgresSetup()...)
	}
	return statements
}

// Reread returns the queries whose rows must not change.
func Reread(d *dialect.Dialect) []string {
	queries := []string{
		"SELECT * FROM accounts ORDER BY id",
		"SELECT * FROM ledger ORDER BY id",
	}
	switch d.Name {
	case "sqlite":
		queries = append(queries,
			"SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name",
			"SELECT name, file FROM pragma_database_list ORDER BY name",
			"SELECT user_version FROM pragma_user_version",
			"SELECT query_only FROM pragma_query_only",
			"SELECT body FROM notes ORDER BY rowid")
	case "postgres":
		queries = append(queries,
			"SELECT relkind, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1, 2",
			"SELECT last_value, is_called FROM ledger_id_seq",
			"SELECT * FROM account_totals ORDER BY name",
			"SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
			"SELECT oid FROM pg_largeobject_metadata ORDER BY 1",
			"SELECT rolname FROM pg_roles ORDER BY 1",
			"SELECT obj_description('accounts'::regclass)",
			"SELECT slot_name FROM pg_replication_slots ORDER BY 1",
			"SELECT name, setting FROM pg_settings WHERE name IN ('transaction_read_only', 'default_transaction_read_only', 'statement_timeout', 'role', 'session_authorization') ORDER BY 1",
			"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
			"SELECT count(*) FROM pg_listening_channels()",
			"SELECT name FROM pg_prepared_statements WHERE name = 'stolen'",
			"SELECT name FROM pg_cursors WHERE is_holdable")
	}
	return queries
}

// tables are the fixture that every engine has: columns and a table whose names
// are keywords, and a few rows.
func tables(d *dialect.Dialect) []string {
	q := d.QuoteIdentifier
	return []string{
		"CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, balance INTEGER NOT NULL, " +
			q("update") + " VARCHAR(40), " + q("delete") + " INTEGER, " + q("into") + " VARCHAR(40), " +
			q("set") + " INTEGER, " + q("call") + " INTEGER)",
		"CREATE TABLE ledger (id INTEGER NOT NULL PRIMARY KEY, account_id INTEGER NOT NULL, amount INTEGER NOT NULL, note VARCHAR(80))",
		"CREATE TABLE " + q("drop") + " (id INTEGER, " + q("for") + " VARCHAR(40))",
		"INSERT INTO accounts VALUES (1, 'Ada', 120, 'yes', 0, 'a', 7, 1)",
		"INSERT INTO accounts VALUES (2, 'Grace', 80, 'no', 1, 'b', 8, 2)",
		"INSERT INTO accounts VALUES (3, 'Edsger', 0, NULL, 0, 'c', 9, 3)",
		"INSERT INTO ledger VALUES (1, 1, 120, 'deposit; insert into ledger')",
		"INSERT INTO ledger VALUES (2, 2, 100, 'deposit')",
		"INSERT INTO ledger VALUES (3, 2, -20, 'drop table fee')",
		"INSERT INTO " + q("drop") + " VALUES (1, 'update')",
	}
}

// disguised returns look-alikes of attacks: their text where it is no SQL.
func disguised(d *dialect.Dialect, cases []Case) []Case {
	var all []Case
	add := func(name, sql string) { all = append(all, Case{Name: name, SQL: sql, Harmless: true}) }
	for _, c := range cases {
		if c.Harmless {
			continue
		}
		add(c.Name+" in a string", "SELECT "+d.QuoteString(c.SQL)+" AS note")
		if !strings.ContainsAny(c.SQL, "\x00\r") {
			add(c.Name+" in line comments", "SELECT 1 AS n -- "+strings.ReplaceAll(c.SQL, "\n", "\n-- "))
		}
		if !strings.Contains(c.SQL, "/*") && !strings.Contains(c.SQL, "*/") && !strings.Contains(c.SQL, "\x00") {
			add(c.Name+" in a comment", "SELECT 1 /* "+c.SQL+" */ AS n")
		}
		if len(c.SQL) <= 60 && !strings.ContainsAny(c.SQL, "\x00\r\n]{") {
			add(c.Name+" as an alias", "SELECT 1 AS "+d.QuoteIdentifier(c.SQL))
		}
	}
	return all
}

// attacks makes cases that the guard must refuse.
func attacks(needs string, named ...string) []Case {
	cases := make([]Case, 0, len(named)/2)
	for i := 0; i+1 < len(named); i += 2 {
		cases = append(cases, Case{Name: named[i], SQL: named[i+1], Guard: true, Needs: needs})
	}
	return cases
}

// harmless makes cases that read.
func harmless(named ...string) []Case {
	cases := make([]Case, 0, len(named)/2)
	for i := 0; i+1 < len(named); i += 2 {
		cases = append(cases, Case{Name: named[i], SQL: named[i+1], Harmless: true})
	}
	return cases
}
