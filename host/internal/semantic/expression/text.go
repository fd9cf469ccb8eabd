package expression

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// String returns the expression in the portable language, in one spelling: two
// expressions with the same tree have the same text, and Parse reads it back as
// that tree. A native fragment is written as it stands, in parentheses, and is
// not read back.
func String(n Node) string {
	var w writer
	w.node(n, levelOr)
	return w.b.String()
}

type writer struct {
	b strings.Builder
	// message: a person reads it, to whom the number of a column says nothing.
	message bool
}

func (w *writer) put(parts ...string) {
	for _, p := range parts {
		w.b.WriteString(p)
	}
}

// levelOf is how tightly the outermost operator of a node binds.
func levelOf(n Node) level {
	switch n := n.(type) {
	case *Logic:
		if n.Op == Or {
			return levelOr
		}
		return levelAnd
	case *Unary:
		if n.Op == Not {
			return levelNot
		}
		return levelUnary
	case *Binary:
		switch n.Op {
		case Add, Subtract:
			return levelAdd
		case Multiply, Divide, Modulo:
			return levelMultiply
		case Concat:
			return levelConcat
		}
		return levelCompare
	case *IsNull, *Between, *In:
		return levelCompare
	case *Typed:
		return levelOf(n.X)
	case *Match:
		switch {
		case n.Kind == Like || n.Kind == ILike:
			return levelCompare
		case n.Negated:
			return levelNot
		}
	}
	return levelPrimary
}

// node writes n, in parentheses when it binds less tightly than lowest.
func (w *writer) node(n Node, lowest level) {
	if levelOf(n) < lowest {
		w.put("(")
		defer w.put(")")
	}
	switch n := n.(type) {
	case *Literal:
		w.literal(n)
	case *Name:
		if n.Means != nil {
			w.put(strings.Join(n.Parts, "."))
			break
		}
		w.name(n)
	case *Column:
		if w.message {
			w.put("…")
			break
		}
		w.put("#", strconv.Itoa(n.ID))
	case *Typed:
		w.node(n.X, lowest)
	case *Form:
		w.put(string(n.Form), "(")
		w.node(n.X, levelOr)
		for _, name := range slices.Sorted(maps.Keys(n.Texts)) {
			w.put(", ", n.Texts[name])
		}
		w.put(")")
	case *Unary:
		if n.Op == Not {
			w.put("NOT ")
			w.node(n.X, levelNot)
			return
		}
		w.put("-")
		w.node(n.X, levelPrimary)
	case *Binary:
		at := levelOf(n)
		left := at
		if at == levelCompare {
			left++
		}
		w.node(n.Left, left)
		w.put(" ", string(n.Op), " ")
		w.node(n.Right, at+1)
	case *Logic:
		for i, t := range n.Terms {
			if i > 0 {
				w.put(" ", string(n.Op), " ")
			}
			w.node(t, levelOf(n)+1)
		}
	case *Case:
		w.cases(n)
	case *Cast:
		w.put("CAST(")
		w.node(n.X, levelOr)
		w.put(" AS ", castNames[n.To], ")")
	case *Call:
		w.call(n.Function, n.Args...)
	case *Aggregate:
		w.aggregate(n)
	case *Quantified:
		w.call(string(n.Quantifier), n.X)
	case *PerEntity:
		args := []Node{n.X}
		for _, key := range n.Keys {
			args = append(args, key)
		}
		w.call("per", args...)
	case *Native:
		w.put("(")
		w.native(n)
		w.put(")")
	default:
		w.condition(n)
	}
}

// condition writes the comparisons that are no Binary.
func (w *writer) condition(n Node) {
	not := func(negated bool) string {
		if negated {
			return "NOT "
		}
		return ""
	}
	switch n := n.(type) {
	case *IsNull:
		w.node(n.X, levelConcat)
		w.put(" IS ", not(n.Negated), "NULL")
	case *Between:
		w.node(n.X, levelConcat)
		w.put(" ", not(n.Negated), "BETWEEN ")
		w.node(n.Low, levelConcat)
		w.put(" AND ")
		w.node(n.High, levelConcat)
	case *In:
		w.node(n.X, levelConcat)
		w.put(" ", not(n.Negated), "IN (")
		w.list(n.List)
		w.put(")")
	case *Match:
		if n.Kind != Like && n.Kind != ILike {
			w.put(not(n.Negated))
			w.call(string(n.Kind), n.X, n.Pattern)
			return
		}
		w.node(n.X, levelConcat)
		w.put(" ", not(n.Negated), string(n.Kind), " ")
		w.node(n.Pattern, levelConcat)
	}
}

func (w *writer) literal(l *Literal) {
	switch l.typ {
	case sdk.TypeUnspecified:
		w.put("NULL")
	case sdk.TypeBool:
		w.put(strings.ToUpper(l.Value))
	case sdk.TypeText:
		w.put(quoteText(l.Value))
	case sdk.TypeDate:
		w.put("DATE ", quoteText(l.Value))
	case sdk.TypeTimestamp:
		w.put("TIMESTAMP ", quoteText(l.Value))
	case sdk.TypeTimestampTZ:
		w.put("TIMESTAMPTZ ", quoteText(l.Value))
	default:
		w.put(l.Value)
	}
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// String returns the reference as it would be written.
func (n *Name) String() string { return String(n) }

func (w *writer) name(n *Name) {
	for i, part := range n.Parts {
		if i > 0 {
			w.put(".")
		}
		if plain(part) && (i > 0 || !isReserved(part)) {
			w.put(part)
		} else {
			w.put(`"`, strings.ReplaceAll(part, `"`, `""`), `"`)
		}
	}
}

// plain reports whether a name needs no quotes.
func plain(name string) bool {
	if name == "" || isDigit(name[0]) {
		return false
	}
	for i := 0; i < len(name); {
		size := wordPart(name[i:])
		if size == 0 {
			return false
		}
		i += size
	}
	return true
}

func (w *writer) list(all []Node) {
	for i, n := range all {
		if i > 0 {
			w.put(", ")
		}
		w.node(n, levelOr)
	}
}

func (w *writer) call(function string, args ...Node) {
	w.put(function, "(")
	w.list(args)
	w.put(")")
}

func (w *writer) aggregate(n *Aggregate) {
	switch {
	case n.X == nil:
		w.put("count(*)")
	case n.Function == CountDistinct:
		w.put("count(DISTINCT ")
		w.node(n.X, levelOr)
		w.put(")")
	case n.Parameter != nil:
		w.call(string(n.Function), n.X, n.Parameter)
	default:
		w.call(string(n.Function), n.X)
	}
}

func (w *writer) cases(n *Case) {
	w.put("CASE")
	if n.Operand != nil {
		w.put(" ")
		w.node(n.Operand, levelOr)
	}
	for _, when := range n.Whens {
		w.put(" WHEN ")
		w.node(when.Condition, levelOr)
		w.put(" THEN ")
		w.node(when.Result, levelOr)
	}
	if n.Else != nil {
		w.put(" ELSE ")
		w.node(n.Else, levelOr)
	}
	w.put(" END")
}

// castNames are the types as the language spells them.
var castNames = map[sdk.Type]string{
	sdk.TypeBool: "boolean", sdk.TypeInt64: "integer", sdk.TypeDecimal: "decimal", sdk.TypeFloat64: "double", sdk.TypeText: "text",
	sdk.TypeDate: "date", sdk.TypeTimestamp: "timestamp", sdk.TypeTimestampTZ: "timestamptz",
}

// native writes a fragment as it stands; what took the place of a name, as itself.
func (w *writer) native(n *Native) {
	if !slices.ContainsFunc(n.Parts, func(p NativePart) bool { return p.Name != nil && !isName(p.Name) }) {
		w.put(n.Text)
		return
	}
	for _, p := range n.Parts {
		w.put(p.SQL)
		if p.Name != nil {
			w.node(p.Name, levelPrimary)
		}
	}
}

func isName(n Node) bool {
	_, ok := n.(*Name)
	return ok
}
