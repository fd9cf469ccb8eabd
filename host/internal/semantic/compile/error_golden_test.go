package compile

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var update = flag.Bool("update", false, "write the golden files anew")

// marketModel is a model in which everything can go wrong.
func marketModel(t testing.TB) (*model.Model, *dialect.Dialect) {
	t.Helper()
	content, err := os.ReadFile("../../../../sdk/dialect/testdata/sqlite.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	in := model.Input{Dialect: &all[0]}
	files, err := filepath.Glob(filepath.Join("testdata", "market", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, model.Parse(filepath.Base(file), text))
	}
	return model.Build(in), &all[0]
}

// doubling is a request of n measures each of which is the one before twice.
func doubling(n int) string {
	all := []string{`{"expr": "sum(orders.id)", "name": "m0"}`}
	for i := range n {
		all = append(all, fmt.Sprintf(`{"expr": "m%d + m%d", "name": "m%d"}`, i, i, i+1))
	}
	return `{"measures": [` + strings.Join(all, ", ") + `]}`
}

// refusals are requests and the code with which they are refused.
var refusals = []struct {
	name, request string
	code          refusal.Code
}{
	{"invalid_request", `{"measures": ["orders.revenue"], "limit": -1}`, refusal.CodeInvalidRequest},
	{"invalid_request_doubling", doubling(17), refusal.CodeInvalidRequest},
	{"invalid_request_key", `{"measures": ["orders.revenue"], "dimension_list": ["customers.segment"], "filtres": []}`, refusal.CodeInvalidRequest},
	{"invalid_request_type", `{"measures": ["orders.revenue"], "filters": [{"field": "orders.due", "op": "gte", "values": [20240501]}]}`, refusal.CodeInvalidRequest},
	{"invalid_request_day_of_times", `{"measures": ["orders.revenue"], "filters": [{"field": "orders.created_at", "op": "equals", "values": ["2024-05-01"]}]}`, refusal.CodeInvalidRequest},
	{"invalid_request_range", `{"measures": ["orders.revenue"], "date_range": "last few days"}`, refusal.CodeInvalidRequest},
	{"invalid_request_zone", `{"measures": ["orders.revenue"], "time_zone": "Berlin"}`, refusal.CodeInvalidRequest},
	{"unknown_member_elsewhere", `{"measures": ["orders.revenue"], "dimensions": ["orders.segment"]}`, refusal.CodeUnknownMember},
	{"unknown_member_misspelt", `{"measures": ["orders.revenu"]}`, refusal.CodeUnknownMember},
	{"unknown_member_synonym", `{"measures": ["orders.turnover"]}`, refusal.CodeUnknownMember},
	{"unknown_member_in_a_filter", `{"measures": ["orders.revenue"], "filters": ["orders.statsu = 'paid' AND orders.id > 5"]}`, refusal.CodeUnknownMember},
	{"unknown_member_of_a_misspelt_source", `{"measures": ["ordres.plugh"]}`, refusal.CodeUnknownMember},
	{"unknown_member_like_nothing", `{"measures": ["xyzzy.plugh"]}`, refusal.CodeUnknownMember},
	{"unknown_member_granularity", `{"measures": ["orders.revenue"], "dimensions": ["orders.created_at.mont"]}`, refusal.CodeUnknownMember},
	{"unknown_member_metric_time", `{"measures": ["orders.revenue"], "dimensions": ["orders.status"], "order_by": ["metric_time"]}`, refusal.CodeUnknownMember},
	{"dimension_not_reachable_metric_time", `{"measures": ["orders.revenue", "tickets.ticket_count"], "dimensions": [{"field": "metric_time", "granularity": "month"}]}`, refusal.CodeDimension},
	{"filter_not_applicable_metric_time", `{"measures": ["tickets.ticket_count"], "filters": ["metric_time >= '2024-01-01'"]}`, refusal.CodeFilter},
	{"granularity_not_applicable_metric_time", `{"measures": ["orders.revenue"], "dimensions": ["metric_time"]}`, refusal.CodeGranularity},
	{"unknown_member_of_another_kind", `{"measures": ["orders.status"]}`, refusal.CodeUnknownMember},
	{"ambiguous_member", `{"measures": ["orders.revenue"], "dimensions": ["name"]}`, refusal.CodeAmbiguousMember},
	{"ambiguous_path", `{"measures": ["orders.revenue"], "dimensions": ["regions.name"]}`, refusal.CodeAmbiguousPath},
	{"ambiguous_period", `{"measures": ["orders.revenue"], "date_ranges": [{"field": "orders.created_at", "relative": "last year"}]}`, refusal.CodeAmbiguousPeriod},
	{"no_join_path", `{"measures": ["orders.revenue"], "dimensions": ["weather.rain"]}`, refusal.CodeNoJoinPath},
	{"dimension_not_reachable", `{"measures": ["tickets.ticket_count", "orders.revenue"], "dimensions": ["orders.status"]}`, refusal.CodeDimension},
	{"filter_not_applicable", `{"measures": ["tickets.ticket_count", "orders.revenue"], "filters": ["orders.status = 'paid'"]}`, refusal.CodeFilter},
	{"filter_not_applicable_total", `{"measures": ["customers.customer_count"], "filters": ["orders.order_count > 1"]}`, refusal.CodeFilter},
	{"filter_not_applicable_key", `{"measures": ["customers.customer_count"], "filters": ["orders.id IS NULL"]}`, refusal.CodeFilter},
	{"filter_not_applicable_not", `{"measures": ["customers.customer_count"], "filters": [{"not": {"field": "orders.status", "op": "equals", "values": ["paid"]}}]}`, refusal.CodeFilter},
	{"filter_not_applicable_exclusive", `{"measures": ["customers.customer_count"], "filters": ["orders.status = 'paid'", "orders.status = 'open'"]}`, refusal.CodeFilter},
	{"filter_not_applicable_choice", `{"measures": ["customers.customer_count"], "filters": ["orders.status = 'paid' OR customers.segment = 'a'"]}`, refusal.CodeFilter},
	{"filter_not_applicable_all_of_one", `{"measures": ["orders.revenue"], "filters": ["all(customers.segment = 'a')"]}`, refusal.CodeFilter},
	{"filter_not_applicable_total_of_rows", `{"measures": ["orders.revenue"], "filters": [{"field": "orders.revenue", "op": "between", "values": [5, 10]}]}`, refusal.CodeFilter},
	{"filter_not_applicable_total_of_several", `{"measures": ["orders.revenue"], "filters": ["orders.revenue / orders.order_count > 5"]}`, refusal.CodeFilter},
	{"fanout", `{"measures": ["orders.revenue"], "dimensions": ["items.category"], "fanout": "error"}`, refusal.CodeFanout},
	{"mixed_row_and_aggregate_or", `{"measures": ["orders.revenue"], "dimensions": ["customers.segment"], "filters": ["orders.revenue > 100 OR orders.status = 'paid'"]}`, refusal.CodeMixedOr},
	{"invalid_expression", `{"measures": ["orders.revenue"], "filters": ["orders.status = 'paid' AND orders.id >"]}`, refusal.CodeInvalidExpression},
	{"invalid_expression_types", `{"measures": ["orders.revenue"], "filters": ["orders.status = 'paid' AND orders.id > 'five'"]}`, refusal.CodeInvalidExpression},
	{"invalid_expression_aggregate", `{"measures": [{"expr": "sum(orders.status)", "name": "x"}]}`, refusal.CodeInvalidExpression},
	{"invalid_expression_function", `{"measures": [{"expr": "sum(pg_sleep(orders.id))"}]}`, refusal.CodeInvalidExpression},
	{"primary_key_required", `{"measures": ["visits.visit_count"], "dimensions": ["clicks.target"]}`, refusal.CodePrimaryKey},
	{"no_common_grain", `{"measures": [{"expr": "sum(items.qty * tickets.id)", "name": "x"}]}`, refusal.CodeNoCommonGrain},
	{"cyclic_measure", `{"measures": ["orders.first"]}`, refusal.CodeCyclicMeasure},
	{"granularity_not_applicable", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.status", "granularity": "month"}]}`, refusal.CodeGranularity},
	{"granularity_not_applicable_hour", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.due", "granularity": "hour"}]}`, refusal.CodeGranularity},
	{"unsupported_on_dialect", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.created_at", "granularity": "day"}], "time_zone": "Europe/Berlin"}`, refusal.CodeUnsupported},
	{"value_not_found", `{"measures": ["orders.revenue"], "filters": [{"field": "orders.status", "op": "in", "values": ["payed", "open"]}]}`, refusal.CodeValueNotFound},
	{"broken_definition", `{"measures": ["orders.wrong"]}`, refusal.CodeBroken},
	{"broken_definition_dimension", `{"measures": ["orders.revenue"], "dimensions": ["orders.bad"]}`, refusal.CodeBroken},
	{"hidden_member", `{"measures": ["orders.revenue"], "dimensions": ["customers.email"]}`, refusal.CodeHidden},
	{"not_supported", `{"measures": [{"measure": "orders.revenue", "filters": ["orders.revenue > 5"]}]}`, refusal.CodeNotSupported},
}

// answer compiles a request and returns its refusal.
func answer(t testing.TB, m *model.Model, d *dialect.Dialect, raw string) *refusal.Error {
	t.Helper()
	r, _, err := request.Normalise(json.RawMessage(raw))
	var q *Query
	if err == nil {
		q, err = Compile(m, d, r, Options{Now: time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC), FiscalYearStart: time.October})
	}
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		t.Fatalf("%.300s is not refused: %v, %+v", raw, err, q)
	}
	return e
}

// TestLongestRequest: measures of a request that double are refused from the first one on that is beyond maxSpelled.
func TestLongestRequest(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	spelled := 0 // a sum of one column is two nodes, and each further measure one more than the one before twice
	for n, size := 0, 2; ; n++ {
		if n > 0 {
			spelled, size = spelled+2*size, 2*size+1
		}
		if spelled > maxSpelled {
			if e := answer(t, m, d, doubling(n)); e.Code != refusal.CodeInvalidRequest {
				t.Errorf("%d: %v", n, e)
			}
			return
		}
		r, _, err := request.Normalise(json.RawMessage(doubling(n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(m, d, r, Options{}); err != nil {
			t.Fatalf("%d measures, %d values: %v", n+1, spelled, err)
		}
	}
}

// TestErrorsAsAnAgentSeesThem compares the text and the data of every code with a
// file of its own.
func TestErrorsAsAnAgentSeesThem(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	seen := map[string]bool{}
	codes := map[refusal.Code]bool{refusal.CodeInternal: true}
	for _, tt := range refusals {
		e := answer(t, m, d, tt.request)
		if e.Code != tt.code {
			t.Errorf("%s: %s: %s", tt.name, e.Code, e.Message)
		}
		codes[e.Code], seen[tt.name+".golden"] = true, true
		checkError(t, tt.name, e)
		golden(t, tt.name, "request:\n"+tt.request+"\n\n"+written(t, e))
	}
	internal := refusal.From(sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a path between sources that are not in the model"))
	seen["internal.golden"] = true
	golden(t, "internal", written(t, internal))
	for _, c := range refusal.Codes() {
		if !codes[c] {
			t.Errorf("no request is refused with %s", c)
		}
	}
	seen["hostile.golden"] = true
	entries, err := os.ReadDir(filepath.Join("testdata", "errors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !seen[e.Name()] {
			t.Errorf("no test uses testdata/errors/%s", e.Name())
		}
	}
}

// TestChoicesCanBePasted puts each candidate in the place of the member that is
// refused, and the request is answered.
func TestChoicesCanBePasted(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	pasted := 0
	for _, tt := range refusals {
		if !slices.Contains([]refusal.Code{refusal.CodeUnknownMember, refusal.CodeAmbiguousMember, refusal.CodeAmbiguousPath, refusal.CodeDimension, refusal.CodeFilter, refusal.CodeNoJoinPath}, tt.code) {
			continue
		}
		e := answer(t, m, d, tt.request)
		for _, choice := range slices.Concat(e.DidYouMean, e.Candidates) {
			raw := strings.ReplaceAll(tt.request, e.Member, choice)
			r, _, err := request.Normalise(json.RawMessage(raw))
			if err == nil {
				_, err = Compile(m, d, r, Options{})
			}
			next, refused := errors.AsType[*refusal.Error](err)
			if refused && !(tt.code == refusal.CodeAmbiguousMember && next.Code == refusal.CodeAmbiguousPath) {
				t.Errorf("%s: %s: %v", tt.name, raw, err)
			}
			pasted++
		}
	}
	if pasted < 15 {
		t.Errorf("%d choices only", pasted)
	}
}

// TestFixOfTotalsCanBePasted asks again with each form that the refusal of a condition
// on a grand total offers.
func TestFixOfTotalsCanBePasted(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	for _, tt := range []struct{ request, filter, dimensions, measures string }{
		{`{"measures": ["customers.customer_count"], "filters": ["orders.order_count > 1"]}`,
			`{"measure":"orders.order_count","per":["customers.id"],"op":"gt","values":[1]}`, `["customers.id"]`, `["orders.order_count"]`},
		{`{"measures": ["orders.revenue"], "filters": ["customers.segment = 'x' AND orders.order_count <> 2"]}`,
			`{"measure":"orders.order_count","per":["customers.id"],"op":"not_equals","values":[2]}`, `["customers.id"]`, `["orders.order_count"]`},
		{`{"measures": ["orders.revenue"], "filters": [{"field": "orders.revenue", "op": "in", "values": [1, 2.5]}]}`,
			`{"measure":"orders.revenue","per":["customers.id"],"op":"in","values":[1,2.5]}`, `["customers.id"]`, `["orders.revenue"]`},
		{`{"measures": ["visits.visit_count"], "filters": ["visits.visit_count > 5"]}`, "", "", `["visits.visit_count"]`},
		{`{"measures": ["tickets.ticket_count"], "filters": ["tickets.hours / tickets.ticket_count > 5"]}`, "", `["customers.id"]`, `["tickets.hours"]`},
	} {
		e := answer(t, m, d, tt.request)
		if e.Code != refusal.CodeFilter {
			t.Errorf("%s: %s", tt.request, e.Code)
		}
		var r map[string]any
		if err := json.Unmarshal([]byte(tt.request), &r); err != nil {
			t.Fatal(err)
		}
		asked := func(part, text string, change func(map[string]any, any)) {
			if offered := text != "" && strings.Contains(e.Fix, text); offered != (text != "") {
				t.Errorf("%s: %s does not offer %s", tt.request, e.Fix, text)
			}
			if text == "" && strings.Contains(e.Fix, part) {
				t.Errorf("%s: %s", tt.request, e.Fix)
			}
			var value any
			if text == "" {
				return
			}
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				t.Fatal(err)
			}
			next := map[string]any{}
			for k, v := range r {
				next[k] = v
			}
			change(next, value)
			raw, err := json.Marshal(next)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := request.Normalise(raw)
			if err == nil {
				_, err = Compile(m, d, again, Options{})
			}
			if err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		}
		asked(`"per"`, tt.filter, func(r map[string]any, v any) { r["filters"] = []any{v} })
		asked(`"dimensions"`, tt.dimensions, func(r map[string]any, v any) { r["dimensions"] = v })
		asked(`"measures"`, tt.measures, func(r map[string]any, v any) { r["measures"] = v; delete(r, "filters") })
	}
}

// checkError holds a refusal to what all have.
func checkError(t *testing.T, name string, e *refusal.Error) {
	t.Helper()
	if e.Message == "" || e.Fix == "" {
		t.Errorf("%s: no message or no fix", name)
	}
	for _, list := range [][]string{e.DidYouMean, e.Candidates, e.Paths} {
		if len(list) > refusal.MaxChoices {
			t.Errorf("%s: %d choices", name, len(list))
		}
	}
	if text := e.Text(); len(text) > 2000 || strings.Count(text, "\n") > 24 {
		t.Errorf("%s: more than a screen:\n%s", name, text)
	}
	known, ok := errors.AsType[*sdk.Error](error(e))
	if !ok || known.Code != string(e.Code) || known.Hint != e.Fix || known.Msg != e.Message || !slices.Contains(sdk.Kinds(), known.Kind) {
		t.Errorf("%s: the edge sees %+v", name, known)
	}
}

func written(t *testing.T, e *refusal.Error) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	return "text:\n" + e.Text() + "\ndata:\n" + b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "errors", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s -want +got:\n%s", name, diff)
	}
}

// hostile are texts that try to be more than a condition.
var hostile = []struct{ name, text string }{
	{"a second statement", "orders.id = 1; DROP TABLE orders"},
	{"a semicolon at the end", "orders.id = 1;"},
	{"a statement alone", "DELETE FROM orders"},
	{"a subselect", "orders.id IN (SELECT id FROM customers)"},
	{"a subselect as a value", "orders.id = (SELECT max(id) FROM orders)"},
	{"EXISTS", "EXISTS (SELECT 1)"},
	{"UNION", "orders.id = 1 UNION SELECT email FROM customers"},
	{"a comment to the end", "orders.id = 1 -- AND hidden"},
	{"a comment inside", "orders.id = 1 /* x */ OR TRUE"},
	{"a comment of MySQL", "orders.id = 1 # x"},
	{"a text without an end", "orders.status = 'paid"},
	{"a quote that breaks out", "orders.status = 'a' OR '1'='1' ' "},
	{"a backslash before a quote", `orders.status = 'a\' OR 1=1 -- '`},
	{"a backtick", "`orders`.`id` = 1"},
	{"brackets", "[orders].[id] = 1"},
	{"dollar quotes", "orders.status = $$paid$$"},
	{"a parameter", "orders.id = ? OR orders.id = :x"},
	{"a variable", "orders.id = @@version"},
	{"a template", "orders.id = {{ 1 }}"},
	{"a function that waits", "pg_sleep(10) IS NULL"},
	{"a function that reads files", "load_extension('x') IS NULL"},
	{"a window", "row_number() OVER (ORDER BY orders.id) = 1"},
	{"NUL", "orders.status = 'a\x00b'"},
	{"NUL outside of texts", "orders.id\x00 = 1"},
	{"letters that look like quotes", "orders.status = ‘paid’"},
	{"letters that turn the line", "orders.status = 'paid'\u202e OR 1=1"},
	{"a hexadecimal number", "orders.id = 0x31"},
	{"a cast to what is no type", "orders.id::regclass = 'orders'"},
	{"a catalogue", "sqlite_master.name = 'orders'"},
	{"LIKE with ESCAPE", "orders.status LIKE 'a!%' ESCAPE '!'"},
	{"a hundred thousand bytes", "orders.status = '" + strings.Repeat("a", 100_000) + "'"},
	{"a mebibyte", "orders.status = '" + strings.Repeat("a", 1<<20) + "'"},
	{"parentheses without end", strings.Repeat("(", 10_000) + "TRUE" + strings.Repeat(")", 10_000)},
	{"NOT without end", strings.Repeat("NOT ", 5_000) + "TRUE"},
}

// TestHostileFilters refuses them, with a place where there is one, in every place
// that takes an expression.
func TestHostileFilters(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	var b strings.Builder
	for _, tt := range hostile {
		text, err := json.Marshal(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		e := answer(t, m, d, fmt.Sprintf(`{"measures": ["orders.revenue"], "filters": [%s]}`, text))
		checkError(t, tt.name, e)
		fmt.Fprintf(&b, "== %s\n%s\n", tt.name, e.Text())
		for _, request := range []string{
			`{"measures": [{"measure": "orders.revenue", "filters": [%s]}]}`,
			`{"measures": [{"expr": %s}]}`,
			`{"measures": [%s]}`,
			`{"measures": ["orders.revenue"], "dimensions": [%s]}`,
			`{"measures": ["orders.revenue"], "segments": [%s]}`,
			`{"measures": ["orders.revenue"], "order_by": [%s]}`,
			`{"measures": ["orders.revenue"], "filters": [{"or": ["orders.id = 1", {"not": %s}]}]}`,
			`{"measures": ["orders.revenue"], "filters": [{"field": %s, "op": "is_null"}]}`,
			`{"measures": ["orders.revenue"], "dimensions": [{"measure": "orders.order_count", "per": ["customers.id"], "filter": %s}]}`,
			`{"measures": ["orders.revenue"], "filters": [{"measure": "orders.order_count", "per": ["customers.id"], "filter": %s, "op": "gt", "values": [1]}]}`,
			`{"measures": ["orders.revenue"], "filters": [{"measure": %s, "per": ["customers.id"], "op": "gt", "values": [1]}]}`,
			`{"measures": ["orders.revenue"], "filters": [{"measure": "orders.order_count", "per": [%s], "op": "gt", "values": [1]}]}`,
			`{"measures": ["orders.revenue"], "time_zone": %s}`,
			`{"measures": ["orders.revenue"], "date_range": %s}`,
		} {
			checkError(t, tt.name, answer(t, m, d, fmt.Sprintf(request, text)))
		}
	}
	golden(t, "hostile", b.String())
}

// TestHostileValues: the same texts are values like any other; the statement has
// them as literals, and it stays one statement.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	m, d := marketModel(t)
	for _, tt := range hostile {
		text, err := json.Marshal(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := request.Normalise(json.RawMessage(fmt.Sprintf(`{"measures": ["orders.revenue"], "filters": [{"field": "customers.name", "op": "equals", "values": [%s]}]}`, text)))
		if err == nil {
			var q *Query
			if q, err = Compile(m, d, r, Options{}); err == nil && !strings.Contains(q.SQL, d.QuoteString(tt.text)) {
				t.Errorf("%s: the value is not in the statement:\n%.500s", tt.name, q.SQL)
			}
		}
		if refused := strings.Contains(tt.text, "\x00") || len(tt.text) > 64<<10; refused != (err != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// FuzzFilterText: a text in a filter is refused as data, or becomes a part of one
// statement, which Compile reads back; nothing is a fault of Loam.
func FuzzFilterText(f *testing.F) {
	for _, tt := range hostile {
		if len(tt.text) < 200 {
			f.Add(tt.text)
		}
	}
	f.Add("orders.revenue > 5 AND customers.name ILIKE 'a_%' AND orders.created_at BETWEEN '2024-01-01' AND '2024-02-01'")
	f.Add("CASE WHEN items.qty > 1 THEN orders.due ELSE NULL END >= DATE '2024-01-01' OR NOT orders.id IN (1, 2.5, -3e2)")
	f.Add("coalesce(customers.segment, 'x') || name = regions.name AND orders.order_count / orders.revenue > 1 % 2")
	m, d := marketModel(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Compile(m, d, request.Request{
			Measures: []request.Measure{{Name: "orders.revenue"}}, Dimensions: []request.Dimension{{Field: "customers.segment"}}, Filters: []request.Filter{{SQL: text}},
		}, Options{})
		if err == nil {
			return
		}
		if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code == refusal.CodeInternal || e.Message == "" || e.Fix == "" {
			t.Fatalf("%q: %#v", text, err)
		}
	})
}

// FuzzRequest: so it is with whole requests.
func FuzzRequest(f *testing.F) {
	for _, tt := range refusals {
		f.Add(tt.request)
	}
	for _, request := range []string{
		`{"measures": ["orders.revenue", "tickets.hours", "items.units"], "dimensions": ["customers.segment"], "order_by": ["-orders.revenue"], "filters": [{"field": "orders.status", "op": "not_in", "values": ["paid", null]}]}`,
		`{"measures": ["orders.revenue"], "dimensions": ["orders.created_at.month", "items.category"], "date_range": "last 12 months", "fill_gaps": true, "segments": ["orders.completed"]}`,
		`{"measures": [{"agg": "avg", "field": "items.qty", "name": "q"}, {"measure": "orders.revenue", "filters": ["customers.segment = 'a'"]}], "include_empty": true, "limit": 5, "offset": 2}`,
		`{"measures": ["orders.revenue"], "filters": [{"or": [{"measure": "orders.order_count", "per": ["customers.id"], "filter": "orders.id > 1", "op": "in", "values": [1, null]}, "items.qty > 1"]}]}`,
		`{"measures": ["orders.revenue"], "filters": ["orders.revenue > 1 AND orders.order_count IN (1, 2)"]}`,
		`{"dimensions": ["customers.segment", "customers.name"], "time_zone": "+02:00", "order_by": [["customers.name", "desc"]]}`,
	} {
		f.Add(request)
	}
	m, d := marketModel(f)
	f.Fuzz(func(t *testing.T, raw string) {
		r, _, err := request.Normalise(json.RawMessage(raw))
		if err == nil {
			_, err = Compile(m, d, r, Options{Now: time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC)})
		}
		if err == nil {
			return
		}
		if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code == refusal.CodeInternal || e.Message == "" || e.Fix == "" {
			t.Fatalf("%s: %#v", raw, err)
		}
	})
}
