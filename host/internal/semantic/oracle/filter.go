package oracle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// conditions reads filters as conditions that all hold.
func (q *question) conditions(filters []request.Filter) ([]expression.Node, error) {
	var terms []expression.Node
	for _, f := range filters {
		tree, err := q.condition(f)
		if err != nil {
			return nil, err
		}
		terms = append(terms, expression.Conjuncts(tree)...)
	}
	return terms, nil
}

func (q *question) condition(f request.Filter) (expression.Node, error) {
	switch {
	case f.SQL != "":
		tree, err := expression.ParseCondition(f.SQL)
		if err != nil {
			return nil, refuse(refusal.CodeInvalidExpression, "%v", err)
		}
		if tree, err = q.withEntities(tree); err != nil {
			return nil, err
		}
		return expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
			if related, ok := n.(*expression.Quantified); ok {
				x, err := q.withEntities(related.X)
				return q.quantify(related.Quantifier, x), err
			}
			return n, nil
		})
	case f.Any != nil:
		tree, err := q.condition(*f.Any)
		return q.quantify(expression.AnyRow, tree), err
	case f.None != nil:
		tree, err := q.condition(*f.None)
		return q.quantify(expression.NoRow, tree), err
	case f.All != nil:
		tree, err := q.condition(*f.All)
		return q.quantify(expression.EachRow, tree), err
	case len(f.And) > 0:
		terms, err := q.conditions(f.And)
		return expression.Conjoin(terms...), err
	case len(f.Or) > 0:
		var terms []expression.Node
		for _, o := range f.Or {
			term, err := q.condition(o)
			if err != nil {
				return nil, err
			}
			terms = append(terms, term)
		}
		return expression.Disjoin(terms...), nil
	case f.Not != nil:
		tree, err := q.condition(*f.Not)
		return &expression.Unary{Op: expression.Not, X: tree}, err
	case f.Right != nil:
		return q.against(f)
	}
	return q.comparison(f)
}

// against compares a field with a measure at a fixed grain.
func (q *question) against(f request.Filter) (expression.Node, error) {
	op, ok := operators[f.Op]
	if !ok || !f.Right.Unfiltered {
		return nil, refuse(Unspecified, "a comparison with a measure of what is filtered")
	}
	field, err := parts(f.Field)
	if err != nil {
		return nil, err
	}
	e, err := q.entity(f.Right.Measure, f.Right.Per, "")
	if err != nil {
		return nil, err
	}
	value := q.entityName(e)
	var right expression.Node = value
	if f.Right.Times != 0 {
		right = &expression.Binary{Op: expression.Multiply, Left: written(f.Right.Times, time.UTC), Right: value}
	}
	return &expression.Binary{Op: op, Left: &expression.Name{Parts: spelledWay(f.Via, field)}, Right: right}, nil
}

var operators = map[request.Op]expression.BinaryOp{
	request.OpEquals: expression.Equal, request.OpGreater: expression.Greater, request.OpAtLeast: expression.GreaterEqual,
	request.OpLess: expression.Less, request.OpAtMost: expression.LessEqual, request.OpBefore: expression.Less, request.OpAfter: expression.Greater,
}

var searches = map[request.Op]expression.MatchKind{
	request.OpContains: expression.Contains, request.OpNotContains: expression.Contains,
	request.OpStartsWith: expression.StartsWith, request.OpEndsWith: expression.EndsWith,
}

// compared is the name of what a structured condition compares.
func (q *question) compared(f request.Filter) (*expression.Name, error) {
	if f.Measure != "" {
		e, err := q.entity(f.Measure, f.Per, f.Rows)
		if err != nil {
			return nil, err
		}
		return q.entityName(e), nil
	}
	field, err := parts(f.Field)
	return &expression.Name{Parts: spelledWay(f.Via, field)}, err
}

// comparison reads a structured condition. What says "not" of values includes the
// rows that have none, unless NULL is one of the values; so it is of fields, not of the
// value of a measure per entity, which satisfies no comparison when there is none.
func (q *question) comparison(f request.Filter) (expression.Node, error) {
	name, err := q.compared(f)
	if err != nil {
		return nil, err
	}
	var values []expression.Node
	for _, v := range f.Values {
		if v != nil {
			values = append(values, written(v, q.clocksOf(name)))
		}
	}
	hasNull := len(values) < len(f.Values)
	none := &expression.IsNull{X: name}
	if op, ok := operators[f.Op]; ok && !hasNull {
		return &expression.Binary{Op: op, Left: name, Right: values[0]}, nil
	}
	switch f.Op {
	case request.OpEquals, request.OpIn:
		return expression.Disjoin(each(values, func(v expression.Node) expression.Node {
			return &expression.Binary{Op: expression.Equal, Left: name, Right: v}
		}, none, hasNull)...), nil
	case request.OpNotEquals, request.OpNotIn:
		others := expression.Conjoin(each(values, func(v expression.Node) expression.Node {
			return &expression.Binary{Op: expression.NotEqual, Left: name, Right: v}
		}, &expression.IsNull{X: name, Negated: true}, hasNull)...)
		if hasNull || f.Measure != "" {
			return others, nil
		}
		return expression.Disjoin(others, none), nil
	case request.OpBetween:
		return &expression.Between{X: name, Low: values[0], High: values[1]}, nil
	case request.OpIsNull, request.OpIsNotNull:
		return &expression.IsNull{X: name, Negated: f.Op == request.OpIsNotNull}, nil
	case request.OpInDateRange:
		return q.inRange(name, f.Values)
	case request.OpContains, request.OpStartsWith, request.OpEndsWith, request.OpNotContains:
		found := each(values, func(v expression.Node) expression.Node {
			return &expression.Match{Kind: searches[f.Op], X: name, Pattern: v, Negated: f.Op == request.OpNotContains}
		}, nil, false)
		if f.Op == request.OpNotContains {
			return expression.Disjoin(expression.Conjoin(found...), none), nil
		}
		return expression.Disjoin(found...), nil
	}
	return nil, refuse(Unspecified, "the operator %s", f.Op)
}

// each makes a term of every value, and adds one where there is a NULL among them.
func each(values []expression.Node, of func(expression.Node) expression.Node, null expression.Node, hasNull bool) (all []expression.Node) {
	for _, v := range values {
		all = append(all, of(v))
	}
	if hasNull {
		all = append(all, null)
	}
	return all
}

// inRange limits a date to a range of days, both ends included.
func (q *question) inRange(name *expression.Name, values []any) (expression.Node, error) {
	var ends [2]string
	for i, v := range values {
		ends[i], _ = v.(string)
	}
	if days, ok, err := q.relative(ends[0]); err != nil {
		return nil, err
	} else if ok && len(values) == 1 {
		ends = days
	}
	var terms []expression.Node
	for i, op := range []expression.BinaryOp{expression.GreaterEqual, expression.LessEqual} {
		if ends[i] != "" {
			terms = append(terms, &expression.Binary{Op: op, Left: name, Right: expression.Text(ends[i])})
		}
	}
	return expression.Conjoin(terms...), nil
}

// clocksOf are those that the timestamps of a field were read from, as far as there
// is such a field.
func (q *question) clocksOf(name *expression.Name) *time.Location {
	members, err := q.world.model.Lookup(model.Metrics, name.Parts...)
	if err != nil || members[0].Dimension == 0 {
		return time.UTC
	}
	return q.world.clocks(place{source: members[0].Source, field: members[0].Field})
}

// written is the literal that a value would be written as; a time is one that clocks
// of the zone show.
func written(v any, zone *time.Location) expression.Node {
	switch v := v.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			v = at.In(zone).Format(clockLayout)
		}
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
