package request

import (
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// References lists the members that a request names in its measures, dimensions, date
// ranges, filters and segments. It leaves out metric_time, the names that the request
// defines itself, and the keys of an order, which may be columns of the answer.
// Shape: in no particular order, with repetitions, without the period of a time.
func (r Request) References() []*expression.Name {
	f := references{defined: map[string]bool{strings.ToLower(MetricTime): true}}
	for name, members := range r.Conform {
		f.defined[strings.ToLower(name)] = true
		f.names(members...)
	}
	for _, m := range r.Measures {
		if m.Expr != "" {
			f.defined[strings.ToLower(m.Name)] = true
		}
	}
	for _, m := range r.Measures {
		if f.expression(m.Expr); m.Expr == "" {
			f.names(m.Name)
		}
		f.filters(m.Filters...)
	}
	for _, d := range r.Dimensions {
		f.names(d.Field, d.Measure)
		f.names(d.Per...)
		f.expression(d.Expr)
		f.expression(d.Filter)
	}
	for _, d := range r.DateRanges {
		f.names(d.Field)
	}
	f.names(r.Segments...)
	f.filters(r.Filters...)
	return f.all
}

// references collects the names of a request.
type references struct {
	defined map[string]bool // by the request itself, in lower case
	all     []*expression.Name
}

func (f *references) add(n *expression.Name) {
	if f.defined[strings.ToLower(n.Parts[0])] {
		return
	}
	if field, _, ok := CutGrain(n); ok {
		f.names(field)
		return
	}
	f.all = append(f.all, n)
}

func (f *references) names(texts ...string) {
	for _, text := range texts {
		if n, err := expression.ParseName(text); err == nil {
			f.add(n)
		}
	}
}

func (f *references) expression(text string) {
	if tree, err := expression.ParseCondition(text); text != "" && err == nil {
		f.walk(tree)
	}
}

func (f *references) walk(tree expression.Node) { eachName(tree, f.add) }

// eachName calls visit with every name of an expression.
func eachName(tree expression.Node, visit func(*expression.Name)) {
	expression.Walk(tree, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Name:
			visit(n)
		case *expression.PerEntity:
			eachName(n.X, visit)
			for _, key := range n.Keys {
				visit(key)
			}
		case *expression.Quantified:
			eachName(n.X, visit)
		}
		return true
	})
}

func (f *references) filters(all ...Filter) {
	for _, one := range all {
		f.expression(one.SQL)
		f.expression(one.Rows)
		f.names(one.Field, one.Measure)
		f.names(one.Per...)
		if one.Right != nil {
			f.names(one.Right.Measure)
			f.names(one.Right.Per...)
		}
		f.filters(one.And...)
		f.filters(one.Or...)
		for _, inner := range []*Filter{one.Not, one.Any, one.None, one.All} {
			if inner != nil {
				f.filters(*inner)
			}
		}
	}
}
