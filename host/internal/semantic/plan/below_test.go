package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
)

// Below leaves out what only repeats or drops rows of the same values, and nothing else.
func TestBelow(t *testing.T) {
	t.Parallel()
	s := newShop()
	n := &s.numbers
	amount := s.amount.Ref()
	// groups are the orders by a computed amount, shared.
	doubled := &plan.Project{In: s.orders}
	twice := doubled.Compute(n, "twice", sdk.TypeInt64, binary(expression.Multiply, amount, expression.Int(2)))
	buyer := doubled.Compute(n, "buyer", sdk.TypeInt64, s.buyer.Ref())
	groups := &plan.Aggregate{In: doubled, By: key(twice)}
	last := groups.Compute(n, "last", sdk.TypeInt64, &expression.Aggregate{Function: expression.Max, X: buyer.Ref()})
	shared := &plan.Shared{In: groups, Name: "by_amount"}
	positive := binary(expression.Greater, twice.Ref(), expression.Int(0))
	ranked := plan.WindowValue{Column: s.new("rank"), Function: plan.RowNumber, By: []plan.Order{{X: twice.Ref()}}}
	window := &plan.Window{In: shared, Values: []plan.WindowValue{ranked}}
	twin := &plan.Union{In: []plan.Relation{shared, plan.Renamed(n, shared, []plan.Column{twice})}}
	stacked := twin.Stack(n, "day", sdk.TypeInt64, twice, twin.In[1].Columns()[0])
	gap := &plan.Union{In: []plan.Relation{shared, shared}}
	half := gap.Stack(n, "day", sdk.TypeInt64, twice, plan.Column{})
	joined := &plan.Join{L: s.lines, R: shared, Kind: plan.Inner, On: equal(s.quantity, twice)}
	for _, tt := range []struct {
		name string
		in   plan.Relation
		of   plan.Column
		want []string // the relations below, outermost first; nil = nothing is left out
		x    string   // what the column is of the table
	}{
		{"groups by the column", shared, twice, []string{"Project", "Scan"}, "twice"},
		{"a condition on the groups", &plan.Filter{In: shared, Cond: positive}, twice, []string{"Project", "Filter", "Scan"}, "twice"},
		{"a condition on a value of the groups", &plan.Filter{In: shared, Cond: binary(expression.Greater, last.Ref(), expression.Int(0))}, twice, nil, ""},
		{"a value of the groups", shared, last, nil, ""},
		{"a column beside a window", window, twice, []string{"Project", "Scan"}, "twice"},
		{"the window", window, ranked.Column, nil, ""},
		{"the same rows twice", twin, stacked, []string{"Project", "Scan"}, "day"},
		{"rows without the column", gap, half, nil, ""},
		{"groups that are joined", joined, s.quantity, nil, ""},
		{"groups that are bounded", &plan.Sort{In: shared, Limit: 1}, twice, nil, ""},
		{"a row of all", &plan.Aggregate{In: s.orders}, s.amount, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			numbers := *n
			got, columns := plan.Below(&numbers, tt.in, []plan.Column{tt.of})
			if tt.want == nil {
				if got != tt.in || columns[0] != tt.of {
					t.Errorf("Below left something out: %T", got)
				}
				return
			}
			if diff := cmp.Diff(tt.want, operators(got)); diff != "" {
				t.Errorf("relations (-want +got):\n%s", diff)
			}
			x := got.(*plan.Project).Values[0].X
			if used := expression.Columns(x); len(used) != 1 || used[0].ID != s.amount.ID || columns[0].Name != tt.x {
				t.Errorf("the column %s is made of %s", columns[0].Name, expression.String(x))
			}
		})
	}
}

// Rules change joins in place: those of the rows below are copies.
func TestBelowCopiesJoins(t *testing.T) {
	t.Parallel()
	s := newShop()
	join := &plan.Join{L: s.orders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer), ToOne: true}
	groups := &plan.Aggregate{In: &plan.Project{In: join, Values: []plan.Value{same(s.amount), same(s.name)}}, By: key(s.amount, s.name)}
	got, _ := plan.Below(&s.numbers, groups, []plan.Column{s.name})
	below, ok := got.(*plan.Project).In.(*plan.Join)
	if !ok || below == join || below.L != join.L || below.R != join.R {
		t.Errorf("the rows are not joined by a copy: %v", operators(got))
	}
}

// operators are the names of a relation and of what is below it, along the first inputs.
func operators(r plan.Relation) (all []string) {
	for {
		switch r.(type) {
		case *plan.Project:
			all = append(all, "Project")
		case *plan.Filter:
			all = append(all, "Filter")
		case *plan.Scan:
			all = append(all, "Scan")
		case *plan.Join:
			all = append(all, "Join")
		default:
			all = append(all, "other")
		}
		in := r.Inputs()
		if len(in) == 0 {
			return all
		}
		r = in[0]
	}
}
