package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

func keep[A any](w *world, request any, answer A) (A, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = request
	return answer, nil
}

func ptr(s string) *string { return &s }

func (w *world) Search(_ context.Context, r discover.SearchRequest) (*discover.SearchAnswer, error) {
	if r.Connection == "nowhere" {
		_, err := (&connection.Registry{}).Get(r.Connection)
		return nil, err
	}
	return keep(w, r, &discover.SearchAnswer{Refs: []discover.Ref{
		{Kind: "wiki", ID: "churn", Score: 1, Summary: ptr("Who left."), MatchedOn: "body"},
		{
			Kind: "column", ID: "public.orders.status", Score: 0.9, Snippet: ptr("text · samples: paid"), MatchedOn: "sample_value", ConnectionID: "warehouse",
			TableRef: &catalog.TableRef{DB: ptr("public"), Name: "orders"}, ColumnName: "status",
		},
	}})
}

func (w *world) Entities(_ context.Context, r discover.EntitiesRequest) (*discover.EntitiesAnswer, error) {
	return keep(w, r, &discover.EntitiesAnswer{
		ConnectionID: r.Connection, Snapshot: discover.Snapshot{SyncID: "s1", ExtractedAt: "2026-01-02T03:04:05Z"},
		Entities: []discover.Entity{{
			Display: "public.orders", Kind: "table", TotalColumns: 3000,
			Columns: []discover.Column{{Name: "id", NativeType: "bigint", Marks: []string{"key"}}},
			Joins:   []discover.Join{{From: sdk.TableRef{Name: "orders"}, Columns: []string{"id"}, To: sdk.TableRef{Name: "t"}, ToColumns: []string{"id"}, Cardinality: "n:1", Origin: "inferred", Score: 0.9}},
		}},
		Errors: []discover.EntityError{{Input: "ordrs", Code: "not_found", Message: "no", Candidates: []string{"public.orders"}}},
		Notes:  []string{"Cut."},
	})
}

func (w *world) Values(_ context.Context, r discover.ValuesRequest) (*discover.ValuesAnswer, error) {
	return keep(w, r, &discover.ValuesAnswer{
		Searched: []discover.Searched{{ConnectionID: "warehouse", Status: "ready"}},
		Results: []discover.ValueResult{{
			Value: "Acme", Matches: []discover.ValueMatch{{ConnectionID: "warehouse", SourceName: "public.customers", ColumnName: "name", MatchedValue: "Acme Corp"}},
			Misses: []discover.ValueMiss{{ConnectionID: "lake", Reason: "value_not_in_sample"}}, Total: 101, Truncated: true,
		}},
	})
}

func (w *world) Statement(context.Context, connection.ID, string) discover.Statement {
	return discover.Statement{}
}

func (w *world) OfEmpty(_ context.Context, _ connection.ID, sql string) []finding.Finding {
	if strings.HasPrefix(sql, "rows") {
		return []finding.Finding{{Message: "There is no such value.", Evidence: "The scan found none."}}
	}
	return nil
}

func (w *world) SearchWiki(_ context.Context, query string, limit int) (*discover.WikiAnswer, error) {
	return keep(w, []any{query, limit}, &discover.WikiAnswer{
		Results: []discover.WikiHit{{Key: "churn", Title: "Churn", MatchedOn: "name", Tags: []string{}, ConnectionIDs: []string{}}}, Total: 1,
	})
}

func (w *world) ReadWiki(_ context.Context, key string) (*discover.WikiPage, error) {
	if key != "churn" {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the wiki has no page %q", key).WithHint("call wiki_search")
		e.Candidates = []string{"churn"}
		return nil, e
	}
	return keep(w, key, &discover.WikiPage{
		Key: "churn", Title: "Churn", Tags: []string{}, Refs: []string{}, SLRefs: []string{}, Body: "<left> & [[gone]]", Scope: "global", Links: []string{"gone"},
	})
}

func (w *world) Scanned(id connection.ID) (*catalog.Identity, error) {
	return w.scanned[id], w.damaged[id]
}

// What a caller writes reaches the use case as it is meant, and what comes
// back fits the schema that was listed.
func TestDiscoverTools(t *testing.T) {
	t.Parallel()
	entities := func(max int, all ...discover.EntityQuery) discover.EntitiesRequest {
		return discover.EntitiesRequest{Connection: "warehouse", Entities: all, MaxChars: max}
	}
	parts := sdk.TableRef{Catalog: "c", Schema: "s", Name: "t"}
	tests := []struct {
		name, tool, args string
		size             int
		want             any
	}{
		{"a question", "discover_data", `{"query":"churn"}`, 0, discover.SearchRequest{Query: "churn"}},
		{
			"everything", "discover_data", `{"query":" \u0000 ","connection_id":"lake","kinds":["wiki","column"],"limit":50.0}`, 0,
			discover.SearchRequest{Query: " \x00 ", Connection: "lake", Kinds: []string{"wiki", "column"}, Limit: 50},
		},
		{"a name", "entity_details", `{"connectionId":"warehouse","entities":[{"table":"s.t","columns":["a"]}]}`, 123, entities(123, discover.EntityQuery{Display: "s.t", Columns: []string{"a"}})},
		{"a name alone", "entity_details", `{"connectionId":"warehouse","entities":["s.t"]}`, 0, entities(0, discover.EntityQuery{Display: "s.t"})},
		{"parts", "entity_details", `{"connectionId":"warehouse","entities":[{"table":{"catalog":"c","db":"s","name":"t"}}]}`, 0, entities(0, discover.EntityQuery{Ref: parts})},
		{
			"parts that are null", "entity_details", `{"connectionId":"warehouse","entities":[{"table":{"catalog":null,"db":null,"name":"t"},"columns":null}]}`, 0,
			entities(0, discover.EntityQuery{Ref: sdk.TableRef{Name: "t"}}),
		},
		{
			"schema and table", "entity_details", `{"connectionId":"warehouse","entities":[{"table":{"schema":"s","table":"t"}}]}`, 0,
			entities(0, discover.EntityQuery{Ref: sdk.TableRef{Schema: "s", Name: "t"}}),
		},
		{
			"rows", "entity_details", `{"connectionId":"warehouse","entities":["t"],"sample":3}`, 0,
			discover.EntitiesRequest{Connection: "warehouse", Entities: []discover.EntityQuery{{Display: "t"}}, Sample: 3},
		},
		{
			"a schema", "entity_details", `{"connectionId":"warehouse","schema":"sales","offset":60}`, 0,
			discover.EntitiesRequest{Connection: "warehouse", Schema: "sales", Offset: 60},
		},
		{
			"two tables", "entity_details", `{"connectionId":"warehouse","between":["a","s.b"]}`, 0,
			discover.EntitiesRequest{Connection: "warehouse", Between: []discover.EntityQuery{{Display: "a"}, {Display: "s.b"}}},
		},
		{"values", "dictionary_search", `{"values":["Acme","é"],"connectionId":null}`, 0, discover.ValuesRequest{Values: []string{"Acme", "é"}}},
		{"pages", "wiki_search", `{"query":"churn"}`, 0, []any{"churn", 0}},
		{"more pages", "wiki_search", `{"query":"churn","limit":50}`, 0, []any{"churn", 50}},
		{"a page", "wiki_read", `{"key":"churn"}`, 0, "churn"},
	}
	for _, tt := range tests {
		t.Run(tt.tool+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := w.config()
			c.AnswerSize = tt.size
			result := checked(t, connect(t, lines[0], c, nil), tt.tool, object(t, tt.args))
			if diff := cmp.Diff(tt.want, w.looked); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			short := !strings.HasPrefix(tt.tool, "wiki_")
			if result.IsError || !short && compact(t, textOf(t, result)) != compact(t, result.StructuredContent) {
				t.Errorf("text %s\nstructured %s", textOf(t, result), compact(t, result.StructuredContent))
			}
		})
	}
}

// A refusal of arguments names the field.
func TestDiscoverToolsRefuse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	twenty := strings.TrimSuffix(strings.Repeat(`"t",`, 21), ",")
	tests := []struct {
		name, tool, args, code, want string
	}{
		{"no query", "discover_data", `{}`, "invalid", "query: expected a string"},
		{"an empty query", "discover_data", `{"query":""}`, "invalid", "query: expected a text that is not empty"},
		{"an unknown kind", "discover_data", `{"query":"x","kinds":["tables"]}`, "invalid", "kinds[0]: expected one of wiki, sl_source, sl_measure, sl_dimension, table, column"},
		{"limit 0", "discover_data", `{"query":"x","limit":0}`, "invalid", "limit: expected at least 1"},
		{"limit 51", "discover_data", `{"query":"x","limit":51}`, "invalid", "limit: expected at most 50"},
		{"an unknown connection", "discover_data", `{"query":"x","connectionId":"nowhere"}`, "not_found", `there is no connection "nowhere"`},
		{"no connection", "entity_details", `{"entities":["t"]}`, "invalid", "connectionId: expected a string"},
		{"no entities", "entity_details", `{"connectionId":"lake","entities":[]}`, "invalid", "entities, schema and between are all left out"},
		{"one table in between", "entity_details", `{"connectionId":"lake","between":["a"]}`, "invalid", "between: expected at least 2 items"},
		{"three tables in between", "entity_details", `{"connectionId":"lake","between":["a","b","c"]}`, "invalid", "between: expected at most 2 items"},
		{"an offset below 0", "entity_details", `{"connectionId":"lake","schema":"s","offset":-1}`, "invalid", "offset: expected at least 0"},
		{"21 entities", "entity_details", `{"connectionId":"lake","entities":[` + twenty + `]}`, "invalid", "entities: expected at most 20 items"},
		{"no table", "entity_details", `{"connectionId":"lake","entities":[{"columns":["a"]}]}`, "invalid", "entities[0].table"},
		{"an empty table", "entity_details", `{"connectionId":"lake","entities":[{"table":""}]}`, "invalid", "entities[0].table"},
		{"a table without a name", "entity_details", `{"connectionId":"lake","entities":["a",{"table":{"db":"s"}}]}`, "invalid", "entities[1].table.name"},
		{"a schema twice", "entity_details", `{"connectionId":"lake","entities":[{"table":{"db":"s","schema":"s","name":"t"}}]}`, "invalid", "entities[0].table.schema"},
		{"a table that is a number", "entity_details", `{"connectionId":"lake","entities":[{"table":7}]}`, "invalid", "entities[0].table: expected a string or an object, got 7"},
		{"columns that are one", "entity_details", `{"connectionId":"lake","entities":[{"table":"t","columns":"a"}]}`, "invalid", "entities[0].columns: expected an array"},
		{"no values", "dictionary_search", `{"values":[]}`, "invalid", "values: expected at least 1 items"},
		{"21 values", "dictionary_search", `{"values":[` + twenty + `]}`, "invalid", "values: expected at most 20 items"},
		{"an empty value", "dictionary_search", `{"values":["a",""]}`, "invalid", "values[1]: expected a text that is not empty"},
		{"a value of 1 MiB", "dictionary_search", `{"values":["` + long + `"]}`, "invalid", "values[0]: expected at most 1000 characters, got the string \"xxx"},
		{"pages beyond 50", "wiki_search", `{"query":"x","limit":51}`, "invalid", "limit: expected at most 50"},
		{"no key", "wiki_read", `{"key":""}`, "invalid", "key: expected a text that is not empty"},
		{"an unknown page", "wiki_read", `{"key":"chrn"}`, "not_found", "Did you mean: churn?"},
	}
	c := connect(t, lines[3], newWorld().config(), nil)
	for _, tt := range tests {
		result := checked(t, c, tt.tool, object(t, tt.args))
		content, _ := result.StructuredContent.(map[string]any)
		if text := textOf(t, result); !result.IsError || content["code"] != tt.code || !strings.Contains(text, tt.want) || len(text) > 2000 {
			t.Errorf("%s: %s %.2000s", tt.name, content["code"], text)
		}
	}
}

// The kinds of the schema are those of the index.
func TestKindsAreThoseOfTheIndex(t *testing.T) {
	t.Parallel()
	c := connect(t, lines[0], newWorld().config(), nil)
	var all []any
	for _, k := range search.Kinds() {
		all = append(all, k.String())
	}
	if result := checked(t, c, "discover_data", map[string]any{"query": "x", "kinds": all}); result.IsError {
		t.Errorf("the schema lacks kinds: %s", textOf(t, result))
	}
}

func TestConnectionListAfterScans(t *testing.T) {
	t.Parallel()
	w := newWorld()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678, time.FixedZone("", 3600))
	last := &catalog.Identity{SyncID: "s1", ExtractedAt: at, Mode: catalog.Enriched, Counts: catalog.Counts{Tables: 2, Columns: 9}}
	w.scanned = map[connection.ID]*catalog.Identity{"warehouse": last, "lake": last, "gone": last}
	list := func() []any {
		result := checked(t, connect(t, lines[0], w.config(), nil), "connection_list", nil)
		content, _ := result.StructuredContent.(map[string]any)
		connections, _ := content["connections"].([]any)
		return connections
	}
	for i, status := range []string{"ready", "unavailable", "unavailable"} {
		c, _ := list()[i].(map[string]any)
		if c["status"] != status || c["tables"] != 2.0 || c["scannedAt"] != "2026-01-02T02:04:05Z" {
			t.Errorf("connection %d: %s", i, compact(t, c))
		}
	}
	w.scanned, w.damaged = nil, map[connection.ID]error{
		"warehouse": sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the catalog is damaged").WithHint("run loam scan --full warehouse"),
	}
	c, _ := list()[0].(map[string]any)
	if c["status"] != "not_scanned" || c["scannedAt"] != nil || c["problem"] != "the catalog is damaged: run loam scan --full warehouse" {
		t.Errorf("a damaged catalog: %s", compact(t, c))
	}
}

// object decodes arguments.
func object(t *testing.T, args string) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(args), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
