package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// Condition compares a column with values. All conditions of a sample hold for each row.
type Condition struct {
	Column string `json:"column"`
	// Op is one of Operators, or a word that the semantic layer reads as one, such as "=".
	Op     request.Op `json:"op"`
	Values Values     `json:"values"`
}

// Values are texts, json.Numbers, truth values and nil.
type Values []any

// UnmarshalJSON implements json.Unmarshaler: numbers keep all their digits.
func (v *Values) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode((*[]any)(v))
}

// operators are the operators of a Condition. They mean what they mean in sl_query.
var operators = map[request.Op]expression.BinaryOp{
	request.OpEquals: "", request.OpNotEquals: "", request.OpIn: "", request.OpNotIn: "",
	request.OpGreater: expression.Greater, request.OpAtLeast: expression.GreaterEqual, request.OpLess: expression.Less, request.OpAtMost: expression.LessEqual,
	request.OpBetween: "", request.OpContains: "", request.OpStartsWith: "", request.OpEndsWith: "", request.OpIsNull: "", request.OpIsNotNull: "",
}

// Operators lists the operators of a Condition, sorted.
func Operators() (all []string) {
	for op := range operators {
		all = append(all, string(op))
	}
	slices.Sort(all)
	return all
}

// tree returns the condition over the name of its column.
// Errors: KindInvalid.
func (c *Condition) tree(where string, x *expression.Name) (expression.Node, error) {
	op, _ := request.NamedOp(string(c.Op))
	if _, ok := operators[op]; !ok {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s.op is %q", where, c.Op).WithHint("use one of: %s", strings.Join(Operators(), ", "))
	}
	if err := (&request.Filter{Op: op, Values: c.Values}).CheckOperator(where); err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", sdk.AsError(err, sdk.SourceCaller).Msg).
			WithHint(`write for instance {"column": "total", "op": "between", "values": [1, 9]} or {"column": "total", "op": "is_null"}`)
	}
	null := false
	var values []expression.Node
	for i, v := range c.Values {
		n, err := literal(v)
		switch {
		case err != nil:
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s.values[%d]: %w", where, i, err).WithHint("write a text, a number, true, false or null")
		case n != nil:
			values = append(values, n)
		case slices.Contains([]request.Op{request.OpEquals, request.OpNotEquals, request.OpIn, request.OpNotIn}, op):
			null = true
		default:
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s.values[%d] is null, with which %s compares nothing", where, i, op).WithHint("use is_null or is_not_null")
		}
	}
	switch op {
	case request.OpIsNull, request.OpIsNotNull:
		return &expression.IsNull{X: x, Negated: op == request.OpIsNotNull}, nil
	case request.OpEquals, request.OpNotEquals, request.OpIn, request.OpNotIn:
		return expression.Amongst(x, values, null, op == request.OpNotEquals || op == request.OpNotIn, false), nil
	case request.OpBetween:
		return &expression.Between{X: x, Low: values[0], High: values[1]}, nil
	case request.OpContains, request.OpStartsWith, request.OpEndsWith:
		kind := expression.MatchKind(op)
		for i, v := range values {
			values[i] = &expression.Match{Kind: kind, X: x, Pattern: v}
		}
		return expression.Disjoin(values...), nil
	}
	return &expression.Binary{Op: operators[op], Left: x, Right: values[0]}, nil
}

// literal returns a value as a constant; nil = NULL.
func literal(v any) (expression.Node, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return expression.Text(v), request.CheckText("a text", v)
	case bool:
		return expression.Bool(v), nil
	case json.Number:
		return expression.Parse(v.String())
	}
	return nil, fmt.Errorf("it is %s", kindOf(v))
}
