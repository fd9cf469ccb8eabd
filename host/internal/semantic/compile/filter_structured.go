package compile

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
)

// structured returns the condition of a structured filter.
//
// Unlike in SQL, an empty list and NULL have a meaning: equals and in find the rows without a
// value if NULL is one of the values; not_equals, not_in and not_contains are true for those
// rows unless NULL is one of the values. The other operators, not, and every comparison with
// the value of a measure per entity keep SQL's three-valued logic.
func (c *compiler) structured(f *request.Filter, where string) (expression.Node, error) {
	shapes := 0
	for _, has := range []bool{f.SQL != "", f.Field != "" || f.Measure != "" || f.Op != "", f.And != nil, f.Or != nil, f.Not != nil, f.Any != nil, f.None != nil, f.All != nil} {
		if has {
			shapes++
		}
	}
	switch {
	case shapes != 1 || f.Measure != "" && (f.Field != "" || f.Right != nil):
		return nil, refusal.Invalid(where, "a filter is one of an expression, a comparison, and, or, not, any, none, all").Advise(`write {"field": "orders.status", "op": "equals", "values": ["paid"]} or "orders.status = 'paid'"`)
	case f.SQL != "":
		tree, err := expression.ParseCondition(f.SQL)
		if err != nil {
			return nil, refusal.InExpression(where, f.SQL, err)
		}
		return c.withEntities(c.inTime(tree), where)
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

func (c *compiler) join(with func(...expression.Node) expression.Node, filters []request.Filter, where string) (expression.Node, error) {
	if len(filters) == 0 {
		return nil, refusal.Invalid(where, "the list is empty").Advise("name at least one condition, or leave it out")
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

// quantified returns a condition on related rows.
func (c *compiler) quantified(by expression.Quantifier, f *request.Filter, where string) (expression.Node, error) {
	where += "." + string(by)
	x, err := c.structured(f, where)
	if err == nil && len(expression.Quantifieds(x)) > 0 {
		err = refusal.Invalid(where, "a condition on related rows stands inside another").Advise("write the conditions in one of them, joined by and")
	}
	return &expression.Quantified{Quantifier: by, X: x}, err
}

// compared returns the condition of a field, an operator and values.
func (c *compiler) compared(f *request.Filter, where string) (expression.Node, error) {
	if err := f.CheckOperator(where); err != nil {
		return nil, err
	}
	x, err := c.filterField(f, where)
	if err != nil {
		return nil, err
	}
	switch f.Op {
	case request.OpIsNull, request.OpIsNotNull:
		return &expression.IsNull{X: x.Name, Negated: f.Op == request.OpIsNotNull}, nil
	case request.OpEquals, request.OpNotEquals, request.OpIn, request.OpNotIn:
		return c.amongst(f, x, where)
	case request.OpContains, request.OpNotContains, request.OpStartsWith, request.OpEndsWith:
		return searched(f, x, where)
	case request.OpInDateRange:
		return c.inRange(f, x, where)
	}
	if x.isTime() {
		return c.ordered(f, x, where)
	}
	if f.Op == request.OpBefore || f.Op == request.OpAfter {
		return nil, x.noTime(where)
	}
	values, err := eachValue(f.Values, where, false, x.value)
	if err != nil {
		return nil, err
	}
	if f.Op == request.OpBetween {
		return &expression.Between{X: x.Name, Low: values[0], High: values[1]}, nil
	}
	return binary(comparisons[f.Op], x.Name, values[0]), nil
}

var comparisons = map[request.Op]expression.BinaryOp{
	request.OpEquals: expression.Equal, request.OpNotEquals: expression.NotEqual,
	request.OpGreater: expression.Greater, request.OpAtLeast: expression.GreaterEqual, request.OpLess: expression.Less, request.OpAtMost: expression.LessEqual,
	request.OpBefore: expression.Less, request.OpAfter: expression.Greater,
}

// amongst returns the condition of equals, not_equals, in and not_in.
func (c *compiler) amongst(f *request.Filter, x filterField, where string) (expression.Node, error) {
	of := func(v any, at string) (expression.Node, error) { return x.one(v, at) }
	if x.isTime() {
		of = func(v any, at string) (expression.Node, error) { return c.moment(f, x, v, at) }
	}
	values, err := eachValue(f.Values, where, true, of)
	if err != nil {
		return nil, err
	}
	negated := f.Op == request.OpNotEquals || f.Op == request.OpNotIn
	return expression.Amongst(x.Name, values, slices.Contains(f.Values, nil), negated, f.Measure != ""), nil
}

// searched returns the condition of contains, not_contains, starts_with and ends_with: any of
// the values, literally, ignoring case.
func searched(f *request.Filter, x filterField, where string) (expression.Node, error) {
	if x.Type != sdk.TypeText && x.Type != sdk.TypeUnspecified {
		return nil, refusal.Invalid(where, "%s searches text; %s is %s", f.Op, x, typeWords(x.Type)).About(f.Field).Advise("compare it with equals, gt or lt, or cast it in an SQL filter: %s::text", x)
	}
	kind := map[request.Op]expression.MatchKind{request.OpStartsWith: expression.StartsWith, request.OpEndsWith: expression.EndsWith}[f.Op]
	if kind == "" {
		kind = expression.Contains
	}
	negated := f.Op == request.OpNotContains
	terms, err := eachValue(f.Values, where, false, func(v any, at string) (expression.Node, error) {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, refusal.Invalid(at, "%s takes text, not %s", f.Op, request.ValueWords(v)).About(f.Field).Advise("write the text that is searched, in quotes")
		}
		return &expression.Match{Kind: kind, X: x.Name, Pattern: expression.Text(text), Negated: negated}, request.CheckText(at, text)
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

// eachValue returns a node for each value.
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

// inRange returns the condition of in_date_range.
func (c *compiler) inRange(f *request.Filter, x filterField, where string) (expression.Node, error) {
	var texts []string
	for i, v := range f.Values {
		text, ok := v.(string)
		if !ok {
			return nil, refusal.Invalid(fmt.Sprintf("%s.values[%d]", where, i), "%s is no date", request.ValueWords(v)).About(f.Field).Advise("write %s", timerange.RangeForms)
		}
		texts = append(texts, text)
	}
	r, err := request.RangeOf(where+".values", texts)
	if err != nil {
		return nil, err
	}
	r.Field = f.Field
	i, periods, err := c.interval(r, x.String())
	if err != nil {
		return nil, err
	}
	return x.ranged(where, i, periods)
}

// interval resolves a range of the request on a field, and notes the days of a relative range.
// For a range of calendar periods it returns the periods instead.
func (c *compiler) interval(r request.DateRange, field string) (timerange.Interval, *periodRange, error) {
	zone, err := timerange.Zone(c.r.TimeZone)
	if err != nil {
		return timerange.Interval{}, nil, err
	}
	if p, ok := timerange.ParseRelative(r.Relative); ok && r.From == "" && r.To == "" {
		return c.relative(p, field, zone)
	}
	i, err := r.Interval(c.o.Now, zone)
	return i, nil, err
}
