package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// kind is what an argument of a function must be.
type kind byte

const (
	kindNumber kind = 'n'
	kindText   kind = 't'
	kindTime   kind = 'd' // a date or a timestamp
	kindClock  kind = 'h' // a timestamp
	kindCount  kind = 'c' // a whole number; a literal is at least 0
	kindIndex  kind = 'i' // a whole number; a literal is at least 1
	kindShort  kind = 's' // a text or a whole number, which every engine writes alike
	kindSame   kind = '=' // anything, of one type with the other arguments
	kindGrain  kind = 'g' // a literal with the name of a calendar unit
)

// signature is what a scalar function takes and gives.
type signature struct {
	args  string   // a kind per argument; the last one repeats when there may be more
	min   int      // arguments; 0 = len(args)
	many  bool     // any number of arguments
	gives sdk.Type // TypeUnspecified: the common type of the arguments
}

// functions are the scalar functions by canonical name.
var functions = map[string]signature{
	"abs": {args: "n"}, "ceil": {args: "n"}, "floor": {args: "n"}, "round": {args: "nc", min: 1},
	"sign": {args: "n", gives: sdk.TypeInt64}, "exp": {args: "n", gives: sdk.TypeFloat64},
	"ln": {args: "n", gives: sdk.TypeFloat64}, "sqrt": {args: "n", gives: sdk.TypeFloat64},
	"power": {args: "nn", gives: sdk.TypeFloat64}, "mod": {args: "nn"}, // read as %

	"coalesce": {args: "=", many: true}, "greatest": {args: "==", many: true}, "least": {args: "==", many: true},
	"nullif": {args: "=="},

	"concat": {args: "s", many: true, gives: sdk.TypeText}, "length": {args: "t", gives: sdk.TypeInt64},
	"lower": {args: "t", gives: sdk.TypeText}, "upper": {args: "t", gives: sdk.TypeText}, "trim": {args: "t", gives: sdk.TypeText},
	"ltrim": {args: "t", gives: sdk.TypeText}, "rtrim": {args: "t", gives: sdk.TypeText},
	"left": {args: "tc", gives: sdk.TypeText}, "right": {args: "tc", gives: sdk.TypeText},
	"substring": {args: "tic", min: 2, gives: sdk.TypeText}, "replace": {args: "ttt", gives: sdk.TypeText},
	"split_part": {args: "tti", gives: sdk.TypeText}, "strpos": {args: "tt", gives: sdk.TypeInt64},

	"year": {args: "d", gives: sdk.TypeInt64}, "quarter": {args: "d", gives: sdk.TypeInt64}, "month": {args: "d", gives: sdk.TypeInt64},
	"iso_week": {args: "d", gives: sdk.TypeInt64}, "day": {args: "d", gives: sdk.TypeInt64}, "weekday": {args: "d", gives: sdk.TypeInt64},
	"hour": {args: "h", gives: sdk.TypeInt64}, "minute": {args: "h", gives: sdk.TypeInt64}, "second": {args: "h", gives: sdk.TypeInt64},
	"date_diff_days": {args: "dd", gives: sdk.TypeInt64},
	"date_trunc":     {args: "gd"}, // the result depends on the unit
}

// matches are the searches that are written as functions.
var matches = map[string]MatchKind{"contains": Contains, "starts_with": StartsWith, "ends_with": EndsWith}

// aggregates are the aggregates with whether each takes a parameter.
var aggregates = map[AggregateFunction]bool{
	Sum: false, Avg: false, Count: false, CountDistinct: false, ApproxDistinct: false, Min: false, Max: false, Median: false,
	Percentile: true, StringAgg: true,
}

// aliases are other names for exactly the same function.
var aliases = map[string]string{
	"ceiling": "ceil", "pow": "power", "substr": "substring", "char_length": "length", "ifnull": "coalesce", "nvl": "coalesce",
}

// fields are what EXTRACT may name. Weeks and weekdays are those of ISO 8601;
// a DOW starts on different days in different engines.
var fields = map[string]string{
	"year": "year", "quarter": "quarter", "month": "month", "day": "day", "hour": "hour", "minute": "minute", "second": "second",
	"week": "iso_week", "isodow": "weekday",
}

// Functions lists the scalar functions, sorted.
func Functions() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(functions)), maps.Keys(matches))
	slices.Sort(all)
	return all
}

// Aggregates lists the aggregates, sorted.
func Aggregates() []AggregateFunction { return slices.Sorted(maps.Keys(aggregates)) }

func functionsHint() string {
	var names []string
	for _, a := range Aggregates() {
		names = append(names, string(a))
	}
	return "use one of: " + strings.Join(append(Functions(), names...), ", ")
}

// similar returns the functions that begin like name, longest likeness first.
func similar(name string) []string {
	known := Functions()
	for _, a := range Aggregates() {
		known = append(known, string(a))
	}
	for n := len(name); n > 1; n-- {
		if found := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, name[:n]) }); len(found) > 0 {
			return found[:min(len(found), 3)]
		}
	}
	return nil
}

// call reads name(args).
func (p *parser) call() (Node, error) {
	start := p.take()
	p.take() // (
	name := strings.ToLower(p.source(start))
	if other, ok := aliases[name]; ok {
		name = other
	}
	if name == "extract" {
		return p.extract(start)
	}
	if _, ok := aggregates[AggregateFunction(name)]; ok {
		return p.aggregated(start, AggregateFunction(name))
	}
	if n, ok, err := p.quantified(start, name); ok {
		return n, err
	}
	if name == "per" {
		return p.perEntity(start)
	}
	match, isMatch := matches[name]
	s, ok := functions[name]
	if isMatch {
		s, ok = signature{args: "tt"}, true
	}
	if !ok {
		e := fail(sdk.KindInvalid, start.pos, functionsHint(), "there is no function %s", p.source(start))
		e.Candidates = similar(name)
		return nil, e
	}
	var args []Node
	if !p.acceptOperator(")") {
		var err error
		if args, err = p.list("the list of arguments"); err != nil {
			return nil, err
		}
	}
	if err := p.arity(start, name, s, len(args)); err != nil {
		return nil, err
	}
	switch {
	case name == "mod":
		return p.done(&Binary{Op: Modulo, Left: args[0], Right: args[1]}, start)
	case isMatch:
		return p.done(&Match{base: base{typ: sdk.TypeBool}, Kind: match, X: args[0], Pattern: args[1]}, start)
	}
	return p.done(&Call{Function: name, Args: args}, start)
}

func (p *parser) arity(start *token, name string, s signature, got int) error {
	low, high := s.min, len(s.args)
	if low == 0 {
		low = len(s.args)
	}
	if got >= low && (got <= high || s.many) {
		return nil
	}
	want := plural(high, "argument")
	switch {
	case s.many:
		want = "at least " + plural(low, "argument")
	case low < high:
		want = fmt.Sprintf("%d or %s", low, want)
	}
	return fail(sdk.KindInvalid, start.pos, "give "+name+" "+want+", separated by commas", "%s takes %s, not %d", name, want, got)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// extract reads field FROM x).
func (p *parser) extract(start *token) (Node, error) {
	t := p.take()
	function, ok := fields[strings.ToLower(p.source(t))]
	if !ok || t.kind != tokenWord {
		return nil, fail(sdk.KindInvalid, t.pos, "use year, quarter, month, week (ISO), day, isodow (1 is Monday), hour, minute or second", "EXTRACT has no such field")
	}
	if err := p.expectWord("FROM", "FROM"); err != nil {
		return nil, err
	}
	x, err := p.expression(levelOr)
	if err != nil {
		return nil, err
	}
	if err := p.expectOperator(")", "an operator or )"); err != nil {
		return nil, err
	}
	return p.done(&Call{Function: function, Args: []Node{x}}, start)
}

// aggregated reads the arguments of an aggregate.
func (p *parser) aggregated(start *token, f AggregateFunction) (Node, error) {
	if p.aggregate != "" {
		return nil, fail(sdk.KindInvalid, start.pos, "define a measure of type nested, which aggregates the values of another one",
			"%s stands inside %s: an aggregate of an aggregate has no meaning in one step", f, p.aggregate)
	}
	p.aggregate = f
	defer func() { p.aggregate = "" }()
	a := &Aggregate{Function: f}
	if f == Count && p.acceptOperator("*") {
		if err := p.expectOperator(")", ")"); err != nil {
			return nil, err
		}
		return p.done(a, start)
	}
	if t := p.peek(); p.acceptWord("DISTINCT") {
		if f != Count {
			return nil, fail(sdk.KindInvalid, t.pos, "use count(DISTINCT x); min and max need no DISTINCT", "%s takes no DISTINCT", f)
		}
		a.Function = CountDistinct
	}
	args, err := p.list("the list of arguments")
	if err != nil {
		return nil, err
	}
	want := 1
	if aggregates[f] {
		want = 2
	}
	if len(args) != want {
		return nil, fail(sdk.KindInvalid, start.pos, usage(f), "%s takes %s, not %d", f, plural(want, "argument"), len(args))
	}
	a.X = args[0]
	if want == 2 {
		if err := a.parameter(args[1]); err != nil {
			return nil, err
		}
	}
	return p.done(a, start)
}

// usage shows how an aggregate is written.
func usage(f AggregateFunction) string {
	switch f {
	case StringAgg:
		return "write string_agg(name, ', ')"
	case Percentile:
		return "write percentile(amount, 0.9)"
	case Count, CountDistinct:
		return "count combinations by concat(a, '|', b)"
	}
	return "write " + string(f) + "(x)"
}

// parameter checks and sets the second argument.
func (a *Aggregate) parameter(n Node) error {
	l, ok := n.(*Literal)
	switch {
	case a.Function == StringAgg && (!ok || l.typ != sdk.TypeText):
		return fail(sdk.KindInvalid, n.Pos(), usage(a.Function), "the separator of string_agg is a text in quotes")
	case a.Function == Percentile && (!ok || !fraction(l)):
		return fail(sdk.KindInvalid, n.Pos(), usage(a.Function), "the second argument of percentile is a number from 0 to 1")
	}
	a.Parameter = l
	return nil
}

// fraction reports whether a number written without exponent is in 0..1.
func fraction(l *Literal) bool {
	whole, rest, _ := strings.Cut(l.Value, ".")
	switch l.typ {
	case sdk.TypeInt64, sdk.TypeDecimal:
		return whole == "0" || whole == "1" && strings.Trim(rest, "0") == ""
	}
	return false
}
