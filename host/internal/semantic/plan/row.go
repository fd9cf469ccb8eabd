package plan

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Filter keeps the rows for which a condition is true.
type Filter struct {
	In   Relation
	Cond expression.Node
}

// Columns are those of the input.
func (f *Filter) Columns() []Column { return f.In.Columns() }

// Keys are those of the input.
func (f *Filter) Keys() [][]int { return f.In.Keys() }

// Inputs is the one.
func (f *Filter) Inputs() []Relation { return []Relation{f.In} }

// JoinKind is what a join does with rows that have no partner.
type JoinKind int

const (
	Inner JoinKind = iota
	Left           // rows of L without a partner stay, with NULLs
	Cross          // every row with every row; there is no condition
	Mark           // rows of L stay as they are, Mark says whether there is a partner
)

// Join brings rows of two relations together.
type Join struct {
	L, R Relation
	Kind JoinKind
	On   expression.Node // nil for Cross
	// ToOne: each row of L has one partner at most, as somebody declared; keys of R
	// show it too.
	ToOne bool
	// Mark is the column of a join of that kind.
	Mark Column
}

// Columns are those of both sides; of a Mark, those of L and the mark.
func (j *Join) Columns() []Column {
	if j.Kind == Mark {
		return append(slices.Clone(j.L.Columns()), j.Mark)
	}
	return slices.Concat(j.L.Columns(), j.R.Columns())
}

// Keys are those of L where a row has one partner at most, else pairs.
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

// Fixed are the columns of R that the condition makes equal to a value of L.
func (j *Join) Fixed() []int {
	values, _ := j.equated()
	return slices.Sorted(maps.Keys(values))
}

// equated are the values of L that the condition makes columns of R equal to; alone: it
// says nothing else, and NULL is equal to nothing.
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

// Inputs are both sides.
func (j *Join) Inputs() []Relation { return []Relation{j.L, j.R} }

// Project computes values of each row, and has nothing else.
type Project struct {
	In     Relation
	Values []Value
	// Distinct keeps one of the rows that are alike.
	Distinct bool
	// Whole are rows all of whose columns go on under their own names, for what was
	// written in the engine's SQL; nil = none.
	Whole *Scan
}

// Compute adds a value and returns its column, which is new.
func (p *Project) Compute(n *Numbers, name string, t sdk.Type, x expression.Node) Column {
	p.Values = append(p.Values, Value{n.Column(name, t), x})
	return p.Values[len(p.Values)-1].Column
}

// Keep adds columns of the input as they are, the zero ones left out.
func (p *Project) Keep(columns ...Column) {
	for _, c := range columns {
		if c.ID != 0 {
			p.Values = append(p.Values, Value{c, c.Ref()})
		}
	}
}

// Renamed gives columns of a relation new numbers, the zero ones left out: a relation may
// stand several times in a statement, and a column once.
func Renamed(n *Numbers, in Relation, columns []Column) *Project {
	p := &Project{In: in}
	for _, c := range columns {
		if c.ID != 0 {
			p.Compute(n, c.Name, c.Type, c.Ref())
		}
	}
	return p
}

// Columns are the values.
func (p *Project) Columns() []Column { return columns(p.Values) }

// Keys are those of the input that go on, and all columns of distinct rows.
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

// Inputs is the one.
func (p *Project) Inputs() []Relation { return []Relation{p.In} }

// Order is a key that rows are sorted by.
type Order struct {
	X          expression.Node
	Desc       bool
	NullsFirst bool
}

// Sort puts rows in order and keeps some. What reads it has the rows, and no order.
type Sort struct {
	In            Relation
	By            []Order
	Limit, Offset int // 0 = all, from the first; an offset needs a limit
}

// Columns are those of the input.
func (s *Sort) Columns() []Column { return s.In.Columns() }

// Keys are those of the input.
func (s *Sort) Keys() [][]int { return s.In.Keys() }

// Inputs is the one.
func (s *Sort) Inputs() []Relation { return []Relation{s.In} }
