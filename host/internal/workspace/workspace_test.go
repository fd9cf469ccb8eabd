package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// fixture is a service on a folder, with a clock that a test sets.
type fixture struct {
	*Service
	now      time.Time
	settings project.Workspace
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	state := store.NewLazy(filepath.Join(dir, "state.db"))
	notes := note.New(state, filepath.Join(dir, "index"))
	t.Cleanup(func() {
		if err := errors.Join(notes.Close(), state.Close()); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	f.Service = New(Config{
		Notes: notes, Settings: func(context.Context) (project.Workspace, error) { return f.settings, nil },
		Secrets: func(context.Context) []string { return nil },
		Redact: func(s string) (string, int, error) {
			return strings.ReplaceAll(s, "s3cret", "[redacted]"), strings.Count(s, "s3cret"), nil
		},
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}, {ID: "crm", Connector: "foodb"}})
		},
		Decides: func(_ context.Context, by change.Actor) error {
			if !by.Person() {
				return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "no person").WithHint("use a terminal")
			}
			return nil
		},
		Now: func() time.Time { return f.now },
	})
	return f
}

func as(t *testing.T, name string) context.Context {
	return caller.With(t.Context(), &caller.Caller{Transport: caller.HTTP, Principal: name, Named: true})
}

// must returns a value without an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// refused checks the kind of an error and that it says what to do.
func refused(t *testing.T, name string, err error, kind sdk.Kind, says string) {
	t.Helper()
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != kind || !strings.Contains(e.Msg, says) || e.Hint == "" {
		t.Errorf("%s: %+v", name, e)
	}
}

var person = change.Actor{Channel: change.CLI, Terminal: true}

func TestCheckpoints(t *testing.T) {
	t.Parallel()
	f, ctx := newFixture(t), t.Context()
	tokens := int64(900)
	full := CheckpointSave{
		Save:    Save{Context: map[string]string{"branch": "zebra s3cret"}, Tags: []string{"money"}, ProjectPath: "/srv/shop", ClientID: "a", Actor: person},
		Summary: "Revenue agrees s3cret", Description: "Left: refunds.", TokensBefore: &tokens, TokensAfter: &tokens,
	}
	first := must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, full))
	if first.Redacted != 2 || first.TokenCount < 5 || first.CreatedAt != "2026-05-01T12:00:00Z" || strings.Contains(first.Summary, "s3cret") {
		t.Errorf("saved %+v", first)
	}
	f.now = f.now.Add(time.Minute)
	second := must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, CheckpointSave{Summary: "Scan of crm is done"}))
	page := func(l CheckpointList) (ids []string) {
		p := must[*CheckpointPage](t)(f.ListCheckpoints(ctx, l))
		for _, c := range p.Checkpoints {
			ids = append(ids, c.ID)
		}
		return append(ids, fmt.Sprint(p.Total))
	}
	same := func(name string, got []string, want ...string) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	same("newest first", page(CheckpointList{}), second.ID, first.ID, "2")
	same("limit", page(CheckpointList{Limit: 1}), second.ID, "2")
	same("offset", page(CheckpointList{Offset: 1}), first.ID, "2")
	same("path", page(CheckpointList{ProjectPath: "/srv/shop"}), first.ID, "1")
	f.now = f.now.Add(time.Minute)
	full.Actor.Session = "of another process"
	if again := must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, full)); !again.Repeated || again.ID != first.ID {
		t.Errorf("the same call again: %+v", again)
	}
	same("by update", page(CheckpointList{SortBy: "updatedAt"}), first.ID, second.ID, "2")
	other := full
	other.Summary = "Other"
	_, err := f.SaveCheckpoint(ctx, other)
	refused(t, "another content", err, sdk.KindConflict, "clientId")
	cursor := must[*CheckpointPage](t)(f.ListCheckpoints(ctx, CheckpointList{Limit: 1})).NextCursor
	same("cursor", page(CheckpointList{Limit: 1, Cursor: *cursor}), first.ID, "2")
	_, err = f.ListCheckpoints(ctx, CheckpointList{Cursor: *cursor, SortBy: "updatedAt"})
	refused(t, "a cursor of other arguments", err, sdk.KindInvalid, "cursor")
	_, err = f.ListCheckpoints(as(t, "eve"), CheckpointList{Cursor: *cursor})
	refused(t, "a cursor of another viewer", err, sdk.KindInvalid, "cursor")

	find := func(s CheckpointSearch) (ids []string) {
		for _, r := range must[*CheckpointMatches](t)(f.SearchCheckpoints(ctx, s)).Results {
			ids = append(ids, r.ID+" "+r.MatchedOn+" "+r.Trust)
		}
		return ids
	}
	same("words of the summary", find(CheckpointSearch{Query: "revenue"}), first.ID+" summary person")
	same("of the description", find(CheckpointSearch{Query: "refunds"}), first.ID+" description person")
	same("of the context", find(CheckpointSearch{Query: "zebra"}), first.ID+" context person")
	same("of a tag", find(CheckpointSearch{Query: "money"}), first.ID+" tags person")
	same("in a path", find(CheckpointSearch{Query: "scan", ProjectPath: "/srv/shop"}))
	same("with a tag", find(CheckpointSearch{Query: "revenue scan", Tags: []string{"MONEY"}}), first.ID+" summary person")
	if got := find(CheckpointSearch{Query: "revenue scan", TopK: 1}); len(got) != 1 {
		t.Errorf("topK 1 finds %v", got)
	}
	private := must[*CheckpointSaved](t)(f.SaveCheckpoint(as(t, "ada"), CheckpointSave{Summary: "private plan"}))
	shared := must[*CheckpointSaved](t)(f.SaveCheckpoint(as(t, "ada"), CheckpointSave{Summary: "shared plan", Save: Save{Shared: true}}))
	for name, want := range map[string]int{"ada": 2, "bob": 1} {
		if r := must[*CheckpointMatches](t)(f.SearchCheckpoints(as(t, name), CheckpointSearch{Query: "plan"})); len(r.Results) != want {
			t.Errorf("%s finds %+v of %s and %s", name, r.Results, private.ID, shared.ID)
		}
	}
	if p := must[*CheckpointPage](t)(f.ListCheckpoints(as(t, "bob"), CheckpointList{})); p.Total != 3 || len(p.Checkpoints) != 3 {
		t.Errorf("bob lists %d of %d", len(p.Checkpoints), p.Total)
	}
}

// Each checkpoint stands on one page, also with equal times and while new ones come.
func TestPages(t *testing.T) {
	t.Parallel()
	f, ctx := newFixture(t), as(t, "ada")
	for n := range 23 {
		must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, CheckpointSave{Summary: fmt.Sprint(n), Save: Save{Shared: n%2 == 0}}))
	}
	seen, cursor := map[string]bool{}, ""
	for range 9 {
		p := must[*CheckpointPage](t)(f.ListCheckpoints(ctx, CheckpointList{Limit: 3, Cursor: cursor}))
		for _, c := range p.Checkpoints {
			if seen[c.Summary] {
				t.Errorf("%s stands on two pages", c.Summary)
			}
			seen[c.Summary] = true
		}
		must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, CheckpointSave{Summary: "new " + cursor}))
		if p.NextCursor == nil {
			break
		}
		cursor = *p.NextCursor
	}
	if len(seen) != 23 {
		t.Errorf("%d of 23 are listed", len(seen))
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	f, ctx := newFixture(t), t.Context()
	long := func(n int) string { return strings.Repeat("ä", n) }
	pairs := map[string]string{}
	for n := range 51 {
		pairs[fmt.Sprint(n)] = "x"
	}
	save := func(c CheckpointSave) error { _, err := f.SaveCheckpoint(ctx, c); return err }
	remedy := func(r RemediationSave) error { _, err := f.SaveRemediation(ctx, r); return err }
	whole := RemediationSave{ErrorMessage: "m", ErrorType: "t", Solution: "s"}
	with := func(change func(*RemediationSave)) RemediationSave { r := whole; change(&r); return r }
	negative := int64(-1)
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"summary":      {save(CheckpointSave{Summary: long(501)}), "summary has 501 characters"},
		"no summary":   {save(CheckpointSave{Summary: " "}), "summary is empty"},
		"1 MB":         {save(CheckpointSave{Summary: "s", Description: strings.Repeat("x", 1<<20)}), "1048576 characters"},
		"not UTF-8":    {save(CheckpointSave{Summary: "\xff"}), "not UTF-8"},
		"NUL":          {save(CheckpointSave{Summary: "a\x00b"}), "NUL"},
		"tags":         {save(CheckpointSave{Summary: "s", Save: Save{Tags: make([]string, 21)}}), "21 tags"},
		"tag":          {save(CheckpointSave{Summary: "s", Save: Save{Tags: []string{long(51)}}}), "a tag has 51"},
		"keys":         {save(CheckpointSave{Summary: "s", Save: Save{Context: pairs}}), "51 keys"},
		"value":        {save(CheckpointSave{Summary: "s", Save: Save{Context: map[string]string{"k": long(1001)}}}), "1001 characters"},
		"clientId":     {save(CheckpointSave{Summary: "s", Save: Save{ClientID: long(65)}}), "clientId has 65"},
		"relative":     {save(CheckpointSave{Summary: "s", Save: Save{ProjectPath: "srv"}}), "not absolute"},
		"dots":         {save(CheckpointSave{Summary: "s", Save: Save{ProjectPath: "/srv/../etc"}}), "not absolute"},
		"tokens":       {save(CheckpointSave{Summary: "s", TokensBefore: &negative}), "tokens is -1"},
		"secrets":      {save(CheckpointSave{Summary: strings.Repeat("s3cret ", 21)}), "21 secrets"},
		"errorMessage": {remedy(with(func(r *RemediationSave) { r.ErrorMessage = long(10_001) })), "10001"},
		"errorType":    {remedy(with(func(r *RemediationSave) { r.ErrorType = "" })), "errorType is empty"},
		"solution":     {remedy(with(func(r *RemediationSave) { r.Solution = long(50_001) })), "50001"},
		"stackTrace":   {remedy(with(func(r *RemediationSave) { r.StackTrace = long(50_001) })), "50001"},
		"severity":     {remedy(with(func(r *RemediationSave) { r.Severity = "bad" })), `no severity "bad"`},
	} {
		refused(t, name, c.err, sdk.KindInvalid, c.says)
	}
	refused(t, "connection", remedy(with(func(r *RemediationSave) { r.Connection = "nope" })), sdk.KindNotFound, "nope")
	if err := save(CheckpointSave{Summary: long(500), Description: long(5_000), Save: Save{Tags: []string{long(50)}, ProjectPath: "/"}}); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"query":    func() error { _, err := f.SearchCheckpoints(ctx, CheckpointSearch{Query: long(1_001)}); return err }(),
		"topK":     func() error { _, err := f.SearchCheckpoints(ctx, CheckpointSearch{Query: "q", TopK: 101}); return err }(),
		"limit":    func() error { _, err := f.ListCheckpoints(ctx, CheckpointList{Limit: 101}); return err }(),
		"offset":   func() error { _, err := f.ListCheckpoints(ctx, CheckpointList{Offset: 10_001}); return err }(),
		"order":    func() error { _, err := f.ListCheckpoints(ctx, CheckpointList{SortBy: "id"}); return err }(),
		"mode":     func() error { _, err := f.Troubleshoot(ctx, Trouble{ErrorMessage: "m", Mode: "fast"}); return err }(),
		"category": func() error { _, err := f.ListPatterns(ctx, PatternList{Category: "x"}); return err }(),
	} {
		refused(t, name, err, sdk.KindInvalid, "")
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	f, ctx := newFixture(t), t.Context()
	f.settings = project.Workspace{MostCheckpoints: 2, CheckpointDays: 10, RemediationDays: 20}
	save := func(ctx context.Context) {
		must[*CheckpointSaved](t)(f.SaveCheckpoint(ctx, CheckpointSave{Summary: "s", Save: Save{Shared: true}}))
	}
	total := func() int { return must[*CheckpointPage](t)(f.ListCheckpoints(ctx, CheckpointList{})).Total }
	for range 4 {
		save(ctx)
	}
	save(as(t, "ada"))
	if n := total(); n != 3 {
		t.Errorf("%d checkpoints are left of two principals", n)
	}
	must[*RemediationSaved](t)(f.SaveRemediation(ctx, RemediationSave{ErrorMessage: "m", ErrorType: "t", Solution: "s"}))
	f.now = f.now.AddDate(0, 0, 11)
	save(ctx)
	if n := total(); n != 2 { // that of ada, who saved nothing, and the new one
		t.Errorf("%d checkpoints are left after 11 days", n)
	}
	f.now = f.now.AddDate(0, 0, 11)
	if p := must[*Pruned](t)(f.Prune(ctx)); p.Checkpoints != 2 || p.Remediations != 1 {
		t.Errorf("pruned %+v", p)
	}
}
