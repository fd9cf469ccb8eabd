package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// adhoc computes an expression of aggregates. The home of each is the source from
// which everything in it is to-one.
func (q *question) adhoc(m request.Measure, s scope) (*column, error) {
	tree, err := expression.ParseValue(m.Expr)
	if err != nil {
		return nil, refuse(refusal.CodeInvalidExpression, "%v", err)
	}
	if tree, err = q.withEntities(tree); err != nil {
		return nil, err
	}
	parts := map[string]*column{}
	whole := &column{domain: map[string][]any{}}
	expression.Walk(tree, func(n expression.Node) bool {
		if err != nil {
			return false
		}
		var c *column
		switch n := n.(type) {
		case *expression.Aggregate:
			c, err = q.aggregated(n, s)
		case *expression.Name:
			c, err = q.measureCalled(n, s)
		default:
			return true
		}
		if err == nil {
			parts[expression.String(n)] = c
			whole.union(c)
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, refuse(refusal.CodeInvalidRequest, "%s measures nothing", m.Expr)
	}
	if tree, err = expression.Check(tree, unknownTypes); err != nil {
		return nil, refuse(refusal.CodeInvalidExpression, "%v", err)
	}
	whole.at = func(tuple []any) any {
		of := func(n expression.Node) any { return parts[expression.String(n)].at(tuple) }
		return env{name: func(n *expression.Name) any { return of(n) }, aggregate: func(a *expression.Aggregate) any { return of(a) }}.eval(tree)
	}
	return whole, nil
}

// measureCalled is an earlier measure of the request, or one of the model. A name that could
// be either is refused.
func (q *question) measureCalled(n *expression.Name, s scope) (*column, error) {
	id, err := q.measureID(n.String())
	at := q.inline(n)
	switch {
	case at >= 0 && err == nil:
		return nil, refuse(refusal.CodeAmbiguousMember, "%s is a measure of the request and one of the model", n)
	case at >= 0 && len(s.own) > 0:
		return nil, refuse(Unspecified, "%s, beside filters of a measure that is made of it", n)
	case at >= 0:
		return q.columns[at], nil
	case err != nil:
		return nil, err
	}
	return q.world.measure(id, s)
}

func (q *question) aggregated(a *expression.Aggregate, s scope) (*column, error) {
	home, err := q.grainOf(expression.Names(a))
	if err != nil {
		return nil, err
	}
	var l *view
	err = q.world.timed(&model.Measure{Home: home}, func() (err error) {
		l, err = q.world.viewOf(home, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	x, err := q.world.bind(home, a.X)
	if err != nil {
		return nil, err
	}
	g, err := l.group(l.own, nil)
	if err != nil {
		return nil, err
	}
	return g.column(a.Function, a.Parameter, func(at int) any { return q.world.compute(choice{"": {home, at}}, x) }), nil
}

// grainOf finds the source that has one row for each combination of what names
// refer to.
func (q *question) grainOf(all []*expression.Name) (model.SourceID, error) {
	names := slices.DeleteFunc(all, func(n *expression.Name) bool { return n.Parts[0] == entityMark })
	var homes []model.SourceID
	for _, n := range names {
		members, err := q.world.model.Lookup(model.Metrics, n.Parts...)
		if err != nil {
			return 0, lookupRefusal(err)
		}
		home := members[0].Source
		fits := !slices.ContainsFunc(names, func(o *expression.Name) bool {
			p, err := q.world.find(home, o.Parts, nil)
			return err != nil || p.downs() > 0
		})
		if fits && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	if len(homes) != 1 {
		return 0, refuse(refusal.CodeNoCommonGrain, "%d sources have one row of each", len(homes))
	}
	return homes[0], nil
}
