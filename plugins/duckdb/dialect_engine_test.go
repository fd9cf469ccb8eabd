//go:build cgo

package duckdb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// What the conformance suite's portable values do not reach: letters beyond ASCII,
// fractions of an epoch, and integers too narrow for microseconds.
func TestFormsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Week), map[string]string{"x": "DATE '2024-05-13'"}, "2024-05-13"},
		{dialect.Contains, map[string]string{"x": "'100% Ädä'", "p": "'% äD'"}, "true"},
		{dialect.Like, map[string]string{"x": "'ada'", "p": `'A%'`}, "false"},
		{dialect.EpochSeconds, map[string]string{"x": "86400.5"}, "1970-01-02 00:00:00.5"},
		{dialect.EpochMillis, map[string]string{"x": "CAST(86400999 AS INTEGER)"}, "1970-01-02 00:00:00.999"},
	} {
		form, ok := d.Expand(c.form, c.args)
		if !ok {
			t.Errorf("%s is missing", c.form)
			continue
		}
		if got := column(t, db, "SELECT CAST("+form+" AS VARCHAR)"); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %s gives %q, want %q", c.form, form, got, c.want)
		}
	}
}

// Every word that must be quoted is marked so, and no other is called reserved.
func TestReservedWordsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	want := column(t, outside(t, "", ""), `SELECT upper(keyword_name) FROM duckdb_keywords()
		WHERE keyword_category IN ('reserved', 'type_function') ORDER BY 1`)
	for _, word := range want {
		if !slices.Contains(d.Reserved, word) {
			t.Errorf("%s is reserved and not listed", word)
		}
	}
	for _, word := range d.Reserved {
		if !slices.Contains(want, word) {
			t.Errorf("%s is listed and not reserved", word)
		}
	}
}

// FuzzGuardAgainstTheEngine puts statements together from pieces, some of which
// write, and runs what the guard accepts on a database that may be written, with
// a driver that runs every statement of a text: nothing may change. It finds text
// that the guard splits otherwise than DuckDB does.
func FuzzGuardAgainstTheEngine(f *testing.F) {
	pieces := []string{
		"SELECT ", "1", " ", ";", "DELETE FROM t", "; DELETE FROM t", "'", "''", `"`, "$$", "$a$", "[", "]", "(", ")", "--", "-- x\n",
		"\n", "\r", "\r\n", "/*", "*/", "/**/", "$1", "@", ":a", "?", "::", "{", "}", "x'", "X'00'", `\`, `\'`, "E'", "e'", "b'", "N'", "U&'", `U&"`, "#", "//",
		",", "a", " FROM t", " UNION ", "VALUES (1)", "WITH x AS (", "EXPLAIN ", "DESCRIBE ", "\uFEFF", "\u00A0", "\u200B", "\x00", "0x1", "1e", ".", "1_0",
		" AS ", "into", "é", "\v", "\f", "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DROP TABLE t", "FROM t ", "SUMMARIZE ", "PIVOT ", "->", "q'",
	}
	for _, seed := range [][]byte{{0, 1, 2}, {0, 6, 5, 6}, {0, 34, 32, 5}, {0, 9, 12, 5, 11}, {15, 18, 4}, {0, 20, 20, 21, 5, 21}, {0, 8, 36, 6, 5}} {
		f.Add(seed)
	}
	d := &duckdb.Dialects()[0]
	db := outside(f, "", "")
	for _, statement := range []string{"CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (7)"} {
		if _, err := db.ExecContext(f.Context(), statement); err != nil {
			f.Fatal(err)
		}
	}
	state := func(t testing.TB) string {
		return fmt.Sprint(column(t, db, "SELECT a FROM t"), column(t, db, "SELECT count(*) FROM duckdb_tables()"))
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
		if rows, err := db.QueryContext(t.Context(), b.String()); err == nil {
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
