package assertion

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

// comparison matches "column = 'literal'".
var comparison = text.Pattern(`^\S+\s*=\s*(?:'([^']*)'|"([^"]*)")$`)

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// same reports whether two formulas are equal, apart from the order of operands. A table that only
// one of them names is not a difference.
func (f *Formula) same(other *Formula) bool {
	if f.Divisor != nil || other.Divisor != nil {
		if f.Divisor == nil || other.Divisor == nil || !f.Divisor.same(other.Divisor) {
			return false
		}
	}
	if f.Table != "" && other.Table != "" && base(f.Table) != base(other.Table) {
		return false
	}
	return f.tree() == other.tree() && strings.EqualFold(f.Per, other.Per) && slices.Equal(f.where(), other.where())
}

// base is the last part of a qualified name.
func base(name string) string {
	name = strings.ToLower(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// tree returns the normalised calculation.
func (f *Formula) tree() string {
	text := f.Expr
	switch {
	case text != "":
	case f.Aggregate == "count":
		text = "count(*)"
	default:
		text = f.Aggregate + "(" + f.Of + ")"
	}
	return normal(text)
}

// where returns the normalised conditions, sorted.
func (f *Formula) where() []string {
	var out []string
	for _, c := range f.Where {
		text := normal(c.Text)
		if c.Excluded {
			text = "not " + text
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// normal returns a calculation or condition with the operands of + * AND OR = sorted, and only the last
// parts of names. If the text is not an expression, it returns its words.
func normal(text string) string {
	n, err := expression.Parse(text)
	if err == nil {
		n, err = expression.Transform(n, order)
	}
	if err != nil {
		return fold(text)
	}
	return expression.String(n)
}

func order(n expression.Node) (expression.Node, error) {
	switch n := n.(type) {
	case *expression.Name:
		return &expression.Name{Parts: []string{base(n.Parts[len(n.Parts)-1])}}, nil
	case *expression.Logic:
		terms := slices.Clone(n.Terms)
		sortNodes(terms)
		return &expression.Logic{Op: n.Op, Terms: terms}, nil
	case *expression.Binary:
		if n.Op != expression.Add && n.Op != expression.Multiply && n.Op != expression.Equal {
			return n, nil
		}
		list := operands(n, n.Op)
		sortNodes(list)
		var tree expression.Node
		for i, x := range list {
			if i == 0 {
				tree = x
				continue
			}
			tree = &expression.Binary{Op: n.Op, Left: tree, Right: x}
		}
		return tree, nil
	}
	return n, nil
}

// operands flattens a chain of one operator.
func operands(n expression.Node, op expression.BinaryOp) []expression.Node {
	b, ok := n.(*expression.Binary)
	if !ok || b.Op != op {
		return []expression.Node{n}
	}
	if op == expression.Equal {
		return []expression.Node{b.Left, b.Right}
	}
	return append(operands(b.Left, op), operands(b.Right, op)...)
}

func sortNodes(list []expression.Node) {
	slices.SortStableFunc(list, func(a, b expression.Node) int { return strings.Compare(expression.String(a), expression.String(b)) })
}
