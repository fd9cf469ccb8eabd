package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
)

// Values are added up before a table is joined where whole numbers that are its key join
// it, only groups need it, and the values and the condition are of sums. Its other columns
// are joined to the groups that the condition leaves.
func TestAggregateEarly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(s *shop, toOrders *plan.Join, total *plan.Value, f *plan.Filter)
		early  bool
	}{
		{"by the key", func(*shop, *plan.Join, *plan.Value, *plan.Filter) {}, true},
		{"counts", func(_ *shop, _ *plan.Join, total *plan.Value, _ *plan.Filter) {
			total.X.(*expression.Aggregate).Function = expression.Count
		}, true},
		{"a condition on rows", func(s *shop, _ *plan.Join, _ *plan.Value, f *plan.Filter) {
			p := f.In.(*plan.Aggregate).In.(*plan.Project)
			p.In = &plan.Filter{In: p.In, Cond: &expression.IsNull{X: s.quantity.Ref(), Negated: true}}
		}, true},
		{"a condition on the table", func(s *shop, _ *plan.Join, _ *plan.Value, f *plan.Filter) {
			p := f.In.(*plan.Aggregate).In.(*plan.Project)
			p.In = &plan.Filter{In: p.In, Cond: &expression.IsNull{X: s.amount.Ref(), Negated: true}}
		}, false},
		{"a condition on a group's key", func(s *shop, _ *plan.Join, _ *plan.Value, f *plan.Filter) {
			f.Cond = expression.Conjoin(f.Cond, &expression.IsNull{X: f.In.Columns()[1].Ref()})
		}, false},
		{"distinct values", func(_ *shop, _ *plan.Join, total *plan.Value, _ *plan.Filter) {
			total.X.(*expression.Aggregate).Function = expression.CountDistinct
		}, false},
		{"a mean", func(_ *shop, _ *plan.Join, total *plan.Value, _ *plan.Filter) {
			total.X.(*expression.Aggregate).Function = expression.Avg
		}, false},
		{"a value of the table", func(s *shop, _ *plan.Join, total *plan.Value, f *plan.Filter) {
			p := f.In.(*plan.Aggregate).In.(*plan.Project)
			p.Values[3].X = s.amount.Ref()
		}, false},
		{"joined by texts", func(s *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) {
			j.On = binary(expression.Equal, expression.NewColumn(s.lineOrder.ID, sdk.TypeText), expression.NewColumn(s.order.ID, sdk.TypeText))
		}, false},
		{"joined by NULL too", func(s *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) {
			j.On.(*expression.Binary).Op = expression.NotDistinct
		}, false},
		{"not joined by the key", func(s *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) { j.On = whole(s.lineNumber, s.amount) }, false},
		{"rows without a partner are left out", func(_ *shop, j *plan.Join, _ *plan.Value, _ *plan.Filter) { j.Kind = plan.Inner }, false},
		{"each row is a group", func(s *shop, _ *plan.Join, _ *plan.Value, _ *plan.Filter) {
			s.lines.Unique = [][]string{{"order_id", "number"}}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			s.lines.Unique = nil
			toOrders := &plan.Join{L: s.lines, R: s.orders, Kind: plan.Left, On: whole(s.lineOrder, s.order), ToOne: true}
			toCustomers := &plan.Join{L: toOrders, R: s.customers, Kind: plan.Left, On: whole(s.buyer, s.customer), ToOne: true}
			order, name, number, quantity := s.new("order"), s.new("name"), s.new("number"), s.new("quantity")
			rows := &plan.Project{In: toCustomers, Values: []plan.Value{
				value(order, s.order.Ref()), value(name, s.name.Ref()), value(number, s.lineNumber.Ref()), value(quantity, s.quantity.Ref()),
			}}
			a := &plan.Aggregate{In: rows, By: key(order, name, number), Values: []plan.Value{
				value(s.new("total"), &expression.Aggregate{Function: expression.Sum, X: quantity.Ref()}),
			}}
			f := &plan.Filter{In: a, Cond: binary(expression.Greater, a.Values[0].Ref(), expression.Int(1))}
			columns := a.Columns()
			tt.change(s, toOrders, &a.Values[0], f)
			out := plan.AggregateEarly(&s.numbers, a, f.Cond)
			if !tt.early {
				if out != nil || rows.In != plan.Relation(toCustomers) && rows.In.(*plan.Filter).In != plan.Relation(toCustomers) ||
					toCustomers.L != plan.Relation(toOrders) || toOrders.L != plan.Relation(s.lines) {
					t.Errorf("it became %+v", out)
				}
				return
			}
			if out == nil {
				t.Fatal("it did not change")
			}
			if diff := cmp.Diff(columns, out.Columns()); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			groups := out.(*plan.Project).In.(*plan.Join).L.(*plan.Join).L.(*plan.Filter)
			if diff := cmp.Diff(f.Cond, groups.Cond, cmp.Comparer(func(a, b expression.Node) bool { return expression.String(a) == expression.String(b) })); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
			kept := groups.In.(*plan.Aggregate).In.(*plan.Project).In.(*plan.Filter)
			either, ok := kept.Cond.(*expression.Logic)
			if !ok || either.Op != expression.Or || expression.Columns(either.Terms[1])[0].ID != s.order.ID {
				t.Errorf("of the sums, %s are kept", expression.String(kept.Cond))
			}
			sums := kept.In.(*plan.Join).L.(*plan.Aggregate)
			if len(sums.By) != 2 || plan.Multiplies(sums, sums.By) {
				t.Errorf("sums are by %v", sums.By)
			}
		})
	}
}

// Without a condition all sums are joined, with all columns of the table.
func TestAggregateEarlyWithoutCondition(t *testing.T) {
	t.Parallel()
	s := newShop()
	order, amount, quantity := s.new("order"), s.new("amount"), s.new("quantity")
	a := &plan.Aggregate{
		In: &plan.Project{
			In:     &plan.Join{L: s.lines, R: s.orders, Kind: plan.Left, On: whole(s.lineOrder, s.order), ToOne: true},
			Values: []plan.Value{value(order, s.order.Ref()), value(amount, s.amount.Ref()), value(quantity, s.quantity.Ref())},
		},
		By:     key(order, amount),
		Values: []plan.Value{value(s.new("total"), &expression.Aggregate{Function: expression.Sum, X: quantity.Ref()})},
	}
	columns := a.Columns()
	out, ok := plan.AggregateEarly(&s.numbers, a, nil).(*plan.Aggregate)
	if !ok {
		t.Fatal("it did not change")
	}
	if diff := cmp.Diff(columns, out.Columns()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	sums := out.In.(*plan.Project).In.(*plan.Join).L.(*plan.Aggregate)
	if len(sums.By) != 1 || sums.In.(*plan.Project).In != plan.Relation(s.lines) {
		t.Errorf("sums are by %v of %+v", sums.By, sums.In)
	}
}

// whole equates columns of whole numbers.
func whole(l, r plan.Column) expression.Node {
	return binary(expression.Equal, expression.NewColumn(l.ID, sdk.TypeInt64), expression.NewColumn(r.ID, sdk.TypeInt64))
}
