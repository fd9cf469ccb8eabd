package model

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// Repeats are columns of scanned tables whose values a scan found in several rows.
// Shape: a subset of Model.JoinedBy; sorted, no empty list.
type Repeats map[sdk.TableRef][]string

// JoinedBy returns the columns of scanned tables that are alone the target of a to-one
// join; profiles have no counts of several columns together.
// Shape: sorted, each once.
func (m *Model) JoinedBy() map[sdk.TableRef][]string {
	all := map[sdk.TableRef][]string{}
	for _, edges := range m.graph.up {
		for _, e := range edges {
			if ref := m.table(e.To); e.landing != "" && e.Broken == "" && !slices.Contains(all[ref], e.landing) {
				all[ref] = append(all[ref], e.landing)
			}
		}
	}
	for _, columns := range all {
		slices.Sort(columns)
	}
	return all
}

// table is the scanned table of a source that has one.
func (m *Model) table(id SourceID) (ref sdk.TableRef) {
	if t := m.sources[id].draft.group.table; t != nil {
		ref = t.Ref
	}
	return ref
}

// scannedColumn is the column of a scanned table that a field is; "" = it is none.
func (s *Source) scannedColumn(f Field) string {
	if !s.draft.scanned() {
		return ""
	}
	return s.full().scannedColumn(f)
}

func (r *draft) scannedColumn(f Field) string {
	if !r.scanned() {
		return ""
	}
	if f.Dimension == 0 {
		return f.Column
	}
	if d := &r.dims[place(f.Dimension)]; d.tree == nil && d.column != nil {
		return d.column.Name
	}
	return ""
}

// repeats reports whether an edge leads rows to several, as far as a scan saw.
func (m *Model) repeats(e *Edge) bool {
	return e.landing != "" && slices.Contains(m.input.Repeats[m.table(e.To)], e.landing)
}

// WithRepeats returns the model with these repeats; the same model where it has them
// already. The cost is a step for each join.
func (m *Model) WithRepeats(now Repeats) *Model {
	if maps.EqualFunc(m.input.Repeats, now, slices.Equal) {
		return m
	}
	next := *m
	next.input.Repeats = now
	next.faults = sync.OnceValue(next.allProblems)
	next.graph = newGraph(&next)
	next.hash = sync.OnceValue(next.sum)
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
