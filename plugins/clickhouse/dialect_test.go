package clickhouse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(clickhouse.Dialects()); err != nil {
		t.Error(err)
	}
}

func TestDialectByVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"18.16.1": "", "20.8.1": "", "21.3.2": "21.3", "26.7.2.1": "21.3", "": ""} {
		if d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", version); d.MinVersion != want {
			t.Errorf("version %q gets the dialect from %q, want %q", version, d.MinVersion, want)
		}
	}
}

// expression is a piece of SQL of the dialect and what it gives as text.
type expression struct{ name, sql, want string }

// evaluate compares expressions with what the server makes of them, each by
// itself: the server has names for all of a query's expressions.
func evaluate(t *testing.T, db *database, from string, expressions []expression) {
	t.Helper()
	for _, e := range expressions {
		got, err := db.ask(t.Context(), testserver.ClickHouseReader, db.name, "SELECT toString("+e.sql+")"+from)
		if got = strings.TrimSuffix(got, "\n"); err != nil || got != e.want {
			t.Errorf("%s: %s gives %q, want %q (%v)", e.name, e.sql, got, e.want, err)
		}
	}
}

func expand(t *testing.T, d *dialect.Dialect, form dialect.Form, args map[string]string, want string) expression {
	t.Helper()
	text, ok := d.Expand(form, args)
	if !ok {
		t.Fatalf("the form %s is missing", form)
	}
	return expression{string(form), text, want}
}

// formCase is a form with arguments and its result.
type formCase struct {
	form dialect.Form
	args map[string]string
	want string
}

const null = `\N`

func TestFormsOfToday(t *testing.T) {
	t.Parallel()
	const x = "toDateTime64('2024-05-15 13:14:15.678', 6, 'UTC')"    // a Wednesday
	const long = "toDateTime64('1960-05-15 13:14:15.678', 6, 'UTC')" // a Sunday
	const none = "CAST(NULL AS Nullable(DateTime64(6, 'UTC')))"
	cases := []formCase{
		{dialect.Trunc(dialect.Second), map[string]string{"x": x}, "2024-05-15 13:14:15.000000"},
		{dialect.Trunc(dialect.Minute), map[string]string{"x": x}, "2024-05-15 13:14:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": x}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": "toDateTime('2024-05-15 13:14:15', 'UTC')"}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": long}, "1960-05-15 13:00:00"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": none}, null},
		{dialect.Trunc(dialect.Week), map[string]string{"x": x}, "2024-05-13"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": long}, "1960-05-09"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "toDate('2024-05-19')"}, "2024-05-13"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": long}, "1960-05-01"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": none}, null},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": x}, "2024-04-01"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": "toDate32('1925-05-15')"}, "1925-01-01"},
		{dialect.Add(dialect.Second), map[string]string{"x": "toDateTime64('2024-05-15 13:14:15', 6, 'UTC')", "n": "50"}, "2024-05-15 13:15:05.000000"},
		{dialect.Add(dialect.Minute), map[string]string{"x": "toDateTime64('2024-05-15 13:14:00', 0, 'UTC')", "n": "(-15)"}, "2024-05-15 12:59:00"},
		{dialect.Add(dialect.Hour), map[string]string{"x": "toDateTime64('2024-05-15 13:00:00', 0, 'UTC')", "n": "11"}, "2024-05-16 00:00:00"},
		{dialect.Add(dialect.Day), map[string]string{"x": "toDate32('2024-02-28')", "n": "2"}, "2024-03-01"},
		{dialect.Add(dialect.Week), map[string]string{"x": "toDate32('2024-05-13')", "n": "(-1)"}, "2024-05-06"},
		{dialect.Add(dialect.Month), map[string]string{"x": "toDate32('2024-01-01')", "n": "-1"}, "2023-12-01"},
		{dialect.Add(dialect.Quarter), map[string]string{"x": "toDate32('2024-10-01')", "n": "2"}, "2025-04-01"},
		{dialect.Add(dialect.Year), map[string]string{"x": "toDate32('2024-01-01')", "n": "-64"}, "1960-01-01"},
		{dialect.Literal("date"), map[string]string{"v": "1925-05-15"}, "1925-05-15"},
		{dialect.Literal("timestamp"), map[string]string{"v": "2024-05-15 13:14:15.5"}, "2024-05-15 13:14:15.500000"},
		{dialect.Literal("timestamp_tz"), map[string]string{"v": "2024-05-15T13:14:15+02:00"}, "2024-05-15 11:14:15.000000"},
		{dialect.TryCast, map[string]string{"x": "'12'", "type": "Nullable(Int64)"}, "12"},
		{dialect.TryCast, map[string]string{"x": "'x'", "type": "Nullable(Int64)"}, null},
		{dialect.ILike, map[string]string{"x": "'Ada_1'", "p": `'aDA\\__'`}, "1"},
		{dialect.ToZone, map[string]string{"x": x, "zone": "'Europe/Berlin'"}, "2024-05-15 15:14:15.678000"},
		{dialect.ToUTC, map[string]string{"x": "toDateTime64('2024-01-15 12:00:00', 6, 'UTC')", "zone": "'Europe/Berlin'"}, "2024-01-15 11:00:00.000000"},
		{dialect.InstantToZone, map[string]string{"x": "toDateTime('2024-05-15 12:00:00', 'UTC')", "zone": "'Asia/Kolkata'"}, "2024-05-15 17:30:00.000000"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Berlin'"}, "Europe/Berlin"},
		{dialect.ZoneProbe, map[string]string{"zone": "'Europe/Atlantis'"}, null},
		{dialect.EpochSeconds, map[string]string{"x": "86400"}, "1970-01-02 00:00:00.000000"},
		{dialect.EpochMillis, map[string]string{"x": "86400999"}, "1970-01-02 00:00:00.999"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15+02:00'"}, "2024-05-15 11:14:15.000000"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15'"}, "2024-05-15 00:00:00.000000"},
		{dialect.True, nil, "true"},
		{dialect.SumOf("int64"), map[string]string{"x": "9223372036854775807"}, "9223372036854775807"},
		{dialect.SumOf("decimal"), map[string]string{"x": "toDecimal64(1.5, 2)"}, "1.5"},
		{dialect.SumOf("decimal"), map[string]string{"x": "18446744073709551615"}, "18446744073709551615"},
	}
	testForms(t, today, append(cases, commonForms...), map[dialect.Form]string{
		dialect.Sum: "5", dialect.Avg: "1.6666666666666667", dialect.Count: "3", dialect.CountDistinct: "2", dialect.Min: "1", dialect.Max: "2",
		dialect.ApproxDistinct: "2", dialect.Median: "2", dialect.Percentile: "1.5", dialect.StringAgg: "1-2-2",
	})
	db := today(t)
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	inline := expand(t, d, dialect.Inline, map[string]string{"rows": "(1, 'a'), (2, 'b')", "name": "v", "columns": "id, label"}, "").sql
	evaluate(t, db, " FROM "+inline, []expression{{"inline", "arrayStringConcat(groupArray(v.label), '+')", "a+b"}})
}

func TestFormsBefore21_3(t *testing.T) {
	t.Parallel()
	const x = "toDateTime('2024-05-15 13:14:15')"
	cases := []formCase{
		{dialect.Trunc(dialect.Second), map[string]string{"x": x}, "2024-05-15 13:14:15"},
		{dialect.Trunc(dialect.Minute), map[string]string{"x": x}, "2024-05-15 13:14:00"},
		{dialect.Trunc(dialect.Hour), map[string]string{"x": x}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Day), map[string]string{"x": x}, "2024-05-15"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": x}, "2024-05-13"},
		{dialect.Trunc(dialect.Month), map[string]string{"x": x}, "2024-05-01"},
		{dialect.Trunc(dialect.Quarter), map[string]string{"x": x}, "2024-04-01"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": x}, "2024-01-01"},
		{dialect.Add(dialect.Hour), map[string]string{"x": x, "n": "11"}, "2024-05-16 00:14:15"},
		{dialect.Add(dialect.Day), map[string]string{"x": "toDate('2024-02-28')", "n": "2"}, "2024-03-01"},
		{dialect.Add(dialect.Month), map[string]string{"x": "toDate('2024-01-01')", "n": "(-1)"}, "2023-12-01"},
		{dialect.Add(dialect.Quarter), map[string]string{"x": "toDate('2024-10-01')", "n": "2"}, "2025-04-01"},
		{dialect.Literal("date"), map[string]string{"v": "2024-05-15"}, "2024-05-15"},
		{dialect.Literal("timestamp_tz"), map[string]string{"v": "2024-05-15T13:14:15+02:00"}, "2024-05-15 11:14:15"},
		{dialect.ILike, map[string]string{"x": "'Ada_1'", "p": `'aDA\\__'`}, "1"},
		{dialect.InstantToZone, map[string]string{"x": "toDateTime('2024-05-15 12:00:00')", "zone": "'Asia/Kolkata'"}, "2024-05-15 17:30:00"},
		{dialect.EpochSeconds, map[string]string{"x": "86400"}, "1970-01-02 00:00:00"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15+02:00'"}, "2024-05-15 11:14:15"},
		{dialect.SumOf("int64"), map[string]string{"x": "toInt64(7)"}, "7"},
	}
	testForms(t, oldHTTP, append(cases, commonForms...), map[dialect.Form]string{
		dialect.Sum: "5", dialect.Avg: "1.6666666666666667", dialect.Count: "3", dialect.CountDistinct: "2", dialect.Min: "1", dialect.Max: "2",
		dialect.ApproxDistinct: "2", dialect.StringAgg: "1-2-2",
	})
}

var commonForms = []formCase{
	{dialect.SafeDivide, map[string]string{"a": "1", "b": "2"}, "0.5"},
	{dialect.SafeDivide, map[string]string{"a": "1", "b": "0"}, null},
	{dialect.NullSafeEqual, map[string]string{"a": "NULL", "b": "NULL"}, "1"},
	{dialect.NullSafeEqual, map[string]string{"a": "1", "b": "NULL"}, "0"},
	{dialect.NullSafeEqual, map[string]string{"a": "1", "b": "1"}, "1"},
	{dialect.Contains, map[string]string{"x": "'100% Ada'", "p": "'% aD'"}, "1"},
	{dialect.Contains, map[string]string{"x": "'Ada'", "p": "'%'"}, "0"},
	{dialect.StartsWith, map[string]string{"x": "'Ada'", "p": "'aD'"}, "1"},
	{dialect.EndsWith, map[string]string{"x": "'Ada'", "p": "'DA'"}, "1"},
	{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'a%\\_1'`}, "0"},
	{dialect.HashOrder, map[string]string{"x": "toUInt8(1)"}, "10577349846663553072"},
	{dialect.Nullable, map[string]string{"x": "1"}, "1"},
}

// testForms evaluates expressions, aggregates over 1, 2, 2 and NULL and over no
// rows, NULLs of all types, orders and the sample.
func testForms(t *testing.T, make func(testing.TB, ...string) *database, cases []formCase, aggregates map[dialect.Form]string) {
	t.Helper()
	db := make(t, "CREATE TABLE n (x Nullable(Int32), y Int32 DEFAULT 1) ENGINE = Memory", "INSERT INTO n (x) VALUES (1), (2), (2), (NULL)")
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	var scalar []expression
	for _, c := range cases {
		scalar = append(scalar, expand(t, d, c.form, c.args, c.want))
	}
	for logical, native := range d.Types {
		e := expand(t, d, dialect.Cast, map[string]string{"x": "NULL", "type": native}, null)
		e.name = "NULL of " + logical
		scalar = append(scalar, e)
	}
	evaluate(t, db, "", scalar)
	args := map[string]string{"x": "x", "sep": "'-'", "p": "0.25"}
	var all, none []expression
	for form, want := range aggregates {
		all = append(all, expand(t, d, form, args, want))
		switch form {
		case dialect.Count, dialect.CountDistinct, dialect.ApproxDistinct:
			none = append(none, expand(t, d, form, args, "0"))
		case dialect.Sum, dialect.Avg, dialect.Min, dialect.Max:
			none = append(none, expand(t, d, form, args, null), expand(t, d, form, map[string]string{"x": "y"}, null))
		default:
			none = append(none, expand(t, d, form, args, null))
		}
	}
	evaluate(t, db, " FROM n", all)
	evaluate(t, db, " FROM n WHERE y > 1", none)
	for form, want := range map[dialect.Form]string{
		dialect.AscNullsLast: "1 2 2 " + null, dialect.AscNullsFirst: null + " 1 2 2",
		dialect.DescNullsLast: "2 2 1 " + null, dialect.DescNullsFirst: null + " 2 2 1",
	} {
		key := expand(t, d, form, map[string]string{"x": "x"}, "").sql
		if got := strings.ReplaceAll(db.text(t, "SELECT x FROM n ORDER BY "+key), "\n", " "); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	sample := expand(t, d, dialect.Sample, map[string]string{"table": "n", "percent": "100"}, "").sql
	if got := db.text(t, "SELECT count() FROM "+sample); got != "4" {
		t.Errorf("the sample of all rows has %s", got)
	}
}

func TestSpinesOfToday(t *testing.T) {
	t.Parallel()
	db := today(t)
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	for grain, c := range map[dialect.Grain]struct {
		kind, from, to string
		want           string
	}{
		dialect.Second:  {"timestamp", "2024-12-31 23:59:59", "2025-01-01 00:00:00", "2024-12-31 23:59:59.000000,2025-01-01 00:00:00.000000"},
		dialect.Minute:  {"timestamp", "2024-12-31 23:59:00", "2025-01-01 00:00:00", "2024-12-31 23:59:00.000000,2025-01-01 00:00:00.000000"},
		dialect.Hour:    {"timestamp", "2024-12-31 23:00:00", "2025-01-01 00:00:00", "2024-12-31 23:00:00.000000,2025-01-01 00:00:00.000000"},
		dialect.Day:     {"date", "1960-02-28", "1960-03-01", "1960-02-28,1960-02-29,1960-03-01"},
		dialect.Week:    {"date", "2024-12-23", "2025-01-06", "2024-12-23,2024-12-30,2025-01-06"},
		dialect.Month:   {"date", "2024-11-01", "2025-01-01", "2024-11-01,2024-12-01,2025-01-01"},
		dialect.Quarter: {"date", "2024-10-01", "2025-04-01", "2024-10-01,2025-01-01,2025-04-01"},
		dialect.Year:    {"date", "2024-01-01", "2024-01-01", "2024-01-01"},
	} {
		from := expand(t, d, dialect.Literal(c.kind), map[string]string{"v": c.from}, "").sql
		to := expand(t, d, dialect.Literal(c.kind), map[string]string{"v": c.to}, "").sql
		spine := expand(t, d, dialect.Spine(grain), map[string]string{"from": from, "to": to}, "").sql
		if diff := cmp.Diff(c.want, strings.ReplaceAll(db.text(t, spine), "\n", ",")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grain, diff)
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(testing.TB, ...string) *database{"18.16": oldHTTP, "26.7": today} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFunctions(t, make(t))
		})
	}
}

func testFunctions(t *testing.T, db *database) {
	t.Helper()
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	const x = "toDateTime('2024-05-15 13:14:59', 'UTC')"
	called := map[string]bool{}
	var all []expression
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
		{"nullif", []string{"1", "1"}, null},
		{"concat", []string{"'a'", "1", "'b'"}, "a1b"},
		{"lower", []string{"'Ä'"}, "ä"},
		{"upper", []string{"'ä'"}, "Ä"},
		{"exp", []string{"0"}, "1"},
		{"ln", []string{"1"}, "0"},
		{"sqrt", []string{"9"}, "3"},
		{"power", []string{"2", "3"}, "8"},
		{"mod", []string{"7", "3"}, "1"},
		{"round", []string{"2.5"}, "3"},
		{"round", []string{"-2.5"}, "-3"},
		{"round", []string{"2.345", "2"}, "2.35"},
		{"greatest", []string{"1", "3"}, "3"},
		{"least", []string{"1", "3"}, "1"},
		{"left", []string{"'äbc'", "2"}, "äb"},
		{"right", []string{"'abc'", "2"}, "bc"},
		{"right", []string{"'abc'", "0"}, ""},
		{"right", []string{"'abc'", "9"}, "abc"},
		{"length", []string{"'äb'"}, "2"},
		{"strpos", []string{"'abc'", "'c'"}, "3"},
		{"split_part", []string{"'a-b-c'", "'-'", "2"}, "b"},
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
		{"weekday", []string{"toDate('2024-05-13')"}, "1"},
		{"weekday", []string{"toDate('2024-05-19')"}, "7"},
		{"iso_week", []string{"toDate('2024-12-30')"}, "1"},
		{"date_diff_days", []string{"toDateTime('2024-02-28 23:00:00', 'UTC')", "toDateTime('2024-03-01 01:00:00', 'UTC')"}, "2"},
	} {
		called[c.function] = true
		if text, ok := d.Call(c.function, c.args...); ok {
			all = append(all, expression{c.function, text, c.want})
		} else if d.MinVersion != "" {
			t.Errorf("%s is missing", c.function)
		}
	}
	evaluate(t, db, "", all)
	for function := range d.Functions {
		if name, _, _ := strings.Cut(function, "/"); !called[name] {
			t.Errorf("%s is not tested", function)
		}
	}
}
