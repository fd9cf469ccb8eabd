package oracle

import (
	"fmt"
	"strconv"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// env says what names and aggregates stand for while an expression is computed.
type env struct {
	name      func(*expression.Name) any
	aggregate func(*expression.Aggregate) any // nil: there are none
}

// eval computes an expression whose types were checked.
func (e env) eval(n expression.Node) any {
	switch n := n.(type) {
	case *expression.Literal:
		return literal(n)
	case *expression.Name:
		return e.name(n)
	case *expression.Aggregate:
		return e.aggregate(n)
	case *expression.Unary:
		x := e.eval(n.X)
		if n.Op == expression.Not {
			return not(x, true)
		}
		if x == nil {
			return nil
		}
		return -x.(float64)
	case *expression.Binary:
		return operate(n.Op, e.eval(n.Left), e.eval(n.Right))
	case *expression.Logic:
		return e.logic(n)
	case *expression.IsNull:
		return (e.eval(n.X) == nil) != n.Negated
	case *expression.Between:
		x := e.eval(n.X)
		inside := all(operate(expression.GreaterEqual, x, e.eval(n.Low)), operate(expression.LessEqual, x, e.eval(n.High)))
		return not(inside, n.Negated)
	case *expression.In:
		return e.in(n)
	case *expression.Match:
		return not(matches(n.Kind, e.eval(n.X), e.eval(n.Pattern)), n.Negated)
	case *expression.Case:
		return e.choose(n)
	case *expression.Cast:
		return cast(e.eval(n.X), n.To)
	case *expression.Call:
		args := make([]any, len(n.Args))
		for i, a := range n.Args {
			args[i] = e.eval(a)
		}
		return call(n.Function, args)
	}
	panic(fmt.Sprintf("there is no meaning of %T", n))
}

func (e env) logic(n *expression.Logic) any {
	var terms []any
	for _, t := range n.Terms {
		terms = append(terms, e.eval(t))
	}
	if n.Op == expression.And {
		return all(terms...)
	}
	return anyOf(terms...)
}

func (e env) in(n *expression.In) any {
	x := e.eval(n.X)
	var terms []any
	for _, v := range n.List {
		terms = append(terms, operate(expression.Equal, x, e.eval(v)))
	}
	return not(anyOf(terms...), n.Negated)
}

// choose is CASE: a condition that is unknown does not hold.
func (e env) choose(n *expression.Case) any {
	for _, w := range n.Whens {
		holds := e.eval(w.Condition)
		if n.Operand != nil {
			holds = operate(expression.Equal, e.eval(n.Operand), holds)
		}
		if holds == true {
			return e.eval(w.Result)
		}
	}
	if n.Else == nil {
		return nil
	}
	return e.eval(n.Else)
}

func literal(l *expression.Literal) any {
	switch l.Type() {
	case sdk.TypeUnspecified:
		return nil
	case sdk.TypeBool:
		return l.Value == "true"
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeFloat64:
		f, err := strconv.ParseFloat(l.Value, 64)
		if err != nil {
			panic(err) // the parser has read it
		}
		return f
	case sdk.TypeTimestampTZ:
		return ofISO(l.Value).UTC().Format(clockLayout)
	}
	return l.Value
}

// cast converts a value; of numbers only ones that have no fraction become whole.
func cast(v any, to sdk.Type) any {
	if v == nil {
		return nil
	}
	switch to {
	case sdk.TypeText:
		return textOf(v)
	case sdk.TypeDate:
		return dayOf(v.(string))
	case sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return clockOf(v.(string))
	case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeFloat64:
		if s, ok := v.(string); ok {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return nil
			}
			return f
		}
	}
	return v
}
