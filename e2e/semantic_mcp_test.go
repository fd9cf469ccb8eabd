package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bakery is a warehouse in which every join multiplies rows: orders with several
// items, customers with several tickets. One order has no items, one no customer.
const bakery = `
CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
CREATE TABLE depots (id INTEGER PRIMARY KEY, region_id INTEGER);
INSERT INTO depots VALUES (1, 2), (2, 1);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, segment TEXT, region_id INTEGER);
INSERT INTO customers VALUES (1, 'Ada', 'retail', 1), (2, 'Bob', 'wholesale', 2), (3, 'Cy', NULL, 1);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, depot_id INTEGER, status TEXT, amount INTEGER, created_at TEXT);
INSERT INTO orders VALUES (1, 1, 1, 'paid', 100, '2024-01-05 10:00:00'), (2, 1, 2, 'paid', 50, '2024-02-10 10:00:00'),
	(3, 2, 1, 'open', 70, '2024-02-11 10:00:00'), (4, 3, 1, 'paid', 30, '2024-02-20 10:00:00'), (5, 9, 2, 'paid', 20, '2024-03-01 10:00:00');
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER, product TEXT, qty INTEGER);
INSERT INTO items VALUES (1, 1, 'bread', 2), (2, 1, 'cake', 1), (3, 2, 'bread', 5), (4, 3, 'cake', 3), (5, 4, 'bread', 1), (6, 4, 'bread', 2);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, customer_id INTEGER);
INSERT INTO tickets VALUES (1, 1), (2, 1), (3, 2);
`

// bakeryFiles is its semantic layer.
var bakeryFiles = map[string]string{
	"regions.yaml": "name: regions\ntable: regions\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: name, type: string}]\n",
	"depots.yaml": `name: depots
table: depots
primary_key: [id]
dimensions: [{name: id, type: number}]
joins: [{to: regions, on: "depots.region_id = regions.id", relationship: many_to_one}]
`,
	"customers.yaml": `name: customers
table: customers
primary_key: [id]
dimensions: [{name: id, type: number}, {name: name, type: string}, {name: segment, type: string}]
joins: [{to: regions, on: "customers.region_id = regions.id", relationship: many_to_one}]
`,
	"orders.yaml": ordersFile("amount"),
	"items.yaml": `name: items
table: items
primary_key: [id]
dimensions: [{name: id, type: number}, {name: product, type: string}]
measures: [{name: units, agg: sum, expr: qty}]
joins: [{to: orders, on: "items.order_id = orders.id", relationship: many_to_one}]
`,
	"tickets.yaml": ticketsFile,
	"many.yaml":    manyFile,
	"endless.yaml": `name: endless
sql: WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
dimensions: [{name: i, type: number}]
measures: [{name: numbers, agg: count}]
`,
}

// manyFile is a source of 20,000 rows.
const manyFile = `name: many
sql: WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n
primary_key: [i]
dimensions: [{name: i, type: number}]
measures: [{name: numbers, agg: count}]
`

const ticketsFile = `name: tickets
table: tickets
primary_key: [id]
dimensions: [{name: id, type: number}]
measures: [{name: ticket_count, agg: count}]
joins: [{to: customers, on: "tickets.customer_id = customers.id", relationship: many_to_one}]
`

// ordersFile defines revenue over a column, and what is twice as much.
func ordersFile(revenue string) string {
	return `name: orders
table: orders
primary_key: [id]
default_time_dimension: created_at
dimensions:
  - {name: id, type: number}
  - {name: amount, type: number}
  - {name: status, type: string, values: [paid, open]}
  - {name: created_at, type: time, column_type: timestamp}
measures:
  - {name: order_count, agg: count}
  - {name: revenue, agg: sum, expr: "` + revenue + `", unit: EUR}
  - {name: double, type: derived, expr: revenue * 2}
segments: [{name: completed, expr: "status = 'paid'"}]
joins:
  - {to: customers, on: "orders.customer_id = customers.id", relationship: many_to_one}
  - {to: depots, on: "orders.depot_id = depots.id", relationship: many_to_one}
`
}

// bakeryProject is a project with the bakery; nothing was scanned.
func bakeryProject(t *testing.T) string {
	t.Helper()
	dir := project(t, "version: 1\nconnections:\n  bakery: {connector: sqlite, config: {path: data/bakery.db}}\n")
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "data", "bakery.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), bakery); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range bakeryFiles {
		writeFile(t, bakeryFile(dir, name), content)
	}
	return dir
}

func bakeryFile(dir, name string) string {
	return filepath.Join(dir, "semantic-layer", "bakery", name)
}

// replaceFile puts a file in place whole, as editors do.
func replaceFile(path, content string) error {
	err := os.WriteFile(path+".tmp", []byte(content), 0o644)
	return errors.Join(err, os.Rename(path+".tmp", path))
}

// numbers is what sl_query answers.
type numbers struct {
	ConnectionID string `json:"connectionId"`
	Columns      []struct {
		Name, Type, Unit, Provenance string
		Member                       *string
	}
	Headers     []string
	Rows        json.RawMessage
	RowCount    int
	Truncated   bool
	TruncatedBy string
	Notes       []string
	SQL         string
	Plan        struct {
		Branches []struct {
			Home   string
			Fanout bool
		}
	}
}

// refused is what sl_query says instead.
type refused struct {
	Code, Category, Message, Hint string
	Details                       struct {
		Code, Member, Measure, Excerpt string
		DidYouMean, Candidates, Paths  []string
	}
	text string
}

// numbersOf asks sl_query; exactly one of the results is non-nil.
func (s *server) numbersOf(ctx context.Context, t testing.TB, request string) (*numbers, *refused) {
	t.Helper()
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sl_query", Arguments: json.RawMessage(request)})
	if err != nil {
		t.Errorf("%.200s: %v", request, err)
		return &numbers{}, nil
	}
	text := result.Content[0].(*mcp.TextContent).Text
	body, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Errorf("%.200s: %v", request, err)
	}
	if result.IsError {
		r := &refused{text: text}
		if err := json.Unmarshal(body, r); err != nil {
			t.Errorf("%.200s: %v", request, err)
		}
		return nil, r
	}
	n := &numbers{}
	if err := json.Unmarshal(body, n); err != nil {
		t.Errorf("%.200s: %v in %.200s", request, err, text)
	}
	return n, nil
}

// checkRows compares the rows of an answer.
func (s *server) wantRows(t testing.TB, request, want string) *numbers {
	t.Helper()
	got, refusal := s.numbersOf(t.Context(), t, request)
	if refusal != nil {
		t.Errorf("%s: %s", request, refusal.text)
		return &numbers{}
	}
	if diff := cmp.Diff(want, string(got.Rows)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", request, diff)
	}
	return got
}

// wantRefusal compares the code of a refusal.
func (s *server) wantRefusal(t testing.TB, request, code string, says ...string) *refused {
	t.Helper()
	got, refusal := s.numbersOf(t.Context(), t, request)
	if refusal == nil {
		t.Errorf("%.200s is answered: %s", request, got.Rows)
		return &refused{}
	}
	if refusal.Details.Code != code || refusal.Category != "caller" || refusal.Hint == "" || len(refusal.text) > 2000 {
		t.Errorf("%.200s: want %s, got %+v", request, code, refusal)
	}
	for _, want := range says {
		if !strings.Contains(refusal.text, want) {
			t.Errorf("%.200s does not say %q:\n%s", request, want, refusal.text)
		}
	}
	return refusal
}

// overBoth runs a test over each transport, on one project.
func overBoth(t *testing.T, dir string, test func(*testing.T, *server)) {
	t.Helper()
	for name, serve := range map[string]func(testing.TB, string) *server{
		"stdio": func(t testing.TB, dir string) *server { return stdioServer(t, dir) }, "http": httpServer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, serve(t, dir))
		})
	}
}

func TestSemanticMCPAnswers(t *testing.T) {
	t.Parallel()
	const bySegment = `[["retail",150,8,2],["wholesale",70,3,1],[null,50,3,0]]`
	tests := []struct{ name, request, rows string }{
		{"three facts", `{"measures":["orders.revenue","items.units","tickets.ticket_count"],"dimensions":["customers.segment"],"order_by":[{"field":"customers.segment"}]}`, bySegment},
		{"as MetricFlow has it", `{"connectionId":"bakery","metrics":["orders.revenue","items.units","tickets.ticket_count"],"group_by":"customers.segment","order_by":"customers.segment"}`, bySegment},
		{"lists in texts", `{"measures":"[\"orders.revenue\",\"items.units\",\"tickets.ticket_count\"]","dimensions":"[\"customers.segment\"]","order_by":"[\"customers.segment\"]"}`, bySegment},
		{"no dimension", `{"measures":["orders.revenue","items.units","tickets.ticket_count","orders.double"]}`, `[[270,14,3,540]]`},
		{"a finer dimension", `{"measures":["orders.revenue"],"dimensions":["items.product"],"order_by":["items.product"]}`, `[["bread",180],["cake",170],[null,20]]`},
		{
			"months, the latest first", `{"measures":["orders.revenue"],"dimensions":[{"field":"orders.created_at","granularity":"month"}],"order_by":[{"field":"orders.created_at","direction":"desc"}]}`,
			`[["2024-03-01",20],["2024-02-01",150],["2024-01-01",100]]`,
		},
		{
			"as Cube has it", `{"measures":["orders.revenue"],"timeDimensions":[{"dimension":"orders.created_at","granularity":"month","dateRange":["2024-02-01","2024-02-29"]}],"filters":[{"member":"orders.status","operator":"equals","values":["paid"]}]}`,
			`[["2024-02-01",80]]`,
		},
		{"a filter through a finer source", `{"measures":["orders.revenue","orders.order_count"],"filters":["items.product = 'cake'"]}`, `[[170,2]]`},
		{"a filter on groups", `{"measures":["orders.revenue"],"dimensions":["customers.segment"],"filters":["orders.revenue > 60"],"order_by":["-orders.revenue"]}`, `[["retail",150],["wholesale",70]]`},
		{"a segment", `{"measures":["orders.revenue"],"segments":["orders.completed"]}`, `[[200]]`},
		{"one of two ways", `{"measures":["orders.revenue"],"dimensions":["depots.regions.name"],"order_by":["depots.regions.name"]}`, `[["north",70],["south",200]]`},
		{"and the other", `{"measures":["orders.revenue"],"dimensions":["customers.regions.name"],"order_by":["customers.regions.name"]}`, `[["north",180],["south",70],[null,20]]`},
		{"composed on the spot", `{"measures":[{"expr":"avg(orders.amount)","name":"mean"}],"filters":["orders.status = 'paid'"]}`, `[[50]]`},
		{"nothing found", `{"measures":["orders.revenue"],"dimensions":["customers.segment"],"filters":["customers.segment = 'none'"]}`, `[]`},
	}
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) { s.wantRows(t, tt.request, tt.rows) })
		}

		all := s.wantRows(t, `{"measures":["orders.revenue"],"dimensions":["items.product"],"order_by":["items.product"],"limit":1,"include":["sql","plan"]}`, `[["bread",180]]`)
		if !strings.Contains(all.SQL, "SELECT DISTINCT") || len(all.Plan.Branches) != 1 || !all.Plan.Branches[0].Fanout || all.Plan.Branches[0].Home != "orders" {
			t.Errorf("statement and plan: %s %+v", all.SQL, all.Plan)
		}
		if notes := strings.Join(all.Notes, "\n"); !strings.Contains(notes, "do not add up") || !strings.Contains(notes, "limit of 1 row") {
			t.Errorf("notes: %s", notes)
		}
		column := all.Columns[1]
		if all.ConnectionID != "bakery" || len(all.Columns) != 2 || column.Name != all.Headers[1] || *column.Member != "orders.revenue" || column.Unit != "EUR" || column.Provenance != "defined" {
			t.Errorf("columns: %+v", all)
		}
		var answered map[string]any
		if failed := s.ask(t, "sl_query", json.RawMessage(`{"measures":["orders.revenue"]}`), &answered); failed != nil {
			t.Errorf("%+v", failed)
		}
	})
}

// What is cut says so, by what, and how to get the rest.
func TestSemanticMCPCutsLargeAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, more  string
		first, rows int // rows -1: as many as fit
		truncatedBy string
		note        string
	}{
		{"without a limit", ``, 1, 1000, "rows", "cut at 1000 rows"},
		{"within the limit", `,"limit":10`, 1, 10, "", "limit of 10 row"},
		{"the end", `,"limit":1000,"offset":19999`, 20_000, 1, "", ""},
		{"beyond the end", `,"offset":20000`, 0, 0, "", ""},
		{"larger than an answer", `,"limit":10000`, 1, -1, "bytes", "size limit"},
	}
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		for _, tt := range tests {
			got, refusal := s.numbersOf(t.Context(), t, `{"measures":["many.numbers"],"dimensions":["many.i"],"order_by":["many.i"]`+tt.more+`}`)
			if refusal != nil {
				t.Errorf("%s: %s", tt.name, refusal.text)
				continue
			}
			var rows [][]int
			unmarshal(t, got.Rows, &rows)
			if len(rows) != got.RowCount || tt.rows >= 0 && len(rows) != tt.rows || len(got.Rows) > 41_000 {
				t.Errorf("%s: %d rows in %d bytes, rowCount %d", tt.name, len(rows), len(got.Rows), got.RowCount)
			}
			for i, row := range rows {
				if row[0] != tt.first+i || row[1] != 1 {
					t.Fatalf("%s: row %d is %v", tt.name, i, row)
				}
			}
			if got.Truncated != (tt.truncatedBy != "") || got.TruncatedBy != tt.truncatedBy || !strings.Contains(strings.Join(got.Notes, "\n"), tt.note) {
				t.Errorf("%s: truncated %v by %q: %q", tt.name, got.Truncated, got.TruncatedBy, got.Notes)
			}
		}
	})
}

func TestSemanticMCPReadsSources(t *testing.T) {
	t.Parallel()
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		var source struct {
			Name, File string
			PrimaryKey []string
			Measures   []struct{ Name, Expr string }
			Dimensions []struct{ Name string }
			Reachable  []struct{ Name string }
			Broken     string
		}
		if failed := s.ask(t, "sl_read_source", map[string]any{"connectionId": "bakery", "name": "orders", "dimensions": []string{"status"}}, &source); failed != nil {
			t.Fatalf("%+v", failed)
		}
		if source.Name != "orders" || source.File != "semantic-layer/bakery/orders.yaml" || len(source.Measures) < 3 || len(source.Dimensions) != 1 || source.Dimensions[0].Name != "status" || source.Broken != "" {
			t.Errorf("orders: %+v", source)
		}
		failed := s.ask(t, "sl_read_source", map[string]any{"connectionId": "bakery", "source": "ordrs"}, nil)
		if failed == nil || failed.Code != "not_found" {
			t.Errorf("a misspelt source: %+v", failed)
		}
		failed = s.ask(t, "sl_read_source", map[string]any{"connectionId": "nowhere", "source": "orders"}, nil)
		if failed == nil || failed.Code != "not_found" || !strings.Contains(failed.Hint, "bakery") {
			t.Errorf("an unknown connection: %+v", failed)
		}
	})
}

func TestSemanticMCPSeesEdits(t *testing.T) {
	t.Parallel()
	const revenue, tickets = `{"measures":["orders.revenue"]}`, `{"measures":["tickets.ticket_count"]}`
	for name, serve := range map[string]func(testing.TB, string) *server{
		"stdio": func(t testing.TB, dir string) *server { return stdioServer(t, dir) }, "http": httpServer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := bakeryProject(t)
			s := serve(t, dir)
			s.wantRows(t, revenue, `[[270]]`)
			for i := range 5 { // each edit is seen by the very next call
				writeFile(t, bakeryFile(dir, "orders.yaml"), ordersFile(fmt.Sprintf("amount * %d", i)))
				s.wantRows(t, revenue, fmt.Sprintf("[[%d]]", 270*i))
			}

			writeFile(t, bakeryFile(dir, "tickets.yaml"), "name: tickets\ntable: [tickets\n")
			s.wantRefusal(t, tickets, "broken_definition", "tickets.ticket_count cannot be used")
			s.wantRows(t, revenue, `[[1080]]`)
			writeFile(t, bakeryFile(dir, "tickets.yaml"), strings.Replace(ticketsFile, "agg: count}", "agg: sum, expr: \"id + (\"}", 1))
			s.wantRefusal(t, tickets, "broken_definition", "tickets.ticket_count cannot be used")
			s.wantRows(t, revenue, `[[1080]]`)
			var source struct {
				Problems []struct {
					File string
					Line int
				}
			}
			if failed := s.ask(t, "sl_read_source", map[string]any{"connectionId": "bakery", "source": "tickets"}, &source); failed != nil {
				t.Fatalf("%+v", failed)
			}
			if len(source.Problems) != 1 || source.Problems[0].File != "semantic-layer/bakery/tickets.yaml" || source.Problems[0].Line != 5 {
				t.Errorf("problems: %+v", source)
			}
			writeFile(t, bakeryFile(dir, "tickets.yaml"), ticketsFile)
			s.wantRows(t, tickets, `[[3]]`)
			if err := os.Remove(bakeryFile(dir, "tickets.yaml")); err != nil {
				t.Fatal(err)
			}
			s.wantRefusal(t, tickets, "unknown_member")
		})
	}
}

func TestSemanticMCPRefuses(t *testing.T) {
	t.Parallel()
	filter := func(text string) string {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"measures":["orders.revenue"],"filters":[` + string(encoded) + `]}`
	}
	tests := []struct {
		name, request, code string
		says                []string
	}{
		{"several statements", filter("orders.id = 1; DELETE FROM orders"), "invalid_expression", []string{"filters[0]", "\n  orders.id = 1; DELETE FROM orders\n               ^\n"}},
		{"a subselect", filter("orders.id IN (SELECT id FROM customers)"), "invalid_expression", nil},
		{"a comment", filter("orders.id = 1 -- x"), "invalid_expression", nil},
		{"a comment inside", filter("orders.id = 1 /* x */ OR TRUE"), "invalid_expression", nil},
		{"a quote that is open", filter("orders.status = 'paid"), "invalid_expression", nil},
		{"a quote that breaks out", filter("orders.status = 'a' OR '1'='1' ' "), "invalid_expression", nil},
		{"NUL", filter("orders.status = 'a\x00b'"), "invalid_expression", nil},
		{"a mebibyte", filter("orders.status = '" + strings.Repeat("a", 1<<20) + "'"), "invalid_request", []string{"the limit is 1048576"}},
		{"nearly a mebibyte", filter("orders.status = '" + strings.Repeat("a", 1<<20-200) + "'"), "invalid_expression", nil},
		{"a function of the engine", filter("load_extension('x') IS NULL"), "invalid_expression", nil},
		{"a catalogue", filter("sqlite_master.name = 'orders'"), "unknown_member", nil},
		{"a limit below zero", `{"measures":["orders.revenue"],"limit":-1}`, "invalid_request", []string{"limit: "}},
		{"an offset below zero", `{"measures":["orders.revenue"],"offset":-1}`, "invalid_request", []string{"offset: "}},
		{"a limit in words", `{"measures":["orders.revenue"],"limit":"many"}`, "invalid_request", []string{"limit: "}},
		{"measures that are a number", `{"measures":7}`, "invalid_request", []string{"measures: "}},
		{"a value of another type", `{"measures":["orders.revenue"],"filters":[{"field":"orders.created_at","op":"gte","values":[20240501]}]}`, "invalid_request", []string{"filters[0].values[0]: "}},
		{"an unknown key", `{"measures":["orders.revenue"],"filtres":[]}`, "invalid_request", []string{"Did you mean: filters?"}},
		{"a key twice", `{"measures":["orders.revenue"],"measures":["items.units"]}`, "invalid_request", []string{"twice"}},
		{"an unknown measure", `{"measures":["orders.revenu"]}`, "unknown_member", []string{"Did you mean: orders.revenue?"}},
		{"an unknown dimension", `{"measures":["orders.revenue"],"dimensions":["orders.segment"]}`, "unknown_member", []string{"customers.segment"}},
		{"two ways", `{"measures":["orders.revenue"],"dimensions":["regions.name"]}`, "ambiguous_path", []string{"Use one of: customers.regions.name, depots.regions.name\n"}},
		{"a finer dimension, where that is an error", `{"measures":["orders.revenue"],"dimensions":["items.product"],"fanout":"error"}`, "fanout", []string{"items.units"}},
		{"a value that there is not", `{"measures":["orders.revenue"],"filters":[{"field":"orders.status","op":"equals","values":["payed"]}]}`, "value_not_found", []string{"paid"}},
		{"OR of rows and groups", filter("orders.revenue > 5 OR orders.status = 'paid'"), "mixed_row_and_aggregate_or", []string{"^"}},
		{"text to SQLite's zone", `{"measures":["orders.revenue"],"dimensions":["orders.created_at.day"],"time_zone":"Europe/Berlin"}`, "unsupported_on_dialect", nil},
	}
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) { s.wantRefusal(t, tt.request, tt.code, tt.says...) })
		}
		_, refusal := s.numbersOf(t.Context(), t, `{"connection_id":"nowhere","measures":["orders.revenue"]}`)
		if refusal == nil || refusal.Code != "not_found" || !strings.Contains(refusal.Hint, "bakery") {
			t.Errorf("an unknown connection: %+v", refusal)
		}
		s.wantRows(t, `{"measures":["orders.order_count"]}`, `[[5]]`) // all of them are still there
	})
}

func TestSemanticMCPAsksWhichConnection(t *testing.T) {
	t.Parallel()
	dir := bakeryProject(t)
	path := filepath.Join(dir, "loam.yaml")
	yaml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(yaml)+"  second: {connector: sqlite, config: {path: data/bakery.db}}\n")
	s := stdioServer(t, dir)
	s.wantRows(t, `{"measures":["orders.revenue"]}`, `[[270]]`) // only the bakery has it
	s.wantRefusal(t, `{"measures":["orders.revenue"],"connection_id":"second"}`, "unknown_member")
	for name, content := range bakeryFiles {
		writeFile(t, filepath.Join(dir, "semantic-layer", "second", name), content)
	}
	_, refusal := s.numbersOf(t.Context(), t, `{"measures":["orders.revenue"]}`)
	if refusal == nil || refusal.Code != "invalid" || !strings.Contains(refusal.Hint, "bakery, second") {
		t.Errorf("no connection is named: %+v", refusal)
	}
	s.wantRows(t, `{"measures":["orders.revenue"],"connectionId":"bakery"}`, `[[270]]`)
}

func TestSemanticMCPReportsProgress(t *testing.T) {
	t.Parallel()
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		params := &mcp.CallToolParams{Name: "sl_query", Arguments: json.RawMessage(`{"measures":["orders.revenue"],"dimensions":["orders.status"]}`)}
		params.SetProgressToken("p")
		if result, err := s.CallTool(t.Context(), params); err != nil || result.IsError {
			t.Fatal(err, result)
		}
		var seen []mcp.ProgressNotificationParams
		eventually(t, settle, "the last report", func() bool {
			select {
			case p := <-s.progress:
				seen = append(seen, p)
			default:
			}
			return len(seen) > 0 && seen[len(seen)-1].Progress == 1
		})
		last, stages := -1.0, []string{}
		for _, p := range seen {
			if p.Progress <= last {
				t.Errorf("%v after %v", p.Progress, last)
			}
			last = p.Progress
			stages = append(stages, p.Message)
		}
		want := []string{"Compiling query", "Generating SQL", "Executing"}
		if len(stages) < 4 || cmp.Diff(want, stages[:3]) != "" || !strings.HasPrefix(stages[len(stages)-1], "Fetched 2 rows") {
			t.Errorf("stages: %q", stages)
		}
	})
}

func TestSemanticMCPIsCancelled(t *testing.T) {
	t.Parallel()
	overBoth(t, bakeryProject(t), func(t *testing.T, s *server) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sl_query", Arguments: json.RawMessage(`{"measures":["endless.numbers"]}`)})
			ended <- err
		}()
		var child []int
		eventually(t, settle, "the engine works", func() bool {
			child = connectors(t, s.cmd.Process.Pid)
			return len(child) == 1 && !idle(t, child[0])
		})
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("the endless query ended with %v", err)
		}
		took := eventually(t, settle, "the engine stops", func() bool { return idle(t, child[0]) })
		t.Logf("stopped after %v", took.Round(time.Millisecond))
		s.wantRows(t, `{"measures":["orders.revenue"]}`, `[[270]]`)
	})
}
