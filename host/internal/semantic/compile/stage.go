package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// stage is a relation with a row for each group, with the columns of its values.
type stage struct {
	rel plan.Relation
	// dims are the columns of the request's dimensions; the zero column where it is
	// not grouped by one.
	dims   []plan.Column
	values map[*base]plan.Column
	// total is the number of the branch that made the row's coarser group; 0 = the row is
	// of a group of the request. It is the zero column where there are no totals.
	total plan.Column
	// there has a column for each of summary.among: 1 where the group is one of them.
	there []plan.Column
}

// groups are the columns of the dimensions that it is grouped by.
func (s *stage) groups() (all []int) {
	for _, d := range s.dims {
		if d.ID != 0 {
			all = append(all, d.ID)
		}
	}
	return all
}

// stage makes the relation of a branch: its rows, what is computed over them, and the
// groups.
func (br *branch) stage() (*stage, error) {
	if br.sub != nil {
		return br.outer()
	}
	if br.countsOnce() {
		return br.once()
	}
	out := &stage{values: map[*base]plan.Column{}}
	if br.spans() {
		if err := br.prepare(); err != nil {
			return nil, err
		}
		if br.runs() {
			return br.running()
		}
		var err error
		if out.rel, out.dims, err = br.overPeriods(); err != nil {
			return nil, err
		}
	} else {
		rows, err := br.projection()
		if err != nil {
			return nil, err
		}
		out.rel, out.dims = rows, br.columns
		if br.keeps() {
			return br.kept(rows)
		}
	}
	if br.windows != nil {
		w := &plan.Window{In: out.rel}
		for _, v := range br.windows {
			v.Partition = slices.Concat(refs(out.dims), v.Partition)
			w.Values = append(w.Values, v)
		}
		out.rel = w
	}
	a := &plan.Aggregate{In: out.rel, By: out.groups()}
	for _, b := range br.bases {
		x, err := br.aggregate(b)
		if err != nil {
			return nil, err
		}
		out.values[b] = a.Compute(br.rows.c.numbers, b.called(), b.typ, x)
	}
	out.rel = a
	return out, nil
}

// called is what a base's column is called inside the statement.
func (b *base) called() string {
	if b.measure != nil && b.measure.Name != "" {
		return b.measure.Name
	}
	return "value"
}

// refs are columns as expressions, without the zero ones.
func refs(columns []plan.Column) (all []expression.Node) {
	for _, c := range columns {
		if c.ID != 0 {
			all = append(all, c.Ref())
		}
	}
	return all
}

// projection is the rows of a branch: keys where each must count once, the dimensions,
// and what is aggregated.
func (br *branch) projection() (*plan.Project, error) {
	if br.partial != nil {
		return br.reprojected()
	}
	c := br.rows.c
	limits := slices.DeleteFunc(slices.Clone(br.limits[:]), func(x expression.Node) bool { return x == nil })
	p := &plan.Project{In: br.rows.where(append(limits, br.where...)), Distinct: len(br.keys) > 0}
	br.keyColumns, br.columns = nil, nil
	for _, k := range br.keys {
		br.keyColumns = append(br.keyColumns, p.Compute(c.numbers, "key", k.Type(), k))
	}
	for i, d := range br.dims {
		var column plan.Column
		switch {
		case d == nil:
		case br.time != nil && i == br.periodAt:
			column = p.Compute(c.numbers, "day", sdk.TypeDate, br.time)
		default:
			column = p.Compute(c.numbers, c.dims[i].out, c.dims[i].typ, d)
		}
		br.columns = append(br.columns, column)
	}
	for _, v := range br.inputs {
		v.X = c.nullable(v.X)
		p.Values = append(p.Values, v)
	}
	if br.all {
		p.Whole = br.rows.nodes[0].scan
	}
	return p, nil
}

// aggregate is a base over its inputs.
func (br *branch) aggregate(b *base) (expression.Node, error) {
	if b.agg == "" {
		return b.x.tree, nil
	}
	x := b.in.Ref()
	if b.semiAdditive() {
		kept := expression.Conjoin(
			equal(b.rank.Ref(), expression.Int(1)),
			&expression.IsNull{X: b.at.Ref(), Negated: true})
		x = &expression.Case{Whens: []expression.When{{Condition: kept, Result: x}}}
	}
	var tree expression.Node = &expression.Aggregate{Function: b.agg, X: x, Parameter: b.parameter}
	switch {
	case b.again != nil:
		tree = b.again
	case br.rows.c.emulated(b):
		tree = b.interpolated(x)
	}
	return expression.Check(tree, ownType)
}

// emulated reports whether the dialect has no form for an order statistic.
func (c *compiler) emulated(b *base) bool {
	return b.agg == expression.Median && !c.has(dialect.Median) || b.agg == expression.Percentile && !c.has(dialect.Percentile)
}

// ranked adds the ranks that an order statistic is made of.
func (br *branch) ranked(b *base) error {
	c := br.rows.c
	if !c.emulated(b) {
		return nil
	}
	if b.semiAdditive() {
		return unsupported(c.d.Name, "a "+string(b.agg)+" that is not additive over time", "use another aggregate").About(b.label)
	}
	br.windows = append(br.windows, c.ranks(b, nil)...)
	return nil
}

// ranks are the ranks among the values of a group, and their number.
func (c *compiler) ranks(b *base, group []expression.Node) []plan.WindowValue {
	b.rank, b.count = c.column("rank", sdk.TypeInt64), c.column("count", sdk.TypeInt64)
	return []plan.WindowValue{
		{Column: b.rank, Function: plan.RowNumber, Partition: group, By: []plan.Order{{X: b.in.Ref()}}},
		{Column: b.count, Function: plan.CountOver, Partition: group, X: b.in.Ref()},
	}
}

// interpolated is an order statistic over ranked values: each counts by how near
// its rank is to the one that is asked for, so that the two around it share.
func (b *base) interpolated(x expression.Node) expression.Node {
	fraction := expression.Node(b.parameter)
	if b.agg == expression.Median {
		fraction = half
	}
	one := expression.Int(1)
	wanted := binary(expression.Multiply, fraction, binary(expression.Subtract, b.count.Ref(), one))
	distance := &expression.Call{Function: "abs", Args: []expression.Node{binary(expression.Subtract, binary(expression.Subtract, b.rank.Ref(), one), wanted)}}
	share := binary(expression.Multiply, &expression.Cast{X: x, To: sdk.TypeFloat64}, binary(expression.Subtract, one, distance))
	near := &expression.Case{Whens: []expression.When{{Condition: binary(expression.Less, distance, one), Result: share}}}
	return &expression.Aggregate{Function: expression.Sum, X: near}
}

func binary(op expression.BinaryOp, a, b expression.Node) expression.Node {
	return &expression.Binary{Op: op, Left: a, Right: b}
}

// aggregate is one of a column.
func aggregate(f expression.AggregateFunction, of plan.Column) expression.Node {
	return &expression.Aggregate{Function: f, X: of.Ref()}
}

// known is the condition that a column is not NULL.
func known(c plan.Column) expression.Node { return &expression.IsNull{X: c.Ref(), Negated: true} }

func equal(a, b expression.Node) expression.Node { return binary(expression.Equal, a, b) }

var half, _ = expression.Parse("0.5") // which parses

// semiAdditive adds the rank of each row in time within its group and what the
// rule is per, among the rows that the measure is about.
func (br *branch) semiAdditive(b *base, condition expression.Node) error {
	c, rule := br.rows.c, b.measure.NonAdditive
	at, err := br.rows.field(0, rule.Time)
	if err != nil {
		return err
	}
	if condition != nil {
		at = &expression.Case{Whens: []expression.When{{Condition: condition, Result: at}}}
	}
	b.at, b.rank = c.column("at", at.Type()), c.column("rank", sdk.TypeInt64)
	br.inputs = append(br.inputs, plan.Value{Column: b.at, X: at})
	ranked := plan.WindowValue{Column: b.rank, Function: plan.Rank, By: []plan.Order{{X: b.at.Ref(), Desc: rule.Pick != "first"}}}
	for _, ref := range rule.Per {
		value, err := br.rows.value(0, ref, place{})
		if err != nil {
			return err
		}
		in := plan.Value{Column: c.column("per", value.Type()), X: value}
		br.inputs, ranked.Partition = append(br.inputs, in), append(ranked.Partition, in.Ref())
	}
	br.windows = append(br.windows, ranked)
	return nil
}
