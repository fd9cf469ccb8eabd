package expression_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// The names of a fragment are found in each dialect's own lexis, and written anew.
func TestParseNative(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, text string
		names         []string
		sql           string // with known names bound to their capitals in <>
	}{
		{"postgres", "amount", []string{"amount"}, "(<AMOUNT>)"},
		{"postgres", "  Orders.Amount * 2 ", []string{"orders.amount"}, "(<ORDERS.AMOUNT> * 2)"},
		{"postgres", `"Amount" + "a""b"`, []string{"Amount", `"a""b"`}, `(<AMOUNT> + <A"B>)`},
		{"postgres", "amount::numeric(10, 2)", []string{"amount"}, "(<AMOUNT>::numeric(10, 2))"},
		{"postgres", "CAST(amount AS double precision)", []string{"amount"}, "(CAST(<AMOUNT> AS double precision))"},
		{"postgres", "CAST(a AS timestamp with time zone)", []string{"a"}, "(CAST(<A> AS timestamp with time zone))"},
		{"postgres", "created AT TIME ZONE 'Europe/Berlin'", []string{"created"}, "(<CREATED> AT TIME ZONE 'Europe/Berlin')"},
		{"postgres", "EXTRACT(year FROM created)", []string{"created"}, "(EXTRACT(year FROM <CREATED>))"},
		{"postgres", "a > now() - INTERVAL '1 day'", []string{"a"}, "(<A> > now() - INTERVAL '1 day')"},
		{"postgres", "CASE WHEN a IS NULL THEN 'a' ELSE b END", []string{"a", "b"}, "(CASE WHEN <A> IS NULL THEN 'a' ELSE <B> END)"},
		{"postgres", "payload->>'kind' = $q$a;b$q$", []string{"payload"}, "(<PAYLOAD>->>'kind' = $q$a;b$q$)"},
		{"postgres", "percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC)", []string{"a"}, "(percentile_cont(0.5) WITHIN GROUP (ORDER BY <A> DESC))"},
		{"postgres", "sum(a) FILTER (WHERE b)", []string{"a", "b"}, "(sum(<A>) FILTER (WHERE <B>))"},
		{"postgres", "'a; b -- c'", nil, "('a; b -- c')"},
		{"postgres", "DATE '2024-01-01'", nil, "(DATE '2024-01-01')"},
		{"postgres", "tags[1]", []string{"tags"}, "(<TAGS>[1])"},
		{"mysql", "DATE_ADD(a, INTERVAL b DAY)", []string{"a", "b"}, "(DATE_ADD(<A>, INTERVAL <B> DAY))"},
		{"mysql", "IF(`a b` > 1, \"b\", 'c')", []string{`"a b"`}, "(IF(<A B> > 1, \"b\", 'c'))"},
		{"mysql", `'it\'s; a'`, nil, `('it\'s; a')`},
		{"clickhouse", "countIf(status = 'paid')", []string{"status"}, "(countIf(<STATUS> = 'paid'))"},
		{"clickhouse", "event.user.id", []string{"event.user.id"}, "(<EVENT>.user.id)"},
		{"clickhouse", "arrayMap(x -> x + a, list)", []string{"x", "a", "list"}, "(arrayMap(x -> x + <A>, <LIST>))"},
		{"duckdb", "list_filter(a, lambda y : y > b)", []string{"a", "b"}, "(list_filter(<A>, lambda y : y > <B>))"},
		{"sqlserver", "[Order Date] + DATEADD(day, 1, b)", []string{`"Order Date"`, "day", "b"}, "(<ORDER DATE> + DATEADD(day, 1, <B>))"},
		{"snowflake", "amount::int + \"a\"", []string{"AMOUNT", "a"}, "(<AMOUNT>::int + <A>)"},
		{"bigquery", "IF(a = \"x; y\", `b`, r'\\d')", []string{"a", "b"}, "(IF(<A> = \"x; y\", <B>, r'\\d'))"},
		{"postgres", "||/ a", []string{"a"}, "(||/ <A>)"},
		{"postgres", "- a", []string{"a"}, "(- <A>)"},
		{"postgres", "count(*) FILTER (WHERE a)", []string{"a"}, "(count(*) FILTER (WHERE <A>))"},
		{"duckdb", "a[2:]", []string{"a"}, "(<A>[2:])"},
		{"sqlite", "CAST(strftime('%Y', a) AS INTEGER)", []string{"a"}, "(CAST(strftime('%Y', <A>) AS INTEGER))"},
	} {
		d := engine(t, c.dialect)
		n, err := expression.ParseNative(c.text, d)
		if err != nil {
			t.Errorf("%s: %s: %v", c.dialect, c.text, err)
			continue
		}
		var names []string
		for _, name := range expression.Names(n) {
			names = append(names, name.String())
		}
		if diff := cmp.Diff(c.names, names); diff != "" {
			t.Errorf("%s: the names of %s (-want +got):\n%s", c.dialect, c.text, diff)
		}
		p := printer(d)
		p.Name = func(n *expression.Name) (string, error) {
			return "<" + strings.ToUpper(strings.Join(n.Parts, ".")) + ">", nil
		}
		bound := n.Bind(func(n *expression.Name) int {
			switch {
			case slices.Contains([]string{"x", "y", "day"}, n.Parts[0]):
				return 0
			case n.Parts[0] == "event":
				return 1
			}
			return len(n.Parts)
		})
		if got, err := p.Value(bound); err != nil || got != c.sql {
			t.Errorf("%s: %s is written as %s, %v, want %s", c.dialect, c.text, got, err, c.sql)
		}
		plain, err := p.Value(n.Bind(func(*expression.Name) int { return 0 }))
		if want := "(" + strings.TrimSpace(c.text) + ")"; err != nil || plain != want {
			t.Errorf("%s: without names %s is written as %s, %v", c.dialect, c.text, plain, err)
		}
	}
}

func TestNativeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, text, want string }{
		{"postgres", " ", "syntax 0:0 the expression is empty"},
		{"postgres", "a; DROP TABLE b", "not_read_only 1:2 a second statement is refused: an expression has no semicolon"},
		{"postgres", "a -- b", "invalid 1:2 the expression has a comment"},
		{"postgres", "/* b */ a", "invalid 1:1 the expression has a comment"},
		{"postgres", "a) OR (b", "syntax 1:2 ) closes no bracket"},
		{"postgres", "f(a", "syntax 1:2 the bracket is not closed"},
		{"postgres", "f(a]", "syntax 1:4 ] closes no bracket"},
		{"postgres", "(SELECT max(a) FROM b)", "invalid 1:2 SELECT begins a query: an expression has no subquery"},
		{"postgres", "a IN (VALUES (1))", "invalid 1:7 VALUES begins a query: an expression has no subquery"},
		{"postgres", "a UNION SELECT b", "invalid 1:3 UNION begins a query: an expression has no subquery"},
		{"duckdb", "a IN (FROM b)", "invalid 1:7 FROM begins a query: an expression has no subquery"},
		{"postgres", "row_number() OVER (ORDER BY a)", "invalid 1:14 windows are not part of an expression"},
		{"postgres", "DELETE FROM a", "not_read_only 1:1 DELETE begins a statement, not an expression"},
		{"postgres", "a INTO b", "not_read_only 1:3 INTO begins a statement, not an expression"},
		{"postgres", "a = $1", "invalid 1:5 $1 is a parameter, and there are none"},
		{"postgres", "'a", "syntax 1:1 the string that starts here has no end"},
		{"postgres", "a\x00", "syntax 1:2 the text has a NUL character"},
		{"postgres", "{{ dbt }}", "invalid 1:1 {{ starts a template"},
		{"postgres", strings.Repeat("f(", 300), "limit 1:402 the expression nests deeper than 200 levels"},
		{"postgres", strings.Repeat("x", 1<<20), "limit 0:0 the expression has 1048576 bytes; the limit is 65536"},
		{"postgres", "Total +", "syntax 1:7 the expression ends with +"},
		{"postgres", "a *", "syntax 1:3 the expression ends with *"},
		{"postgres", "a ~ b AND", "syntax 1:7 the expression ends with AND"},
		{"postgres", "a::", "syntax 1:2 the expression ends with ::"},
		{"postgres", "* a", "syntax 1:1 the expression begins with *"},
		{"postgres", "= a", "syntax 1:1 the expression begins with ="},
		{"postgres", "CASE WHEN a ~ 'x' THEN 1", "syntax 1:1 the CASE has no END"},
		{"mysql", "a # b", "invalid 1:2 the expression has a comment"},
		{"mysql", "a /*! ; */", "not_read_only 1:3 the comment /*! hides SQL that the engine runs"},
		{"mysql", `'\'`, "syntax 1:1 the string that starts here has no end"},
	} {
		_, err := expression.ParseNative(c.text, engine(t, c.dialect))
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Errorf("%s: %.40q (-want +got):\n%s", c.dialect, c.text, diff)
		}
	}
}

func TestNativeIsItsDialectsOnly(t *testing.T) {
	t.Parallel()
	n, err := expression.ParseNative("sum(a) + b", engine(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if expression.ClassOf(n) != expression.Aggregated || n.Type() != sdk.TypeUnspecified {
		t.Errorf("the class is %d, the type %s", expression.ClassOf(n), n.Type())
	}
	if _, err := printer(engine(t, "mysql")).Value(n); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("on another dialect: %v", err)
	}
	replaced, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		return parsed(t, name.String()+"1 + 1"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[expression.Node]string{n: `(sum("a") + "b")`, replaced: `(sum(("a1" + 1)) + ("b1" + 1))`} {
		if got, err := printer(engine(t, "postgres")).Value(node); err != nil || got != want {
			t.Errorf("written as %s, %v, want %s", got, err, want)
		}
	}
}
