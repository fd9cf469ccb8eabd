package expression_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

func TestQuantifiersStandInConditionsAlone(t *testing.T) {
	t.Parallel()
	const text = `none(orders.status = 'paid' AND orders.amount > 3) OR NOT all(orders.amount > 1) OR a = 1`
	tree, err := expression.ParseCondition(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := expression.String(tree); got != text {
		t.Errorf("written as %s", got)
	}
	if names := expression.Names(tree); len(names) != 1 || names[0].String() != "a" {
		t.Errorf("the names of a quantified condition are outside: %v", names)
	}
	if all := expression.Quantifieds(tree); len(all) != 2 || all[0].Quantifier != expression.NoRow || len(expression.Names(all[0].X)) != 2 {
		t.Errorf("not the conditions that were written: %v", all)
	}
	for _, wrong := range []string{"any(a = 1 AND none(b = 2))", "any()", "any(a = 1, b = 2)", "any(a = 1"} {
		if _, err := expression.ParseCondition(wrong); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
	if _, err := expression.Parse("any(a = 1)"); err == nil {
		t.Error("a definition may have a quantifier")
	}
	checked := func(text string) error {
		tree, err := expression.ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = expression.CheckCondition(tree, func(*expression.Name) (sdk.Type, error) { return sdk.TypeInt64, nil })
		return err
	}
	if err := checked("any(a = 1)"); err != nil {
		t.Error(err)
	}
	if checked("any(a + 1)") == nil {
		t.Error("a number is a condition")
	}
}
