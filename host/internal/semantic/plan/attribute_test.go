package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// What depends on the key of a table is joined to the groups that a condition leaves,
// unless rows are joined otherwise than by the key or the aggregates use it.
func TestJoinAttributes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(s *shop, toOrders *plan.Join, total *plan.Value, f *plan.Filter)
		by     []string // what is grouped by in the end
		above  bool     // a condition is left above
	}{
		{"by the key", func(*shop, *plan.Join, *plan.Value, *plan.Filter) {}, []string{"order"}, false},
		{"a condition on what depends on it", func(s *shop, _ *plan.Join, _ *plan.Value, f *plan.Filter) {
			f.Cond = expression.Conjoin(f.Cond, &expression.IsNull{X: f.In.Columns()[1].Ref()})
		}, []string{"order"}, true},
		{"that condition alone", func(s *shop, _ *plan.Join, _ *plan.Value, f *plan.Filter) {
			f.Cond = &expression.IsNull{X: f.In.Columns()[1].Ref()}
		}, []string{"order", "name", "amount"}, false},
		{"joined by NULL too", func(s *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) {
			j.On = binary(expression.NotDistinct, s.lineOrder.Ref(), s.order.Ref())
		}, []string{"order", "name", "amount"}, false},
		{"not joined by the key", func(s *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) {
			j.On = equal(s.lineNumber, s.amount)
		}, []string{"order", "name", "amount"}, false},
		{"an aggregate that uses it", func(s *shop, _ *plan.Join, total *plan.Value, f *plan.Filter) {
			total.X = binary(expression.Add, total.X, f.In.Columns()[2].Ref())
		}, []string{"order", "name", "amount"}, false},
		{"what somebody wrote", func(s *shop, _ *plan.Join, _ *plan.Value, _ *plan.Filter) {
			s.orders.Table.Query = "SELECT random() AS id"
		}, []string{"order", "name", "amount"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			toOrders := &plan.Join{L: s.lines, R: s.orders, Kind: plan.Left, On: equal(s.lineOrder, s.order), ToOne: true}
			toCustomers := &plan.Join{L: toOrders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer), ToOne: true}
			order, name, amount, quantity := s.new("order"), s.new("name"), s.new("amount"), s.new("quantity")
			rows := &plan.Project{In: toCustomers, Values: []plan.Value{
				value(order, s.order.Ref()), value(name, s.name.Ref()), value(amount, s.amount.Ref()), value(quantity, s.quantity.Ref()),
			}}
			a := &plan.Aggregate{In: rows, By: key(order, name, amount), Values: []plan.Value{
				value(s.new("total"), &expression.Aggregate{Function: expression.Sum, X: quantity.Ref()}),
			}}
			f := &plan.Filter{In: a, Cond: binary(expression.Greater, a.Values[0].Ref(), expression.Int(1))}
			columns := a.Columns()
			tt.change(s, toOrders, &a.Values[0], f)
			out := plan.JoinAttributes(&s.numbers, f)
			var by []string
			for _, c := range a.Columns()[:len(a.By)] {
				by = append(by, c.Name)
			}
			if diff := cmp.Diff(tt.by, by); diff != "" {
				t.Errorf("grouped by (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(columns, out.Columns()); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if len(by) == len(columns)-1 {
				if out != f {
					t.Errorf("it became %+v", out)
				}
				return
			}
			if _, above := out.(*plan.Filter); above != tt.above {
				t.Errorf("a condition is above: %t", above)
			}
			if rows.In != toOrders {
				t.Errorf("the rows are joined with customers still")
			}
			if diff := cmp.Diff([][]int{key(order)}, out.Keys()); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}
