package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestDisplay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ref  sdk.TableRef
		want string
	}{
		{sdk.TableRef{Name: "orders"}, "orders"},
		{sdk.TableRef{Schema: "public", Name: "orders"}, "public.orders"},
		{sdk.TableRef{Catalog: "wh", Schema: "public", Name: "orders"}, "wh.public.orders"},
		{sdk.TableRef{Catalog: "wh", Name: "orders"}, `wh."".orders`},
		{sdk.TableRef{Schema: "public"}, `public.""`},
		{sdk.TableRef{}, `""`},
		{sdk.TableRef{Schema: "a.b", Name: "c"}, `"a.b".c`},
		{sdk.TableRef{Schema: "a", Name: "b.c"}, `a."b.c"`},
		{sdk.TableRef{Name: "."}, `"."`},
		{sdk.TableRef{Name: `we"ird`}, `"we""ird"`},
		{sdk.TableRef{Name: `"`}, `""""`},
		{sdk.TableRef{Name: "`we`ird`"}, "`we`ird`"},
		{sdk.TableRef{Name: "[a]'b'"}, "[a]'b'"},
		{sdk.TableRef{Name: "Order Details"}, "Order Details"},
		{sdk.TableRef{Name: " orders"}, `" orders"`},
		{sdk.TableRef{Name: "a\nb\x00\u202e"}, "\"a\nb\x00\u202e\""},
		{sdk.TableRef{Schema: "größe", Name: "😀"}, "größe.😀"},
	} {
		if got := Display(tc.ref); got != tc.want {
			t.Errorf("Display(%#v) = %s, want %s", tc.ref, got, tc.want)
		}
	}
}

// dialects are engines that quote and fold differently.
func dialects() map[string]*dialect.Dialect {
	double := dialect.Quote{Open: `"`, Close: `"`, Doubled: true}
	back := dialect.Quote{Open: "`", Close: "`", Doubled: true}
	bracket := dialect.Quote{Open: "[", Close: "]", Doubled: true}
	all := map[string]*dialect.Dialect{"unknown": nil}
	for name, quotes := range map[string][]dialect.Quote{"double": {double}, "back": {back}, "all": {double, back, bracket}} {
		for _, folding := range []dialect.Folding{dialect.FoldNone, dialect.FoldLower, dialect.FoldUpper, dialect.FoldInsensitive} {
			all[name+" "+string(folding)] = &dialect.Dialect{Folding: folding, Lexis: dialect.Lexis{Identifiers: quotes}}
		}
	}
	return all
}

// Every table is found by what it is shown as, whatever the others are called
// and the engine makes of it.
func TestFindDisplayed(t *testing.T) {
	t.Parallel()
	odd := []string{"", "a", "A", "b", "a.b", `a"b`, `"a"`, "`a`", "[a]", `"`, `""`, ".", `a"."b`, "😀", " a", "a\x00", strings.Repeat("ä", 300), strings.Repeat(`"`, 5000)}
	var tables []*sdk.Table
	for _, catalog := range []string{"", "a", "a.b"} {
		for _, schema := range odd[:12] {
			for _, name := range odd {
				tables = append(tables, &sdk.Table{TableRef: sdk.TableRef{Catalog: catalog, Schema: schema, Name: name}})
			}
		}
	}
	m := latest(t, scanned(t, tables...))
	shown := map[string]bool{}
	for name, d := range dialects() {
		for i, e := range m.Entries() {
			display := Display(e.TableRef)
			shown[display] = true
			if got, err := m.Find(d, display); err != nil || got != i {
				t.Fatalf("%s: Find(%.80s) = %d, %v; want %d", name, display, got, err, i)
			}
			if got, ok := m.Position(e.TableRef); !ok || got != i {
				t.Fatalf("Position(%#v) = %d, %t; want %d", e.TableRef, got, ok, i)
			}
		}
	}
	if len(shown) != m.Len() {
		t.Errorf("%d tables are shown as %d names", m.Len(), len(shown))
	}
	if _, ok := m.Position(sdk.TableRef{Name: "none"}); ok {
		t.Error("a table that is not there has a position")
	}
}

// What is offered instead of a name that is wrong is found as it is.
func TestCandidatesAreFound(t *testing.T) {
	t.Parallel()
	m := latest(t, scanned(t, table("a.b"), table("c.b"), table("a.b.c"), table("a.order.items"), table(`a.we"ird`),
		table("a.visit_2024_9"), table("a.visit_2024_10"), table("c.visit_2024_1"), table("a.visitor"), table("a.visit_2024_10_old")))
	for asked, want := range map[string][]string{
		"b":                {"a.b", "c.b"},
		`x."order.items"`:  {`a."order.items"`},
		`"order.itms"`:     {`a."order.items"`},
		`a."weird"`:        {`a."we""ird"`},
		`a."order.items".`: nil,
		"visit":            {"a.visit_2024_10", "c.visit_2024_1"}, // the newest copies
		"a.VISIT_2024":     {"a.visit_2024_10", "c.visit_2024_1"},
		"a.visti_2024_9":   {"a.visit_2024_9"}, // of copies the closest
		"vsit":             {"a.visit_2024_10", "c.visit_2024_1"},
	} {
		_, err := m.Find(nil, asked)
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil {
			t.Fatalf("%s was found", asked)
		}
		if diff := cmp.Diff(want, e.Candidates); diff != "" {
			t.Errorf("%s (-want +got):\n%s", asked, diff)
		}
		for _, c := range e.Candidates {
			if _, err := m.Find(nil, c); err != nil {
				t.Errorf("the candidate %s for %s: %v", c, asked, err)
			}
		}
	}
}

func FuzzDisplay(f *testing.F) {
	f.Add("", "public", "orders", "a.b")
	f.Add("a.b", "", `"`, `"".""`)
	f.Add("`", "\x00", "\xff", "a..b")
	f.Fuzz(func(t *testing.T, catalog, schema, name, other string) {
		ref := sdk.TableRef{Catalog: catalog, Schema: schema, Name: name}
		if got, ok := undisplay(Display(ref)); !ok || got != ref {
			t.Errorf("%#v is shown as %q and read as %#v, %t", ref, Display(ref), got, ok)
		}
		if read, ok := undisplay(other); ok {
			if again, ok := undisplay(Display(read)); !ok || again != read {
				t.Errorf("%q is read as %#v, and that as %#v, %t", other, read, again, ok)
			}
		}
	})
}

// BigQuery compares the names of columns without case, and those of tables with it.
func TestFindFoldsAsTablesDo(t *testing.T) {
	t.Parallel()
	m := latest(t, scanned(t, &sdk.Table{TableRef: sdk.TableRef{Schema: "lab", Name: "Orders"}}))
	columns := dialect.Dialect{Folding: dialect.FoldInsensitive}
	tables := columns
	tables.TableFolding = dialect.FoldNone
	if _, err := m.Find(&columns, "lab.orders"); err != nil {
		t.Errorf("without a folding of tables: %v", err)
	}
	if _, err := m.Find(&tables, "lab.orders"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a table in another case is found: %v", err)
	}
}
