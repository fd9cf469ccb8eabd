package plan_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// rich is a relation of all operators that Same compares; change makes another.
type rich struct {
	filter  *plan.Filter
	join    *plan.Join
	mark    *plan.Join
	project *plan.Project
}

func newRich(s *shop) *rich {
	r := &rich{}
	r.join = &plan.Join{L: s.orders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer)}
	r.mark = &plan.Join{L: r.join, R: s.lines, Kind: plan.Mark, On: equal(s.order, s.lineOrder), Mark: s.unrelated}
	r.filter = &plan.Filter{In: r.mark, Cond: binary(expression.Greater, s.amount.Ref(), expression.Int(1))}
	r.project = &plan.Project{In: r.filter, Values: []plan.Value{same(s.name), same(s.amount)}}
	return r
}

func TestSame(t *testing.T) {
	t.Parallel()
	s := newShop()
	twin := &plan.Scan{Table: s.customers.Table, Fields: s.customers.Fields, Unique: s.customers.Unique}
	cases := []struct {
		name   string
		change func(*rich)
		want   bool
	}{
		{"made in the same way", func(*rich) {}, true},
		{"an equal condition", func(r *rich) { r.filter.Cond = binary(expression.Greater, s.amount.Ref(), expression.Int(1)) }, true},
		{"another condition", func(r *rich) { r.filter.Cond = binary(expression.Greater, s.amount.Ref(), expression.Int(2)) }, false},
		{"a condition on another column", func(r *rich) { r.filter.Cond = binary(expression.Greater, s.buyer.Ref(), expression.Int(1)) }, false},
		{"another kind of join", func(r *rich) { r.join.Kind = plan.Inner }, false},
		{"another condition of a join", func(r *rich) { r.join.On = equal(s.order, s.customer) }, false},
		{"no condition of a join", func(r *rich) { r.join.On = nil }, false},
		{"another scan of the same table", func(r *rich) { r.join.R = twin }, false},
		{"another mark", func(r *rich) { r.mark.Mark = s.quantity }, false},
		{"another condition of a mark", func(r *rich) { r.mark.On = equal(s.buyer, s.lineOrder) }, false},
		{"distinct", func(r *rich) { r.project.Distinct = true }, false},
		{"whole rows", func(r *rich) { r.project.Whole = s.orders }, false},
		{"a value less", func(r *rich) { r.project.Values = r.project.Values[:1] }, false},
		{"values in another order", func(r *rich) { r.project.Values = []plan.Value{same(s.amount), same(s.name)} }, false},
		{"the same values under other numbers", func(r *rich) { r.project.Values[0].ID = s.quantity.ID }, false},
		{"another value", func(r *rich) { r.project.Values[0].X = s.customer.Ref() }, false},
		{"something between", func(r *rich) { r.project.In = &plan.Sort{In: r.filter} }, false},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := newRich(s), newRich(s)
			tt.change(b)
			if got := plan.Same(a.project, b.project); got != tt.want {
				t.Errorf("got %t", got)
			}
			if got := plan.Same(b.project, a.project); got != tt.want {
				t.Errorf("the other way round: got %t", got)
			}
		})
	}
}

func TestSameValues(t *testing.T) {
	t.Parallel()
	s := newShop()
	out := s.new("out")
	add := func(n string) expression.Node {
		return expression.NewForm(dialect.Add(dialect.Day), s.amount.Ref(), sdk.TypeDate, map[string]string{"n": n})
	}
	cases := []struct {
		name string
		a, b expression.Node
		want bool
	}{
		{"equal trees", binary(expression.Add, s.amount.Ref(), expression.Int(1)), binary(expression.Add, s.amount.Ref(), expression.Int(1)), true},
		{"another side", binary(expression.Subtract, s.amount.Ref(), s.order.Ref()), binary(expression.Subtract, s.order.Ref(), s.amount.Ref()), false},
		{"a number and its text", expression.Int(1), expression.Text("1"), false},
		{"nothing and NULL", nil, expression.Null(), false},
		{"nothing twice", nil, nil, true},
		{"a form", add("1"), add("1"), true},
		{"a form with another text", add("1"), add("2"), false},
		{"brackets", binary(expression.Multiply, binary(expression.Add, s.order.Ref(), s.amount.Ref()), s.buyer.Ref()),
			binary(expression.Add, s.order.Ref(), binary(expression.Multiply, s.amount.Ref(), s.buyer.Ref())), false},
		{"count and count of a column", &expression.Aggregate{Function: expression.Count}, &expression.Aggregate{Function: expression.Count, X: s.amount.Ref()}, false},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plan.SameValues([]plan.Value{value(out, tt.a)}, []plan.Value{value(out, tt.b)}); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
