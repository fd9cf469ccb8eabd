package skillset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

var (
	now   = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	agent = change.Actor{Channel: change.MCP, Client: "claude-code"}
)

// fixture is a folder of skills and a state store.
type fixture struct {
	*Service
	root    string
	waiting map[string]string
	kept    map[string][]string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	state := store.NewLazy(filepath.Join(dir, "state.db"))
	f := &fixture{root: filepath.Join(dir, "skills"), waiting: map[string]string{}, kept: map[string][]string{}}
	f.Service = New(Config{
		Skills: skill.NewLibrary(f.root), State: state.Get, Began: began(state), Now: func() time.Time { return now },
		Waiting: func(_ context.Context, name string, by change.Actor) ([]byte, error) {
			if text := f.waiting[name]; text != "" && by.Principal == "" {
				return []byte(text), nil
			}
			return nil, nil
		},
		WaitingCount: func(context.Context) (int, error) { return len(f.waiting), nil },
		Versions: func(_ context.Context, name string) (all [][]byte, err error) {
			for _, text := range f.kept[name] {
				all = append(all, []byte(text))
			}
			return all, nil
		},
		Keep: func(_ context.Context, name string) error {
			text, err := os.ReadFile(filepath.Join(f.root, name, skill.FileName))
			f.kept[name] = append([]string{string(text)}, f.kept[name]...)
			return err
		},
	})
	t.Cleanup(func() {
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func began(s *store.Lazy) func() bool {
	return func() bool {
		_, err := os.Stat(s.Path())
		return err == nil
	}
}

func file(name, lines, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: About %s.\n%s---\n\n%s\n", name, name, lines, body)
}

func (f *fixture) put(t *testing.T, name, content string) {
	t.Helper()
	at := filepath.Join(f.root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// add writes a skill.
func (f *fixture) add(t *testing.T, name, lines string) {
	t.Helper()
	f.put(t, name+"/"+skill.FileName, file(name, lines, "# The "+name))
}

func (f *fixture) use(t *testing.T, name string, succeeded ...bool) {
	t.Helper()
	for _, s := range succeeded {
		for _, success := range []*bool{nil, &s} {
			if _, err := f.Apply(t.Context(), ApplyRequest{Name: name, Success: success, Actor: agent}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func names(all []Listed) string {
	var out []string
	for _, l := range all {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

// Every argument of a list and of a search changes the answer.
func TestListAndSearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, "close-month", "reviewed: true\nversion: 2.1.0\ncategory: finance\ntags: [month, books]\ncreated: \"2026-01-01T00:00:00Z\"\n")
	f.add(t, "close-year", "origin: agent\ncategory: Finance\ntags: [books]\ncreated: \"2026-02-01T00:00:00Z\"\n")
	f.add(t, "deploy", "tags: [month]\n")
	f.use(t, "close-month", true, false, true)
	f.use(t, "deploy", false, false, false, false)
	for i, name := range []string{"close-year", "close-month", "deploy"} {
		at := now.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(filepath.Join(f.root, name, skill.FileName), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		r     ListRequest
		want  string
		total int
	}{
		{ListRequest{}, "close-year close-month deploy", 3},
		{ListRequest{SortBy: ByUpdated}, "deploy close-month close-year", 3},
		{ListRequest{SortBy: ByUsage}, "deploy close-month close-year", 3},
		{ListRequest{SortBy: BySuccess}, "close-month deploy close-year", 3},
		{ListRequest{Category: "FINANCE"}, "close-year close-month", 2},
		{ListRequest{Tags: []string{"Books", "month"}}, "close-month", 1},
		{ListRequest{Limit: 1}, "close-year", 3},
	} {
		l, err := f.List(t.Context(), tt.r)
		if err != nil || names(l.Skills) != tt.want || l.Total != tt.total || (l.NextCursor != nil) != (tt.total > len(l.Skills)) {
			t.Errorf("%+v: %+v, %v", tt.r, l, err)
		}
	}
	for _, tt := range []struct {
		r    SearchRequest
		want string
	}{
		{SearchRequest{Query: "close"}, "close-month close-year"},
		{SearchRequest{Query: "close", TopK: 1}, "close-month"},
		{SearchRequest{Query: "close", Tags: []string{"books"}, Category: "finance"}, "close-month close-year"},
		{SearchRequest{Query: "month", Category: "finance"}, "close-month"},
		{SearchRequest{Query: "month"}, "close-month deploy"},
		{SearchRequest{Query: "weather"}, ""},
	} {
		found, err := f.Search(t.Context(), tt.r)
		if err != nil || names(found.Skills) != tt.want {
			t.Errorf("%+v: %+v, %v", tt.r, found, err)
		}
	}
	found, err := f.Search(t.Context(), SearchRequest{Query: "close", TopK: 1})
	if err != nil {
		t.Fatal(err)
	}
	uses, share, score, version, category, created := 3, 0.667, 1.0, "2.1.0", "finance", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := &Found{Total: 2, Skills: []Listed{{
		Name: "close-month", Version: &version, Title: "The close-month", Description: "About close-month.", Category: &category, Tags: []string{"month", "books"},
		UsageCount: &uses, SuccessRate: &share, Trust: "reviewed", CreatedAt: &created, UpdatedAt: now.Add(time.Hour), Score: &score,
	}}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// Following the cursor yields every skill once, until a file changes.
func TestCursor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 5 {
		f.add(t, fmt.Sprintf("s%d", i), "")
	}
	var all []string
	r := ListRequest{Limit: 2, SortBy: ByUsage}
	for {
		l, err := f.List(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names(l.Skills))
		if l.NextCursor == nil {
			break
		}
		r.Cursor = *l.NextCursor
	}
	if got := strings.Join(all, ","); got != "s0 s1,s2 s3,s4" {
		t.Error(got)
	}
	for _, other := range []ListRequest{{Cursor: r.Cursor}, {Cursor: r.Cursor, SortBy: ByUsage, Category: "x"}, {Cursor: "x"}} {
		if _, err := f.List(t.Context(), other); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%+v: %v", other, err)
		}
	}
	f.add(t, "s9", "")
	if _, err := f.List(t.Context(), r); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("after an edit: %v", err)
	}
}

// Notes name what is no skill, what is no prompt, and that something waits.
func TestNotes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "long/SKILL.md", file("long", "reviewed: true\n", strings.Repeat("word ", 5000)))
	for i := range namedProblems + 2 {
		f.put(t, fmt.Sprintf("broken%d/SKILL.md", i), "x")
	}
	f.waiting["new"] = file("new", "", "# New")
	l, err := f.List(t.Context(), ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(l.Notes, "\n")
	for _, want := range []string{`"skills/broken0" cannot be used: the skill has no frontmatter.`, "2 other folders cannot be used either.", "long has 5501 tokens and is no prompt: the limit is 4000.", "Waiting for a person: 1 change of skills"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if prompts, err := f.Prompts(t.Context(), 20); err != nil || len(prompts) != 0 {
		t.Errorf("prompts: %v, %v", prompts, err)
	}
	if _, err := f.Prompt(t.Context(), "long"); sdk.KindOf(err) != sdk.KindLimit {
		t.Errorf("prompt: %v", err)
	}
}
