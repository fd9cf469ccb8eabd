package catalog

import "sort"

// Schema is the tables of one schema. Their positions in the snapshot are First to First+Tables-1.
type Schema struct {
	Catalog, Name string
	First, Tables int
}

// Schemas lists the schemas in the order of their tables. It looks at some entries of each schema, not at all of them.
func (s *Snapshot) Schemas() (all []Schema) {
	for first := 0; first < s.Len(); {
		at := s.pack.ref(first)
		one := Schema{Catalog: at.Catalog, Name: at.Schema, First: first}
		one.Tables = sort.Search(s.Len()-first, func(n int) bool {
			ref := s.pack.ref(first + n)
			return ref.Catalog != at.Catalog || ref.Schema != at.Schema
		})
		all = append(all, one)
		first += one.Tables
	}
	return all
}
