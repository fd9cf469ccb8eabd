package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Column is a column of a relation.
type Column struct {
	// ID is unique within a plan.
	ID int
	// Name is the preferred name; the statement may choose another.
	Name string
	// Type is TypeUnspecified when it is not known.
	Type sdk.Type
}

// Ref returns a reference to the column, for expressions.
func (c Column) Ref() expression.Node { return expression.NewColumn(c.ID, c.Type) }

// Relation is an operator of a plan.
type Relation interface {
	// Columns returns the columns of its rows.
	Columns() []Column
	// Keys returns sets of column IDs whose values are different in each row.
	// Shape: an empty set means that there is at most one row; nil = no key is known.
	Keys() [][]int
	// Inputs returns the relations that it reads.
	Inputs() []Relation
}

// Value is a column and the expression that computes it.
type Value struct {
	Column
	X expression.Node
}

// Numbers allocates the IDs of the columns of one plan. The zero value is ready.
// Concurrency: one goroutine at a time.
type Numbers struct{ last int }

// Column returns a new column with an unused ID.
func (n *Numbers) Column(name string, t sdk.Type) Column {
	n.last++
	return Column{ID: n.last, Name: name, Type: t}
}

// Multiplies reports whether several rows of a relation can have equal values of columns: no known
// key is within them.
func Multiplies(r Relation, columns []int) bool {
	return !slices.ContainsFunc(r.Keys(), func(key []int) bool { return within(key, columns) })
}

func within(key, columns []int) bool {
	return !slices.ContainsFunc(key, func(id int) bool { return !slices.Contains(columns, id) })
}

func ids(columns []Column) []int {
	all := make([]int, len(columns))
	for i, c := range columns {
		all[i] = c.ID
	}
	return all
}

func columns(values []Value) []Column {
	all := make([]Column, len(values))
	for i, v := range values {
		all[i] = v.Column
	}
	return all
}
