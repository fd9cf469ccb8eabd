package wiki

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// The text of a page is that of the view it comes from, or refused.
func TestBody(t *testing.T) {
	t.Parallel()
	dir := made(t, map[string]string{"global/a.md": "---\ntitle: A\n---\none", "user/ann/a.md": "of Ann"})
	w := wiki(t, dir, "")
	var pages []*Page
	for p := range view(t, w).Pages() {
		pages = append(pages, p)
	}
	if len(pages) != 1 || pages[0].Key != "a" {
		t.Fatalf("pages %+v", pages)
	}
	if body, err := w.Body(pages[0]); err != nil || body != "one" {
		t.Errorf("the text is %q, %v", body, err)
	}
	put(t, dir, "global/a.md", "---\ntitle: A\n---\ntwo")
	if body, err := w.Body(pages[0]); body != "" || !sdk.AsError(err, sdk.SourceHost).Retry {
		t.Errorf("of a page that was changed: %q, %v", body, err)
	}
	if err := os.Remove(filepath.Join(dir, "global/a.md")); err != nil {
		t.Fatal(err)
	}
	if body, err := w.Body(pages[0]); body != "" || !sdk.AsError(err, sdk.SourceHost).Retry {
		t.Errorf("of a page that was removed: %q, %v", body, err)
	}
}

// Of many who look at once each sees what was there when it asked, though they
// share looks.
func TestManyLook(t *testing.T) {
	t.Parallel()
	dir := made(t, nil)
	w := wiki(t, dir, "")
	const writers, edits = 16, 20
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			key := fmt.Sprintf("page-%d", i)
			for n := range edits {
				put(t, dir, "global/"+key+".md", fmt.Sprintf("# %03d", n))
				v, err := w.View(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if p, err := v.Page(key); err != nil || p.Title != fmt.Sprintf("%03d", n) {
					t.Errorf("edit %d of %s: %+v, %v", n, key, p, err)
				}
			}
		})
	}
	all.Wait()
}

// More files than one goroutine takes, in several folders.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	dir := made(t, nil)
	const pages = 700
	key := func(i int) string { return fmt.Sprintf("sub%d/page-%04d", i%2, i) }
	old := time.Now().Add(-time.Hour)
	for i := range pages {
		put(t, dir, "global/"+key(i)+".md", fmt.Sprintf("# Page %d", i))
		if err := os.Chtimes(filepath.Join(dir, "global", key(i)+".md"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	w := wiki(t, dir, "")
	before := view(t, w)
	if before.Len() != pages || before.Problems() != nil {
		t.Fatalf("%d pages and %v, want %d", before.Len(), before.Problems(), pages)
	}
	if view(t, w) != before {
		t.Error("nothing changed, but the view did")
	}
	var want Changes
	for i := range pages {
		switch {
		case i%100 == 1:
			put(t, dir, "global/"+key(i)+".md", "# Another")
			want.Changed = append(want.Changed, key(i))
		case i%100 == 2:
			if err := os.Remove(filepath.Join(dir, "global", key(i)+".md")); err != nil {
				t.Fatal(err)
			}
			want.Removed = append(want.Removed, key(i))
		}
	}
	after := view(t, w)
	sorted := cmp.Transformer("sorted", func(keys []string) map[string]bool {
		all := map[string]bool{}
		for _, k := range keys {
			all[k] = true
		}
		return all
	})
	if diff := cmp.Diff(want, after.Since(before), sorted); diff != "" || after.Len() != pages-len(want.Removed) {
		t.Errorf("%d pages; changes (-want +got):\n%s", after.Len(), diff)
	}
}
