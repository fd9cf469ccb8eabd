package catalog

import (
	"iter"
	"sort"

	"github.com/loam-data/loam/sdk"
)

// Schema is the tables of one schema. Their positions in the snapshot are First to First+Tables-1.
type Schema struct {
	Catalog, Name string
	First, Tables int
}

// Schemas yields the schemas in the order of their tables. It looks at some entries of each schema, not at all of them.
func (s *Snapshot) Schemas() iter.Seq[Schema] {
	return func(yield func(Schema) bool) {
		for first := 0; first < s.Len(); {
			one := s.schemaAt(first)
			if !yield(one) {
				return
			}
			first += one.Tables
		}
	}
}

// Schema returns a schema by its name; false when there is no table in it.
func (s *Snapshot) Schema(catalog, name string) (Schema, bool) {
	first, _ := s.Position(sdk.TableRef{Catalog: catalog, Schema: name})
	if first == s.Len() {
		return Schema{}, false
	}
	one := s.schemaAt(first)
	return one, one.Catalog == catalog && one.Name == name
}

// schemaAt returns the schema whose first table is at a position.
func (s *Snapshot) schemaAt(first int) Schema {
	at := s.pack.ref(first)
	return Schema{Catalog: at.Catalog, Name: at.Schema, First: first, Tables: sort.Search(s.Len()-first, func(n int) bool {
		ref := s.pack.ref(first + n)
		return ref.Catalog != at.Catalog || ref.Schema != at.Schema
	})}
}
