package memory

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// TestReplay: a run is run again from its stored text, and captures nothing twice; without the text it is refused.
func TestReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	first := remember(t, s, "Churn excludes trials.", script)
	before := f.read(t, "wiki/global/notes.md")
	accepted, err := s.Replay(t.Context(), first.RunID, script)
	if err != nil || accepted.RunID != first.RunID {
		t.Fatalf("%+v, %v", accepted, err)
	}
	if _, err := s.Replay(t.Context(), first.RunID, script); sdk.KindOf(err) != sdk.KindConflict || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("while it waits: %v", err)
	}
	again, err := s.Wait(t.Context(), first.RunID, nil)
	if err != nil || again.Status != "done" || len(again.Captured.Wiki) != len(first.Captured.Wiki) {
		t.Fatalf("%+v, %v", again, err)
	}
	if after := f.read(t, "wiki/global/notes.md"); after != before {
		t.Errorf("the page was %q and is %q", before, after)
	}
	state, err := s.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := state.ForgetInputs(t.Context(), now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	_, err = s.Replay(t.Context(), first.RunID, script)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindConflict || e.Hint != "ingest it again" || !strings.Contains(e.Msg, "not kept any more") {
		t.Errorf("without its text: %+v", e)
	}
}

// TestCancelARunUnderWay: who cancels a text that is being planned leaves the project as it was.
func TestCancelARunUnderWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	planning, goOn := make(chan struct{}), make(chan struct{})
	s := f.open(t, func(in planner.Input, view planner.View) (*planner.Plan, error) {
		if strings.Contains(in.Text, "Churn") {
			close(planning)
			<-goOn
		}
		return pageOf(in, view)
	}, nil)
	runs := run.New(run.Config{
		State: s.State, Store: s.Store, Queues: map[string]run.Queue{run.Ingest: s}, Redact: func(s string) string { return s }, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	accepted, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Actor: script})
	if err != nil {
		t.Fatal(err)
	}
	s.worker.start()
	<-planning
	state, err := s.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if asked, err := state.AskCancel(t.Context(), string(accepted.RunID), now); err != nil || !asked {
		t.Fatal(asked, err)
	}
	close(goOn)
	r, err := runs.Wait(context.Background(), string(accepted.RunID), time.Minute, nil)
	if err != nil || r.State != run.Canceled {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, err := s.Status(t.Context(), accepted.RunID); err != nil || got.Status != "canceled" || !got.Done || len(got.Captured.Wiki) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if text := f.read(t, "wiki/global/notes.md"); text != "" {
		t.Errorf("the page is %q", text)
	}
	if _, err := s.Replay(t.Context(), accepted.RunID, script); err != nil {
		t.Error(err)
	}
}
