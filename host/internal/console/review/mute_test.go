package review

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/consoletest"
)

// A reviewer mutes an actor from a change or from the list of the actor, sees how much is hidden, shows it, and undoes it.
func TestMute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."))
	other := change.Actor{Channel: change.MCP, Client: "codex"}
	out, err := f.engine.Propose(t.Context(), change.Origin{By: other}, []change.Proposal{func() change.Proposal { p := pageOf("c", "Three."); p.Why = []string{change.WhyPolicy}; return p }()})
	if err != nil {
		t.Fatal(err)
	}
	b := f.open()
	if got := b.Get(""); strings.Contains(got.Text, "muted") || got.Link("claude-code") != "?actor=claude-code" {
		t.Errorf("%q\n%s", got.Link("claude-code"), got.Text)
	}
	got := b.Submit(*b.Get("change/" + ids[0]).Form("mute"), nil)
	if got.Path != "change/"+ids[0] || !strings.Contains(got.Text, "Muted claude-code:") || !strings.Contains(got.Text, "Unmute this actor") {
		t.Errorf("%s\n%s", got.Path, got.Text)
	}
	got = b.Get("")
	for _, want := range []string{"3 wait", "2 changes of 1 muted actor are hidden.", "1 shown of 1 change", "page c", "ada", "Unmute"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in\n%s", want, got.Text)
		}
	}
	if got.Link("page a") != "" || got.Link("Show them") != "?muted=show" {
		t.Errorf("%q\n%s", got.Link("Show them"), got.Text)
	}
	if next := b.Get("change/" + string(out[0].Change.ID)); next.Link("Next") != "" {
		t.Errorf("the next one is %q", next.Link("Next"))
	}
	if got = b.Get("?muted=show"); !strings.Contains(got.Text, "3 shown of 3 changes") || got.Link("page a") != "change/"+ids[0]+"?muted=show" {
		t.Errorf("shown: %s", got.Text)
	}
	if got = b.Get("?actor=claude-code"); !strings.Contains(got.Text, "2 shown of 2 changes") || got.Form("unmute") == nil {
		t.Errorf("of the actor: %s", got.Text)
	}
	if got = b.Submit(*got.Form("unmute"), nil); !strings.Contains(got.Text, "Unmuted claude-code") || got.Path != "?actor=claude-code" {
		t.Errorf("%s\n%s", got.Path, got.Text)
	}
	if got = b.Get(""); strings.Contains(got.Text, "hidden") || !strings.Contains(got.Text, "3 shown of 3 changes") {
		t.Errorf("unmuted: %s", got.Text)
	}
	for _, form := range []url.Values{{"do": {"mute"}}, {"do": {"mute"}, "actor": {"nobody"}}, {"do": {"unmute"}, "actor": {"codex"}}} {
		if p := b.Post("", form); p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusNotFound {
			t.Errorf("%v: %d", form, p.Status)
		}
	}
	reader := f.as(consoletest.ReaderToken)
	if p := reader.Post("", url.Values{"do": {"mute"}, "actor": {"codex"}}); p.Status != http.StatusForbidden || reader.Get("?actor=codex").Form("mute") != nil {
		t.Errorf("a reader mutes: %d", p.Status)
	}
}

// The name of a client is text on every page, and a long one makes no form.
func TestMuteOfHostileName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"<script>alert(1)</script>", "a\u202eb", strings.Repeat("w", 20_000)} {
		p := pageOf("x"+string(rune('a'+len(name)%20)), name[:min(len(name), 9)])
		p.Why = []string{change.WhyPolicy}
		if _, err := f.engine.Propose(t.Context(), change.Origin{By: change.Actor{Channel: change.MCP, Client: name}}, []change.Proposal{p}); err != nil {
			t.Fatal(err)
		}
		if err := f.engine.Mute(t.Context(), change.Actor{Channel: change.MCP, Client: name}.Name(), person); err != nil {
			t.Fatal(err)
		}
	}
	b := f.open() // it checks the size and the elements of each page
	for _, path := range []string{"", "?muted=show"} {
		if p := b.Get(path); p.Status != http.StatusOK || strings.Contains(p.Body, "<script>alert") || strings.Count(p.Text, "muted by") > 3 {
			t.Errorf("%d\n%s", p.Status, p.Text)
		}
	}
}
