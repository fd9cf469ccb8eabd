package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// worldJobs has runs whose ids say what became of them.
type worldJobs struct{ w *world }

func (j worldJobs) status(id, kind string) (job.Status, error) {
	target, wait, failed := "lake", int64(500), sdk.KindUnavailable
	at := time.Unix(0, 0).UTC()
	s := job.Status{RunID: id, Kind: kind, Target: &target, Status: run.Running, Stage: "tables", Done: 3, PollAfterMs: &wait, By: "agent", QueuedAt: at, StartedAt: &at}
	switch id {
	case "NONE":
		return s, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", id).WithHint("loam runs list")
	case "GONE":
		return s, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the text of run GONE is not kept any more").WithHint("ingest it again")
	case "DONE":
		s.Status, s.PollAfterMs, s.FinishedAt, s.Report = run.Done, nil, &at, json.RawMessage(`{"tables":8}`)
	case "DIED":
		s.Status, s.PollAfterMs, s.FinishedAt, s.Error = run.Failed, nil, &at, &job.Failure{Code: &failed, Message: "the process ended"}
	case "OFF":
		s.Status, s.PollAfterMs, s.FinishedAt = run.Canceled, nil, &at
	}
	return s, nil
}

func (j worldJobs) TriggerScan(_ context.Context, by job.Caller, r job.ScanRequest) (job.Status, error) {
	if r.Connection == "gone" {
		return job.Status{}, sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another scan of gone is under way: run BUSY").WithHint("loam runs show BUSY")
	}
	keep(j.w, any([]any{by, r}), 0)
	return j.status("BUSY", run.Scan)
}

func (j worldJobs) Status(_ context.Context, f job.Follow) (job.Status, error) {
	if f.Progress != nil {
		f.Progress(sdk.Progress{Phase: "tables", Done: 1, Total: 2})
		f.Progress = nil
	}
	keep(j.w, f, 0)
	return j.status(f.RunID, f.Kind)
}

func (j worldJobs) Report(ctx context.Context, f job.Follow) (job.Status, error) {
	return j.Status(ctx, f)
}

func (j worldJobs) Cancel(_ context.Context, id string) (job.Status, error) {
	keep(j.w, any("cancel "+id), 0)
	return j.status(id, run.Scan)
}

func (j worldJobs) Replay(_ context.Context, by job.Caller, id string) (job.Status, error) {
	keep(j.w, any([]any{by, id}), 0)
	return j.status(id, run.Ingest)
}

func (j worldJobs) ListArtifacts(_ context.Context, r job.ArtifactsRequest) (*job.Artifacts, error) {
	return keep(j.w, r, &job.Artifacts{ConnectionID: "lake", Artifacts: []job.Artifact{{Name: "tables", Kind: "jsonl", Bytes: 9}}, Total: 1})
}

func (j worldJobs) ReadArtifact(_ context.Context, r job.ArtifactsRequest, name string, offset int64) (*job.Part, error) {
	if name == "../x" {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no artifact %q", name).WithHint("one of tables")
	}
	return keep(j.w, []any{r, name, offset}, &job.Part{Artifact: job.Artifact{Name: name}, Content: "x", Trust: "imported"})
}

func TestRunTools(t *testing.T) {
	t.Parallel()
	follow := func(kind, id string, wait time.Duration) job.Follow {
		return job.Follow{RunID: id, Kind: kind, Wait: wait}
	}
	by := func(tool string) job.Caller { return job.Caller{Actor: tester, Cause: tool} }
	for _, tt := range []struct {
		tool, args string
		want       any
	}{
		{"scan_trigger", `{"connectionId":"lake"}`, []any{by("scan_trigger"), job.ScanRequest{Connection: "lake"}}},
		{
			"scan_trigger", `{"connection_id":"lake","mode":"structural","include":["a.*"],"exclude":["b"],"full":true}`,
			[]any{by("scan_trigger"), job.ScanRequest{Connection: "lake", Mode: "structural", Include: []string{"a.*"}, Exclude: []string{"b"}, Full: true}},
		},
		{"scan_trigger", `{"connectionId":"lake","waitSeconds":50}`, follow(run.Scan, "BUSY", 50*time.Second)},
		{"scan_status", `{"runId":"BUSY","wait_seconds":7}`, follow(run.Scan, "BUSY", 7*time.Second)},
		{"scan_report", `{"runId":"DONE"}`, follow(run.Scan, "DONE", 0)},
		{"scan_list_artifacts", `{"runId":"DONE"}`, job.ArtifactsRequest{RunID: "DONE"}},
		{"scan_list_artifacts", `{"connectionId":"lake"}`, job.ArtifactsRequest{Connection: "lake"}},
		{"scan_read_artifact", `{"runId":"DONE","name":"diff","offset":9}`, []any{job.ArtifactsRequest{RunID: "DONE"}, "diff", int64(9)}},
		{"scan_read_artifact", `{"connectionId":"lake","name":"tables"}`, []any{job.ArtifactsRequest{Connection: "lake"}, "tables", int64(0)}},
		{"ingest_trigger", `{"content":"ARR means revenue.","source":"finance","connectionId":"lake","waitSeconds":3}`, follow(run.Ingest, "4ZQ5LJ2XH7KWM", 3*time.Second)},
		{"ingest_status", `{"runId":"DIED","waitSeconds":1}`, follow(run.Ingest, "DIED", time.Second)},
		{"ingest_report", `{"runId":"4ZQ5LJ2XH7KWM"}`, memory.RunID("4ZQ5LJ2XH7KWM")},
		{"ingest_replay", `{"runId":"DONE"}`, []any{by("ingest_replay"), "DONE"}},
		{"ingest_replay", `{"runId":"BUSY","waitSeconds":2}`, follow(run.Ingest, "BUSY", 2*time.Second)},
	} {
		w := newWorld()
		c := connect(t, line{"stdio", "2025-11-25"}, w.everything(), nil)
		if result := checked(t, c, tt.tool, object(t, tt.args)); result.IsError {
			t.Errorf("%s %s is refused: %s", tt.tool, tt.args, textOf(t, result))
			continue
		}
		w.mu.Lock()
		if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(change.Actor{}, "Session"), cmpopts.IgnoreFields(job.Follow{}, "Progress")); diff != "" {
			t.Errorf("%s %s asked (-want +got):\n%s", tt.tool, tt.args, diff)
		}
		w.mu.Unlock()
	}
}

func TestRunToolsRefuse(t *testing.T) {
	t.Parallel()
	c := connect(t, line{"stdio", "2025-11-25"}, newWorld().everything(), nil)
	for _, tt := range []struct{ tool, args, code, says string }{
		{"scan_trigger", `{}`, "invalid", "connectionId"},
		{"scan_trigger", `{"connectionId":"lake","mode":"deep"}`, "invalid", "mode"},
		{"scan_trigger", `{"connectionId":"lake","waitSeconds":51}`, "invalid", "waitSeconds"},
		{"scan_trigger", `{"connectionId":"gone"}`, "conflict", "run BUSY"},
		{"scan_status", `{"runId":"NONE"}`, "not_found", "there is no run"},
		{"scan_report", `{"runId":"NONE"}`, "not_found", "there is no run"},
		{"scan_read_artifact", `{"runId":"DONE","name":"../x"}`, "not_found", "no artifact"},
		{"ingest_trigger", `{"content":"\u0000"}`, "invalid", "NUL"},
		{"ingest_report", `{"runId":"NONE"}`, "not_found", "there is no run"},
		{"ingest_replay", `{"runId":"GONE"}`, "conflict", "not kept any more"},
	} {
		result := checked(t, c, tt.tool, object(t, tt.args))
		if text := textOf(t, result); !result.IsError || !strings.HasPrefix(text, tt.code+": ") || !strings.Contains(text, tt.says) {
			t.Errorf("%s %s: %s", tt.tool, tt.args, text)
		}
	}
}

const tasksMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// TestTasks: a request that declares the extension gets tasks, another one does not, and the methods serve the rows.
func TestTasks(t *testing.T) {
	t.Parallel()
	w := newWorld()
	url := startHTTP(t, w.everything())
	ask := func(method, params, meta string, header ...string) string {
		resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`"_meta":{`+meta+`}}}`, header...)
		return readAll(t, resp, err)
	}
	modern := func(method, name, params, meta string) string {
		header := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
		if name != "" {
			header = append(header, "Mcp-Name", name)
		}
		return ask(method, params, meta, header...)
	}
	trigger := `"name":"scan_trigger","arguments":{"connectionId":"lake"},`
	if got := modern("tools/call", "scan_trigger", trigger, tasksMeta); !strings.Contains(got, `"resultType":"task","taskId":"BUSY","status":"working"`) || strings.Contains(got, "structuredContent") || !strings.Contains(got, `"pollIntervalMs":500`) || !strings.Contains(got, `"ttlMs":7776000000`) {
		t.Errorf("a trigger: %s", got)
	}
	if got := modern("tools/call", "scan_trigger", trigger, modernMeta); !strings.Contains(got, `"structuredContent":{"runId":"BUSY"`) || strings.Contains(got, "taskId") {
		t.Errorf("without the extension: %s", got)
	}
	if got := modern("tools/call", "scan_status", `"name":"scan_status","arguments":{"runId":"BUSY"},`, tasksMeta); strings.Contains(got, "taskId") {
		t.Errorf("a tool that begins nothing: %s", got)
	}
	if got := modern("tools/call", "ingest_replay", `"name":"ingest_replay","arguments":{"runId":"DONE"},`, tasksMeta); strings.Contains(got, "taskId") {
		t.Errorf("a run that has ended: %s", got)
	}
	for _, tt := range []struct{ method, id, want string }{
		{"tasks/get", "BUSY", `"resultType":"complete","taskId":"BUSY","status":"working","statusMessage":"tables"`},
		{"tasks/get", "DONE", `"report":{"tables":8},"runId":"DONE"`},
		{"tasks/get", "DONE", `"status":"completed"`},
		{"tasks/get", "DIED", `"error":{"code":-32603,"message":"the process ended","data":{"code":"unavailable"}}`},
		{"tasks/get", "OFF", `"status":"cancelled"`},
		{"tasks/get", "NONE", `"code":-32602`},
		{"tasks/get", "", `taskId is missing`},
		{"tasks/update", "BUSY", `"result":{"resultType":"complete"`},
		{"tasks/update", "NONE", `"code":-32602`},
		{"tasks/cancel", "DONE", `"result":{"resultType":"complete"`},
		{"tasks/cancel", "BUSY", `"result":{"resultType":"complete"`},
	} {
		if got := modern(tt.method, tt.id, `"taskId":"`+tt.id+`",`, tasksMeta); !strings.Contains(got, tt.want) {
			t.Errorf("%s of %q: %s", tt.method, tt.id, got)
		}
	}
	w.mu.Lock()
	if w.looked != "cancel BUSY" {
		t.Errorf("asked %v", w.looked)
	}
	w.mu.Unlock()
	if got := modern("tasks/get", "BUSY", `"taskId":"BUSY",`, modernMeta); !strings.Contains(got, "does not declare") || !strings.Contains(got, tasksExtension) {
		t.Errorf("without the extension: %s", got)
	}
	session := openSession(t, url)
	if got := ask("tasks/get", `"taskId":"BUSY",`, "", session...); !strings.Contains(got, "-32601") {
		t.Errorf("of the era with sessions: %s", got)
	}
	if got := modern("server/discover", "", "", tasksMeta); !strings.Contains(got, `"io.modelcontextprotocol/tasks":{}`) {
		t.Errorf("discover: %s", got)
	}
	url = startHTTP(t, newWorld().config())
	for method, refused := range map[string]string{"tasks/get": "-32601", "server/discover": `"io.modelcontextprotocol/skills":{}`} {
		if got := modern(method, "", `"taskId":"BUSY",`, tasksMeta); !strings.Contains(got, refused) || strings.Contains(got, tasksExtension) {
			t.Errorf("without a tool that begins work, %s: %s", method, got)
		}
	}
}
