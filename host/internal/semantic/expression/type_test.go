package expression_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// What Check makes of an expression: its type, and itself with literals coerced.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		typ  sdk.Type
		want string // "" = text
	}{
		{"NULL", sdk.TypeUnspecified, ""},
		{"1", sdk.TypeInt64, ""},
		{"1.0", sdk.TypeDecimal, ""},
		{"1e3", sdk.TypeFloat64, ""},
		{"99999999999999999999", sdk.TypeDecimal, ""},
		{"orders.day", sdk.TypeDate, ""},
		{"-qty", sdk.TypeInt64, ""},
		{"qty + 1", sdk.TypeInt64, ""},
		{"qty * price", sdk.TypeDecimal, ""},
		{"price - rate", sdk.TypeFloat64, ""},
		{"qty + anything", sdk.TypeInt64, ""},
		{"anything * anything", sdk.TypeUnspecified, ""},
		{"qty / 2", sdk.TypeFloat64, ""},
		{"qty % 2", sdk.TypeInt64, ""},
		{"name || qty", sdk.TypeText, ""},
		{"qty = 1.5", sdk.TypeBool, ""},
		{"anything = 'x'", sdk.TypeBool, ""},
		{"anything = 1", sdk.TypeBool, ""},
		{"anything AND paid", sdk.TypeBool, ""},
		{"day > '2024-01-31'", sdk.TypeBool, "day > DATE '2024-01-31'"},
		{"'2024-01-31' <= day", sdk.TypeBool, "DATE '2024-01-31' <= day"},
		{"at = '2024-01-31'", sdk.TypeBool, "at = TIMESTAMP '2024-01-31 00:00:00'"},
		{"at = '2024-01-31T10:00'", sdk.TypeBool, "at = TIMESTAMP '2024-01-31 10:00:00'"},
		{"at = DATE '2024-01-31'", sdk.TypeBool, "at = TIMESTAMP '2024-01-31 00:00:00'"},
		{"day < TIMESTAMP '2024-01-31 12:00'", sdk.TypeBool, "CAST(day AS timestamp) < TIMESTAMP '2024-01-31 12:00:00'"},
		{"day = at", sdk.TypeBool, "CAST(day AS timestamp) = at"},
		{"instant = '2024-01-31'", sdk.TypeBool, "instant = TIMESTAMPTZ '2024-01-31 00:00:00+00:00'"},
		{"instant = DATE '2024-01-31'", sdk.TypeBool, "instant = TIMESTAMPTZ '2024-01-31 00:00:00+00:00'"},
		{"instant = '2024-01-31 01:00:00.25+02:00'", sdk.TypeBool, "instant = TIMESTAMPTZ '2024-01-30 23:00:00.25+00:00'"},
		{"day BETWEEN '2024-01-01' AND '2024-01-31'", sdk.TypeBool, "day BETWEEN DATE '2024-01-01' AND DATE '2024-01-31'"},
		{"day IN ('2024-01-01', '2024-01-31')", sdk.TypeBool, "day IN (DATE '2024-01-01', DATE '2024-01-31')"},
		{"DATE '2024-01-01' = '2024-01-01'", sdk.TypeBool, "DATE '2024-01-01' = DATE '2024-01-01'"},
		{"day IS NOT DISTINCT FROM NULL", sdk.TypeBool, ""},
		{"paid = 1", sdk.TypeBool, "paid = TRUE"},
		{"0 <> paid", sdk.TypeBool, "FALSE <> paid"},
		{"key = 'a0ee'", sdk.TypeBool, ""},
		{"doc IS NULL", sdk.TypeBool, ""},
		{"NOT (paid OR NULL)", sdk.TypeBool, ""},
		{"name LIKE 'a%'", sdk.TypeBool, ""},
		{"CASE WHEN paid THEN 1 ELSE 2.5 END", sdk.TypeDecimal, "CASE WHEN paid THEN 1 ELSE 2.5 END"},
		{"CASE WHEN paid THEN price ELSE 0 END", sdk.TypeDecimal, "CASE WHEN paid THEN price ELSE 0 END"},
		{"CASE WHEN paid THEN rate WHEN NOT paid THEN qty ELSE 1.5 END", sdk.TypeFloat64, "CASE WHEN paid THEN rate WHEN NOT paid THEN CAST(qty AS double) ELSE 1.5e0 END"},
		{"price > qty", sdk.TypeBool, ""},
		{"CASE WHEN paid THEN NULL END", sdk.TypeUnspecified, ""},
		{"CASE WHEN paid THEN day ELSE '2024-01-01' END", sdk.TypeDate, "CASE WHEN paid THEN day ELSE DATE '2024-01-01' END"},
		{"CASE WHEN paid THEN day ELSE at END", sdk.TypeTimestamp, "CASE WHEN paid THEN CAST(day AS timestamp) ELSE at END"},
		{"CASE day WHEN '2024-01-01' THEN 'a' END", sdk.TypeText, "CASE day WHEN DATE '2024-01-01' THEN 'a' END"},
		{"name::integer", sdk.TypeInt64, "CAST(name AS integer)"},
		{"qty::double", sdk.TypeFloat64, "CAST(qty AS double)"},
		{"round(price)::integer", sdk.TypeInt64, "CAST(round(price) AS integer)"},
		{"key::text", sdk.TypeText, "CAST(key AS text)"},
		{"at::date", sdk.TypeDate, "CAST(at AS date)"},
		{"'2024-01-31'::timestamp", sdk.TypeTimestamp, "TIMESTAMP '2024-01-31 00:00:00'"},
		{"anything::boolean", sdk.TypeBool, "CAST(anything AS boolean)"},
		{"abs(price)", sdk.TypeDecimal, ""},
		{"round(price, 2)", sdk.TypeDecimal, ""},
		{"sign(price)", sdk.TypeInt64, ""},
		{"sqrt(qty)", sdk.TypeFloat64, ""},
		{"coalesce(qty, price, NULL)", sdk.TypeDecimal, "coalesce(CAST(qty AS decimal), price, NULL)"},
		{"coalesce(qty, 0)", sdk.TypeInt64, ""},
		{"coalesce(day, '1970-01-01')", sdk.TypeDate, "coalesce(day, DATE '1970-01-01')"},
		{"greatest(day, at)", sdk.TypeTimestamp, "greatest(CAST(day AS timestamp), at)"},
		{"nullif(paid, 0)", sdk.TypeBool, "nullif(paid, FALSE)"},
		{"year('2024-01-31')", sdk.TypeInt64, "year(DATE '2024-01-31')"},
		{"date_diff_days('2024-01-31', at)", sdk.TypeInt64, "date_diff_days(DATE '2024-01-31', at)"},
		{"date_trunc('MONTH', at)", sdk.TypeDate, "date_trunc('month', at)"},
		{"date_trunc('hour', at)", sdk.TypeTimestamp, ""},
		{"sum(qty)", sdk.TypeInt64, ""},
		{"sum(price * qty)", sdk.TypeDecimal, ""},
		{"sum(rate)", sdk.TypeFloat64, ""},
		{"sum(anything)", sdk.TypeUnspecified, ""},
		{"avg(qty)", sdk.TypeFloat64, ""},
		{"median(price)", sdk.TypeFloat64, ""},
		{"percentile(qty, 0.5)", sdk.TypeFloat64, ""},
		{"count(*)", sdk.TypeInt64, ""},
		{"count(DISTINCT doc)", sdk.TypeInt64, ""},
		{"min(day)", sdk.TypeDate, ""},
		{"max(name)", sdk.TypeText, ""},
		{"string_agg(name, ',')", sdk.TypeText, ""},
		{"sum(price) / count(*)", sdk.TypeFloat64, ""},
	} {
		n := checked(t, c.text)
		if c.want == "" {
			c.want = c.text
		}
		if got := expression.String(n); got != c.want || n.Type() != c.typ {
			t.Errorf("%s is %s of type %s, want %s of type %s", c.text, got, n.Type(), c.want, c.typ)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"sum(name)", "invalid 1:5 sum takes numbers; name is text"},
		{"1 + sum(paid)", "invalid 1:9 sum takes numbers; paid is a boolean"},
		{"avg(lower(name))", "invalid 1:5 avg takes numbers; lower(name) is text"},
		{"percentile(day, 0.5)", "invalid 1:12 percentile takes numbers; day is a date"},
		{"min(paid)", "invalid 1:5 min takes numbers, text and times; paid is a boolean"},
		{"string_agg(qty, ',')", "invalid 1:12 string_agg takes text; qty is an integer"},
		{"-name", "invalid 1:2 - takes numbers; name is text"},
		{"qty + name", "invalid 1:7 + takes numbers; name is text"},
		{"day + 1", "invalid 1:1 + does not compute with dates; day is a date"},
		{"at - day", "invalid 1:1 - does not compute with dates; at is a timestamp"},
		{"rate % 2", "invalid 1:1 % takes exact numbers; rate is a double"},
		{"name || price", "invalid 1:9 || takes text and whole numbers; price is a decimal"},
		{"qty AND paid", "invalid 1:1 a condition is expected; qty is an integer"},
		{"NOT name", "invalid 1:5 a condition is expected; name is text"},
		{"CASE WHEN qty THEN 1 END", "invalid 1:11 a condition is expected; qty is an integer"},
		{"CASE WHEN paid THEN 1 ELSE name END", "invalid 1:21 1 is an integer, but name is text"},
		{"CASE qty WHEN name THEN 1 END", "invalid 1:15 name is text, but qty is an integer"},
		{"qty = name", "invalid 1:7 name is text, but qty is an integer"},
		{"qty = '1'", "invalid 1:7 '1' is text, but qty is an integer"},
		{"name = 1", "invalid 1:8 1 is an integer, but name is text"},
		{"paid = 2", "invalid 1:8 2 is an integer, but paid is a boolean"},
		{"paid = 'true'", "invalid 1:8 'true' is text, but paid is a boolean"},
		{"paid < TRUE", "invalid 1:1 paid is a boolean, which has no order"},
		{"day = qty", "invalid 1:7 qty is an integer, but day is a date"},
		{"day = '31.01.2024'", "invalid 1:7 '31.01.2024' is not a date"},
		{"day = '2024-01-31 10:00'", "invalid 1:7 '2024-01-31 10:00' is not a date"},
		{"at = '2024-01-31 10:00+02:00'", "invalid 1:6 '2024-01-31 10:00+02:00' is not a timestamp"},
		{"at BETWEEN '2024-01-01' AND '2024-13-01'", "invalid 1:29 '2024-13-01' is not a timestamp"},
		{"at = instant", "invalid 1:6 instant is an instant (timestamptz), but at is a timestamp"},
		{"day < instant", "invalid 1:7 instant is an instant (timestamptz), but day is a date"},
		{"qty = NULL", "invalid 1:1 a comparison with NULL is never true"},
		{"qty IN (1, NULL)", "invalid 1:12 NULL in a list is equal to nothing"},
		{"doc = '{}'", "invalid 1:1 doc is json, which cannot be compared"},
		{"qty LIKE '1%'", "invalid 1:1 like takes text; qty is an integer"},
		{"contains(day, '1')", "invalid 1:10 contains takes text; day is a date"},
		{"price::integer", "invalid 1:1 engines disagree whether a cast to integer cuts or rounds price"},
		{"paid::integer", "invalid 1:1 paid is a boolean, which has no cast to integer"},
		{"name::boolean", "invalid 1:1 name is text, which has no cast to boolean"},
		{"day::integer", "invalid 1:1 day is a date, which has no cast to integer"},
		{"'x'::date", "invalid 1:1 'x' is not a date"},
		{"lower(qty)", "invalid 1:7 lower takes text; qty is an integer"},
		{"concat(name, day)", "invalid 1:14 concat takes text and whole numbers; day is a date"},
		{"left(name, -1)", "invalid 1:12 left does not take -1: engines disagree about what it means"},
		{"substring(name, 0)", "invalid 1:17 substring does not take 0: engines disagree about what it means"},
		{"round(price, 1.5)", "invalid 1:14 round takes a whole number here; 1.5 is a decimal"},
		{"coalesce(qty, name)", "invalid 1:15 name is text, but qty is an integer"},
		{"year(qty)", "invalid 1:6 year takes dates and timestamps; qty is an integer"},
		{"year('x')", "invalid 1:6 year takes times; 'x' is none"},
		{"hour(day)", "invalid 1:6 hour takes timestamps; day is a date"},
		{"date_trunc('fortnight', at)", "invalid 1:12 date_trunc takes one of the units second, minute, hour, day, week, month, quarter, year"},
		{"date_trunc('day', instant)", "invalid 1:19 date_trunc of instant, an instant, depends on a time zone"},
		{"date_trunc('hour', day)", "invalid 1:20 date_trunc to the hour takes a timestamp; day is a date"},
	} {
		n, err := expression.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		_, err = expression.Check(n, resolve)
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
	n, err := expression.Parse("sum(orders.nothing)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = expression.Check(n, resolve); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestCheckCondition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"qty = 1": "<nil>", "paid": "<nil>", "anything": "<nil>", "NULL": "<nil>",
		"qty + 1": "invalid 1:1 a condition is expected; qty + 1 is an integer",
		"'x'":     "invalid 1:1 a condition is expected; 'x' is text",
	} {
		n, err := expression.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := expression.CheckCondition(n, resolve); told(err) != want {
			t.Errorf("%s: %s, want %s", text, told(err), want)
		}
	}
}

// Check leaves its argument as it was.
func TestCheckCopies(t *testing.T) {
	t.Parallel()
	n, err := expression.Parse("day >= '2024-01-01' AND qty IN (1, 2) OR coalesce(day, '2024-01-01') = at")
	if err != nil {
		t.Fatal(err)
	}
	before := expression.String(n)
	if _, err := expression.Check(n, resolve); err != nil {
		t.Fatal(err)
	}
	if after := expression.String(n); after != before {
		t.Errorf("%s became %s", before, after)
	}
	for _, name := range expression.Names(n) {
		if name.Type() != sdk.TypeUnspecified {
			t.Errorf("%s has got a type", name)
		}
	}
}
