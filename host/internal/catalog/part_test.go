package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
)

// What Shape and ForeignKeys read of a table is what At reads of it, whatever stands around columns and keys.
func TestPartsOfTables(t *testing.T) {
	t.Parallel()
	plain, rich, other, keyless := table("s.plain", "id", "name"), table("s.rich", "id", "name"), table("s.other", "id", "name"), table("s.keyless", "idname")
	foreign := sdk.Key{Kind: sdk.KeyForeign, Name: "fk", Columns: []string{"id"}, Ref: sdk.TableRef{Schema: "s", Name: "plain"}, RefColumns: []string{"id"}, Enforced: true}
	rich.Comment, rich.Definition, rich.Fingerprint, rich.Properties = "a comment", "SELECT 1", "f", map[string]string{"engine": "x", "order": "y"}
	rich.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}, foreign, {Kind: sdk.KeyForeign, Columns: []string{"name"}, Ref: sdk.TableRef{Name: "gone"}, RefColumns: []string{"a"}}}
	rich.Columns[1].Comment, rich.Columns[1].Default, rich.Columns[1].Properties = "c", "d", map[string]string{"codec": "z"}
	rich.Columns[1].Nullable, rich.Columns[1].Precision, rich.Columns[1].Repeated = true, -3, true
	rich.Columns[1].Fields = []sdk.Column{{Name: "inner", NativeType: "text"}}
	other.Columns[1].NativeType = "text"
	other.Keys = []sdk.Key{foreign}
	s := latest(t, scanned(t, plain, rich, other, keyless))
	shapes, declared, together := map[string]Hash{}, map[int][]sdk.Key{}, map[int][]sdk.Key{}
	for i, e := range s.Entries() {
		whole, err := s.At(i)
		if err != nil {
			t.Fatal(err)
		}
		if shapes[e.Name], err = s.Shape(i); err != nil {
			t.Fatal(err)
		}
		keys, err := s.ForeignKeys(i)
		if err != nil {
			t.Fatal(err)
		}
		var want []sdk.Key
		for _, k := range whole.Keys {
			if k.Kind == sdk.KeyForeign {
				want = append(want, k)
			}
		}
		if diff := cmp.Diff(want, keys); diff != "" {
			t.Errorf("foreign keys of %s (-want +got):\n%s", e.Name, diff)
		}
		if want != nil {
			declared[i] = want
		}
	}
	if err := s.EachForeignKey(s.Referring(), func(i int, k sdk.Key) { together[i] = append(together[i], k) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(declared, together); diff != "" {
		t.Errorf("foreign keys of all tables (-want +got):\n%s", diff)
	}
	if shapes["plain"] != shapes["rich"] || shapes["plain"] == shapes["other"] || shapes["plain"] == shapes["keyless"] {
		t.Errorf("shapes %x", shapes)
	}
}

// The shape of a table of ten times the columns takes no more allocations, and a table without foreign keys is not
// read for them.
func TestPartsMakeNoTable(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, "column_"+string(rune('a'+i%26))+string(rune('a'+i/26)))
	}
	s := latest(t, scanned(t, table("s.narrow", names[:30]...), table("s.wide", names...)))
	for i := range s.Len() {
		if n := testing.AllocsPerRun(20, func() {
			if _, err := s.Shape(i); err != nil {
				t.Fatal(err)
			}
		}); n > 8 {
			t.Errorf("%s: %.0f allocations of Shape", s.Entry(i).Name, n)
		}
		if n := testing.AllocsPerRun(20, func() {
			if keys, err := s.ForeignKeys(i); keys != nil || err != nil {
				t.Fatal(keys, err)
			}
		}); n > 0 {
			t.Errorf("%s: %.0f allocations of ForeignKeys", s.Entry(i).Name, n)
		}
	}
}

// Blocks that are near each other in the file are read at once, up to a bound.
func TestRun(t *testing.T) {
	t.Parallel()
	at := func(offset int64, size uint32) place { return place{offset: offset, size: size} }
	for _, tt := range []struct {
		name   string
		places []place
		n      int
		size   int
	}{
		{"one", []place{at(64, 10)}, 1, 10},
		{"side by side", []place{at(64, 10), at(74, 5)}, 2, 15},
		{"with others between them", []place{at(64, 10), at(74+maxGap, 5), at(900000, 1)}, 2, 15 + maxGap},
		{"far from each other", []place{at(64, 10), at(75+maxGap, 5)}, 1, 10},
		{"backwards", []place{at(64, 10), at(0, 5)}, 1, 10},
		{"the same twice", []place{at(64, 10), at(64, 10)}, 1, 10},
		{"as long as one may be", []place{at(0, maxRun-5), at(maxRun-5, 5), at(maxRun, 1)}, 2, maxRun},
		{"longer than one may be", []place{at(0, maxRun+5), at(maxRun+5, 5)}, 1, maxRun + 5},
	} {
		if n, size := run(tt.places); n != tt.n || size != tt.size {
			t.Errorf("%s: %d blocks of %d bytes, not %d of %d", tt.name, n, size, tt.n, tt.size)
		}
	}
}
