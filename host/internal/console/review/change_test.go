package review

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/memory"
)

func TestChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("wiki/global/arr.md", "# ARR\n\nARR is sum of amount.\n\nEnd.\n")
	p := change.Proposal{
		Kind: change.Page, Target: "arr", Path: "wiki/global/arr.md", Says: "ARR is sum of amount / 100.", Value: "x", Quote: "divide it by 100", Source: "finance",
		Why: []string{change.WhyConflict, change.WhyNotRun}, Note: "It differs by a factor of 100.",
		Blocks:    []change.Block{{Place: "body:", Before: "ARR is sum of amount.", After: "ARR is sum of amount / 100."}},
		Conflicts: []change.Conflict{{Says: "ARR is sum of amount.", By: "bob", At: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), Path: "wiki/global/arr.md"}},
		Verified:  &change.Verified{Level: "equal", At: time.Now(), Of: "orders.revenue", Reason: "12.5 and 12.5"},
	}
	id := f.propose(p)[0]
	f.write("wiki/global/other.md", "# Other\n\nSee [[arr]].\n")
	b := f.open()
	got := b.Get("change/" + id)
	for _, want := range []string{
		"page arr", "it contradicts something; it could not be run", "ARR is sum of amount / 100.", "claude-code over mcp", "claude-code 2.1", "Principal ci", "Source finance",
		"it ran and has the numbers of another measure", "orders.revenue", "12.5 and 12.5", "bob", "2026-01-05", "other", "It differs by a factor of 100.",
		"loam review show " + id, "divide it by 100", "wiki/global/arr.md",
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is not on the page\n%s", want, got.Text)
		}
	}
	if !strings.Contains(got.Body, `<mark class="diff-word"> / 100</mark>`) || strings.Contains(got.Body, "Old lines beside new ones") {
		t.Errorf("the words are not marked\n%s", got.Body)
	}
	if !strings.Contains(got.Body, "<p dir=\"auto\">ARR is sum of amount / 100.</p>") {
		t.Errorf("the page is not rendered\n%s", got.Body)
	}
	if split := b.Get("change/" + id + "?view=split"); !strings.Contains(split.Body, "Old lines beside new ones") || !strings.Contains(split.Body, `<mark class="diff-word"> / 100</mark>`) {
		t.Errorf("not beside each other\n%s", split.Body)
	}
	var twin changeData
	if b.JSON("change/"+id, &twin); twin.Version != 1 || twin.Base == "" || len(twin.Rows) == 0 || len(twin.Conflicts) != 1 || len(twin.Impact.References) == 0 || twin.Actions[0] != "approve" {
		t.Errorf("%+v", twin)
	}
	for _, path := range []string{"change/ffffffffff", "change/zz", "change/" + id + "?state=odd"} {
		if p := b.Get(path); p.Status != http.StatusNotFound && p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
}

// After a decision comes the next change of the list that the reviewer came from; [ and ] lead through it.
func TestThroughTheList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."), pageOf("c", "Three."), pageOf("d", "Four."))
	f.decided(f.memory.Reject, ids[1])
	b := f.open()
	at := b.Get("change/" + ids[2] + "?kind=page&state=pending")
	if at.Link("Previous") != "change/"+ids[3]+"?kind=page&state=pending" || at.Link("Next") != "change/"+ids[0]+"?kind=page&state=pending" || at.Link("Back to the list") != "?kind=page&state=pending" {
		t.Errorf("%q, %q, %q", at.Link("Previous"), at.Link("Next"), at.Link("Back to the list"))
	}
	at = b.Submit(*at.Form("approve"), nil)
	if at.Path != "change/"+ids[0]+"?kind=page&state=pending" || !strings.Contains(at.Text, "Approved 1 change.") {
		t.Fatalf("%s\n%s", at.Path, at.Text)
	}
	at = b.Submit(*at.Form("reject"), url.Values{"reason": {"wrong"}, "other": {"finance says otherwise"}})
	if at.Path != "change/"+ids[3]+"?kind=page&state=pending" || f.get(ids[0]).Note != "finance says otherwise" {
		t.Fatalf("%s, %q\n%s", at.Path, f.get(ids[0]).Note, at.Text)
	}
	at = b.Submit(*at.Form("approve"), nil)
	if at.Path != "?kind=page&state=pending" || f.states(ids...) != "[rejected rejected applied applied]" {
		t.Fatalf("%s, %s", at.Path, f.states(ids...))
	}
	at = b.Submit(*at.Form("revert"), nil) // the undo of the message
	if f.states(ids...) != "[rejected rejected applied reverted]" || at.Path != "change/"+ids[3]+"?kind=page&state=pending" {
		t.Errorf("%s, %s", f.states(ids...), at.Path)
	}
	at = b.Get("change/" + ids[0])
	if at = b.Submit(*at.Form("reopen"), nil); f.states(ids[0]) != "[pending]" || !strings.Contains(at.Text, "Reopened 1 change.") {
		t.Errorf("%s\n%s", f.states(ids[0]), at.Text)
	}
}

// Nothing is decided that is not as it was seen: the page says what is new.
func TestDecidedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."), pageOf("c", "Three."))
	b, other := f.open(), f.open()
	path := "change/" + ids[0]
	mine, theirs := b.Get(path), other.Get(path)
	other.Submit(*theirs.Form("reject"), url.Values{"reason": {"unclear"}})
	late := b.Submit(*mine.Form("approve"), nil)
	if late.Status != http.StatusConflict || !strings.Contains(late.Text, "Nothing was approved: it was rejected by ada (console, token), just now.") || f.states(ids[0]) != "[rejected]" {
		t.Errorf("%d, %s\n%s", late.Status, f.states(ids[0]), late.Text)
	}
	page := b.Get("change/" + ids[1])
	f.write("wiki/global/b.md", "# B\n\nMine.\n") // between view and click
	late = b.Submit(*page.Form("approve"), nil)
	if late.Status != http.StatusConflict || !strings.Contains(late.Text, "wiki/global/b.md was edited since you opened this page") || f.states(ids[1]) != "[pending]" {
		t.Errorf("%d, %s\n%s", late.Status, f.states(ids[1]), late.Text)
	}
	if b.Submit(*late.Form("approve"), nil); f.states(ids[1]) != "[applied]" {
		t.Errorf("seen again: %s", f.states(ids[1]))
	}
	page = b.Get("change/" + ids[2])
	text, version, err := f.memory.Pending(t.Context(), ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.memory.EditPending(t.Context(), ids[2], strings.Replace(text, "Three", "Drei", 1), version, person); err != nil {
		t.Fatal(err)
	}
	late = b.Submit(*page.Form("approve"), nil)
	if late.Status != http.StatusConflict || !strings.Contains(late.Text, "it was edited by bob, just now") || !strings.Contains(late.Text, "Drei") {
		t.Errorf("%d\n%s", late.Status, late.Text)
	}
	for _, do := range []string{"approve", "reject", "revert", "save", "reopen"} {
		if p := b.Post("change/"+ids[2], url.Values{"do": {do}, "reason": {"wrong"}}); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s without a version: %d", do, p.Status)
		}
		if p := b.Post("change/ffffffffff", url.Values{"do": {do}, "reason": {"wrong"}, "version": {"1"}}); p.Status != http.StatusNotFound {
			t.Errorf("%s of nothing: %d", do, p.Status)
		}
	}
}

// Of two reviewers who press at the same moment one decides.
func TestTwoReviewers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.propose(pageOf("a", "One."))[0]
	first, second := f.open(), f.open()
	approve, reject := first.Get("change/"+id).Form("approve"), second.Get("change/"+id).Form("reject")
	var statuses [2]int
	var both sync.WaitGroup
	both.Go(func() { statuses[0] = first.Submit(*approve, nil).Status })
	both.Go(func() { statuses[1] = second.Submit(*reject, url.Values{"reason": {"wrong"}}).Status })
	both.Wait()
	if statuses[0]+statuses[1] != http.StatusOK+http.StatusConflict {
		t.Errorf("%v", statuses)
	}
	if state := f.states(id); state != map[bool]string{true: "[applied]", false: "[rejected]"}[statuses[0] == http.StatusOK] {
		t.Errorf("%v, %s", statuses, state)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."))
	b := f.open()
	page := b.Get("change/" + ids[0] + "?edit=1")
	form := page.Form("")
	for i := range page.Forms {
		if page.Forms[i].Fields.Has("text") {
			form = &page.Forms[i]
		}
	}
	if form == nil || !strings.Contains(form.Fields.Get("text"), "One.") || page.Form("approve") != nil {
		t.Fatalf("no form\n%s", page.Text)
	}
	typed := strings.ReplaceAll(strings.Replace(form.Fields.Get("text"), "One.", "Eins.", 1), "\n", "\r\n")
	saved := b.Submit(*form, url.Values{"do": {"save"}, "text": {typed}})
	if c := f.get(ids[0]); saved.Path != "change/"+ids[0] || !strings.Contains(saved.Text, "Saved; it still waits.") || c.Blocks[1].After != "Eins." || c.State != change.Pending || c.Version != 2 {
		t.Fatalf("%s, %+v\n%s", saved.Path, c, saved.Text)
	}
	late := b.Submit(*form, url.Values{"do": {"save"}, "text": {typed + "# my work"}})
	if late.Status != http.StatusConflict || !strings.Contains(late.Body, "# my work") || !strings.Contains(late.Text, "Nothing was saved: it was edited by ada (console, token)") {
		t.Errorf("of an old version: %d\n%s", late.Status, late.Text)
	}
	for _, text := range []string{"", "no list", "- place: other\n  text: x\n", "- {place: 'body:', text: x, more: y}"} {
		if p := b.Submit(*form, url.Values{"do": {"save"}, "text": {text}, "version": {"2"}}); p.Status != http.StatusUnprocessableEntity || p.Form("approve") != nil || f.get(ids[0]).Version != 2 {
			t.Errorf("%q: %d", text, p.Status)
		}
	}
	text, version, err := f.memory.Pending(t.Context(), ids[1])
	if err != nil {
		t.Fatal(err)
	}
	done := b.Post("change/"+ids[1]+"?edit=1", url.Values{"do": {"save-approve"}, "text": {strings.Replace(text, "Two.", "Zwei.", 1)}, "version": {fmt.Sprint(version)}})
	if f.states(ids[1]) != "[applied]" || !strings.Contains(f.read("wiki/global/b.md"), "Zwei.") || done.Path != "change/"+ids[0]+"?" && done.Path != "change/"+ids[0] {
		t.Errorf("%s, %s\n%s", f.states(ids[1]), done.Path, f.read("wiki/global/b.md"))
	}
	if p := b.Get("change/" + ids[1]); !strings.Contains(p.Text, "edited before it was approved") || !strings.Contains(p.Text, "edited") {
		t.Errorf("the log does not say so\n%s", p.Text)
	}
	if p := b.Get("change/" + ids[1] + "?edit=1"); strings.Contains(p.Body, "<textarea") {
		t.Error("what is applied can be edited")
	}
}

// The numbers of a measure are compared on request, in the warehouse; of other changes there are none.
func TestNumbersOnRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(1)
	other := f.propose(pageOf("a", "One."))[0]
	b := f.open()
	page := b.Get("change/0000000000")
	if page.Form("numbers") == nil || b.Get("change/"+other).Form("numbers") != nil {
		t.Fatalf("%d\n%s", page.Status, page.Text)
	}
	if p := b.Submit(*page.Form("numbers"), nil); p.Status != http.StatusNotFound || !strings.Contains(p.Text, "shop") { // the connection is gone
		t.Errorf("%d\n%s", p.Status, p.Text)
	}
	if p := b.Post("change/"+other, url.Values{"do": {"numbers"}}); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("of a page: %d", p.Status)
	}
	if p := f.as(consoletest.ReaderToken).Post("change/0000000000", url.Values{"do": {"numbers"}}); p.Status != http.StatusForbidden {
		t.Errorf("a reader: %d", p.Status)
	}
	value := func(text string) memory.Number { return memory.Number{Value: []byte(text)} }
	if n := numbersOf(&memory.Numbers{Period: "2026-10", Now: value("70"), Then: value("70")}); !n.Same || n.Now != "70" {
		t.Errorf("%+v", n)
	}
	if n := numbersOf(&memory.Numbers{Now: memory.Number{Reason: "there is none"}, Then: value("70")}); n.Same || n.NowReason == "" {
		t.Errorf("%+v", n)
	}
}

// A draft is in use: approving keeps it, and its revert takes it out.
func TestDraft(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.draft(pageOf("a", "One."))[0]
	b := f.open()
	done := b.Submit(*b.Get("change/" + id).Form("approve"), nil)
	if f.states(id) != "[applied]" || done.Form("revert") == nil || done.Form("revert").Buttons[0] != "Revert" {
		t.Fatalf("%s\n%s", f.states(id), done.Text)
	}
	page := b.Get("change/" + id)
	if p := b.Submit(*page.Form("revert"), nil); f.states(id) != "[reverted]" || f.read("wiki/global/a.md") != "" || p.Form("revert") == nil {
		t.Errorf("%s\n%s", f.states(id), p.Text)
	}
	if p := b.Submit(*page.Form("revert"), nil); p.Status != http.StatusConflict || !strings.Contains(p.Text, "Nothing was reverted: it was reverted by ada (console, token), just now.") {
		t.Errorf("%d\n%s", p.Status, p.Text)
	}
}
