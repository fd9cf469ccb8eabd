package change

import (
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestReopen(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.applied(agent, "zero")
	draft := p.applied(agent, "one")
	waiting := p.propose(agent, says("two"))[0].Change
	for _, c := range []*Change{draft, &waiting} {
		rejected, _, err := p.Reject(t.Context(), c.ID, Decision{By: person, Note: "wrong"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Reopen(t.Context(), c.ID, Decision{By: person, Version: rejected.Version - 1}); sdk.KindOf(err) != sdk.KindConflict {
			t.Errorf("another version: %v", err)
		}
		again, err := p.Reopen(t.Context(), c.ID, Decision{By: person, Version: rejected.Version})
		if err != nil || again.State != Pending || len(again.Why) == 0 || again.Note != "" || !again.DecidedAt.IsZero() || again.Reviewed {
			t.Fatalf("%+v, %v", again, err)
		}
		if again.Version != p.get(c.ID).Version {
			t.Errorf("the version is %d, not %d", p.get(c.ID).Version, again.Version)
		}
	}
	if _, err := p.Reopen(t.Context(), draft.ID, Decision{By: person}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("it waits already: %v", err)
	}
	if done, err := p.Approve(t.Context(), draft.ID, Decision{By: person}); err != nil || done.State != Applied {
		t.Errorf("%+v, %v", done, err)
	}
	p.wantContent("zero\none\n")
	if _, err := p.Revert(t.Context(), draft.ID, Decision{By: person}); err != nil {
		t.Error(err)
	}
	p.wantContent("zero\n")
}

// A rejection is not taken back when a person proposed the same meanwhile.
func TestReopenAfterAnother(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	c := p.propose(agent, says("one"))[0].Change
	if _, _, err := p.Reject(t.Context(), c.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	p.applied(person, "one")
	if _, err := p.Reopen(t.Context(), c.ID, Decision{By: person}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("%v", err)
	}
}

// The neighbours of a change are those of the list, whether the change is on it or not.
func TestAround(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var ids []ID
	for _, text := range []string{"one", "two", "three", "four"} {
		ids = append(ids, p.propose(agent, says(text))[0].Change.ID)
	}
	if _, _, err := p.Reject(t.Context(), ids[2], Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ of, before, after ID }{{ids[0], ids[1], ""}, {ids[1], ids[3], ids[0]}, {ids[2], ids[3], ids[1]}, {ids[3], "", ids[1]}} {
		before, after, err := p.Around(t.Context(), Filter{States: []State{Pending}, Limit: 1}, tt.of)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]ID
		for i, c := range []*Change{before, after} {
			if c != nil {
				got[i] = c.ID
			}
		}
		if got != [2]ID{tt.before, tt.after} {
			t.Errorf("around %s: %v, want %v", tt.of, got, tt)
		}
	}
}

// What a revert of a revert brings back is applied again, and can be taken back again by its own id.
func TestRevertOfARevert(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.applied(agent, "zero")
	c := p.applied(agent, "one")
	for range 2 {
		undone, err := p.Revert(t.Context(), c.ID, Decision{By: person})
		if err != nil || undone.By == nil {
			t.Fatalf("%+v, %v", undone, err)
		}
		p.wantContent("zero\n")
		if _, err := p.Revert(t.Context(), undone.By.ID, Decision{By: person, Version: undone.By.Version}); err != nil {
			t.Fatal(err)
		}
		p.wantContent("zero\none\n")
		p.wantState(c.ID, Draft, "")
	}
}
