package discover

import (
	"context"
	"testing"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/search"
)

// oneNote is a checkpoint and a remediation that every search finds.
type oneNote struct{}

func (oneNote) FindCheckpoints(context.Context, note.Query) ([]note.Found[note.Checkpoint], error) {
	c := note.Checkpoint{Summary: "Revenue agrees", Description: "with finance"}
	c.Author = "agent"
	return []note.Found[note.Checkpoint]{{Note: c, Hit: search.Hit{Kind: search.Checkpoint, ID: "1", Score: 1}}}, nil
}

func (oneNote) FindRemediations(context.Context, note.Query) ([]note.Found[note.Remediation], error) {
	r := note.Remediation{ErrorType: "E", ErrorMessage: "m", Solution: "s", Review: note.Approved}
	return []note.Found[note.Remediation]{{Note: r, Hit: search.Hit{Kind: search.Remediation, ID: "2", Score: 1}}}, nil
}

// Notes are found only by a search that names their kind.
func TestNotesAreFoundWhenAskedFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Notes = oneNote{}
	for kind, want := range map[string]Ref{
		"checkpoint": {ID: "1", Standing: Standing{Trust: "agent"}}, "remediation": {ID: "2", Standing: Standing{Trust: "reviewed"}},
	} {
		a, err := f.Search(t.Context(), SearchRequest{Query: "revenue", Kinds: []string{kind}})
		if err != nil || len(a.Refs) != 1 || a.Refs[0].ID != want.ID || a.Refs[0].Trust != want.Trust || a.Refs[0].Kind != kind {
			t.Errorf("%s: %+v, %v", kind, a, err)
		}
	}
	f.scan(t, "shop", snapshot{})
	a, err := f.Search(t.Context(), SearchRequest{Query: "revenue"})
	if err != nil || len(a.Refs) != 0 {
		t.Errorf("without a kind: %+v, %v", a, err)
	}
}
