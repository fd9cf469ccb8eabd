package mysql_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(mysql.Dialects()); err != nil {
		t.Error(err)
	}
}

// expression is a piece of SQL of the dialect and what it gives as text.
type expression struct{ name, sql, want string }

// evaluate compares expressions with what the server makes of them.
func evaluate(t *testing.T, db *testserver.MariaDBDatabase, from string, expressions []expression) {
	t.Helper()
	var list []string
	for _, e := range expressions {
		list = append(list, "CAST(("+e.sql+") AS CHAR)")
	}
	row := db.Rows(t, testserver.MariaDBReader, "SELECT "+strings.Join(list, ",\n")+from)[0]
	for i, e := range expressions {
		if row[i] != e.want {
			t.Errorf("%s: %s gives %q, want %q", e.name, e.sql, row[i], e.want)
		}
	}
}

func TestFormsOnTheServer(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE n (x integer); INSERT INTO n VALUES (1), (2), (2), (NULL)")
	d := dialect.Pick(mysql.Dialects(), "MariaDB", db.Version)
	const x = "TIMESTAMP '2024-05-15 13:14:15.678'" // a Wednesday
	var scalar, aggregate []expression
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Second), map[string]string{"x": x}, "2024-05-15 13:14:15"},
		{dialect.Trunc(dialect.Minute), map[string]string{"x": x}, "2024-05-15 13:14:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": x}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": x}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "DATE '2024-05-19'"}, "2024-05-13"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": x}, "2024-05-01"},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": x}, "2024-04-01"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": x}, "2024-01-01"},
		{dialect.Add(dialect.Second), map[string]string{"x": "TIMESTAMP '2024-05-15 13:14:15'", "n": "50"}, "2024-05-15 13:15:05"},
		{dialect.Add(dialect.Minute), map[string]string{"x": "TIMESTAMP '2024-05-15 13:14:00'", "n": "(-15)"}, "2024-05-15 12:59:00"},
		{dialect.Add(dialect.Hour), map[string]string{"x": "TIMESTAMP '2024-05-15 13:00:00'", "n": "11"}, "2024-05-16 00:00:00"},
		{dialect.Add(dialect.Day), map[string]string{"x": "DATE '2024-02-28'", "n": "2"}, "2024-03-01"},
		{dialect.Add(dialect.Week), map[string]string{"x": "DATE '2024-05-13'", "n": "(-1)"}, "2024-05-06"},
		{dialect.Add(dialect.Month), map[string]string{"x": "DATE '2024-01-01'", "n": "-1"}, "2023-12-01"},
		{dialect.Add(dialect.Quarter), map[string]string{"x": "DATE '2024-10-01'", "n": "2"}, "2025-04-01"},
		{dialect.Add(dialect.Year), map[string]string{"x": "DATE '2024-01-01'", "n": "-24"}, "2000-01-01"},
		{dialect.Literal("timestamp_tz"), map[string]string{"v": "2024-05-15T13:14:15+02:00"}, "2024-05-15 11:14:15.000000"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "2"}, "0.5"},
		{dialect.SafeDivide, map[string]string{"a": "1", "b": "0"}, "NULL"},
		{dialect.NullSafeEqual, map[string]string{"a": "NULL", "b": "NULL"}, "1"},
		{dialect.NullSafeEqual, map[string]string{"a": "1", "b": "NULL"}, "0"},
		{dialect.Contains, map[string]string{"x": "'100% Ada'", "p": "'% aD'"}, "1"},
		{dialect.Contains, map[string]string{"x": "'Ada'", "p": "'%'"}, "0"},
		{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "'aD'"}, "1"},
		{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "'DA'"}, "1"},
		{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "''"}, "1"},
		{dialect.ILike, map[string]string{"x": "'Ada_1'", "p": `'aDA\\__'`}, "1"},
		{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'a%\\_1'`}, "0"},
		{dialect.ToZone, map[string]string{"x": x, "zone": "'Europe/Berlin'"}, "2024-05-15 15:14:15.678"},
		{dialect.ToUTC, map[string]string{"x": "TIMESTAMP '2024-01-15 12:00:00'", "zone": "'Europe/Berlin'"}, "2024-01-15 11:00:00"},
		{dialect.InstantToZone, map[string]string{"x": "TIMESTAMP '2024-05-15 12:00:00'", "zone": "'Asia/Kolkata'"}, "2024-05-15 17:30:00"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Berlin'"}, "2024-01-01 01:00:00"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Atlantis'"}, "NULL"},
		{dialect.EpochSeconds, map[string]string{"x": "86400"}, "1970-01-02 00:00:00"},
		{dialect.EpochMillis, map[string]string{"x": "86400999"}, "1970-01-02 00:00:00.999000"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15+02:00'"}, "2024-05-15 11:14:15.000000"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15.5-0930'"}, "2024-05-15 22:44:15.500000"},
		{dialect.ToZone, map[string]string{"x": "TIMESTAMP '1960-05-15 13:14:15'", "zone": "'Europe/Berlin'"}, "NULL"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15 13:14:15Z'"}, "2024-05-15 13:14:15.000000"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15'"}, "2024-05-15 00:00:00.000000"},
		{dialect.HashOrder, map[string]string{"x": "1"}, "c4ca4238a0b923820dcc509a6f75849b"},
	} {
		scalar = append(scalar, expand(t, d, c.form, c.args, c.want))
	}
	for logical, native := range d.Types {
		scalar = append(scalar, expand(t, d, dialect.Cast, map[string]string{"x": "NULL", "type": native}, "NULL"))
		scalar[len(scalar)-1].name = "NULL of " + logical
	}
	for form, want := range map[dialect.Form]string{
		dialect.Sum: "5", dialect.Avg: "1.6666666666666667", dialect.Count: "3", dialect.CountDistinct: "2", dialect.Min: "1",
		dialect.Max: "2", dialect.StringAgg: "1-2-2",
	} {
		args := map[string]string{"x": "x", "sep": "'-'", "p": "0.25"}
		aggregate = append(aggregate, expand(t, d, form, args, want))
	}
	evaluate(t, db, "", scalar)
	evaluate(t, db, " FROM n", aggregate)

	for form, want := range map[dialect.Form]string{
		dialect.AscNullsLast: "1 2 2 NULL", dialect.AscNullsFirst: "NULL 1 2 2",
		dialect.DescNullsLast: "2 2 1 NULL", dialect.DescNullsFirst: "NULL 2 2 1",
	} {
		key := expand(t, d, form, map[string]string{"x": "x"}, "").sql
		if got := strings.Join(first(db.Rows(t, testserver.MariaDBReader, "SELECT x FROM n ORDER BY "+key)), " "); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	inline := expand(t, d, dialect.Inline, map[string]string{"rows": "(1, 'a'), (2, 'b')", "name": "v", "columns": "id, label"}, "").sql
	sample := expand(t, d, dialect.Sample, map[string]string{"table": "n", "percent": "100"}, "").sql
	evaluate(t, db, "", []expression{
		{"inline", "SELECT GROUP_CONCAT(v.label ORDER BY v.id SEPARATOR '') FROM " + inline, "ab"},
		{"sample", "SELECT count(*) FROM " + sample, "4"},
	})
}

func expand(t *testing.T, d *dialect.Dialect, form dialect.Form, args map[string]string, want string) expression {
	t.Helper()
	text, ok := d.Expand(form, args)
	if !ok {
		t.Fatalf("the form %s is missing", form)
	}
	return expression{string(form), text, want}
}

func first(rows [][]string) []string {
	var column []string
	for _, row := range rows {
		column = append(column, row[0])
	}
	return column
}

func TestSpinesOnTheServer(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	d := dialect.Pick(mysql.Dialects(), "MariaDB", db.Version)
	for grain, c := range map[dialect.Grain]struct {
		kind, from, to string
		want           []string
	}{
		dialect.Second:  {"TIMESTAMP", "2024-12-31 23:59:59", "2025-01-01 00:00:00", []string{"2024-12-31 23:59:59", "2025-01-01 00:00:00"}},
		dialect.Minute:  {"TIMESTAMP", "2024-12-31 23:59:00", "2025-01-01 00:00:00", []string{"2024-12-31 23:59:00", "2025-01-01 00:00:00"}},
		dialect.Hour:    {"TIMESTAMP", "2024-12-31 23:00:00", "2025-01-01 00:00:00", []string{"2024-12-31 23:00:00", "2025-01-01 00:00:00"}},
		dialect.Day:     {"DATE", "2024-02-28", "2024-03-01", []string{"2024-02-28", "2024-02-29", "2024-03-01"}},
		dialect.Week:    {"DATE", "2024-12-23", "2025-01-06", []string{"2024-12-23", "2024-12-30", "2025-01-06"}},
		dialect.Month:   {"DATE", "2024-11-01", "2025-01-01", []string{"2024-11-01", "2024-12-01", "2025-01-01"}},
		dialect.Quarter: {"DATE", "2024-10-01", "2025-04-01", []string{"2024-10-01", "2025-01-01", "2025-04-01"}},
		dialect.Year:    {"DATE", "2024-01-01", "2024-01-01", []string{"2024-01-01"}},
	} {
		spine := expand(t, d, dialect.Spine(grain), map[string]string{"from": c.kind + " '" + c.from + "'", "to": c.kind + " '" + c.to + "'"}, "").sql
		if diff := cmp.Diff(c.want, first(db.Rows(t, testserver.MariaDBReader, spine))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grain, diff)
		}
	}
}

func TestFunctionsOnTheServer(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	d := dialect.Pick(mysql.Dialects(), "MariaDB", db.Version)
	const x = "TIMESTAMP '2024-05-15 13:14:59.9'"
	var all []expression
	called := map[string]bool{}
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
		{"exp", []string{"0e0"}, "1"},
		{"ln", []string{"1e0"}, "0"},
		{"sqrt", []string{"9e0"}, "3"},
		{"power", []string{"2", "3"}, "8"},
		{"mod", []string{"7", "3"}, "1"},
		{"round", []string{"2.5"}, "3"},
		{"round", []string{"2.345e0", "2"}, "2.35"},
		{"greatest", []string{"1", "3", "2"}, "3"},
		{"least", []string{"1", "3", "2"}, "1"},
		{"left", []string{"'abc'", "2"}, "ab"},
		{"right", []string{"'abc'", "2"}, "bc"},
		{"right", []string{"'abc'", "0"}, ""},
		{"length", []string{"'äb'"}, "2"},
		{"strpos", []string{"'abc'", "'c'"}, "3"},
		{"split_part", []string{"'a-b-c'", "'-'", "2"}, "b"},
		{"split_part", []string{"'a-b-c'", "'-'", "4"}, ""},
		{"substring", []string{"'abcd'", "2"}, "bcd"},
		{"substring", []string{"'abcd'", "2", "2"}, "bc"},
		{"replace", []string{"'aba'", "'a'", "'x'"}, "xbx"},
		{"trim", []string{"' a '"}, "a"},
		{"ltrim", []string{"'  a'"}, "a"},
		{"rtrim", []string{"'a  '"}, "a"},
		{"year", []string{x}, "2024"},
		{"quarter", []string{x}, "2"},
		{"month", []string{x}, "5"},
		{"day", []string{x}, "15"},
		{"hour", []string{x}, "13"},
		{"minute", []string{x}, "14"},
		{"second", []string{x}, "59"},
		{"weekday", []string{"DATE '2024-05-13'"}, "1"},
		{"weekday", []string{"DATE '2024-05-19'"}, "7"},
		{"iso_week", []string{"DATE '2024-12-30'"}, "1"},
		{"date_diff_days", []string{"TIMESTAMP '2024-02-28 23:00:00'", "TIMESTAMP '2024-03-01 01:00:00'"}, "2"},
	} {
		text, ok := d.Call(c.function, c.args...)
		if !ok {
			t.Fatalf("%s is missing", c.function)
		}
		called[c.function] = true
		all = append(all, expression{c.function, text, c.want})
	}
	evaluate(t, db, "", all)
	for _, name := range dialect.PortableFunctions() {
		if !called[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

// The guard alone decides every case of the corpus rightly, for servers of every
// version.
func TestGuardOnTheCorpus(t *testing.T) {
	t.Parallel()
	for i := range mysql.Dialects() {
		d := &mysql.Dialects()[i]
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
}
