package oracle

import (
	"math"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// compareValues orders two values of one type, neither of them NULL.
func compareValues(a, b any) int {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	case bool:
		if y, ok := b.(bool); ok {
			switch {
			case x == y:
				return 0
			case y:
				return -1
			}
			return 1
		}
	case float64:
		if y, ok := b.(float64); ok {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	panic("values of different types are compared: " + keyOf(a, b))
}

// keyOf writes values so that two lists have equal keys when they are the same
// group: NULL equals NULL.
func keyOf(values ...any) string {
	var b strings.Builder
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			b.WriteString("n")
		case bool:
			b.WriteString("b" + strconv.FormatBool(v))
		case float64:
			b.WriteString("f" + strconv.FormatFloat(v+0, 'g', -1, 64)) // -0 is 0
		case string:
			b.WriteString("s" + strconv.Quote(v))
		default:
			panic("a value of a type that no column has")
		}
		b.WriteByte('|')
	}
	return b.String()
}

// all and anyOf are AND and OR of three-valued logic.
func all(terms ...any) any   { return decide(false, terms) }
func anyOf(terms ...any) any { return decide(true, terms) }

// decide is decisive when a term is, unknown when none is and one is unknown.
func decide(decisive bool, terms []any) any {
	unknown := false
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

// not negates a truth value when it is to be: NOT unknown is unknown.
func not(v any, negated bool) any {
	if b, ok := v.(bool); ok {
		return b != negated
	}
	return nil
}

// operate computes a binary operator.
func operate(op expression.BinaryOp, a, b any) any {
	switch op {
	case expression.Distinct:
		return keyOf(a) != keyOf(b)
	case expression.NotDistinct:
		return keyOf(a) == keyOf(b)
	}
	if a == nil || b == nil {
		return nil
	}
	switch op {
	case expression.Concat:
		return textOf(a) + textOf(b)
	case expression.Equal:
		return compareValues(a, b) == 0
	case expression.NotEqual:
		return compareValues(a, b) != 0
	case expression.Less:
		return compareValues(a, b) < 0
	case expression.LessEqual:
		return compareValues(a, b) <= 0
	case expression.Greater:
		return compareValues(a, b) > 0
	case expression.GreaterEqual:
		return compareValues(a, b) >= 0
	}
	return arithmetic(op, a.(float64), b.(float64))
}

// arithmetic divides in floating point; a zero divisor gives NULL.
func arithmetic(op expression.BinaryOp, x, y float64) any {
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
	panic("there is no operator " + string(op))
}

// textOf writes a value as a cast to text does.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	panic("a truth value has no text")
}
