package expression_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// evaluate computes an expression over one row by the meaning of the language,
// knowing nothing of SQL: nil is NULL, numbers are float64.
func evaluate(n expression.Node, row map[string]any) any {
	at := func(n expression.Node) any { return evaluate(n, row) }
	switch n := n.(type) {
	case *expression.Literal:
		return literal(n)
	case *expression.Name:
		return row[n.Parts[0]]
	case *expression.Unary:
		x := at(n.X)
		switch x := x.(type) {
		case float64:
			return -x
		case bool:
			return !x
		}
		return nil
	case *expression.Binary:
		return binary(n.Op, at(n.Left), at(n.Right))
	case *expression.Logic:
		var terms []any
		for _, t := range n.Terms {
			terms = append(terms, at(t))
		}
		return logic(n.Op, terms...)
	case *expression.IsNull:
		return (at(n.X) == nil) != n.Negated
	case *expression.Between:
		x := at(n.X)
		return negate(logic(expression.And, binary(expression.GreaterEqual, x, at(n.Low)), binary(expression.LessEqual, x, at(n.High))), n.Negated)
	case *expression.In:
		var terms []any
		for _, v := range n.List {
			terms = append(terms, binary(expression.Equal, at(n.X), at(v)))
		}
		return negate(logic(expression.Or, terms...), n.Negated)
	case *expression.Match:
		return negate(match(n.Kind, at(n.X), at(n.Pattern)), n.Negated)
	case *expression.Case:
		for _, w := range n.Whens {
			holds := at(w.Condition)
			if n.Operand != nil {
				holds = binary(expression.Equal, at(n.Operand), holds)
			}
			if holds == true {
				return at(w.Result)
			}
		}
		if n.Else != nil {
			return at(n.Else)
		}
		return nil
	case *expression.Cast:
		return at(n.X) // only numbers to wider ones are made here
	case *expression.Call:
		var args []any
		for _, a := range n.Args {
			args = append(args, at(a))
		}
		return call(n.Function, args)
	}
	panic(fmt.Sprintf("no evaluation of %T", n))
}

// logic is three-valued.
func logic(op expression.LogicOp, terms ...any) any {
	decisive, unknown := op == expression.Or, false
	for _, t := range terms {
		switch t {
		case decisive:
			return decisive
		case nil:
			unknown = true
		}
	}
	if unknown {
		return nil
	}
	return !decisive
}

func negate(v any, negated bool) any {
	if b, ok := v.(bool); ok {
		return b != negated
	}
	return nil
}

func binary(op expression.BinaryOp, a, b any) any {
	switch op {
	case expression.Distinct:
		return a != b
	case expression.NotDistinct:
		return a == b
	}
	if a == nil || b == nil {
		return nil
	}
	if op == expression.Concat {
		return a.(string) + b.(string)
	}
	if op.Comparison() {
		c := compare(a, b)
		switch op {
		case expression.Equal:
			return c == 0
		case expression.NotEqual:
			return c != 0
		case expression.Less:
			return c < 0
		case expression.LessEqual:
			return c <= 0
		case expression.Greater:
			return c > 0
		}
		return c >= 0
	}
	x, y := a.(float64), b.(float64)
	switch op {
	case expression.Add:
		return x + y
	case expression.Subtract:
		return x - y
	case expression.Multiply:
		return x * y
	case expression.Divide, expression.Modulo:
		switch {
		case y == 0:
			return nil
		case op == expression.Modulo:
			return math.Mod(x, y)
		}
		return x / y
	}
	panic("no evaluation of " + op)
}

func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		if a == b {
			return 0
		}
		return 1
	}
	switch x, y := a.(float64), b.(float64); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func match(kind expression.MatchKind, x, pattern any) any {
	if x == nil || pattern == nil {
		return nil
	}
	s, p := ascii(x.(string)), ascii(pattern.(string))
	switch kind {
	case expression.Contains:
		return strings.Contains(s, p)
	case expression.StartsWith:
		return strings.HasPrefix(s, p)
	case expression.EndsWith:
		return strings.HasSuffix(s, p)
	}
	var b strings.Builder
	escaped := false
	for _, r := range p {
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case r == '%' && !escaped:
			b.WriteString("(?s:.*)")
		case r == '_' && !escaped:
			b.WriteString("(?s:.)")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
		escaped = false
	}
	return regexp.MustCompile("^(?:" + b.String() + ")$").MatchString(s)
}

// ascii folds case as the engine of the test does, which knows ASCII only.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func call(function string, args []any) any {
	switch function {
	case "coalesce":
		for _, a := range args {
			if a != nil {
				return a
			}
		}
		return nil
	case "concat":
		s := ""
		for _, a := range args {
			if a != nil {
				s += a.(string)
			}
		}
		return s
	case "nullif":
		if args[0] == nil || args[1] != nil && args[0] == args[1] {
			return nil
		}
		return args[0]
	}
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	switch function {
	case "length":
		return float64(len([]rune(args[0].(string))))
	case "greatest":
		return math.Max(args[0].(float64), args[1].(float64))
	case "left":
		r := []rune(args[0].(string))
		return string(r[:min(len(r), int(args[1].(float64)))])
	}
	panic("no evaluation of " + function)
}
