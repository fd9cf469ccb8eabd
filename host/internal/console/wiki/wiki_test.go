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
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/review"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if s := f.get(t, "wiki"); !strings.Contains(s.Text, "The wiki has no pages yet.") || !strings.Contains(s.Text, "loam wiki write") {
		t.Errorf("an empty wiki: %s", s.Text)
	}
	for i := range 60 {
		f.write(t, fmt.Sprintf("wiki/global/kpi/p%02d.md", i), fmt.Sprintf("---\nsummary: About %d\nupdated: 2026-01-02\n---\n# Page %d\n", i, i))
	}
	f.write(t, "wiki/global/arr.md", "---\norigin: agent\nsource: codex\ntitle: ARR\n---\nRecurring.\n")
	s := f.get(t, "wiki")
	if to(s.Page, "ARR") != "/console/wiki/arr" || to(s.Page, "Page 3") != "/console/wiki/kpi/p03" || to(s.Page, "Next page") == "" {
		t.Errorf("links %v", s.Links)
	}
	if !strings.Contains(s.Text, "40 shown of 61 pages") || !strings.Contains(s.Text, "from codex") {
		t.Errorf("the list: %s", s.Text)
	}
	rest := f.get(t, strings.TrimPrefix(to(s.Page, "Next page"), page.Root))
	if !strings.Contains(rest.Text, "21 shown of 61 pages") || to(rest.Page, "Page 3") != "" || to(rest.Page, "Page 59") == "" {
		t.Errorf("the second page: %s", rest.Text)
	}
	if s := f.get(t, "wiki?trust=agent&q=arr"); len(s.view.Data.(*list).Pages) != 1 || !strings.Contains(s.Body, `<option value="agent" selected>`) {
		t.Errorf("filtered: %s", s.Text)
	}
	if s := f.get(t, "wiki?flag=stale"); !strings.Contains(s.Text, "No page fits these filters.") {
		t.Errorf("nothing fits: %s", s.Text)
	}
	if s := f.get(t, "wiki/"); s.view.Template != "wiki.list" {
		t.Error("wiki/ is not the list")
	}
	if s := f.get(t, "wiki?order=latest"); s.view.Data.(*list).Pages[0].Key != "arr" {
		t.Errorf("changed last: %+v", s.view.Data.(*list).Pages[0])
	}
	if s := f.get(t, "wiki?edit=1&key=new/page.md"); s.view.Title != "New page new/page" || !strings.Contains(s.Body, `action="/console/wiki/new/page"`) {
		t.Errorf("the form for a new page: %s", s.Body)
	}
	_, err := f.show(t, "wiki?trust=mine")
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
	for words, want := range map[string]string{
		"churn": "/console/wiki/churn", "ours": "/console/wiki/churn", "orders.turnover": "/console/measure/shop/orders.turnover",
		"Revisions": "/console/wiki/metrics/arr?history=1", "Edit": "/console/wiki/metrics/arr?edit=1", "none": "", "nothing.here": "",
	} {
		if got := to(s.Page, words); got != want {
			t.Errorf("link %q leads to %q, want %q", words, got, want)
		}
	}
	for _, want := range []string{"person", "What recurs.", "kpi", "none (no such page)", "nothing.here (not found)", "Linked from churn"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("%q is missing: %s", want, s.Text)
		}
	}
	if s.view.Title != "ARR" || s.view.Command != "loam wiki read metrics/arr" || strings.Contains(s.Body, "<h3 dir=\"auto\">ARR") {
		t.Errorf("title %q, command %q: %s", s.view.Title, s.view.Command, s.Body)
	}
	out, err := json.Marshal(s.view.Data)
	if err != nil || !strings.Contains(string(out), `"body":"# ARR`) || strings.Contains(string(out), "<p") {
		t.Errorf("as JSON: %s, %v", out, err)
	}
	gone := f.get(t, "wiki/metrics/ar")
	if gone.view.Status != 404 || to(gone.Page, "metrics/arr") != "/console/wiki/metrics/arr" || to(gone.Page, "Write this page") != "/console/wiki/metrics/ar?edit=1" {
		t.Errorf("no such page: %d, %v", gone.view.Status, gone.Links)
	}
	reader := consoletest.As(t, consoletest.ReaderToken, f.group)
	if to(reader.Get("wiki/metrics/arr"), "Edit") != "" || reader.Post("wiki/metrics/arr", url.Values{"do": {"save"}, "content": {"x"}}).Status != 403 || !strings.Contains(reader.Get("wiki/metrics/arr?edit=1").Text, "You may read") {
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
		if !strings.Contains(s.Text, want) {
			t.Errorf("%q is missing: %s", want, s.Text)
		}
	}
	if id := string(data.Waiting[0].ID); to(s.Page, id) != "/console/change/"+id || to(s.Page, "change "+id) != "/console/change/"+id {
		t.Errorf("links %v", s.Links)
	}
	c, err := f.memory.PageChanges(t.Context(), "wiki/global/"+key+".md")
	if err != nil || len(c) != 1 {
		t.Fatal(c, err)
	}
	if _, err := f.memory.Approve(t.Context(), memory.Decision{IDs: []string{string(c[0].ID)}, Actor: reviewer}); err != nil {
		t.Fatal(err)
	}
	s = f.get(t, "wiki/"+key)
	if data := s.view.Data.(*shown); data.Machine || data.Waiting != nil || !strings.Contains(s.Body, `<figure class="machine"><figcaption>Said by claude-code`) || !strings.Contains(s.Text, "approved by ada") {
		t.Errorf("an approved page: %s", s.Body)
	}
	if s := f.get(t, "wiki/money"); strings.Contains(s.Body, "machine") {
		t.Errorf("a person's page has a frame: %s", s.Body)
	}
}

// What waits is approved on the page, as long as the page is the one that was shown.
func TestApproveOnThePage(t *testing.T) {
	t.Parallel()
	f := newProject(t)
	f.browser = consoletest.Open(t, f.group, review.Pages(review.Services{Memory: f.memory}))
	accepted, err := f.memory.Accept(t.Context(), memory.Input{Content: "Churned customer means no order for 90 days.", Connection: "shop", Actor: agent})
	if err != nil {
		t.Fatal(err)
	}
	run, err := f.memory.Wait(t.Context(), accepted.RunID, nil)
	if err != nil || len(run.Captured.Wiki) != 1 {
		t.Fatalf("%+v, %v", run, err)
	}
	key := run.Captured.Wiki[0]
	file := "wiki/global/" + key + ".md"
	seen := f.browser.Get("wiki/" + key)
	f.write(t, file, f.read(t, file)+"\nMine.\n") // between view and click
	late := f.browser.Submit(*seen.Form("approve"), nil)
	if !strings.Contains(late.Text, "Nothing was approved.") || !strings.Contains(late.Text, "was edited since") {
		t.Errorf("the page is another: %s", late.Text)
	}
	done := f.browser.Submit(*f.browser.Get("wiki/" + key).Form("approve"), nil)
	if done.Path != "wiki/"+key || !strings.Contains(done.Text, "Approved 1 change.") || done.Form("approve") != nil || !strings.Contains(done.Text, "approved by") {
		t.Errorf("%s: %s", done.Path, done.Text)
	}
	reader := consoletest.As(t, consoletest.ReaderToken, f.group, review.Pages(review.Services{Memory: f.memory}))
	if reader.Get("wiki/"+key).Form("approve") != nil {
		t.Error("a reader sees the form")
	}
}

// Both sides of a contradiction stand below the sentence of the page.
func TestConflictBesideTheSentence(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", "# Churn\n\nFirst.\n\nChurn means customers who left in the last 90 days.\n\nLast.\n")
	accepted, err := f.memory.Accept(t.Context(), memory.Input{Content: "Churn means customers who left in the last 30 days.", Connection: "shop", Actor: agent})
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
	text := s.Text
	at := func(part string) int { return strings.Index(text, part) }
	if !(at("last 90 days.") < at("The page, by") && at("The page, by") < strings.LastIndex(text, "last 30 days.") && strings.LastIndex(text, "last 30 days.") < at("Last.") || at("1 change to review") >= 0) {
		t.Errorf("the contradiction is not beside its sentence: %s", text)
	}
	if !strings.Contains(text, "Said later, by claude-code") || to(s.Page, "Decide") != "/console/change/"+string(run.Captured.Pending[0].ID) {
		t.Errorf("the page: %s, links %v", text, s.Links)
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
	if to(s.Page, "1") != "/console/wiki/a/b?version=1" || !strings.Contains(s.Text, "3 shown of 3 revisions") || !strings.Contains(s.Text, "ada (console, root)") {
		t.Errorf("the history: %s, %v", s.Text, s.Links)
	}
	s = f.get(t, "wiki/a/b?history=1&from=1&to=3")
	if !strings.Contains(s.Body, `− 3</td><td dir="auto">One.</td>`) || !strings.Contains(s.Body, `+ 3</td><td dir="auto">Three.</td>`) || s.view.Command != "loam wiki history a/b --diff 3" {
		t.Errorf("compared: %s", s.Body)
	}
	s = f.get(t, "wiki/a/b?version=1")
	data := s.view.Data.(*version)
	form := s.Form("revert")
	if data.Text != "# B\n\nOne.\n" || data.Back == nil || form == nil {
		t.Fatalf("revision 1: %+v", data)
	}
	f.write(t, "wiki/global/a/b.md", "# B\n\nFour.\n")
	p := f.browser.Submit(*form, nil)
	if !strings.Contains(p.Text, "Nothing was restored: the page was changed since.") || f.read(t, "wiki/global/a/b.md") != "# B\n\nFour.\n" {
		t.Fatalf("over a newer text: %s", p.Text)
	}
	if p = f.browser.Submit(*f.get(t, "wiki/a/b?version=1").Form("revert"), nil); p.Path != "wiki/a/b" || f.read(t, "wiki/global/a/b.md") != "# B\n\nOne.\n" {
		t.Fatalf("restored: %s, %q", p.Text, f.read(t, "wiki/global/a/b.md"))
	}
	undo := p.Form("revert")
	if undo == nil || undo.To != "/console/wiki/a/b" {
		t.Fatalf("no undo: %s", p.Text)
	}
	if p = f.browser.Submit(*undo, nil); f.read(t, "wiki/global/a/b.md") != "# B\n\nFour.\n" {
		t.Errorf("undone: %q, %s", f.read(t, "wiki/global/a/b.md"), p.Text)
	}
	for _, address := range []string{"wiki/a/b?version=99", "wiki/a/b?version=x", "wiki/a/b?history=1&from=1", "wiki/a/b?history=1&from=1&to=99"} {
		if _, err := f.show(t, address); err == nil || sdk.KindOf(err) == sdk.KindInternal {
			t.Errorf("%s: %v", address, err)
		}
	}
	if p := f.post(t, "wiki/a/b", "do", "revert", "version", "x"); p.Status != 422 {
		t.Errorf("no revision: %d", p.Status)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const first = "---\ntitle: B\n---\n\n# B\n\nOne.\n"
	f.write(t, "wiki/global/b.md", first)
	s := f.get(t, "wiki/b?edit=1")
	if data := s.view.Data.(*editing); data.Content != first || field(s.Page, "content") != strings.TrimSpace(first) || field(s.Page, "base") != data.Base || data.Base == "" {
		t.Fatalf("the form has %q", field(s.Page, "content"))
	}
	base := field(s.Page, "base")
	typed := "---\r\ntitle: B\r\n---\r\n\r\n# B\r\n\r\nTwo </textarea><script>x</script>\r\n"
	kept := strings.TrimSpace(strings.ReplaceAll(typed, "\r\n", "\n"))
	p := f.post(t, "wiki/b", "do", "preview", "content", typed, "base", base)
	if field(p, "base") != base || field(p, "content") != kept || !strings.Contains(p.Body, "&lt;script&gt;") || !strings.Contains(p.Text, "What saving would change") || f.read(t, "wiki/global/b.md") != first {
		t.Errorf("preview: %s", p.Body)
	}
	f.write(t, "wiki/global/b.md", "# B\n\nTheirs.\n")
	p = f.post(t, "wiki/b", "do", "save", "content", typed, "base", base)
	if p.Status != 409 || field(p, "content") != kept || field(p, "base") == base || !strings.Contains(p.Text, "Theirs.") || !strings.Contains(p.Text, "Save over the present page") {
		t.Errorf("over another version: %d: %s", p.Status, p.Body)
	}
	if f.read(t, "wiki/global/b.md") != "# B\n\nTheirs.\n" {
		t.Fatal("their text is lost")
	}
	p = f.post(t, "wiki/b", "do", "save", "content", "# B\r\n\r\nMine.\r\n", "base", field(p, "base"))
	if p.Path != "wiki/b" || f.read(t, "wiki/global/b.md") != "# B\n\nMine.\n" || p.Form("revert") == nil {
		t.Errorf("saved again: %s, %q", p.Text, f.read(t, "wiki/global/b.md"))
	}
	for name, text := range map[string]string{"nothing": "  \r\n", "a secret": "postgres://u:hunter2hunter2@h/db", "no text": "a\x00b"} {
		p := f.post(t, "wiki/c", "do", "save", "content", text, "base", "")
		if p.Status != 422 || !strings.Contains(p.Text, "Not saved") || name == "a secret" && field(p, "content") != text {
			t.Errorf("%s: %d, %s", name, p.Status, p.Text)
		}
	}
	p = f.post(t, "wiki/new/page", "do", "save", "content", "# New\r\n", "base", "")
	if p.Path != "wiki/new/page" || f.read(t, "wiki/global/new/page.md") != "# New\n" || p.Form("revert") != nil {
		t.Errorf("a new page: %s, %q", p.Text, f.read(t, "wiki/global/new/page.md"))
	}
	if _, err := f.show(t, "wiki?edit=1&key=a//x"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("no key: %v", err)
	}
	f.write(t, "wiki/global/long.md", strings.Repeat("All of it.\n", 40_000))
	if s := f.get(t, "wiki/long?edit=1"); !strings.Contains(s.Text, "too long to be edited here") || field(s.Page, "content") != "" {
		t.Errorf("a long page: %s", s.Text)
	}
}

// Whatever an agent or a file names, nothing of it becomes markup, and pages keep their size.
func TestHostileText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hostile := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onclick='x`, "javascript:alert(1)", "\u202eevil\u2066", `{{template "token"}}`, "[x](javascript:alert(1))", `<svg/onload=x>`, "</textarea><script>",
	}
	for i, h := range []string{strings.Join(hostile, " "), strings.Repeat("x", 5000), hostile[0]} {
		f.hostile(t, fmt.Sprintf("p%d", i), h)
	}
	for i, h := range hostile { // as names of files
		name := strings.NewReplacer("/", "", "\\", "").Replace(h)
		f.write(t, "wiki/global/odd/"+name+".md", "# Odd\n")
		address := "wiki/odd/" + url.PathEscape(name) + []string{"", "?edit=1", "?history=1"}[i%3]
		if p := f.browser.Get(address); p.Status != 200 && p.Status != 422 { // memory refuses some of the names
			t.Errorf("page %q: status %d: %s", name, p.Status, p.Text)
		}
	}
	f.get(t, "wiki")
	f.write(t, "wiki/global/big.md", strings.Repeat("All of it. ", 90_000))
	if s := f.get(t, "wiki/big"); !strings.Contains(s.Text, "only its beginning is shown") {
		t.Error("a page of a megabyte is not cut")
	}
	f.get(t, "wiki/big?version=1")
	if err := f.memory.Engine.Keep(t.Context(), "wiki/global/big.md"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Repeat("& a <b> of the page, line by line & so on\n\n", 700)
	f.write(t, "wiki/global/big.md", lines)
	f.get(t, "wiki/big?history=1")
	f.get(t, "wiki/big?history=1&from=1&to=2")
	f.get(t, "wiki/big?version=2")
	f.get(t, "wiki/big?edit=1")
	typed := strings.Repeat("& another <b> line of the page, line by line\n", 500)
	f.post(t, "wiki/big", "do", "preview", "content", typed, "base", "x")
	f.post(t, "wiki/big", "do", "save", "content", typed, "base", "x")
}

// hostile shows a page on which everything that an agent can fill is a text.
func (f *fixture) hostile(t *testing.T, key, text string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	front := fmt.Sprintf("---\ntitle: %[1]s\nsummary: %[1]s\ntags: [%[1]s]\nrefs: [%[1]s]\nsl_refs: [%[1]s]\nsource: %[1]s\norigin: agent\n---\n", quoted)
	content := front + fmt.Sprintf("# %[1]s\n\n%[1]s\n\n[[%[1]s]]\n\n- %[1]s\n\n```\n%[1]s\n```\n", text)
	if _, err := f.memory.WritePage(t.Context(), memory.PageWrite{Key: key, Content: content, Actor: change.Actor{Channel: change.MCP, Client: text}}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?edit=1", "?history=1", "?version=1"} {
		p := f.browser.Get("wiki/" + key + query)
		if p.Status != 200 {
			t.Errorf("%s%s: status %d: %s", key, query, p.Status, p.Text)
		}
		if query != "?edit=1" { // an editor shows what there is
			checkHidden(t, p.Text)
		}
	}
	f.browser.Get("wiki?q=" + url.QueryEscape(text[:min(200, len(text))]) + "&cursor=x")
	if p := f.post(t, "wiki/"+key, "do", "save", "content", "# "+text+"\n", "base", text); p.Status != 409 {
		t.Errorf("over another version: %d, %s", p.Status, p.Text)
	}
}

// An index that cannot be read leaves the page, and says what is missing.
func TestWithoutAnIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/a.md", "---\nrefs: [orders]\n---\n# A\n")
	f.services.Discover = withoutRefs{f.services.Discover}
	view, err := (&pages{f.services}).show(t.Context(), "a")
	if err != nil || len(view.Data.(*shown).Notes) != 1 || view.Data.(*shown).Refs[0].Name != "orders" {
		t.Errorf("%+v, %v", view, err)
	}
}

type withoutRefs struct{ finder }

func (withoutRefs) PageRefs(context.Context, string, []string) (*wiki.View, []discover.PageRef, error) {
	return nil, nil, errors.New("the disk is full")
}

// A contradiction of a sentence that is not found on the page stands at its end, and whatever it says is text.
func TestConflictElsewhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/a.md", "# A\n\nOne.\n")
	const evil = "<script>x</script>\u202e"
	f.services.Discover = disputed{f.services.Discover, change.Disputed{
		Conflicts:     []change.Dispute{{Conflict: change.Conflict{Says: evil, By: evil, Change: "ab12"}, Against: change.Conflict{Says: "Not here.", By: evil}}, {Against: change.Conflict{Says: "- One…", By: evil}, Conflict: change.Conflict{Says: evil}}},
		MoreConflicts: 3,
	}}
	p := consoletest.Open(t, Pages(f.services)).Get("wiki/a")
	checkHidden(t, p.Text)
	if !strings.Contains(p.Text, "Contradictions") || !strings.Contains(p.Text, "Not here.") || !strings.Contains(p.Text, "and 3 more") || to(p, "Decide") != "/console/change/ab12" {
		t.Errorf("the page: %s", p.Text)
	}
	if at := strings.Index(p.Body, `<aside class="card"`); at < 0 || at > strings.Index(p.Body, "<h2>Contradictions") || strings.Contains(p.Body, "<script>x") {
		t.Errorf("the page: %s", p.Body)
	}
}

// disputed is a finder whose pages are contradicted.
type disputed struct {
	finder
	by change.Disputed
}

func (d disputed) ReadWiki(ctx context.Context, key string) (*discover.WikiPage, error) {
	p, err := d.finder.ReadWiki(ctx, key)
	if err == nil {
		p.Disputed = d.by
	}
	return p, err
}
