package expression

import "github.com/loam-data/loam/sdk"

// Children returns the operands of a node, in the order in which they are written.
func Children(n Node) []Node { return operands(nil, n) }

// operands are the children of a node, those that lie in no list of it in a buffer.
func operands(in []Node, n Node) []Node {
	switch n := n.(type) {
	case *Unary:
		return append(in, n.X)
	case *Binary:
		return append(in, n.Left, n.Right)
	case *Logic:
		return n.Terms
	case *IsNull:
		return append(in, n.X)
	case *Between:
		return append(in, n.X, n.Low, n.High)
	case *In:
		return append(append(in, n.X), n.List...)
	case *Match:
		return append(in, n.X, n.Pattern)
	case *Case:
		if n.Operand != nil {
			in = append(in, n.Operand)
		}
		for _, w := range n.Whens {
			in = append(in, w.Condition, w.Result)
		}
		if n.Else != nil {
			in = append(in, n.Else)
		}
		return in
	case *Cast:
		return append(in, n.X)
	case *Call:
		return n.Args
	case *Aggregate:
		if n.X != nil {
			in = append(in, n.X)
		}
		if n.Parameter != nil {
			in = append(in, n.Parameter)
		}
		return in
	case *Native:
		return n.names()
	case *Typed:
		return append(in, n.X)
	case *Form:
		return append(in, n.X)
	}
	return nil
}

// with returns a copy of n with other children, as many as Children gave.
func with(n Node, c []Node) Node {
	switch n := n.(type) {
	case *Unary:
		m := *n
		m.X = c[0]
		return &m
	case *Binary:
		m := *n
		m.Left, m.Right = c[0], c[1]
		return &m
	case *Logic:
		m := *n
		m.Terms = nil
		for _, t := range c {
			m.Terms = flat(m.Terms, n.Op, t)
		}
		return &m
	case *IsNull:
		m := *n
		m.X = c[0]
		return &m
	case *Between:
		m := *n
		m.X, m.Low, m.High = c[0], c[1], c[2]
		return &m
	case *In:
		m := *n
		m.X, m.List = c[0], c[1:]
		return &m
	case *Match:
		m := *n
		m.X, m.Pattern = c[0], c[1]
		return &m
	case *Case:
		return withCase(n, c)
	case *Cast:
		m := *n
		m.X = c[0]
		return &m
	case *Call:
		m := *n
		m.Args = c
		return &m
	case *Aggregate:
		m := *n
		if n.X != nil {
			m.X = c[0]
		}
		return &m
	case *Native:
		return n.with(c)
	case *Typed:
		m := *n
		m.X = c[0]
		return &m
	case *Form:
		m := *n
		m.X = c[0]
		return &m
	}
	return n
}

func withCase(n *Case, c []Node) *Case {
	m := *n
	if n.Operand != nil {
		m.Operand, c = c[0], c[1:]
	}
	m.Whens = make([]When, len(n.Whens))
	for i := range m.Whens {
		m.Whens[i], c = When{Condition: c[0], Result: c[1]}, c[2:]
	}
	if n.Else != nil {
		m.Else = c[0]
	}
	return &m
}

// Walk calls visit for n and everything below it, parents first, in the order in
// which they are written; visit returns whether to go below.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	var few [4]Node
	for _, c := range operands(few[:0], n) {
		Walk(c, visit)
	}
}

// Transform returns n with every node replaced by the result of change, operands
// first. Unchanged nodes are shared with n.
// Errors: the first one of change.
func Transform(n Node, change func(Node) (Node, error)) (Node, error) {
	var few [4]Node
	children := operands(few[:0], n)
	var changed []Node
	for i, c := range children {
		d, err := Transform(c, change)
		if err != nil {
			return nil, err
		}
		if d != c && changed == nil {
			changed = append(make([]Node, 0, len(children)), children[:i]...)
		}
		if changed != nil {
			changed = append(changed, d)
		}
	}
	if changed != nil {
		n = with(n, changed)
	}
	return change(n)
}

// Substitute replaces names by expressions: of returns nil to keep a name. No
// parentheses are needed, for printing adds them where precedence wants them.
// Errors: the first one of of.
func Substitute(n Node, of func(*Name) (Node, error)) (Node, error) {
	return Transform(n, func(n Node) (Node, error) {
		name, ok := n.(*Name)
		if !ok {
			return n, nil
		}
		m, err := of(name)
		if m == nil || err != nil {
			return n, err
		}
		return m, nil
	})
}

// Names returns every use of a name, in the order in which they are written.
func Names(n Node) []*Name {
	var all []*Name
	Walk(n, func(n Node) bool {
		if name, ok := n.(*Name); ok {
			all = append(all, name)
		}
		return true
	})
	return all
}

// Class says whether an expression computes per row, per group or from constants.
type Class uint8

const (
	Constant   Class = iota // it has no names and no aggregates
	Scalar                  // a value per row
	Aggregated              // a value per group: every name is inside an aggregate
	Mixed                   // names inside aggregates and outside
)

// ClassOf classifies an expression. Every name counts as a column: a caller whose
// names may be measures looks at Names too.
func ClassOf(n Node) Class {
	var outside, aggregated bool
	Walk(n, func(n Node) bool {
		switch n := n.(type) {
		case *Name, *Column, *PerEntity:
			outside = true
		case *Aggregate:
			aggregated = true
			return false
		case *Native:
			outside = outside || !n.Aggregated
			aggregated = aggregated || n.Aggregated
			return false
		}
		return true
	})
	switch {
	case outside && aggregated:
		return Mixed
	case aggregated:
		return Aggregated
	case outside:
		return Scalar
	}
	return Constant
}

// Conjuncts splits a condition at its top-level ANDs; a condition without any is
// returned as it is.
func Conjuncts(n Node) []Node { return flat(nil, And, n) }

// Conjoin joins conditions by AND: nil for none, the condition itself for one.
func Conjoin(conditions ...Node) Node { return join(And, conditions) }

// Disjoin joins conditions by OR: nil for none, the condition itself for one.
func Disjoin(conditions ...Node) Node { return join(Or, conditions) }

func join(op LogicOp, conditions []Node) Node {
	var terms []Node
	for _, c := range conditions {
		terms = flat(terms, op, c)
	}
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	}
	return &Logic{base: base{typ: sdk.TypeBool}, Op: op, Terms: terms}
}

// flat appends n to the terms of a Logic, its own terms if it has the same operator.
func flat(terms []Node, op LogicOp, n Node) []Node {
	if l, ok := n.(*Logic); ok && l.Op == op {
		return append(terms, l.Terms...)
	}
	return append(terms, n)
}
