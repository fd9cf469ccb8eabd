package oracle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// conditions reads filters as conditions that all hold.
func conditions(filters []compile.Filter) ([]expression.Node, error) {
	var terms []expression.Node
	for _, f := range filters {
		tree, err := condition(f)
		if err != nil {
			return nil, err
		}
		terms = append(terms, expression.Conjuncts(tree)...)
	}
	return terms, nil
}

func condition(f compile.Filter) (expression.Node, error) {
	switch {
	case f.SQL != "":
		tree, err := expression.Parse(f.SQL)
		if err != nil {
			return nil, refuse(compile.CodeInvalidExpression, "%v", err)
		}
		return tree, nil
	case len(f.And) > 0:
		terms, err := conditions(f.And)
		return expression.Conjoin(terms...), err
	case len(f.Or) > 0:
		var terms []expression.Node
		for _, o := range f.Or {
			term, err := condition(o)
			if err != nil {
				return nil, err
			}
			terms = append(terms, term)
		}
		return expression.Disjoin(terms...), nil
	case f.Not != nil:
		tree, err := condition(*f.Not)
		return &expression.Unary{Op: expression.Not, X: tree}, err
	case f.Right != nil:
		return nil, refuse(Unspecified, "a comparison with a measure at a fixed grain")
	}
	return comparison(f)
}

var operators = map[compile.Op]expression.BinaryOp{
	compile.OpEquals: expression.Equal, compile.OpGreater: expression.Greater, compile.OpAtLeast: expression.GreaterEqual,
	compile.OpLess: expression.Less, compile.OpAtMost: expression.LessEqual, compile.OpBefore: expression.Less, compile.OpAfter: expression.Greater,
}

var searches = map[compile.Op]expression.MatchKind{
	compile.OpContains: expression.Contains, compile.OpNotContains: expression.Contains,
	compile.OpStartsWith: expression.StartsWith, compile.OpEndsWith: expression.EndsWith,
}

// comparison reads a structured condition. What says "not" of values includes
// the rows that have none.
func comparison(f compile.Filter) (expression.Node, error) {
	name, err := expression.ParseName(f.Field)
	if err != nil {
		return nil, refuse(compile.CodeInvalidRequest, "%v", err)
	}
	name = &expression.Name{Parts: append(slices.Clone(f.Via), name.Parts...)}
	var values []expression.Node
	for _, v := range f.Values {
		values = append(values, written(v))
	}
	orNull := func(n expression.Node) expression.Node {
		return expression.Disjoin(n, &expression.IsNull{X: name})
	}
	if op, ok := operators[f.Op]; ok {
		return &expression.Binary{Op: op, Left: name, Right: values[0]}, nil
	}
	switch f.Op {
	case compile.OpNotEquals:
		return orNull(&expression.Binary{Op: expression.NotEqual, Left: name, Right: values[0]}), nil
	case compile.OpIn:
		return &expression.In{X: name, List: values}, nil
	case compile.OpNotIn:
		return orNull(&expression.In{X: name, List: values, Negated: true}), nil
	case compile.OpBetween:
		return &expression.Between{X: name, Low: values[0], High: values[1]}, nil
	case compile.OpIsNull, compile.OpIsNotNull:
		return &expression.IsNull{X: name, Negated: f.Op == compile.OpIsNotNull}, nil
	case compile.OpContains, compile.OpStartsWith, compile.OpEndsWith:
		return &expression.Match{Kind: searches[f.Op], X: name, Pattern: values[0]}, nil
	}
	return nil, refuse(Unspecified, "the operator %s", f.Op)
}

// written is the literal that a value would be written as.
func written(v any) expression.Node {
	switch v := v.(type) {
	case string:
		return expression.Text(v)
	case bool:
		return expression.Bool(v)
	}
	text := fmt.Sprint(v)
	if n, ok := v.(json.Number); ok {
		text = n.String()
	}
	n, err := expression.Parse(text)
	if err != nil {
		panic(err) // a number
	}
	return n
}
