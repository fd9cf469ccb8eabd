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
	// NeedsFile: the account may write files, and the server lets it (MySQL's
	// privilege FILE and secure_file_priv).
	NeedsFile = "file"
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
	cases, _ := written(d)
	return cases
}

// Unsaid returns the names of the harmless cases that For leaves out because the dialect
// has no words for them: a comment of a kind that it does not have, a name that is too
// long.
func Unsaid(d *dialect.Dialect) []string {
	_, unsaid := written(d)
	return unsaid
}

// written returns the cases in the words of a dialect.
func written(d *dialect.Dialect) (cases []Case, unsaid []string) {
	f := families[d.Name]
	keep := func(all []Case) {
		for _, c := range all {
			if c.Harmless {
				var ok bool
				if c, ok = said(c, d); !ok {
					unsaid = append(unsaid, c.Name)
					continue
				}
			}
			cases = append(cases, c)
		}
	}
	keep(shared(d))
	for i := range cases {
		cases[i].MinVersion = f.since[cases[i].Name]
	}
	if f.cases != nil {
		cases = append(cases, f.cases(d)...)
	}
	similar, long := disguised(d, cases)
	keep(similar)
	return cases, append(unsaid, long...)
}

// known reports whether the package has cases of an engine's own.
func known(d *dialect.Dialect) bool { _, ok := families[d.Name]; return ok }

// Setup returns the statements that make the fixture in an empty database, for
// an account that may write. An unknown family gets the tables alone.
func Setup(d *dialect.Dialect) []string {
	f, known := families[d.Name]
	if !known {
		return standard.tables(d)
	}
	return append(f.style.tables(d), f.setup(d)...)
}

// Reread returns the queries whose rows must not change.
func Reread(d *dialect.Dialect) []string {
	queries := []string{
		"SELECT * FROM accounts ORDER BY id",
		"SELECT * FROM ledger ORDER BY id",
		"SELECT * FROM " + d.QuoteIdentifier("drop") + " ORDER BY id",
	}
	if reread := families[d.Name].reread; reread != nil {
		queries = append(queries, reread(d)...)
	}
	return queries
}

// disguised returns look-alikes of attacks: their text where it is no SQL. long are
// those whose text is longer than a name may be.
func disguised(d *dialect.Dialect, cases []Case) (all []Case, long []string) {
	add := func(name, sql string) { all = append(all, Case{Name: name, SQL: sql, Harmless: true}) }
	const longest = 60
	for _, c := range cases {
		if c.Harmless {
			continue
		}
		add(c.Name+" in a string", "SELECT "+d.QuoteString(c.SQL)+" AS note{from}")
		if !strings.ContainsAny(c.SQL, "\x00\r") {
			add(c.Name+" in line comments", "SELECT 1 AS n{from} -- "+strings.ReplaceAll(c.SQL, "\n", "\n-- "))
		}
		if !strings.Contains(c.SQL, "/*") && !strings.Contains(c.SQL, "*/") && !strings.Contains(c.SQL, "\x00") {
			add(c.Name+" in a comment", "SELECT 1 /* "+c.SQL+" */ AS n{from}")
		}
		name := d.QuoteIdentifier(c.SQL)
		escapes := d.Identifier.Backslash && strings.Contains(name, `\`) // which the guard refuses in a name
		if len(c.SQL) > longest || strings.ContainsAny(c.SQL, "\x00\r\n]{") || escapes {
			continue
		}
		if d.MaxIdentifierBytes > 0 && len(c.SQL) > d.MaxIdentifierBytes {
			long = append(long, c.Name+" as an alias")
			continue
		}
		add(c.Name+" as an alias", "SELECT 1 AS "+name+"{from}")
	}
	return all, long
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
