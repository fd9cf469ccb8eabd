package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const ordersFile = `name: orders
description: "One row per order.\u001b[2J"
table: main.orders
primary_key: [id]
default_time_dimension: ordered_at
dimensions:
  - {name: ordered_at, type: time, column_type: date}
  - {name: status, type: string, values: [paid, shipped], synonyms: [state]}
  - {name: late, type: boolean, expr: "status = 'on hold'"}
measures:
  - {name: order_count, agg: count, description: Number of orders.}
  - {name: shipped, agg: count, filter: "status = 'shipped'", default: 0}
  - {name: shipped_rate, type: ratio, numerator: shipped, denominator: order_count, format: percent}
  - {name: broken, agg: sum, expr: "sum(id)"}
segments:
  - {name: done, expr: "status = 'shipped'"}
`

// TestSemanticCommands is what a person sees of a connection with files and a
// scan, one with a broken file and neither scan nor connector.
func TestSemanticCommands(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop)
	f.put(t, "semantic-layer/shop/orders.yaml", ordersFile)
	f.put(t, "semantic-layer/shop/metrics.yaml", "metrics: [{name: double, type: derived, expr: orders.order_count * 2}]\n")
	f.put(t, "semantic-layer/crm/tickets.yaml", "name: tickets\ntable: tickets\nmesures: []\n")
	f.put(t, "semantic-layer/shpo/orders.yaml", ordersFile)
	f.session(t, "semantic",
		words("sl list"),
		words("sl list --all -c shop"),
		words("sl list state"),
		words("sl list nothing"),
		words("sl list -c shpo"),
		words("sl show orders"),
		words("sl show customers"),
		words("sl show orders --dimension status"),
		words("sl show metrics"),
		words("sl show -c crm tickets"),
		words("sl show ordrs"),
		words("sl query -c shop -m orders.order_count"),
		words("sl query -c shop -m orders.order_count --format sql"),
		words("sl query -c shop -m orders.order_count -b"),
		words("sl validate"),
		words("sl validate -c shop orders --data"),
		words("sl validate ordrs"),
		words("sl validate --sql"),
	)
	newFolder(t).session(t, "semantic-empty", words("sl list"), words("sl show orders"), words("sl query -m orders.order_count"))
	newFolder(t, "shop", "crm").session(t, "semantic-none", words("sl list"), words("sl list --all"), words("sl query -m orders.order_count"))
}

func TestSemanticDocuments(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "sync-one", shop)
	f.put(t, "semantic-layer/shop/orders.yaml", ordersFile)
	var listed struct{ Connections []semanticquery.ListAnswer }
	f.decode(t, &listed, "sl", "list", "--all", "--json")
	if len(listed.Connections) != 1 || listed.Connections[0].Total != 4 {
		t.Errorf("%+v", listed)
	}
	var source semanticquery.SourceAnswer
	f.decode(t, &source, "sl", "show", "orders", "--json")
	if source.Name != "orders" || len(source.Measures) != 5 || len(source.Problems) != 2 {
		t.Errorf("%+v", source)
	}
	code, stdout, stderr := f.loam(t, "sl", "query", "--json", "-m", "orders.order_count", "-w", "orders.status == 1")
	var failed struct{ Error failureDocument }
	if err := json.Unmarshal([]byte(stderr), &failed); err != nil || code != 3 || stdout != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if d := failed.Error.Details; d == nil || d.Code != refusal.CodeInvalidExpression || failed.Error.Kind != sdk.KindSyntax || d.Position == nil || d.Excerpt == "" {
		t.Errorf("%s", stderr)
	}
}

func TestSemanticUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args string
		code int
		says string
	}{
		{"nothing", "", 2, "--measure"},
		{"a limit alone", "--limit 3", 2, "nothing is asked for"},
		{"a word", "orders.revenue", 2, "behind flags"},
		{"file and flags", "--file q.json -m a.b", 2, "--measure goes into the file"},
		{"file and limit", "--file q.json --limit 3", 2, "--limit goes into the file"},
		{"input and flags", "- --by a.b", 2, "--by goes into the file"},
		{"file and input", "--file q.json -", 2, "either"},
		{"no such file", "--file no/such/file", 5, "no/such/file"},
		{"empty input", "-", 2, "it is empty"},
		{"format", "-m a.b --format xml", 2, "table, json, sql or plan"},
		{"two formats", "-m a.b --json --format sql", 2, "--format sql"},
		{"limit of zero", "-m a.b --limit 0", 2, "from 1 to"},
		{"limit below zero", "-m a.b --limit -1", 2, "from 1 to"},
		{"limit above all", "-m a.b --limit 1000001", 2, "too many"},
		{"limit of a word", "-m a.b --limit many", 2, "invalid argument"},
		{"offset", "-m a.b --offset -1", 2, "offset: it must not be negative"},
		{"fanout", "-m a.b --fanout twice", 2, "distinct"},
		{"time zone", "-m a.b --time-zone Mars", 2, "time_zone"},
		{"timeout", "-m a.b --timeout -1s", 2, "negative"},
		{"range", "-m a.b --date-range sometime", 2, "no range of time"},
		{"empty measure", "-m ", 2, "flag needs an argument"},
		{"no UTF-8", "-m a.\xff", 2, "no UTF-8"},
		{"several statements", "-m a.b -w 1;2", 4, "semicolon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := run(t, append([]string{"sl", "query"}, strings.Fields(c.args)...)...)
			if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" {
				t.Errorf("exit %d, want %d; stdout %q; stderr %q should say %q", code, c.code, stdout, stderr, c.says)
			}
		})
	}
}

func semanticAnswer() (*semanticquery.Compiled, []sdk.Column) {
	return &semanticquery.Compiled{
		Connection: "shop", Notes: []string{"a note\x1b[2J"},
		Query: &compile.Query{
			SQL: "SELECT 1",
			Columns: []compile.Column{
				{Name: "segment", Member: "customers.segment", Type: sdk.TypeText, Provenance: compile.Defined},
				{Name: "revenue", Member: "orders.revenue", Type: sdk.TypeInt64, Unit: "EUR", Format: "currency", Provenance: compile.Defined},
				{Name: "total", Provenance: compile.AdHoc},
			},
			Plan: compile.Plan{Branches: []compile.Branch{{Home: "orders", Measures: []string{"orders.revenue"}}}},
		},
	}, []sdk.Column{{Name: "segment", NativeType: "TEXT"}, {Name: "revenue"}, {Name: "total", Type: sdk.TypeFloat64}}
}

func TestSemanticFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, format   string
		shows          bool
		stdout, stderr string
	}{
		{"table", "table", false, "segment  revenue (EUR)  total\nNULL                20      5\n", "1 row in 3 ms\nnote: a note\\x1b[2J\nnote: more\n"},
		{
			"table with all", "table", true, "segment  revenue (EUR)  total\nNULL                20      5\n",
			"1 row in 3 ms\nnote: a note\\x1b[2J\nnote: more\nSELECT 1\nfrom orders\n  measure orders.revenue\n",
		},
		{
			"document", "json", false,
			`{"connectionId":"shop","columns":[{"name":"segment","member":"customers.segment","type":"text","nativeType":"TEXT","provenance":"defined"},` +
				`{"name":"revenue","member":"orders.revenue","type":"int64","unit":"EUR","format":"currency","provenance":"defined"},` +
				`{"name":"total","member":null,"type":"float64","provenance":"ad_hoc"}],"headers":["segment","revenue","total"],"rows":[` + "\n" + `[null,20,5]],` +
				`"rowCount":1,"truncated":true,"truncatedBy":"rows","elapsedMs":3,"notes":["a note\u001b[2J","more"]}` + "\n", "",
		},
		{
			"document with all", "json", true,
			`"notes":["a note\u001b[2J","more"],"sql":"SELECT 1","plan":{"branches":[{"home":"orders","measures":["orders.revenue"]}]}}` + "\n", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			answer, columns := semanticAnswer()
			answer.IncludeSQL, answer.IncludePlan = c.shows, c.shows
			result := newSemanticResult(c.format, &output{out: &stdout, err: &stderr, json: c.format == "json"})
			if err := result.Columns(answer, columns); err != nil {
				t.Fatal(err)
			}
			if err := result.Row(cells("null", "20", "5")); err != nil {
				t.Fatal(err)
			}
			if err := result.finish(answer, semanticquery.Outcome{
				RowCount: 1, Truncated: true, TruncatedBy: sdk.TruncatedByRows, Elapsed: 3 * time.Millisecond, Notes: []string{"more"},
			}); err != nil {
				t.Fatal(err)
			}
			if got := stdout.String(); got != c.stdout && !(c.shows && strings.HasSuffix(got, c.stdout)) {
				t.Errorf("stdout (-want +got):\n%s", cmp.Diff(c.stdout, got))
			}
			if diff := cmp.Diff(c.stderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSemanticStatement: a statement asks for one row more than an answer without a
// limit has, which is said beside it.
func TestSemanticStatement(t *testing.T) {
	t.Parallel()
	const says = "note: a note\\x1b[2J\n"
	const limit = "note: The statement asks for 1001 rows: the 1000 of an answer without a limit, and one that tells whether there are more.\n"
	for _, c := range []struct {
		name, format   string
		limit          int
		stdout, stderr string
	}{
		{"no limit", "sql", 0, "SELECT 1\n", says + limit},
		{"a limit", "sql", 5, "SELECT 1\n", says},
		{"a plan", "plan", 0, "from orders\n  measure orders.revenue\n", says},
	} {
		var stdout, stderr bytes.Buffer
		answer, _ := semanticAnswer()
		answer.Request.Limit = c.limit
		if err := (&app{output: output{out: &stdout, err: &stderr}}).printCompiled(c.format, answer); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, stdout.String(), stderr.String(), c.stdout, c.stderr)
		}
	}
}

// TestMeaning says every kind of measure in words.
func TestMeaning(t *testing.T) {
	t.Parallel()
	zero := 0.0
	for want, m := range map[string]semanticquery.Measure{
		"count of rows": {Kind: "simple", Agg: "count"},
		"sum of amount, where status = 'paid', 0 for none":    {Kind: "simple", Agg: "sum", Expr: "amount", Filter: "status = 'paid'", Default: &zero},
		"percentile 0.9 of amount, in completed":              {Kind: "simple", Agg: "percentile", Parameter: "0.9", Expr: "amount", Segments: []string{"completed"}},
		"approx_top_k(x, 3)":                                  {Kind: "simple", Expr: "approx_top_k(x, 3)"},
		"sum of qty * products.price, over rows of items":     {Kind: "simple", Agg: "sum", Expr: "qty * products.price", Home: "items"},
		"sum of on_hand, at the last day per sku":             {Kind: "simple", Agg: "sum", Expr: "on_hand", NonAdditive: &semanticquery.NonAdditive{Dimension: "day", Pick: "last", Per: []string{"sku"}}},
		"paid / revenue":                                      {Kind: "ratio", Numerator: "paid", Denominator: "revenue"},
		"revenue - cost":                                      {Kind: "derived", Expr: "revenue - cost"},
		"revenue over 28 days":                                {Kind: "cumulative", Measure: "revenue", Window: "28 days"},
		"revenue since the month began":                       {Kind: "cumulative", Measure: "revenue", GrainToDate: "month"},
		"revenue, 1 year earlier":                             {Kind: "time_shift", Measure: "revenue", Offset: "1 year"},
		"revenue as a part of its total":                      {Kind: "share", Measure: "revenue"},
		"revenue as a part of its total within segment, year": {Kind: "share", Measure: "revenue", Within: []string{"segment", "year"}},
		"avg over customers.id of revenue":                    {Kind: "nested", Agg: "avg", Measure: "revenue", Per: []string{"customers.id"}},
	} {
		if got := meaning(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
