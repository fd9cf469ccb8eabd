package finding

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// canon writes an expression so that equal ones have one text: operands that may be exchanged
// are sorted, and names are replaced by what they mean.
type canon struct {
	// mean returns the meaning of a name; false = it has none that can be compared.
	mean func(*expression.Name) (string, bool)
	// required reports whether a meaning is a column without NULL.
	required func(meaning string) bool
}

// of returns the text of an expression; false = it cannot be compared, or the semantic layer
// gives it another meaning than an engine may.
func (c *canon) of(n expression.Node) (string, bool) {
	switch n := n.(type) {
	case *expression.Literal:
		return "'" + n.Type().String() + " " + n.Value + "'", true
	case *expression.Name:
		return c.mean(n)
	case *expression.Unary:
		return c.join(string(n.Op), false, n.X)
	case *expression.Binary:
		return c.binary(n)
	case *expression.Logic:
		return c.join(string(n.Op), true, n.Terms...)
	case *expression.IsNull:
		return c.join("null"+strconv.FormatBool(n.Negated), false, n.X)
	case *expression.Between:
		return c.join("between"+strconv.FormatBool(n.Negated), false, n.X, n.Low, n.High)
	case *expression.In:
		x, ok := c.of(n.X)
		all, listed := c.join("list", true, n.List...)
		return "in" + strconv.FormatBool(n.Negated) + "(" + x + "," + all + ")", ok && listed
	case *expression.Call:
		if slices.Contains(alike, n.Function) {
			return c.join(n.Function, false, n.Args...)
		}
	case *expression.Case:
		return c.join(caseShape(n), false, expression.Children(n)...)
	case *expression.Aggregate:
		return c.aggregate(n)
	}
	return "", false
}

// alike are the functions that mean the same to every engine. Patterns and casts are not
// compared: engines differ in case and in rounding.
var alike = []string{"coalesce", "nullif", "abs"}

// binary writes an operation. The semantic layer divides integers as numbers and by zero as
// NULL, so that a division is compared only by a literal with a point.
func (c *canon) binary(n *expression.Binary) (string, bool) {
	switch n.Op {
	case expression.Modulo, expression.Concat:
		return "", false
	case expression.Divide:
		by, ok := n.Right.(*expression.Literal)
		if !ok || !strings.Contains(by.Value, ".") || strings.Trim(by.Value, "0.") == "" {
			return "", false
		}
	}
	return c.join(string(n.Op), exchangeable[n.Op], n.Left, n.Right)
}

// exchangeable are the operators whose operands may be exchanged.
var exchangeable = map[expression.BinaryOp]bool{
	expression.Add: true, expression.Multiply: true, expression.Equal: true, expression.NotEqual: true, expression.Distinct: true, expression.NotDistinct: true,
}

// caseShape says which operands a CASE has.
func caseShape(n *expression.Case) string {
	return "case " + strconv.FormatBool(n.Operand != nil) + strconv.Itoa(len(n.Whens)) + strconv.FormatBool(n.Else != nil)
}

// aggregate writes a count of a column without NULL as a count of rows.
func (c *canon) aggregate(n *expression.Aggregate) (string, bool) {
	if n.X == nil {
		return "count(rows)", n.Function == expression.Count
	}
	if name, ok := n.X.(*expression.Name); ok && n.Function == expression.Count {
		if meaning, known := c.mean(name); known && c.required(meaning) {
			return "count(rows)", true
		}
	}
	operands := []expression.Node{n.X}
	if n.Parameter != nil {
		operands = append(operands, n.Parameter)
	}
	return c.join(string(n.Function), false, operands...)
}

func (c *canon) join(operator string, sorted bool, operands ...expression.Node) (string, bool) {
	all := make([]string, len(operands))
	for i, o := range operands {
		text, ok := c.of(o)
		if !ok {
			return "", false
		}
		all[i] = text
	}
	if sorted {
		slices.Sort(all)
	}
	return operator + "(" + strings.Join(all, ",") + ")", true
}
