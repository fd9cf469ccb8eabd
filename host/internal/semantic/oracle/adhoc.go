package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// adhoc computes an expression of aggregates. The home of each is the source from
// which everything in it is to-one.
func (q *question) adhoc(m compile.MeasureRef, s scope) (*column, error) {
	tree, err := expression.Parse(m.Expr)
	if err != nil {
		return nil, refuse(compile.CodeInvalidExpression, "%v", err)
	}
	parts := map[string]*column{}
	whole := &column{domain: map[string][]any{}}
	expression.Walk(tree, func(n expression.Node) bool {
		a, ok := n.(*expression.Aggregate)
		if !ok || err != nil {
			return err == nil
		}
		var c *column
		if c, err = q.aggregated(a, s); err == nil {
			parts[expression.String(a)] = c
			whole.union(c)
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	if expression.ClassOf(tree) != expression.Aggregated {
		return nil, refuse(compile.CodeInvalidExpression, "%s is no aggregate", m.Expr)
	}
	if tree, err = expression.Check(tree, unknownTypes); err != nil {
		return nil, refuse(compile.CodeInvalidExpression, "%v", err)
	}
	whole.at = func(tuple []any) any {
		return env{aggregate: func(a *expression.Aggregate) any { return parts[expression.String(a)].at(tuple) }}.eval(tree)
	}
	return whole, nil
}

func (q *question) aggregated(a *expression.Aggregate, s scope) (*column, error) {
	home, err := q.grainOf(expression.Names(a))
	if err != nil {
		return nil, err
	}
	var l *view
	err = q.timed(&model.Measure{Home: home}, func() (err error) {
		l, err = q.viewOf(home, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	x, err := q.bind(home, a.X)
	if err != nil {
		return nil, err
	}
	g, err := l.group(l.own, nil)
	if err != nil {
		return nil, err
	}
	return g.column(a.Function, a.Parameter, func(at int) any { return q.compute(choice{"": {home, at}}, x) }), nil
}

// grainOf finds the source that has one row for each combination of what names
// refer to.
func (q *question) grainOf(names []*expression.Name) (model.SourceID, error) {
	var homes []model.SourceID
	for _, n := range names {
		members, err := q.Lookup(model.Metrics, n.Parts...)
		if err != nil {
			return 0, lookupRefusal(err)
		}
		home := members[0].Source
		fits := !slices.ContainsFunc(names, func(o *expression.Name) bool {
			p, err := q.find(home, o.Parts, nil)
			return err != nil || p.downs() > 0
		})
		if fits && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	if len(homes) != 1 {
		return 0, refuse(compile.CodeNoCommonGrain, "%d sources have one row of each", len(homes))
	}
	return homes[0], nil
}
