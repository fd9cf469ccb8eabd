package compare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// parsers are those that read a dialect, by its name.
var parsers = map[string]func(sql string) (*query, error){"mysql": readMySQL}

// readMySQL reads a statement with TiDB's parser of MySQL's dialect.
func readMySQL(sql string) (*query, error) {
	escapes = strings.Contains(strings.ToUpper(sql), "ESCAPE")
	all, _, err := parser.New().Parse(sql, "", "")
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, errors.New("it is not one statement")
	}
	switch all[0].(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return myQuery(all[0]), nil
	}
	return nil, errors.New("it is no SELECT")
}

// escapes: the statement names escape characters, of which the tree does not tell whether it was written. The patterns of
// such a statement are not compared.
var escapes bool

func myQuery(n ast.Node) *query {
	q := &query{}
	var with *ast.WithClause
	switch s := n.(type) {
	case *ast.SelectStmt:
		with = s.With
		if s.Kind != ast.SelectStmtKindValues {
			q.branches = []*block{myBlock(s)}
		}
	case *ast.SetOprStmt:
		with = s.With
		for _, b := range s.SelectList.Selects {
			q.nested = append(q.nested, myQuery(b))
		}
	case *ast.SetOprSelectList:
		with = s.With
		for _, b := range s.Selects {
			q.nested = append(q.nested, myQuery(b))
		}
	}
	if with != nil {
		q.recursive = with.IsRecursive
		for _, c := range with.CTEs {
			l := local{name: c.Name.L, query: myQuery(c.Query.Query)}
			for _, name := range c.ColNameList {
				l.columns = append(l.columns, name.L)
			}
			q.with = append(q.with, l)
		}
	}
	return q
}

func myBlock(s *ast.SelectStmt) *block {
	b := &block{where: myNode(s.Where)}
	if s.From != nil {
		myFrom(b, s.From.TableRefs)
	}
	if s.Fields != nil {
		for _, f := range s.Fields.Fields {
			i := item{alias: f.AsName.L}
			if f.WildCard != nil {
				i.all, i.star = true, f.WildCard.Table.L
			} else {
				i.value = myNode(f.Expr)
			}
			b.items = append(b.items, i)
		}
	}
	for _, n := range []ast.Node{s.GroupBy, s.Having, s.OrderBy} {
		b.rest = append(b.rest, myNode(n))
	}
	for i := range s.WindowSpecs {
		b.rest = append(b.rest, myNode(&s.WindowSpecs[i]))
	}
	return b
}

func myFrom(b *block, n ast.ResultSetNode) {
	switch n := n.(type) {
	case *ast.Join:
		j := join{first: len(b.relations), natural: n.NaturalJoin}
		myFrom(b, n.Left)
		if n.Right == nil {
			return
		}
		j.begin = len(b.relations)
		myFrom(b, n.Right)
		j.end = len(b.relations)
		if n.On != nil {
			j.on = myNode(n.On.Expr)
		}
		for _, c := range n.Using {
			j.using = append(j.using, c.Name.L)
		}
		b.joins = append(b.joins, j)
	case *ast.TableSource:
		r := &relation{alias: n.AsName.L}
		switch of := n.Source.(type) {
		case *ast.TableName:
			if of.Schema.L != "" {
				r.path = append(r.path, of.Schema.L)
			}
			r.path = append(r.path, of.Name.L)
		case *ast.SelectStmt, *ast.SetOprStmt:
			r.query = myQuery(of)
		default:
			myFrom(b, of)
			return
		}
		b.relations = append(b.relations, r)
	}
}

var myOperators = map[opcode.Op]string{opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">="}

func nodes(all ...ast.Node) (made []*node) {
	for _, n := range all {
		if m := myNode(n); m != nil {
			made = append(made, m)
		}
	}
	return made
}

func myNode(n ast.Node) *node {
	if absent(n) {
		return nil
	}
	switch n := n.(type) {
	case *ast.ParenthesesExpr:
		return myNode(n.Expr)
	case *ast.ColumnNameExpr:
		m := &node{kind: column}
		for _, part := range []string{n.Name.Schema.L, n.Name.Table.L, n.Name.Name.L} {
			if part != "" {
				m.name = append(m.name, part)
			}
		}
		return m
	case *test_driver.ValueExpr:
		return myLiteral(n)
	case *ast.SelectStmt, *ast.SetOprStmt:
		return &node{kind: subquery, query: myQuery(n)}
	case *ast.SubqueryExpr:
		return &node{kind: subquery, query: myQuery(n.Query)}
	case *ast.BinaryOperationExpr:
		m := &node{args: nodes(n.L, n.R)}
		if n.Op == opcode.LogicAnd {
			m.kind = and
		} else if op := myOperators[n.Op]; op != "" {
			m.kind, m.operator = comparison, op
		}
		return m
	case *ast.UnaryOperationExpr:
		inner := myNode(n.V)
		if inner.kind == literal && n.Op == opcode.Minus {
			return &node{kind: literal, text: "-" + inner.text}
		}
		if inner.kind == literal && n.Op == opcode.Plus {
			return inner
		}
		return &node{args: []*node{inner}}
	case *ast.PatternInExpr:
		m := &node{kind: comparison, operator: "IN", negated: n.Not, args: nodes(n.Expr)}
		for _, v := range n.List {
			m.args = append(m.args, myNode(v))
		}
		m.args = append(m.args, nodes(n.Sel)...)
		return m
	case *ast.PatternLikeOrIlikeExpr:
		m := &node{args: nodes(n.Expr, n.Pattern)}
		if !escapes {
			m.kind, m.operator, m.negated = comparison, "LIKE", n.Not
		}
		return m
	case *ast.BetweenExpr:
		return &node{kind: comparison, operator: "BETWEEN", negated: n.Not, args: nodes(n.Expr, n.Left, n.Right)}
	case *ast.IsNullExpr:
		return &node{kind: comparison, operator: "IS NULL", negated: n.Not, args: nodes(n.Expr)}
	case *ast.AggregateFuncExpr:
		m := &node{kind: call, name: []string{strings.ToLower(n.F)}, distinct: n.Distinct}
		for _, a := range n.Args {
			m.args = append(m.args, myNode(a))
		}
		return &node{args: append(nodes(n.Order), m)}
	case *ast.WindowFuncExpr:
		m := &node{kind: call, name: []string{strings.ToLower(n.Name)}, window: true}
		for _, a := range n.Args {
			m.args = append(m.args, myNode(a))
		}
		return &node{args: append(nodes(&n.Spec), m)}
	}
	c := &children{of: n}
	n.Accept(c)
	m := &node{}
	for _, child := range c.found {
		if one := myNode(child); one != nil {
			m.args = append(m.args, one)
		}
	}
	return m
}

// absent reports whether a node is nil, of whatever type.
func absent(n ast.Node) bool { return n == nil || fmt.Sprintf("%v", n) == "<nil>" }

func myLiteral(v *test_driver.ValueExpr) *node {
	switch v.Kind() {
	case test_driver.KindString:
		return &node{kind: literal, text: textOf(v.GetString())}
	case test_driver.KindInt64, test_driver.KindUint64, test_driver.KindFloat64, test_driver.KindMysqlDecimal:
		return &node{kind: literal, text: number(fmt.Sprint(v.GetValue()))}
	}
	return &node{kind: literal} // a truth value, NULL or bits
}

// children collects the nodes directly below one.
type children struct {
	of    ast.Node
	found []ast.Node
}

func (c *children) Enter(n ast.Node) (ast.Node, bool) {
	if n == c.of {
		return n, false
	}
	c.found = append(c.found, n)
	return n, true
}

func (*children) Leave(n ast.Node) (ast.Node, bool) { return n, true }
