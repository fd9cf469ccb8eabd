package expression

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameTree compares trees without their places.
var sameTree = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b base) bool { return a.typ == b.typ }),
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"a", "a"},
		{"A.b . c", "A.b.c"},
		{`"Order Date"."select".from`, `"Order Date".select.from`},
		{`"select"`, `"select"`},
		{`"a""b"`, `"a""b"`},
		{"{revenue} / {orders.count}", "revenue / orders.count"},
		{"date", "date"},
		{"date >= DATE '2024-05-15'", "date >= DATE '2024-05-15'"},
		{"TIMESTAMP '2024-05-15T13:14'", "TIMESTAMP '2024-05-15 13:14:00'"},
		{"TIMESTAMPTZ '2024-05-15 13:14:15.50+02:00'", "TIMESTAMPTZ '2024-05-15 11:14:15.5+00:00'"},
		{"1", "1"},
		{"007", "7"},
		{".5", "0.5"},
		{"1.50", "1.50"},
		{"1E+3", "1e3"},
		{"1e-3", "1e-3"},
		{"12345678901234567890", "12345678901234567890"},
		{"'it''s \\ -- ; /*'", "'it''s \\ -- ; /*'"},
		{"true and FALSE or null", "TRUE AND FALSE OR NULL"},
		{"a+b*c", "a + b * c"},
		{"(a+b)*c", "(a + b) * c"},
		{"a-(b-c)", "a - (b - c)"},
		{"(a-b)-c", "a - b - c"},
		{"a/b/c", "a / b / c"},
		{"a/(b*c)", "a / (b * c)"},
		{"- a", "-a"},
		{"-(-a)", "-(-a)"},
		{"+a", "a"},
		{"-a::int", "-CAST(a AS integer)"},
		{"(-a)::int", "CAST(-a AS integer)"},
		{"-(a+b)", "-(a + b)"},
		{"a || b || c + d", "a || b || c + d"},
		{"a = b AND c <> d OR e != f", "a = b AND c <> d OR e <> f"},
		{"a AND (b OR c) AND (d AND e)", "a AND (b OR c) AND d AND e"},
		{"NOT a = b", "NOT a = b"},
		{"NOT (a AND b)", "NOT (a AND b)"},
		{"NOT NOT a", "NOT NOT a"},
		{"(NOT a) = b", "(NOT a) = b"},
		{"a BETWEEN 1 AND 2 AND b", "a BETWEEN 1 AND 2 AND b"},
		{"a not between b and c + 1", "a NOT BETWEEN b AND c + 1"},
		{"a IN (1, 2)", "a IN (1, 2)"},
		{"a not in ('x')", "a NOT IN ('x')"},
		{"a LIKE 'x%'", "a LIKE 'x%'"},
		{"a NOT ILIKE b || '%'", "a NOT ILIKE b || '%'"},
		{"a IS NULL", "a IS NULL"},
		{"a + 1 is not null", "a + 1 IS NOT NULL"},
		{"a IS NOT DISTINCT FROM b", "a IS NOT DISTINCT FROM b"},
		{"a IS DISTINCT FROM NULL", "a IS DISTINCT FROM NULL"},
		{"(a = b) = (c = d)", "(a = b) = (c = d)"},
		{"CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END"},
		{"case a when 1 then case when b then c end end", "CASE a WHEN 1 THEN CASE WHEN b THEN c END END"},
		{"CAST(a AS double precision)", "CAST(a AS double)"},
		{"a::TEXT::numeric", "CAST(CAST(a AS text) AS decimal)"},
		{"extract(week from a.b)", "iso_week(a.b)"},
		{"YEAR(a)", "year(a)"},
		{"round(a, 2)", "round(a, 2)"},
		{"Ceiling(a)", "ceil(a)"},
		{"coalesce(a, b, 0)", "coalesce(a, b, 0)"},
		{"contains(a, 'x')", "contains(a, 'x')"},
		{"NOT starts_with(a, b)", "NOT starts_with(a, b)"},
		{"date_trunc('month', a)", "date_trunc('month', a)"},
		{"COUNT(*)", "count(*)"},
		{"count(a)", "count(a)"},
		{"count(distinct a || b)", "count(DISTINCT a || b)"},
		{"count_distinct(a)", "count(DISTINCT a)"},
		{"sum(a * b) / count(*)", "sum(a * b) / count(*)"},
		{"percentile(a, 0.9)", "percentile(a, 0.9)"},
		{"string_agg(a, ', ')", "string_agg(a, ', ')"},
		{"left", "left"},
		{"left(a, 2)", "left(a, 2)"},
		{"Größe > 1", "Größe > 1"},
		{" a\r\n\t+ b ", "a + b"},
	} {
		n, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := String(n)
		if got != c.want {
			t.Errorf("%s is read as %s, want %s", c.text, got, c.want)
		}
		again, err := Parse(got)
		if err != nil {
			t.Errorf("%s is not read back: %v", got, err)
			continue
		}
		if diff := cmp.Diff(n, again, sameTree); diff != "" {
			t.Errorf("%s is read back as another tree (-want +got):\n%s", got, diff)
		}
	}
}
