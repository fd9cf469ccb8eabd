package plan

import (
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Scan reads a table or what a person's query gives.
type Scan struct {
	Table Table
	// Fields are the columns that the plan uses, in the order of their first use.
	Fields []Field
	// Unique are the keys that are known, as physical names.
	Unique [][]string
}

// Table is what a Scan reads.
type Table struct {
	// Name is what the rows are called in the statement.
	Name string
	// Path is the table's name with what it lies in, outermost first.
	Path []string
	// Query is read instead of Path: SQL as a person wrote it.
	Query string
}

// Field is a physical column.
type Field struct {
	Column
	Physical string
}

// Field returns a physical column, which is one of Fields afterwards.
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

// again reads the table once more, under columns that take the place of the first ones.
func (s *Scan) again(n *Numbers, same map[int]expression.Node) *Scan {
	copied := &Scan{Table: s.Table, Unique: s.Unique}
	for _, f := range s.Fields {
		same[f.ID] = copied.Field(n, f.Physical).Ref()
	}
	return copied
}

// Columns are the fields.
func (s *Scan) Columns() []Column {
	all := make([]Column, len(s.Fields))
	for i, f := range s.Fields {
		all[i] = f.Column
	}
	return all
}

// Keys are the known ones all of whose columns are read.
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

// Inputs has none.
func (s *Scan) Inputs() []Relation { return nil }

// Spine lists the starts of all periods from one to another, both included.
type Spine struct {
	Out      Column
	Grain    dialect.Grain
	From, To expression.Node
	// Ends has one row, whose columns From and To may use; nil = they use none.
	Ends Relation
}

// Columns is the period.
func (s *Spine) Columns() []Column { return []Column{s.Out} }

// Keys is the period.
func (s *Spine) Keys() [][]int { return [][]int{{s.Out.ID}} }

// Inputs is what the ends come from.
func (s *Spine) Inputs() []Relation {
	if s.Ends == nil {
		return nil
	}
	return []Relation{s.Ends}
}

// Shared is a relation that is computed once and has a name, however many read it.
type Shared struct {
	In   Relation
	Name string
}

// Columns are those of the input.
func (s *Shared) Columns() []Column { return s.In.Columns() }

// Keys are those of the input.
func (s *Shared) Keys() [][]int { return s.In.Keys() }

// Inputs is the one.
func (s *Shared) Inputs() []Relation { return []Relation{s.In} }
