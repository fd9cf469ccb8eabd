package catalog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// What a scan has written can be read back before it is committed, and is then
// what the snapshot shows: with few tables, and with so many that there is a
// dictionary.
func TestReadBack(t *testing.T) {
	t.Parallel()
	for _, many := range []int{3, 700} {
		t.Run(fmt.Sprint(many, " tables"), func(t *testing.T) {
			t.Parallel()
			c := Open(filepath.Join(t.TempDir(), "wh"), "wh")
			made := func(i int, columns ...string) *sdk.Table {
				one := table(fmt.Sprintf("s.t%03d", i), columns...)
				one.Comment = strings.Repeat(fmt.Sprint("about table ", i), 150)
				return one
			}
			w := begin(t, c, false)
			for i := range many {
				add(t, w, made(i, "id", "name"))
				if err := w.Profile(sdk.TableRef{Schema: "s", Name: fmt.Sprintf("t%03d", i)}, profile("kept")); err != nil {
					t.Fatal(err)
				}
			}
			commit(t, w, "s1")

			w = begin(t, c, false)
			same, changed, added := made(0, "id", "name"), made(1, "name"), made(many, "id")
			same.RowEstimate = 7
			add(t, w, same, changed, added, made(2, "id", "name"))
			fresh := profile("fresh")
			for _, p := range []*Profile{profile("first"), fresh} { // the last one counts
				if err := w.Profile(sdk.TableRef{Schema: "s", Name: "t002"}, p); err != nil {
					t.Fatal(err)
				}
			}
			want := []*Written{
				{Table: *same, EstimateBefore: -1, Profile: profile("kept")},
				{Table: *changed, Changed: true, EstimateBefore: -1},
				{Table: *made(2, "id", "name"), EstimateBefore: -1, Profile: fresh, Counted: true},
				{Table: *added, New: true, EstimateBefore: -1},
			}
			var got []*Written
			for _, ref := range w.Refs() {
				one, err := w.Read(ref)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			commit(t, w, "s2")
			m := latest(t, c)
			for i, one := range got {
				p, err := m.Profile(i)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(one.Profile, p); diff != "" {
					t.Errorf("the snapshot's profile of %s (-read back +committed):\n%s", one.Name, diff)
				}
			}
			if _, err := w.Read(sdk.TableRef{Name: "none"}); sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("a table that was not added: %v", err)
			}
		})
	}
}
