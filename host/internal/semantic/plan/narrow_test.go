package plan_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// Groups per row of a table are made of the rows that a filter on the table leaves,
// unless somebody else reads them or the columns are no key of it.
func TestNarrowEntities(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		unique   [][]string
		cond     func(segment, amount expression.Node) expression.Node
		twice    bool
		narrowed bool
	}{
		{"of the table alone", [][]string{{"id"}}, func(s, _ expression.Node) expression.Node { return equals(s, expression.Text("a")) }, false, true},
		{"of another one too", [][]string{{"id"}}, func(s, a expression.Node) expression.Node {
			return expression.Disjoin(equals(s, expression.Text("a")), equals(a, expression.Int(1)))
		}, false, false},
		{"of another one beside", [][]string{{"id"}}, func(s, a expression.Node) expression.Node {
			return expression.Conjoin(equals(s, expression.Text("a")), equals(a, expression.Int(1)))
		}, false, true},
		{"no key", nil, func(s, _ expression.Node) expression.Node { return equals(s, expression.Text("a")) }, false, false},
		{"two read the groups", [][]string{{"id"}}, func(s, _ expression.Node) expression.Node { return equals(s, expression.Text("a")) }, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var n plan.Numbers
			customers, orders, inner := &plan.Scan{Unique: tt.unique}, &plan.Scan{}, &plan.Scan{}
			id, segment := customers.Field(&n, "id"), customers.Field(&n, "segment")
			group := plan.Value{Column: n.Column("id", 0), X: inner.Field(&n, "customer_id").Ref()}
			rows := &plan.Project{In: inner, Values: []plan.Value{group}}
			groups := &plan.Shared{In: &plan.Aggregate{In: rows, By: []int{group.ID}}}
			joined := &plan.Join{L: orders, R: customers, Kind: plan.Left, On: equals(orders.Field(&n, "customer_id").Ref(), id.Ref()), ToOne: true}
			top := plan.Relation(&plan.Filter{
				In:   &plan.Join{L: joined, R: groups, Kind: plan.Left, On: equals(group.Ref(), id.Ref())},
				Cond: tt.cond(segment.Ref(), orders.Field(&n, "amount").Ref()),
			})
			if tt.twice {
				top = &plan.Union{In: []plan.Relation{top, groups}}
			}
			plan.NarrowEntities(&n, top)
			f, narrowed := rows.In.(*plan.Filter)
			if narrowed != tt.narrowed {
				t.Fatalf("narrowed is %t", narrowed)
			}
			if !narrowed {
				return
			}
			j := f.In.(*plan.Join)
			if j.Kind != plan.Inner || j.L != inner || plan.Multiplies(j.R, j.Fixed()) {
				t.Errorf("joined by %+v", j)
			}
		})
	}
}
