package job

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// fixture is a project with connections shop and lake. A scan of it writes the tables of the fixture, in a snapshot.
type fixture struct {
	*Service
	state    *store.Store
	tables   []string
	asked    ScanRequest
	replayed string
	indexed  string
	hold     chan struct{} // a scan waits until it is closed, or until it is canceled
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	lazy := store.NewLazy(filepath.Join(dir, "state.db"))
	f := &fixture{tables: []string{"a", "b"}, hold: make(chan struct{})}
	close(f.hold)
	engine := run.New(run.Config{State: dir, Store: lazy, Queues: map[string]run.Queue{run.Ingest: nil}, Redact: func(s string) string { return s }, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	var err error
	if f.state, err = lazy.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if err := lazy.Close(); err != nil {
			t.Error(err)
		}
	})
	catalogs := catalog.NewSet(filepath.Join(dir, "catalog"))
	f.Service = New(Config{
		Runs: engine, Catalogs: catalogs, Now: time.Now, Scan: f.scan,
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}, {ID: "lake", Connector: "foodb"}})
		},
		Replay: func(ctx context.Context, id string, _ change.Actor) error {
			f.replayed = id
			if _, err := f.state.RequeueRun(ctx, id, store.RunDone, time.Now()); err != nil {
				return err
			}
			return nil
		},
		Index: func(_ context.Context, by Caller, input json.RawMessage) (run.Run, error) {
			f.indexed = string(input) + " " + by.Principal + " " + by.Cause
			return run.Run{ID: "AGAIN"}, nil
		},
	})
	return f
}

func (f *fixture) scan(ctx context.Context, r ScanRequest, progress func(sdk.Progress)) (any, error) {
	f.asked = r
	progress(sdk.Progress{Phase: "tables", Done: 1, Total: 2})
	select {
	case <-f.hold:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w, err := f.Catalogs.Of(string(r.Connection)).Begin(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, name := range f.tables {
		t := &sdk.Table{TableRef: sdk.TableRef{Schema: "main", Name: name}, Kind: sdk.TableBase, Comment: strings.Repeat("ü", 40), RowEstimate: -1, Columns: []sdk.Column{{Name: "id", NativeType: "int", Type: sdk.TypeInt64}}}
		if err := w.Table(t); err != nil {
			return nil, err
		}
	}
	id, err := w.Commit(ctx, catalog.Identity{SyncID: fmt.Sprintf("sync-%d", len(f.tables)), ExtractedAt: time.Now(), Mode: catalog.Structural})
	return map[string]any{"syncId": id.SyncID, "tables": len(f.tables)}, err
}

var ana = Caller{Actor: change.Actor{Channel: change.MCP, Client: "agent", Principal: "ana"}, Cause: "scan_trigger"}

// scanned runs a scan to its end.
func (f *fixture) done(t *testing.T, r ScanRequest) Status {
	t.Helper()
	s, err := f.TriggerScan(t.Context(), ana, r)
	if err == nil {
		s, err = f.Report(t.Context(), Follow{RunID: s.RunID, Kind: run.Scan, Wait: time.Minute})
	}
	if err != nil || s.Status != run.Done {
		t.Fatalf("%+v, %v", s, err)
	}
	return s
}

func wantError(t *testing.T, err error, kind sdk.Kind, hint string) {
	t.Helper()
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != kind || !strings.Contains(e.Hint, hint) {
		t.Errorf("%+v, want %s with the hint %q", e, kind, hint)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hold = make(chan struct{})
	request := ScanRequest{Connection: "shop", Mode: "structural", Include: []string{"main.*"}, Exclude: []string{"x"}, Full: true}
	begun, err := f.TriggerScan(t.Context(), ana, request)
	if err != nil || begun.Status != run.Running || *begun.PollAfterMs != 500 || *begun.Target != "shop" || begun.By != "agent" || *begun.Principal != "ana" || *begun.Cause != "scan_trigger" || begun.FinishedAt != nil || begun.Error != nil {
		t.Fatalf("%+v, %v", begun, err)
	}
	_, err = f.TriggerScan(t.Context(), ana, request)
	wantError(t, err, sdk.KindConflict, "loam runs show "+begun.RunID)
	seen := []sdk.Progress{}
	if _, err := f.Status(t.Context(), Follow{RunID: begun.RunID, Wait: time.Millisecond, Progress: func(p sdk.Progress) { seen = append(seen, p) }}); err != nil || len(seen) == 0 {
		t.Errorf("%v, %v", seen, err)
	}
	_, err = f.Status(t.Context(), Follow{RunID: begun.RunID, Kind: run.Ingest})
	wantError(t, err, sdk.KindInvalid, "scan_status")
	_, err = f.ListArtifacts(t.Context(), ArtifactsRequest{RunID: begun.RunID})
	wantError(t, err, sdk.KindNotFound, "loam runs show")
	close(f.hold)
	end, err := f.Report(t.Context(), Follow{RunID: begun.RunID, Wait: time.Minute})
	if err != nil || end.Status != run.Done || end.PollAfterMs != nil || string(end.Report) != `{"syncId":"sync-2","tables":2}` || f.asked.Mode != "structural" || !f.asked.Full {
		t.Errorf("%+v, %v, asked %+v", end, err, f.asked)
	}
	_, err = f.TriggerScan(t.Context(), ana, ScanRequest{Connection: "nowhere"})
	wantError(t, err, sdk.KindNotFound, "")
	if list, err := f.List(t.Context(), ListRequest{Kinds: []string{"scan"}}); err != nil || list.Total != 1 {
		t.Errorf("a scan that never began is a run: %+v, %v", list, err)
	}
	for _, r := range []ListRequest{{Kinds: []string{"scna"}}, {States: []string{"over"}}} {
		_, err = f.List(t.Context(), r)
		wantError(t, err, sdk.KindInvalid, "one of")
	}
}

func TestCancelLeavesTheSnapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.done(t, ScanRequest{Connection: "shop"})
	f.hold, f.tables = make(chan struct{}), []string{"a"}
	begun, err := f.TriggerScan(t.Context(), ana, ScanRequest{Connection: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Cancel(t.Context(), begun.RunID); err != nil || s.Status != run.Canceled && !s.Canceling {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err := f.Status(t.Context(), Follow{RunID: begun.RunID, Wait: time.Minute}); err != nil || s.Status != run.Canceled {
		t.Errorf("%+v, %v", s, err)
	}
	list, err := f.ListArtifacts(t.Context(), ArtifactsRequest{Connection: "shop"})
	if err != nil || list.SyncID != "sync-2" || first.Status != run.Done {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.done(t, ScanRequest{Connection: "shop", Exclude: []string{"x"}})
	f.asked = ScanRequest{}
	f.hold = make(chan struct{})
	again, err := f.Replay(t.Context(), ana, first.RunID)
	if err != nil || again.RunID == first.RunID {
		t.Fatalf("%+v, %v", again, err)
	}
	if same, err := f.Replay(t.Context(), ana, again.RunID); err != nil || same.RunID != again.RunID { // it is open
		t.Errorf("%+v, %v", same, err)
	}
	close(f.hold)
	if s, err := f.Status(t.Context(), Follow{RunID: again.RunID, Wait: time.Minute}); err != nil || s.Status != run.Done || len(f.asked.Exclude) != 1 {
		t.Errorf("%+v, %v, asked %+v", s, err, f.asked)
	}
	if _, err := f.state.AcceptIngest(t.Context(), store.Run{ID: "TEXT", Actor: []byte(`{}`), QueuedAt: time.Now()}, store.Ingest{ContentHash: []byte("x"), Content: []byte("x")}, store.Acceptance{Most: 1}); err != nil {
		t.Fatal(err)
	}
	if err := f.state.EndRuns(t.Context(), []store.RunEnd{{ID: "TEXT"}}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if s, err := f.Replay(t.Context(), ana, "text"); err != nil || s.RunID != "TEXT" || s.Status != run.Queued || f.replayed != "TEXT" {
		t.Errorf("%+v, %v", s, err)
	}
	nothing := func(context.Context, func(sdk.Progress)) (any, error) { return nil, nil }
	for kind, hint := range map[string]string{run.Index: "", run.Mine: "loam mine"} {
		ended, err := f.Runs.Do(t.Context(), run.Work{Kind: kind, Target: "handbook", Cause: "loam mine", Input: []string{"docs"}}, nothing)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.Replay(t.Context(), ana, ended.ID); hint != "" {
			wantError(t, err, sdk.KindUnsupported, hint)
		} else if err != nil || again.RunID != "AGAIN" || f.indexed != `["docs"] ana scan_trigger` {
			t.Errorf("%+v, %v: %s", again, err, f.indexed)
		}
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.done(t, ScanRequest{Connection: "shop"})
	for i := range 400 {
		f.tables = append(f.tables, fmt.Sprint("t", i))
	}
	last := f.done(t, ScanRequest{Connection: "shop"})
	list, err := f.ListArtifacts(t.Context(), ArtifactsRequest{RunID: last.RunID})
	if err != nil || list.Total != 4 || list.ConnectionID != "shop" || list.SyncID != "sync-402" {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, a := range list.Artifacts {
		whole, offset := "", int64(0)
		for parts := 1; ; parts++ {
			part, err := f.ReadArtifact(t.Context(), ArtifactsRequest{RunID: last.RunID}, a.Name, offset)
			if err != nil || len(part.Content) > maxRead || part.Bytes != a.Bytes || part.Trust != "imported" || part.Offset != offset {
				t.Fatalf("%s from %d: %v", a.Name, offset, err)
			}
			whole += part.Content
			if part.NextOffset == nil {
				break
			}
			offset = *part.NextOffset
		}
		if int64(len(whole)) != a.Bytes || strings.ContainsRune(whole, '\uFFFD') {
			t.Errorf("%s: %d of %d bytes", a.Name, len(whole), a.Bytes)
		}
		if a.Name == "tables" && (a.Bytes <= maxRead || strings.Count(whole, "\n") != 402) || a.Name == "diff" && strings.Count(whole, "main.t") != 400 {
			t.Errorf("%s: %d bytes", a.Name, a.Bytes)
		}
	}
	shop := ArtifactsRequest{Connection: "shop"}
	if list, err := f.ListArtifacts(t.Context(), shop); err != nil || list.Total != 3 { // no run, no report
		t.Errorf("%+v, %v", list, err)
	}
	for _, c := range []struct {
		request ArtifactsRequest
		name    string
		offset  int64
		kind    sdk.Kind
		hint    string
	}{
		{ArtifactsRequest{}, "tables", 0, sdk.KindInvalid, "runId"},
		{ArtifactsRequest{RunID: last.RunID, Connection: "shop"}, "tables", 0, sdk.KindInvalid, "runId"},
		{shop, "../head.json", 0, sdk.KindNotFound, "diff, snapshot, tables"},
		{shop, "tables", -1, sdk.KindInvalid, "nextOffset"},
		{shop, "tables", 1 << 40, sdk.KindInvalid, "nextOffset"},
		{ArtifactsRequest{Connection: "lake"}, "tables", 0, sdk.KindNotFound, "loam scan lake"},
		{ArtifactsRequest{Connection: "nowhere"}, "tables", 0, sdk.KindNotFound, ""},
	} {
		_, err := f.ReadArtifact(t.Context(), c.request, c.name, c.offset)
		wantError(t, err, c.kind, c.hint)
	}
	other := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"lake"}}})
	_, err = f.ListArtifacts(other, ArtifactsRequest{RunID: last.RunID})
	wantError(t, err, sdk.KindNotFound, "loam runs list")
}
