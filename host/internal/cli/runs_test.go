package cli

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	engine "github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

func (m *told) status(id string) job.Status {
	target, nine, wait, unavailable := "shop", int64(9), int64(500), sdk.KindUnavailable
	s := job.Status{RunID: id, Kind: engine.Scan, Target: &target, Status: engine.Done, Stage: "done", By: "ada", QueuedAt: earlier}
	switch id {
	case "BUSY":
		s.Status, s.Stage, s.Done, s.Total, s.PollAfterMs, s.Canceling = engine.Running, "tables", 3, &nine, &wait, true
	case "DIED":
		s.Status, s.Error = engine.Failed, &job.Failure{Code: &unavailable, Message: "the process ended"}
	case string(runOfARR), string(brokenRun):
		s.Kind = engine.Ingest
	}
	return s
}

func (m *told) List(_ context.Context, r job.ListRequest) (*job.List, error) {
	m.asked = r
	if r.Target == "nothing" {
		return &job.List{Runs: []job.Status{}}, nil
	}
	next := "abc"
	return &job.List{Runs: []job.Status{m.status("BUSY"), m.status("DIED"), m.status(string(runOfARR))}, Total: 9, Next: &next}, nil
}

func (m *told) Report(_ context.Context, f job.Follow) (job.Status, error) {
	m.asked = f.RunID
	if f.Wait > 0 {
		f.Progress(sdk.Progress{Phase: "tables", Done: 1, Total: 2})
	}
	if f.RunID == "x" {
		return job.Status{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", f.RunID).WithHint("loam runs list")
	}
	s := m.status(f.RunID)
	s.Report = json.RawMessage(`{"syncId":"sync-1"}`)
	return s, nil
}

func (m *told) Cancel(_ context.Context, id string) (job.Status, error) {
	m.asked = id
	return m.status(id), nil
}

func (m *told) Replay(_ context.Context, by job.Caller, id string) (job.Status, error) {
	m.asked = []any{by, id}
	return m.status(id), nil
}

func (m *told) ListArtifacts(_ context.Context, r job.ArtifactsRequest) (*job.Artifacts, error) {
	m.asked = r
	return &job.Artifacts{ConnectionID: "shop", SyncID: "sync-1", Artifacts: []job.Artifact{{Name: "tables", Kind: "jsonl", Bytes: 70_000}}, Total: 1}, nil
}

func (m *told) ReadArtifact(_ context.Context, r job.ArtifactsRequest, name string, offset int64) (*job.Part, error) {
	m.asked = []any{r, name, offset}
	next := int64(65_536)
	return &job.Part{Artifact: job.Artifact{Name: name, Kind: "jsonl", Bytes: 70_000}, Content: "{\"name\":\"a\x1b\"}\n", NextOffset: &next, Trust: "imported"}, nil
}

func TestRuns(t *testing.T) {
	t.Parallel()
	f, _ := newTold(t)
	f.session(t, "runs", words("runs list"), words("runs list --target nothing"), words("runs list --limit 0"), words("runs show BUSY"), words("runs show DIED"), words("runs show x"),
		words("runs show S --follow --json"), words("runs cancel BUSY"), words("runs replay S"), words("runs replay 4ZQ5LJ2XH7KWM --follow"),
		words("runs artifacts S"), words("runs artifacts S tables"), words("runs artifacts S tables more"))
}

func TestRunsRequests(t *testing.T) {
	t.Parallel()
	f, m := newTold(t)
	for _, tt := range []struct {
		args string
		want any
	}{
		{"runs list --kind scan,import --state running --target shop --limit 7 --cursor abc", job.ListRequest{Kinds: []string{"scan", "import"}, States: []string{"running"}, Target: "shop", Limit: 7, Cursor: "abc"}},
		{"runs cancel BUSY", "BUSY"},
		{"runs artifacts -c shop", job.ArtifactsRequest{Connection: "shop"}},
		{"runs artifacts -c shop tables --offset 9", []any{job.ArtifactsRequest{Connection: "shop"}, "tables", int64(9)}},
		{"runs artifacts S diff", []any{job.ArtifactsRequest{RunID: "S"}, "diff", int64(0)}},
	} {
		if code, stdout, stderr := f.loam(t, words(tt.args)...); code != 0 {
			t.Fatalf("%s: exit %d: %s%s", tt.args, code, stdout, stderr)
		}
		if diff := cmp.Diff(tt.want, m.asked, cmpopts.IgnoreTypes(change.Actor{}, memory.RunID("")), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.args, diff)
		}
	}
}
