package catalog

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), "wh")
	w, err := c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []sdk.TableRef{{Schema: "b", Name: "y"}, {Schema: "a", Name: "z"}, {Schema: "b", Name: "x"}, {Catalog: "c", Schema: "a", Name: "z"}} {
		if err := w.Table(&sdk.Table{TableRef: ref, Columns: []sdk.Column{{Name: "id"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), Identity{SyncID: "s"}); err != nil {
		t.Fatal(err)
	}
	s, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	want := []Schema{{Name: "a", Tables: 1}, {Name: "b", First: 1, Tables: 2}, {Catalog: "c", Name: "a", First: 3, Tables: 1}}
	if diff := cmp.Diff(want, slices.Collect(s.Schemas())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if one, ok := s.Schema("", "b"); !ok || one != want[1] {
		t.Errorf("schema b: %+v, %t", one, ok)
	}
	for _, name := range []string{"", "aa", "d"} {
		if one, ok := s.Schema("", name); ok {
			t.Errorf("schema %q: %+v", name, one)
		}
	}
	if at, ok := s.Position(sdk.TableRef{Schema: "b", Name: "xx"}); ok || at != 2 {
		t.Errorf("the table behind a missing one is at %d, %t", at, ok)
	}
	for display, is := range map[string]bool{"b.x": true, `b."x"`: false, `"a.b".c`: true, "": false} {
		if ref, ok := Parse(display); ok != is {
			t.Errorf("%q is %v, %t", display, ref, ok)
		}
	}
}

// Who asks for a snapshot that somebody has shares its directory.
func TestSharedPack(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), "wh")
	for _, id := range []string{"s1", "s2"} {
		w, err := c.Begin(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Table(&sdk.Table{TableRef: sdk.TableRef{Name: "t" + id}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context(), Identity{SyncID: id}); err != nil {
			t.Fatal(err)
		}
	}
	latest, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	var packs []*pack
	for _, id := range []string{"s2", "s1", "s1"} {
		s, err := c.Snapshot(id)
		if err != nil || s.SyncID != id {
			t.Fatalf("%s: %+v, %v", id, s, err)
		}
		packs = append(packs, s.pack)
	}
	if packs[0] != latest.pack || packs[1] != packs[2] || packs[0] == packs[1] {
		t.Error("packs are opened again")
	}
	path := c.packPath(latest.Content)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Replace(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Snapshot("s2"); err != nil || s.pack == latest.pack {
		t.Errorf("a file that was replaced is not opened: %v", err)
	}
}
