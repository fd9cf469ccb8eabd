package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

func TestReview(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, measure, nil)
	run := remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", agent)
	id := string(run.Captured.Pending[0].ID)
	for _, tt := range []struct {
		name     string
		settings project.Memory
		decision Decision
		kind     sdk.Kind
		problem  string
	}{
		{"a client of the server", project.Memory{}, Decision{Actor: codex}, sdk.KindDenied, ""},
		{"the proposer", project.Memory{ApproveOverMCP: true}, Decision{Actor: agent}, "", "its own change"},
		{"a script", project.Memory{}, Decision{Actor: script}, sdk.KindDenied, ""},
		{"a terminal where only the console decides", project.Memory{ApproveFrom: []string{"console"}}, Decision{Actor: person}, sdk.KindDenied, ""},
		{"the console where only terminals decide", project.Memory{ApproveFrom: []string{"cli"}}, Decision{Actor: reviewer}, sdk.KindDenied, ""},
		{"another version, in the console", project.Memory{}, Decision{Actor: reviewer, Versions: []int64{99}}, "", "version"},
		{"another version", project.Memory{}, Decision{Actor: person, Versions: []int64{99}}, "", "version"},
	} {
		f.settings, tt.decision.IDs = tt.settings, []string{id}
		out, err := s.Approve(t.Context(), tt.decision)
		if sdk.KindOf(err) != tt.kind || tt.problem != "" && (len(out) != 1 || !out[0].Failed || !strings.Contains(out[0].Problem, tt.problem)) {
			t.Errorf("%s: %+v, %v", tt.name, out, err)
		}
	}
	f.settings = project.Memory{}
	detail, err := s.Change(t.Context(), id[:4])
	if err != nil || !strings.Contains(detail.Diff, "+++ b/semantic-layer/shop/_memory/orders.yaml") || !strings.Contains(detail.Context, "paid = ") {
		t.Fatalf("%+v, %v", detail, err)
	}
	text, version, err := s.Pending(t.Context(), id)
	if err != nil || !strings.Contains(text, "measures/paid") {
		t.Fatal(text, err)
	}
	edited, err := s.EditPending(t.Context(), id, strings.Replace(text, "sum", "max", 1), version, person)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(edited.Says, "paid: agg: max, expr: ") || strings.Contains(edited.Says, "verified") {
		t.Errorf("after the edit it says %q", edited.Says)
	}
	would, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person, DryRun: true})
	if err != nil || would[0].State != "applied" || f.read(t, "semantic-layer/shop/_memory/orders.yaml") != "" {
		t.Fatalf("%+v, %v", would, err)
	}
	done, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person, Note: "checked"})
	if err != nil || done[0].State != "applied" || done[0].Problem != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if overlay := f.read(t, "semantic-layer/shop/_memory/orders.yaml"); !strings.Contains(overlay, "reviewed: true") || !strings.Contains(overlay, "max") {
		t.Errorf("the overlay is %q", overlay)
	}
	log, err := s.Log(t.Context(), 10)
	if err != nil || len(log) < 2 || log[0].By != "ada" {
		t.Errorf("%+v, %v", log, err)
	}
}

func TestRevertByRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	remember(t, s, "Fact one.", agent)
	before := f.read(t, "wiki/global/notes.md")
	second := remember(t, s, "Fact two.", codex)
	if f.read(t, "wiki/global/notes.md") == before {
		t.Fatal("the second fact is not there")
	}
	if _, err := s.Revert(t.Context(), RevertRequest{Actor: person}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("nothing is chosen: %v", err)
	}
	would, err := s.Revert(t.Context(), RevertRequest{RunID: second.RunID, Actor: person, DryRun: true})
	if err != nil || len(would.Changes) != 1 || would.Changes[0].State != "reverted" {
		t.Fatalf("%+v, %v", would, err)
	}
	done, err := s.Revert(t.Context(), RevertRequest{RunID: second.RunID, Actor: person})
	if err != nil || len(done.Changes) != 1 || done.Changes[0].Problem != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if now := f.read(t, "wiki/global/notes.md"); now != before {
		t.Errorf("the bytes are not as before:\n%s\nbefore:\n%s", now, before)
	}
	if run, err := s.Status(t.Context(), second.RunID); err != nil || len(run.Captured.Wiki) != 0 {
		t.Errorf("%+v, %v", run, err)
	}
	if out, err := s.Revert(t.Context(), RevertRequest{By: "claude-code", Actor: person}); err != nil || len(out.Changes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if left := f.read(t, "wiki/global/notes.md"); strings.Contains(left, "Fact one") {
		t.Errorf("left: %q", left)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	write := func(w PageWrite) *Decided {
		t.Helper()
		out, err := s.WritePage(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := write(PageWrite{Key: "churn", Content: "# Churn\n\nLost customers.", Actor: agent}); out.State != "draft" {
		t.Errorf("a new page of an agent: %+v", out)
	}
	text, hash, err := s.PageFile(t.Context(), "churn")
	if err != nil || !strings.Contains(text, "origin: agent") {
		t.Fatal(text, err)
	}
	if _, err := s.WritePage(t.Context(), PageWrite{Key: "churn", Content: "x", Base: "0", Actor: agent}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("another base: %v", err)
	}
	for name, content := range map[string]string{"reviewed": "---\nreviewed: true\n---\nx", "a secret": "postgres://u:hunter2hunter2@h/db"} {
		if _, err := s.WritePage(t.Context(), PageWrite{Key: "new", Content: content, Actor: agent}); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, key := range []string{"../x", "a//b", ".git/x", "", "a\\b"} {
		if _, err := s.WritePage(t.Context(), PageWrite{Key: key, Content: "x", Actor: person}); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if out := write(PageWrite{Key: "churn", Content: "# Churn\n\nMine.\n", Base: hash, Actor: person}); out.State != "applied" {
		t.Errorf("of a person: %+v", out)
	}
	f.write(t, "wiki/global/money.md", "# Money\n\nGross.\n")
	_, hash, _ = s.PageFile(t.Context(), "money")
	if out := write(PageWrite{Key: "money", Content: "# Money\n\nNet.\n", Base: hash, Actor: agent}); out.State != "pending" {
		t.Errorf("a person's page: %+v", out)
	}
	versions, err := s.PageHistory(t.Context(), "churn")
	if err != nil || len(versions) != 2 || versions[0].By != "ada" {
		t.Fatalf("%+v, %v", versions, err)
	}
	if _, err := s.RevertPage(t.Context(), "churn", 1, person, false); err != nil {
		t.Fatal(err)
	}
	if now := f.read(t, "wiki/global/churn.md"); now != text {
		t.Errorf("%q, want %q", now, text)
	}
}

// A person at the console counts as one at a terminal: the own change is applied at once, and the decision says who
// signed in.
func TestConsoleDecides(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings = project.Memory{Review: "strict", ApproveFrom: []string{"console"}}
	s := f.open(t, measure, nil)
	id := string(remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", agent).Captured.Pending[0].ID)
	if _, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: person}); sdk.KindOf(err) != sdk.KindDenied || sdk.AsError(err, sdk.SourceHost).Hint != "run loam console" {
		t.Errorf("a terminal: %v", err)
	}
	done, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Actor: reviewer})
	if err != nil || done[0].State != "applied" {
		t.Fatalf("%+v, %v", done, err)
	}
	log, err := s.Log(t.Context(), 1)
	if err != nil || log[0].By != "ada (console, root)" || log[0].Via != "console" {
		t.Errorf("%+v, %v", log, err)
	}
	if run := remember(t, s, "late = {agg: sum, expr: amount, filter: \"status = 'pending'\"}", reviewer); len(run.Captured.SL) != 1 {
		t.Errorf("the own change waits: %+v", run.Captured)
	}
}

func TestNameOfTheConsole(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]change.Actor{
		"ada (console, root)":  {Channel: change.Console, User: "root", Label: "ada"},
		"ada (console, token)": {Channel: change.Console, Principal: "token", Label: "ada"},
		"root (console)":       {Channel: change.Console, User: "root"},
		"console":              {Channel: change.Console},
		"claude":               {Channel: change.MCP, Client: "claude", Label: "ada"},
	} {
		if got := a.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestKinds: a policy can be about each kind of change that there is.
func TestKinds(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, kind := range project.MemoryKinds() {
		known[kind] = true
	}
	for kind := range form.Kinds() {
		if !known[string(kind)] {
			t.Errorf("memory.policy cannot be about %s", kind)
		}
		delete(known, string(kind))
	}
	if len(known) > 0 {
		t.Errorf("memory.policy is about kinds that are none: %v", known)
	}
}

// A run that never was is told apart from one that changed nothing.
func TestRevertUnknownRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	for range 2 { // without a state store, and with one
		_, err := s.Revert(t.Context(), RevertRequest{RunID: "4ZQ5LJ2XH7KWM", Actor: person})
		if sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "loam runs list") {
			t.Errorf("%v", err)
		}
		run := remember(t, s, "It was a long and rainy day in the office, and nobody was there.", script)
		if out, err := s.Revert(t.Context(), RevertRequest{RunID: run.RunID, Actor: person}); err != nil {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

// A revert leaves no empty folders behind.
func TestRevertRemovesItsFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, nil, nil)
	run := remember(t, s, "Paid is the sum of amount in orders where status = 'paid'.", script)
	if f.read(t, "semantic-layer/shop/_memory/orders.yaml") == "" {
		t.Fatal("nothing was written")
	}
	if out, err := s.Revert(t.Context(), RevertRequest{RunID: run.RunID, Actor: person}); err != nil || len(out.Changes) == 0 {
		t.Fatal(out, err)
	}
	for name, there := range map[string]bool{"semantic-layer/shop/_memory": false, "semantic-layer/shop": true, "wiki/global": false, "wiki": true} {
		if _, err := os.Stat(filepath.Join(f.dir, filepath.FromSlash(name))); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A page that is replaced keeps its line ends and its frontmatter; a new one has those that were given.
func TestPagesKeepLineEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	write := func(key, content, want string) {
		t.Helper()
		_, base, err := s.PageFile(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.WritePage(t.Context(), PageWrite{Key: key, Content: content, Base: base, Actor: person}); err != nil {
			t.Fatal(err)
		}
		if got, _, err := s.PageFile(t.Context(), key); got != want || err != nil {
			t.Errorf("%s, %q: %q, %v; want %q", key, content, got, err, want)
		}
	}
	write("dos", "---\r\ntags: [a]\r\n---\r\n# A\r\n", "---\r\ntags: [a]\r\n---\r\n# A\r\n")
	write("dos", "# A\nb", "---\r\ntags: [a]\r\n---\r\n# A\r\nb\r\n")
	write("unix", "# A\n", "# A\n")
	write("unix", "# A\r\nb\r\n", "# A\nb\n")
}
