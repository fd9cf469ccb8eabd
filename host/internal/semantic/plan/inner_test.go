package plan_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// A filter on what an outer join brings makes it an inner one, and those that lead
// there; one that NULL passes does not.
func TestTighten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		cond   func(far expression.Node) expression.Node
		inward bool
	}{
		{"equal", func(x expression.Node) expression.Node { return equals(x, expression.Int(1)) }, true},
		{"not null", func(x expression.Node) expression.Node { return &expression.IsNull{X: x, Negated: true} }, true},
		{"null", func(x expression.Node) expression.Node { return &expression.IsNull{X: x} }, false},
		{"or", func(x expression.Node) expression.Node {
			return expression.Disjoin(equals(x, expression.Int(1)), &expression.IsNull{X: x})
		}, false},
		{"either", func(x expression.Node) expression.Node {
			return expression.Disjoin(equals(x, expression.Int(1)), expression.Conjoin(equals(x, expression.Int(2)), equals(x, expression.Int(3))))
		}, true},
		{"a default", func(x expression.Node) expression.Node {
			return equals(&expression.Call{Function: "coalesce", Args: []expression.Node{x, expression.Int(1)}}, expression.Int(1))
		}, false},
		{"null-safe", func(x expression.Node) expression.Node {
			return &expression.Binary{Op: expression.NotDistinct, Left: x, Right: expression.Null()}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n plan.Numbers
			home, near, far, beside := &plan.Scan{}, &plan.Scan{}, &plan.Scan{}, &plan.Scan{}
			join := func(l plan.Relation, from *plan.Scan, to *plan.Scan) *plan.Join {
				return &plan.Join{L: l, R: to, Kind: plan.Left, On: equals(from.Field(&n, "to").Ref(), to.Field(&n, "id").Ref())}
			}
			first := join(home, home, near)
			second := join(first, home, beside)
			third := join(second, near, far)
			plan.Tighten(third, tt.cond(far.Field(&n, "x").Ref()))
			want := plan.Left
			if tt.inward {
				want = plan.Inner
			}
			if first.Kind != want || third.Kind != want || second.Kind != plan.Left {
				t.Errorf("the joins are %v, %v and %v", first.Kind, second.Kind, third.Kind)
			}
		})
	}
}

// A join in which each row has a partner is an inner one, without any condition, unless an outer
// join before it may have found no row.
func TestTightenTotal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		near, far     bool
		kind          plan.JoinKind // of the join to near
		toNear, toFar plan.JoinKind
	}{
		{"neither", false, false, plan.Left, plan.Left, plan.Left},
		{"both", true, true, plan.Left, plan.Inner, plan.Inner},
		{"the first", true, false, plan.Left, plan.Inner, plan.Left},
		{"the second, of rows that may be missing", false, true, plan.Left, plan.Left, plan.Left},
		{"the second, of rows that are there", false, true, plan.Inner, plan.Inner, plan.Inner},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			near := &plan.Join{L: s.lines, R: s.orders, Kind: tt.kind, On: equal(s.lineOrder, s.order), Total: tt.near}
			far := &plan.Join{L: near, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer), Total: tt.far}
			plan.Tighten(far, nil)
			if near.Kind != tt.toNear || far.Kind != tt.toFar {
				t.Errorf("the joins are %v and %v", near.Kind, far.Kind)
			}
			if far.Total && far.Kind != plan.Inner {
				t.Error("a join after one that may find nothing is still said to be total")
			}
		})
	}
}

func equals(a, b expression.Node) expression.Node {
	return &expression.Binary{Op: expression.Equal, Left: a, Right: b}
}
