package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Filter keeps the rows for which Cond is true, neither false nor NULL.
type Filter struct {
	In   Relation
	Cond expression.Node
}

// Columns returns the columns of In.
func (f *Filter) Columns() []Column { return f.In.Columns() }

// Keys returns the keys of In.
func (f *Filter) Keys() [][]int { return f.In.Keys() }

// Inputs returns In.
func (f *Filter) Inputs() []Relation { return []Relation{f.In} }

// JoinKind says what a join does with rows of L without a partner.
type JoinKind int

const (
	Inner JoinKind = iota
	Left           // they stay, with NULLs for R
	Cross          // there is no condition: every row of L with every row of R
	Mark           // each row of L stays once; the column Join.Mark says whether it has a partner
)

// Join joins two relations.
type Join struct {
	L, R Relation
	Kind JoinKind
	On   expression.Node // nil for Cross
	// ToOne says that each row of L is declared to have at most one partner. Keys of R can prove
	// it as well, see Multiplies.
	ToOne bool
	// Total says that each row of L has a partner, if the columns of L that On uses are of rows
	// that are there: an outer join before it may have found none.
	Total bool
	// Mark is the boolean column that a join of the kind Mark adds.
	Mark Column
}

// Columns returns the columns of both sides; for Mark those of L and the mark.
func (j *Join) Columns() []Column {
	if j.Kind == Mark {
		return append(slices.Clone(j.L.Columns()), j.Mark)
	}
	return slices.Concat(j.L.Columns(), j.R.Columns())
}

// Keys returns the keys of L if each row has at most one partner, else the combinations of keys
// of L and R.
func (j *Join) Keys() (all [][]int) {
	if j.Kind == Mark || j.ToOne || !Multiplies(j.R, j.Fixed()) {
		return j.L.Keys()
	}
	for _, a := range j.L.Keys() {
		for _, b := range j.R.Keys() {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

// whole reports whether each row of L stays. An inner join of which Total is not known leaves
// out those without a partner.
func (j *Join) whole() bool { return j.Kind == Left || j.Kind == Inner && j.Total }

// Fixed returns the IDs of the columns of R that the condition equates with an expression of L,
// in ascending order.
func (j *Join) Fixed() []int {
	values, _ := j.equated()
	return slices.Sorted(maps.Keys(values))
}

// equated returns the expressions of L by the columns of R that the condition equates with them.
// alone reports that the condition says nothing else, and that NULL equals nothing.
func (j *Join) equated() (values map[int]expression.Node, alone bool) {
	if j.On == nil {
		return nil, false
	}
	right := ids(j.R.Columns())
	values, alone = map[int]expression.Node{}, true
	for _, term := range expression.Conjuncts(j.On) {
		b, ok := term.(*expression.Binary)
		if !ok || b.Op != expression.Equal && b.Op != expression.NotDistinct {
			alone = false
			continue
		}
		x, y := b.Left, b.Right
		if uses(y, right) {
			x, y = y, x
		}
		c, ok := x.(*expression.Column)
		if !ok || !slices.Contains(right, c.ID) || uses(y, right) {
			alone = false
			continue
		}
		alone = alone && b.Op == expression.Equal && values[c.ID] == nil
		values[c.ID] = y
	}
	return values, alone
}

func uses(n expression.Node, columns []int) bool {
	return expression.AnyColumn(n, func(c *expression.Column) bool { return slices.Contains(columns, c.ID) })
}

// Inputs returns L and R.
func (j *Join) Inputs() []Relation { return []Relation{j.L, j.R} }

// Project computes values from each row. Its columns are only these values.
type Project struct {
	In     Relation
	Values []Value
	// Distinct keeps one of several equal rows.
	Distinct bool
	// Whole is a scan all of whose columns are selected too, under their own names, for SQL that
	// a person wrote; nil = none.
	Whole *Scan
}

// Compute adds a value and returns its new column.
func (p *Project) Compute(n *Numbers, name string, t sdk.Type, x expression.Node) Column {
	p.Values = append(p.Values, Value{n.Column(name, t), x})
	return p.Values[len(p.Values)-1].Column
}

// Keep adds columns of the input unchanged, with the same IDs. It skips zero Columns.
func (p *Project) Keep(columns ...Column) {
	for _, c := range columns {
		if c.ID != 0 {
			p.Values = append(p.Values, Value{c, c.Ref()})
		}
	}
}

// Renamed returns a projection of columns to new IDs, for a relation that is used several times: a
// column ID may occur only once in a statement. It skips zero Columns.
func Renamed(n *Numbers, in Relation, columns []Column) *Project {
	p := &Project{In: in}
	for _, c := range columns {
		if c.ID != 0 {
			p.Compute(n, c.Name, c.Type, c.Ref())
		}
	}
	return p
}

// Columns returns the values.
func (p *Project) Columns() []Column { return columns(p.Values) }

// Keys returns the keys of In of which all columns are kept; with Distinct also the set of all
// columns.
func (p *Project) Keys() (all [][]int) {
	renamed := map[int]int{}
	for _, v := range p.Values {
		if c, ok := v.X.(*expression.Column); ok {
			renamed[c.ID] = v.ID
		}
	}
	for _, key := range p.In.Keys() {
		var out []int
		for _, id := range key {
			if to, ok := renamed[id]; ok {
				out = append(out, to)
			}
		}
		if len(out) == len(key) {
			all = append(all, out)
		}
	}
	if p.Distinct {
		all = append(all, ids(p.Columns()))
	}
	return all
}

// Inputs returns In.
func (p *Project) Inputs() []Relation { return []Relation{p.In} }

// Order is a sort key.
type Order struct {
	X          expression.Node
	Desc       bool
	NullsFirst bool
	// AnyNulls says that NULLs may be where the engine has them, NullsFirst or not.
	AnyNulls bool
}

// Sort orders rows and keeps a range of them. A relation that reads it gets the rows without an
// order.
type Sort struct {
	In            Relation
	By            []Order
	Limit, Offset int // Limit 0 = all rows; an Offset needs a Limit
}

// Columns returns the columns of In.
func (s *Sort) Columns() []Column { return s.In.Columns() }

// Keys returns the keys of In.
func (s *Sort) Keys() [][]int { return s.In.Keys() }

// Inputs returns In.
func (s *Sort) Inputs() []Relation { return []Relation{s.In} }
