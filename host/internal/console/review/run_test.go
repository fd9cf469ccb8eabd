package review

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// A run of each kind has a page; what is typed for one that never was is not found.
func TestRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	runs := f.jobs.Runs
	failed := errors.New("the disk is full: <script>alert(1)</script>")
	for kind, fail := range map[string]error{run.Scan: nil, run.Index: failed} {
		_, err := runs.Do(t.Context(), run.Work{Kind: kind, Target: "shop", Actor: claude, Cause: "loam scan"}, func(context.Context, func(sdk.Progress)) (any, error) {
			return map[string]any{"tables": 7, "of": "<b>"}, fail
		})
		if !errors.Is(err, fail) && fail != nil {
			t.Fatal(err)
		}
	}
	list, err := runs.List(t.Context(), run.Filter{})
	if err != nil || len(list.Runs) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	b := f.open()
	for _, r := range list.Runs {
		p := b.Get("run/" + strings.ToLower(r.ID))
		if p.Status != http.StatusOK || !strings.Contains(p.Text, "Run "+r.ID) || !strings.Contains(p.Text, "claude-code") || !strings.Contains(p.Text, "loam runs show "+r.ID) || p.Form("retry") == nil {
			t.Errorf("%d\n%s", p.Status, p.Text)
		}
		want := `"tables": 7`
		if r.Kind == run.Index {
			want = "the disk is full: <script>"
		}
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not on the page\n%s", want, p.Text)
		}
		var twin runData
		if b.JSON("run/"+r.ID, &twin); twin.ID != r.ID || twin.Kind != r.Kind || twin.Status != string(r.State) {
			t.Errorf("%+v", twin)
		}
	}
	for _, id := range []string{"4ZQ5LJ2XH7KWM", "x", "%2e%2e", "' OR 1"} {
		if p := b.Get("run/" + url.PathEscape(id)); p.Status != http.StatusNotFound {
			t.Errorf("%q: %d", id, p.Status)
		}
		if p := b.Post("run/"+url.PathEscape(id), url.Values{"do": {"retry"}}); p.Status != http.StatusNotFound {
			t.Errorf("retry of %q: %d", id, p.Status)
		}
	}
}

// ingested stores a text that was remembered, with changes of its run.
func (f *fixture) ingested(id string, changes ...change.Proposal) (ids []string) {
	f.Helper()
	s := f.state()
	by, err := json.Marshal(run.AuthorOf(f.Context(), claude))
	if err != nil {
		f.Fatal(err)
	}
	row := store.Run{ID: id, Actor: by, QueuedAt: time.Now()}
	if _, err := s.AcceptIngest(f.Context(), row, store.Ingest{Content: []byte("the secret text"), ContentHash: []byte(id), Bytes: 15, Report: []byte(`{}`)}, store.Acceptance{Most: 10}); err != nil {
		f.Fatal(err)
	}
	if _, _, err := s.StartRun(f.Context(), id, "planning", time.Now()); err != nil {
		f.Fatal(err)
	}
	report := `{"signals":{"knowledge":true,"sl":false,"reasons":["definition"]},"questions":[{"quote":"ARR","code":"x","ask":"Which ARR?"}],"notes":["known already"],"skipped":""}`
	if err := s.EndRuns(f.Context(), []store.RunEnd{{ID: id, Report: []byte(report)}}, time.Now()); err != nil {
		f.Fatal(err)
	}
	out, err := f.engine.Propose(f.Context(), change.Origin{Run: id, By: claude}, changes)
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range out {
		if _, err := f.engine.Apply(f.Context(), p.Change.ID); err != nil {
			f.Fatal(err)
		}
		ids = append(ids, string(p.Change.ID))
	}
	return ids
}

func TestRunOfAText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.ingested("4ZQ5LJ2XH7KWM", pageOf("a", "One."), pageOf("b", "Two."))
	b := f.open()
	p := b.Get("run/4ZQ5LJ2XH7KWM")
	for _, want := range []string{"definition", "Which ARR?", "known already", "page a", "page b", "Two."} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not on the page\n%s", want, p.Text)
		}
	}
	if strings.Contains(p.Body, "secret text") {
		t.Error("the input is shown")
	}
	if again := b.Submit(*p.Form("retry"), nil); !strings.Contains(again.Text, "It runs again.") || !slices.Equal(f.replayed, []string{"4ZQ5LJ2XH7KWM by ada (console, token)"}) {
		t.Errorf("%v\n%s", f.replayed, again.Text)
	}
	listed := b.Get(p.Link("Undo what it wrote"))
	if listed.Status != http.StatusOK || !strings.Contains(listed.Text, "2 changes, the latest first") || !strings.Contains(listed.Text, "loam review revert --run 4ZQ5LJ2XH7KWM --dry-run --json") {
		t.Fatalf("%d\n%s", listed.Status, listed.Text)
	}
	if f.states(ids...) != "[draft draft]" {
		t.Fatal("looking reverted")
	}
	late := f.ingested("5ZQ5LJ2XH7KWM", pageOf("c", "Three."))
	done := b.Post("", url.Values{"do": {"revert"}, "pick": f.picks(ids...), "back": listed.Form("revert").Fields["back"]})
	if f.states(append(ids, late...)...) != "[reverted reverted draft]" || done.Path != "?state=reverted" || done.Form("revert") == nil {
		t.Errorf("%s, %s\n%s", f.states(ids...), done.Path, done.Text)
	}
	if b.Submit(*done.Form("revert"), nil); f.states(ids...) != "[draft draft]" || f.read("wiki/global/a.md") == "" {
		t.Errorf("after the undo: %s", f.states(ids...))
	}
}

// "Undo all of an actor": a list of what goes and of what a person edited since and stays, then exactly that list.
func TestUndoAllOfAnActor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.draft(pageOf("a", "One."), pageOf("b", "Churn is the share of lost customers."), pageOf("c", "Three."))
	f.write("wiki/global/b.md", strings.Replace(f.read("wiki/global/b.md"), "customers.", "customers, says Bob.", 1))
	b := f.open()
	page := b.Get(b.Get("?actor=claude-code").Link("Undo all of claude-code"))
	for _, want := range []string{"Undo the changes of claude-code?", "3 changes, the latest first", "wiki/global/b.md:", "loam review revert --actor claude-code --dry-run --json"} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("%q is not on the page\n%s", want, page.Text)
		}
	}
	picks := f.picks(ids...)
	late := f.draft(pageOf("d", "Four."))[0]
	done := b.Submit(*page.Form("revert"), url.Values{"pick": picks})
	if state := f.states(append(ids, late)...); state != "[reverted reverted reverted draft]" {
		t.Errorf("%s\n%s", state, done.Text)
	}
	if !strings.Contains(f.read("wiki/global/b.md"), "customers, says Bob.") || !strings.Contains(done.Text, "but for what was edited since: wiki/global/b.md:") {
		t.Errorf("%q\n%s", f.read("wiki/global/b.md"), done.Text)
	}
	for _, path := range []string{"revert", "revert?actor=a&run=b", "revert?actor=a&age=1y"} {
		if p := b.Get(path); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
	for path, want := range map[string]int{"revert?actor=nobody": http.StatusOK, "revert?source=finance&age=7d": http.StatusOK, "revert?run=9ZQ5LJ2XH7KWM": http.StatusNotFound} {
		if p := b.Get(path); p.Status != want || want == http.StatusOK && !strings.Contains(p.Text, "There is nothing to undo") {
			t.Errorf("%s: %d\n%s", path, p.Status, p.Text)
		}
	}
}

// More than a hundred are listed in parts.
func TestUndoMany(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fillWith("draft", listed+3)
	b := f.open()
	p := b.Get("revert?actor=claude-code")
	if strings.Count(p.Body, `name="pick"`) != listed || !strings.Contains(p.Text, "These are the latest of 103 changes.") {
		t.Errorf("%d rows\n%.500s", strings.Count(p.Body, `name="pick"`), p.Text)
	}
}

// An agent cannot decide of its own change here: the actor is who signed in, whatever a form says.
func TestActorIsWhoSignedIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.propose(pageOf("a", "One."))[0]
	b := f.open()
	b.Post("", url.Values{"do": {"approve"}, "pick": {id + ".1"}, "actor": {"claude-code"}, "channel": {"mcp"}, "by": {"claude-code"}})
	if by := f.get(id).DecidedBy; by.Channel != change.Console || by.Client != "" || by.Name() != "ada (console, token)" {
		t.Errorf("%+v", by)
	}
	out, err := f.memory.Approve(t.Context(), memory.Decision{IDs: f.propose(pageOf("b", "Two.")), Actor: claude})
	if sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("the proposer itself: %+v, %v", out, err)
	}
}
