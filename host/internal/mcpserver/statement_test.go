package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

func (w *world) Validate(_ context.Context, in ask.Statement) (*ask.Validation, error) {
	word := "SELECT"
	return keep(w, any(in), &ask.Validation{
		Valid: true, ReadOnly: true, Statement: &word, Columns: []ask.Column{{Name: "<n>"}, {Name: "n"}}, Tables: []string{}, Findings: []finding.Finding{}, CheckedBy: ask.ByEngine,
	})
}

func (w *world) Explain(_ context.Context, in ask.Statement, maxChars int) (*ask.Plan, error) {
	return keep(w, any([]any{in, maxChars}), &ask.Plan{Format: "text", Plan: "SCAN", Findings: []finding.Finding{}})
}

func (w *world) Sample(_ context.Context, r ask.SampleRequest, sink query.Sink) (ask.Sample, error) {
	if r.Table == "nowhere" {
		return ask.Sample{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table nowhere").WithHint("name another one")
	}
	r.Progress = nil
	summary, err := w.rows(query.Request{}, sink, []sdk.Column{{Name: "n", Type: sdk.TypeInt64}}, 2)
	summary.Notes = []string{"some rows"}
	if err != nil {
		return ask.Sample{}, err
	}
	return keep(w, any(r), ask.Sample{Summary: summary, Withheld: []string{"email"}})
}

func (w *world) QueryHistory(_ context.Context, r ask.HistoryRequest) (*ask.History, error) {
	return keep(w, any(r), &ask.History{Queries: []ask.Past{{SQL: "SELECT ?", LastRunAt: time.Unix(0, 0).UTC().Format(time.RFC3339), Tables: []string{}}}, Own: "yours", Arguments: history.Shape})
}

// Every argument of the tools that look at statements reaches the use case, in both spellings; numbers keep their digits.
func TestStatementTools(t *testing.T) {
	t.Parallel()
	statement := ask.Statement{Connection: "shop", SQL: "SELECT ?", Parameters: ask.Values{json.Number("3.9"), json.Number("9007199254740993"), "a", true, nil}}
	const arguments = `"sql":"SELECT ?","parameters":[3.9,9007199254740993,"a",true,null]}`
	rows := ask.SampleRequest{
		Connection: "shop", Table: "orders", Columns: []string{"id"}, Limit: 3,
		Where: []ask.Condition{{Column: "id", Op: "between", Values: ask.Values{json.Number("1"), json.Number("2.50")}}, {Column: "at", Op: "is_null"}},
	}
	past := ask.HistoryRequest{
		Since: "7d", Tables: []string{"orders"}, Connection: "shop", Outcome: "ok", Limit: 3,
		Own: &caller.Record{Client: "test", Version: "1", Transport: "stdio", Principal: "none"},
	}
	for _, tt := range []struct {
		name, tool, args, says string
		want                   any
	}{
		{"validate", "validate", `{"connectionId":"shop",` + arguments, `"checkedBy":"engine"`, statement},
		{"validate in snake case", "validate", `{"connection_id":"shop",` + arguments, `"columns":[{"name":"\u003cn\u003e","type":null},{"name":"n","type":null}]`, statement},
		{"no parameters", "validate", `{"connectionId":"shop","sql":"SELECT 1"}`, "", ask.Statement{Connection: "shop", SQL: "SELECT 1"}},
		{"empty parameters", "validate", `{"connectionId":"shop","sql":"SELECT 1","parameters":[]}`, "", ask.Statement{Connection: "shop", SQL: "SELECT 1", Parameters: ask.Values{}}},
		{"explain", "explain_query", `{"connectionId":"shop",` + arguments, `"executed":false`, []any{statement, query.DefaultMaxBytes}},
		{
			"sample", "sample", `{"connectionId":"shop","table":"orders","columns":["id"],"where":[{"column":"id","op":"between","values":[1,2.50]},{"column":"at","op":"is_null"}],"limit":3}`,
			`"notes":["some rows"],"rowCount":2,"rows":[[0],[1]],"truncated":false,"withheld":["email"]`, rows,
		},
		{"the history", "get_query_history", `{"since":"7d","tables":["orders"],"connection_id":"shop","outcome":"ok","limit":3}`, `"arguments":"shape"`, past},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
			result := checked(t, c, tt.tool, raw(t, tt.args))
			if said := compact(t, result.StructuredContent); result.IsError || !strings.Contains(said, tt.says) {
				t.Fatalf("answered: %s", said)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(caller.Record{}, "Session")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// raw returns arguments whose numbers are sent as they are written.
func raw(t *testing.T, args string) (members map[string]any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		t.Fatal(err)
	}
	return members
}

func TestStatementToolsRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, args, code, says string }{
		{"no statement", "validate", `{"connectionId":"shop"}`, "invalid", "sql"},
		{"no connection", "explain_query", `{"sql":"SELECT 1"}`, "invalid", "connectionId"},
		{"parameters by name", "explain_query", `{"connectionId":"shop","sql":"SELECT 1","parameters":{"a":1}}`, "invalid", "parameters"},
		{"no table", "sample", `{"connectionId":"shop"}`, "invalid", "table"},
		{"another table", "sample", `{"connectionId":"shop","table":"nowhere"}`, "not_found", "nowhere"},
		{"101 rows", "sample", `{"connectionId":"shop","table":"a","limit":101}`, "invalid", "at most 100"},
		{"a condition as text", "sample", `{"connectionId":"shop","table":"a","where":["id = 1"]}`, "invalid", "where[0]"},
		{"a condition without an operator", "sample", `{"connectionId":"shop","table":"a","where":[{"column":"id"}]}`, "invalid", "op"},
		{"101 statements", "get_query_history", `{"limit":101}`, "invalid", "at most 100"},
		{"no statements", "get_query_history", `{"limit":0}`, "invalid", "at least 1"},
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
