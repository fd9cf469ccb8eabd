package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

const aov = "AOV is the sum of amount divided by the number of orders, in orders where status = 'paid'."

// measure is a planner that proposes one measure of orders for each text "name = definition".
func measure(in planner.Input, v planner.View) (*planner.Plan, error) {
	name, definition, _ := strings.Cut(in.Text, " = ")
	return &planner.Plan{Changes: []change.Proposal{{
		Kind: change.Measure, Connection: in.Connection, Target: "orders." + name, Path: "semantic-layer/shop/_memory/orders.yaml",
		Blocks: []change.Block{{Place: "name", After: "orders"}, {Place: "measures/" + name, After: definition}}, Says: definition, Value: definition, Quote: in.Text,
	}}}, nil
}

// pageOf is a planner that keeps each text on the page notes.
func pageOf(in planner.Input, v planner.View) (*planner.Plan, error) {
	return &planner.Plan{Changes: []change.Proposal{{
		Kind: change.Page, Target: "notes", Path: v.Folder + "/notes.md", Quote: in.Text, Says: in.Text, Value: in.Text, Source: in.Source,
		Blocks: []change.Block{{Place: "front:title", After: `"Notes"`}, {Place: "front:origin", After: `"agent"`}, {Place: "body:", After: in.Text}},
	}}}, nil
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		by         change.Actor
		settings   project.Memory
		away       error
		captured   []string
		why        []string
		level      string
	}{
		{name: "it runs", text: "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", by: agent, captured: []string{"orders.paid"}, level: levelRuns},
		{name: "the numbers of another one", text: "turnover = {agg: sum, expr: amount + 0}", by: agent, why: []string{change.WhyTwin}, level: levelEqual},
		{name: "no rows", text: "lost = {agg: sum, expr: amount, filter: \"status = 'lost'\"}", by: agent, why: []string{change.WhyEmpty}, level: levelEmpty},
		{
			name: "no warehouse", text: "paid = {agg: max, expr: amount}", by: agent, away: sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "connection refused"),
			why: []string{change.WhyNotRun}, level: levelCompiles,
		},
		{name: "everything waits", text: "paid = {agg: max, expr: amount}", by: agent, settings: project.Memory{Review: "strict"}, why: []string{change.WhyPolicy}, level: levelRuns},
		{
			name: "measures wait", text: "paid = {agg: max, expr: amount}", by: agent, settings: project.Memory{Policy: map[string]string{"measure": "pending"}},
			why: []string{change.WhyPolicy}, level: levelRuns,
		},
		{name: "of a person a twin is shown", text: "turnover = {agg: sum, expr: amount + 0}", by: person, captured: []string{"orders.turnover"}, level: levelEqual},
		{name: "it does not compile", text: "paid = {agg: sum, expr: amuont}", by: agent, why: []string{change.WhyNotRun}},
		{name: "of a person either", text: "paid = {agg: sum, expr: amuont}", by: person, why: []string{change.WhyNotRun}},
		{name: "of a script it counts as an agent's", text: "turnover = {agg: sum, expr: amount + 0}", by: script, why: []string{change.WhyTwin}, level: levelEqual},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.settings, f.away = tt.settings, tt.away
			s := f.open(t, measure, nil)
			run := remember(t, s, tt.text, tt.by)
			var why []string
			for _, p := range run.Captured.Pending {
				why = append(why, p.Why...)
			}
			if diff := cmp.Diff(tt.captured, run.Captured.SL) + cmp.Diff(tt.why, why); diff != "" {
				t.Error(diff, run.Notes)
			}
			all, err := s.Changes(t.Context(), ChangesRequest{RunID: run.RunID})
			if err != nil || len(all.Changes) != 1 {
				t.Fatal(err, all)
			}
			detail, err := s.Change(t.Context(), string(all.Changes[0].ID))
			if err != nil {
				t.Fatal(err)
			}
			level := ""
			if detail.Verification != nil {
				level = detail.Verification.Level
			}
			if level != tt.level {
				t.Errorf("%+v, want %q", detail.Verification, tt.level)
			}
			if asked := len(run.Questions) > 0; asked != (tt.away != nil) {
				t.Errorf("questions: %v", run.Questions)
			}
			overlay := f.read(t, "semantic-layer/shop/_memory/orders.yaml")
			if written := strings.Contains(overlay, "learned"); written != (len(tt.captured) > 0) {
				t.Errorf("overlay: %q", overlay)
			}
			if reviewed := strings.Contains(overlay, "reviewed: true"); reviewed != (tt.by.Person() && len(tt.captured) > 0) {
				t.Errorf("reviewed: %q", overlay)
			}
		})
	}
}

func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	for _, tt := range []struct {
		name     string
		in       Input
		settings project.Memory
		kind     sdk.Kind
	}{
		{"blank", Input{Content: " \n"}, project.Memory{}, sdk.KindInvalid},
		{"NUL", Input{Content: "a\x00b"}, project.Memory{}, sdk.KindInvalid},
		{"no UTF-8", Input{Content: "\xff"}, project.Memory{}, sdk.KindInvalid},
		{"too long", Input{Content: strings.Repeat("a", maxText+1)}, project.Memory{}, sdk.KindLimit},
		{"no such connection", Input{Content: "a", Connection: "shpo"}, project.Memory{}, sdk.KindNotFound},
		{"a source of two lines", Input{Content: "a", Source: "a\nb"}, project.Memory{}, sdk.KindInvalid},
		{"a secret as the source", Input{Content: "a", Source: "postgres://u:hunter2hunter2@h/db"}, project.Memory{}, sdk.KindInvalid},
		{"switched off", Input{Content: "a", Actor: agent}, project.Memory{Review: "off"}, sdk.KindDenied},
		{"pages of a user, and none is named", Input{Content: "a"}, project.Memory{Scope: "user"}, sdk.KindInvalid},
		{"a client that is refused", Input{Content: "a", Actor: agent}, project.Memory{Refuse: []string{"claude-code"}}, sdk.KindDenied},
	} {
		f.settings = tt.settings
		if _, err := s.Accept(t.Context(), tt.in); sdk.KindOf(err) != tt.kind {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.kind)
		}
	}
	f.settings = project.Memory{}
	if s.began() {
		t.Error("a text that was refused has made a state store")
	}
	for range perMinute {
		if _, err := s.Accept(t.Context(), Input{Content: "a fact", Actor: agent}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Accept(t.Context(), Input{Content: "a fact", Actor: agent}); sdk.KindOf(err) != sdk.KindRateLimited {
		t.Errorf("the text after %d within a minute: %v", perMinute, err)
	}
}

func TestDuplicate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	first := remember(t, s, "Churn excludes trials.", agent)
	second, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Connection: "shop", Actor: codex})
	if err != nil || second.RunID != first.RunID || !second.Duplicate {
		t.Fatalf("%+v, %v: the run of an equal text is %s", second, err, first.RunID)
	}
	f.write(t, "wiki/global/other.md", "# Other\n")
	third := remember(t, s, "Churn excludes trials.", codex)
	if third.RunID == first.RunID {
		t.Error("an equal text after a change of the project is not looked at")
	}
	if text := f.read(t, "wiki/global/notes.md"); strings.Count(text, "Churn") != 1 {
		t.Errorf("it is there twice: %s", text)
	}
	other, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Actor: codex})
	if err != nil || other.Duplicate {
		t.Errorf("%+v, %v: it is about another connection", other, err)
	}
}

// TestAbandoned ends a process at every step of a run. The next one has the text exactly once.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	for _, at := range []string{stagePlanning, stageChecking, stageApplying, "proposed", "applied", stageIndexing, "done"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			s := f.open(t, pageOf, func(step string) {
				if step == at {
					runtime.Goexit() // nothing is put right but the lock, as when a process dies
				}
			})
			accepted, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Actor: script})
			if err != nil {
				t.Fatal(err)
			}
			s.worker.start()
			s.worker.running.Wait()
			next := f.open(t, pageOf, nil)
			run, err := next.Wait(t.Context(), accepted.RunID, nil)
			if err != nil || run.Status != "done" {
				t.Fatalf("%+v, %v", run, err)
			}
			if text := f.read(t, "wiki/global/notes.md"); strings.Count(text, "Churn") != 1 {
				t.Errorf("the page is %q", text)
			}
		})
	}
}

func TestPoisoned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	accepted, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Actor: script})
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range maxAttempts {
		if err := state.RecoverRuns(t.Context(), maxAttempts, now); err != nil {
			t.Fatal(err)
		}
		if _, started, err := state.StartRun(t.Context(), string(accepted.RunID), stagePlanning, now); err != nil || !started {
			t.Fatal(started, err)
		}
	}
	run, err := s.Wait(t.Context(), accepted.RunID, nil)
	if err != nil || run.Status != "error" || !strings.Contains(*run.Error, "poisoned") {
		t.Fatalf("%+v, %v", run, err)
	}
	if _, err := s.Retry(t.Context(), accepted.RunID, person); err != nil {
		t.Fatal(err)
	}
	if run, err = s.Wait(t.Context(), accepted.RunID, nil); err != nil || run.Status != "done" {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := s.Retry(t.Context(), accepted.RunID, person); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("a run that is done is run again: %v", err)
	}
}

// TestFailure: a planner that panics fails its own run and no other.
func TestFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, func(in planner.Input, v planner.View) (*planner.Plan, error) {
		if strings.Contains(in.Text, "bomb") {
			panic("bomb")
		}
		return pageOf(in, v)
	}, nil)
	bomb, err := s.Accept(t.Context(), Input{Content: "a bomb", Actor: agent})
	if err != nil {
		t.Fatal(err)
	}
	remember(t, s, "Churn excludes trials.", agent)
	if run, err := s.Wait(t.Context(), bomb.RunID, nil); err != nil || run.Status != "error" {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestTwoServices: two processes on one project remember everything, each text once.
func TestTwoServices(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	both := []*Service{f.open(t, pageOf, nil), f.open(t, pageOf, nil)}
	const texts = 20
	var group sync.WaitGroup
	for i := range texts {
		group.Go(func() {
			s := both[i%2]
			accepted, err := s.Accept(t.Context(), Input{Content: fmt.Sprintf("Fact number %03d holds.", i), Actor: codex})
			if err != nil {
				t.Error(err)
				return
			}
			if run, err := both[(i+1)%2].Wait(t.Context(), accepted.RunID, nil); err != nil || run.Status != "done" {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
	group.Wait()
	page := f.read(t, "wiki/global/notes.md")
	for i := range texts {
		if n := strings.Count(page, fmt.Sprintf("number %03d", i)); n != 1 {
			t.Errorf("fact %d is there %d times", i, n)
		}
	}
}

// TestPlanner remembers with the rules what the story of the manual has.
func TestPlanner(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	run := remember(t, s, "Paid revenue is the sum of amount in orders where status = 'paid'. Source: finance", agent)
	t.Logf("%+v", run)
	if len(run.Captured.SL) == 0 {
		t.Errorf("captured %+v, questions %+v", run.Captured, run.Questions)
	}
}

// TestSegment: a segment is tried by the rows that it has.
func TestSegment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, func(in planner.Input, _ planner.View) (*planner.Plan, error) {
		name, definition, _ := strings.Cut(in.Text, " = ")
		return &planner.Plan{Changes: []change.Proposal{{
			Kind: change.Segment, Connection: in.Connection, Target: "orders." + name, Path: "semantic-layer/shop/_memory/orders.yaml",
			Blocks: []change.Block{{Place: "name", After: "orders"}, {Place: "segments/" + name, After: definition}}, Says: definition, Value: definition,
		}}}, nil
	}, nil)
	if run := remember(t, s, `settled = {expr: "status = 'paid'"}`, agent); len(run.Captured.SL) != 1 || !strings.Contains(strings.Join(run.Notes, ""), "ran over") {
		t.Errorf("%+v, %v", run.Captured, run.Notes)
	}
	run := remember(t, s, `lost = {expr: "status = 'lost'"}`, agent)
	if len(run.Captured.Pending) != 1 || run.Captured.Pending[0].Why[0] != change.WhyEmpty {
		t.Errorf("%+v, %v", run.Captured, run.Notes)
	}
}

// TestProbe: a value is in the store alone, and not where a scan withheld the column.
func TestProbe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	run := remember(t, s, `biggest = {agg: max, expr: amount}`, agent)
	if diff := cmp.Diff([]string{"orders.biggest ran over 4 rows of 2026-02"}, run.Notes); diff != "" {
		t.Error(diff)
	}
	remember(t, s, `mails = {agg: max, expr: email}`, agent)
	db, err := sql.Open("sqlite", project.StateFolder(f.dir).Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for member, want := range map[string]string{"orders.biggest": "50 4 2026-02", "orders.mails": " 4 2026-02"} {
		var got string
		if err := db.QueryRowContext(t.Context(), `SELECT coalesce(value, '') || ' ' || rows || ' ' || period FROM memory_probe WHERE member = ?`, member).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", member, got, want, err)
		}
	}
}

// TestNobodyWorks: who waits for a run hears why nobody works on it.
func TestNobodyWorks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	accepted, err := s.Accept(t.Context(), Input{Content: "Churn excludes trials.", Actor: script})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.lockPath(), 0o700); err != nil { // which can be no lock
		t.Fatal(err)
	}
	if run, err := s.Wait(t.Context(), accepted.RunID, nil); err == nil {
		t.Errorf("%+v", run)
	}
	if err := os.Remove(s.lockPath()); err != nil {
		t.Fatal(err)
	}
	if run, err := s.Wait(t.Context(), accepted.RunID, nil); err != nil || run.Status != "done" {
		t.Errorf("%+v, %v", run, err)
	}
	again, err := s.Accept(t.Context(), Input{Content: "Churn excludes tests.", Actor: script})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context(), again.RunID, nil); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("after the end: %v", err)
	}
	next := f.open(t, pageOf, nil)
	next.Resume()
	next.worker.running.Wait()
	if run, err := next.Status(t.Context(), again.RunID); err != nil || run.Status != "done" {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestResumeWithoutTexts: a state store that only the history of calls has written is not opened.
func TestResumeWithoutTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	path := s.Store.Path()
	kept, err := store.Open(t.Context(), path)
	if err := errors.Join(err, kept.Close()); err != nil {
		t.Fatal(err)
	}
	s.Store = unopened{t, path}
	s.Resume()
	s.worker.running.Wait()
}

// unopened is a state store that nobody may open.
type unopened struct {
	t    *testing.T
	path string
}

func (u unopened) Path() string { return u.path }

func (u unopened) Get(context.Context) (*store.Store, error) {
	u.t.Error("the state store was opened")
	return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "it was opened")
}

// TestEqualOfOthers: what another run said is noted and kept once; a rejected one is not proposed again.
func TestEqualOfOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	first := remember(t, s, "Churn excludes trials.", agent)
	second := rememberAbout(t, s, Input{Content: "Churn excludes trials.", Actor: codex})
	if len(second.Captured.Pending) != 0 || !strings.Contains(strings.Join(second.Notes, ""), "waits already") {
		t.Errorf("%+v", second)
	}
	if out, err := s.Reject(t.Context(), Decision{IDs: []string{string(first.Captured.Pending[0].ID)}, Actor: person}); err != nil || out[0].State != "rejected" {
		t.Fatalf("%+v, %v", out, err)
	}
	f.write(t, "wiki/global/other.md", "# Other\n")
	third := remember(t, s, "Churn excludes trials.", agent)
	if len(third.Captured.Pending) != 0 || !strings.Contains(strings.Join(third.Notes, ""), "rejected before by ada") {
		t.Errorf("%+v", third)
	}
}
