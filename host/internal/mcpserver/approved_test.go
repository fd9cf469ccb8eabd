package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

func (w *world) List(_ context.Context, r approved.ListRequest) (*approved.Listing, error) {
	if r.Cursor == "old" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor is old").WithHint("leave cursor out to begin anew")
	}
	return keep(w, r, &approved.Listing{Queries: []approved.Listed{{Name: "top", Examples: []map[string]any{}}}, Total: 1})
}

func (w *world) Execute(_ context.Context, r approved.Run, sink query.Sink) (*approved.Result, error) {
	if r.Name == "draft" {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "no person has reviewed the query draft").WithHint("ask a person to read it")
	}
	summary, err := w.rows(query.Request{MaxRows: r.MaxRows}, sink, []sdk.Column{{Name: "n", Type: sdk.TypeInt64, NativeType: "BIGINT"}}, 1)
	if err != nil {
		return nil, err
	}
	summary.Notes = append(summary.Notes, "output_changed: x.")
	return keep(w, r, &approved.Result{Summary: summary, Query: approved.Identity{Name: r.Name, Version: "0a"}, Bound: map[string]any{"day": "2024-01-01"}})
}

// Every argument reaches the use case, in both spellings.
func TestApprovedTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool, args string
		want             any
		answer           string
	}{
		{
			"a list", "list_approved_queries", `{"connectionId":"shop","query":"top hosts","tags":["a"],"limit":7,"cursor":"c"}`,
			approved.ListRequest{Connection: "shop", Query: "top hosts", Tags: []string{"a"}, Limit: 7, Cursor: "c"}, `"nextCursor":null`,
		},
		{"all", "list_approved_queries", `{"connection_id":"shop"}`, approved.ListRequest{Connection: "shop"}, `"usage":null`},
		{
			"a run", "execute_approved_query", `{"name":"top","connection_id":"shop","parameters":{"day":"2024-01-01","n":5,"x":3.9,"max_rows":1,"none":null},"max_rows":5}`,
			approved.Run{Name: "top", Connection: "shop", MaxRows: 5, Parameters: map[string]any{
				"day": "2024-01-01", "n": json.Number("5"), "x": json.Number("3.9"), "max_rows": json.Number("1"),
			}},
			`"bound":{"day":"2024-01-01"},"elapsedMs":1,"headerTypes":["BIGINT"],"headers":["n"],"notes":["output_changed: x."],"query":{"name":"top","version":"0a"}`,
		},
		{"a run without parameters", "execute_approved_query", `{"name":"top"}`, approved.Run{Name: "top"}, `"rows":[[0]]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
			result := checked(t, c, tt.tool, object(t, tt.args))
			if got := compact(t, result.StructuredContent); result.IsError || !strings.Contains(got, tt.answer) {
				t.Fatalf("answered: %s", textOf(t, result))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(approved.Run{}, "Progress")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// An integer beyond 2^53 keeps its digits.
func TestApprovedToolsKeepDigits(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := startHTTP(t, w.everything())
	resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_approved_query","arguments":{"name":"top","parameters":{"n":9007199254740993}}}}`, openSession(t, url)...)
	body := readAll(t, resp, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if run, ok := w.looked.(approved.Run); !ok || run.Parameters["n"] != json.Number("9007199254740993") {
		t.Errorf("asked %+v\n%s", w.looked, body)
	}
}

func TestApprovedToolsRefuse(t *testing.T) {
	t.Parallel()
	c := connect(t, line{"stdio", "2025-11-25"}, newWorld().everything(), nil)
	for _, tt := range []struct{ tool, args, code string }{
		{"list_approved_queries", `{"limit":201}`, "invalid"},
		{"list_approved_queries", `{"cursor":"old"}`, "invalid"},
		{"list_approved_queries", `{"all":true}`, "invalid"},
		{"execute_approved_query", `{}`, "invalid"},
		{"execute_approved_query", `{"name":"top","parameters":[1]}`, "invalid"},
		{"execute_approved_query", `{"name":"top","maxRows":10001}`, "invalid"},
		{"execute_approved_query", `{"name":"top","unreviewed":true}`, "invalid"},
		{"execute_approved_query", `{"name":"draft"}`, "denied"},
	} {
		result := callTool(t, c, tt.tool, object(t, tt.args))
		if text := textOf(t, result); !result.IsError || !strings.Contains(text, tt.code) {
			t.Errorf("%s %s: %s", tt.tool, tt.args, text)
		}
	}
}
