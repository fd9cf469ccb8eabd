package catalog

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A history that did not change is not decoded again, however much connectors note in it; one that another process
// changed is.
func TestHistoryIsDecodedOnce(t *testing.T) {
	dir := t.TempDir()
	c := Open(dir, "wh")
	scan := func(of *Catalog, id string) {
		t.Helper()
		w := begin(t, of, false)
		add(t, w, table("s."+id, "id"))
		if _, err := w.Commit(t.Context(), Identity{SyncID: id, Since: strings.Repeat("x", 1<<20)}); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-time.Hour) // its time and size prove that it is unchanged
		if err := os.Chtimes(c.headPath(), long, long); err != nil {
			t.Fatal(err)
		}
	}
	allocations := func(want int) float64 {
		t.Helper()
		return testing.AllocsPerRun(5, func() {
			if all, err := c.History(); err != nil || len(all) != want || all[0].SyncID != fmt.Sprint("s", want) {
				t.Errorf("%d snapshots, %v", len(all), err)
			}
		})
	}
	scan(c, "s1")
	one := allocations(1)
	latest(t, c)
	other := Open(dir, "wh")
	for i := 2; i <= Kept; i++ {
		scan(other, fmt.Sprint("s", i))
	}
	if ten := allocations(Kept); ten > one+2 {
		t.Errorf("%v allocations with one snapshot, %v with %d", one, ten, Kept)
	}
	if m := latest(t, c); m.SyncID != fmt.Sprint("s", Kept) {
		t.Errorf("the last snapshot is %s", m.SyncID)
	}
	all, err := c.History()
	if err != nil {
		t.Fatal(err)
	}
	all[0].SyncID = "mine"
	if again, err := c.History(); err != nil || again[0].SyncID == "mine" {
		t.Errorf("a caller's change is in the history: %v", err)
	}
}
