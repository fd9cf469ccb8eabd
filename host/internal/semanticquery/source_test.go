package semanticquery_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const salesYAML = `
name: sales
sql: |
  SELECT * FROM orders;
description: What was sold.
primary_key: [id]
unique_keys: [[customer_id, day]]
time_zone: Europe/Berlin
synonyms: [turnover]
dimensions:
  - {name: id, type: number}
  - {name: customer_id, type: number}
  - {name: secret, type: string, visibility: hidden}
  - {name: state, type: string, expr: "upper(status)", values: [PAID, PENDING], label: State, description: Where it is., synonyms: [phase]}
  - {name: day, type: time, column_type: timestamp}
  - {name: wrong, type: string, expr: "nowhere.x + 1"}
measures:
  - {name: n, agg: count, visibility: internal}
  - {name: unseen, agg: count, visibility: hidden}
  - {name: total, expr: "sum(amount)", filter: "amount > 0"}
  - {name: several, expr: "sum(amount) / count(*)"}
  - {name: p90, agg: percentile, expr: amount, percentile: 0.9}
  - {name: last_month, type: time_shift, measure: total, offset: 1 month}
  - {name: month_to_date, type: cumulative, measure: total, grain_to_date: month}
  - {name: last_days, type: cumulative, measure: total, window: 28 days}
  - {name: part, type: share, measure: total, within: [customers.segment]}
  - {name: each, type: nested, agg: avg, measure: total, per: [customers.id]}
  - {name: stock, agg: sum, expr: amount, non_additive: {dimension: day, pick: last, per: [customer_id]}}
segments:
  - {name: done, expr: "status = 'paid'"}
joins:
  - {role: buyer, to: customers, "on": "sales.customer_id = buyer.id", relationship: many_to_one, description: Who paid.}
ai_context: {instructions: Ask for total., examples: ["total by day"]}
`

func TestReadSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "sales.yaml", salesYAML)
	f.write(t, "metrics.yaml", "metrics:\n  - {name: per_order, type: ratio, numerator: sales.total, denominator: orders.order_count, description: Money per order.}\n")
	for name, want := range map[string]string{
		"sales": `{"connectionId":"shop","name":"sales","identity":"sales","sql":"SELECT * FROM orders",
			"file":"semantic-layer/shop/sales.yaml","line":2,"description":"What was sold.",
			"version":"48010fcf386ee1abe5662488c6c54efa","primaryKey":["id"],"uniqueKeys":[["customer_id","day"]],"timeZone":"Europe/Berlin",
			"measures":[
				{"name":"n","kind":"simple","agg":"count","internal":true},
				{"name":"total","kind":"simple","agg":"sum","expr":"amount","filter":"amount > 0"},
				{"name":"several","kind":"derived","expr":"sum(amount) / count(*)"},
				{"name":"p90","kind":"simple","agg":"percentile","parameter":"0.9","expr":"amount"},
				{"name":"last_month","kind":"time_shift","measure":"total","offset":"1 month"},
				{"name":"month_to_date","kind":"cumulative","measure":"total","grainToDate":"month"},
				{"name":"last_days","kind":"cumulative","measure":"total","window":"28 days"},
				{"name":"part","kind":"share","measure":"total","within":["customers.segment"]},
				{"name":"each","kind":"nested","agg":"avg","measure":"total","per":["customers.id"]},
				{"name":"stock","kind":"simple","agg":"sum","expr":"amount","nonAdditive":{"dimension":"day","pick":"last","per":["customer_id"]}}],
			"segments":[{"name":"done","expr":"status = 'paid'"}],
			"dimensions":[
				{"name":"id","type":"number"},
				{"name":"customer_id","type":"number"},
				{"name":"state","type":"string","expr":"upper(status)","label":"State","description":"Where it is.","synonyms":["phase"],"values":["PAID","PENDING"]},
				{"name":"day","type":"time","columnType":"timestamp","granularities":["second","minute","hour","day","week","month","quarter","year"]},
				{"name":"wrong","type":"string","broken":"BROKEN"}],
			"joins":[{"name":"buyer","to":"customers","relationship":"many_to_one","on":"sales.customer_id = buyer.id","role":"buyer","description":"Who paid."}],
			"reachable":[{"source":"customers","reference":"buyer","via":["buyer"]}],
			"aiContext":{"instructions":"Ask for total.","examples":["total by day"],"synonyms":["turnover"]},
			"notes":["The columns of sales are not known yet: a query that runs asks the warehouse for them, and so does loam sl validate."],
			"problems":"PROBLEMS"}`,
		"metrics": `{"connectionId":"shop","name":"metrics","file":"semantic-layer/shop/metrics.yaml","version":"46f9d98e13ef33162bc4b2270022ec49","timeZone":"UTC",
			"measures":[{"name":"per_order","kind":"ratio","numerator":"sales.total","denominator":"orders.order_count","description":"Money per order."}]}`,
		"main.lines": `{"connectionId":"shop","name":"lines","identity":"main.lines","table":"main.lines",
			"primaryKey":["order_id","line"],"timeZone":"UTC",
			"measures":[{"name":"row_count","kind":"simple","agg":"count","description":"The number of rows."}],
			"dimensions":[{"name":"order_id","type":"number"},{"name":"line","type":"number"},{"name":"sku","type":"string"},{"name":"qty","type":"number"}],
			"joins":[{"name":"orders","to":"orders","relationship":"many_to_one","on":"lines.order_id = orders.id"}],
			"reachable":[{"source":"orders","reference":"orders","via":["orders"]},{"source":"customers","reference":"customers","via":["orders","customers"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Connection: "shop", Name: name})
			if err != nil {
				t.Fatal(err)
			}
			got := decoded(t, a)
			if name == "sales" {
				last := got["dimensions"].([]any)[4].(map[string]any)
				if s, _ := last["broken"].(string); !strings.Contains(s, "nowhere") {
					t.Errorf("broken: %q", s)
				}
				last["broken"] = "BROKEN"
				if len(a.Problems) != 1 || a.Problems[0].Line != 16 || a.Problems[0].Member != "wrong" || a.Problems[0].File != "semantic-layer/shop/sales.yaml" {
					t.Errorf("problems %+v", a.Problems)
				}
				got["problems"] = "PROBLEMS"
			}
			if diff := cmp.Diff(decoded(t, json.RawMessage(want)), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, of any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(of)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReachableAnswers asks for what each source says that it reaches, both ways of
// writing it.
func TestReachableAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "sales.yaml", salesYAML)
	for _, name := range []string{"sales", "lines", "orders"} {
		a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: name})
		if err != nil || len(a.Reachable) == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		for _, r := range a.Reachable {
			via, err := json.Marshal(r.Via)
			if err != nil {
				t.Fatal(err)
			}
			f.ask(t, fmt.Sprintf(`{"measures": [{"name": "n", "expr": "count(%s.id)"}], "dimensions": ["%s.id"]}`, r.Source, r.Source))
			for _, d := range []string{`"` + r.Reference + `.id"`, fmt.Sprintf(`{"field": "%s.id", "via": %s}`, r.Source, via)} {
				if answer, _, _ := f.ask(t, fmt.Sprintf(`{"measures": ["%s.%s"], "dimensions": [%s]}`, name, a.Measures[0].Name, d)); len(answer.rows) == 0 {
					t.Errorf("%s by %s: nothing", name, d)
				}
			}
		}
	}
}

func TestReadSourceRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections = append(f.connections, connection.Connection{ID: "new", Connector: "sqlite"})
	f.write(t, "a.yaml", "name: staff\ntable: east.staff\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\n")
	f.write(t, "b.yaml", "name: staff\ntable: west.staff\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\n")
	f.write(t, "c.yaml", "name: vault\ntable: vault\nvisibility: hidden\ndimensions: [{name: id, type: number}]\n")
	for _, tt := range []struct {
		name    string
		request semanticquery.SourceRequest
		kind    sdk.Kind
		text    string
		choices []string
	}{
		{"a typo", semanticquery.SourceRequest{Connection: "shop", Name: "oders"}, sdk.KindNotFound, "there is no source called oders", []string{"orders"}},
		{"nothing like it", semanticquery.SourceRequest{Connection: "shop", Name: "zzzzzzzz"}, sdk.KindNotFound, "there is no source called zzzzzzzz", nil},
		{"no metrics", semanticquery.SourceRequest{Connection: "shop", Name: "metrics"}, sdk.KindNotFound, "metrics", nil},
		{"two of that name", semanticquery.SourceRequest{Connection: "shop", Name: "staff"}, sdk.KindInvalid, "staff is not unique", []string{"east.staff", "west.staff"}},
		{"hidden", semanticquery.SourceRequest{Connection: "shop", Name: "vault"}, sdk.KindInvalid, "hidden", nil},
		{"never scanned", semanticquery.SourceRequest{Connection: "new", Name: "orders"}, sdk.KindNotFound, "was never scanned", nil},
		{"no such connection", semanticquery.SourceRequest{Connection: "ne", Name: "orders"}, sdk.KindNotFound, `there is no connection "ne"`, []string{"new"}},
		{"no such dimension", semanticquery.SourceRequest{Connection: "shop", Name: "orders", Dimensions: []string{"id", "stats"}}, sdk.KindNotFound, `source orders has no dimension "stats"`, []string{"status"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := f.ReadSource(t.Context(), tt.request)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || a != nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.text) || strings.Contains(e.Msg, "did you mean") || e.Hint == "" {
				t.Fatalf("%+v, %v (%+v)", a, err, e)
			}
			if diff := cmp.Diff(tt.choices, e.Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInvalidFile: a source is what its other layers say, and the file that has no part
// in it is told with its place; one without other layers cannot be queried.
func TestInvalidFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "orders.yaml", strings.Replace(ordersYAML, "{name: revenue,", "{name: revenue", 1))
	f.write(t, "alone.yaml", "name: alone\nmeasures: [\n")
	for name, broken := range map[string]bool{"orders": false, "alone": true} {
		a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if (a.Broken != "") != broken || len(a.Problems) == 0 || a.Problems[0].Line == 0 || a.File == "" {
			t.Errorf("%+v", a)
		}
	}
	list, err := f.List(t.Context(), "", semanticquery.ListRequest{Defined: true})
	if err != nil || len(list.Sources) != 2 || list.Sources[0].Broken == "" || list.Sources[1].Broken != "" {
		t.Errorf("%+v, %v", list, err)
	}
	a, c, out := f.ask(t, `{"measures": ["orders.row_count"]}`)
	if told := notes(c, out); a.rows[0] != "5" || !strings.HasPrefix(told, "semantic-layer/shop/orders.yaml:14:1 is not valid and has no part in this answer") {
		t.Errorf("rows %v, notes %s", a.rows, told)
	}
	if _, c, out := f.ask(t, `{"measures": ["lines.row_count"]}`); notes(c, out) != "" {
		t.Errorf("of another source: %s", notes(c, out))
	}
}

// TestWithoutConnector: files and snapshots can be read without it.
func TestWithoutConnector(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	m.dialects = m.dialects[:1]
	s := m.service()
	s.Warehouses = m.warehouses(missing{m})
	s.Layer = newFixture(t).Layer
	a, err := s.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "orders"})
	if err != nil || len(a.Measures) == 0 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "Connection shop cannot be queried: connector foodb is not installed.") {
		t.Errorf("%+v, %v", a, err)
	}
}

type missing struct{ *mysql }

func (missing) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector foodb is not installed").WithHint("install it")
}

// TestBounds: a wide source is cut, and names what it has.
func TestBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var wide strings.Builder
	wide.WriteString("name: wide\ntable: wide\nprimary_key: [d0]\ndimensions:\n")
	for i := range 500 {
		fmt.Fprintf(&wide, "  - {name: d%d, type: string, description: %s}\n", i, strings.Repeat("x", 100))
	}
	f.write(t, "wide.yaml", wide.String())
	for _, tt := range []struct {
		name       string
		chars      int
		dimensions []string
		want       int
	}{
		{"by number", -1, nil, 200},
		{"the usual size", 0, nil, 200},
		{"little room", 5000, nil, 32},
		{"no room", 1, nil, 10},
		{"those that are asked for", 0, []string{"d499", "D3"}, 2},
		{"none", 0, []string{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "wide", MaxChars: tt.chars, Dimensions: tt.dimensions})
			if err != nil {
				t.Fatal(err)
			}
			cut := tt.dimensions == nil
			if len(a.Dimensions) != tt.want || a.DimensionsTruncated != cut || (a.TotalDimensions == 500) != cut || (len(a.Notes) == 1) != cut {
				t.Errorf("%d dimensions, truncated: %t of %d, notes %q", len(a.Dimensions), a.DimensionsTruncated, a.TotalDimensions, a.Notes)
			}
			if text, err := json.Marshal(a); err != nil || tt.chars > 1 && len(text) > tt.chars+500 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		})
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "sales.yaml", salesYAML)
	f.write(t, "vault.yaml", "name: vault\ntable: vault\nvisibility: hidden\ndimensions: [{name: id, type: number}]\n")
	f.write(t, "metrics.yaml", "metrics: [{name: per_order, type: ratio, numerator: sales.total, denominator: orders.order_count}]\n")
	for _, tt := range []struct {
		name      string
		request   semanticquery.ListRequest
		want      string
		total     int
		truncated bool
		metrics   int
	}{
		{"all", semanticquery.ListRequest{}, "main.customers main.lines main.numbers main.orders sales", 5, false, 1},
		{"of files", semanticquery.ListRequest{Defined: true}, "main.orders sales", 2, false, 1},
		{"by a synonym", semanticquery.ListRequest{Text: "TURNover"}, "sales", 1, false, 0},
		{"by a dimension", semanticquery.ListRequest{Text: "segment"}, "main.customers", 1, false, 0},
		{"by a measure that is hidden", semanticquery.ListRequest{Text: "unseen"}, "", 0, false, 0},
		{"nothing", semanticquery.ListRequest{Text: "zzz"}, "", 0, false, 0},
		{"the first", semanticquery.ListRequest{Limit: 2}, "main.customers main.lines", 5, true, 1},
		{"the last", semanticquery.ListRequest{Limit: 2, Offset: 3}, "main.orders sales", 5, false, 1},
		{"beyond the last", semanticquery.ListRequest{Offset: 5}, "", 5, false, 1},
		{"without a limit", semanticquery.ListRequest{Limit: -1}, "main.customers main.lines main.numbers main.orders sales", 5, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := f.List(t.Context(), "", tt.request)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range a.Sources {
				got = append(got, s.Identity)
			}
			if strings.Join(got, " ") != tt.want || a.Total != tt.total || a.Truncated != tt.truncated || len(a.Metrics) != tt.metrics || (len(a.Notes) > 0) != tt.truncated {
				t.Errorf("%v, %+v", got, a)
			}
		})
	}
	a, err := f.List(t.Context(), "shop", semanticquery.ListRequest{Text: "sales"})
	if err != nil {
		t.Fatal(err)
	}
	want := semanticquery.SourceLine{Name: "sales", Identity: "sales", Description: &[]string{"What was sold."}[0], File: "semantic-layer/shop/sales.yaml", Dimensions: 5, Measures: 9, Segments: 1, Joins: 1, Layer: "person"}
	if diff := cmp.Diff(want, a.Sources[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Following the cursor lists every source once; a cursor is for one request.
func TestListings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "sales.yaml", salesYAML)
	f.write(t, "metrics.yaml", "metrics: [{name: per_order, type: ratio, numerator: sales.total, denominator: orders.order_count}]\n")
	var names []string
	r := semanticquery.ListingsRequest{All: true, Limit: 2}
	pages, metrics := 0, 0
	for more := true; more; pages++ {
		a, err := f.Listings(t.Context(), r)
		if err != nil || a.Total != 5 {
			t.Fatal(a, err)
		}
		for _, c := range a.Connections {
			metrics += len(c.Metrics)
			for _, s := range c.Sources {
				names = append(names, s.Identity)
			}
		}
		if more = a.NextCursor != nil; more {
			r.Cursor = *a.NextCursor
		}
	}
	if got := strings.Join(names, " "); got != "main.customers main.lines main.numbers main.orders sales" || pages != 3 || metrics != 1 {
		t.Errorf("%s, %d pages, %d metrics", got, pages, metrics)
	}
	for name, bad := range map[string]semanticquery.ListingsRequest{
		"another text": {All: true, Limit: 2, Text: "s", Cursor: r.Cursor}, "no cursor": {All: true, Cursor: "x"}, "a made-up one": {All: true, Cursor: "0-2"}, "a limit": {Limit: 501},
	} {
		if _, err := f.Listings(t.Context(), bad); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Listings(t.Context(), semanticquery.ListingsRequest{Connection: "nowhere"}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("no such connection: %v", err)
	}
	for want, r := range map[int]semanticquery.ListingsRequest{5: {All: true, Limit: -1}, 2: {}, 1: {All: true, Text: "TURNover"}} {
		if a, err := f.Listings(t.Context(), r); err != nil || a.Total != want || a.NextCursor != nil {
			t.Errorf("%+v: %+v, %v", r, a, err)
		}
	}
}
