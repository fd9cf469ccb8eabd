package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Aggregate makes one row of those that have the same values of By, NULL being a
// value; without By, one row of all.
type Aggregate struct {
	In Relation
	By []int
	// Values are expressions with aggregates over the columns of In.
	Values []Value
}

// Compute adds a value and returns its column, which is new.
func (a *Aggregate) Compute(n *Numbers, name string, t sdk.Type, x expression.Node) Column {
	a.Values = append(a.Values, Value{n.Column(name, t), x})
	return a.Values[len(a.Values)-1].Column
}

// Columns are By and the values.
func (a *Aggregate) Columns() []Column {
	all := make([]Column, 0, len(a.By)+len(a.Values))
	in := a.In.Columns()
	for _, id := range a.By {
		if at := slices.IndexFunc(in, func(c Column) bool { return c.ID == id }); at >= 0 {
			all = append(all, in[at])
		}
	}
	return append(all, columns(a.Values)...)
}

// Keys is By.
func (a *Aggregate) Keys() [][]int { return [][]int{append([]int{}, a.By...)} }

// Inputs is the one.
func (a *Aggregate) Inputs() []Relation { return []Relation{a.In} }

// WindowFunction computes over the rows around one.
type WindowFunction string

const (
	RowNumber WindowFunction = "ROW_NUMBER"
	Rank      WindowFunction = "RANK"
	CountOver WindowFunction = "COUNT"
	SumOver   WindowFunction = "SUM"
	MinOver   WindowFunction = "MIN"
	MaxOver   WindowFunction = "MAX"
	// FirstValue is the value of the first row of the frame.
	FirstValue WindowFunction = "FIRST_VALUE"
)

// Frame is the rows of a partition that a window value looks at.
type Frame string

const (
	// WholeFrame is all rows of the partition; of ranks, those before the row.
	WholeFrame Frame = ""
	// FrameSoFar is the rows up to this one.
	FrameSoFar Frame = "ROWS UNBOUNDED PRECEDING"
	// FrameNext is the row after this one, if there is one.
	FrameNext Frame = "ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"
)

// WindowValue is a column that a window computes over rows of its partition.
type WindowValue struct {
	Column
	Function  WindowFunction
	X         expression.Node // nil for RowNumber and Rank
	Partition []expression.Node
	By        []Order
	Frame     Frame // one that is not WholeFrame needs By
}

// Window adds columns that are computed over the rows around each.
type Window struct {
	In     Relation
	Values []WindowValue
}

// Columns are those of the input and the values.
func (w *Window) Columns() []Column {
	all := append([]Column{}, w.In.Columns()...)
	for _, v := range w.Values {
		all = append(all, v.Column)
	}
	return all
}

// Keys are those of the input.
func (w *Window) Keys() [][]int { return w.In.Keys() }

// Inputs is the one.
func (w *Window) Inputs() []Relation { return []Relation{w.In} }

// Union puts the rows of relations below each other.
type Union struct {
	In  []Relation
	Out []UnionColumn
}

// UnionColumn is a column of a Union: From[i] is that of input i, 0 = NULL.
type UnionColumn struct {
	Column
	From []int
}

// Stack adds a column that is made of one of each input, the zero one being NULL.
func (u *Union) Stack(n *Numbers, name string, t sdk.Type, from ...Column) Column {
	u.Out = append(u.Out, UnionColumn{n.Column(name, t), ids(from)})
	return u.Out[len(u.Out)-1].Column
}

// Columns are Out.
func (u *Union) Columns() []Column {
	all := make([]Column, len(u.Out))
	for i, c := range u.Out {
		all[i] = c.Column
	}
	return all
}

// Keys are not known.
func (u *Union) Keys() [][]int { return nil }

// Inputs are all.
func (u *Union) Inputs() []Relation { return u.In }
