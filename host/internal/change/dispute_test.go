package change

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A contradiction is known to every process from the moment that it is proposed until somebody decides.
func TestDisputes(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Kinds = map[Kind]Form{Page: lines{}, Unit: lines{}}
	if d, err := p.Disputes(t.Context()); err != nil || d.OfPage(page) != nil {
		t.Fatalf("of nothing: %+v, %v", d, err)
	}
	first := p.applied(agent, "30 days")
	other := New(p.Config) // of another process
	if d, err := other.Disputes(t.Context()); err != nil || d != nil {
		t.Fatalf("of what agrees: %+v, %v", d, err)
	}
	says := says("90 days")
	says.Conflicts = []Conflict{{Says: "30 days", By: "codex", At: first.At, Change: first.ID, Path: page}, {Says: "a month", Path: "wiki/global/mine.md"}}
	says.Why = []string{WhyConflict}
	pending := p.propose(agent, says)[0].Change
	unit := Proposal{Kind: Unit, Connection: "shop", Target: "orders.amount", Path: page, Says: "EUR", Value: "eur", Conflicts: []Conflict{{Says: "cents"}}}
	member := p.propose(agent, unit)[0].Change

	d, err := other.Disputes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]Dispute{"page": d.OfPage(page), "a person's": d.OfPage("wiki/global/mine.md"), "member": d.OfMember("shop", "sales.orders.amount", "orders.amount", "orders.amount"), "elsewhere": d.OfMember("bank", "orders.amount")}
	by := func(c *Change) Conflict { return Conflict{Says: c.Says, By: c.By.Name(), At: c.At, Change: c.ID} }
	want := map[string][]Dispute{
		"page":       {{Conflict: by(&pending), Against: Conflict{Says: "30 days", By: "codex", At: first.At, Change: first.ID}}},
		"a person's": {{Conflict: by(&pending), Against: Conflict{Says: "a month", By: "person"}}},
		"member":     {{Conflict: by(&member), Against: Conflict{Says: "cents", By: "person"}, Connection: "shop"}},
		"elsewhere":  nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, err := other.Disputes(t.Context()); err != nil || again != d {
		t.Errorf("read again though nothing changed: %v", err)
	}
	for _, id := range []ID{pending.ID, member.ID} {
		if _, _, err := p.Reject(t.Context(), id, Decision{By: person}); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := other.Disputes(t.Context()); err != nil || d != nil {
		t.Errorf("after the decision: %+v, %v", d, err)
	}
}

func TestDraftOf(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	if c, err := p.DraftOf(t.Context(), "", "arr"); c != nil || err != nil {
		t.Errorf("of nothing: %+v, %v", c, err)
	}
	draft := p.applied(agent, "one")
	if c, err := p.DraftOf(t.Context(), "", draft.Target); err != nil || c == nil || c.ID != draft.ID {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := p.Approve(t.Context(), draft.ID, Decision{By: person}); err != nil {
		t.Fatal(err)
	}
	if c, err := p.DraftOf(t.Context(), "", draft.Target); c != nil || err != nil {
		t.Errorf("of what was reviewed: %+v, %v", c, err)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	long := Dispute{Conflict: Conflict{Says: strings.Repeat("ä", 400), At: time.Unix(1, 0)}, Against: Conflict{Says: strings.Repeat("b", 200)}}
	short := Dispute{Conflict: Conflict{Says: "x"}}
	for name, tt := range map[string]struct {
		all         []Dispute
		shown, more int
	}{
		"none":                {nil, 0, 0},
		"five":                {[]Dispute{short, short, short, short, short}, 5, 0},
		"six":                 {[]Dispute{short, short, short, short, short, short}, 5, 1},
		"exactly as long":     {[]Dispute{long, long}, 2, 0},
		"longer by a letter":  {[]Dispute{long, long, short}, 2, 1},
		"the longer one last": {[]Dispute{short, long, long}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Shown(tt.all); len(got.Conflicts) != tt.shown || got.MoreConflicts != tt.more {
				t.Errorf("%d shown and %d more, want %d and %d", len(got.Conflicts), got.MoreConflicts, tt.shown, tt.more)
			}
		})
	}
}
