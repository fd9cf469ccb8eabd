package plan

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Aggregate makes one row of the rows with equal values of By, where NULL equals NULL; without
// By it makes one row of all, even if there are none.
type Aggregate struct {
	In Relation
	By []int
	// Many says that there may be as many groups as rows, for engines that sort those.
	Many bool
	// Values are expressions with aggregates over the columns of In.
	Values []Value
}

// Compute adds a value and returns its new column.
func (a *Aggregate) Compute(n *Numbers, name string, t sdk.Type, x expression.Node) Column {
	a.Values = append(a.Values, Value{n.Column(name, t), x})
	return a.Values[len(a.Values)-1].Column
}

// Columns returns By and the values.
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

// Keys returns By.
func (a *Aggregate) Keys() [][]int { return [][]int{append([]int{}, a.By...)} }

// Inputs returns In.
func (a *Aggregate) Inputs() []Relation { return []Relation{a.In} }

// WindowFunction is an SQL window function.
type WindowFunction string

const (
	RowNumber WindowFunction = "ROW_NUMBER"
	Rank      WindowFunction = "RANK"
	CountOver WindowFunction = "COUNT"
	SumOver   WindowFunction = "SUM"
	MinOver   WindowFunction = "MIN"
	MaxOver   WindowFunction = "MAX"
	// FirstValue returns the value of the frame's first row.
	FirstValue WindowFunction = "FIRST_VALUE"
)

// Frame is the rows of a partition over which a window value is computed.
type Frame string

const (
	// WholeFrame is all rows of the partition; RowNumber and Rank count the rows before.
	WholeFrame Frame = ""
	// FrameSoFar is the rows up to the current one.
	FrameSoFar Frame = "ROWS UNBOUNDED PRECEDING"
	// FrameNext is the row after the current one, if there is one.
	FrameNext Frame = "ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"
)

// WindowValue is a column that is computed over rows of a partition.
type WindowValue struct {
	Column
	Function  WindowFunction
	X         expression.Node // nil for RowNumber and Rank
	Partition []expression.Node
	By        []Order
	Frame     Frame // any but WholeFrame needs By
	// Last > 0 narrows WholeFrame to the last rows up to the current one. It needs By, and the
	// dialect's form for the type of X.
	Last int
}

// Window adds columns of window functions to its input.
type Window struct {
	In     Relation
	Values []WindowValue
}

// Columns returns the columns of In and the values.
func (w *Window) Columns() []Column {
	all := append([]Column{}, w.In.Columns()...)
	for _, v := range w.Values {
		all = append(all, v.Column)
	}
	return all
}

// Keys returns the keys of In.
func (w *Window) Keys() [][]int { return w.In.Keys() }

// Inputs returns In.
func (w *Window) Inputs() []Relation { return []Relation{w.In} }

// Union is the rows of all its inputs (UNION ALL).
type Union struct {
	In  []Relation
	Out []UnionColumn
}

// UnionColumn is a column of a Union. From[i] is the ID of its column in In[i]; 0 = NULL.
type UnionColumn struct {
	Column
	From []int
}

// Stack adds a column that takes its values from one column of each input, in the order of In; the
// zero Column is NULL. It returns the new column.
func (u *Union) Stack(n *Numbers, name string, t sdk.Type, from ...Column) Column {
	u.Out = append(u.Out, UnionColumn{n.Column(name, t), ids(from)})
	return u.Out[len(u.Out)-1].Column
}

// Columns returns the columns of Out.
func (u *Union) Columns() []Column {
	all := make([]Column, len(u.Out))
	for i, c := range u.Out {
		all[i] = c.Column
	}
	return all
}

// Keys returns nil: inputs can have equal rows.
func (u *Union) Keys() [][]int { return nil }

// Inputs returns In.
func (u *Union) Inputs() []Relation { return u.In }
