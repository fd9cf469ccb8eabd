package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// canon writes what a measure computes in one spelling: two measures with the same text
// give the same numbers. The operands of + * AND OR = are sorted, the measures that it is made
// of are written out. "" = it cannot be written, and equals no other.
func canon(m *model.Model, id model.MeasureID) string {
	c := canonical{m: m}
	s := c.measure(id, 0)
	if c.opaque {
		return ""
	}
	return s
}

// shapeOf is what decides whether a statement can be made of a measure: canon without the numbers and the words that
// something is compared with. "" = more decides.
func shapeOf(m *model.Model, id model.MeasureID) string {
	c := canonical{m: m, shape: true}
	s := c.measure(id, 0)
	if c.opaque {
		return ""
	}
	return s
}

type canonical struct {
	m             *model.Model
	opaque, shape bool
}

const maxUses = 20

func (c *canonical) measure(id model.MeasureID, depth int) string {
	x := c.m.Measure(id)
	if x == nil || x.Broken != "" || depth > maxUses {
		c.opaque = true
		return ""
	}
	var parts []string
	switch x.Kind {
	case model.Simple:
		parts = append(parts, string(x.Agg), c.m.Source(x.Home).Identity, c.expr(x.Expr, depth))
		if x.Parameter != nil {
			parts = append(parts, expression.String(x.Parameter))
		}
		if where := c.conditions(x, depth); where != "" {
			parts = append(parts, "where "+where)
		}
	case model.Derived:
		if x.Filter != nil || x.Segments != nil {
			c.opaque = true
		}
		parts = append(parts, c.expr(x.Expr, depth))
	case model.Ratio:
		parts = append(parts, "/("+c.measure(x.Numerator, depth+1)+", "+c.measure(x.Denominator, depth+1)+")")
	default:
		c.opaque = true
	}
	if x.NonAdditive != nil || x.Default != nil {
		c.opaque = true
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (c *canonical) conditions(x *model.Measure, depth int) string {
	var terms []string
	add := func(e *model.Expr) {
		for _, term := range expression.Conjuncts(e.Tree) {
			terms = append(terms, c.node(e, term, depth))
		}
	}
	for _, e := range x.Filter {
		add(e)
	}
	for _, id := range x.Segments {
		if segment := c.m.Segment(id); segment.Expr != nil {
			add(segment.Expr)
		} else {
			c.opaque = true
		}
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " AND ")
}

func (c *canonical) expr(e *model.Expr, depth int) string {
	if e == nil {
		return "*"
	}
	return c.node(e, e.Tree, depth)
}

func (c *canonical) node(e *model.Expr, n expression.Node, depth int) string {
	each := func(all []expression.Node) (texts []string) {
		for _, n := range all {
			texts = append(texts, c.node(e, n, depth))
		}
		return texts
	}
	sorted := func(op string, texts []string) string {
		slices.Sort(texts)
		return op + "(" + strings.Join(texts, ", ") + ")"
	}
	switch n := n.(type) {
	case *expression.Name:
		return c.name(e, n, depth)
	case *expression.Literal:
		if n.Type() == sdk.TypeDecimal && strings.Contains(n.Value, ".") {
			return strings.TrimRight(strings.TrimRight(n.Value, "0"), ".")
		}
		return expression.String(n)
	case *expression.Binary:
		switch n.Op {
		case expression.Add, expression.Multiply:
			return sorted(string(n.Op), each(chain(n, n.Op)))
		case expression.Equal, expression.NotEqual, expression.Distinct, expression.NotDistinct:
			return sorted(string(n.Op), each(c.compared(n.Left, n.Right)))
		case expression.Greater:
			return "<(" + strings.Join(each(c.compared(n.Right, n.Left)), ", ") + ")"
		case expression.GreaterEqual:
			return "<=(" + strings.Join(each(c.compared(n.Right, n.Left)), ", ") + ")"
		case expression.Less, expression.LessEqual:
			return string(n.Op) + "(" + strings.Join(each(c.compared(n.Left, n.Right)), ", ") + ")"
		}
		return string(n.Op) + "(" + strings.Join(each(expression.Children(n)), ", ") + ")"
	case *expression.Logic:
		return sorted(string(n.Op), each(n.Terms))
	case *expression.In:
		if len(n.List) == 1 && !n.Negated {
			return sorted("=", each(c.compared(n.X, n.List[0])))
		}
		return fmt.Sprintf("in %v %s ", n.Negated, c.node(e, n.X, depth)) + sorted("", each(c.compared(n.List...)))
	}
	return c.other(n, each(expression.Children(n)))
}

// compared are the operands of a comparison; in a shape all whole numbers are one, and all words.
func (c *canonical) compared(operands ...expression.Node) []expression.Node {
	if !c.shape {
		return operands
	}
	all := slices.Clone(operands)
	for i, n := range all {
		switch l, ok := n.(*expression.Literal); {
		case !ok:
		case l.Type() == sdk.TypeInt64:
			all[i] = expression.Int(0)
		case l.Type() == sdk.TypeText && l.Value != "" && strings.Trim(strings.ToLower(l.Value), "abcdefghijklmnopqrstuvwxyz_") == "":
			all[i] = expression.Text("word")
		}
	}
	return all
}

// other writes a node whose operands are in order.
func (c *canonical) other(n expression.Node, operands []string) string {
	head := fmt.Sprintf("%T", n)
	switch n := n.(type) {
	case *expression.Unary:
		head = string(n.Op)
	case *expression.IsNull:
		head = fmt.Sprint("null ", n.Negated)
	case *expression.Between:
		head = fmt.Sprint("between ", n.Negated)
	case *expression.Match:
		head = fmt.Sprint(n.Kind, n.Negated)
	case *expression.Case:
		head = fmt.Sprint("case ", n.Operand != nil, len(n.Whens))
	case *expression.Cast:
		head = "cast " + n.To.String()
	case *expression.Call:
		head = n.Function
	case *expression.Aggregate:
		head = string(n.Function)
	default:
		c.opaque = true
	}
	return head + "(" + strings.Join(operands, ", ") + ")"
}

// chain are the operands of one operator that stand in a row.
func chain(n expression.Node, op expression.BinaryOp) []expression.Node {
	if b, ok := n.(*expression.Binary); ok && b.Op == op {
		return append(chain(b.Left, op), chain(b.Right, op)...)
	}
	return []expression.Node{n}
}

// name writes what a name means: a column in full, a measure as what it computes.
func (c *canonical) name(e *model.Expr, n *expression.Name, depth int) string {
	ref, ok := e.Ref(n)
	switch {
	case !ok:
		c.opaque = true
		return n.String()
	case ref.Measure != 0:
		return c.measure(ref.Measure, depth+1)
	}
	column := ref.Column
	if ref.Dimension != 0 {
		column = c.m.Dimension(ref.Dimension).Name
	}
	return strings.Join(append(slices.Clone(ref.Via), c.m.Source(ref.Source).Identity, column), ".")
}
