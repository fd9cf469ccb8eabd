package memory

import (
	"testing"

	"github.com/loam-data/loam/sdk"
)

// The changes of a page are those of its file, whichever kind; a revision comes back only over the version that was seen.
func TestPageChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	if of, err := s.PageChanges(t.Context(), "wiki/global/churn.md"); err != nil || of != nil {
		t.Fatalf("before anything was remembered: %v, %v", of, err)
	}
	f.write(t, "wiki/global/churn.md", "# Churn\n\nMine.\n")
	_, first, err := s.PageFile(t.Context(), "churn")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WritePage(t.Context(), PageWrite{Key: "churn", Content: "# Churn\n\nTheirs.\n", Base: first, Actor: agent}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WritePage(t.Context(), PageWrite{Key: "other", Content: "# Other\n", Actor: agent}); err != nil {
		t.Fatal(err)
	}
	of, err := s.PageChanges(t.Context(), "wiki/global/churn.md")
	if err != nil || len(of) != 1 || of[0].Shown() != "pending" || of[0].Target != "churn" {
		t.Fatalf("%+v, %v", of, err)
	}
	if _, err := s.WritePage(t.Context(), PageWrite{Key: "churn", Content: "# Churn\n\nNew.\n", Base: first, Actor: reviewer}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RevertPageFrom(t.Context(), "churn", 1, PageWrite{Base: first, Actor: reviewer}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("over another version: %v", err)
	}
	_, now, err := s.PageFile(t.Context(), "churn")
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.RevertPageFrom(t.Context(), "churn", 1, PageWrite{Base: now, Actor: reviewer})
	if err != nil || done.State != "applied" {
		t.Errorf("%+v, %v", done, err)
	}
	if text := f.read(t, "wiki/global/churn.md"); text != "# Churn\n\nMine.\n" {
		t.Errorf("the page is %q", text)
	}
}

// The history of a page shows a person's edit that is not stored yet, with its text, and stores nothing.
func TestHistoryWritesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	if _, err := s.WritePage(t.Context(), PageWrite{Key: "churn", Content: "# Churn\n\nFirst.\n", Actor: reviewer}); err != nil {
		t.Fatal(err)
	}
	f.write(t, "wiki/global/churn.md", "# Churn\n\nBy hand.\n")
	for range 2 {
		all, err := s.PageHistory(t.Context(), "churn")
		if err != nil || len(all) != 2 || all[0].N != 2 || all[0].Origin != "person" || all[0].At.IsZero() {
			t.Fatalf("%+v, %v", all, err)
		}
		if text, err := s.PageVersionText(t.Context(), "churn", 2); err != nil || text != "# Churn\n\nBy hand.\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
	state, err := s.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := state.MemoryRevisions(t.Context(), "wiki/global/churn.md"); err != nil || len(rows) != 1 {
		t.Errorf("%d revisions are stored, %v", len(rows), err)
	}
	_, now, err := s.PageFile(t.Context(), "churn")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RevertPageFrom(t.Context(), "churn", 1, PageWrite{Base: now, Actor: reviewer}); err != nil {
		t.Fatal(err)
	}
	if text, err := s.PageVersionText(t.Context(), "churn", 2); err != nil || text != "# Churn\n\nBy hand.\n" {
		t.Errorf("a write keeps what was there: %q, %v", text, err)
	}
}
