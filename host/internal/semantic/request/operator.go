package request

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// arity is how many values an operator takes.
type arity struct{ least, most int }

var operators = map[Op]arity{
	OpEquals: {1, 1}, OpNotEquals: {1, 1}, OpIn: {1, maxValues}, OpNotIn: {1, maxValues}, OpGreater: {1, 1}, OpAtLeast: {1, 1}, OpLess: {1, 1}, OpAtMost: {1, 1},
	OpBetween: {2, 2}, OpContains: {1, maxValues}, OpNotContains: {1, maxValues}, OpStartsWith: {1, maxValues}, OpEndsWith: {1, maxValues},
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

// CheckOperator returns an error for an unknown operator and for a wrong number of
// values.
func (f *Filter) CheckOperator(where string) error {
	takes, ok := operators[f.Op]
	if !ok {
		return noOperator(where+".op", string(f.Op))
	}
	if n := len(f.Values); n < takes.least || n > takes.most {
		return refusal.Invalid(where+".values", "%s takes %s, not %d", f.Op, takes, n).Advise("give the values as a list: \"values\": [...]")
	}
	return nil
}

func noOperator(where, word string) *refusal.Error {
	return refusal.Invalid(where, "there is no operator %s", refusal.Quote(word)).Meant(sqlkit.Nearest(snake(word), operatorNames())).Advise("use one of %s", refusal.Listed(operatorNames()))
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
