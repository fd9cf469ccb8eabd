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

// Where each row has one partner in each table, each sum is a group: the condition is on the sums,
// nothing is grouped again, and values that could not be added up are computed early too.
func TestAggregateEarlyTotal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		function  expression.AggregateFunction
		change    func(toOrders, toCustomers *plan.Join, a *plan.Aggregate)
		each, any bool
	}{
		{"a sum", expression.Sum, nil, true, true},
		{"a mean", expression.Avg, nil, true, true},
		{"distinct values", expression.CountDistinct, nil, true, true},
		{"rows may have no partner", expression.Sum, func(toOrders, _ *plan.Join, _ *plan.Aggregate) { toOrders.Total = false }, false, true},
		{"a mean of rows that may have none", expression.Avg, func(toOrders, _ *plan.Join, _ *plan.Aggregate) { toOrders.Total = false }, false, false},
		{"an attribute of rows that may be missing", expression.Sum, func(_, toCustomers *plan.Join, _ *plan.Aggregate) { toCustomers.Total = false }, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			s.lines.Unique = nil
			toOrders := &plan.Join{L: s.lines, R: s.orders, Kind: plan.Left, On: whole(s.lineOrder, s.order), ToOne: true, Total: true}
			toCustomers := &plan.Join{L: toOrders, R: s.customers, Kind: plan.Left, On: whole(s.buyer, s.customer), ToOne: true, Total: true}
			order, name, number, quantity := s.new("order"), s.new("name"), s.new("number"), s.new("quantity")
			a := &plan.Aggregate{
				In: &plan.Project{In: toCustomers, Values: []plan.Value{
					value(order, s.order.Ref()), value(name, s.name.Ref()), value(number, s.lineNumber.Ref()), value(quantity, s.quantity.Ref()),
				}},
				By:     key(order, name, number),
				Values: []plan.Value{value(s.new("total"), &expression.Aggregate{Function: tt.function, X: quantity.Ref()})},
			}
			if tt.change != nil {
				tt.change(toOrders, toCustomers, a)
			}
			plan.Tighten(toCustomers, nil)
			cond, columns := binary(expression.Greater, a.Values[0].Ref(), expression.Int(1)), a.Columns()
			out := plan.AggregateEarly(&s.numbers, a, cond)
			if (out != nil) != tt.any {
				t.Fatalf("it became %+v", out)
			}
			if out == nil {
				return
			}
			if diff := cmp.Diff(columns, out.Columns()); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			customers := out.(*plan.Project).In.(*plan.Join)
			kept := customers.L.(*plan.Join).L.(*plan.Filter)
			sums := kept.In.(*plan.Aggregate)
			if each := sums.In.(*plan.Project).In == plan.Relation(s.lines); each != tt.each {
				t.Fatalf("each sum is a group: %t", each)
			}
			if tt.each && (customers.Kind != plan.Inner || len(sums.By) != 2 || kept.Cond != cond) {
				t.Errorf("sums are by %v, with %s, with the join %v", sums.By, expression.String(kept.Cond), customers.Kind)
			}
		})
	}
}

// A declared key that is a part of the key which the engine enforces makes no group of each sum.
func TestAggregateEarlyByDeclaredKey(t *testing.T) {
	t.Parallel()
	s := newShop()
	stock := &plan.Scan{Table: plan.Table{Name: "stock"}, Unique: [][]string{{"maker"}}}
	maker, part := stock.Field(&s.numbers, "maker"), stock.Field(&s.numbers, "part")
	s.lines.Unique = nil
	j := &plan.Join{L: s.lines, R: stock, On: expression.Conjoin(whole(s.lineOrder, maker), whole(s.lineNumber, part)), ToOne: true, Total: true}
	group, quantity := s.new("maker"), s.new("quantity")
	a := &plan.Aggregate{
		In: &plan.Project{In: j, Values: []plan.Value{value(group, maker.Ref()), value(quantity, s.quantity.Ref())}},
		By: key(group), Values: []plan.Value{value(s.new("total"), &expression.Aggregate{Function: expression.Sum, X: quantity.Ref()})},
	}
	if out, ok := plan.AggregateEarly(&s.numbers, a, nil).(*plan.Aggregate); !ok || len(out.By) != 1 {
		t.Errorf("it became %+v", out)
	}
}

// whole equates columns of whole numbers.
func whole(l, r plan.Column) expression.Node {
	return binary(expression.Equal, expression.NewColumn(l.ID, sdk.TypeInt64), expression.NewColumn(r.ID, sdk.TypeInt64))
}
