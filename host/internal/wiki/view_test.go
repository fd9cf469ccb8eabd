package wiki

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// made makes a wiki of paths and contents.
func made(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wiki")
	for name, content := range files {
		put(t, dir, name, content)
	}
	return dir
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wiki(t testing.TB, dir, user string) *Wiki {
	t.Helper()
	w, err := Open(dir, user)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func view(t testing.TB, w *Wiki) *View {
	t.Helper()
	v, err := w.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name, key, content string
		want               Page
		body, failed       string
	}{
		{
			"everything", "sales/churn", "---\ntitle: Churn\nsummary: Who left\ntags: [kpi, sales]\nrefs: one\nsl_refs: [orders.churn]\nconnections: [wh]\n" +
				"origin: person\nsource: a call\nreviewed: true\ncreated: 2025-03-04\nupdated: 2025-03-04T05:06:07+01:00\nothers: {a: 1}\n---\n\nSee [[net-revenue]].\n",
			Page{
				Key: "sales/churn", Title: "Churn", Summary: "Who left", Tags: []string{"kpi", "sales"}, Refs: []string{"one"}, SLRefs: []string{"orders.churn"},
				Connections: []string{"wh"}, Origin: "person", Source: "a call", Reviewed: true, Links: []string{"net-revenue"},
				Created: time.Date(2025, 3, 4, 0, 0, 0, 0, time.UTC), Updated: time.Date(2025, 3, 4, 4, 6, 7, 0, time.UTC),
			},
			"See [[net-revenue]].\n", "",
		},
		{"no frontmatter, a heading", "a", "Text\n\n## Second\n# The title\n", Page{Key: "a", Title: "The title", Updated: at}, "Text\n\n## Second\n# The title\n", ""},
		{"nothing", "sales/net-revenue_2", "", Page{Key: "sales/net-revenue_2", Title: "net revenue 2", Updated: at}, "", ""},
		{"a rule is no frontmatter", "a", "\n---\nx: [\n---\n", Page{Key: "a", Title: "a", Updated: at}, "\n---\nx: [\n---\n", ""},
		{"windows", "a", "\ufeff---\r\ntitle: T\r\n---\r\nBody\r\n", Page{Key: "a", Title: "T", Updated: at}, "Body\r\n", ""},
		{"empty values", "a", "---\ntitle:\ntags:\nupdated:\n---\nx", Page{Key: "a", Title: "a", Updated: at}, "x", ""},
		{"numbers are texts", "a", "---\ntitle: 2024\ntags: [1, x]\n---\n", Page{Key: "a", Title: "2024", Tags: []string{"1", "x"}, Updated: at}, "", ""},
		{"no end", "a", "---\ntitle: x\n", Page{}, "", "no end"},
		{"no YAML", "a", "---\ntitle: [\n---\n", Page{}, "", "line"},
		{"a list of lists", "a", "---\ntags: [[x]]\n---\n", Page{}, "", "line 1"},
		{"a map of tags", "a", "---\ntitle: x\ntags: {a: b}\n---\n", Page{}, "", "line 2"},
		{"a date that is none", "a", "---\nupdated: soon\n---\n", Page{}, "", "2006-01-02"},
		{"no UTF-8", "a", "caf\xe9", Page{}, "", "UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, body, err := parse([]byte(tc.content), tc.key, at)
			if tc.failed != "" {
				if err == nil || !strings.Contains(err.Error(), tc.failed) {
					t.Errorf("parse: %v, want %q", err, tc.failed)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, p, cmp.AllowUnexported(Page{})); diff != "" || body != tc.body {
				t.Errorf("body %q, want %q; page (-want +got):\n%s", body, tc.body, diff)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, key, body, want string }{
		{"wiki links", "a", "[[b]] [[c|label]] [[d#part]] [[ e ]] [[b]] [[f.md]] [[g/h]]", "b c d e f g/h"},
		{"markdown links", "a", `[x](b.md) [y](c.md#part "title") [z](./d.md) [u](e%20f.md) [v](<g.md>)`, "b c d e f g"},
		{"side by side", "a", "[x](b.md)[y](c.md)![z](d.md)[[e]][w](f.md)", "b c e f"},
		{"in order", "a", "[x](b.md) [[c]] [y](d.md)", "b c d"},
		{"from a folder", "sales/a", "[x](b.md) [y](../c.md) [z](more/d.md) [w](../../../global/e.md)", "sales/b c sales/more/d e"},
		{"not pages", "a", "[x](https://x.org/a.md) ![x](p.md) [x](/abs.md) [x](b.txt) [x](../../../etc/passwd.md) [[../up]] [[.hidden]] [x](mailto:a@b.md)", ""},
		{"code", "a", "`[[b]]`\n```\n[[c]]\n```\n~~~\n[[d]]\n```\n~~~\n[[e]]", "e"},
		{"an open fence", "a", "```\n[[b]]", ""},
		{"broken", "a", "[[b\nc]] [[]] [x]( [y](", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			links, _ := scan(tc.body, tc.key)
			if got := strings.Join(links, " "); got != tc.want {
				t.Errorf("links %q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\ntitle: x\ntags: [a]\n---\n# H\n[[b]] [c](d.md)\n```\n"))
	f.Add([]byte("---\n&a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		p, body, err := parse(content, "sales/a", time.Time{})
		if err != nil {
			return
		}
		if len(body) > len(content) || p.Title == "" {
			t.Errorf("page %+v with %d bytes of %d", p, len(body), len(content))
		}
		for _, l := range p.Links {
			if !valid(l) {
				t.Errorf("link %q", l)
			}
		}
	})
}

func TestScopes(t *testing.T) {
	t.Parallel()
	dir := made(t, map[string]string{
		"global/a.md": "# Global a", "global/b.md": "# Global b", "global/sales/c.md": "# c",
		"user/ann/a.md": "# Ann's a", "user/ann/own.md": "# own", "user/bob/secret.md": "# Bob's",
		"global/note.txt": "no page", "global/.draft.md": "no page", "global/.git/x.md": "no page", "loose.md": "no page",
	})
	ann := view(t, wiki(t, dir, "ann"))
	if diff := cmp.Diff([]string{"a", "b", "own", "sales/c"}, ann.Keys()); diff != "" || ann.Problems() != nil {
		t.Errorf("problems %v; keys (-want +got):\n%s", ann.Problems(), diff)
	}
	if p, err := ann.Page("a"); err != nil || p.Title != "Ann's a" || p.Scope != User {
		t.Errorf("a is %+v, %v", p, err)
	}
	nobody := wiki(t, dir, "")
	if p, body, err := nobody.Read(t.Context(), "a"); err != nil || p.Scope != Global || body != "# Global a" {
		t.Errorf("a is %+v, %q, %v", p, body, err)
	}
	if _, _, err := nobody.Read(t.Context(), "own"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a page of a user: %v", err)
	}
	for _, user := range []string{"..", "a/b", ".x"} {
		if _, err := Open(dir, user); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("user %q: %v", user, err)
		}
	}
	if v := view(t, wiki(t, filepath.Join(dir, "none"), "ann")); v.Len() != 0 {
		t.Errorf("a wiki that does not exist has %v", v.Keys())
	}
}

func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	w := wiki(t, made(t, map[string]string{"global/net-revenue.md": "x", "global/sales/churn.md": "x", "global/churn-rate.md": "x"}), "")
	for key, want := range map[string]string{
		"net-revenu": "net-revenue", "NET-REVENUE": "net-revenue", "churn": "sales/churn", "rate": "churn-rate", "zzz": "", "": "",
		"../../etc/passwd": "", strings.Repeat("x", 1<<20): "",
	} {
		_, _, err := w.Read(t.Context(), key)
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindNotFound || e.Hint == "" || len(e.Msg) > 1000 {
			t.Errorf("%.20q: %v", key, err)
			continue
		}
		first := ""
		if key != "" && len(e.Candidates) > 0 {
			first = e.Candidates[0]
		}
		if first != want {
			t.Errorf("%.20q: nearest are %q, want %q first", key, e.Candidates, want)
		}
	}
	if p, _, err := w.Read(t.Context(), " net-revenue.md "); err != nil || p.Key != "net-revenue" {
		t.Errorf("a key with its ending: %v", err)
	}
}

// An edit by hand is there on the next call, also within the same tick of the
// clock and with the same size.
func TestEdits(t *testing.T) {
	t.Parallel()
	dir := made(t, map[string]string{"global/a.md": "# one", "global/b.md": "# b", "global/c.md": "# c"})
	w := wiki(t, dir, "")
	before := view(t, w)
	if view(t, w) != before {
		t.Error("nothing changed, but the view did")
	}
	info, err := os.Stat(filepath.Join(dir, "global/a.md"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "global/a.md", "# two")
	if err := os.Chtimes(filepath.Join(dir, "global/a.md"), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "global/new.md", "# new")
	if err := os.Remove(filepath.Join(dir, "global/c.md")); err != nil {
		t.Fatal(err)
	}
	after := view(t, w)
	if diff := cmp.Diff(Changes{Added: []string{"new"}, Changed: []string{"a"}, Removed: []string{"c"}}, after.Since(before)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if p, err := after.Page("a"); err != nil || p.Title != "two" || after.Version == before.Version {
		t.Errorf("a is %+v, %v", p, err)
	}
	if p, err := before.Page("a"); err != nil || p.Title != "one" {
		t.Errorf("the earlier view changed: %+v, %v", p, err)
	}
	if diff := cmp.Diff(Changes{Added: []string{"a", "b", "new"}}, after.Since(nil)); diff != "" {
		t.Errorf("all of it (-want +got):\n%s", diff)
	}
}

func TestBrokenPages(t *testing.T) {
	t.Parallel()
	dir := made(t, map[string]string{
		"global/good.md": "# good", "global/yaml.md": "---\ntitle: [\n---\n", "global/latin.md": "caf\xe9",
		"global/large.md": strings.Repeat("x", maxPage+1), "global/full.md": strings.Repeat("x", maxPage),
		"global/a/b/c/d/e/f/g/h/deep.md": "x", "global/odd.md/page.md": "# inside",
	})
	outside := filepath.Join(filepath.Dir(dir), "secret.md")
	if err := os.WriteFile(outside, []byte("# secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"escape.md": "../../secret.md", "absolute.md": outside, "inside.md": "good.md", "nowhere.md": "none.md", "loop.md": "loop.md", "folder.md": "a", "dir": "../..",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "global", name)); err != nil {
			t.Fatal(err)
		}
	}
	w := wiki(t, dir, "")
	v := view(t, w)
	if diff := cmp.Diff([]string{"full", "good", "inside", "odd.md/page"}, v.Keys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	kinds := map[string]sdk.Kind{}
	for _, p := range v.Problems() {
		kinds[strings.TrimPrefix(p.Path, "global/")] = p.Err.Kind
		if p.Err.Hint == "" || strings.Contains(p.Err.Error(), "secret\n") {
			t.Errorf("%s: %v", p.Path, p.Err)
		}
	}
	want := map[string]sdk.Kind{
		"yaml.md": sdk.KindInvalid, "latin.md": sdk.KindInvalid, "large.md": sdk.KindLimit, "a/b/c/d/e/f/g/h": sdk.KindLimit,
		"escape.md": sdk.KindDenied, "absolute.md": sdk.KindDenied, "nowhere.md": sdk.KindDenied, "loop.md": sdk.KindDenied, "folder.md": sdk.KindInvalid,
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	for key, kind := range map[string]sdk.Kind{"yaml": sdk.KindInvalid, "escape": sdk.KindDenied, "absolute": sdk.KindDenied, "large": sdk.KindLimit} {
		if _, err := v.Page(key); sdk.KindOf(err) != kind {
			t.Errorf("page %s: %v, want %s", key, err, kind)
		}
		if _, _, err := w.Read(t.Context(), key); sdk.KindOf(err) != kind {
			t.Errorf("read %s: %v, want %s", key, err, kind)
		}
	}
	put(t, dir, "global/yaml.md", "# mended")
	if p, err := view(t, w).Page("yaml"); err != nil || p.Title != "mended" {
		t.Errorf("after mending: %+v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.View(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func BenchmarkView(b *testing.B) {
	for _, pages := range []int{1_000, 10_000, 100_000} {
		dir := filepath.Join(b.TempDir(), "wiki", "global")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for i := range pages {
			content := fmt.Sprintf("---\ntitle: Page %d\nsummary: About %d\ntags: [a, b]\n---\n%s [[page-%d]]\n", i, i, strings.Repeat("Some text about it. ", 40), i/2)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%06d.md", i)), []byte(content), fs.FileMode(0o644)); err != nil {
				b.Fatal(err)
			}
		}
		w := wiki(b, filepath.Dir(dir), "")
		w.files.Now = func() time.Time { return time.Now().Add(time.Hour) }
		start := time.Now()
		view(b, w)
		first := time.Since(start)
		b.Run(fmt.Sprintf("pages=%d/unchanged", pages), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view(b, w)
			}
			b.ReportMetric(first.Seconds(), "s-first")
		})
		b.Run(fmt.Sprintf("pages=%d/read", pages), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := w.Read(b.Context(), "page-000007"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMayHave: a word that a text has is never missed, and of those that it does not have few pass.
func TestMayHave(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 10, 1000} {
		var text strings.Builder
		for i := range size {
			fmt.Fprintf(&text, "Größe%d und ARR%[1]d.\n", i*7919)
		}
		p := &Page{words: vocabularyOf(text.String())}
		folded := strings.ToLower(text.String())
		for from := 0; from < len(folded); from += 1 + len(folded)/500 {
			for _, n := range []int{0, 1, 2, 3, 9} {
				if word := folded[from:min(from+n, len(folded))]; !p.MayHave(word) {
					t.Errorf("%d lines: %q is missed", size, word)
				}
			}
		}
		passed := 0
		for i := range 1000 {
			if p.MayHave(fmt.Sprintf("wort%dxy", i*31)) {
				passed++
			}
		}
		if passed > 30 {
			t.Errorf("%d lines: %d of 1000 other words pass", size, passed)
		}
		if bytes := 8 * len(p.words); bytes > 16+len(folded) {
			t.Errorf("%d bytes of text need %d bytes", len(folded), bytes)
		}
	}
}
