package sqlite_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/google/go-cmp/cmp"

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

// The templates are what the engine understands, and give what they promise.
func TestFormsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	db := memory(t, "CREATE TABLE n (x)", "INSERT INTO n VALUES (1), (2), (2), (NULL)")
	const x = "'2024-05-15 13:14:15'" // a Wednesday
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Second), map[string]string{"x": "'2024-05-15 13:14:15.678'"}, "2024-05-15 13:14:15"},
		{dialect.Trunc(dialect.Minute), map[string]string{"x": x}, "2024-05-15 13:14:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": x}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": x}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "'2024-05-13'"}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "'2024-05-19 23:59:59'"}, "2024-05-13"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": x}, "2024-05-01"},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": x}, "2024-04-01"},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": "'2024-01-31'"}, "2024-01-01"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": x}, "2024-01-01"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": "NULL"}, "NULL"},
		{dialect.Add(dialect.Second), map[string]string{"x": x, "n": "50"}, "2024-05-15 13:15:05"},
		{dialect.Add(dialect.Minute), map[string]string{"x": x, "n": "-15"}, "2024-05-15 12:59:15"},
		{dialect.Add(dialect.Hour), map[string]string{"x": x, "n": "11"}, "2024-05-16 00:14:15"},
		{dialect.Add(dialect.Day), map[string]string{"x": "'2024-02-28'", "n": "2"}, "2024-03-01"},
		{dialect.Add(dialect.Week), map[string]string{"x": "'2024-05-13'", "n": "-1"}, "2024-05-06"},
		{dialect.Add(dialect.Month), map[string]string{"x": "'2024-01-01'", "n": "-1"}, "2023-12-01"},
		{dialect.Add(dialect.Quarter), map[string]string{"x": "'2024-10-01'", "n": "2"}, "2025-04-01"},
		{dialect.Add(dialect.Year), map[string]string{"x": "'2024-01-01'", "n": "-24"}, "2000-01-01"},
		{dialect.Cast, map[string]string{"x": "'12'", "type": d.Types["int64"]}, "12"},
		{dialect.CastTo("bool"), map[string]string{"x": "7"}, "1"},
		{dialect.CastTo("date"), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Literal("timestamp"), map[string]string{"v": "2024-05-15T13:14:15+02:00"}, "2024-05-15 11:14:15"},
		{dialect.True, nil, "1"},
		{dialect.False, nil, "0"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "2"}, "0.5"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "0"}, "NULL"},
		{dialect.NullSafeEqual, map[string]string{"a": "NULL", "b": "NULL"}, "1"},
		{dialect.NullSafeEqual, map[string]string{"a": "1", "b": "NULL"}, "0"},
		{dialect.Contains, map[string]string{"x": "'100% Ada'", "p": "'% a'"}, "1"},
		{dialect.Contains, map[string]string{"x": "'Ada'", "p": "'%'"}, "0"},
		{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "'aD'"}, "1"},
		{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "''"}, "1"},
		{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "'DA'"}, "1"},
		{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "''"}, "1"},
		{dialect.EndsWith, map[string]string{"x": "'da'", "p": "'ada'"}, "0"},
		{dialect.ILike, map[string]string{"x": "'Ada_1'", "p": `'aDA\__'`}, "1"},
		{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'A%\_1'`}, "1"},
		{dialect.Sum, map[string]string{"x": "(SELECT NULL)"}, "NULL"},
		{dialect.ToZone, map[string]string{"x": x, "zone": "'+02:00'"}, "2024-05-15 15:14:15"},
		{dialect.ToUTC, map[string]string{"x": x, "zone": "'+02:00'"}, "2024-05-15 11:14:15"},
		{dialect.ToUTC, map[string]string{"x": "'2024-05-15'", "zone": "'-05:30'"}, "2024-05-15 05:30:00"},
		{dialect.InstantToZone, map[string]string{"x": "'2024-05-15T13:14:15Z'", "zone": "'-01:00'"}, "2024-05-15 12:14:15"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Berlin'"}, "NULL"},
		{dialect.EpochSeconds, map[string]string{"x": "86400"}, "1970-01-02 00:00:00"},
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
	for _, c := range []struct{ query, want string }{
		{"SELECT {order.asc_nulls_last} FROM n", "1 2 2 NULL"},
		{"SELECT {order.asc_nulls_first} FROM n", "NULL 1 2 2"},
		{"SELECT {order.desc_nulls_last} FROM n", "2 2 1 NULL"},
		{"SELECT {order.desc_nulls_first} FROM n", "NULL 2 2 1"},
	} {
		form := dialect.Form(c.query[strings.Index(c.query, "{")+1 : strings.Index(c.query, "}")])
		key, _ := d.Expand(form, map[string]string{"x": "x"})
		if got := strings.Join(column(t, db, "SELECT x FROM n ORDER BY "+key), " "); got != c.want {
			t.Errorf("%s: %s, want %s", form, got, c.want)
		}
	}
	for form, want := range map[dialect.Form]string{
		dialect.Sum: "5", dialect.Avg: "1.6666666666666667", dialect.Count: "3", dialect.CountDistinct: "2", dialect.Min: "1",
		dialect.Max: "2", dialect.StringAgg: "1-2-2",
	} {
		text, _ := d.Expand(form, map[string]string{"x": "x", "sep": "'-'"})
		if got := column(t, db, "SELECT "+text+" FROM n"); got[0] != want {
			t.Errorf("%s: %s gives %s, want %s", form, text, got[0], want)
		}
	}
	inline, _ := d.Expand(dialect.Inline, map[string]string{"rows": "(1, 'a'), (2, 'b')", "name": "v", "columns": "id, label"})
	if diff := cmp.Diff([]string{"a", "b"}, column(t, db, "SELECT v.label FROM "+inline+" ORDER BY v.id")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", inline, diff)
	}
	sample, _ := d.Expand(dialect.Sample, map[string]string{"table": "n", "percent": "100"})
	if got := column(t, db, "SELECT count(*) FROM "+sample); got[0] != "4" {
		t.Errorf("%s has %s rows, want 4", sample, got[0])
	}
}

func TestSpinesOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	db := memory(t)
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
		text, _ := d.Expand(dialect.Spine(grain), map[string]string{"from": "'" + c.from + "'", "to": "'" + c.to + "'"})
		if diff := cmp.Diff(c.want, column(t, db, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grain, diff)
		}
		empty, _ := d.Expand(dialect.Spine(grain), map[string]string{"from": "'2025-06-01'", "to": "'2024-01-01'"})
		if got := column(t, db, empty); len(got) != 0 {
			t.Errorf("%s backwards has periods: %q", grain, got)
		}
	}
}

func TestFunctionsOnTheEngine(t *testing.T) {
	t.Parallel()
	d := &sqlite.Dialects()[0]
	db := memory(t)
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
		{"lower", []string{"'A'"}, "a"},
		{"upper", []string{"'a'"}, "A"},
		{"exp", []string{"0"}, "1"},
		{"ln", []string{"1"}, "0"},
		{"sqrt", []string{"9"}, "3"},
		{"power", []string{"2", "3"}, "8"},
		{"mod", []string{"7", "3"}, "1"},
		{"round", []string{"2.5"}, "3"},
		{"round", []string{"2.345", "2"}, "2.35"},
		{"greatest", []string{"1", "3", "2"}, "3"},
		{"least", []string{"1", "3", "2"}, "1"},
		{"left", []string{"'abc'", "2"}, "ab"},
		{"right", []string{"'abc'", "2"}, "bc"},
		{"right", []string{"'abc'", "0"}, ""},
		{"right", []string{"'abc'", "9"}, "abc"},
		{"length", []string{"'äb'"}, "2"},
		{"strpos", []string{"'abc'", "'c'"}, "3"},
		{"substring", []string{"'abcd'", "2"}, "bcd"},
		{"substring", []string{"'abcd'", "2", "2"}, "bc"},
		{"replace", []string{"'aba'", "'a'", "'x'"}, "xbx"},
		{"trim", []string{"' a '"}, "a"},
		{"ltrim", []string{"'  a'"}, "a"},
		{"rtrim", []string{"'a  '"}, "a"},
		{"year", []string{"'2024-05-15'"}, "2024"},
		{"quarter", []string{"'2024-05-15'"}, "2"},
		{"quarter", []string{"'2024-12-15'"}, "4"},
		{"month", []string{"'2024-05-15'"}, "5"},
		{"day", []string{"'2024-05-15'"}, "15"},
		{"hour", []string{"'2024-05-15 13:14:15'"}, "13"},
		{"minute", []string{"'2024-05-15 13:14:15'"}, "14"},
		{"second", []string{"'2024-05-15 13:14:15.9'"}, "15"},
		{"weekday", []string{"'2024-05-13'"}, "1"},
		{"weekday", []string{"'2024-05-19'"}, "7"},
		{"iso_week", []string{"'2024-12-30'"}, "1"},
		{"date_diff_days", []string{"'2024-02-28 23:00:00'", "'2024-03-01 01:00:00'"}, "2"},
	} {
		text, ok := d.Call(c.function, c.args...)
		if !ok {
			t.Errorf("%s is missing", c.function)
			continue
		}
		if got := column(t, db, "SELECT "+text); got[0] != c.want {
			t.Errorf("%s gives %q, want %q", text, got[0], c.want)
		}
	}
	for _, name := range dialect.PortableFunctions() {
		if _, ok := d.Functions[name]; !ok && name != "split_part" {
			t.Errorf("%s is missing", name)
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
			if err := rows.Close(); err != nil {
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
