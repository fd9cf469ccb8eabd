package mcpserver

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

func (w *world) Accept(_ context.Context, in memory.Input) (memory.Accepted, error) {
	if in.Content == "\x00" {
		return memory.Accepted{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text has a NUL").WithHint("send text")
	}
	return keep(w, in, memory.Accepted{RunID: "4ZQ5LJ2XH7KWM", Duplicate: in.Content == "again"})
}

func (w *world) Status(_ context.Context, id memory.RunID) (*memory.Run, error) {
	if id != "4ZQ5LJ2XH7KWM" {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", id).WithHint("call memory_ingest_status with the runId of memory_ingest")
		e.Candidates = []string{"4ZQ5LJ2XH7KWM"}
		return nil, e
	}
	started := time.Unix(0, 0).UTC()
	return keep(w, id, &memory.Run{
		RunID: id, Status: "done", Stage: "done", Done: true, Signals: memory.Signals{Knowledge: true, SL: true, Reasons: []string{"definition"}},
		Captured: memory.Captured{
			Wiki: []string{"arr"}, SL: []string{"subscription.arr"}, Metrics: []string{}, Synonyms: []string{}, Descriptions: []string{},
			Pending: []memory.PendingLine{{ID: "3fa2c81b07", Target: "subscription.churn", Why: []string{change.WhyTwin}}},
		},
		Questions: []planner.Question{{Quote: "Churn excludes trials", Code: planner.UnknownName, Ask: "Which column?", Candidates: []string{"plan"}}},
		Notes:     []string{}, StartedAt: &started, Connection: "shop", By: change.Actor{Channel: change.MCP, Client: "secret-agent"},
	})
}

func (w *world) Changes(_ context.Context, r memory.ChangesRequest) (*memory.ChangesAnswer, error) {
	return keep(w, r, &memory.ChangesAnswer{Changes: []memory.ChangeLine{{ID: "3fa2c81b07", State: "draft", Kind: change.Page, Target: "arr", Why: []string{}}}, Total: 1})
}

func (w *world) Change(_ context.Context, id string) (*memory.Detail, error) {
	return keep(w, id, &memory.Detail{
		ChangeLine: memory.ChangeLine{ID: "3fa2c81b07", State: "pending", Kind: change.Measure, Target: "subscription.arr", Why: []string{change.WhyConflict}},
		Diff:       "--- a\n+++ b\n", Provenance: change.Actor{Channel: change.MCP, Client: "codex"}, Conflicts: []change.Conflict{}, Impact: []string{}, Version: 2,
	})
}

func (w *world) Approve(_ context.Context, d memory.Decision) ([]memory.Decided, error) {
	if d.Note == "" {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "changes are not approved over MCP").WithHint("loam review approve %s", d.IDs[0])
	}
	return keep(w, d, []memory.Decided{{ID: "3fa2c81b07", State: "applied"}, {ID: "91bb0e77d2", Problem: "it changed since"}})
}

func (w *world) Reject(ctx context.Context, d memory.Decision) ([]memory.Decided, error) {
	return keep(w, d, []memory.Decided{{ID: "3fa2c81b07", State: "rejected"}})
}

// everything switches all toolsets on.
func (w *world) everything() Config {
	c := w.config()
	c.Configured.Toolsets = []string{toolsetResearch, toolsetAdmin, toolsetContext, toolsetQueries, toolsetSources, toolsetLegacy}
	return c
}

// tester is the actor of the tests' client, without its session.
var tester = change.Actor{Channel: change.MCP, Client: "test", Version: "1"}

// What a caller writes reaches the use case as it is meant, and who it is comes from the transport.
func TestMemoryTools(t *testing.T) {
	t.Parallel()
	text := memory.Input{Content: "ARR means revenue.", Connection: "shop", Actor: tester}
	wiki := memory.Input{Content: "again", Actor: tester}
	decision := memory.Decision{IDs: []string{"3fa2c81b07", "91bb"}, Versions: []int64{2, 3}, Note: "checked", Actor: tester}
	for _, tt := range []struct {
		name, tool, args string
		want             any
	}{
		{"a text", "memory_ingest", `{"content":"ARR means revenue.","connectionId":"shop"}`, text},
		{"text for content", "memory_ingest", `{"text":"ARR means revenue.","connection_id":"shop"}`, text},
		{"markdown for content", "memory_ingest", `{"markdown":"again"}`, wiki},
		{"of no connection", "memory_ingest", `{"content":"again","connectionId":null}`, wiki},
		{"a run", "memory_ingest_status", `{"run_id":"4ZQ5LJ2XH7KWM"}`, memory.RunID("4ZQ5LJ2XH7KWM")},
		{"all changes", "change_list", `{}`, memory.ChangesRequest{}},
		{
			"some changes", "change_list", `{"state":"draft","kind":"measure","connectionId":"shop","runId":"4ZQ5LJ2XH7KWM","source":"finance","limit":100,"cursor":"x"}`,
			memory.ChangesRequest{State: "draft", Kind: "measure", Connection: "shop", RunID: "4ZQ5LJ2XH7KWM", Source: "finance", Limit: 100, Cursor: "x"},
		},
		{"a change", "change_get", `{"id":"3fa2"}`, "3fa2"},
		{"approve", "change_approve", `{"ids":["3fa2c81b07","91bb"],"versions":[2,3],"note":"checked"}`, decision},
		{"reject", "change_reject", `{"ids":["3fa2c81b07","91bb"],"versions":[2,3],"note":"checked"}`, decision},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
			if result := checked(t, c, tt.tool, object(t, tt.args)); result.IsError {
				t.Fatalf("refused: %s", textOf(t, result))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(change.Actor{}, "Session")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMemoryToolsRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, args, code, says string }{
		{"nothing to remember", "memory_ingest", `{"content":""}`, "invalid", "content"},
		{"no content", "memory_ingest", `{"connectionId":"shop"}`, "invalid", "content"},
		{"an actor in the arguments", "memory_ingest", `{"content":"x","actor":"the boss"}`, "invalid", "actor"},
		{"content twice", "memory_ingest", `{"content":"x","text":"y"}`, "invalid", "text"},
		{"what the use case refuses", "memory_ingest", `{"content":"\u0000"}`, "invalid", "NUL"},
		{"another run", "memory_ingest_status", `{"runId":"4ZQ5LJ2XH7KWN"}`, "not_found", "4ZQ5LJ2XH7KWM"},
		{"another state", "change_list", `{"state":"done"}`, "invalid", "state"},
		{"too many", "change_list", `{"limit":101}`, "invalid", "100"},
		{"any change", "change_get", `{"id":""}`, "invalid", "id"},
		{"nobody allows it", "change_approve", `{"ids":["3fa2c81b07"],"versions":[1]}`, "denied", "loam review approve 3fa2c81b07"},
		{"unseen", "change_reject", `{"ids":["3fa2c81b07"]}`, "invalid", "versions"},
		{"half unseen", "change_reject", `{"ids":["3fa2c81b07","91bb0e77d2"],"versions":[1]}`, "invalid", "change_get"},
		{"fifty-one", "change_reject", `{"ids":["` + strings.Repeat(`aaaa","`, 50) + `bbbb"],"versions":[1]}`, "invalid", "50"},
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

// Who the actor is does not depend on how the client is connected; a session is told by its digest.
func TestMemoryActor(t *testing.T) {
	t.Parallel()
	eachLine(t, nil, func(t *testing.T, w *world, c *sdkmcp.ClientSession) {
		callTool(t, c, "memory_ingest", map[string]any{"content": "ARR means revenue."})
		w.mu.Lock()
		defer w.mu.Unlock()
		got := w.looked.(memory.Input).Actor
		if diff := cmp.Diff(tester, got, cmpopts.IgnoreFields(change.Actor{}, "Session")); diff != "" || len(got.Session) != 8 {
			t.Errorf("session %q, actor (-want +got):\n%s", got.Session, diff)
		}
	})
}

// An answer tells an agent neither who else asked nor what is for the command line.
func TestMemoryStatusAnswer(t *testing.T) {
	t.Parallel()
	c := connect(t, line{"stdio", "2025-11-25"}, newWorld().config(), nil)
	const want = `{"captured":{"pending":[{"id":"3fa2c81b07","target":"subscription.churn","why":["twin"]}],"sl":["subscription.arr"],"wiki":["arr"]},"done":true,` +
		`"questions":[{"ask":"Which column?","candidates":["plan"],"code":"unknown_name","quote":"Churn excludes trials"}],"runId":"4ZQ5LJ2XH7KWM",` +
		`"signals":{"knowledge":true,"reasons":["definition"],"sl":true},"stage":"done","startedAt":"1970-01-01T00:00:00Z","status":"done"}`
	if diff := cmp.Diff(want, compact(t, checked(t, c, "memory_ingest_status", object(t, `{"runId":"4ZQ5LJ2XH7KWM"}`)).StructuredContent)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Both toolsets together do not change what an agent is told by default.
func TestAdminIsOffByDefault(t *testing.T) {
	t.Parallel()
	c := connect(t, line{"stdio", "2025-11-25"}, newWorld().config(), nil)
	_, err := c.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: "change_approve", Arguments: map[string]any{"ids": []string{"3fa2c81b07"}, "versions": []int{1}}})
	if err == nil || !strings.Contains(err.Error(), "--toolsets research,admin") {
		t.Errorf("the call of a tool that is off ended with %v", err)
	}
}
