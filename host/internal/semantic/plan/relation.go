package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Column is a value that every row of a relation has.
type Column struct {
	// ID is unique within a plan.
	ID int
	// Name is what the column is called where the statement is free to choose.
	Name string
	// Type is TypeUnspecified when nobody knows it.
	Type sdk.Type
}

// Ref refers to the column in an expression.
func (c Column) Ref() expression.Node { return expression.NewColumn(c.ID, c.Type) }

// Relation is an operator of a plan.
type Relation interface {
	// Columns are what its rows have.
	Columns() []Column
	// Keys are sets of columns that no two rows share; an empty set: there is one
	// row at most. Shape: nil = nobody knows one.
	Keys() [][]int
	// Inputs are the relations that it reads.
	Inputs() []Relation
}

// Value computes a column.
type Value struct {
	Column
	X expression.Node
}

// Numbers gives columns their numbers.
// Concurrency: one goroutine.
type Numbers struct{ last int }

// Column returns a new column.
func (n *Numbers) Column(name string, t sdk.Type) Column {
	n.last++
	return Column{ID: n.last, Name: name, Type: t}
}

// Multiplies reports whether several rows of a relation can have the same values of
// columns: no key is among them.
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
