package model

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// Sources that refer to each other are made by many goroutines and by two models that
// share them; each gets what a model gets that is asked by one.
func TestMembersAreMadeWhenAsked(t *testing.T) {
	t.Parallel()
	names, contents := folder(30)
	contents[3] = append(contents[3], "  - {role: gone, to: nowhere, on: source_3.id = gone.id, relationship: many_to_one}\n"...)
	names = append(names, "bad.yaml")
	contents = append(contents, []byte("name: bad\ntable: generated.bad\nmeasures:\n  - {name: a, expr: sum(nothing.x)}\n  - {name: b, type: derived, expr: a + 1}\n  - {name: c, type: derived, expr: source_3.revenue + source_9.revenue}\n"))
	want := dump(Build(Input{Files: parseAll(names, contents)}))

	m := Build(Input{Files: parseAll(names, contents)})
	for s := range m.Outlines() {
		if s.Dimensions != nil || s.Measures != nil || s.Segments != nil || s.draft.memberDrafts != nil || s.made.Load() != nil {
			t.Fatalf("%s has members that nobody asked for", s.Name)
		}
		calls := 0
		for range s.Called() {
			calls++
		}
		if calls == 0 || s.made.Load() != nil {
			t.Fatalf("%s is called in %d ways, or made its members to tell", s.Name, calls)
		}
	}
	next := m.With(Parse(names[29], contents[29]))
	var got [8]string
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			if i%2 == 0 {
				got[i] = dump(m)
			} else {
				got[i] = dump(next)
			}
		})
	}
	all.Wait()
	for i := range got {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Fatalf("(-one after the other +at once):\n%s", diff)
		}
	}
}

// What tables without files have in common is shared, and stays empty whatever their model becomes.
func TestSharedStaysEmpty(t *testing.T) {
	t.Parallel()
	shared := func(m *Model, name string) (n int) {
		s := source(t, m, name)
		if s.Particulars == noParticulars {
			n++
		}
		if s.draft.remarks == noRemarks {
			n++
		}
		return n
	}
	overlay := func(text string) *File { return Parse("log.yaml", []byte("name: shop.log\n"+text)) }
	m := Build(Input{Tables: shop()})
	if got := shared(m, "shop.log"); got != 2 {
		t.Errorf("a table without files shares %d of 2 parts", got)
	}
	columns := shop()[0].Columns
	copies := Build(Input{Tables: []*Table{{Ref: refNamed("a.one"), Columns: columns}, {Ref: refNamed("a.two"), Columns: columns}, {Ref: refNamed("a.three"), Columns: columns[:1]}}})
	if one, two, three := copies.outline(1).draft.calls, copies.outline(2).draft.calls, copies.outline(3).draft.calls; one != three && two != three && one != two || len(one.names)+len(two.names)+len(three.names) != 8 {
		t.Errorf("of copies: %+v, %+v, %+v", one, two, three)
	}
	next := m.With(overlay("measures: [{name: wrong, agg: sum, expr: nowhere.x}, {name: a, type: derived, expr: b}, {name: b, type: derived, expr: a}]\ndimensions: [{name: Line, expr: upper(line)}]\n"))
	if got := shared(next, "shop.log"); got != 0 {
		t.Errorf("a table with a file shares %d parts", got)
	}
	if last := next.With(&File{Path: "log.yaml"}); shared(last, "shop.log") != 2 || dump(last) != dump(m) {
		t.Error("the table without its file is not as before")
	}
	if !noParticulars.none() || noMembers.Dimensions != nil || noRemarks.problems != nil || noRemarks.warnings != nil || noRemarks.mentions != nil || noRemarks.file != "" {
		t.Errorf("%+v, %+v, %+v", noParticulars, noMembers, noRemarks)
	}
}

// Names are found in any case, and those with a schema by all parts, among sources of the same name.
func TestSourcesOfOneName(t *testing.T) {
	t.Parallel()
	var tables []*Table
	for _, name := range []string{"b.orders", "a.ORDERS", "a.orders", "c.Orders", "c.order", "c.orders_old", "z.ähre", "z.ÄHRE"} {
		tables = append(tables, &Table{Ref: refNamed(name), Columns: []Column{{Name: "id", Type: sdk.TypeInt64}}})
	}
	m := Build(Input{Tables: tables})
	for name, want := range map[string]int{"orders": 4, "ORDERS": 4, "order": 1, "orders_old": 1, "ähre": 2, "orderz": 0, "": 0} {
		if got := m.named(name); len(got) != want {
			t.Errorf("%q: %d sources, want %d", name, len(got), want)
		}
	}
	for _, table := range tables {
		if id, known := m.id(table.Ref); !known || m.sources[id].draft.group.table != table {
			t.Errorf("%+v: %d, %v", table.Ref, id, known)
		}
	}
	if _, known := m.id(refNamed("d.orders")); known {
		t.Error("d.orders is known")
	}
}
