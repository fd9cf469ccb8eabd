package indexer

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// A table is found by what it refers to, be that declared or inferred; what a scan infers
// anew makes the index anew.
func TestFoundByWhatItJoins(t *testing.T) {
	t.Parallel()
	p := newProject(t, "wh")
	commit := func(sync int, keys []sdk.Key, inferred ...relationship.Relationship) {
		t.Helper()
		w, err := catalog.Open(filepath.Join(p.dir, "catalog", "wh"), "wh").Begin(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		fact := table("w.fact", "day", "net_revenue", "prod")
		fact.Keys = keys
		for _, one := range []*sdk.Table{fact, table("w.revenue_plan", "day"), table("w.products", "nr", "title")} {
			if err := w.Table(one); err != nil {
				t.Fatal(err)
			}
		}
		data, err := (&relationship.Result{Relationships: inferred}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		w.Attach(data)
		if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: string(rune('a' + sync)), ExtractedAt: time.Unix(int64(sync), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	link := relationship.Link{
		From: sdk.TableRef{Schema: "w", Name: "fact"}, Columns: []string{"prod"},
		To: sdk.TableRef{Schema: "w", Name: "products"}, ToColumns: []string{"nr"},
	}
	h := p.host()
	first := func() string {
		t.Helper()
		return found(t, h.current(), "revenue by title")[0]
	}
	commit(1, nil)
	if got := first(); got == "w.fact" {
		t.Errorf("without a reference %s is first", got)
	}
	commit(2, nil, relationship.Relationship{Link: link, Origin: relationship.Inferred, Status: relationship.Review})
	if got := first(); got == "w.fact" {
		t.Errorf("with one that nobody accepted %s is first", got)
	}
	commit(3, nil, relationship.Relationship{Link: link, Origin: relationship.Inferred, Status: relationship.Accepted})
	if got := first(); got != "w.fact" {
		t.Errorf("with an inferred one %s is first", got)
	}
	commit(4, []sdk.Key{{Kind: sdk.KeyForeign, Columns: link.Columns, Ref: sdk.TableRef{Name: "products"}, RefColumns: link.ToColumns}})
	if got := first(); got != "w.fact" {
		t.Errorf("with a declared one %s is first", got)
	}
}
