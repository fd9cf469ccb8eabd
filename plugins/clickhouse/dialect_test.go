package clickhouse_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(clickhouse.Dialects()); err != nil {
		t.Error(err)
	}
}

func TestDialectByVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"18.16.1": "21.3", "20.8.1": "21.3", "21.3.2": "", "26.7.2.1": "", "": ""} {
		d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", version)
		if d.MaxVersion != want {
			t.Errorf("version %q gets the dialect for those before %q, want %q", version, d.MaxVersion, want)
		}
		if written := len(d.Functions) > 0; written != (want == "") {
			t.Errorf("version %q: a compiler may write its dialect: %t", version, written)
		}
	}
}

// What the conformance suite's portable values do not reach: the types of columns
// that its literals do not have.
func TestFormsOfToday(t *testing.T) {
	t.Parallel()
	db := today(t)
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Trunc(dialect.Hour), map[string]string{"x": "toDateTime('2024-05-15 13:14:15', 'UTC')"}, "2024-05-15 13:00:00"},
		{dialect.Trunc(dialect.Week), map[string]string{"x": "toDate('2024-05-19')"}, "2024-05-13"},
		{dialect.Trunc(dialect.Year), map[string]string{"x": "toDate32('1925-05-15')"}, "1925-01-01"},
		{dialect.Add(dialect.Year), map[string]string{"x": "toDate32('2024-01-01')", "n": "-64"}, "1960-01-01"},
		{dialect.Literal("date"), map[string]string{"v": "1925-05-15"}, "1925-05-15"},
		{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'a%\\_1'`}, "0"},
		{dialect.InstantToZone, map[string]string{"x": "toDateTime('2024-05-15 12:00:00', 'UTC')", "zone": "'Asia/Kolkata'"}, "2024-05-15 17:30:00.000000"},
		{dialect.SumOf("decimal"), map[string]string{"x": "18446744073709551615"}, "18446744073709551615"},
	} {
		sql := expand(t, d, c.form, c.args)
		if got := db.text(t, "SELECT toString("+sql+")"); got != c.want {
			t.Errorf("%s: %s gives %q, want %q", c.form, sql, got, c.want)
		}
	}
}

// Periods between ends that are read are those between the same literals, in a statement
// that the guard accepts; there are none where a table has no rows.
func TestPeriodsBetweenReadEnds(t *testing.T) {
	t.Parallel()
	db := today(t, "CREATE TABLE visits (day Nullable(Date32)) ENGINE = Memory", "INSERT INTO visits VALUES ('1925-01-31'), (NULL), ('1925-04-01')")
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	month := func(column string) string {
		return expand(t, d, dialect.Trunc(dialect.Month), map[string]string{"x": column})
	}
	for rows, want := range map[string]string{"day IS NOT NULL": "1925-01-01,1925-02-01,1925-03-01,1925-04-01", "day IS NULL": ""} {
		sql := "SELECT arrayStringConcat(groupArray(toString(period)), ',') FROM (" + expand(t, d, dialect.SpineOver(dialect.Month), map[string]string{
			"ends": "(SELECT minOrNull(day) AS first, maxOrNull(day) AS last FROM visits WHERE " + rows + ") AS e", "from": month("e.first"), "to": month("e.last"),
		}) + ")"
		if err := readonly.Check(sql, d); err != nil {
			t.Error(err)
		}
		if got := db.text(t, sql); got != want {
			t.Errorf("where %s there are the months %q, want %q", rows, got, want)
		}
	}
}

// A NULL among texts is not parsed.
func TestTextsOfTimes(t *testing.T) {
	t.Parallel()
	db := today(t, "CREATE TABLE texts (id Int32, at Nullable(String), plain String) ENGINE = Memory",
		"INSERT INTO texts VALUES (1, NULL, '2024-05-15'), (2, '2024-05-15T13:14:15+02:00', '2024-05-15 13:14:15Z')")
	d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
	for column, want := range map[string]string{
		"at":    "NULL, 2024-05-15 11:14:15.000000",
		"plain": "2024-05-15 00:00:00.000000, 2024-05-15 13:14:15.000000",
	} {
		sql := expand(t, d, dialect.TextISO, map[string]string{"x": column})
		if got := db.text(t, "SELECT arrayStringConcat(groupArray(ifNull(toString("+sql+"), 'NULL')), ', ') FROM (SELECT * FROM texts ORDER BY id)"); got != want {
			t.Errorf("%s is %s, want %s", column, got, want)
		}
	}
}

// An aggregate of a column that cannot be NULL is NULL over no rows all the same.
func TestAggregatesOverNoRows(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(testing.TB, ...string) *database{"18.16": oldHTTP, "26.7": today} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := make(t, "CREATE TABLE n (y Int32) ENGINE = Memory")
			d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
			for form, want := range map[dialect.Form]string{
				dialect.Sum: `\N`, dialect.SumOf("int64"): `\N`, dialect.Avg: `\N`, dialect.Min: `\N`, dialect.Max: `\N`,
				dialect.Count: "0", dialect.CountDistinct: "0", dialect.ApproxDistinct: "0",
			} {
				sql := expand(t, d, form, map[string]string{"x": "y"})
				if got := db.text(t, "SELECT toString("+sql+") FROM n"); got != want {
					t.Errorf("%s: %s gives %q, want %q", form, sql, got, want)
				}
			}
		})
	}
}

func expand(t *testing.T, d *dialect.Dialect, form dialect.Form, args map[string]string) string {
	t.Helper()
	text, ok := d.Expand(form, args)
	if !ok {
		t.Fatalf("the form %s is missing", form)
	}
	return text
}
