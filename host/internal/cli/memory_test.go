package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	climemory "github.com/loam-data/loam/host/internal/cli/memory"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

const (
	runOfARR  memory.RunID = "4ZQ5LJ2XH7KWM"
	brokenRun memory.RunID = "4ZQ5LJ2XH7KWN"
)

var earlier = time.Now().UTC().Add(-2*time.Hour - time.Minute).Truncate(time.Second)

// told is a memory that was told about ARR and churn; it keeps what it was asked last.
type told struct {
	asked any
	page  string
}

func (m *told) Accept(_ context.Context, in memory.Input) (memory.Accepted, error) {
	m.asked = in
	if strings.TrimSpace(in.Content) == "" {
		return memory.Accepted{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text is empty").WithHint("say something")
	}
	return memory.Accepted{RunID: runOfARR, Duplicate: in.Content == "again"}, nil
}

func (m *told) Preview(ctx context.Context, in memory.Input) (*memory.Run, error) {
	m.asked = in
	run, err := m.Status(ctx, runOfARR)
	run.RunID = ""
	return run, err
}

func (m *told) Wait(ctx context.Context, id memory.RunID, progress func(string)) (*memory.Run, error) {
	progress("planning")
	return m.Status(ctx, id)
}

func (m *told) Facts(_ context.Context, r memory.FactsRequest) ([]memory.Fact, error) {
	until := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := []memory.Fact{
		{Subject: "Churn", Attribute: "definition", Says: "Churn excludes trials.", Path: "wiki/global/churn.md", Line: 8, Trust: "person", Conflicts: []string{"wiki/global/terms.md:4"}, Stale: []string{}},
		{Subject: "VAT", Attribute: "definition", Says: "Until 2025 VAT was 19 %.", Path: "wiki/global/vat.md", Line: 6, Trust: "agent", ValidTo: &until, Conflicts: []string{}, Stale: []string{"it held until 2025-12-31"}},
		{Subject: "subscription.arr", Attribute: "learned", Says: "sum(amount)", Connection: "shop", Trust: "agent", Conflicts: []string{}, Stale: []string{}},
	}
	return slices.DeleteFunc(all, func(f memory.Fact) bool {
		return slices.ContainsFunc(r.Words, func(w string) bool { return !strings.Contains(strings.ToLower(f.Says), w) })
	}), nil
}

func (m *told) Status(_ context.Context, id memory.RunID) (*memory.Run, error) {
	run := &memory.Run{
		RunID: id, Status: "done", Stage: "done", Done: true, Connection: "shop", By: change.Actor{Channel: change.MCP, Client: "claude-code"}, At: earlier,
		Captured: memory.Captured{Wiki: []string{"arr", "churn"}, SL: []string{"subscription.arr"}, Metrics: []string{}, Synonyms: []string{}, Descriptions: []string{}, Pending: []memory.PendingLine{}},
		Notes:    []string{}, Questions: []planner.Question{}, Signals: memory.Signals{Reasons: []string{}},
	}
	switch id {
	case runOfARR:
		run.Captured.Pending = []memory.PendingLine{{ID: "3fa2c81b07", Target: "subscription.arr", Why: []string{change.WhyConflict, change.WhyNotRun}, Note: "c41e says none"}}
		run.Questions = []planner.Question{{Quote: "Churn excludes \x1b[2Jtrials", Code: planner.UnknownName, Ask: "Which table and column says what a trial is?", Candidates: []string{"plan", "status"}}}
		run.Notes = []string{"subscription.arr ran over 12 400 rows of 2026-10"}
	case brokenRun:
		failed, nothing := "the planner took longer than 10 s", memory.Captured{Wiki: []string{}, Pending: []memory.PendingLine{}}
		run.Status, run.Error, run.Captured = "error", &failed, nothing
	default:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", id).WithHint("loam runs list")
	}
	return run, nil
}

func (m *told) Retry(_ context.Context, id memory.RunID, _ change.Actor) (memory.Accepted, error) {
	m.asked = id
	return memory.Accepted{RunID: id}, nil
}

func (m *told) Log(_ context.Context, limit int) ([]memory.Event, error) {
	m.asked = limit
	return []memory.Event{{At: earlier, By: "ada", Via: "cli", Verb: "approved", Change: "3fa2c81b07", RunID: runOfARR, Detail: "checked with finance"}}, nil
}

func lineOf(id change.ID, state string, why ...string) memory.ChangeLine {
	return memory.ChangeLine{
		ID: id, State: state, Kind: change.Measure, Target: "subscription.arr", Says: "sum(amount) where status = 'active'", Why: why,
		By: "claude-code", At: earlier, RunID: runOfARR, Source: "finance",
	}
}

func (m *told) Changes(_ context.Context, r memory.ChangesRequest) (*memory.ChangesAnswer, error) {
	m.asked = r
	if r.Source == "muted" {
		return &memory.ChangesAnswer{Hidden: 3}, nil
	}
	if r.Kind == "join" {
		return &memory.ChangesAnswer{}, nil
	}
	next := "next"
	if r.Cursor == next {
		return &memory.ChangesAnswer{Changes: []memory.ChangeLine{lineOf("91bb0e77d2", "draft")}, Total: 2}, nil
	}
	return &memory.ChangesAnswer{Changes: []memory.ChangeLine{lineOf("3fa2c81b07", "pending", change.WhyConflict)}, Total: 2, NextCursor: &next}, nil
}

func (m *told) Change(_ context.Context, id string) (*memory.Detail, error) {
	m.asked = id
	return &memory.Detail{
		ChangeLine: lineOf("3fa2c81b07", "pending", change.WhyConflict), Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", Quote: "ARR is the sum of amount", Context: "# Metrics\nARR is the sum of amount\n",
		Provenance: change.Actor{Channel: change.MCP, Client: "claude-code"}, Path: "semantic-layer/shop/_memory/subscription.yaml", Version: 2, Impact: []string{"arr"},
		Conflicts:    []change.Conflict{{Says: "filter: none", By: "ada", At: earlier, Path: "semantic-layer/shop/subscription.yaml"}},
		Verification: &change.Verified{Level: "runs", At: earlier},
	}, nil
}

func (m *told) Approve(_ context.Context, d memory.Decision) ([]memory.Decided, error) {
	m.asked = d
	if d.IDs[0] == "denied" {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "changes are approved in a terminal").WithHint("run it in a terminal")
	}
	return []memory.Decided{
		{ID: "3fa2c81b07", State: "applied", Target: "subscription.arr", Path: "semantic-layer/shop/_memory/subscription.yaml"},
		{ID: "91bb0e77d2", Target: "churn", Problem: "the file was edited meanwhile"},
		{ID: "77d0aa0000", Target: "money", Problem: "change 77d0aa0000 is reverted: look at it: loam review show 77d0aa0000", Failed: true},
	}[:len(d.IDs)], nil
}

func (m *told) Reject(_ context.Context, d memory.Decision) ([]memory.Decided, error) {
	m.asked = d
	return []memory.Decided{{ID: "3fa2c81b07", State: "rejected", Target: "subscription.arr"}}, nil
}

func (m *told) Revert(_ context.Context, r memory.RevertRequest) (*memory.Reverted, error) {
	m.asked = r
	if r.Source == "nobody" {
		return &memory.Reverted{Changes: []memory.RevertedChange{}}, nil
	}
	return &memory.Reverted{Changes: []memory.RevertedChange{
		{Decided: memory.Decided{ID: "3fa2c81b07", State: "reverted", Path: "wiki/global/arr.md"}, Kept: []string{"wiki/global/arr.md:14"}},
		{Decided: memory.Decided{ID: "91bb0e77d2", State: "reverted", Path: "wiki/global/churn.md"}, Kept: []string{}},
	}}, nil
}

func (m *told) Muted(context.Context) ([]memory.Muted, error) {
	return []memory.Muted{{Actor: "codex", By: "ada", At: earlier}}, nil
}

func (m *told) Mute(_ context.Context, actor string, _ change.Actor) error {
	m.asked = "mute " + actor
	if actor == "nobody" {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no change is of an actor %q", actor).WithHint("look at the list")
	}
	return nil
}

func (m *told) Unmute(_ context.Context, actor string, _ change.Actor) error {
	m.asked = "unmute " + actor
	return nil
}

func (m *told) Pending(context.Context, string) (string, int64, error) { return "amount\n", 2, nil }

func (m *told) EditPending(ctx context.Context, id, text string, version int64, _ change.Actor) (*memory.Detail, error) {
	d, err := m.Change(ctx, id)
	m.asked = []any{id, text, version}
	return d, err
}

func (m *told) WritePage(_ context.Context, w memory.PageWrite) (*memory.Decided, error) {
	m.asked = w
	switch w.Key {
	case "money":
		return &memory.Decided{ID: "77d0aa0000", State: "pending", Path: "wiki/global/money.md"}, nil
	case "stale":
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "wiki/global/stale.md was changed meanwhile").WithHint("loam wiki read stale")
	}
	return &memory.Decided{ID: "aaaaaaaaaa", State: "applied", Path: "wiki/global/" + w.Key + ".md"}, nil
}

func (m *told) PageFile(context.Context, string) (string, string, error) {
	return m.page, "0123", nil
}

func (m *told) PageHistory(_ context.Context, key string) ([]memory.PageVersion, error) {
	if key == "new" {
		return nil, nil
	}
	return []memory.PageVersion{
		{N: 3, At: earlier, Origin: "person", Hash: "c", Bytes: 30},
		{N: 1, At: earlier, Origin: "machine", By: "claude-code", Change: "3fa2c81b07", Hash: "a", Bytes: 10},
	}, nil
}

func (m *told) PageVersionText(_ context.Context, _ string, n int) (string, error) {
	return map[int]string{1: "# ARR\n\nold\n", 3: "# ARR\n\nnew\n"}[n], nil
}

func (m *told) RevertPage(_ context.Context, key string, n int, _ change.Actor, dryRun bool) (*memory.Decided, error) {
	m.asked = []any{key, n, dryRun}
	return &memory.Decided{ID: "bbbbbbbbbb", State: "applied", Path: "wiki/global/arr.md"}, nil
}

// newTold is a folder whose memory is told.
func newTold(t *testing.T) (*folder, *told) {
	t.Helper()
	f, m := newFolder(t, "shop"), &told{page: "# ARR\n"}
	f.services.Memory = climemory.Services{Texts: m, Records: m, Changes: m, Mutes: m, Drafts: m, Pages: m, Jobs: m}
	return f, m
}

func TestMemory(t *testing.T) {
	t.Parallel()
	f, _ := newTold(t)
	f.put(t, "arr.md", "ARR means revenue.")
	f.session(t, "memory", words("ingest"),
		[]string{"ingest", "text", "-c", "shop", "ARR means revenue."}, []string{"ingest", "text", "--dry-run", "ARR"}, words("ingest text again --no-wait"), words("ingest text again"),
		words("ingest text --no-wait --json x"), []string{"ingest", "text", " "}, words("ingest text a b"), words("ingest text a --file b"), words("ingest text --file nowhere.md"),
		words("ingest status 4ZQ5LJ2XH7KWM --json"), words("ingest status x"), words("ingest status"),
		words("ingest retry 4ZQ5LJ2XH7KWN"), words("ingest retry 4ZQ5LJ2XH7KWN --dry-run"), words("ingest retry 4ZQ5LJ2XH7KWN --no-wait"),
		words("runs show 4ZQ5LJ2XH7KWN"))
}

func TestReview(t *testing.T) {
	t.Parallel()
	f, _ := newTold(t)
	f.session(t, "review", words("review"), words("review list --limit 1"), words("review --kind join"), words("review --state open"), words("review --kind mesure"), words("review lst"), words("review --since x"),
		words("review show 3fa2"), words("review show"), words("review approve 3fa2"), words("review approve 3fa2 91bb"), words("review approve 3fa2 91bb 77d0"), words("review approve 3fa2 91bb --dry-run --json"), words("review approve denied"), words("review approve"),
		words("review reject 3fa2 --note no"), words("review revert 3fa2"), words("review revert --run 4ZQ5LJ2XH7KWM --dry-run"), words("review revert --run 4ZQ5LJ2XH7KWM --yes"),
		words("review revert --source nobody --yes"), words("review revert"), words("review revert 3fa2 --run x"), words("review revert 3fa2 --since 2d"), words("review log"), words("review log --json"),
		words("review mute"), words("review mute codex"), words("review mute codex --json"), words("review mute nobody"), words("review mute a b"), words("review unmute codex"), words("review unmute"), words("review --source muted"))
}

func TestFacts(t *testing.T) {
	t.Parallel()
	f, _ := newTold(t)
	f.session(t, "facts", words("facts list"), words("facts list vat until"), words("facts list nothing"), words("facts list vat --json"),
		words("facts check"), words("facts check --conflicts"), words("facts check --stale --json"), words("facts check x"))
}

func TestPages(t *testing.T) {
	t.Parallel()
	f, _ := newTold(t)
	f.session(t, "pages", []string{"wiki", "write", "arr", "# ARR\n"}, words("wiki write arr x --dry-run"), words("wiki write money x"), words("wiki write money x --dry-run"), words("wiki write stale x"), words("wiki write"),
		words("wiki history arr"), words("wiki history arr --json"), words("wiki history new"), words("wiki history arr --diff 3"), words("wiki history arr --diff 1"), words("wiki history arr --diff 2"), words("wiki history arr --diff 0"),
		words("wiki revert arr --to 1"), words("wiki revert arr --to 1 --dry-run --json"), words("wiki revert arr"))
}

// What is typed reaches the use case as it is meant; what is no terminal is nobody.
func TestMemoryRequests(t *testing.T) {
	t.Parallel()
	f, m := newTold(t)
	f.put(t, "arr.md", "ARR means revenue.")
	page := memory.PageWrite{Key: "arr", Content: "# ARR", Base: "0123"}
	for _, tt := range []struct {
		name string
		args []string
		want any
	}{
		{"a text", []string{"ingest", "text", "-c", "shop", "--source", "finance", "ARR means revenue."}, memory.Input{Content: "ARR means revenue.", Connection: "shop", Source: "finance"}},
		{"a file", []string{"ingest", "text", "--dry-run", "--file", filepath.Join(f.dir, "arr.md")}, memory.Input{Content: "ARR means revenue.", DryRun: true}},
		{"open changes", words("review --limit 1"), memory.ChangesRequest{Open: true, HideMuted: true, Limit: 1}},
		{"all changes", words("review list --limit 0 --state all --run R --source S --actor A -c shop --kind page"), memory.ChangesRequest{HideMuted: true, RunID: "R", Source: "S", Actor: "A", Connection: "shop", Kind: "page", Limit: 1000, Cursor: "next"}},
		{"changes of muted actors, too", words("review --muted --limit 1"), memory.ChangesRequest{Open: true, Limit: 1}},
		{"mute", words("review mute codex"), "mute codex"},
		{"unmute", words("review unmute codex"), "unmute codex"},
		{"since a day", words("review --since 2026-05-01 --limit 1"), memory.ChangesRequest{Open: true, HideMuted: true, Limit: 1, Since: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}},
		{"approve", words("review approve 3fa2 --note ok"), memory.Decision{IDs: []string{"3fa2"}, Note: "ok"}},
		{"reject", words("review reject 3fa2 --dry-run"), memory.Decision{IDs: []string{"3fa2"}, DryRun: true}},
		{"revert exactly what was shown", words("review revert --actor A --yes --note no"), memory.RevertRequest{IDs: []string{"3fa2c81b07", "91bb0e77d2"}, Note: "no"}},
		{"revert nothing", words("review revert --actor A --dry-run"), memory.RevertRequest{By: "A", DryRun: true}},
		{"write", []string{"wiki", "write", "arr", "# ARR"}, page},
		{"a revision", words("wiki revert arr --to 2 --dry-run"), []any{"arr", 2, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if code, stdout, stderr := f.loam(t, tt.args...); code != 0 {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
			if diff := cmp.Diff(tt.want, m.asked, cmpopts.IgnoreTypes(change.Actor{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if in, ok := m.asked.(memory.Input); ok && (in.Actor.Channel != change.CLI || in.Actor.Terminal || in.Actor.Person()) {
				t.Errorf("actor %+v", in.Actor)
			}
		})
	}
}

// What an editor leaves behind is saved; what cannot be saved stays in a file.
func TestEdit(t *testing.T) {
	f, m := newTold(t)
	editor := func(script string) {
		path := filepath.Join(t.TempDir(), "editor")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("EDITOR", path)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "")
	t.Setenv("TMPDIR", t.TempDir())
	if code, _, stderr := f.loam(t, "wiki", "edit", "arr"); code != 2 || !strings.Contains(stderr, "EDITOR") {
		t.Errorf("without an editor: exit %d: %s", code, stderr)
	}
	editor(`echo more >> "$1"`)
	if code, _, stderr := f.loam(t, "wiki", "edit", "arr"); code != 0 || !strings.Contains(stderr, "wrote wiki/global/arr.md") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if diff := cmp.Diff(memory.PageWrite{Key: "arr", Content: "# ARR\nmore\n", Base: "0123"}, m.asked, cmpopts.IgnoreTypes(change.Actor{})); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	if code, stdout, stderr := f.loam(t, "review", "edit", "3fa2"); code != 0 || !strings.Contains(stdout, "pending measure subscription.arr") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if diff := cmp.Diff([]any{"3fa2", "amount\nmore\n", int64(2)}, m.asked); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	code, _, stderr := f.loam(t, "wiki", "edit", "stale")
	_, path, found := strings.Cut(strings.TrimSpace(stderr), "what you wrote is in ")
	if text, err := os.ReadFile(path); code != 6 || !found || err != nil || string(text) != "# ARR\nmore\n" {
		t.Errorf("exit %d, kept %q, %v: %s", code, text, err, stderr)
	}
	editor(`true`)
	m.asked = nil
	if code, _, stderr := f.loam(t, "wiki", "edit", "arr"); code != 0 || m.asked != nil || !strings.Contains(stderr, "nothing was changed") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	editor(`exit 3`)
	if code, _, stderr := f.loam(t, "wiki", "edit", "arr"); code != 2 || m.asked != nil || !strings.Contains(stderr, "exit status 3") || !strings.Contains(stderr, "set VISUAL or EDITOR") || strings.Contains(stderr, "what you wrote") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
