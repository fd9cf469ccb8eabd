package expression

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// argument is what a placeholder of a template stands for.
type argument struct {
	name string
	node Node
	mode mode
}

type mode bool

const (
	asValue     mode = false
	asPredicate mode = true
)

// form writes a form of the dialect.
func (w *printer) form(n Node, form dialect.Form, args ...argument) {
	template, ok := w.settings.Dialect.Forms[form]
	if !ok {
		w.unsupported(n, show(n))
		return
	}
	texts := make(map[string]string, len(args))
	for _, a := range args {
		texts[a.name] = w.argument(template, a)
	}
	w.expand(n, form, texts)
}

func (w *printer) expand(n Node, form dialect.Form, texts map[string]string) {
	if w.err != nil {
		return
	}
	s, ok := w.settings.Dialect.Expand(form, texts)
	if !ok {
		w.unsupported(n, show(n))
		return
	}
	w.put(s)
}

// argument returns the text of an argument: a primary expression, unless every
// place for it is a whole argument of a call, which needs no parentheses.
func (w *printer) argument(template string, a argument) string {
	lowest := levelPrimary
	if alone(template, a.name) {
		lowest = levelOr
	}
	return w.text(func() {
		if a.mode == asPredicate {
			w.node(a.node, lowest)
		} else {
			w.value(a.node, lowest)
		}
	})
}

// alone reports whether every {name} of a template stands between a parenthesis
// or comma and another one.
func alone(template, name string) bool {
	placeholder := "{" + name + "}"
	for {
		before, after, found := strings.Cut(template, placeholder)
		if !found {
			return true
		}
		before, template = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
		if !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, ",") || !strings.HasPrefix(template, ")") && !strings.HasPrefix(template, ",") {
			return false
		}
	}
}

// cast writes a conversion to n.To.
func (w *printer) cast(n *Cast) {
	logical := n.To.String()
	if _, ok := w.settings.Dialect.Forms[dialect.CastTo(logical)]; ok {
		w.form(n, dialect.CastTo(logical), argument{"x", n.X, asValue})
		return
	}
	native, ok := w.settings.Dialect.Types[logical]
	switch {
	case !ok:
		w.unsupported(n, "a cast to "+logical)
		return
	case n.To == sdk.TypeText && !w.fitsText(n.X):
		w.unsupported(n, fmt.Sprintf("a cast to text of a value that may have more than %d characters", w.settings.Dialect.MaxTextCast))
		return
	}
	x := w.argument(w.settings.Dialect.Forms[dialect.Cast], argument{"x", n.X, asValue})
	w.expand(n, dialect.Cast, map[string]string{"x": x, "type": native})
}

// textLengths are the characters that values of a type have at most as text.
var textLengths = map[sdk.Type]int{
	sdk.TypeInt64: 20, sdk.TypeFloat64: 32, sdk.TypeDecimal: 80, sdk.TypeUUID: 36,
	sdk.TypeDate: 16, sdk.TypeTimestamp: 40, sdk.TypeTimestampTZ: 48, sdk.TypeTime: 24,
}

// fitsText reports whether the dialect's type for text holds whatever x may be, as text.
func (w *printer) fitsText(x Node) bool {
	most := w.settings.Dialect.MaxTextCast
	if l, ok := x.(*Literal); ok {
		return most == 0 || utf8.RuneCountInString(l.Value) <= most
	}
	longest, bounded := textLengths[x.Type()]
	return most == 0 || bounded && longest <= most
}

// call writes a call of a portable function.
func (w *printer) call(n *Call) {
	if n.Function == "date_trunc" {
		if l, ok := n.Args[0].(*Literal); ok {
			w.form(n, dialect.Trunc(dialect.Grain(strings.ToLower(l.Value))), argument{"x", n.Args[1], asValue})
			return
		}
	}
	if n.Function == "greatest" || n.Function == "least" {
		w.strict(n, n.Function, n.Args)
		return
	}
	w.function(n, n.Function, n.Args...)
}

// function writes a call of one of the dialect's functions.
func (w *printer) function(n Node, name string, args ...Node) {
	template, ok := w.settings.Dialect.Functions[name+"/"+strconv.Itoa(len(args))]
	if !ok {
		template, ok = w.settings.Dialect.Functions[name]
	}
	texts := make([]string, len(args))
	for i, a := range args {
		placeholder := strconv.Itoa(i + 1)
		switch {
		case strings.Contains(template, "{args}"):
			placeholder = "args"
		case !strings.Contains(template, "{"+placeholder+"}"):
			ok = false // it would be dropped
		}
		texts[i] = w.argument(template, argument{placeholder, a, asValue})
	}
	if w.err != nil {
		return
	}
	s := ""
	if ok {
		s, ok = w.settings.Dialect.Call(name, texts...)
	}
	if !ok {
		w.unsupported(n, show(n))
		return
	}
	w.put(s)
}

// concat writes a chain of ||.
func (w *printer) concat(n *Binary) {
	w.strict(n, "concat", chain(nil, n))
}

// strict writes a call that is NULL when an argument is. Of the functions that it
// is for, some engines pass over NULL and others do not.
func (w *printer) strict(n Node, name string, args []Node) {
	var nulls []Node
	for _, a := range args {
		if l, ok := a.(*Literal); !ok || l.IsNull() {
			nulls = append(nulls, &IsNull{X: a})
		}
	}
	if nulls == nil {
		w.function(n, name, args...)
		return
	}
	w.put("CASE WHEN ")
	w.predicate(Disjoin(nulls...), levelOr)
	w.put(" THEN NULL ELSE ")
	w.function(n, name, args...)
	w.put(" END")
}

// chain returns the operands of nested concatenations, from left to right.
func chain(operands []Node, n Node) []Node {
	if b, ok := n.(*Binary); ok && b.Op == Concat {
		return chain(chain(operands, b.Left), b.Right)
	}
	return append(operands, n)
}

// modulo gives NULL for a zero divisor, where some engines raise an error.
func (w *printer) modulo(n *Binary) {
	divisor := n.Right
	if l, ok := divisor.(*Literal); !ok || strings.Trim(l.Value, "0.") == "" {
		divisor = &Call{base: *n.meta(), Function: "nullif", Args: []Node{n.Right, Int(0)}}
	}
	w.function(n, "mod", n.Left, divisor)
}

var aggregateForms = map[AggregateFunction]dialect.Form{
	Sum: dialect.Sum, Avg: dialect.Avg, Count: dialect.Count, CountDistinct: dialect.CountDistinct, ApproxDistinct: dialect.ApproxDistinct,
	Min: dialect.Min, Max: dialect.Max, Median: dialect.Median, Percentile: dialect.Percentile, StringAgg: dialect.StringAgg,
}

func (w *printer) aggregate(n *Aggregate) {
	form, x := aggregateForms[n.Function], n.X
	if x == nil {
		x = Int(1) // of rows
	}
	switch n.Function {
	case Sum:
		if of := dialect.SumOf(x.Type().String()); w.settings.Dialect.Forms[of] != "" {
			form = of
		}
	case ApproxDistinct:
		if w.settings.Dialect.Forms[form] == "" {
			form = dialect.CountDistinct // exact where nothing faster is known
		}
	}
	args := []argument{{"x", x, asValue}}
	switch n.Function {
	case Percentile:
		args = append(args, argument{"p", n.Parameter, asValue})
	case StringAgg:
		args = append(args, argument{"sep", n.Parameter, asValue})
	}
	w.form(n, form, args...)
}
