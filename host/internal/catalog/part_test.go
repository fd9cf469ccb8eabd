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
	shapes := map[string]Hash{}
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
