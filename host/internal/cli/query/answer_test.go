package query

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

func cells(texts ...string) [][]byte {
	row := make([][]byte, len(texts))
	for i, text := range texts {
		row[i] = []byte(text)
	}
	return row
}

func TestResultFormats(t *testing.T) {
	t.Parallel()
	columns := []sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint"}, {Name: `a "b"`, Type: sdk.TypeText, NativeType: "text"}}
	for format, want := range map[string]string{
		"table": "id  a \"b\"\n 7  NULL\n10  x\\ny\n",
		"csv":   "id,\"a \"\"b\"\"\"\r\n7,\r\n10,\"x\ny\"\r\n",
		"json": `{"headers":["id","a \"b\""],"headerTypes":["bigint","text"],"rows":[` + "\n" + `[7,null],` + "\n" + `[10,"x\ny"]],` +
			`"rowCount":2,"truncated":true,"truncatedBy":"rows","elapsedMs":3}` + "\n",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := newResultWriter(format, &terminal.Terminal{Out: &out, Err: &bytes.Buffer{}})
			if err := w.Columns(columns); err != nil {
				t.Fatal(err)
			}
			for _, row := range [][][]byte{cells("7", "null"), cells("10", `"x\ny"`)} {
				if err := w.Row(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.finish(query.Summary{RowCount: 2, Truncated: true, TruncatedBy: sdk.TruncatedByRows, Elapsed: 3 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
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
				`{"name":"total","type":"float64","provenance":"ad_hoc"}],"headers":["segment","revenue","total"],"rows":[` + "\n" + `[null,20,5]],` +
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
			result := newSemanticResult(c.format, &terminal.Terminal{Out: &stdout, Err: &stderr, JSON: c.format == "json"})
			if err := result.Columns(answer, columns); err != nil {
				t.Fatal(err)
			}
			if err := result.Row(cells("null", "20", "5")); err != nil {
				t.Fatal(err)
			}
			if err := result.finish(answer, query.Summary{
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
		if err := (&commands{term: &terminal.Terminal{Out: &stdout, Err: &stderr}}).printCompiled(c.format, answer); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, stdout.String(), stderr.String(), c.stdout, c.stderr)
		}
	}
}

// TestDescribed: what is said of a member is one sentence, whatever it is made of.
func TestDescribed(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]semanticquery.Described{
		"Orders that were not cancelled; also: sales; internal": {Description: "Orders that were not cancelled.", Synonyms: []string{"sales"}, Internal: true},
		"Net. In EUR.":    {Description: "Net. In EUR."},
		"BROKEN: no such": {Description: "Net.", Broken: "no such"},
	} {
		if got := described(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
