package expression_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// told is what an agent sees of an error: "kind 1:2 message".
func told(err error) string {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return fmt.Sprint(err)
	}
	if e.Source != sdk.SourceCaller || e.Hint == "" {
		return "no hint or another source: " + e.Error()
	}
	return fmt.Sprintf("%s %d:%d %s", e.Kind, e.Pos.Line, e.Pos.Column, e.Msg)
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "syntax 1:1 the expression is empty"},
		{" \n ", "syntax 2:2 the expression is empty"},
		{"a +", "syntax 1:4 the expression ends where a value is expected"},
		{"a b", "syntax 1:3 b stands where the end of the expression is expected"},
		{"a\n  = é é", "syntax 2:7 é stands where the end of the expression is expected"},
		{"(a", "syntax 1:3 the expression ends where an operator or ) is expected"},
		{"a)", "syntax 1:2 a ) stands where the end of the expression is expected"},
		{"a = b = c", "syntax 1:7 a comparison follows a comparison"},
		{"a = b IS NULL", "syntax 1:7 a comparison follows a comparison"},
		{"a = NOT b", "syntax 1:5 NOT stands where a value is expected"},
		{"a NOT b", "syntax 1:7 b stands where BETWEEN, IN, LIKE or ILIKE is expected"},
		{"a IS b", "syntax 1:6 b stands where NULL, NOT NULL or DISTINCT FROM is expected"},
		{"a BETWEEN 1 OR 2", "syntax 1:13 OR stands where AND and the upper end of BETWEEN is expected"},
		{"a IN ()", "syntax 1:7 the list is empty"},
		{"a IN b", "syntax 1:6 b stands where a list in parentheses is expected"},
		{`a LIKE 'x' ESCAPE '!'`, "syntax 1:12 ESCAPE is not part of the language"},
		{"CASE END", "syntax 1:6 END stands where a value is expected"},
		{"CASE a END", "syntax 1:8 END stands where WHEN is expected"},
		{"CASE WHEN a THEN b", "syntax 1:19 the expression ends where WHEN, ELSE or END is expected"},
		{"CAST(a AS money)", "invalid 1:11 money is no type of the language"},
		{"a::decimal(10, 2)", "invalid 1:11 a type takes no length or precision"},
		{"a.1", "syntax 1:3 1 stands where a name behind the dot is expected"},
		{"a.b.c.d.e.f", "invalid 1:1 the name has 6 parts; the limit is 5"},
		{"pg_catalog.now()", "invalid 1:1 pg_catalog.now is not a function"},
		{`"sum"(a)`, "invalid 1:1 sum is not a function"},
		{`""`, "syntax 1:1 the quoted name is empty"},
		{"{a", "syntax 1:3 the expression ends where } is expected"},
		{"{{ a }}", "syntax 1:2 { stands where a name is expected"},
		{"1a", "syntax 1:1 a letter follows a number"},
		{"0xff", "syntax 1:1 a letter follows a number"},
		{"1e", "syntax 1:1 a letter follows a number"},
		{"1.", "syntax 1:1 the number ends with a point"},
		{"1.2.3", "syntax 1:4 .3 stands where the end of the expression is expected"},
		{strings.Repeat("9", 60), "syntax 1:1 the number has more than 38 digits"},
		{"a < 1e400", "invalid 1:5 the number 1e400 is beyond what a double holds"},
		{"DATE '2024-02-30'", "invalid 1:6 '2024-02-30' is not a date"},
		{"TIMESTAMP '2024-02-30 10:00'", "invalid 1:11 '2024-02-30 10:00' is not a timestamp"},
		{"TIMESTAMPTZ '2024-01-01 10:00:00'", "invalid 1:13 '2024-01-01 10:00:00' is not a timestamptz"},
		{"a - INTERVAL '1 day'", "invalid 1:5 intervals are not part of the language"},
		{"E'a\\n'", "syntax 1:2 'a\\n' stands where an operator is expected"},
		{"'a' 'b'", "syntax 1:5 'b' stands where the end of the expression is expected"},

		{"ceiled(a)", "invalid 1:1 there is no function ceiled"},
		{"round()", "invalid 1:1 round takes 1 or 2 arguments, not 0"},
		{"coalesce()", "invalid 1:1 coalesce takes at least 1 argument, not 0"},
		{"lower(a, b)", "invalid 1:1 lower takes 1 argument, not 2"},
		{"extract(dow from a)", "invalid 1:9 EXTRACT has no such field"},
		{"sum(*)", "syntax 1:5 * stands where a value is expected"},
		{"sum()", "syntax 1:5 the list of arguments is empty"},
		{"sum(DISTINCT a)", "invalid 1:5 sum takes no DISTINCT"},
		{"count(a, b)", "invalid 1:1 count takes 1 argument, not 2"},
		{"sum(1 + avg(a))", "invalid 1:9 avg stands inside sum: an aggregate of an aggregate has no meaning in one step"},
		{"percentile(a, 2)", "invalid 1:15 the second argument of percentile is a number from 0 to 1"},
		{"percentile(a, b)", "invalid 1:15 the second argument of percentile is a number from 0 to 1"},
		{"string_agg(a, b)", "invalid 1:15 the separator of string_agg is a text in quotes"},
	} {
		_, err := expression.Parse(c.text)
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// What comes with a query may be meant to hurt. None of it parses.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"1; DROP TABLE users", "not_read_only 1:2 a second statement is refused: an expression has no semicolon"},
		{"a;", "not_read_only 1:2 a second statement is refused: an expression has no semicolon"},
		{"DELETE FROM users", "not_read_only 1:1 DELETE begins a statement, not an expression"},
		{"update users set a = 1", "not_read_only 1:1 UPDATE begins a statement, not an expression"},
		{"a) INTO OUTFILE '/tmp/x'", "syntax 1:2 a ) stands where the end of the expression is expected"},
		{"a INTO b", "not_read_only 1:3 INTO begins a statement, not an expression"},
		{"SELECT 1", "invalid 1:1 SELECT belongs to a query: an expression has no subquery"},
		{"a IN (SELECT b FROM c)", "invalid 1:7 SELECT belongs to a query: an expression has no subquery"},
		{"(WITH x AS (SELECT 1) SELECT * FROM x)", "invalid 1:2 WITH belongs to a query: an expression has no subquery"},
		{"EXISTS (SELECT 1)", "invalid 1:1 there is no function EXISTS"},
		{"exists(a)", "invalid 1:1 there is no function exists"},
		{"a UNION SELECT b", "invalid 1:3 UNION belongs to a query: an expression has no subquery"},
		{"a FROM b", "invalid 1:3 FROM belongs to a query: an expression has no subquery"},
		{"sum(a) OVER (PARTITION BY b)", "invalid 1:8 OVER is not part of the language: there are no windows and no filtered aggregates"},
		{"count(*) FILTER (WHERE a)", "invalid 1:10 FILTER is not part of the language: there are no windows and no filtered aggregates"},
		{"a COLLATE nocase = 'x'", "invalid 1:3 COLLATE is not part of the language"},
		{"a -- comment", "syntax 1:3 a comment is refused: -- starts one"},
		{"a /* comment */", "syntax 1:3 a comment is refused: /* starts one"},
		{"a /*! + sleep(1) */", "syntax 1:3 a comment is refused: /* starts one"},
		{"a # comment", "syntax 1:3 the character '#' has no meaning here"},
		{"pg_sleep(10)", "invalid 1:1 there is no function pg_sleep"},
		{"load_extension('x')", "invalid 1:1 there is no function load_extension"},
		{"a = ?", "syntax 1:5 the character '?' starts a parameter, and there are none"},
		{"a = $1", "syntax 1:5 the character '$' starts a parameter, and there are none"},
		{"a = @x", "syntax 1:5 the character '@' starts a parameter, and there are none"},
		{"a = :x", "syntax 1:5 the character ':' starts a parameter, and there are none"},
		{"$$a$$", "syntax 1:1 the character '$' starts a parameter, and there are none"},
		{"'a", "syntax 1:1 the text that starts here has no end"},
		{`'a\''`, "syntax 1:1 the text that starts here has no end"},
		{`"a`, "syntax 1:1 the quoted name that starts here has no end"},
		{"`a`", "syntax 1:1 the character '`' quotes no name here"},
		{"[a]", "syntax 1:1 the character '[' quotes no name here"},
		{"‘a’", "syntax 1:1 the character '‘' (U+2018) has no meaning here"},
		{"a\x00", "syntax 1:2 the text has a NUL character"},
		{"'a\x00'", "syntax 1:3 the text has a NUL character"},
		{"\"a\x00\"", "syntax 1:3 the text has a NUL character"},
		{"'a\x1b[2J'", "syntax 1:3 the invisible character U+001B is refused"},
		{"\"a\nb\"", "syntax 1:3 the invisible character U+000A is refused"},
		{"a\x0bb", "syntax 1:2 the invisible character U+000B is refused"},
		{"a\u00a0= 1", "syntax 1:2 the invisible character U+00A0 is refused"},
		{"a\u200b", "syntax 1:2 the invisible character U+200B is refused"},
		{"a\u202eb", "syntax 1:2 the invisible character U+202E is refused"},
		{"a\xff", "syntax 1:2 the text is not valid UTF-8"},
		{"'\xff'", "syntax 1:2 the text is not valid UTF-8"},
		{"a − b", "syntax 1:3 the character '−' (U+2212) has no meaning here"},
		{"a := 1", "syntax 1:3 the character ':' starts a parameter, and there are none"},
		{"a && b", "syntax 1:3 the character '&' has no meaning here"},
		{"a == b", "syntax 1:4 = stands where a value is expected"},
		{"a ^ 2", "syntax 1:3 the character '^' has no meaning here"},
		{"a -> 'b'", "syntax 1:4 > stands where a value is expected"},
	} {
		_, err := expression.Parse(c.text)
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// Text that is too long or too deep is refused, whatever it is made of.
func TestLimits(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, text := range map[string]string{
		"1 MiB of text":        "'" + strings.Repeat("x", mib) + "'",
		"1 MiB of parentheses": strings.Repeat("(", mib),
		"1 MiB of ANDs":        "a" + strings.Repeat(" AND a", mib/6),
		"parentheses":          strings.Repeat("(", 1000) + "a" + strings.Repeat(")", 1000),
		"minus":                strings.Repeat("- ", 1000) + "a",
		"NOT":                  strings.Repeat("NOT ", 1000) + "a",
		"plus":                 "a" + strings.Repeat(" + a", 1000),
		"concatenation":        "a" + strings.Repeat(" || a", 1000),
		"casts":                "a" + strings.Repeat("::text", 1000),
		"calls":                strings.Repeat("abs(", 1000) + "a" + strings.Repeat(")", 1000),
		"cases":                strings.Repeat("CASE WHEN ", 1000) + "a" + strings.Repeat(" THEN 1 END", 1000),
		"plus in parentheses":  strings.Repeat("(", 150) + "a" + strings.Repeat(" + a", 150) + strings.Repeat(" + a)", 150),
	} {
		if _, err := expression.Parse(text); sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 190) + "a" + strings.Repeat(")", 190),
		"plus":        "a" + strings.Repeat(" + a", 190),
		"AND":         "a" + strings.Repeat(" AND a", 9000),
		"mixed logic": "a" + strings.Repeat(" AND a OR a", 5000),
		"list":        "a IN (1" + strings.Repeat(", 1", 9000) + ")",
		"when":        "CASE" + strings.Repeat(" WHEN a THEN b", 4000) + " END",
	} {
		if _, err := expression.Parse(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Templates that repeat their arguments multiply; the text stays bounded.
func TestPrintedTextIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, before, after string }{
		{"mysql", "split_part(", ", ',', 1)"},
		{"sqlite", "lower(", " || name)"},
		{"sqlite", "CASE WHEN (", ") IN (name, status) THEN 'a' ELSE 'b' END"},
		{"sqlserver", "((", ") = paid)"},
	} {
		text := strings.Repeat(c.before, 60) + "name" + strings.Repeat(c.after, 60)
		if c.dialect == "sqlserver" {
			text = strings.Replace(text, "name", "paid", 1)
		}
		if _, err := printer(engine(t, c.dialect)).Value(checked(t, text)); sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("60 times %s…%s: %v", c.before, c.after, err)
		}
	}
}

// The cost of reading, checking and printing is linear: ten times the text takes
// ten times the memory, whatever it is made of. Times are logged.
func TestCostIsLinear(t *testing.T) {
	d := engine(t, "sqlite")
	for name, text := range map[string]func(n int) string{
		"logic":  func(n int) string { return "paid" + strings.Repeat(" AND qty = 1", n) },
		"mixed":  func(n int) string { return "paid" + strings.Repeat(" AND paid OR paid", n) },
		"list":   func(n int) string { return "qty IN (1" + strings.Repeat(", 12", n) + ")" },
		"text":   func(n int) string { return "name = '" + strings.Repeat("''é\n", n) + "'" },
		"case":   func(n int) string { return "CASE" + strings.Repeat(" WHEN paid THEN 1", n) + " END" },
		"concat": func(n int) string { return "concat(name" + strings.Repeat(", name", n) + ")" },
		"broken": func(n int) string { return "paid" + strings.Repeat(" AND qty = 1", n) + " AND" },
	} {
		cost := func(n int) (bytes uint64, took time.Duration) {
			s := text(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			for range 20 {
				node, err := expression.Parse(s)
				if err != nil {
					continue
				}
				if node, err = expression.Check(node, resolve); err != nil {
					t.Fatal(err)
				}
				if _, err := printer(d).Value(node); err != nil {
					t.Fatal(err)
				}
			}
			took = time.Since(start)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc, took
		}
		cost(300)
		small, quick := cost(300)
		large, slow := cost(3000)
		t.Logf("%s: %d KiB in %v, ten times the text %d KiB in %v", name, small/20/1024, quick/20, large/20/1024, slow/20)
		if large > 14*small {
			t.Errorf("%s: %d bytes for 300 terms, %d for 3000", name, small, large)
		}
	}
}
