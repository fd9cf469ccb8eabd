package reach_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

func testDialect() *dialect.Dialect {
	return &dialect.Dialect{
		Name: "test", Folding: dialect.FoldLower,
		Lexis: dialect.Lexis{
			Strings:      []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
			Identifiers:  []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}, {Prefix: "U&", Open: `"`, Close: `"`, Doubled: true}},
			LineComments: []dialect.LineComment{{Open: "--"}}, BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		},
	}
}

func object(kind reach.Kind, name string) reach.Object {
	schema, name, _ := strings.Cut(name, ".")
	return reach.Object{Kind: kind, Schema: schema, Name: name}
}

// shop defines a chain to a builtin, things that only look so, and a loop.
func shop(t *testing.T, allow ...string) *reach.Map {
	t.Helper()
	g := reach.New(testDialect(), reach.NewExceptions(allow))
	g.Builtins(dialect.Rules("opens another connection", "dblink*"))
	g.Keywords("~~", "LIKE")
	g.Define(object(reach.View, "public.v"), `SELECT "f"(1) AS n -- dblink_exec('x')`)
	g.Define(object(reach.View, "public.over_v"), "SELECT * FROM public . V")
	g.Define(object(reach.Function, "public.f"), "PERFORM dblink_exec('x', 'DELETE FROM t')")
	g.Define(object(reach.Function, "public.writes"), "UPDATE accounts SET balance = 0")
	g.Define(object(reach.View, "public.harmless"), "SELECT writes(), 'dblink_exec(1)', dblink_exec, f FROM accounts")
	g.Define(object(reach.Function, "public.ping"), "SELECT pong(n - 1)")
	g.Define(object(reach.Function, "public.pong"), "SELECT ping(n - 1)")
	g.Define(object(reach.Function, "public.around"), "SELECT around(n), f(n)")
	g.Define(object(reach.View, "public.torn"), "SELECT gone(1) FROM nowhere")
	g.Uses(object(reach.Operator, "public.~~"), object(reach.Function, "public.f"))
	g.Uses(object(reach.Domain, "public.email"), object(reach.Function, "public.f"))
	g.Leaves(object(reach.ForeignTable, "erp.orders"), reach.Reason{Text: "is on the server erp", Key: "allow_foreign_servers", Value: "erp"})
	g.Define(object(reach.View, "public.all_orders"), "SELECT * FROM erp.orders")
	g.Define(object(reach.View, "public.compares"), "SELECT a ~~ b FROM t")
	g.Define(object(reach.View, "public.zebra"), "SELECT f(1)")
	return g.Solve()
}

func find(t *testing.T, m *reach.Map, sql string, path ...string) *reach.Path {
	t.Helper()
	tokens, err := testDialect().Tokens(sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.Find(sql, tokens, path)
}

func TestFind(t *testing.T) {
	t.Parallel()
	m := shop(t)
	for sql, want := range map[string]string{
		"SELECT * FROM v":                        "view public.v → function public.f → dblink_exec",
		`SELECT * FROM "v"`:                      "view public.v → function public.f → dblink_exec",
		"TABLE public.V":                         "view public.v → function public.f → dblink_exec",
		"SELECT * FROM over_v":                   "view public.over_v → view public.v → function public.f → dblink_exec",
		"SELECT 1, f (2)":                        "function public.f → dblink_exec",
		"SELECT public . f(2)":                   "function public.f → dblink_exec",
		"SELECT (1).f":                           "function public.f → dblink_exec",
		"SELECT x.f FROM x":                      "function public.f → dblink_exec",
		"SELECT around(2)":                       "function public.around → function public.f → dblink_exec",
		"SELECT 1 ~~ 2":                          "operator public.~~ → function public.f → dblink_exec",
		"SELECT 1 OPERATOR(public.~~-) 2":        "operator public.~~ → function public.f → dblink_exec",
		"SELECT 1 WHERE 'a' NOT like 'b'":        "operator public.~~ → function public.f → dblink_exec",
		"SELECT 'x'::email":                      "domain public.email → function public.f → dblink_exec",
		"SELECT email 'x'":                       "domain public.email → function public.f → dblink_exec",
		"SELECT * FROM all_orders":               "view public.all_orders → foreign table erp.orders",
		"TABLE compares":                         "view public.compares → operator public.~~ → function public.f → dblink_exec",
		"TABLE ZEBRA":                            "view public.zebra → function public.f → dblink_exec",
		".v":                                     "view public.v → function public.f → dblink_exec", // a part of a text
		"2 ~~":                                   "operator public.~~ → function public.f → dblink_exec",
		"":                                       "",
		"SELECT * FROM public.orders":            "", // another schema's
		"SELECT f FROM t":                        "", // a column
		"SELECT other.f(1)":                      "", // another schema's
		"SELECT other.v FROM other":              "", // a column
		"SELECT writes() FROM harmless, torn":    "",
		"SELECT ping(1), pong(1)":                "",
		"SELECT 'v', \"over v\", v1 /* v */ --v": "",
		"SELECT 1 ~ 2":                           "",
	} {
		got := ""
		if p := find(t, m, sql); p != nil {
			got = p.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// A long way is written with both its ends: the last object is the one to know.
func TestLongPath(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		8:      "view s.o0 → view s.o1 → view s.o2 → view s.o3 → view s.o4 → view s.o5 → view s.o6 → s.o7",
		9:      "view s.o0 → view s.o1 → view s.o2 → view s.o3 → view s.o4 → view s.o5 → view s.o6 → view s.o7 → s.o8",
		10:     "view s.o0 → view s.o1 → view s.o2 → view s.o3 → (2 more) → view s.o6 → view s.o7 → view s.o8 → s.o9",
		10_000: "view s.o0 → view s.o1 → view s.o2 → view s.o3 → (9992 more) → view s.o9996 → view s.o9997 → view s.o9998 → s.o9999",
	} {
		var p reach.Path
		for i := range n - 1 {
			p.Objects = append(p.Objects, object(reach.View, fmt.Sprint("s.o", i)))
		}
		p.Objects = append(p.Objects, object(reach.Function, fmt.Sprint("s.o", n-1)))
		if got := p.String(); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// A name that is longer than the server keeps is found by what it keeps, which does not
// end within a character.
func TestFindCutNames(t *testing.T) {
	t.Parallel()
	full, split := strings.Repeat("n", 63), strings.Repeat("n", 60)+"ö"
	for _, kept := range []string{full, split, strings.Repeat("n", 60)} {
		g := reach.New(testDialect(), nil)
		g.Leaves(object(reach.Function, kept+"."+kept), reach.Reason{Text: "opens another connection"})
		g.Define(object(reach.View, "s.v"), "SELECT "+kept+"€x(1)")
		g.Define(object(reach.View, "s.short"), "SELECT "+kept[:59]+"(1)")
		m := g.Solve()
		for sql, want := range map[string]bool{
			"SELECT " + kept + "(1)": true, "SELECT " + kept + "€x(1)": true, "SELECT " + strings.ToUpper(kept) + "€(1)": true,
			"SELECT " + kept + "€." + kept + "€(1)": true, "TABLE v": true,
			"SELECT " + kept[:59] + "(1)": false, "SELECT " + kept[:59] + "m€€€(1)": false, "SELECT s." + kept + "(1)": false, "TABLE short": false,
		} {
			if got := find(t, m, sql) != nil; got != want {
				t.Errorf("%d bytes kept: %s: found %v", len(kept), sql, got)
			}
		}
	}
}

// No name is cut to fewer than 60 bytes: a longer one names nothing that is shorter.
func TestFindNoShorterName(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	g.Leaves(object(reach.Function, "s."+strings.Repeat("n", 59)), reach.Reason{Text: "opens another connection"})
	m := g.Solve()
	for n := 59; n < 70; n++ {
		if found := find(t, m, "SELECT "+strings.Repeat("n", n)+"(1)") != nil; found != (n == 59) {
			t.Errorf("a name of %d bytes: found %v", n, found)
		}
	}
}

// The way is the shortest one, to the first object of the graph as to others.
func TestShortestPath(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	g.Leaves(object(reach.ForeignTable, "s.orders"), reach.Reason{Text: "is on another server"})
	g.Define(object(reach.View, "s.direct"), "SELECT * FROM orders JOIN around")
	g.Define(object(reach.View, "s.around"), "SELECT * FROM orders")
	m := g.Solve()
	for sql, want := range map[string]string{
		"TABLE orders": "foreign table s.orders",
		"TABLE direct": "view s.direct → foreign table s.orders",
	} {
		if p := find(t, m, sql); p == nil || p.String() != want {
			t.Errorf("%s: %v, want %s", sql, p, want)
		}
	}
}

// A name is that of the view, not of the type of its rows.
func TestViewBeforeTheTypeOfItsRows(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	row, view := object(reach.Type, "public.v"), object(reach.View, "public.v")
	g.Define(row, "") // known first
	g.Uses(row, view)
	g.Leaves(view, reach.Reason{Text: "leaves"})
	if path := find(t, g.Solve(), "SELECT * FROM v"); path == nil || path.String() != "view public.v" {
		t.Errorf("the path is %v", path)
	}
}

// An operator that leaves the transaction is found when nothing else does, even
// the first character of the set.
func TestFindAnOperatorAlone(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	g.Leaves(object(reach.Operator, "s.+"), reach.Reason{Text: "opens another connection"})
	m := g.Solve()
	if find(t, m, "SELECT 1 + 2") == nil || find(t, m, "SELECT 1 +- 2") == nil {
		t.Error("it is not found")
	}
	if p := find(t, m, "SELECT 1 - 2"); p != nil {
		t.Error(p)
	}
}

// A string stands for a table where the dialect says so, and only there.
func TestStringsThatAreTables(t *testing.T) {
	t.Parallel()
	for _, tables := range []bool{false, true} {
		d := testDialect()
		d.Lexis.StringTables = tables
		g := reach.New(d, nil)
		g.Leaves(object(reach.ForeignTable, "s.orders"), reach.Reason{Text: "is on another server"})
		if p := find(t, g.Solve(), "SELECT * FROM 'orders'"); (p != nil) != tables {
			t.Errorf("strings are tables: %v; found %v", tables, p)
		}
	}
}

func TestFindByPath(t *testing.T) {
	t.Parallel()
	m := shop(t)
	for sql, path := range map[string][]string{
		"SELECT * FROM v":      {"other", "public"},
		"SELECT public.f(1)":   {"other"},
		"SELECT x.f FROM x":    {"other"},
		"TABLE erp.orders":     {"public"},
		"SELECT 'x'::email":    {"public"},
		"SELECT 1 ~~ 2":        {"other"}, // operators are found by their types too
		"SELECT * FROM orders": {"erp"},
	} {
		if find(t, m, sql, path...) == nil {
			t.Errorf("%s in %v is not found", sql, path)
		}
	}
	for _, sql := range []string{"SELECT * FROM v", "SELECT f(1)", "SELECT * FROM orders", "SELECT 'x'::email"} {
		if p := find(t, m, sql, "other"); p != nil {
			t.Errorf("%s is found in a schema that is not looked at: %s", sql, p)
		}
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	m := shop(t)
	sql := "SELECT *\nFROM over_v"
	e := find(t, m, sql).Refuse(sql)
	want := &sdk.Error{
		Kind: sdk.KindNotReadOnly, Source: sdk.SourceCaller, Pos: sdk.Position{Line: 2, Column: 6},
		Msg:  "the statement can leave its read-only transaction: view public.over_v → view public.v → function public.f → dblink_exec, which opens another connection",
		Hint: `read other objects, or, if this one is known to be harmless, add allow_functions: ["public.f"] to the connection's config`,
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	if key, value := m.Path(object(reach.View, "public.all_orders")).Allow(); key != "allow_foreign_servers" || value != "erp" {
		t.Errorf("allowed by %s: %s", key, value)
	}
	if p := m.Path(object(reach.View, "public.harmless")); p != nil {
		t.Error(p)
	}
}

// An exception is for the last object that a text can name in front of the one
// that leaves the transaction, and for that one when there is none.
func TestAllow(t *testing.T) {
	t.Parallel()
	view, trigger := object(reach.View, "s.v"), object(reach.Trigger, "s.t")
	function, leaving := object(reach.Function, "s.f"), reach.Object{Kind: reach.Function, Name: "dblink"}
	for _, c := range []struct {
		objects []reach.Object
		want    string
	}{
		{[]reach.Object{leaving}, "dblink"},
		{[]reach.Object{view, leaving}, "s.v"},
		{[]reach.Object{view, function, leaving}, "s.f"},
		{[]reach.Object{view, trigger, leaving}, "s.v"},
		{[]reach.Object{view, trigger, trigger, leaving}, "s.v"},
		{[]reach.Object{trigger, leaving}, "dblink"},
	} {
		p := &reach.Path{Objects: c.objects}
		if key, value := p.Allow(); key != reach.AllowFunctions || value != c.want {
			t.Errorf("%s: %s: %s, want %s", p, key, value, c.want)
		}
	}
}

// What a refusal says to add must be what lets the statement run.
func TestExceptions(t *testing.T) {
	t.Parallel()
	for _, allow := range []string{"f", "public.f", "public.*", "public.f*", "public.f()"} {
		m := shop(t, allow)
		if p := find(t, m, "SELECT * FROM over_v"); p != nil {
			t.Errorf("%s: %s", allow, p)
		}
		if find(t, m, "SELECT * FROM all_orders") == nil && allow != "public.*" {
			t.Errorf("%s allows all", allow)
		}
		if got := m.Unmatched(); len(got) > 0 {
			t.Errorf("%s: unmatched %v", allow, got)
		}
	}
	m := shop(t, "F", "public.ff", "f(integer)", "*")
	if find(t, m, "SELECT f(1)") == nil {
		t.Error("an exception of another name counts")
	}
	var names []string
	for _, u := range m.Unmatched() {
		names = append(names, u.Path+": "+u.Summary)
	}
	if diff := cmp.Diff([]string{
		"allow_functions: allow_functions names F, which is not there; did you mean f or v?",
		"allow_functions: allow_functions names public.ff, which is not there; did you mean public.f or public.v?",
		"allow_functions: allow_functions names f(integer), which is not there",
		"allow_functions: allow_functions names *, which is not there; did you mean f or v?",
	}, names); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadableDefinitions(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	g.Define(object(reach.Function, "s.torn"), "SELECT 'x")
	g.Define(object(reach.Function, "s.hidden"), `SELECT U&"\0066"(1)`)
	m := g.Solve()
	for sql, want := range map[string]string{"SELECT torn(1)": "cannot be read", "SELECT hidden(1)": "in escapes"} {
		p := find(t, m, sql)
		if p == nil || !strings.Contains(p.Reason.Text, want) || !strings.HasPrefix(p.String(), "function s.") {
			t.Errorf("%s: %v", sql, p)
		}
	}
}

// chain defines a function per link and per link some that nothing reaches.
func chain(n int) *reach.Map {
	g := reach.New(testDialect(), nil)
	g.Builtins(dialect.Rules("opens another connection", "dblink*"))
	for i := range n {
		g.Define(object(reach.Function, fmt.Sprintf("s.f%d", i)), fmt.Sprintf("SELECT f%d(1), lower('x')", i+1))
		g.Define(object(reach.Function, fmt.Sprintf("s.g%d", i)), fmt.Sprintf("SELECT g%d(1) + upper('x')", i*7%n))
	}
	g.Define(object(reach.Function, fmt.Sprintf("s.f%d", n)), "SELECT dblink('x')")
	return g.Solve()
}

func TestLongChain(t *testing.T) {
	t.Parallel()
	const n = 20000
	m := chain(n)
	if p := find(t, m, "SELECT f0(1)"); p == nil || len(p.Objects) != n+2 {
		t.Fatal("the end of the chain is not found")
	}
	if p := find(t, m, "SELECT g0(1)"); p != nil {
		t.Error(p)
	}
}

// Allocations grow with the number of functions, not faster.
func TestGrowth(t *testing.T) {
	cost := func(n int) float64 { return testing.AllocsPerRun(3, func() { chain(n) }) }
	if small, large := cost(300), cost(3000); large > 13*small {
		t.Errorf("10 times the functions cost %.1f times the allocations", large/small)
	}
}

// Statements pay nothing for what they do not name.
func TestFindAllocatesNothing(t *testing.T) {
	m := chain(1000)
	sql := "SELECT count(*), sum(x.total) FROM sales AS x JOIN customers c ON c.id = x.customer WHERE x.at > now() - 7"
	tokens, err := testDialect().Tokens(sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := []string{"pg_catalog", "public"}
	if got := testing.AllocsPerRun(100, func() {
		if m.Find(sql, tokens, path) != nil {
			t.Error("found")
		}
	}); got > 0 {
		t.Errorf("%.1f allocations", got)
	}
}

func TestReached(t *testing.T) {
	t.Parallel()
	var names []string
	for _, o := range shop(t).Reached() {
		names = append(names, o.String())
	}
	slices.Sort(names)
	want := []string{
		"domain public.email", "foreign table erp.orders", "function dblink_exec", "function public.around", "function public.f",
		"operator public.~~", "view public.all_orders", "view public.compares", "view public.over_v", "view public.v", "view public.zebra",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// A map has the objects of its graph, whether or not they leave the transaction.
func TestHas(t *testing.T) {
	t.Parallel()
	g := reach.New(testDialect(), nil)
	calm, wild := reach.Object{Kind: reach.Table, Schema: "s", Name: "calm"}, reach.Object{Kind: reach.Table, Schema: "s", Name: "wild"}
	g.Add(calm)
	g.Leaves(wild, reach.Reason{Text: "lives elsewhere"})
	m := g.Solve()
	other := reach.Object{Kind: reach.View, Schema: "s", Name: "calm"}
	if !m.Has(calm) || !m.Has(wild) || m.Has(other) {
		t.Errorf("has %t, %t and %t", m.Has(calm), m.Has(wild), m.Has(other))
	}
}
