package review

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/text"
)

// hostile are texts that would run, hide, or break the layout.
func hostile() map[string]string {
	return map[string]string{
		"script": `<script>alert(1)</script><img src=x onerror=alert(1)>`, "attribute": `" onmouseover="alert(1)" x="`, "template": `{{.Token}}{{template "token"}}`,
		"link": `[x](javascript:alert(1)) [[x]](javascript:alert(1))`, "direction": "safe\u202egnp.exe\u2066 \u200f", "invisible": "a\u200bb\u2060c\ufeffd\U000E0041\x1b[31m",
		"long": strings.Repeat("x", 1<<20), "long words": strings.Repeat("word ", 2000), "svg": `<svg onload=alert(1)><style>*{display:none}</style>`,
		"lines": strings.Repeat("line\n", 1000), "quotes": strings.Repeat(`"'&<`, 1000),
	}
}

// Whatever an agent writes: nothing of it runs, nothing is hidden, and a page stays small. The checks of the browser
// are for every page: no script, no style, no handler, at most 60 KiB.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, long := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			b := f.open()
			text := long[:min(len(long), 4<<10)] // the store reads every field of each row
			p := change.Proposal{
				Kind: change.Page, Target: text, Path: "wiki/global/arr.md", Says: long, Value: name, Quote: text, Source: text, Note: text, Why: []string{text},
				Blocks:    []change.Block{{Place: "body:", After: long}},
				Conflicts: []change.Conflict{{Says: text, By: text, Path: text, At: time.Now()}}, Verified: &change.Verified{Level: text, Of: text, Reason: text, At: time.Now()},
			}
			by := change.Actor{Channel: change.MCP, Client: text, Version: text, Principal: text, User: text}
			out, err := f.engine.Propose(t.Context(), change.Origin{Run: "RUN", By: by}, []change.Proposal{p, {Kind: change.Page, Target: text, Path: "wiki/global/mrr.md", Says: text, Value: "y", Blocks: p.Blocks}})
			if err != nil {
				t.Fatal(err)
			}
			id := string(out[0].Change.ID)
			if _, err := f.engine.Apply(t.Context(), out[1].Change.ID); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"", "?group=target", "change/" + id, "change/" + id + "?view=split", "change/" + id + "?edit=1", "change/" + string(out[1].Change.ID), "revert?run=RUN"} {
				page := b.Get(path)
				if page.Status != http.StatusOK {
					t.Errorf("%s: %d\n%.500s", path, page.Status, page.Text)
				}
				if strings.Contains(page.Body, "<script>") || strings.Contains(page.Body, "<svg") || strings.Contains(page.Body, `href="javascript`) {
					t.Errorf("%s has elements of the text", path)
				}
				if !strings.Contains(path, "edit") {
					visibleOnly(t, path, page.Body)
				}
				if strings.HasPrefix(name, "long") && !strings.Contains(page.Text, "more characters") {
					t.Errorf("%s does not say that it is cut", path)
				}
			}
			asked := b.Post("", map[string][]string{"do": {"ask"}, "verb": {"approve"}, "pick": f.picks(id)})
			visibleOnly(t, "ask", asked.Body)
			done := b.Submit(*asked.Form("approve"), nil)
			visibleOnly(t, "done", done.Body)
		})
	}
}

func visibleOnly(t *testing.T, path, body string) {
	t.Helper()
	for _, c := range body {
		if text.Unseen(c) && c != '\r' || unicode.Is(unicode.Bidi_Control, c) {
			t.Errorf("%s has the character %U", path, c)
			return
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc… 1 more character"}, {"äöüß", 4, "äöüß"}, {"äöüßx", 4, "äöüß… 1 more character"},
		{strings.Repeat("x", 1234568), 1, "x… 1,234,567 more characters"}, {"a\u202eb", 9, "a⟨U+202E⟩b"}, {"a\nb\tc", 9, "a\nb\tc"}, {"a\x00b", 9, "a⟨U+0000⟩b"},
		{"क\u200dष 👩\u200d👧", 9, "क\u200dष 👩\u200d👧"}, {"\xff", 3, "\ufffd"},
	} {
		if got := shown(tt.text, tt.most); got != tt.want {
			t.Errorf("%.20q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
