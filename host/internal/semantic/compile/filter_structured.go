package compile

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// structured makes a condition of a structured filter.
//
// A comparison with a list of no values, or with NULL, says something here, where
// in SQL it says nothing: equals and in find the rows without a value when NULL is
// one of the values, and not_equals, not_in and not_contains hold for them unless
// it is. The other operators, and not, keep SQL's three-valued logic. So does every
// comparison with the value of a measure per entity.
func (c *compiler) structured(f *Filter, where string) (expression.Node, error) {
	shapes := 0
	for _, has := range []bool{f.SQL != "", f.Field != "" || f.Measure != "" || f.Op != "", f.And != nil, f.Or != nil, f.Not != nil, f.Any != nil, f.None != nil, f.All != nil} {
		if has {
			shapes++
		}
	}
	switch {
	case shapes != 1 || f.Measure != "" && (f.Field != "" || f.Right != nil):
		return nil, invalidRequest(where, "a filter is one of an expression, a comparison, and, or, not, any, none, all").fix(`write {"field": "orders.status", "op": "equals", "values": ["paid"]} or "orders.status = 'paid'"`)
	case f.SQL != "":
		tree, err := expression.ParseCondition(f.SQL)
		if err != nil {
			return nil, invalidExpression(where, f.SQL, err)
		}
		return c.inTime(tree), nil
	case f.Not != nil:
		tree, err := c.structured(f.Not, where+".not")
		return &expression.Unary{Op: expression.Not, X: tree}, err
	case f.Any != nil:
		return c.quantified(expression.AnyRow, f.Any, where)
	case f.None != nil:
		return c.quantified(expression.NoRow, f.None, where)
	case f.All != nil:
		return c.quantified(expression.EachRow, f.All, where)
	case f.And != nil:
		return c.join(expression.Conjoin, f.And, where+".and")
	case f.Or != nil:
		return c.join(expression.Disjoin, f.Or, where+".or")
	case f.Right != nil:
		return c.against(f, where)
	}
	return c.compared(f, where)
}

func (c *compiler) join(with func(...expression.Node) expression.Node, filters []Filter, where string) (expression.Node, error) {
	if len(filters) == 0 {
		return nil, invalidRequest(where, "the list is empty").fix("name at least one condition, or leave it out")
	}
	terms := make([]expression.Node, len(filters))
	for i := range filters {
		var err error
		if terms[i], err = c.structured(&filters[i], fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return nil, err
		}
	}
	return with(terms...), nil
}

// quantified makes a condition on related rows.
func (c *compiler) quantified(by expression.Quantifier, f *Filter, where string) (expression.Node, error) {
	where += "." + string(by)
	x, err := c.structured(f, where)
	if err == nil && len(expression.Quantifieds(x)) > 0 {
		err = invalidRequest(where, "a condition on related rows stands inside another").fix("write the conditions in one of them, joined by and")
	}
	return &expression.Quantified{Quantifier: by, X: x}, err
}

// arity is how many values an operator takes.
type arity struct{ least, most int }

const many = maxValues

var operators = map[Op]arity{
	OpEquals: {1, 1}, OpNotEquals: {1, 1}, OpIn: {1, many}, OpNotIn: {1, many}, OpGreater: {1, 1}, OpAtLeast: {1, 1}, OpLess: {1, 1}, OpAtMost: {1, 1},
	OpBetween: {2, 2}, OpContains: {1, many}, OpNotContains: {1, many}, OpStartsWith: {1, many}, OpEndsWith: {1, many},
	OpIsNull: {0, 0}, OpIsNotNull: {0, 0}, OpInDateRange: {1, 2}, OpBefore: {1, 1}, OpAfter: {1, 1},
}

// operatorNames lists the operators, sorted.
func operatorNames() []string {
	all := make([]string, 0, len(operators))
	for op := range operators {
		all = append(all, string(op))
	}
	slices.Sort(all)
	return all
}

// compared makes a condition of field, op and values.
func (c *compiler) compared(f *Filter, where string) (expression.Node, error) {
	takes, ok := operators[f.Op]
	if !ok {
		near := nearest(string(f.Op), operatorNames())
		return nil, invalidRequest(where+".op", "there is no operator %s", quote(string(f.Op))).meant(near).fix("use one of %s", listed(operatorNames()))
	}
	if n := len(f.Values); n < takes.least || n > takes.most {
		return nil, invalidRequest(where+".values", "%s takes %s, not %d", f.Op, takes, n).fix("give the values as a list: \"values\": [...]")
	}
	x, err := c.filterField(f, where)
	if err != nil {
		return nil, err
	}
	switch f.Op {
	case OpIsNull, OpIsNotNull:
		return &expression.IsNull{X: x.Name, Negated: f.Op == OpIsNotNull}, nil
	case OpEquals, OpNotEquals, OpIn, OpNotIn:
		return c.amongst(f, x, where)
	case OpContains, OpNotContains, OpStartsWith, OpEndsWith:
		return searched(f, x, where)
	case OpInDateRange:
		return c.inRange(f, x, where)
	}
	if x.isTime() {
		return c.ordered(f, x, where)
	}
	if f.Op == OpBefore || f.Op == OpAfter {
		return nil, x.noTime(where)
	}
	values, err := eachValue(f.Values, where, false, x.value)
	if err != nil {
		return nil, err
	}
	if f.Op == OpBetween {
		return &expression.Between{X: x.Name, Low: values[0], High: values[1]}, nil
	}
	return &expression.Binary{Op: comparisons[f.Op], Left: x.Name, Right: values[0]}, nil
}

func (a arity) String() string {
	switch {
	case a.most == 0:
		return "no values"
	case a.most == 1:
		return "one value"
	case a.least == a.most:
		return fmt.Sprintf("%d values", a.least)
	}
	return fmt.Sprintf("%d to %d values", a.least, a.most)
}

var comparisons = map[Op]expression.BinaryOp{
	OpGreater: expression.Greater, OpAtLeast: expression.GreaterEqual, OpLess: expression.Less, OpAtMost: expression.LessEqual,
	OpBefore: expression.Less, OpAfter: expression.Greater,
}

// amongst is equals, not_equals, in and not_in.
func (c *compiler) amongst(f *Filter, x filterField, where string) (expression.Node, error) {
	negated := f.Op == OpNotEquals || f.Op == OpNotIn
	hasNull := slices.Contains(f.Values, nil)
	of := func(v any, at string) (expression.Node, error) { return x.one(v, at) }
	if x.isTime() {
		of = func(v any, at string) (expression.Node, error) { return c.moment(f, x, v, at) }
	}
	values, err := eachValue(f.Values, where, true, of)
	if err != nil {
		return nil, err
	}
	var found expression.Node
	switch {
	case len(values) == 1 && !negated:
		found = &expression.Binary{Op: expression.Equal, Left: x.Name, Right: values[0]}
	case len(values) == 1:
		found = &expression.Binary{Op: expression.NotEqual, Left: x.Name, Right: values[0]}
	case len(values) > 1:
		found = &expression.In{X: x.Name, List: values, Negated: negated}
	}
	null := &expression.IsNull{X: x.Name, Negated: hasNull && negated}
	switch {
	case found == nil:
		return null, nil
	case hasNull && negated:
		return expression.Conjoin(found, null), nil // false for NULL, not unknown: a NOT may be around it
	case hasNull || negated && f.Measure == "":
		return expression.Disjoin(found, null), nil
	}
	return found, nil
}

// searched is contains, not_contains, starts_with and ends_with: any of the values,
// literally and without regard to case.
func searched(f *Filter, x filterField, where string) (expression.Node, error) {
	if x.Type != sdk.TypeText && x.Type != sdk.TypeUnspecified {
		return nil, invalidRequest(where, "%s searches text; %s is %s", f.Op, x, typeWords(x.Type)).about(f.Field).fix("compare it with equals, gt or lt, or cast it in an SQL filter: %s::text", x)
	}
	kind := map[Op]expression.MatchKind{OpStartsWith: expression.StartsWith, OpEndsWith: expression.EndsWith}[f.Op]
	if kind == "" {
		kind = expression.Contains
	}
	negated := f.Op == OpNotContains
	terms, err := eachValue(f.Values, where, false, func(v any, at string) (expression.Node, error) {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, invalidRequest(at, "%s takes text, not %s", f.Op, valueWords(v)).about(f.Field).fix("write the text that is searched, in quotes")
		}
		return &expression.Match{Kind: kind, X: x.Name, Pattern: expression.Text(text), Negated: negated}, checkText(at, text)
	})
	if err != nil {
		return nil, err
	}
	if negated && f.Measure != "" {
		return expression.Conjoin(terms...), nil
	}
	if negated {
		return expression.Disjoin(expression.Conjoin(terms...), &expression.IsNull{X: x.Name}), nil
	}
	return expression.Disjoin(terms...), nil
}

// eachValue makes a node of each value.
func eachValue(all []any, where string, skipNull bool, of func(v any, at string) (expression.Node, error)) ([]expression.Node, error) {
	nodes := make([]expression.Node, 0, len(all))
	for i, v := range all {
		if v == nil && skipNull {
			continue
		}
		n, err := of(v, fmt.Sprintf("%s.values[%d]", where, i))
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// inRange is in_date_range.
func (c *compiler) inRange(f *Filter, x filterField, where string) (expression.Node, error) {
	var texts []string
	for i, v := range f.Values {
		text, ok := v.(string)
		if !ok {
			return nil, invalidRequest(fmt.Sprintf("%s.values[%d]", where, i), "%s is no date", valueWords(v)).about(f.Field).fix("write %s", rangeForms)
		}
		texts = append(texts, text)
	}
	r, err := rangeOf(where+".values", texts)
	if err != nil {
		return nil, err
	}
	r.Field = f.Field
	i, err := c.interval(r, x.String())
	if err != nil {
		return nil, err
	}
	return i.condition(where, x)
}

// interval resolves a range of the request on a field, and notes what a relative
// one came to.
func (c *compiler) interval(r DateRange, field string) (interval, error) {
	zone, err := zoneOf(c.r.TimeZone)
	if err != nil {
		return interval{}, err
	}
	i, err := r.interval(c.o.Now, zone)
	if err == nil && r.Relative != "" {
		c.note(fmt.Sprintf("%s: %s is %s", field, r.Relative, i))
	}
	return i, err
}

// rangeOf makes a range of one text, which says all of it, or of two ends.
func rangeOf(where string, texts []string) (DateRange, error) {
	if len(texts) == 2 {
		return DateRange{From: texts[0], To: texts[1]}, nil
	}
	if len(texts) != 1 {
		return DateRange{}, invalidRequest(where, "a range has two ends, not %d", len(texts)).fix("write %s", rangeForms)
	}
	if p, ok := parseRelative(texts[0]); ok {
		return DateRange{Relative: p.String()}, nil
	}
	return readRange(where, texts[0])
}
