package wiki

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if s := f.get(t, "wiki"); !strings.Contains(s.text(), "The wiki has no pages yet.") || !strings.Contains(s.text(), "loam wiki write") {
		t.Errorf("an empty wiki: %s", s.text())
	}
	for i := range 60 {
		f.write(t, fmt.Sprintf("wiki/global/kpi/p%02d.md", i), fmt.Sprintf("---\nsummary: About %d\nupdated: 2026-01-02\n---\n# Page %d\n", i, i))
	}
	f.write(t, "wiki/global/arr.md", "---\norigin: agent\nsource: codex\ntitle: ARR\n---\nRecurring.\n")
	s := f.get(t, "wiki")
	if links := s.links(); links["ARR"] != "/console/wiki/arr" || links["Page 3"] != "/console/wiki/kpi/p03" || links["Next page"] == "" {
		t.Errorf("links %v", links)
	}
	if !strings.Contains(s.text(), "40 shown of 61 pages") || !strings.Contains(s.text(), "from codex") {
		t.Errorf("the list: %s", s.text())
	}
	rest := f.get(t, strings.TrimPrefix(s.links()["Next page"], page.Root))
	if !strings.Contains(rest.text(), "21 shown of 61 pages") || rest.links()["Page 3"] != "" || rest.links()["Page 59"] == "" {
		t.Errorf("the second page: %s", rest.text())
	}
	if s := f.get(t, "wiki?trust=agent&q=arr"); len(s.view.Data.(*list).Pages) != 1 || !strings.Contains(s.html, `<option value="agent" selected>`) {
		t.Errorf("filtered: %s", s.text())
	}
	if s := f.get(t, "wiki?flag=stale"); !strings.Contains(s.text(), "No page fits these filters.") {
		t.Errorf("nothing fits: %s", s.text())
	}
	if s := f.get(t, "wiki/"); s.view.Template != "wiki.list" {
		t.Error("wiki/ is not the list")
	}
	if s := f.get(t, "wiki?order=latest"); s.view.Data.(*list).Pages[0].Key != "arr" {
		t.Errorf("changed last: %+v", s.view.Data.(*list).Pages[0])
	}
	if s := f.get(t, "wiki?edit=1&key=new/page.md"); s.view.Title != "New page new/page" || !strings.Contains(s.html, `action="/console/wiki/new/page"`) {
		t.Errorf("the form for a new page: %s", s.html)
	}
	_, err := f.pages.list(t.Context(), request(t, "wiki?trust=mine", nil))
	if sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("another trust: %v", err)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/metrics/arr.md", "---\ntitle: ARR\nsummary: What recurs.\ntags: [kpi]\nsl_refs: [orders.turnover]\nrefs: [nothing.here]\n---\n# ARR\n\nSee [[churn]], [[none]] and [ours](../churn.md).\n\n## Rules\n\nGross.\n")
	f.write(t, "wiki/global/churn.md", "# Churn\n\nLike [[metrics/arr]].\n")
	f.write(t, "semantic-layer/shop/orders.yaml", "name: orders\nsql: select 1\nmeasures: [{name: turnover, agg: count}]\n")
	s := f.get(t, "wiki/metrics/arr")
	links := s.links()
	for words, want := range map[string]string{
		"churn": "/console/wiki/churn", "ours": "/console/wiki/churn", "orders.turnover": "/console/measure/shop/orders.turnover",
		"History": "/console/wiki/metrics/arr?history=1", "Edit": "/console/wiki/metrics/arr?edit=1", "none": "", "nothing.here": "",
	} {
		if links[words] != want {
			t.Errorf("link %q leads to %q, want %q", words, links[words], want)
		}
	}
	for _, want := range []string{"person", "What recurs.", "kpi", "none (no such page)", "nothing.here (not found)", "Linked from churn"} {
		if !strings.Contains(s.text(), want) {
			t.Errorf("%q is missing: %s", want, s.text())
		}
	}
	if s.view.Title != "ARR" || s.view.Command != "loam wiki read metrics/arr" || strings.Contains(s.html, "<h3 dir=\"auto\">ARR") || strings.Contains(s.html, "<h1") {
		t.Errorf("title %q, command %q: %s", s.view.Title, s.view.Command, s.html)
	}
	out, err := json.Marshal(s.view.Data)
	if err != nil || !strings.Contains(string(out), `"body":"# ARR`) || strings.Contains(string(out), "<p") {
		t.Errorf("as JSON: %s, %v", out, err)
	}
	gone := f.get(t, "wiki/metrics/ar")
	if gone.view.Status != 404 || gone.links()["metrics/arr"] != "/console/wiki/metrics/arr" || gone.links()["Write this page"] != "/console/wiki/metrics/ar?edit=1" {
		t.Errorf("no such page: %d, %v", gone.view.Status, gone.links())
	}
	r := request(t, "wiki/metrics/arr", nil)
	r.Role = page.Reader
	if s := f.render(t, r, s.view, "wiki.page"); s.links()["Edit"] != "" {
		t.Error("a reader may edit")
	}
}

// What a program wrote is framed with its author; an agent's page is framed as a whole.
func TestAuthors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/money.md", "# Money\n\nAll amounts are gross.\n")
	accepted, err := f.memory.Accept(t.Context(), memory.Input{Content: "Churned customer means no order for 90 days.", Connection: "shop", Actor: agent})
	if err != nil {
		t.Fatal(err)
	}
	run, err := f.memory.Wait(t.Context(), accepted.RunID, nil)
	if err != nil || len(run.Captured.Wiki) != 1 {
		t.Fatalf("%+v, %v", run, err)
	}
	key := run.Captured.Wiki[0]
	s := f.get(t, "wiki/"+key)
	data := s.view.Data.(*shown)
	if !data.Machine || len(data.Waiting) != 1 || data.Waiting[0].State != "draft" {
		t.Fatalf("%+v", data)
	}
	for _, want := range []string{"An agent wrote this page, and nobody reviewed it.", "Said by claude-code", "nobody reviewed it", "1 change to review"} {
		if !strings.Contains(s.text(), want) {
			t.Errorf("%q is missing: %s", want, s.text())
		}
	}
	if id := string(data.Waiting[0].ID); s.links()[id] != "/console/change/"+id || s.links()["change "+id] != "/console/change/"+id {
		t.Errorf("links %v", s.links())
	}
	c, err := f.memory.PageChanges(t.Context(), key)
	if err != nil || len(c) != 1 {
		t.Fatal(c, err)
	}
	if _, err := f.memory.Approve(t.Context(), memory.Decision{IDs: []string{string(c[0].ID)}, Actor: reviewer}); err != nil {
		t.Fatal(err)
	}
	s = f.get(t, "wiki/"+key)
	if data := s.view.Data.(*shown); data.Machine || data.Waiting != nil || !strings.Contains(s.html, `<figure class="machine"><figcaption>Said by claude-code`) || !strings.Contains(s.text(), "approved by ada") {
		t.Errorf("an approved page: %s", s.html)
	}
	if s := f.get(t, "wiki/money"); strings.Contains(s.html, "machine") {
		t.Errorf("a person's page has a frame: %s", s.html)
	}
}

// Both sides of a contradiction stand below the sentence of the page.
func TestConflictBesideTheSentence(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", "# Churn\n\nFirst.\n\nChurn means no order for 90 days.\n\nLast.\n")
	accepted, err := f.memory.Accept(t.Context(), memory.Input{Content: "Churn means no order for 30 days.", Connection: "shop", Actor: agent})
	if err != nil {
		t.Fatal(err)
	}
	run, err := f.memory.Wait(t.Context(), accepted.RunID, nil)
	if err != nil || len(run.Captured.Pending) != 1 {
		t.Fatalf("%+v, %v", run.Captured, err)
	}
	s := f.get(t, "wiki/churn")
	data := s.view.Data.(*shown)
	if len(data.Conflicts) != 1 || !data.Conflicts[0].Beside || data.Flags[0] != "conflict" {
		t.Fatalf("%+v", data.Conflicts)
	}
	text := s.text()
	at := func(part string) int { return strings.Index(text, part) }
	if !(at("for 90 days.") < at("Contradiction") && at("Contradiction") < at("for 30 days.") && strings.LastIndex(text, "for 30 days.") < at("Last.") || at("1 change to review") >= 0) {
		t.Errorf("the contradiction is not beside its sentence: %s", text)
	}
	if !strings.Contains(text, "Said later, by claude-code") || s.links()["Decide"] != "/console/change/"+string(run.Captured.Pending[0].ID) {
		t.Errorf("the page: %s, links %v", text, s.links())
	}
}

func TestHistoryAndRevert(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/a/b.md", "# B\n\nOne.\n")
	for _, text := range []string{"# B\n\nTwo.\n", "# B\n\nThree.\n"} {
		_, base, err := f.memory.PageFile(t.Context(), "a/b")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.memory.WritePage(t.Context(), memory.PageWrite{Key: "a/b", Content: text, Base: base, Actor: reviewer}); err != nil {
			t.Fatal(err)
		}
	}
	s := f.get(t, "wiki/a/b?history=1")
	if s.links()["1"] != "/console/wiki/a/b?version=1" || !strings.Contains(s.text(), "3 shown of 3 revisions") || !strings.Contains(s.text(), "ada (console, root)") {
		t.Errorf("the history: %s, %v", s.text(), s.links())
	}
	s = f.get(t, "wiki/a/b?history=1&from=1&to=3")
	if !strings.Contains(s.html, `<span class="diff-del">-One.</span>`) || !strings.Contains(s.html, `<span class="diff-add">&#43;Three.</span>`) || s.view.Command != "loam wiki history a/b --diff 3" {
		t.Errorf("compared: %s", s.html)
	}
	s = f.get(t, "wiki/a/b?version=1")
	data := s.view.Data.(*version)
	if data.Text != "# B\n\nOne.\n" || data.Back == nil || !strings.Contains(s.text(), "Restore revision 1") {
		t.Fatalf("revision 1: %+v", data)
	}
	f.write(t, "wiki/global/a/b.md", "# B\n\nFour.\n")
	out, err := f.post(t, "wiki/a/b", "do", "revert", "version", s.field("version"), "base", s.field("base"))
	if err != nil || !out.Flash.Failed || out.To != "wiki/a/b?version=1" || f.read(t, "wiki/global/a/b.md") != "# B\n\nFour.\n" {
		t.Fatalf("over a newer text: %+v, %v", out, err)
	}
	s = f.get(t, "wiki/a/b?version=1")
	if out, err = f.post(t, "wiki/a/b", "do", "revert", "version", s.field("version"), "base", s.field("base")); err != nil || out.To != "wiki/a/b" || out.Flash.Failed {
		t.Fatalf("%+v, %v", out, err)
	}
	if now := f.read(t, "wiki/global/a/b.md"); now != "# B\n\nOne.\n" {
		t.Errorf("the page is %q", now)
	}
	undo := out.Flash.Undo
	if undo == nil || undo.To != "wiki/a/b" {
		t.Fatalf("no undo: %+v", out.Flash)
	}
	if _, err = f.post(t, undo.To, "do", undo.Do, "version", undo.Fields.Get("version"), "base", undo.Fields.Get("base")); err != nil || f.read(t, "wiki/global/a/b.md") != "# B\n\nFour.\n" {
		t.Errorf("undone: %q, %v", f.read(t, "wiki/global/a/b.md"), err)
	}
	for _, address := range []string{"wiki/a/b?version=99", "wiki/a/b?version=x", "wiki/a/b?history=1&from=1", "wiki/a/b?history=1&from=1&to=99"} {
		if _, err := f.pages.one(t.Context(), request(t, address, nil)); err == nil || sdk.KindOf(err) == sdk.KindInternal {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := f.post(t, "wiki/a/b", "do", "revert", "version", "x"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("no revision: %v", err)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/b.md", "---\ntitle: B\n---\n\n# B\n\nOne.\n")
	s := f.get(t, "wiki/b?edit=1")
	if got := s.field("content"); got != "---\ntitle: B\n---\n\n# B\n\nOne.\n" || s.field("base") == "" {
		t.Fatalf("the form has %q", got)
	}
	base := s.field("base")
	typed := "---\r\ntitle: B\r\n---\r\n\r\n# B\r\n\r\nTwo </textarea><script>x</script>\r\n"
	out, err := f.post(t, "wiki/b", "do", "preview", "content", typed, "base", base)
	if err != nil || f.read(t, "wiki/global/b.md") != "---\ntitle: B\n---\n\n# B\n\nOne.\n" {
		t.Fatalf("a preview wrote, or %v", err)
	}
	s = f.render(t, request(t, "wiki/b", nil), out.View, "wiki.page")
	if s.field("base") != base || s.field("content") != strings.ReplaceAll(typed, "\r\n", "\n") || !strings.Contains(s.html, "&lt;script&gt;") || !strings.Contains(s.text(), "What saving would change") {
		t.Errorf("preview: %s", s.html)
	}
	f.write(t, "wiki/global/b.md", "# B\n\nTheirs.\n")
	out, err = f.post(t, "wiki/b", "do", "save", "content", typed, "base", base)
	if err != nil || out.View == nil || out.View.Status != 409 {
		t.Fatalf("over another version: %+v, %v", out, err)
	}
	s = f.render(t, request(t, "wiki/b", nil), out.View, "wiki.page")
	if s.field("content") != strings.ReplaceAll(typed, "\r\n", "\n") || s.field("base") == base || !strings.Contains(s.text(), "-Theirs.") || !strings.Contains(s.text(), "Save over the present page") {
		t.Errorf("both texts: %s", s.html)
	}
	if f.read(t, "wiki/global/b.md") != "# B\n\nTheirs.\n" {
		t.Fatal("their text is lost")
	}
	out, err = f.post(t, "wiki/b", "do", "save", "content", "# B\r\n\r\nMine.\r\n", "base", s.field("base"))
	if err != nil || out.To != "wiki/b" || f.read(t, "wiki/global/b.md") != "# B\n\nMine.\n" {
		t.Errorf("saved again: %+v, %v, %q", out, err, f.read(t, "wiki/global/b.md"))
	}
	for name, text := range map[string]string{"nothing": "  \r\n", "a secret": "postgres://u:hunter2hunter2@h/db", "too much": strings.Repeat("x", 300<<10)} {
		out, err := f.post(t, "wiki/c", "do", "save", "content", text, "base", "")
		if err != nil || out.View == nil || out.View.Status != 422 || out.View.Data.(*editing).Problem == "" || out.View.Data.(*editing).Content != strings.ReplaceAll(text, "\r\n", "\n") {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
	out, err = f.post(t, "wiki/new/page", "do", "save", "content", "# New\r\n", "base", "")
	if err != nil || out.To != "wiki/new/page" || f.read(t, "wiki/global/new/page.md") != "# New\n" || out.Flash.Undo != nil {
		t.Errorf("a new page: %+v, %v, %q", out, err, f.read(t, "wiki/global/new/page.md"))
	}
	if _, err := f.pages.one(t.Context(), request(t, "wiki/../x?edit=1", nil)); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("another folder: %v", err)
	}
	f.write(t, "wiki/global/long.md", strings.Repeat("All of it.\n", 40_000))
	if s := f.get(t, "wiki/long?edit=1"); !strings.Contains(s.text(), "too long to be edited here") || s.field("content") != "" {
		t.Errorf("a long page: %s", s.text())
	}
}

// Whatever an agent or a file names, nothing of it becomes markup, and pages keep their size.
func TestHostileText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hostile := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onclick='x`, "javascript:alert(1)", "\u202eevil\u2066", `{{template "token"}}`, strings.Repeat("x", 20_000), "[x](javascript:alert(1))", `<svg/onload=x>`, "</textarea><script>",
	}
	for i, h := range hostile {
		quoted, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		by := change.Actor{Channel: change.MCP, Client: h}
		content := fmt.Sprintf("---\ntitle: %s\nsummary: %s\ntags: [%s]\nrefs: [%s]\nsl_refs: [%s]\nsource: %s\norigin: agent\n---\n# %s\n\n%s\n\n[[%s]]\n\n- %s\n\n```\n%s\n```\n", quoted, quoted, quoted, quoted, quoted, quoted, h, h, h, h, h)
		key := fmt.Sprintf("p%d", i)
		if _, err := f.memory.WritePage(t.Context(), memory.PageWrite{Key: key, Content: content, Actor: by}); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"", "?edit=1", "?history=1", "?version=1"} {
			f.get(t, "wiki/"+key+query)
		}
		name := strings.NewReplacer("/", "", "\\", "").Replace(h)
		if len(name) < 100 {
			f.write(t, "wiki/global/odd/"+name+".md", "# Odd\n")
			for _, query := range []string{"", "?edit=1", "?history=1"} {
				f.get(t, "wiki/odd/"+url.PathEscape(name)+query)
			}
		}
		f.get(t, "wiki?q="+url.QueryEscape(h)+"&cursor="+url.QueryEscape(h))
		out, err := f.post(t, "wiki/"+key, "do", "save", "content", "# "+h+"\n", "base", h)
		if err != nil {
			t.Fatal(err)
		}
		f.render(t, request(t, "wiki/"+key, nil), out.View, "wiki.page")
	}
	f.get(t, "wiki")
	f.write(t, "wiki/global/big.md", strings.Repeat("All of it. ", 90_000))
	if s := f.get(t, "wiki/big"); !strings.Contains(s.text(), "only its beginning is shown") {
		t.Error("a page of a megabyte is not cut")
	}
	f.get(t, "wiki/big?history=1")
	f.get(t, "wiki/big?version=1")
}

// An index that cannot be read leaves the page, and says what is missing.
func TestWithoutAnIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/a.md", "---\nrefs: [orders]\n---\n# A\n")
	f.pages.Discover = withoutRefs{f.pages.Discover}
	view, err := f.pages.show(t.Context(), "a")
	if err != nil || len(view.Data.(*shown).Notes) != 1 || view.Data.(*shown).Refs[0].Name != "orders" {
		t.Errorf("%+v, %v", view, err)
	}
}

type withoutRefs struct{ finder }

func (withoutRefs) PageRefs(context.Context, []string, []string) ([]discover.PageRef, error) {
	return nil, errors.New("the disk is full")
}
