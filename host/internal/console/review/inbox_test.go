package review

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/store"
)

func TestEmptyInbox(t *testing.T) {
	t.Parallel()
	b := newFixture(t).open()
	p := b.Get("")
	if p.Status != http.StatusOK || !strings.Contains(p.Text, "Nothing waits.") || !strings.Contains(p.Text, "loam ingest text") || !strings.Contains(p.Text, "loam review --json") {
		t.Errorf("%d\n%s", p.Status, p.Text)
	}
}

func TestInbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	disputed := pageOf("arr", "ARR is net.")
	disputed.Conflicts, disputed.Why = []change.Conflict{{Says: "ARR is gross.", By: "bob", At: time.Now()}}, []string{change.WhyConflict}
	waiting := f.propose(pageOf("mrr", "MRR is monthly."), disputed)
	draft := f.draft(pageOf("churn", "Churn is lost customers."))[0]
	b := f.open()
	var twin inboxData
	if b.JSON("", &twin); twin.Summary != "2 wait, 1 contradicts something; 1 unreviewed. The oldest is from just now." || twin.Pager.Total != 3 || len(twin.Groups) != 1 {
		t.Errorf("%+v", twin)
	}
	var order []string
	for _, r := range twin.Groups[0].Rows {
		order = append(order, string(r.ID))
	}
	if want := []string{draft, waiting[1], waiting[0]}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	p := b.Get("")
	for _, want := range []string{"page arr", "it contradicts something", "conflict", "claude-code", "3 shown of 3 changes"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not on the page\n%s", want, p.Text)
		}
	}
	if to := p.Link("page mrr"); to != "change/"+waiting[0] {
		t.Errorf("a row leads to %q", to)
	}
	for query, want := range map[string]int{
		"state=pending": 2, "state=conflict": 1, "state=draft": 1, "state=all": 3, "state=rejected": 0, "kind=page": 3, "kind=measure": 0, "actor=claude-code": 3,
		"actor=codex": 0, "age=24h": 3, "q=monthly": 1, "q=ARR": 1, "q=100%25": 0, "source=finance": 0, "connection=shop": 0, "run=RUN": 0,
		"state=conflict&q=net": 1, "group=target": 3, "group=run": 3, "state=open": 3,
	} {
		var twin inboxData
		status := b.JSON("?"+query, &twin)
		n := 0
		for _, g := range twin.Groups {
			n += len(g.Rows)
		}
		if status != http.StatusOK || n != want {
			t.Errorf("%s: %d, %d rows, want %d", query, status, n, want)
		}
		b.Get("?" + query)
	}
	for _, query := range []string{"state=odd", "kind=odd", "age=1y", "group=odd", "cursor=odd", "q=" + strings.Repeat("x", 201)} {
		if p := b.Get("?" + query); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", query, p.Status)
		}
	}
}

func TestPagesOfTheInbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(3*pageRows + 5)
	b := f.open()
	seen, path := map[string]bool{}, "?state=pending"
	for range 4 {
		p := b.Get(path)
		for _, l := range p.Links {
			if id, ok := strings.CutPrefix(l.To, "/console/change/"); ok {
				seen[id] = true
			}
		}
		if path = p.Link("Next page"); path == "" {
			break
		}
	}
	if p := b.Get("?state=pending&cursor=1"); !strings.Contains(p.Text, "No change is left on this page.") || p.Link("First page") != "?state=pending" {
		t.Errorf("behind the last page: %s", p.Text)
	}
	if len(seen) != 3*pageRows+5 || path != "" {
		t.Errorf("%d changes are on the pages, and then %q", len(seen), path)
	}
}

// fill stores many changes that wait, with texts of the usual length.
func (f *fixture) fill(n int) { f.fillWith("pending", n) }

// fillWith stores many changes of a state, without their files.
func (f *fixture) fillWith(state string, n int) {
	f.Helper()
	s := f.state()
	for first := 0; first < n; first += 1000 {
		b := &store.MemoryBatch{}
		for i := first; i < min(n, first+1000); i++ {
			target := fmt.Sprintf("subscription.metric_%d", i)
			b.New = append(b.New, store.MemoryChange{
				ID: fmt.Sprintf("%010x", i), Run: fmt.Sprintf("RUN%d", i/7), Seq: i, Kind: "measure", Connection: "shop", Target: target,
				Path: "semantic-layer/shop/_memory/subscription.yaml", Source: "finance", Actor: "claude-code", Signature: fmt.Append(nil, i), State: state, Version: 1,
				CreatedAt: time.Now().Add(time.Duration(i-n) * time.Minute), ProposedBy: `{"channel":"mcp","client":"claude-code"}`,
				Proposal: fmt.Sprintf(`{"kind":"measure","connectionId":"shop","target":%q,"path":"semantic-layer/shop/_memory/subscription.yaml","says":"sum of amount_cents / 100 where status is active, plan is not trial, and region is number %d","value":"x","why":["policy"],"blocks":[]}`, target, i),
			})
		}
		if err := s.PutMemory(f.Context(), b); err != nil {
			f.Fatal(err)
		}
	}
}

// A page of 10,000 waiting changes has as many rows as any other, and is as small.
func TestInboxOfThousands(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(10_000)
	b := f.open()
	for _, path := range []string{"", "?group=run", "?state=conflict", "?q=number+77", "?q=nowhere", "?kind=measure&connection=shop&actor=claude-code&source=finance&age=7d"} {
		p := b.Get(path)
		if p.Status != http.StatusOK {
			t.Errorf("%s: %d", path, p.Status)
		}
		if rows := strings.Count(p.Body, "<tr data-row>"); rows > pageRows {
			t.Errorf("%s: %d rows", path, rows)
		}
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."), pageOf("c", "Three."))
	b := f.open()
	picks := f.picks(ids...)
	asked := b.Post("", url.Values{"do": {"ask"}, "verb": {"approve"}, "pick": picks[:2], "back": {"/console/?kind=page"}})
	form := asked.Form("approve")
	if asked.Status != http.StatusOK || form == nil || !slices.Equal(form.Fields["pick"], picks[:2]) || !strings.Contains(asked.Text, "Approve these 2?") || strings.Contains(asked.Text, "Three.") {
		t.Fatalf("%d %+v\n%s", asked.Status, form, asked.Text)
	}
	if f.states(ids...) != "[pending pending pending]" {
		t.Fatal("asking decided")
	}
	late := f.propose(pageOf("d", "Four."))[0] // after the click
	done := b.Submit(*form, nil)
	if f.states(append(ids, late)...) != "[applied applied pending pending]" || done.Path != "?kind=page" || !strings.Contains(done.Text, "Approved 2 changes.") {
		t.Fatalf("%s, %s\n%s", f.states(append(ids, late)...), done.Path, done.Text)
	}
	if c := f.get(ids[0]); c.DecidedBy.Channel != change.Console || c.DecidedBy.Label != "ada" || c.DecidedBy.Principal != "token" || c.DecidedBy.Address == "" {
		t.Errorf("decided by %+v", c.DecidedBy)
	}
	undo := done.Form("revert")
	if undo == nil {
		t.Fatalf("no undo\n%s", done.Text)
	}
	undone := b.Submit(*undo, nil)
	if f.states(ids...) != "[reverted reverted pending]" || f.read("wiki/global/a.md") != "" || !strings.Contains(undone.Text, "Reverted 2 changes.") {
		t.Fatalf("%s\n%s", f.states(ids...), undone.Text)
	}
	back := b.Submit(*undone.Form("revert"), nil)
	if f.states(ids...) != "[applied applied pending]" || f.read("wiki/global/a.md") == "" {
		t.Fatalf("%s\n%s", f.states(ids...), back.Text)
	}
	b.Submit(*back.Form("revert"), nil)
	if f.states(ids...) != "[reverted reverted pending]" {
		t.Error(f.states(ids...))
	}
}

// Each change is decided alone: the answer says what was done, and what not and why.
func TestBulkInPart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.propose(pageOf("a", "One."), pageOf("b", "Two."), pageOf("c", "Three."))
	b := f.open()
	picks := append(f.picks(ids...), "ffffffffff.1", f.picks(ids[0])[0])
	f.decided(f.memory.Approve, ids[1])
	asked := b.Post("", url.Values{"do": {"ask"}, "verb": {"reject"}, "pick": picks})
	if form := asked.Form("reject"); form == nil || len(form.Fields["pick"]) != 2 || !strings.Contains(asked.Text, "applied by bob, just now") || !strings.Contains(asked.Text, "there is no change ffffffffff") {
		t.Fatalf("%+v\n%s", form, asked.Text)
	}
	if p := b.Post("", url.Values{"do": {"reject"}, "pick": picks}); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text, "needs a reason") {
		t.Errorf("without a reason: %d\n%s", p.Status, p.Text)
	}
	done := b.Post("", url.Values{"do": {"reject"}, "pick": picks, "reason": {"duplicate"}})
	if f.states(ids...) != "[rejected applied rejected]" || f.get(ids[0]).Note != "duplicate" {
		t.Errorf("%s, %q", f.states(ids...), f.get(ids[0]).Note)
	}
	for _, want := range []string{"Rejected 2 changes. 2 changes not:", ids[1] + " b: change " + ids[1] + " has version", "there is no change ffffffffff", "rejected: " + ids[0] + " a"} {
		if !strings.Contains(done.Text, want) {
			t.Errorf("%q is not there\n%s", want, done.Text)
		}
	}
	if b.Submit(*done.Form("reopen"), nil); f.states(ids...) != "[pending applied pending]" {
		t.Errorf("after the undo: %s", f.states(ids...))
	}
}

// The message about 200 changes is short, and its undo is about all of them.
func TestBulkOfTheMost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(maxPicked + 10)
	b := f.open()
	var picks []string
	for i := range maxPicked {
		picks = append(picks, pickOf(change.ID(fmt.Sprintf("%010x", i)), 1))
	}
	asked := b.Post("", url.Values{"do": {"ask"}, "verb": {"reject"}, "pick": picks})
	done := b.Submit(*asked.Form("reject"), url.Values{"reason": {"unclear"}})
	if !strings.Contains(done.Text, "Rejected 200 changes.") || !strings.Contains(done.Text, "… 170 more") || len(done.Form("reopen").Fields["pick"]) != maxPicked {
		t.Errorf("%d\n%.600s", done.Status, done.Text)
	}
	if n, err := f.memory.Waiting(t.Context()); err != nil || n.Pending != 10 {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestWrongSelections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.propose(pageOf("a", "One."))[0]
	b := f.open()
	var many []string
	for i := range maxPicked + 1 {
		many = append(many, fmt.Sprintf("%010x.1", i))
	}
	for name, fields := range map[string]url.Values{
		"nothing": {}, "201": {"pick": many}, "no version": {"pick": {id}}, "version 0": {"pick": {id + ".0"}}, "a word": {"pick": {id + ".x"}},
		"SQL": {"pick": {"' OR 1=1 --"}}, "script": {"pick": {"<script>alert(1)</script>"}},
	} {
		for _, do := range []string{"ask", "approve", "reject", "revert", "reopen"} {
			all := url.Values{"do": {do}, "verb": {"approve"}, "reason": {"wrong"}}
			for k, v := range fields {
				all[k] = v
			}
			if p := b.Post("", all); p.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s, %s: %d", name, do, p.Status)
			}
		}
	}
	for name, fields := range map[string]url.Values{
		"no such decision": {"do": {"ask"}, "verb": {"burn"}, "pick": {id + ".1"}}, "no such action": {"do": {"burn"}}, "long reason": {"do": {"reject"}, "pick": {id + ".1"}, "other": {strings.Repeat("x", 501)}},
	} {
		if p := b.Post("", fields); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, p.Status)
		}
	}
	if p := b.Post("", url.Values{"do": {"ask"}, "verb": {"approve"}, "pick": many[:maxPicked]}); p.Status != http.StatusOK || !strings.Contains(p.Text, "Nothing to approve") {
		t.Errorf("200 unknown ones: %d", p.Status)
	}
	if p := b.Post("", url.Values{"do": {"approve"}, "pick": {id + ".1"}, "back": {"https://elsewhere.example/"}}); !strings.HasPrefix(p.Path, "") || p.Status != http.StatusOK {
		t.Errorf("it leads to %q", p.Path)
	}
	if f.states(id) != "[applied]" {
		t.Error(f.states(id))
	}
}

// A reader sees the changes and no forms; what a reader posts is refused.
func TestReader(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.propose(pageOf("a", "One."))[0]
	b := f.as(consoletest.ReaderToken)
	for _, path := range []string{"", "change/" + id, "change/" + id + "?edit=1", "revert?actor=claude-code"} {
		p := b.Get(path)
		for _, do := range []string{"approve", "reject", "save", "revert"} {
			if form := p.Form(do); form != nil && slices.ContainsFunc(form.Buttons, func(b string) bool { return b != "" }) {
				t.Errorf("%s has a form to %s", path, do)
			}
		}
	}
	for _, path := range []string{"", "change/" + id} {
		if p := b.Post(path, url.Values{"do": {"approve"}, "pick": {id + ".1"}, "version": {"1"}}); p.Status != http.StatusForbidden {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
	if f.states(id) != "[pending]" {
		t.Error(f.states(id))
	}
}

func TestNobodyDecidesWhereTheProjectSaysSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.ApproveFrom = []string{"cli"}
	id := f.propose(pageOf("a", "One."))[0]
	b := f.open()
	if p := b.Post("", url.Values{"do": {"approve"}, "pick": {id + ".1"}}); p.Status != http.StatusForbidden || !strings.Contains(p.Text, "approve_from") {
		t.Errorf("%d\n%s", p.Status, p.Text)
	}
}
