package memory

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

const churnOfHR = "---\ntitle: Churn\nconnections: [hr]\n---\nChurn means employees who left in the last 90 days.\n"

// TestNarrowed: what a caller sees of one connection alone learns nothing of pages about others, and
// does not write to them.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", churnOfHR)
	s := f.open(t, nil, nil)
	narrow := caller.With(t.Context(), &caller.Caller{Principal: "bi", Named: true, Grant: caller.Grant{Connections: []string{"shop"}}})
	told := func(ctx context.Context, text string) *Run {
		t.Helper()
		accepted, err := s.Accept(ctx, Input{Content: text, Connection: "shop", Actor: agent})
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Wait(ctx, accepted.RunID, nil)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	const text = "Churn means customers who left in the last 30 days."
	part := told(narrow, text)
	if again := told(t.Context(), text); part.RunID == again.RunID {
		t.Error("the run of somebody who sees less is that of somebody who sees more")
	}
	whole := told(t.Context(), "Churn means customers who left in the last 60 days.")
	if said := strings.Join(part.Notes, "") + linesOf(part); strings.Contains(said, "90 days") || strings.Contains(said, change.WhyConflict) || strings.Contains(said, change.WhyPersonsPage) {
		t.Errorf("narrowed: %s", said)
	}
	if said := linesOf(whole); !strings.Contains(said, change.WhyConflict) {
		t.Errorf("not narrowed, without the contradiction: %s %v", said, whole.Notes)
	}
	if now := f.read(t, "wiki/global/churn.md"); now != churnOfHR {
		t.Errorf("the page of the other connection was written: %s", now)
	}
	if _, err := s.Status(narrow, whole.RunID); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("status of a run that saw more: %v", err)
	}
	if _, err := s.Status(t.Context(), part.RunID); err != nil {
		t.Errorf("status of a run that saw less: %v", err)
	}
	other := rememberAbout(t, s, Input{Content: "Trial means the first 14 days of a customer.", Actor: codex})
	list, err := s.Changes(narrow, ChangesRequest{})
	if err != nil || len(list.Changes) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list.Changes {
		if c.Connection != "shop" {
			t.Errorf("a change about %q is listed", c.Connection)
		}
	}
	all, err := s.Changes(t.Context(), ChangesRequest{RunID: other.RunID})
	if err != nil || len(all.Changes) == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	id := string(all.Changes[0].ID)
	if _, err := s.Change(narrow, id); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a change about no connection: %v", err)
	}
	f.settings.ApproveOverMCP = true
	if out, err := s.Approve(narrow, Decision{IDs: []string{id}, Actor: agent}); err != nil || out[0].Target != "" || !strings.Contains(out[0].Problem, "there is no change") {
		t.Errorf("%+v, %v", out, err)
	}
}

// linesOf are the changes of a run that wait, in words.
func linesOf(run *Run) (all string) {
	for _, p := range run.Captured.Pending {
		all += p.Target + " " + strings.Join(p.Why, " ") + " " + p.Note + "\n"
	}
	return all
}

// TestLatePlan: a text that takes too long fails alone, and nothing of its planner goes on.
func TestLatePlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const long = "Dormant customer means a customer without an order in the last 90 days."
	s := f.open(t, func(in planner.Input, v planner.View) (*planner.Plan, error) {
		for in.Text == long && v.Ended() == nil { // until its time is over
			runtime.Gosched()
		}
		return planner.Make(in, v)
	}, nil)
	s.planTime = time.Millisecond
	late, err := s.Accept(t.Context(), Input{Content: long, Actor: script})
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Wait(t.Context(), late.RunID, nil)
	if err != nil || run.Status != "error" || *run.Error != "the text was not planned within 1ms: ingest it in parts" {
		t.Errorf("%+v, %v", run, err)
	}
	s.planTime = 0
	remember(t, s, "Churn excludes trials.", script)
}
