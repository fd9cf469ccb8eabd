package skillset

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// A use is counted when it begins, and its outcome when it is reported, for each major version.
func TestApply(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "close-month/SKILL.md", file("close-month", "reviewed: true\nversion: 1.0.0\nprerequisites: access\nexpectedOutcome: closed\n", "# One"))
	f.put(t, "close-month/steps/a b.md", "1.")
	a, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Actor: agent, ClientID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	if *a.Content != "# One\n" || *a.Version != "1.0.0" || *a.ExpectedOutcome != "closed" || strings.Join(a.Prerequisites, "") != "access" || a.Trust != "reviewed" ||
		*a.UsageCount != 1 || a.SuccessRate != nil || len(a.Revision) != 64 || strings.Join(a.Files, "") != "skill://close-month/steps/a%20b.md" || a.Repeated {
		t.Errorf("%+v", a)
	}
	if !regexp.MustCompile(`^01[0-9A-HJKMNP-TV-Z]{24}$`).MatchString(*a.UseID) {
		t.Errorf("useId %s is no ULID", *a.UseID)
	}
	again, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Actor: agent, ClientID: "c"})
	if err != nil || !again.Repeated || *again.UseID != *a.UseID || *again.UsageCount != 1 {
		t.Errorf("again: %+v, %v", again, err)
	}
	yes, no := true, false
	done, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Success: &yes, Actor: agent})
	if err != nil || *done.UseID != *a.UseID || *done.SuccessRate != 1 || *done.UsageCount != 1 || done.Content != nil {
		t.Errorf("report: %+v, %v", done, err)
	}
	f.put(t, "close-month/SKILL.md", file("close-month", "version: 2.0.0\nreviewed: true\n", "# Two"))
	if two, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Actor: agent}); err != nil || *two.UsageCount != 1 || two.SuccessRate != nil || *two.Content != "# Two\n" {
		t.Errorf("the next major version: %+v, %v", two, err)
	}
	old, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Version: "1.0.0", Actor: agent})
	if err != nil || *old.Content != "# One\n" || *old.UsageCount != 2 || *old.SuccessRate != 1 {
		t.Errorf("the old version: %+v, %v", old, err)
	}
	if bad, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Version: "2.0.0", Success: &no, Actor: agent}); err != nil || *bad.Version != "2.0.0" || *bad.SuccessRate != 0 {
		t.Errorf("a report of a version: %+v, %v", bad, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, "close-month", "version: 1.0.0\n")
	f.put(t, "broken/SKILL.md", "x")
	yes := true
	for name, tt := range map[string]struct {
		r    ApplyRequest
		kind sdk.Kind
		says string
	}{
		"a path":          {ApplyRequest{Name: "../x"}, sdk.KindInvalid, "no name"},
		"no skill":        {ApplyRequest{Name: "close-moth"}, sdk.KindNotFound, "did you mean close-month"},
		"nothing near":    {ApplyRequest{Name: "weather"}, sdk.KindNotFound, "skill_list"},
		"a broken file":   {ApplyRequest{Name: "broken"}, sdk.KindInvalid, "mend skills/broken/SKILL.md"},
		"no such version": {ApplyRequest{Name: "close-month", Version: "9.0.0"}, sdk.KindNotFound, "leave version out"},
		"no use":          {ApplyRequest{Name: "close-month", Success: &yes, Actor: agent}, sdk.KindNotFound, "without success first"},
		"a long id":       {ApplyRequest{Name: "close-month", ClientID: strings.Repeat("x", 65)}, sdk.KindInvalid, "65"},
	} {
		_, err := f.Apply(t.Context(), tt.r)
		if sdk.KindOf(err) != tt.kind || !strings.Contains(sdk.AsError(err, sdk.SourceHost).Msg+sdk.AsError(err, sdk.SourceHost).Hint, tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range []ApplyRequest{{Name: "close-month", ClientID: "c"}, {Name: "close-month", ClientID: "c", Version: "1.0.0"}} {
		if _, err := f.Apply(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	f.add(t, "deploy", "")
	if _, err := f.Apply(t.Context(), ApplyRequest{Name: "deploy", ClientID: "c"}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("the clientId of another skill: %v", err)
	}
}

// Nobody takes what was not reviewed for an instruction: it has its trust, is no prompt, and is served by nothing else.
func TestUnreviewed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, "by-hand", "")
	f.add(t, "by-agent", "origin: agent\n")
	f.waiting["waits"] = file("waits", "origin: agent\nreviewed: true\n", "# It says so itself")
	for name, trust := range map[string]string{"by-hand": skill.TrustPerson, "by-agent": skill.TrustAgent, "waits": skill.TrustAgent} {
		a, err := f.Apply(t.Context(), ApplyRequest{Name: name, Actor: agent})
		if err != nil || a.Trust != trust || !strings.Contains(strings.Join(a.Notes, ""), "Nobody reviewed") || *a.UsageCount != 1 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if _, err := f.Prompt(t.Context(), name); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("the prompt %s: %v", name, err)
		}
		if _, err := f.File(t.Context(), name, skill.FileName); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("the file of %s: %v", name, err)
		}
	}
	if _, err := f.Apply(t.Context(), ApplyRequest{Name: "waits", Actor: change.Actor{Channel: change.MCP, Principal: "bob"}}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("another principal: %v", err)
	}
	if all, err := f.Reviewed(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("reviewed: %v, %v", all, err)
	}
	if l, err := f.List(t.Context(), ListRequest{}); err != nil || names(l.Skills) != "by-agent by-hand" {
		t.Errorf("listed: %+v, %v", l, err)
	}
}

// The most used reviewed skill comes first.
func TestPromptsAreInTheOrderOfUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"a", "b", "c"} {
		f.add(t, name, "reviewed: true\n")
	}
	f.use(t, "c", false, true)
	f.use(t, "b", true)
	all, err := f.Prompts(t.Context(), 2)
	if err != nil || len(all) != 2 || all[0].Name != "c" || all[1].Name != "b" {
		t.Errorf("%+v, %v", all, err)
	}
	if content, err := f.File(t.Context(), "a", skill.FileName); err != nil || !strings.Contains(string(content), "# The a") {
		t.Errorf("%q, %v", content, err)
	}
	if _, err := f.File(t.Context(), "a", "../b/SKILL.md"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a path: %v", err)
	}
}

// A skill can be read where no use can be counted, and says so.
func TestApplyWithoutAStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, "close-month", "reviewed: true\n")
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, []byte("this is no database, and longer than its header of 100 bytes: "+strings.Repeat("x", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	config, state := f.Config, store.NewLazy(path)
	config.State, config.Began = state.Get, began(state)
	f.Service = New(config)
	a, err := f.Apply(t.Context(), ApplyRequest{Name: "close-month", Actor: agent})
	if err != nil || a.UseID != nil || a.UsageCount != nil || !strings.Contains(strings.Join(a.Notes, ""), "This use is not counted") {
		t.Errorf("%+v, %v", a, err)
	}
	if l, err := f.List(t.Context(), ListRequest{}); err != nil || len(l.Skills) != 1 || l.Skills[0].UsageCount != nil || !strings.Contains(strings.Join(l.Notes, ""), "The uses are not known") {
		t.Errorf("%+v, %v", l, err)
	}
}
