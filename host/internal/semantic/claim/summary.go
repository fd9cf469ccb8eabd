package claim

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk"
)

// tally says what summary counts of each group.
type tally struct {
	// nulls and nullsElse are a CASE that returns the number of rows with NULL in the key.
	nulls     []expression.When
	nullsElse expression.Node
	// orphaned is true for groups that match no row; nil = orphans are not counted.
	orphaned expression.Node
	// Each group for which violated is true adds violations.
	violated, violations expression.Node
	most                 expression.Node
}

// counted is a column of a summary.
type counted struct {
	name string
	x    expression.Node
}

// summary aggregates groups to one row.
func (p *planner) summary(g *groups, t tally) (plan.Relation, error) {
	zero := expression.Int(0)
	columns := []counted{
		{"n_rows", sum(g.size.Ref())},
		{"n_nulls", sum(&expression.Case{Whens: t.nulls, Else: t.nullsElse})},
		{"n_orphans", nil},
		{"n_violations", sum(&expression.Case{Whens: []expression.When{{Condition: t.violated, Result: t.violations}}, Else: zero})},
		{"most", &expression.Aggregate{Function: expression.Max, X: t.most}},
	}
	if t.orphaned != nil {
		columns[2].x = sum(&expression.Case{Whens: []expression.When{{Condition: t.orphaned, Result: g.size.Ref()}}, Else: zero})
	}
	all := &plan.Aggregate{In: g.rel}
	out := &plan.Project{In: all}
	add := func(name string, x expression.Node) {
		out.Values = append(out.Values, plan.Value{Column: p.numbers.Column(name, x.Type()), X: x})
	}
	add("direction", expression.Int(p.direction))
	for _, c := range append(columns, p.faulty(g, t)...) {
		if c.x == nil {
			add(c.name, zero)
			continue
		}
		x, err := checked(c.x)
		if err != nil {
			return nil, err
		}
		v := plan.Value{Column: p.numbers.Column(c.name, x.Type()), X: x}
		all.Values = append(all.Values, v)
		add(c.name, v.Ref())
	}
	return out, nil
}

// checked infers the types of an expression.
func checked(x expression.Node) (expression.Node, error) {
	return expression.Check(x, func(n *expression.Name) (sdk.Type, error) { return n.Type(), nil })
}

// faulty returns columns with the smallest and the largest violating key, if the dialect can cast
// keys to text and examples are allowed.
func (p *planner) faulty(g *groups, t tally) (columns []counted) {
	if !p.examples || len(g.keys) == 0 {
		return nil
	}
	text, err := checked(shown(g.keys))
	if err != nil || !statement.Writes(p.d, text) {
		return nil
	}
	for _, condition := range []expression.Node{t.violated, t.orphaned} {
		if condition == nil {
			continue
		}
		x := &expression.Case{Whens: []expression.When{{Condition: condition, Result: text}}}
		for _, f := range []expression.AggregateFunction{expression.Min, expression.Max} {
			columns = append(columns, counted{fmt.Sprintf("example_%d", len(columns)+1), &expression.Aggregate{Function: f, X: x}})
		}
	}
	return columns
}

func sum(x expression.Node) expression.Node {
	return &expression.Aggregate{Function: expression.Sum, X: x}
}

// shown returns the expression of a key as text.
func shown(keys []plan.Column) expression.Node {
	var text expression.Node
	for _, k := range keys {
		var one expression.Node = &expression.Cast{X: k.Ref(), To: sdk.TypeText}
		if text != nil {
			comma := &expression.Binary{Op: expression.Concat, Left: text, Right: expression.Text(", ")}
			one = &expression.Binary{Op: expression.Concat, Left: comma, Right: one}
		}
		text = one
	}
	return text
}

// present returns the condition that no part of a key is NULL; true when there are no parts.
func present(keys []plan.Column) expression.Node {
	if len(keys) == 0 {
		return compare(expression.Equal, expression.Int(1), 1)
	}
	terms := make([]expression.Node, len(keys))
	for i, k := range keys {
		terms[i] = &expression.IsNull{X: k.Ref(), Negated: true}
	}
	return expression.Conjoin(terms...)
}

func compare(op expression.BinaryOp, x expression.Node, n int64) expression.Node {
	return &expression.Binary{Op: op, Left: x, Right: expression.Int(n)}
}
