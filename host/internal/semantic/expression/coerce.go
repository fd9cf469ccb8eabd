package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// common returns the type that holds the values of both.
func common(a, b sdk.Type) (sdk.Type, bool) {
	switch {
	case a == b, b == sdk.TypeUnspecified:
		return a, true
	case a == sdk.TypeUnspecified:
		return b, true
	case isNumber(a) && isNumber(b):
		if a == sdk.TypeFloat64 || b == sdk.TypeFloat64 {
			return sdk.TypeFloat64, true
		}
		return sdk.TypeDecimal, true
	case a == sdk.TypeDate && b == sdk.TypeTimestamp, a == sdk.TypeTimestamp && b == sdk.TypeDate:
		return sdk.TypeTimestamp, true
	}
	return 0, false
}

// unify brings nodes to one type: what is no literal decides it, literals follow.
func unify(nodes []Node) ([]Node, sdk.Type, error) {
	var t sdk.Type
	var decided Node // the first node with a type
	for _, literals := range []bool{false, true} {
		for _, n := range nodes {
			_, literal := n.(*Literal)
			if literal != literals || n.Type() == sdk.TypeUnspecified {
				continue
			}
			if decided == nil {
				decided = n
			}
			u, ok := common(t, n.Type())
			switch {
			case ok:
				t = u
			case !literal:
				return nil, 0, mismatch(n, decided)
			default:
				if _, err := coerce(n, t); err != nil {
					return nil, 0, mismatchOr(err, n, decided)
				}
			}
		}
	}
	all := slices.Clone(nodes)
	for i, n := range all {
		var err error
		if all[i], err = coerce(n, t); err != nil {
			return nil, 0, mismatchOr(err, n, decided)
		}
	}
	return all, t, nil
}

// results is unify for values one of which becomes the result: numbers of several
// types become the widest, for some engines know no type for both.
func results(nodes []Node) ([]Node, sdk.Type, error) {
	all, t, err := unify(nodes)
	for i, n := range all {
		if isNumber(t) && n.Type() != t && n.Type() != sdk.TypeUnspecified {
			all[i] = widened(n, t)
		}
	}
	return all, t, err
}

// widened makes a number one of type t. A whole literal is left among decimals:
// it has no scale, and some engines know no type for decimals of two scales.
func widened(n Node, t sdk.Type) Node {
	l, ok := n.(*Literal)
	switch {
	case !ok:
		return converted(n, t)
	case t == sdk.TypeDecimal:
		return n
	}
	m, _ := number(l.Value + "e0")
	return placed(m, l)
}

func converted(n Node, t sdk.Type) Node {
	b := *n.meta()
	b.typ = t
	return &Cast{base: b, X: n, To: t}
}

func mismatch(n, other Node) error {
	hint := "compare and combine values of one type, or cast one of them"
	a, b := n.Type(), other.Type()
	l, literal := n.(*Literal)
	switch {
	case literal && a == sdk.TypeText && isNumber(b):
		hint = "write the number without quotes"
	case literal && isNumber(a) && b == sdk.TypeText:
		hint = "write the text in single quotes: '" + l.Value + "'"
	case isTime(a) && isTime(b):
		hint = "cast one of them: x::timestamptz reads it in UTC"
	}
	return invalid(n, hint, "%s is %s, but %s is %s", show(n), withArticle(a), show(other), withArticle(b))
}

// mismatchOr returns err, or a mismatch where err is nothing in particular.
func mismatchOr(err error, n, other Node) error {
	if errors.Is(err, errNoCoercion) {
		return mismatch(n, other)
	}
	return err
}

var errNoCoercion = errors.New("the types do not fit")

// coerce returns n as a value of type t. What is no literal is left alone but for
// a date that meets timestamps: engines compare the two in different ways.
func coerce(n Node, t sdk.Type) (Node, error) {
	from := n.Type()
	if u, ok := common(from, t); ok && u == t {
		if from == sdk.TypeDate && t == sdk.TypeTimestamp {
			return midnight(n), nil
		}
		return n, nil
	}
	l, ok := n.(*Literal)
	if !ok {
		return nil, errNoCoercion
	}
	m, ok := Null(), false
	switch {
	case t == sdk.TypeBool && from == sdk.TypeInt64:
		m, ok = Bool(l.Value == "1"), l.Value == "0" || l.Value == "1"
	case t == sdk.TypeTimestampTZ && isTime(from):
		at := midnight(l).(*Literal)
		m, ok = TimestampTZ(at.Value + "Z")
	case from == sdk.TypeText && isTime(t):
		if m, ok = readTime(l.Value, t); !ok {
			return nil, invalid(n, timeHint, "%s is not %s", show(n), withArticle(t))
		}
	case from == sdk.TypeText && t != sdk.TypeBool && !isNumber(t):
		return n, nil // a uuid, a time, an interval: the engine reads it
	}
	if !ok {
		return nil, errNoCoercion
	}
	return placed(m, l), nil
}

// readTime reads a text as a time; a text without a zone is in UTC.
func readTime(s string, t sdk.Type) (*Literal, bool) {
	switch t {
	case sdk.TypeDate:
		return Date(s)
	case sdk.TypeTimestamp:
		return Timestamp(s)
	}
	if l, ok := Timestamp(s); ok {
		s = l.Value + "Z"
	}
	return TimestampTZ(s)
}

// midnight makes a timestamp of a date.
func midnight(n Node) Node {
	if n.Type() != sdk.TypeDate {
		return n
	}
	if l, ok := n.(*Literal); ok {
		at, _ := Timestamp(l.Value)
		return placed(at, l)
	}
	return converted(n, sdk.TypeTimestamp)
}

// placed gives a literal the place of the one that it stands for.
func placed(l, old *Literal) *Literal {
	t := l.typ
	l.base = old.base
	l.typ = t
	return l
}

func checkCall(n *Call) (Node, error) {
	s, ok := functions[n.Function]
	if !ok {
		return nil, invalid(n, functionsHint(), "there is no function %s", n.Function)
	}
	args := slices.Clone(n.Args)
	var same []Node
	for i, a := range args {
		k := kind(s.args[min(i, len(s.args)-1)])
		if k == kindSame {
			same = append(same, a)
			continue
		}
		var err error
		if args[i], err = checkArgument(n.Function, k, a); err != nil {
			return nil, err
		}
	}
	gives := s.gives
	switch {
	case same != nil:
		var err error
		if args, gives, err = results(same); err != nil {
			return nil, err
		}
	case n.Function == "date_trunc":
		var err error
		if gives, err = truncated(args[0].(*Literal), args[1]); err != nil {
			return nil, err
		}
	case gives == sdk.TypeUnspecified:
		gives = args[0].Type()
	}
	m := *n
	m.Args, m.typ = args, gives
	return &m, nil
}

// checkArgument checks an argument by itself.
func checkArgument(function string, k kind, n Node) (Node, error) {
	switch k {
	case kindNumber:
		return n, numbers(function, n)
	case kindText:
		return n, texts(function, n)
	case kindShort:
		return n, shorts(function, n)
	case kindCount, kindIndex:
		return n, position(function, k, n)
	case kindGrain:
		l, ok := n.(*Literal)
		if !ok || !slices.Contains(dialect.Grains(), dialect.Grain(strings.ToLower(l.Value))) {
			return nil, invalid(n, "write date_trunc('month', x)", "%s takes one of the units %s", function, units())
		}
		l = placed(Text(strings.ToLower(l.Value)), l)
		return l, nil
	}
	if l, ok := n.(*Literal); ok && l.typ == sdk.TypeText {
		m, ok := Date(l.Value)
		if !ok {
			m, ok = Timestamp(l.Value)
		}
		if !ok {
			return nil, invalid(n, timeHint, "%s takes times; %s is none", function, show(n))
		}
		n = placed(m, l)
	}
	if k == kindClock && n.Type() == sdk.TypeDate {
		return nil, invalid(n, "use a timestamp", "%s takes timestamps; %s is a date", function, show(n))
	}
	return n, require(function, "dates and timestamps", "use a time column, or cast the text: x::date", isTime, n)
}

func units() string {
	var all []string
	for _, g := range dialect.Grains() {
		all = append(all, string(g))
	}
	return strings.Join(all, ", ")
}

// position checks a length or an index: engines disagree about negative ones.
func position(function string, k kind, n Node) error {
	if err := require(function, "a whole number here", "use floor(x)::integer", func(t sdk.Type) bool { return t == sdk.TypeInt64 }, n); err != nil {
		return err
	}
	l, literal := n.(*Literal)
	u, unary := n.(*Unary)
	if literal && l.Value == "0" && k == kindIndex || unary && u.Op == Negate {
		return invalid(n, "count from the left, from 1", "%s does not take %s: engines disagree about what it means", function, show(n))
	}
	return nil
}

// truncated returns the type of date_trunc.
func truncated(unit *Literal, x Node) (sdk.Type, error) {
	fine := unit.Value == string(dialect.Second) || unit.Value == string(dialect.Minute) || unit.Value == string(dialect.Hour)
	switch {
	case x.Type() == sdk.TypeTimestampTZ:
		return 0, invalid(x, "use the dimension with a granularity, which knows the query's time zone", "date_trunc of %s, an instant, depends on a time zone", show(x))
	case fine && x.Type() == sdk.TypeDate:
		return 0, invalid(x, "use a timestamp, or the unit day", "date_trunc to the %s takes a timestamp; %s is a date", unit.Value, show(x))
	case fine:
		return sdk.TypeTimestamp, nil
	}
	return sdk.TypeDate, nil
}
