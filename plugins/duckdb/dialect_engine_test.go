//go:build cgo

package duckdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// text makes an expression's value text in the engine, so that no driver's idea
// of it gets in between.
func text(expression string) string { return "SELECT CAST(" + expression + " AS VARCHAR)" }

// The templates are what the engine understands, and give what they promise.
func TestFormsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	const x = "TIMESTAMP '2024-05-15 13:14:15'" // a Wednesday
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Second), map[string]string{"x": "TIMESTAMP '2024-05-15 13:14:15.678'"}, "2024-05-15 13:14:15"},
		{dialect.Trunc(dialect.Minute), map[string]string{"x": x}, "2024-05-15 13:14:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": x}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": x}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "DATE '2024-05-13'"}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "TIMESTAMP '2024-05-19 23:59:59'"}, "2024-05-13"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": x}, "2024-05-01"},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": x}, "2024-04-01"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": x}, "2024-01-01"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": "CAST(NULL AS TIMESTAMP)"}, "NULL"},
		{dialect.Add(dialect.Second), map[string]string{"x": x, "n": "50"}, "2024-05-15 13:15:05"},
		{dialect.Add(dialect.Minute), map[string]string{"x": x, "n": "-15"}, "2024-05-15 12:59:15"},
		{dialect.Add(dialect.Hour), map[string]string{"x": x, "n": "11"}, "2024-05-16 00:14:15"},
		{dialect.Add(dialect.Day), map[string]string{"x": "DATE '2024-02-28'", "n": "2"}, "2024-03-01"},
		{dialect.Add(dialect.Week), map[string]string{"x": "DATE '2024-05-13'", "n": "-1"}, "2024-05-06"},
		{dialect.Add(dialect.Month), map[string]string{"x": "DATE '2024-01-01'", "n": "-1"}, "2023-12-01"},
		{dialect.Add(dialect.Quarter), map[string]string{"x": "DATE '2024-10-01'", "n": "2"}, "2025-04-01"},
		{dialect.Add(dialect.Year), map[string]string{"x": "DATE '2024-01-01'", "n": "-24"}, "2000-01-01"},
		{dialect.Cast, map[string]string{"x": "'12'", "type": d.Types["int64"]}, "12"},
		{dialect.TryCast, map[string]string{"x": "'twelve'", "type": d.Types["int64"]}, "NULL"},
		{dialect.True, nil, "true"},
		{dialect.False, nil, "false"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "2"}, "0.5"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "0"}, "NULL"},
		{dialect.NullSafeEqual, map[string]string{"a": "NULL", "b": "NULL"}, "true"},
		{dialect.NullSafeEqual, map[string]string{"a": "1", "b": "NULL"}, "false"},
		{dialect.Contains, map[string]string{"x": "'100% Ädä'", "p": "'% äD'"}, "true"},
		{dialect.Contains, map[string]string{"x": "'Ada'", "p": "'%'"}, "false"},
		{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "'aD'"}, "true"},
		{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "''"}, "true"},
		{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "'DA'"}, "true"},
		{dialect.EndsWith, map[string]string{"x": "'da'", "p": "'ada'"}, "false"},
		{dialect.ILike, map[string]string{"x": "'Ada_1'", "p": `'aDA\__'`}, "true"},
		{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'A%\_1'`}, "true"},
		{dialect.Like, map[string]string{"x": "'ada'", "p": `'A%'`}, "false"},
		{dialect.ToZone, map[string]string{"x": x, "zone": "'Europe/Berlin'"}, "2024-05-15 15:14:15"},
		{dialect.ToUTC, map[string]string{"x": x, "zone": "'Europe/Berlin'"}, "2024-05-15 11:14:15"},
		{dialect.InstantToZone, map[string]string{"x": "TIMESTAMPTZ '2024-05-15 13:14:15Z'", "zone": "'America/New_York'"}, "2024-05-15 09:14:15"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Berlin'"}, "Europe/Berlin"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Nowhere/Land'"}, "NULL"},
		{dialect.EpochSeconds, map[string]string{"x": "86400.5"}, "1970-01-02 00:00:00.5"},
		{dialect.EpochSeconds, map[string]string{"x": "2000000000"}, "2033-05-18 03:33:20"},
		{dialect.EpochMillis, map[string]string{"x": "CAST(86400999 AS INTEGER)"}, "1970-01-02 00:00:00.999"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15.5+01:00'"}, "2024-05-15 12:14:15.5"},
	} {
		form, ok := d.Expand(c.form, c.args)
		if !ok {
			t.Errorf("%s is missing", c.form)
			continue
		}
		if got := column(t, db, text(form)); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %s gives %q, want %q", c.form, form, got, c.want)
		}
	}
	now, _ := d.Expand(dialect.Now, nil)
	if got := column(t, db, "SELECT typeof("+now+")"); got[0] != "TIMESTAMP" {
		t.Errorf("%s is a %s", now, got[0])
	}
}

func TestSetFormsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	const rows = "(VALUES (1), (2), (2), (NULL)) n(x)"
	for form, want := range map[dialect.Form]string{
		dialect.AscNullsLast: "1 2 2 NULL", dialect.AscNullsFirst: "NULL 1 2 2", dialect.DescNullsLast: "2 2 1 NULL", dialect.DescNullsFirst: "NULL 2 2 1",
	} {
		key, _ := d.Expand(form, map[string]string{"x": "x"})
		if got := strings.Join(column(t, db, "SELECT x FROM "+rows+" ORDER BY "+key), " "); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	for _, direction := range []string{"ASC", "DESC"} {
		if got := column(t, db, "SELECT x FROM "+rows+" ORDER BY x "+direction); got[3] != "NULL" {
			t.Errorf("%s sorts NULL elsewhere than last: %q", direction, got)
		}
	}
	for form, want := range map[dialect.Form]string{
		dialect.Sum: "5", dialect.Avg: "1.6666666666666667", dialect.Count: "3", dialect.CountDistinct: "2", dialect.ApproxDistinct: "2", dialect.Min: "1",
		dialect.Max: "2", dialect.Median: "2.0", dialect.Percentile: "1.5", dialect.StringAgg: "1-2-2",
	} {
		call, _ := d.Expand(form, map[string]string{"x": "x", "sep": "'-'", "p": "0.25"})
		if got := column(t, db, text(call)+" FROM "+rows); got[0] != want {
			t.Errorf("%s: %s gives %s, want %s", form, call, got[0], want)
		}
	}
	if sum, _ := d.Expand(dialect.Sum, map[string]string{"x": "x"}); column(t, db, text(sum)+" FROM "+rows+" WHERE false")[0] != "NULL" {
		t.Errorf("%s of no rows is not NULL", sum)
	}
	inline, _ := d.Expand(dialect.Inline, map[string]string{"rows": "(1, 'a'), (2, 'b')", "name": "v", "columns": "id, label"})
	if diff := cmp.Diff([]string{"a", "b"}, column(t, db, "SELECT v.label FROM "+inline+" ORDER BY v.id")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", inline, diff)
	}
	sample, _ := d.Expand(dialect.Sample, map[string]string{"table": "range(1000)", "percent": "100"})
	if got := column(t, db, "SELECT count(*) FROM "+sample); got[0] != "1000" {
		t.Errorf("%s has %s rows, want 1000", sample, got[0])
	}
	hash, _ := d.Expand(dialect.HashOrder, map[string]string{"x": "i"})
	if got := column(t, db, "SELECT i FROM range(9) t(i) ORDER BY "+hash); len(got) != 9 || slices.IsSorted(got) {
		t.Errorf("%s orders %q", hash, got)
	}
}

func TestSpinesOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	for grain, c := range map[dialect.Grain]struct {
		from, to string
		want     []string
	}{
		dialect.Second:  {"2024-12-31 23:59:59", "2025-01-01 00:00:01", []string{"2024-12-31 23:59:59", "2025-01-01 00:00:00", "2025-01-01 00:00:01"}},
		dialect.Minute:  {"2024-12-31 23:59:00", "2025-01-01 00:00:00", []string{"2024-12-31 23:59:00", "2025-01-01 00:00:00"}},
		dialect.Hour:    {"2024-12-31 23:00:00", "2025-01-01 00:00:00", []string{"2024-12-31 23:00:00", "2025-01-01 00:00:00"}},
		dialect.Day:     {"2024-02-28", "2024-03-01", []string{"2024-02-28", "2024-02-29", "2024-03-01"}},
		dialect.Week:    {"2024-12-23", "2025-01-06", []string{"2024-12-23", "2024-12-30", "2025-01-06"}},
		dialect.Month:   {"2024-11-01", "2025-01-01", []string{"2024-11-01", "2024-12-01", "2025-01-01"}},
		dialect.Quarter: {"2024-10-01", "2025-04-01", []string{"2024-10-01", "2025-01-01", "2025-04-01"}},
		dialect.Year:    {"2024-01-01", "2024-01-01", []string{"2024-01-01"}},
	} {
		typ := "DATE"
		if strings.Contains(c.from, " ") {
			typ = "TIMESTAMP"
		}
		literal := func(s string) string { return typ + " '" + s + "'" }
		periods := func(from, to string) []string {
			spine, _ := d.Expand(dialect.Spine(grain), map[string]string{"from": literal(from), "to": literal(to)})
			return column(t, db, "SELECT CAST(period AS VARCHAR) FROM ("+spine+")")
		}
		if diff := cmp.Diff(c.want, periods(c.from, c.to)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grain, diff)
		}
		if got := periods("2025-06-01", "2024-01-01"); len(got) != 0 {
			t.Errorf("%s backwards has periods: %q", grain, got)
		}
	}
}

func TestTypesOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	for logical, native := range d.Types {
		if got := column(t, db, "SELECT CAST(NULL AS "+native+")"); got[0] != "NULL" {
			t.Errorf("%s: a NULL of %s is %s", logical, native, got[0])
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

func TestFunctionsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	db := outside(t, "", "")
	const day, at = "DATE '2024-05-15'", "TIMESTAMP '2024-05-15 13:14:15.9'"
	for _, c := range []struct {
		function string
		args     []string
		want     string
	}{
		{"abs", []string{"-2"}, "2"},
		{"ceil", []string{"1.2"}, "2"},
		{"floor", []string{"-1.2"}, "-2"},
		{"sign", []string{"-3"}, "-1"},
		{"coalesce", []string{"NULL", "NULL", "3"}, "3"},
		{"nullif", []string{"1", "1"}, "NULL"},
		{"concat", []string{"'a'", "1", "'b'"}, "a1b"},
		{"lower", []string{"'Ä'"}, "ä"},
		{"upper", []string{"'ä'"}, "Ä"},
		{"exp", []string{"0"}, "1.0"},
		{"ln", []string{"1"}, "0.0"},
		{"sqrt", []string{"9"}, "3.0"},
		{"power", []string{"2", "3"}, "8.0"},
		{"mod", []string{"7", "3"}, "1"},
		{"round", []string{"2.5"}, "3"},
		{"round", []string{"2.345", "2"}, "2.35"},
		{"greatest", []string{"1", "3", "2"}, "3"},
		{"least", []string{"1", "3", "2"}, "1"},
		{"left", []string{"'abc'", "2"}, "ab"},
		{"right", []string{"'abc'", "2"}, "bc"},
		{"right", []string{"'abc'", "9"}, "abc"},
		{"length", []string{"'äb'"}, "2"},
		{"strpos", []string{"'äbc'", "'c'"}, "3"},
		{"strpos", []string{"'abc'", "'x'"}, "0"},
		{"substring", []string{"'abcd'", "2"}, "bcd"},
		{"substring", []string{"'abcd'", "2", "2"}, "bc"},
		{"replace", []string{"'aba'", "'a'", "'x'"}, "xbx"},
		{"split_part", []string{"'a-b-c'", "'-'", "2"}, "b"},
		{"trim", []string{"' a '"}, "a"},
		{"ltrim", []string{"'  a'"}, "a"},
		{"rtrim", []string{"'a  '"}, "a"},
		{"year", []string{day}, "2024"},
		{"quarter", []string{day}, "2"},
		{"month", []string{day}, "5"},
		{"day", []string{day}, "15"},
		{"hour", []string{at}, "13"},
		{"minute", []string{at}, "14"},
		{"second", []string{at}, "15"},
		{"weekday", []string{"DATE '2024-05-13'"}, "1"},
		{"weekday", []string{"DATE '2024-05-19'"}, "7"},
		{"iso_week", []string{"DATE '2024-12-30'"}, "1"},
		{"date_diff_days", []string{"TIMESTAMP '2024-02-28 23:00:00'", "TIMESTAMP '2024-03-01 01:00:00'"}, "2"},
	} {
		call, ok := d.Call(c.function, c.args...)
		if !ok {
			t.Errorf("%s is missing", c.function)
			continue
		}
		if got := column(t, db, text(call)); got[0] != c.want {
			t.Errorf("%s gives %q, want %q", call, got[0], c.want)
		}
	}
	for _, name := range dialect.PortableFunctions() {
		if _, ok := d.Functions[name]; !ok {
			t.Errorf("%s is missing", name)
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
			if err := rows.Close(); err != nil {
				t.Log(err)
			}
		}
		if got := state(t); got != want {
			t.Fatalf("%q is accepted and changes %s to %s", b.String(), want, got)
		}
	})
}
