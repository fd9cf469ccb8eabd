package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// MaxSQLBytes is the longest text that a Printer writes: templates repeat their
// arguments, and nested ones multiply.
const MaxSQLBytes = 1 << 20

// Printer writes expressions in the SQL of a dialect, from the dialect's data alone.
// The text means the same under any engine's rules of precedence.
// Concurrency: safe when Name is.
type Printer struct {
	Dialect *dialect.Dialect
	// Name writes the meaning of a name as a primary expression: "o"."amount".
	Name func(*Name) (string, error)
	// Column writes a column of a plan as a primary expression, or as a predicate if
	// it is one.
	Column func(*Column) (string, error)
	// EngineDivision leaves / to the engine: integers may be cut, a zero divisor
	// may be an error or an infinity. Otherwise / is dialect.SafeDivide.
	EngineDivision bool
}

// Value writes n where a value stands alone: a column of SELECT, an argument.
// Errors: those of Name as they are; KindUnsupported for a construct that the dialect
// lacks, KindInvalid for a text literal that no statement may contain, KindLimit beyond
// MaxSQLBytes.
func (p *Printer) Value(n Node) (string, error) {
	w := printer{settings: p}
	w.value(n, levelOr)
	return w.done()
}

// Operand is Value as a primary expression, which fits beside any operator and
// into a template of the dialect.
func (p *Printer) Operand(n Node) (string, error) {
	w := printer{settings: p}
	w.value(n, levelPrimary)
	return w.done()
}

// Predicate writes n where a condition stands alone: behind WHERE, ON, WHEN.
func (p *Printer) Predicate(n Node) (string, error) {
	w := printer{settings: p}
	w.predicate(n, levelOr)
	return w.done()
}

// printer is one text while it is written. After an error nothing more is.
type printer struct {
	settings *Printer
	b        []byte
	err      error
}

func (w *printer) done() (string, error) {
	if w.err != nil {
		return "", w.err
	}
	return string(w.b), nil
}

func (w *printer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *printer) put(parts ...string) {
	for _, s := range parts {
		if len(w.b)+len(s) > MaxSQLBytes {
			w.fail(fail(sdk.KindLimit, sdk.Position{}, "split the expression into measures or dimensions", "the SQL of the expression is longer than %d bytes", MaxSQLBytes))
		}
		if w.err != nil {
			return
		}
		w.b = append(w.b, s...)
	}
}

// unsupported ends with an error that names what the dialect lacks.
func (w *printer) unsupported(n Node, what string) {
	w.fail(fail(sdk.KindUnsupported, n.Pos(), "write it in another way, or as a definition in the engine's own SQL", "%s cannot be written in the %s dialect", what, w.settings.Dialect.Name))
}

// text returns what write writes.
func (w *printer) text(write func()) string {
	start := len(w.b)
	write()
	s := string(w.b[start:])
	w.b = w.b[:start]
	return s
}

// value writes n as a value, in parentheses when it binds less tightly than lowest.
func (w *printer) value(n Node, lowest level) {
	if w.settings.Dialect.Boolean == dialect.BooleanNone && isCondition(n) {
		w.form(n, dialect.BoolValue, argument{"p", n, asPredicate})
		return
	}
	w.node(n, lowest)
}

// predicate writes n as a condition.
func (w *printer) predicate(n Node, lowest level) {
	if _, native := n.(*Native); w.settings.Dialect.Boolean == dialect.BooleanNone && !isCondition(n) && !native {
		w.form(n, dialect.BoolTest, argument{"x", n, asValue})
		return
	}
	w.node(n, lowest)
}

// isCondition reports whether n is written as a predicate.
func isCondition(n Node) bool {
	switch n := n.(type) {
	case *Unary:
		return n.Op == Not
	case *Binary:
		return n.Op.Comparison()
	case *Logic, *IsNull, *Between, *In, *Match, *Quantified:
		return true
	case *Column:
		return n.Condition
	case *Typed:
		return isCondition(n.X)
	}
	return false
}

// levelOf is the level of the text that node writes. Forms and calls are primary.
func (w *printer) levelOf(n Node) level {
	switch n := n.(type) {
	case *Binary:
		switch {
		case n.Op == Concat, n.Op == Modulo, n.Op == Divide && !w.settings.EngineDivision, n.Op == NotDistinct:
			return levelPrimary
		case n.Op == Distinct:
			return levelNot
		}
	case *Typed:
		return w.levelOf(n.X)
	case *Match:
		if n.Negated {
			return levelNot
		}
		return levelPrimary
	case *In:
		switch {
		case constants(n.List):
		case n.Negated:
			return levelNot
		case len(n.List) > 1:
			return levelOr
		}
	}
	return levelOf(n)
}

// node writes n in the mode that it is of itself.
func (w *printer) node(n Node, lowest level) {
	if w.err != nil {
		return
	}
	if w.levelOf(n) < lowest {
		w.put("(")
		defer w.put(")")
	}
	switch n := n.(type) {
	case *Literal:
		w.literal(n)
	case *Name:
		s, err := w.settings.Name(n)
		if err != nil {
			w.fail(err)
		}
		w.put(s)
	case *Column:
		s, err := w.settings.Column(n)
		if err != nil {
			w.fail(err)
		}
		w.put(s)
	case *Typed:
		w.node(n.X, lowest)
	case *Form:
		w.construct(n)
	case *Unary:
		if n.Op == Not {
			w.put("NOT ")
			w.predicate(n.X, levelPrimary)
			return
		}
		w.put("-")
		w.value(n.X, levelPrimary)
	case *Binary:
		w.binary(n)
	case *Logic:
		w.terms(n, n.Terms)
	case *Case:
		w.cases(n)
	case *Cast:
		w.cast(n)
	case *Call:
		w.call(n)
	case *Aggregate:
		w.aggregate(n)
	case *Native:
		w.native(n)
	default:
		w.condition(n)
	}
}

// maxChain is the longest chain of AND or OR without parentheses: engines read one as a
// tree with a level for each, and bound those, some at 1000.
const maxChain = 500

// terms writes conditions under one operator, halves of a long chain in parentheses.
func (w *printer) terms(n *Logic, terms []Node) {
	if half := len(terms) / 2; len(terms) > maxChain {
		w.put("(")
		w.terms(n, terms[:half])
		w.put(") ", string(n.Op), " (")
		w.terms(n, terms[half:])
		w.put(")")
		return
	}
	for i, t := range terms {
		if i > 0 {
			w.put(" ", string(n.Op), " ")
		}
		w.predicate(t, levelOf(n)+1)
	}
}

func (w *printer) binary(n *Binary) {
	a, b := argument{"a", n.Left, asValue}, argument{"b", n.Right, asValue}
	switch n.Op {
	case Concat:
		w.concat(n)
		return
	case Modulo:
		w.modulo(n)
		return
	case Distinct:
		w.put("NOT ")
		w.form(n, dialect.NullSafeEqual, a, b)
		return
	case NotDistinct:
		w.form(n, dialect.NullSafeEqual, a, b)
		return
	case Divide:
		if !w.settings.EngineDivision {
			w.form(n, dialect.SafeDivide, a, b)
			return
		}
	}
	left, right := levelOf(n), levelOf(n)+1
	if n.Op.Comparison() {
		left, right = levelAdd, levelAdd
	}
	w.value(n.Left, left)
	w.put(" ", string(n.Op), " ")
	w.value(n.Right, right)
}

// condition writes the comparisons that are no Binary.
func (w *printer) condition(n Node) {
	not := func(negated bool) string {
		if negated {
			return "NOT "
		}
		return ""
	}
	switch n := n.(type) {
	case *Quantified:
		w.fail(fail(sdk.KindInternal, n.pos, "report this request", "a condition on related rows is no SQL by itself"))
	case *IsNull:
		w.value(n.X, levelAdd)
		w.put(" IS ", not(n.Negated), "NULL")
	case *Between:
		w.value(n.X, levelAdd)
		w.put(" ", not(n.Negated), "BETWEEN ")
		w.value(n.Low, levelAdd)
		w.put(" AND ")
		w.value(n.High, levelAdd)
	case *In:
		w.in(n)
	case *Match:
		w.put(not(n.Negated))
		w.form(n, w.matchForm(n), argument{"x", n.X, asValue}, argument{"p", n.Pattern, asValue})
	}
}

var matchForms = map[MatchKind]dialect.Form{
	Like: dialect.Like, ILike: dialect.ILike, Contains: dialect.Contains, StartsWith: dialect.StartsWith, EndsWith: dialect.EndsWith,
}

// matchForm is the form of a search: a pattern that escapes nothing has one of its own
// in some dialects.
func (w *printer) matchForm(n *Match) dialect.Form {
	_, has := w.settings.Dialect.Forms[dialect.LikePlain]
	if pattern, ok := n.Pattern.(*Literal); has && ok && n.Kind == Like && !strings.Contains(pattern.Value, `\`) {
		return dialect.LikePlain
	}
	return matchForms[n.Kind]
}

// in writes a list of constants as such and any other one as comparisons, for
// some engines take constants only.
func (w *printer) in(n *In) {
	if !constants(n.List) {
		terms := make([]Node, len(n.List))
		for i, v := range n.List {
			terms[i] = &Binary{Op: Equal, Left: n.X, Right: v}
		}
		any := Disjoin(terms...)
		if n.Negated {
			any = &Unary{Op: Not, X: any}
		}
		w.node(any, levelOr)
		return
	}
	w.value(n.X, levelAdd)
	if n.Negated {
		w.put(" NOT")
	}
	w.put(" IN (")
	for i, v := range n.List {
		if i > 0 {
			w.put(", ")
		}
		w.value(v, levelOr)
	}
	w.put(")")
}

// constants reports whether all nodes are literals, with a sign or without.
func constants(nodes []Node) bool {
	for _, n := range nodes {
		if u, ok := n.(*Unary); ok && u.Op == Negate {
			n = u.X
		}
		if _, ok := n.(*Literal); !ok {
			return false
		}
	}
	return true
}

// cases writes CASE. What an operand is compared with is written out unless all
// are constants, for one engine takes two NULLs there for equal.
func (w *printer) cases(n *Case) {
	operand := n.Operand
	for _, when := range n.Whens {
		if l, ok := when.Condition.(*Literal); !ok || l.IsNull() {
			operand = nil
		}
	}
	w.put("CASE")
	if operand != nil {
		w.put(" ")
		w.value(operand, levelAdd)
	}
	for _, when := range n.Whens {
		w.put(" WHEN ")
		switch {
		case operand != nil:
			w.value(when.Condition, levelAdd)
		case n.Operand != nil:
			w.predicate(&Binary{Op: Equal, Left: n.Operand, Right: when.Condition}, levelOr)
		default:
			w.predicate(when.Condition, levelOr)
		}
		w.put(" THEN ")
		w.value(when.Result, levelOr)
	}
	if n.Else != nil {
		w.put(" ELSE ")
		w.value(n.Else, levelOr)
	}
	w.put(" END")
}

// literal writes a constant in its type, so that no engine has to guess it.
func (w *printer) literal(l *Literal) {
	if strings.IndexByte(l.Value, 0) >= 0 || !utf8.ValidString(l.Value) {
		w.fail(fail(sdk.KindInvalid, l.pos, "send valid UTF-8 without NUL characters", "a text has a NUL character or is not valid UTF-8"))
		return
	}
	switch l.typ {
	case sdk.TypeUnspecified:
		w.put("NULL")
		return
	case sdk.TypeText:
		w.put(w.settings.Dialect.QuoteString(l.Value))
		return
	case sdk.TypeDecimal:
		digits := len(strings.TrimLeft(strings.Replace(l.Value, ".", "", 1), "0"))
		if most := w.settings.Dialect.MaxDecimalDigits; most > 0 && digits > most {
			w.unsupported(l, fmt.Sprintf("a decimal of %d digits, of which there are at most %d,", digits, most))
			return
		}
	case sdk.TypeBool:
		form := dialect.False
		if l.Value == "true" {
			form = dialect.True
		}
		w.form(l, form)
		return
	}
	form := dialect.Literal(l.typ.String())
	digits := SecondDigits(l.Value)
	fine := digits >= dialect.MinFineDigits && (l.typ == sdk.TypeTimestamp || l.typ == sdk.TypeTimestampTZ)
	if fine {
		form = w.fineLiteral(l.typ, digits)
	}
	s, ok := w.settings.Dialect.Expand(form, map[string]string{"v": w.settings.Dialect.EscapeString(l.Value)})
	switch {
	case ok:
		w.put(s)
	case fine:
		w.fail(fail(sdk.KindUnsupported, l.pos, "write at most six digits of a second", "a %s with %d digits of a second cannot be written in the %s dialect without rounding it", l.typ, digits, w.settings.Dialect.Name))
	case isNumber(l.typ):
		w.put(l.Value)
	default:
		w.cast(&Cast{base: l.base, X: Text(l.Value), To: l.typ})
	}
}

// fineLiteral returns the form for the fewest digits of a second, at least so many, that
// the dialect has; one that it lacks if none holds them.
func (w *printer) fineLiteral(t sdk.Type, digits int) dialect.Form {
	for ; digits < dialect.MaxFineDigits && w.settings.Dialect.Forms[dialect.FineLiteral(t.String(), digits)] == ""; digits++ {
	}
	return dialect.FineLiteral(t.String(), digits)
}

// construct writes a form of the dialect.
func (w *printer) construct(n *Form) {
	texts := make(map[string]string, len(n.Texts)+1)
	for name, text := range n.Texts {
		texts[name] = text
	}
	texts["x"] = w.text(func() { w.value(n.X, levelPrimary) })
	w.expand(n, n.Form, texts)
}

func (w *printer) native(n *Native) {
	if n.Dialect != w.settings.Dialect.Name {
		w.unsupported(n, "a fragment of the "+n.Dialect+" dialect")
		return
	}
	w.put("(")
	for _, part := range n.Parts {
		if part.Name != nil {
			w.value(part.Name, levelPrimary)
		} else {
			w.put(part.SQL)
		}
	}
	w.put(")")
}
