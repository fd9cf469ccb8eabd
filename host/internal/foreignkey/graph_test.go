package foreignkey

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
)

// After a decision the graph is made without reading the tables of the snapshot again.
func TestGraphAfterDecision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	decisions := filepath.Join(dir, "wh.json")
	s := NewSet(func(connection.ID) string { return decisions })
	c := catalog.Open(filepath.Join(dir, "catalog"), "wh")
	suspected := relationship.Relationship{Link: link("orders", "agent_id", "agents"), Origin: relationship.Inferred, Status: relationship.Review, Score: .5}
	snapshot := scan(t, c, suspected)
	to := func(g *Graph) (all []string) {
		for _, name := range []string{"agents", "customers"} {
			for _, r := range g.To[ref(name)] {
				all = append(all, string(r.Origin)+" "+r.To.Name)
			}
		}
		return all
	}
	before, err := keys(t, s, snapshot).Graph(t.Context())
	if err != nil || len(to(before)) != 1 {
		t.Fatalf("before: %v, %v", before, err)
	}
	if again, err := keys(t, s, snapshot).Graph(t.Context()); again != before || err != nil {
		t.Errorf("nothing changed, but the graph did: %v", err)
	}
	packs, err := filepath.Glob(filepath.Join(dir, "catalog", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("%v, %v", packs, err)
	}
	if err := os.Truncate(packs[0], 0); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.ForeignKeys(0); err == nil {
		t.Fatal("the tables can still be read")
	}
	if err := relationship.PutDecisions(decisions, relationship.Decisions{{Link: suspected.Link, Status: relationship.Accepted}}); err != nil {
		t.Fatal(err)
	}
	after, err := keys(t, s, snapshot).Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := to(after); len(got) != 2 || got[0] != "person agents" || got[1] != "declared customers" {
		t.Errorf("after: %v", got)
	}
}

// Many callers at once make a value once.
func TestOnce(t *testing.T) {
	t.Parallel()
	var value once[int]
	var made atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			got, err := value.get(t.Context(), func(context.Context) (int, error) {
				made.Add(1)
				return 7, nil
			})
			if got != 7 || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
	if all.Wait(); made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
	var failed once[int]
	if _, err := failed.get(t.Context(), func(context.Context) (int, error) { return 0, os.ErrClosed }); err == nil {
		t.Error("no error")
	}
	if got, err := failed.get(t.Context(), func(context.Context) (int, error) { return 1, nil }); got != 1 || err != nil {
		t.Errorf("after a failure: %d, %v", got, err)
	}
}
