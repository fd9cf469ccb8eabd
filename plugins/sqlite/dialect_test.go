package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectIsValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(sqlite.Dialects()); err != nil {
		t.Error(err)
	}
}

// memory opens a database that may be written, in memory, around the connector.
func memory(t testing.TB, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// column returns the first column of a query's rows as text, NULL as "NULL".
func column(t testing.TB, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var all []string
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		if v == nil {
			v = "NULL"
		}
		all = append(all, fmt.Sprint(v))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// What the conformance suite's portable values do not reach: text with fractions of
// a second, which a TEXT column may hold, and offsets before Greenwich.
func TestFormsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	db := memory(t)
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Second), map[string]string{"x": "'2024-05-15 13:14:15.678'"}, "2024-05-15 13:14:15"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "'2024-05-13'"}, "2024-05-13"},
		{dialect.ToUTC, map[string]string{"x": "'2024-05-15'", "zone": "'-05:30'"}, "2024-05-15 05:30:00"},
		{dialect.InstantToZone, map[string]string{"x": "'2024-05-15T13:14:15Z'", "zone": "'-01:00'"}, "2024-05-15 12:14:15"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Berlin'"}, "NULL"},
		{dialect.EpochMillis, map[string]string{"x": "86400999"}, "1970-01-02 00:00:00"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15.5+01:00'"}, "2024-05-15 12:14:15"},
	} {
		text, ok := d.Expand(c.form, c.args)
		if !ok {
			t.Errorf("%s is missing", c.form)
			continue
		}
		if got := column(t, db, "SELECT "+text); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: SELECT %s gives %q, want %q", c.form, text, got, c.want)
		}
	}
}

// FuzzGuardAgainstTheEngine puts statements together from pieces, some of which
// write, and runs what the guard accepts on a database that may be written, with
// a driver that runs every statement of a text: nothing may change. It finds text
// that the guard splits otherwise than SQLite does.
func FuzzGuardAgainstTheEngine(f *testing.F) {
	pieces := []string{
		"SELECT ", "1", " ", ";", "DELETE FROM t", "; DELETE FROM t", "'", "''", `"`, "`", "[", "]", "]]", "(", ")", "--", "-- x\n",
		"\n", "\r", "\r\n", "/*", "*/", "/**/", "$a", "@a", ":a", "?1", "::", "(')", "x'", "X'00'", `\`, `\'`, "E'", "$$", "$t$", "#", "//",
		",", "a", " FROM t", " UNION ", "VALUES (1)", "WITH x AS (", ")", "EXPLAIN ", "\uFEFF", "\u00A0", "\x00", "0x1", "1e", ".", "1.",
		" AS ", "into", "é", "\v", "\f", "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DROP TABLE t", "PRAGMA user_version = 9",
	}
	for _, seed := range [][]byte{{0, 1, 2}, {0, 6, 5, 6}, {0, 23, 28, 5}, {0, 9, 12, 5, 11}, {15, 18, 4}, {0, 20, 20, 21, 5, 21}} {
		f.Add(seed)
	}
	d := &sqlite.Dialects()[0]
	db := memory(f, "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
	state := func(t testing.TB) string {
		return fmt.Sprint(column(t, db, "SELECT a FROM t"), column(t, db, "SELECT sql FROM sqlite_master"), column(t, db, "SELECT user_version FROM pragma_user_version"))
	}
	want := state(f)
	f.Fuzz(func(t *testing.T, picks []byte) {
		var b strings.Builder
		for _, p := range picks[:min(len(picks), 40)] {
			b.WriteString(pieces[int(p)%len(pieces)])
		}
		if readonly.Check(b.String(), d) != nil {
			return
		}
		if rows, err := db.QueryContext(t.Context(), b.String(), 1, 2, 3); err == nil {
			for rows.Next() {
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				t.Log(err)
			}
		}
		if got := state(t); got != want {
			t.Fatalf("%q is accepted and changes %s to %s", b.String(), want, got)
		}
	})
}

// The guard alone decides every case of the corpus rightly.
func TestGuardOnTheCorpus(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	for _, c := range corpus.For(d) {
		err := readonly.Check(c.SQL, d)
		switch {
		case c.Harmless && err != nil:
			t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
		case c.Guard && err == nil:
			t.Errorf("%s: %q is accepted", c.Name, c.SQL)
		}
	}
}
