package change

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestApplyAndRevert(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	first := p.applied(agent, "one", "two")
	p.wantContent("one\ntwo\n")
	p.wantState(first.ID, Draft, "")
	second := p.applied(agent, "three")
	p.wantContent("one\ntwo\nthree\n")
	p.now = p.now.Add(displacedFor)

	undone, err := p.Revert(t.Context(), first.ID, Decision{By: person, Note: "wrong"})
	if err != nil || undone.By == nil || len(undone.Kept) > 0 {
		t.Fatalf("revert: %+v, %v", undone, err)
	}
	p.wantContent("three\n")
	p.wantState(first.ID, Reverted, "")
	if c := p.get(first.ID); c.Note != "wrong" {
		t.Errorf("the revert's note is %q", c.Note)
	}
	again, err := p.Revert(t.Context(), undone.By.ID, Decision{By: person})
	if err != nil || again.Change.State != Reverted {
		t.Fatalf("revert of the revert: %+v, %v", again, err)
	}
	p.wantState(first.ID, Draft, "")
	p.wantContent("one\ntwo\nthree\n")
	if _, err := p.Revert(t.Context(), second.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Revert(t.Context(), first.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.wantContent("-")
	p.wantNothingLeft()
}

func TestRevertRestoresTheBytes(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"no file": "-", "no last newline": "mine", "carriage returns": "a\r\n\r\n", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			if before != "-" {
				p.write(before)
			}
			c := p.applied(person, "one")
			if !strings.Contains(p.content(), "one") {
				t.Fatalf("not applied: %q", p.content())
			}
			if _, err := p.Revert(t.Context(), c.ID, Decision{By: person}); err != nil {
				t.Fatal(err)
			}
			p.wantContent(before)
		})
	}
}

func TestRevertKeepsWhatWasEdited(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := p.applied(agent, "one", "two")
	change := says("uno")
	change.Blocks[0].Before = "one"
	other, err := p.Apply(t.Context(), p.propose(agent, change)[0].Change.ID)
	if err != nil {
		t.Fatal(err)
	}
	p.write("eins\ntwo\nmine\n")
	undone, err := p.Revert(t.Context(), other.ID, Decision{By: person})
	if err != nil || undone.By != nil || len(undone.Kept) != 1 || undone.Change.State != Applied {
		t.Errorf("revert of an edited block: %+v, %v", undone, err)
	}
	p.wantContent("eins\ntwo\nmine\n")
	if _, err := p.Revert(t.Context(), c.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.wantContent("eins\nmine\n")
	if !p.isRevision("eins\ntwo\nmine\n") {
		t.Error("the person's version is not kept")
	}
}

// What a person wrote or touched is changed by approval alone, and stays theirs.
func TestPersonsFile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("mine\n")
	c := p.applied(agent, "one")
	p.wantState(c.ID, Pending, WhyEdited)
	p.wantContent("mine\n")
	if _, err := p.Approve(t.Context(), c.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.wantState(c.ID, Applied, "")
	p.wantContent("mine\none\n")
	p.wantState(p.applied(agent, "two").ID, Pending, WhyEdited)
	if _, err := p.Revert(t.Context(), c.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.wantContent("mine\n")
	p.wantState(p.applied(agent, "three").ID, Pending, WhyEdited)
}

func TestPersonTouchesAnAgentsFile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.applied(agent, "one")
	if own, err := p.Own(t.Context(), page, []byte("one\n")); !own || err != nil {
		t.Errorf("the agent's page is not Loam's: %v", err)
	}
	p.write("one\nmine\n")
	p.wantState(p.applied(agent, "two").ID, Pending, WhyEdited)
	p.write("one\n")
	p.wantState(p.applied(agent, "three").ID, Draft, "")
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	out := p.propose(agent, says("one"), says("one"), says("two"))
	if out[0].Same != "" || out[1].Same != Pending || out[1].Change.ID != out[0].Change.ID || out[2].Same != "" {
		t.Errorf("in one batch: %+v", out)
	}
	if _, _, err := p.Reject(t.Context(), out[0].Change.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Apply(t.Context(), out[2].Change.ID); err != nil {
		t.Fatal(err)
	}
	again := p.propose(agent, says("one"), says("two"), says("three"))
	if again[0].Same != Rejected || again[0].Change.DecidedBy != person || again[1].Same != Applied || again[2].Same != "" {
		t.Errorf("afterwards: %+v", again)
	}
	if mine := p.propose(person, says("one")); mine[0].Same != "" {
		t.Errorf("a person cannot say what a person rejected: %+v", mine)
	}
}

func TestApproveADraft(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := p.applied(agent, "reviewed: false", "one")
	blocks := []Block{{Place: "body:", After: "reviewed: true"}, {Place: "body:", After: "one"}}
	done, err := p.Approve(t.Context(), c.ID, Decision{By: person, Version: c.Version, Blocks: blocks})
	if err != nil || !done.Reviewed || done.DecidedBy != person {
		t.Fatalf("approve: %+v, %v", done, err)
	}
	p.wantContent("reviewed: true\none\n")
	if _, err := p.Approve(t.Context(), c.ID, Decision{By: person, Version: c.Version}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("approve an old version: %v", err)
	}
	if _, err := p.Revert(t.Context(), c.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.wantContent("-")
}

func TestRejectADraft(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.applied(agent, "zero")
	c := p.applied(agent, "one")
	done, _, err := p.Reject(t.Context(), c.ID, Decision{By: person})
	if err != nil || done.State != Rejected {
		t.Fatalf("reject: %+v, %v", done, err)
	}
	p.wantContent("zero\n")
	if again := p.propose(agent, says("one")); again[0].Same != Rejected {
		t.Errorf("proposed again: %+v", again)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for path, ok := range map[string]bool{
		page: true, "semantic-layer/shop/_memory/orders.yaml": true, "wiki/global/売上.md": true,
		"": false, "loam.yaml": false, "wiki": false, "wiki/../loam.yaml": false, "/etc/passwd": false, "wiki//a.md": false, "wiki/.git/a": false,
		"wiki/.a.md": false, "wiki/a\\b.md": false, "wiki/a\x00.md": false, "wiki/\xff.md": false, ".loam/state.db": false, "wiki/c:a.md": false,
		"wiki/" + strings.Repeat("x", 600): false, "../wiki/a.md": false, "src/wiki/a.md": false,
	} {
		if err := checkPath(path); (err == nil) != ok {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestGetByPrefix(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := p.propose(agent, says("one"))[0].Change
	if got := p.get(c.ID[:4]); got.ID != c.ID {
		t.Errorf("found %s", got.ID)
	}
	for id, want := range map[string]sdk.Kind{"abc": sdk.KindInvalid, "wxyz": sdk.KindInvalid, "00000000000": sdk.KindInvalid} {
		if _, err := p.Get(t.Context(), id); sdk.KindOf(err) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}
