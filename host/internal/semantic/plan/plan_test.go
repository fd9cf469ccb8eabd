package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// shop is orders (key id) of customers (key id), with lines (key order_id, number).
type shop struct {
	numbers                                    plan.Numbers
	orders, customers, lines                   *plan.Scan
	order, buyer, amount, customer, name       plan.Column
	lineOrder, lineNumber, quantity, unrelated plan.Column
}

func newShop() *shop {
	s := &shop{
		orders:    &plan.Scan{Table: plan.Table{Name: "orders"}, Unique: [][]string{{"id"}}},
		customers: &plan.Scan{Table: plan.Table{Name: "customers"}, Unique: [][]string{{"id"}, {"name"}}},
		lines:     &plan.Scan{Table: plan.Table{Name: "lines"}, Unique: [][]string{{"order_id", "number"}}},
	}
	n := &s.numbers
	s.order, s.buyer, s.amount = s.orders.Field(n, "id"), s.orders.Field(n, "customer_id"), s.orders.Field(n, "amount")
	s.customer, s.name = s.customers.Field(n, "id"), s.customers.Field(n, "name")
	s.lineOrder, s.lineNumber, s.quantity = s.lines.Field(n, "order_id"), s.lines.Field(n, "number"), s.lines.Field(n, "quantity")
	s.unrelated = n.Column("unrelated", sdk.TypeBool)
	return s
}

func (s *shop) new(name string) plan.Column { return s.numbers.Column(name, sdk.TypeInt64) }

func binary(op expression.BinaryOp, l, r expression.Node) expression.Node {
	return &expression.Binary{Op: op, Left: l, Right: r}
}

func equal(l, r plan.Column) expression.Node { return binary(expression.Equal, l.Ref(), r.Ref()) }

func value(c plan.Column, x expression.Node) plan.Value { return plan.Value{Column: c, X: x} }

func same(c plan.Column) plan.Value { return value(c, c.Ref()) }

// key is a set of columns by their numbers.
func key(columns ...plan.Column) []int {
	all := []int{}
	for _, c := range columns {
		all = append(all, c.ID)
	}
	return all
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := newShop()
	filtered := &plan.Filter{In: s.customers, Cond: binary(expression.Greater, s.name.Ref(), expression.Text("a"))}
	perBuyer := s.new("buyer")
	one := &plan.Aggregate{In: s.orders}
	renamed, twice := s.new("renamed"), s.new("twice")
	bare := &plan.Scan{Table: plan.Table{Name: "bare"}}
	note := bare.Field(&s.numbers, "note")
	cases := []struct {
		name string
		in   plan.Relation
		want [][]int
	}{
		{"a scan has its known keys", s.customers, [][]int{key(s.customer), key(s.name)}},
		{"a scan has a composite key", s.lines, [][]int{key(s.lineOrder, s.lineNumber)}},
		{"a scan does not have a key that it reads a part of",
			&plan.Scan{Fields: []plan.Field{{Column: s.lineOrder, Physical: "order_id"}}, Unique: [][]string{{"order_id", "number"}}}, nil},
		{"a scan without a known key", bare, nil},

		{"a filter keeps", filtered, [][]int{key(s.customer), key(s.name)}},
		{"a sort keeps", &plan.Sort{In: s.orders, By: []plan.Order{{X: s.amount.Ref()}}, Limit: 3}, [][]int{key(s.order)}},
		{"a window keeps", &plan.Window{In: s.orders, Values: []plan.WindowValue{{Column: renamed, Function: plan.RowNumber}}}, [][]int{key(s.order)}},
		{"a shared relation keeps", &plan.Shared{In: s.lines, Name: "l"}, [][]int{key(s.lineOrder, s.lineNumber)}},

		{"an inner join to a key", &plan.Join{L: s.orders, R: s.customers, On: equal(s.buyer, s.customer)}, [][]int{key(s.order)}},
		{"a left join to a key", &plan.Join{L: s.orders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer)}, [][]int{key(s.order)}},
		{"the key on the left of the comparison", &plan.Join{L: s.orders, R: s.customers, On: equal(s.customer, s.buyer)}, [][]int{key(s.order)}},
		{"NULL-safe", &plan.Join{L: s.orders, R: s.customers, On: binary(expression.NotDistinct, s.buyer.Ref(), s.customer.Ref())}, [][]int{key(s.order)}},
		{"to a computed value of the left", &plan.Join{L: s.orders, R: s.customers,
			On: binary(expression.Equal, s.customer.Ref(), binary(expression.Add, s.buyer.Ref(), expression.Int(1)))}, [][]int{key(s.order)}},
		{"to a constant", &plan.Join{L: s.orders, R: s.customers, On: binary(expression.Equal, s.customer.Ref(), expression.Int(1))}, [][]int{key(s.order)}},
		{"to a key beside other terms", &plan.Join{L: s.orders, R: s.customers,
			On: expression.Conjoin(binary(expression.Greater, s.amount.Ref(), expression.Int(1)), equal(s.buyer, s.customer))}, [][]int{key(s.order)}},
		{"to a key of filtered rows", &plan.Join{L: s.orders, R: filtered, On: equal(s.buyer, s.customer)}, [][]int{key(s.order)}},
		{"to all of a composite key", &plan.Join{L: s.orders, R: s.lines,
			On: expression.Conjoin(equal(s.lineOrder, s.order), binary(expression.Equal, s.lineNumber.Ref(), expression.Int(1)))}, [][]int{key(s.order)}},
		{"to groups by what they are grouped by", &plan.Join{L: s.customers, R: groups(s, perBuyer), Kind: plan.Left, On: equal(perBuyer, s.customer)},
			[][]int{key(s.customer), key(s.name)}},
		{"as declared, without a known key", &plan.Join{L: s.orders, R: bare, Kind: plan.Left, On: equal(s.amount, note), ToOne: true}, [][]int{key(s.order)}},
		{"to one row", &plan.Join{L: s.orders, R: one, Kind: plan.Cross}, [][]int{key(s.order)}},

		{"to a part of a composite key gives pairs", &plan.Join{L: s.orders, R: s.lines, On: equal(s.lineOrder, s.order)},
			[][]int{key(s.order, s.lineOrder, s.lineNumber)}},
		{"a left join to many gives pairs", &plan.Join{L: s.customers, R: s.orders, Kind: plan.Left, On: equal(s.customer, s.buyer)},
			[][]int{key(s.customer, s.order), key(s.name, s.order)}},
		{"a range gives pairs", &plan.Join{L: s.orders, R: s.customers, On: binary(expression.Less, s.customer.Ref(), s.buyer.Ref())},
			[][]int{key(s.order, s.customer), key(s.order, s.name)}},
		{"a key that equals one of two gives pairs", &plan.Join{L: s.orders, R: s.customers,
			On: expression.Disjoin(equal(s.buyer, s.customer), equal(s.amount, s.customer))}, [][]int{key(s.order, s.customer), key(s.order, s.name)}},
		{"a key that equals a value of its own row gives pairs", &plan.Join{L: s.orders, R: s.customers, On: equal(s.customer, s.name)},
			[][]int{key(s.order, s.customer), key(s.order, s.name)}},
		{"every row with every row gives pairs", &plan.Join{L: s.orders, R: s.lines, Kind: plan.Cross}, [][]int{key(s.order, s.lineOrder, s.lineNumber)}},
		{"one row with many has their keys", &plan.Join{L: one, R: s.orders, Kind: plan.Cross}, [][]int{key(s.order)}},
		{"to many without a known key", &plan.Join{L: s.orders, R: bare, On: equal(s.amount, note)}, nil},
		{"of rows without a known key", &plan.Join{L: bare, R: s.orders, On: equal(s.amount, note)}, nil},
		{"a mark keeps", &plan.Join{L: s.orders, R: s.lines, Kind: plan.Mark, On: equal(s.order, s.lineOrder), Mark: s.unrelated}, [][]int{key(s.order)}},

		{"a projection renames", &plan.Project{In: s.orders, Values: []plan.Value{value(renamed, s.order.Ref()), same(s.amount)}}, [][]int{key(renamed)}},
		{"a projection drops the key whose column is gone", &plan.Project{In: s.customers, Values: []plan.Value{same(s.customer)}}, [][]int{key(s.customer)}},
		{"a projection drops a composite key with one column of it", &plan.Project{In: s.lines, Values: []plan.Value{same(s.lineOrder)}}, nil},
		{"a computed key is none", &plan.Project{In: s.orders, Values: []plan.Value{value(renamed, binary(expression.Divide, s.order.Ref(), expression.Int(2)))}}, nil},
		{"a projection of one row is one row", &plan.Project{In: one, Values: []plan.Value{value(renamed, expression.Int(1))}}, [][]int{key()}},
		{"distinct rows have all columns", &plan.Project{In: bare, Distinct: true, Values: []plan.Value{same(note), value(twice, note.Ref())}}, [][]int{key(note, twice)}},
		{"distinct rows keep too", &plan.Project{In: s.orders, Distinct: true, Values: []plan.Value{same(s.order), same(s.amount)}},
			[][]int{key(s.order), key(s.order, s.amount)}},
		{"distinct rows without columns are one", &plan.Project{In: bare, Distinct: true}, [][]int{key()}},

		{"groups have what they are grouped by", &plan.Aggregate{In: s.lines, By: key(s.quantity, s.lineOrder)}, [][]int{key(s.quantity, s.lineOrder)}},
		{"all rows are one group", one, [][]int{key()}},
		{"a union has none", &plan.Union{In: []plan.Relation{s.orders, s.customers}, Out: []plan.UnionColumn{{Column: renamed, From: key(s.order, s.customer)}}}, nil},
		{"a spine has its period", &plan.Spine{Out: renamed, Grain: dialect.Month, From: expression.Text("a"), To: expression.Text("b")}, [][]int{key(renamed)}},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.in.Keys(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := tt.in.Keys(); (got == nil) != (tt.want == nil) {
				t.Errorf("a key is known: %t, not %t", got != nil, tt.want != nil)
			}
			columns := key(tt.in.Columns()...)
			for _, k := range tt.in.Keys() {
				for _, id := range k {
					if !cmp.Equal(1, count(columns, id)) {
						t.Errorf("the key %v is not of the columns %v", k, columns)
					}
				}
			}
		})
	}
}

// groups are orders by customer, under another number.
func groups(s *shop, out plan.Column) plan.Relation {
	return &plan.Project{In: &plan.Aggregate{In: s.orders, By: key(s.buyer)}, Values: []plan.Value{value(out, s.buyer.Ref())}}
}

func count(all []int, id int) (n int) {
	for _, other := range all {
		if other == id {
			n++
		}
	}
	return n
}

func TestMultiplies(t *testing.T) {
	t.Parallel()
	s := newShop()
	bare := &plan.Scan{}
	note := bare.Field(&s.numbers, "note")
	related := &plan.Join{L: s.orders, R: s.lines, On: equal(s.order, s.lineOrder)}
	cases := []struct {
		name    string
		in      plan.Relation
		columns []int
		want    bool
	}{
		{"a key", s.orders, key(s.order), false},
		{"more than a key", s.orders, key(s.amount, s.order), false},
		{"another key", s.customers, key(s.name), false},
		{"no key", s.orders, key(s.amount, s.buyer), true},
		{"a part of a composite key", s.lines, key(s.lineOrder), true},
		{"all of a composite key in another order", s.lines, key(s.lineNumber, s.lineOrder), false},
		{"no column of many rows", s.orders, nil, true},
		{"no column of one row", &plan.Aggregate{In: s.orders}, nil, false},
		{"rows without a known key", bare, key(note), true},
		{"the home's key after a join to many", related, key(s.order), true},
		{"the pair after a join to many", related, key(s.order, s.lineOrder, s.lineNumber), false},
		{"the home's key after a join to one", &plan.Join{L: s.orders, R: s.customers, On: equal(s.buyer, s.customer)}, key(s.order), false},
		{"the key of the other side of a join to one", &plan.Join{L: s.orders, R: s.customers, On: equal(s.buyer, s.customer)}, key(s.customer), true},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plan.Multiplies(tt.in, tt.columns); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	s := newShop()
	added := s.new("added")
	cases := []struct {
		name string
		in   plan.Relation
		want []int
	}{
		{"a join has both sides", &plan.Join{L: s.orders, R: s.customers, On: equal(s.buyer, s.customer)}, key(s.order, s.buyer, s.amount, s.customer, s.name)},
		{"a mark has the left side and itself", &plan.Join{L: s.orders, R: s.customers, Kind: plan.Mark, On: equal(s.buyer, s.customer), Mark: s.unrelated},
			key(s.order, s.buyer, s.amount, s.unrelated)},
		{"a projection has its values alone", &plan.Project{In: s.orders, Values: []plan.Value{value(added, s.order.Ref())}}, key(added)},
		{"groups have their keys in the given order and the values", &plan.Aggregate{In: s.orders, By: key(s.amount, s.buyer),
			Values: []plan.Value{value(added, &expression.Aggregate{Function: expression.Count})}}, key(s.amount, s.buyer, added)},
		{"a window adds", &plan.Window{In: s.customers, Values: []plan.WindowValue{{Column: added, Function: plan.RowNumber}}}, key(s.customer, s.name, added)},
		{"a union has its own", &plan.Union{In: []plan.Relation{s.orders}, Out: []plan.UnionColumn{{Column: added, From: key(s.order)}}}, key(added)},
		{"a filter, a sort and a name change nothing",
			&plan.Sort{In: &plan.Filter{In: &plan.Shared{In: s.customers}, Cond: s.unrelated.Ref()}}, key(s.customer, s.name)},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, key(tt.in.Columns()...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A field has one column however often it is asked for.
func TestField(t *testing.T) {
	t.Parallel()
	s := newShop()
	if again := s.orders.Field(&s.numbers, "amount"); again != s.amount || len(s.orders.Fields) != 3 {
		t.Errorf("a second column %v in %d fields", again, len(s.orders.Fields))
	}
	if other := s.orders.Field(&s.numbers, "AMOUNT"); other.ID == s.amount.ID {
		t.Error("a name in another case is not another column")
	}
}
