package plan

import (
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Scan reads a table, or the result of a query that a person wrote.
type Scan struct {
	Table Table
	// Fields are the columns that the plan uses, in the order of their first use.
	Fields []Field
	// Unique are the known keys, as physical column names.
	Unique [][]string
}

// Table is what a Scan reads.
type Table struct {
	// Name is the alias in the statement, as far as it is free.
	Name string
	// Path is the table's qualified name, outermost part first.
	Path []string
	// Query is SQL that a person wrote, read instead of Path; "" = none.
	Query string
}

// Field is a physical column.
type Field struct {
	Column
	Physical string
}

// Field returns the column of a physical name, and adds it to Fields if needed.
func (s *Scan) Field(n *Numbers, physical string) Column {
	for _, f := range s.Fields {
		if f.Physical == physical {
			return f.Column
		}
	}
	c := n.Column(physical, sdk.TypeUnspecified)
	s.Fields = append(s.Fields, Field{c, physical})
	return c
}

// again returns a second scan of the table with new columns, and adds to same their references by
// the IDs of the old ones.
func (s *Scan) again(n *Numbers, same map[int]expression.Node) *Scan {
	copied := &Scan{Table: s.Table, Unique: s.Unique}
	for _, f := range s.Fields {
		same[f.ID] = copied.Field(n, f.Physical).Ref()
	}
	return copied
}

// Columns returns the fields.
func (s *Scan) Columns() []Column {
	all := make([]Column, len(s.Fields))
	for i, f := range s.Fields {
		all[i] = f.Column
	}
	return all
}

// Keys returns the known keys of which all columns are fields.
func (s *Scan) Keys() (all [][]int) {
	for _, names := range s.Unique {
		var key []int
		for _, name := range names {
			for _, f := range s.Fields {
				if f.Physical == name {
					key = append(key, f.ID)
				}
			}
		}
		if len(key) == len(names) {
			all = append(all, key)
		}
	}
	return all
}

// Inputs returns nil.
func (s *Scan) Inputs() []Relation { return nil }

// Spine lists the starts of all periods from From to To, both included.
type Spine struct {
	Out      Column
	Grain    dialect.Grain
	From, To expression.Node
	// Ends is a relation with one row, whose columns From and To may use; nil = they use none.
	Ends Relation
}

// Columns returns Out.
func (s *Spine) Columns() []Column { return []Column{s.Out} }

// Keys returns Out.
func (s *Spine) Keys() [][]int { return [][]int{{s.Out.ID}} }

// Inputs returns Ends, if it is set.
func (s *Spine) Inputs() []Relation {
	if s.Ends == nil {
		return nil
	}
	return []Relation{s.Ends}
}

// Shared is a relation with a name (a CTE), which any number of relations may read.
type Shared struct {
	In   Relation
	Name string
}

// Columns returns the columns of In.
func (s *Shared) Columns() []Column { return s.In.Columns() }

// Keys returns the keys of In.
func (s *Shared) Keys() [][]int { return s.In.Keys() }

// Inputs returns In.
func (s *Shared) Inputs() []Relation { return []Relation{s.In} }
