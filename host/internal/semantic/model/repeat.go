package model

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Repeats are columns of scanned tables whose values a scan saw in several rows.
// Shape: of the columns that Model.JoinedBy returns; sorted, no empty list.
type Repeats map[sdk.TableRef][]string

// JoinedBy returns the columns of scanned tables that joins lead by, each alone, to one
// row. Of several columns together nobody counts the values.
// Shape: sorted, each once.
func (m *Model) JoinedBy() map[sdk.TableRef][]string {
	all := map[sdk.TableRef][]string{}
	for _, edges := range m.graph.up {
		for _, e := range edges {
			if t, column := m.landing(e); column != "" && !slices.Contains(all[t.Ref], column) {
				all[t.Ref] = append(all[t.Ref], column)
			}
		}
	}
	for _, columns := range all {
		slices.Sort(columns)
	}
	return all
}

// landing is the scanned column that an edge leads by; "" = it leads by more than one,
// or by something else.
func (m *Model) landing(e *Edge) (*Table, string) {
	r := m.sources[e.To].draft
	if e.Rest || e.Broken != "" || len(e.Equal) != 1 || !r.scanned() {
		return nil, ""
	}
	f := e.Equal[0].To
	if f.Dimension == 0 {
		return r.group.table, f.Column
	}
	if d := &r.dims[place(f.Dimension)]; d.tree == nil && d.column != nil {
		return r.group.table, d.column.Name
	}
	return nil, ""
}

// repeats reports whether an edge leads rows to several, as far as a scan saw.
func (m *Model) repeats(e *Edge) bool {
	t, column := m.landing(e)
	return column != "" && slices.Contains(m.input.Repeats[t.Ref], column)
}

// WithRepeats returns the model with what a scan saw repeat; the same one where that is
// known already. The cost is a step for each join.
func (m *Model) WithRepeats(now Repeats) *Model {
	if maps.EqualFunc(m.input.Repeats, now, slices.Equal) {
		return m
	}
	next := *m
	next.input.Repeats = now
	next.graph = newGraph(&next)
	next.hash = next.sum()
	return &next
}

// hash changes when anything does; it is the zero value of nothing.
func (r Repeats) hash() Hash {
	if len(r) == 0 {
		return Hash{}
	}
	refs := slices.SortedFunc(maps.Keys(r), compareRefs)
	all := make([][]string, len(refs))
	for i, ref := range refs {
		all[i] = append([]string{ref.Catalog, ref.Schema, ref.Name}, r[ref]...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts only
	}
	return hashOf(text)
}
