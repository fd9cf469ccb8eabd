package expression

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// Resolver returns the type of a name: TypeUnspecified when it is unknown, which
// fits everywhere; an error for a name that refers to nothing.
type Resolver func(*Name) (sdk.Type, error)

// Check types every node and converts literals to the type of their other operand:
// a text beside a date becomes a date, 1 beside a boolean TRUE, a date beside a
// timestamp its midnight. The result is a copy.
// Shape: the type of a sum of integers is TypeInt64, although engines widen it;
// avg, median, percentile and / give TypeFloat64.
// Errors: those of the resolver as they are; KindInvalid with the position, for
// expressions that engines would refuse or answer differently.
func Check(n Node, resolve Resolver) (Node, error) {
	return Transform(n, func(n Node) (Node, error) { return check(n, resolve) })
}

// CheckCondition is Check for an expression that must be a truth value: a filter,
// a join.
func CheckCondition(n Node, resolve Resolver) (Node, error) {
	n, err := Check(n, resolve)
	if err != nil {
		return nil, err
	}
	return n, conditions(n)
}

// check types one node whose operands are typed.
func check(n Node, resolve Resolver) (Node, error) {
	switch n := n.(type) {
	case *Name:
		t, err := resolve(n)
		if err != nil {
			return nil, err
		}
		m := *n
		m.typ = t
		return &m, nil
	case *Unary:
		if n.Op == Not {
			return typed(n, sdk.TypeBool), conditions(n.X)
		}
		return typed(n, n.X.Type()), numbers("-", n.X)
	case *Binary:
		return checkBinary(n)
	case *Logic:
		return typed(n, sdk.TypeBool), conditions(n.Terms...)
	case *IsNull:
		return typed(n, sdk.TypeBool), nil
	case *Between:
		return checkComparison(n, sdk.TypeBool, true)
	case *In:
		for _, v := range n.List {
			if isNull(v) {
				return nil, invalid(v, "write x IS NULL beside the list", "NULL in a list is equal to nothing")
			}
		}
		return checkComparison(n, sdk.TypeBool, false)
	case *Match:
		return typed(n, sdk.TypeBool), texts(strings.ToLower(string(n.Kind)), n.X, n.Pattern)
	case *Case:
		return checkCase(n)
	case *Cast:
		return checkCast(n)
	case *Call:
		return checkCall(n)
	case *Aggregate:
		return checkAggregate(n)
	case *Quantified:
		x, err := CheckCondition(n.X, resolve)
		return &Quantified{base: n.base, Quantifier: n.Quantifier, X: x}, err
	}
	return n, nil
}

// typed returns n with a type, as a copy unless it has it.
func typed(n Node, t sdk.Type) Node {
	if n.Type() != t {
		n = with(n, Children(n))
		n.meta().typ = t
	}
	return n
}

func isNull(n Node) bool {
	l, ok := n.(*Literal)
	return ok && l.IsNull()
}

func invalid(n Node, hint, format string, args ...any) error {
	return fail(sdk.KindInvalid, n.Pos(), hint, format, args...)
}

// show quotes an expression in a message.
func show(n Node) string {
	w := writer{message: true}
	w.node(n, levelOr)
	s := w.b.String()
	if utf8.RuneCountInString(s) > 60 {
		s = string([]rune(s)[:60]) + "…"
	}
	return s
}

// withArticle names a type as the language does, with its article.
func withArticle(t sdk.Type) string {
	switch t {
	case sdk.TypeUnspecified:
		return "of unknown type"
	case sdk.TypeBool:
		return "a boolean"
	case sdk.TypeInt64:
		return "an integer"
	case sdk.TypeFloat64:
		return "a double"
	case sdk.TypeTimestampTZ:
		return "an instant (timestamptz)"
	case sdk.TypeText, sdk.TypeJSON, sdk.TypeNestedJSON, sdk.TypeBytes:
		return t.String()
	}
	return "a " + strings.ReplaceAll(t.String(), "_", " ")
}

func isNumber(t sdk.Type) bool {
	return t == sdk.TypeInt64 || t == sdk.TypeDecimal || t == sdk.TypeFloat64
}

func isTime(t sdk.Type) bool {
	return t == sdk.TypeDate || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ
}

func require(what, want, hint string, ok func(sdk.Type) bool, nodes ...Node) error {
	for _, n := range nodes {
		if t := n.Type(); t != sdk.TypeUnspecified && !ok(t) {
			return invalid(n, hint, "%s takes %s; %s is %s", what, want, show(n), withArticle(t))
		}
	}
	return nil
}

func numbers(what string, nodes ...Node) error {
	return require(what, "numbers", "use a numeric column, or cast the text: x::decimal", isNumber, nodes...)
}

func texts(what string, nodes ...Node) error {
	return require(what, "text", "cast the value: x::text", func(t sdk.Type) bool { return t == sdk.TypeText }, nodes...)
}

func conditions(nodes ...Node) error {
	for _, n := range nodes {
		if t := n.Type(); t != sdk.TypeBool && t != sdk.TypeUnspecified {
			return invalid(n, "compare it with something, as in x = 1 or x IS NOT NULL", "a condition is expected; %s is %s", show(n), withArticle(t))
		}
	}
	return nil
}

func checkBinary(n *Binary) (Node, error) {
	switch n.Op {
	case Concat:
		return typed(n, sdk.TypeText), shorts("||", n.Left, n.Right)
	case Divide:
		return typed(n, sdk.TypeFloat64), numbers("/", n.Left, n.Right)
	case Add, Subtract, Multiply, Modulo:
		for _, x := range []Node{n.Left, n.Right} {
			if isTime(x.Type()) {
				return nil, invalid(x, "use date_diff_days(a, b) for the days from a to b, or date_trunc", "%s does not compute with dates; %s is %s", n.Op, show(x), withArticle(x.Type()))
			}
		}
		if err := numbers(string(n.Op), n.Left, n.Right); err != nil {
			return nil, err
		}
		if n.Op == Modulo {
			exact := func(t sdk.Type) bool { return t != sdk.TypeFloat64 }
			if err := require("%", "exact numbers", "cast it: x::decimal", exact, n.Left, n.Right); err != nil {
				return nil, err
			}
		}
		t, _ := common(n.Left.Type(), n.Right.Type())
		return typed(n, t), nil
	}
	if n.Op != Distinct && n.Op != NotDistinct && (isNull(n.Left) || isNull(n.Right)) {
		return nil, invalid(n, "write IS NULL or IS NOT NULL", "a comparison with NULL is never true")
	}
	return checkComparison(n, sdk.TypeBool, slices.Contains([]BinaryOp{Less, LessEqual, Greater, GreaterEqual}, n.Op))
}

func shorts(what string, nodes ...Node) error {
	return require(what, "text and whole numbers", "cast the value: x::text", func(t sdk.Type) bool { return t == sdk.TypeText || t == sdk.TypeInt64 }, nodes...)
}

// checkComparison brings all operands to one type.
func checkComparison(n Node, result sdk.Type, ordered bool) (Node, error) {
	children, t, err := unify(Children(n))
	if err != nil {
		return nil, err
	}
	switch t {
	case sdk.TypeJSON, sdk.TypeNestedJSON, sdk.TypeGeoWKT:
		return nil, invalid(children[0], "compare a field of it, in a dimension of its own", "%s is %s, which cannot be compared", show(children[0]), withArticle(t))
	case sdk.TypeBool, sdk.TypeBytes, sdk.TypeUUID:
		if ordered {
			return nil, invalid(children[0], "use = or <>", "%s is %s, which has no order", show(children[0]), withArticle(t))
		}
	}
	n = with(n, children)
	n.meta().typ = result
	return n, nil
}

func checkCase(n *Case) (Node, error) {
	var tests, values []Node
	if n.Operand != nil {
		tests = append(tests, n.Operand)
	}
	for _, w := range n.Whens {
		tests, values = append(tests, w.Condition), append(values, w.Result)
	}
	if n.Else != nil {
		values = append(values, n.Else)
	}
	var err error
	if n.Operand == nil {
		err = conditions(tests...)
	} else {
		tests, _, err = unify(tests)
	}
	if err != nil {
		return nil, err
	}
	values, t, err := results(values)
	if err != nil {
		return nil, err
	}
	m := *n
	m.typ = t
	if n.Operand != nil {
		m.Operand, tests = tests[0], tests[1:]
	}
	m.Whens = make([]When, len(n.Whens))
	for i := range m.Whens {
		m.Whens[i] = When{Condition: tests[i], Result: values[i]}
	}
	if n.Else != nil {
		m.Else = values[len(values)-1]
	}
	return &m, nil
}

func checkCast(n *Cast) (Node, error) {
	from, to := n.X.Type(), n.To
	switch {
	case from == sdk.TypeUnspecified, from == to:
	case from == sdk.TypeText && to != sdk.TypeBool:
		if _, literal := n.X.(*Literal); literal && isTime(to) {
			return coerce(n.X, to)
		}
	case to == sdk.TypeText && from != sdk.TypeBool:
	case isTime(from) && isTime(to):
	case isNumber(from) && isNumber(to):
		if to == sdk.TypeInt64 && !whole(n.X) {
			return nil, invalid(n, "write floor(x)::integer, ceil(x)::integer or round(x)::integer", "engines disagree whether a cast to integer cuts or rounds %s", show(n.X))
		}
	default:
		return nil, invalid(n, "write CASE WHEN x THEN … ELSE … END, or compare: x <> 0", "%s is %s, which has no cast to %s", show(n.X), withArticle(from), castNames[to])
	}
	return n, nil
}

// whole reports whether a number has no fraction, whatever its type.
func whole(n Node) bool {
	c, ok := n.(*Call)
	return n.Type() == sdk.TypeInt64 || ok && (c.Function == "floor" || c.Function == "ceil" || c.Function == "round" && len(c.Args) == 1)
}

func checkAggregate(n *Aggregate) (Node, error) {
	var t sdk.Type
	switch n.Function {
	case Count, CountDistinct, ApproxDistinct:
		return typed(n, sdk.TypeInt64), nil
	case Min, Max:
		t = n.X.Type()
		return typed(n, t), require(string(n.Function), "numbers, text and times", "count rows with a filter instead", func(t sdk.Type) bool {
			return isNumber(t) || isTime(t) || t == sdk.TypeText || t == sdk.TypeTime
		}, n.X)
	case StringAgg:
		return typed(n, sdk.TypeText), texts(string(n.Function), n.X)
	case Sum:
		t = n.X.Type()
	default:
		t = sdk.TypeFloat64
	}
	return typed(n, t), numbers(string(n.Function), n.X)
}
