package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loam-data/loam/e2e/testserver"
)

// shopScript is a warehouse as people leave them: abbreviations, camel case,
// umlauts, comments in other languages, one table name in two schemas.
const shopScript = `
CREATE TABLE customers (id int PRIMARY KEY, segment text, country text);
INSERT INTO customers SELECT i, (ARRAY['consumer','wholesale partner'])[1 + i % 2], 'Österreich' FROM generate_series(1, 40) i;
CREATE TABLE cust_addr (id int PRIMARY KEY, customer_id int REFERENCES customers, "Straße" text);
CREATE TABLE "orderItems" ("orderId" int, "unitPrice" numeric(10,2), PRIMARY KEY ("orderId", "unitPrice"));
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, state text, amt numeric(10,2));
INSERT INTO orders SELECT i, 1 + i % 40, (ARRAY['awaiting dispatch','delivered'])[1 + i % 2], i FROM generate_series(1, 100) i;
CREATE TABLE "Käufergruppen" (id int, nummer int);
CREATE VIEW order_totals AS SELECT customer_id, sum(amt) AS total FROM orders GROUP BY 1;
CREATE TABLE t9 (id int, c1 text);
COMMENT ON TABLE t9 IS '顧客の返品記録';
COMMENT ON COLUMN t9.c1 IS 'Причина возврата товара';
COMMENT ON COLUMN orders.amt IS 'Gross of VAT, in euros.';
CREATE SCHEMA staging;
CREATE TABLE staging.orders (id int);
`

// scannedShop is a project with that warehouse scanned, a connection that never
// was, and a wiki.
func scannedShop(t *testing.T) (string, *testserver.PostgresDatabase) {
	t.Helper()
	db := testserver.Postgres(t).Database(t, shopScript)
	for _, grant := range []string{"GRANT USAGE ON SCHEMA staging TO ", "GRANT SELECT ON ALL TABLES IN SCHEMA staging TO "} {
		db.Exec(t, testserver.PostgresOwner, grant+testserver.PostgresReader)
	}
	dir := warehouse(t, db, testserver.PostgresReader)
	path := filepath.Join(dir, "loam.yaml")
	yaml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(yaml)+"  other:\n    connector: sqlite\n    config: {path: data/other.db}\n")
	writeFile(t, filepath.Join(dir, "wiki/global/churn.md"), "---\nsummary: When a customer counts as lost.\n---\n# Churn\n\nNobody ordered for a year. See [[revenue]].\n")
	writeFile(t, filepath.Join(dir, "wiki/global/revenue.md"), "# Revenue\n\nBooked when the parcel leaves.\n")
	rescan(t, dir)
	return dir, db
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rescan(t *testing.T, dir string) {
	t.Helper()
	if r := loam(t, dir, "scan", "warehouse"); r.code != 0 {
		t.Fatalf("loam scan: exit %d: %s", r.code, r.stderr)
	}
}

// ask calls a tool, validates its answer by the listed schema and decodes it; the failure is nil when it worked.
func (s *server) ask(t *testing.T, tool string, args, into any) *failure {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	body, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Tools, func(l *mcp.Tool) bool { return l.Name == tool })
	if at < 0 {
		t.Fatalf("there is no tool %s", tool)
	}
	fits(t, list.Tools[at].OutputSchema, body)
	if result.IsError {
		f := &failure{}
		unmarshal(t, body, f)
		return f
	}
	if result.Content[0].(*mcp.TextContent).Text == "" {
		t.Errorf("%s has no text", tool)
	}
	unmarshal(t, body, into)
	return nil
}

// fits checks a document against a schema.
func fits(t *testing.T, schema any, body []byte) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", rules); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(document); err != nil {
		t.Errorf("the answer does not fit its schema: %v\n%.500s", err, body)
	}
}

type refs struct {
	Refs []struct {
		Kind, ID, MatchedOn, ConnectionID, ColumnName string
		Score                                         float64
		Summary, Snippet                              *string
	}
	Notes []string
}

// find returns the ids of the references to a question.
func (s *server) find(t *testing.T, args map[string]any) (ids []string) {
	t.Helper()
	var found refs
	if failed := s.ask(t, "discover_data", args, &found); failed != nil {
		t.Fatalf("%v: %+v", args, failed)
	}
	for _, r := range found.Refs {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestDiscoverData(t *testing.T) {
	t.Parallel()
	dir, db := scannedShop(t)
	s := stdioServer(t, dir)
	for _, tt := range []struct{ name, query, want string }{
		{"plural", "customer", "public.customers"},
		{"abbreviation", "customer address", "public.cust_addr"},
		{"abbreviated column", "amount", "public.orders.amt"},
		{"abbreviated question", "cust segment", "public.customers.segment"},
		{"camel case", "order items", "public.orderItems"},
		{"camel case of a column", "unit price", "public.orderItems.unitPrice"},
		{"typo", "custmers", "public.customers"},
		{"umlaut written as two letters", "kaeufergruppe", "public.Käufergruppen"},
		{"sharp s", "strasse", "public.cust_addr.Straße"},
		{"Japanese comment", "返品", "public.t9"},
		{"Cyrillic comment in another case", "причины возврата", "public.t9.c1"},
		{"comment", "gross of vat", "public.orders.amt"},
		{"value", "wholesale partner", "public.customers.segment"},
		{"page", "churned customers", "churn"},
		{"page by its text", "parcel", "revenue"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.find(t, map[string]any{"query": tt.query}); !slices.Contains(got[:min(3, len(got))], tt.want) {
				t.Errorf("%s: %s is not among the first of %v", tt.query, tt.want, got)
			}
		})
	}
	t.Run("a scan and an edit between two calls", func(t *testing.T) {
		other := httpServer(t, dir)
		if got := other.find(t, map[string]any{"query": "dirigible"}); len(got) > 0 {
			t.Fatalf("found already: %v", got)
		}
		db.Exec(t, testserver.PostgresOwner, "CREATE TABLE dirigibles (id int); GRANT SELECT ON dirigibles TO "+testserver.PostgresReader)
		rescan(t, dir)
		writeFile(t, filepath.Join(dir, "wiki/global/churn.md"), "# Churn\n\nSee the dirigible.\n")
		for _, one := range []*server{s, other} {
			if diff := cmp.Diff([]string{"public.dirigibles", "churn", "public.dirigibles.id"}, one.find(t, map[string]any{"query": "dirigible"})); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		}
	})
	t.Run("what is missing", func(t *testing.T) {
		var found refs
		s.ask(t, "discover_data", map[string]any{"query": "xqzzy"}, &found)
		if notes := strings.Join(found.Notes, " "); len(found.Refs) > 0 || !strings.Contains(notes, "loam scan other") || !strings.Contains(notes, `"xqzzy"`) {
			t.Errorf("answer: %+v", found)
		}
	})
}

func TestEntityDetails(t *testing.T) {
	t.Parallel()
	dir, _ := scannedShop(t)
	s := stdioServer(t, dir)
	var got struct {
		Snapshot struct{ ExtractedAt string }
		Entities []struct {
			Display, Kind  string
			Columns, Joins []string
		}
		Errors []struct {
			Input, Code, Message string
			Candidates           []string
		}
	}
	args := map[string]any{"connectionId": "warehouse", "entities": []any{
		map[string]any{"table": "PUBLIC.Orders", "columns": []string{"id", "amt"}},
		"order_totals",
		map[string]any{"table": map[string]any{"schema": "public", "table": "orderItems", "catalog": nil}},
		map[string]any{"table": "orders"},
		map[string]any{"table": "public.custmers"},
	}}
	if failed := s.ask(t, "entity_details", args, &got); failed != nil {
		t.Fatalf("%+v", failed)
	}
	var lines []string
	for _, e := range got.Entities {
		lines = append(lines, e.Kind+" "+e.Display+": "+strings.Join(append(e.Columns, e.Joins...), " | "))
	}
	for _, e := range got.Errors {
		lines = append(lines, e.Code+" "+e.Input+": "+strings.Join(e.Candidates, " "))
	}
	want := []string{
		"table public.orders: id integer; key; 1..100 | amt numeric(10,2); unique; 1.00..100.00 -- Gross of VAT, in euros. | customer_id -> public.customers.id; n:1; declared",
		"view public.order_totals: customer_id integer; nullable | total numeric; nullable",
		"table public.orderItems: orderId integer; key | unitPrice numeric(10,2); key",
		"ambiguous orders: public.orders staging.orders",
		"not_found public.custmers: public.customers",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("entities and errors (-want +got):\n%s", diff)
	}
	var rows struct{ Entities []struct{ Sample []string } }
	args = map[string]any{"connectionId": "warehouse", "sample": 3, "entities": []any{map[string]any{"table": "public.orders", "columns": []string{"id", "amt"}}}}
	if failed := s.ask(t, "entity_details", args, &rows); failed != nil || len(rows.Entities) != 1 || len(rows.Entities[0].Sample) != 4 {
		t.Fatalf("%+v, rows %+v", failed, rows)
	}
	for i, row := range rows.Entities[0].Sample {
		id, amount, _ := strings.Cut(row, ", ")
		if i == 0 && row != "id, amt" || i > 0 && amount != id+".00" {
			t.Errorf("line %d of the rows is %q", i, row)
		}
	}
	var list struct {
		Connections []struct {
			ID, Status, ScannedAt string
			Tables                int
		}
	}
	s.ask(t, "connection_list", map[string]any{}, &list)
	first, second := list.Connections[0], list.Connections[1]
	if first.Status != "ready" || first.Tables == 0 || first.ScannedAt != got.Snapshot.ExtractedAt || second.Status != "not_scanned" || second.ScannedAt != "" {
		t.Errorf("connection_list: %+v", list)
	}
}

func TestDictionaryAndWiki(t *testing.T) {
	t.Parallel()
	dir, _ := scannedShop(t)
	s := stdioServer(t, dir)
	var values struct {
		Results []struct{ Matches []string }
		Misses  []struct {
			ConnectionID, Reason string
			Values               []string
		}
	}
	if failed := s.ask(t, "dictionary_search", map[string]any{"values": []string{"WHOLESALE", "österreich", "nowhere"}}, &values); failed != nil {
		t.Fatalf("%+v", failed)
	}
	got := fmt.Sprint(values.Results, values.Misses)
	want := "[{[warehouse: public.customers.segment = wholesale partner; 2 distinct]} {[warehouse: public.customers.country = Österreich; 1 distinct]} {[]}] " +
		"[{other no_profile_artifact [WHOLESALE österreich nowhere]} {warehouse withheld [nowhere]}]" // it may be a name, and names are not kept
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dictionary_search (-want +got):\n%s", diff)
	}

	var page struct {
		Body  string
		Links []string
	}
	var pages struct {
		Results []struct{ Key, Snippet string }
		Total   int
	}
	read := func() {
		t.Helper()
		page.Links, pages.Results = nil, nil // an answer without them leaves them out
		if failed := s.ask(t, "wiki_read", map[string]any{"key": "churn"}, &page); failed != nil {
			t.Fatalf("%+v", failed)
		}
		if failed := s.ask(t, "wiki_search", map[string]any{"query": "year quarter"}, &pages); failed != nil {
			t.Fatalf("%+v", failed)
		}
	}
	read()
	if !strings.Contains(page.Body, "for a year") || !slices.Equal(page.Links, []string{"revenue"}) || pages.Total != 1 || !strings.Contains(pages.Results[0].Snippet, "for a year") {
		t.Errorf("page %+v, pages %+v", page, pages)
	}
	writeFile(t, filepath.Join(dir, "wiki/global/churn.md"), "# Churn\n\nNobody ordered for a quarter.\n")
	read()
	if !strings.Contains(page.Body, "for a quarter") || len(page.Links) > 0 || pages.Total != 1 || !strings.Contains(pages.Results[0].Snippet, "for a quarter") {
		t.Errorf("after an edit: page %+v, pages %+v", page, pages)
	}
	failed := s.ask(t, "wiki_read", map[string]any{"key": "chrun"}, &page)
	if failed == nil || failed.Code != "not_found" || failed.Hint == "" {
		t.Errorf("an unknown page: %+v", failed)
	}
}

// Whatever is asked is answered or refused with a reason, and the server goes on.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	heavy(t, "hostile questions")
	dir, _ := scannedShop(t)
	s := stdioServer(t, dir)
	mib := strings.Repeat("x", 1<<20)
	many := func(n int) []any { return slices.Repeat([]any{map[string]any{"table": "t"}}, n) }
	for _, tt := range []struct {
		name, tool string
		args       map[string]any
		code, want string // "" = answered
	}{
		{"1 MiB query", "discover_data", map[string]any{"query": mib}, "invalid", "1048576 bytes"},
		{"NUL", "discover_data", map[string]any{"query": "a\x00b"}, "", ""},
		{"nothing but signs", "discover_data", map[string]any{"query": "-.'\"%;--"}, "", ""},
		{"invalid kind", "discover_data", map[string]any{"query": "x", "kinds": []string{"tables"}}, "invalid", "kinds[0]"},
		{"limit 0", "discover_data", map[string]any{"query": "x", "limit": 0}, "invalid", "limit"},
		{"limit 51", "discover_data", map[string]any{"query": "x", "limit": 51}, "invalid", "limit"},
		{"limit 50", "discover_data", map[string]any{"query": "id", "limit": 50}, "", ""},
		{"unknown connection", "discover_data", map[string]any{"query": "x", "connectionId": "warehous"}, "not_found", "warehous"},
		{"20 entities", "entity_details", map[string]any{"connectionId": "warehouse", "entities": many(20)}, "", ""},
		{"21 entities", "entity_details", map[string]any{"connectionId": "warehouse", "entities": many(21)}, "invalid", "entities"},
		{"never scanned", "entity_details", map[string]any{"connectionId": "other", "entities": many(1)}, "not_found", "never scanned"},
		{"1 MiB table", "entity_details", map[string]any{"connectionId": "warehouse", "entities": []any{mib}}, "", ""},
		{"no values", "dictionary_search", map[string]any{"values": []string{}}, "invalid", "values"},
		{"1 MiB value", "dictionary_search", map[string]any{"values": []string{mib}}, "invalid", "values[0]"},
		{"values of signs", "dictionary_search", map[string]any{"values": []string{"\x00", "%", "'; DROP TABLE"}}, "", ""},
		{"1 MiB wiki query", "wiki_search", map[string]any{"query": mib}, "invalid", "1048576 bytes"},
		{"a key that leads out", "wiki_read", map[string]any{"key": "../../loam"}, "not_found", "loam"},
		{"1 MiB key", "wiki_read", map[string]any{"key": mib}, "not_found", "xxx"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var any json.RawMessage
			failed := s.ask(t, tt.tool, tt.args, &any)
			switch {
			case tt.code == "" && failed != nil:
				t.Errorf("refused: %+v", failed)
			case tt.code != "" && (failed == nil || failed.Code != tt.code || !strings.Contains(failed.Message, tt.want) || failed.Hint == "" || len(failed.Message) > 2000):
				t.Errorf("failure: %.500s", fmt.Sprintf("%+v", failed))
			case len(any) > 64<<10:
				t.Errorf("the answer has %d bytes", len(any))
			}
		})
	}
}
