package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// event is a line of loam review log.
type event struct{ Verb, By, Via, ChangeID string }

func events(t testing.TB, dir, id, verb string) (found []event) {
	t.Helper()
	var list struct{ Events []event }
	if err := json.Unmarshal([]byte(loam(t, dir, "review", "log", "--json", "-n", "500")), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Events {
		if e.ChangeID == id && e.Verb == verb {
			found = append(found, e)
		}
	}
	return found
}

// Of two reviewers who approve one change at once, one does, and the other sees who did.
func TestTwoReviewersApproveOneChange(t *testing.T) {
	t.Parallel()
	dir := project(t)
	s := open(t, dir, "0")
	target := one(t, dir, "orders.arr")
	path := "/console/change/" + target.ID
	people := []*person{s.signIn(t, "Ada"), s.signIn(t, "Bob")}
	forms := make([]url.Values, len(people))
	for i, p := range people {
		var err error
		if forms[i], err = p.get(path).fields("approve"); err != nil {
			t.Fatal(err)
		}
	}
	answers, errs := make([]answer, len(people)), make([]error, len(people))
	var both sync.WaitGroup
	for i, p := range people {
		both.Go(func() { answers[i], errs[i] = p.try(http.MethodPost, path, forms[i]) })
	}
	both.Wait()
	statuses := []int{answers[0].status, answers[1].status}
	late := slices.Index(statuses, http.StatusConflict)
	slices.Sort(statuses)
	if errs[0] != nil || errs[1] != nil || !slices.Equal(statuses, []int{http.StatusSeeOther, http.StatusConflict}) {
		t.Fatalf("the answers are %v (%v, %v): %.500s", statuses, errs[0], errs[1], answers[0].body)
	}
	if first := []string{"Ada", "Bob"}[1-late]; !strings.Contains(answers[late].body, "Nothing was approved") || !strings.Contains(answers[late].body, first) {
		t.Errorf("the second reviewer does not see that %s approved it: %.1500s", first, answers[late].body)
	}
	if got := events(t, dir, target.ID, "approved"); len(got) != 1 || got[0].Via != "console" {
		t.Errorf("approved %d times: %+v", len(got), got)
	}
	if n := strings.Count(read(t, dir, "semantic-layer/shop/_memory/orders.yaml"), "arr"); n == 0 || one(t, dir, "orders.arr").State != "applied" {
		t.Errorf("the measure stands %d times in the file, state %s", n, one(t, dir, "orders.arr").State)
	}
	// A third look says the same, and a bulk decision with the old version does nothing.
	if a := people[0].send(http.MethodPost, path, forms[0]); a.status != http.StatusConflict {
		t.Errorf("the same form again: %d", a.status)
	}
}

// A file that a person edited between view and click is not written over.
func TestFileEditedBetweenViewAndClick(t *testing.T) {
	t.Parallel()
	dir := project(t)
	s := open(t, dir, "0")
	p := s.signIn(t, "Ada")
	target := one(t, dir, "glossary")
	path := "/console/change/" + target.ID
	form, err := p.get(path).fields("approve")
	if err != nil {
		t.Fatal(err)
	}
	edited := read(t, dir, "wiki/global/glossary.md") + "\nA line that a person wrote meanwhile.\n"
	write(t, dir, "wiki/global/glossary.md", edited)
	if a := p.send(http.MethodPost, path, form); a.status != http.StatusConflict || !strings.Contains(a.body, "was edited since you opened this page") {
		t.Errorf("%d: %.1500s", a.status, a.body)
	}
	if now := read(t, dir, "wiki/global/glossary.md"); now != edited {
		t.Errorf("the file was written:\n%s", now)
	}
	if form, err = p.get(path).fields("approve"); err != nil {
		t.Fatal(err)
	}
	if a := p.send(http.MethodPost, path, form); a.status != http.StatusSeeOther {
		t.Errorf("after another look: %d %.500s", a.status, a.body)
	}
	if now := read(t, dir, "wiki/global/glossary.md"); !strings.Contains(now, "a person wrote meanwhile") || !strings.Contains(now, "ARR is the sum") {
		t.Errorf("the page lacks the edit or the change:\n%s", now)
	}
}

// A server that was restarted between view and click asks for a login and shows what was typed.
func TestServerRestartedBetweenViewAndClick(t *testing.T) {
	t.Parallel()
	dir := project(t)
	s := open(t, dir, "0")
	p := s.signIn(t, "Ada")
	target := one(t, dir, "orders.arr")
	form, err := p.get("/console/change/" + target.ID).fields("approve")
	if err != nil {
		t.Fatal(err)
	}
	s.restart(t)
	const typed = "the text that a person typed for half an hour <b>with care</b>"
	form.Set("text", typed)
	form.Set("do", "save")
	a := p.send(http.MethodPost, "/console/change/"+target.ID, form)
	if a.status != http.StatusUnauthorized || !strings.Contains(a.body, "the text that a person typed for half an hour &lt;b&gt;") || !strings.Contains(a.body, `href="/console/login`) {
		t.Errorf("%d: %.1500s", a.status, a.body)
	}
	if one(t, dir, "orders.arr").State != "pending" {
		t.Error("the change was decided")
	}
	again := s.signIn(t, "Ada")
	if form, err = again.get("/console/change/" + target.ID).fields("approve"); err != nil {
		t.Fatal(err)
	}
	if a := again.send(http.MethodPost, "/console/change/"+target.ID, form); a.status != http.StatusSeeOther {
		t.Errorf("after the login: %d %.500s", a.status, a.body)
	}
}

// Saved queries that cannot be read hide no change: its page names what was not looked through, and decides.
func TestQueriesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := project(t)
	if err := os.RemoveAll(filepath.Join(dir, "queries")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "queries", "no folder\n")
	p := open(t, dir, "0").signIn(t, "Ada")
	path := "/console/change/" + one(t, dir, "orders.arr").ID
	a := p.get(path)
	if a.status != http.StatusOK || !strings.Contains(a.body, "Not looked through: the saved queries could not be read") || strings.Contains(a.body, "Nothing refers to it.") {
		t.Errorf("%d: %.3000s", a.status, a.body)
	}
	form, err := a.fields("approve")
	if err != nil {
		t.Fatal(err)
	}
	if a := p.send(http.MethodPost, path, form); a.status != http.StatusSeeOther {
		t.Errorf("the decision: %d %.500s", a.status, a.body)
	}
}
