package mcpserver

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

// written is what a call of a writing tool reaches the use case with.
type written struct {
	Call memory.Call
	What any
}

func (w *world) suggested(c memory.Call, what any) (*memory.Suggested, error) {
	if c.ClientID == "taken" {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the clientId was used for another change").WithHint("give each call a clientId of its own")
	}
	id, why := change.ID("3fa2c81b07"), "policy"
	return keep(w, any(written{c, what}), &memory.Suggested{ChangeID: &id, Status: memory.StatusQueued, Reason: &why, Review: "loam review show 3fa2c81b07"})
}

func (w *world) SuggestKnowledge(_ context.Context, c memory.Call, k memory.Knowledge) (*memory.Suggested, error) {
	return w.suggested(c, k)
}

func (w *world) EnhanceEntity(_ context.Context, c memory.Call, e memory.Enhancement) (*memory.Suggested, error) {
	return w.suggested(c, e)
}

func (w *world) EnhanceRelationship(_ context.Context, c memory.Call, e memory.Edge) (*memory.Suggested, error) {
	return w.suggested(c, e)
}

func (w *world) RecommendQuery(_ context.Context, c memory.Call, q memory.QuerySuggestion) (*memory.SuggestedQuery, error) {
	out, err := w.suggested(c, q)
	if err != nil {
		return nil, err
	}
	return &memory.SuggestedQuery{Suggested: *out}, nil
}

func (w *world) ReplacePage(_ context.Context, c memory.Call, p memory.PageWrite) (*memory.Suggested, error) {
	return w.suggested(c, p)
}

func (w *world) ReplaceSource(_ context.Context, c memory.Call, s memory.SourceWrite) (*memory.Suggested, error) {
	return w.suggested(c, s)
}

// Every argument of a writing tool reaches the use case, in both spellings, and who calls comes from the transport.
func TestWritingTools(t *testing.T) {
	t.Parallel()
	shop := memory.Call{Actor: tester, Connection: "shop", ClientID: "a1"}
	wiki := memory.Call{Actor: tester, ClientID: "a1"}
	fact := memory.Knowledge{FactType: "terminology", Key: "ARR", Value: "revenue", Context: "more", Confidence: "high"}
	query := memory.QuerySuggestion{
		Name: "top", Title: "Top", Description: "d", SQL: "SELECT {{a}}", Parameters: []any{map[string]any{"name": "a", "type": "date"}},
		Output: []any{map[string]any{"name": "x"}}, Constraints: "c", Example: map[string]any{"a": "2024-01-01"}, Replaces: "top",
	}
	for _, tt := range []struct {
		name, tool, args string
		want             written
	}{
		{"a fact", "suggest_knowledge", `{"factType":"terminology","key":"ARR","value":"revenue","context":"more","confidence":"high","connectionId":"shop","clientId":"a1"}`, written{shop, fact}},
		{"a fact in snake case", "suggest_knowledge", `{"fact_type":"terminology","key":"ARR","value":"revenue","context":"more","confidence":"high","connection_id":"shop","client_id":"a1"}`, written{shop, fact}},
		{
			"an entity", "enhance_entity", `{"connectionId":"shop","entityName":"orders","enhancementType":"alias","value":["a","b"],"clientId":"a1"}`,
			written{shop, memory.Enhancement{Entity: "orders", Type: "alias", Values: []string{"a", "b"}}},
		},
		{
			"one value", "enhance_entity", `{"connection_id":"shop","entity_name":"orders","enhancement_type":"description","value":"a","client_id":"a1"}`,
			written{shop, memory.Enhancement{Entity: "orders", Type: "description", Values: []string{"a"}}},
		},
		{
			"an edge", "enhance_relationship", `{"connectionId":"shop","from_entity":"orders","toEntity":"customer","association":"by","description":"d","clientId":"a1"}`,
			written{shop, memory.Edge{From: "orders", To: "customer", Association: "by", Description: "d"}},
		},
		{
			"a query", "recommend_query", `{"connectionId":"shop","name":"top","title":"Top","description":"d","sql":"SELECT {{a}}","parameters":[{"name":"a","type":"date"}],` +
				`"output":[{"name":"x"}],"constraints":"c","exampleUsage":{"a":"2024-01-01"},"replaces":"top","clientId":"a1"}`, written{shop, query},
		},
		{"a page", "wiki_write", `{"key":"arr","content":"x","base_version":"0a","clientId":"a1"}`, written{wiki, memory.PageWrite{Key: "arr", Content: "x", Base: "0a"}}},
		{
			"a source", "sl_write_source", `{"connectionId":"shop","name":"orders","content":"x","baseVersion":"0a","clientId":"a1"}`,
			written{shop, memory.SourceWrite{Name: "orders", Content: "x", Base: "0a"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
			result := checked(t, c, tt.tool, object(t, tt.args))
			if result.IsError || !strings.Contains(compact(t, result.StructuredContent), `"changeId":"3fa2c81b07"`) {
				t.Fatalf("answered: %s", textOf(t, result))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(any(tt.want), w.looked, cmpopts.IgnoreFields(change.Actor{}, "Session")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWritingToolsRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, args, code, says string }{
		{"an unknown type", "suggest_knowledge", `{"factType":"x","key":"a","value":"b","confidence":"high"}`, "invalid", "factType"},
		{"no key", "suggest_knowledge", `{"factType":"terminology","value":"b","confidence":"high"}`, "invalid", "key"},
		{"an actor", "suggest_knowledge", `{"factType":"terminology","key":"a","value":"b","confidence":"high","actor":"the boss"}`, "invalid", "actor"},
		{"a number", "enhance_entity", `{"connectionId":"shop","entityName":"a","enhancementType":"alias","value":1}`, "invalid", "value"},
		{"21 values", "enhance_entity", `{"connectionId":"shop","entityName":"a","enhancementType":"alias","value":[` + strings.Repeat(`"x",`, 20) + `"x"]}`, "invalid", "20"},
		{"no label", "enhance_relationship", `{"connectionId":"shop","fromEntity":"a","toEntity":"b"}`, "invalid", "association"},
		{"no parameters", "recommend_query", `{"connectionId":"shop","name":"a","description":"d","sql":"x"}`, "invalid", "parameters"},
		{"too long a clientId", "wiki_write", `{"key":"a","content":"x","clientId":"` + strings.Repeat("x", 65) + `"}`, "invalid", "64"},
		{"a taken clientId", "wiki_write", `{"key":"a","content":"x","clientId":"taken"}`, "conflict", "clientId"},
		{"no content", "sl_write_source", `{"connectionId":"shop","name":"a","content":""}`, "invalid", "content"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, line{"stdio", "2025-11-25"}, newWorld().everything(), nil)
			result := checked(t, c, tt.tool, object(t, tt.args))
			if said := compact(t, result.StructuredContent); !result.IsError || !strings.Contains(said, `"code":"`+tt.code+`"`) || !strings.Contains(said, tt.says) {
				t.Errorf("answered: %s", said)
			}
		})
	}
}

// The schema of recommend_query names each type that a parameter can have.
func TestTypesOfParametersAreNamed(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(recommendQueryInput, "type (")
	list, _, _ = strings.Cut(list, ")")
	want := []savedquery.Type{
		savedquery.String, savedquery.Integer, savedquery.Decimal, savedquery.Boolean, savedquery.Date, savedquery.Timestamp, savedquery.UUID, savedquery.Strings, savedquery.Integers,
	}
	got := strings.Split(list, "|")
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i, name := range want {
		if got[i] != string(name) {
			t.Errorf("%q in place of %q", got[i], name)
		}
	}
}
