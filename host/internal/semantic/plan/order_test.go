package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
)

// An inner join goes before outer ones, but not before one that it reads.
func TestInnerFirst(t *testing.T) {
	t.Parallel()
	var n plan.Numbers
	home := &plan.Scan{Table: plan.Table{Name: "home"}}
	scans := map[string]*plan.Scan{}
	var r plan.Relation = home
	for _, j := range []struct {
		name, from string
		kind       plan.JoinKind
	}{{"a", "", plan.Left}, {"b", "a", plan.Left}, {"c", "", plan.Inner}, {"d", "b", plan.Inner}, {"e", "c", plan.Inner}} {
		from := home
		if j.from != "" {
			from = scans[j.from]
		}
		to := &plan.Scan{Table: plan.Table{Name: j.name}}
		scans[j.name] = to
		r = &plan.Join{L: r, R: to, Kind: j.kind, On: equals(from.Field(&n, "to_"+j.name).Ref(), to.Field(&n, "id").Ref())}
	}
	var got []string
	for r = plan.InnerFirst(r); r != plan.Relation(home); r = r.(*plan.Join).L {
		got = append([]string{r.(*plan.Join).R.(*plan.Scan).Table.Name}, got...)
	}
	if diff := cmp.Diff([]string{"c", "e", "a", "b", "d"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A join goes when nothing but its key is read, and the key is known to find one row.
func TestDropKeyJoins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		unique  [][]string
		reads   string
		filter  bool
		dropped bool
	}{
		{"the key alone", [][]string{{"id"}}, "id", false, true},
		{"no known key", nil, "id", false, false},
		{"another column", [][]string{{"id"}}, "name", false, false},
		{"the key in a filter", [][]string{{"id"}}, "id", true, false},
		{"equal to two values", [][]string{{"id"}}, "id", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n plan.Numbers
			home, to := &plan.Scan{}, &plan.Scan{Unique: tt.unique}
			from := home.Field(&n, "to")
			on := equals(from.Ref(), to.Field(&n, "id").Ref())
			if tt.name == "equal to two values" {
				on = expression.Conjoin(on, equals(home.Field(&n, "other").Ref(), to.Field(&n, "id").Ref()))
			}
			var in plan.Relation = &plan.Join{L: home, R: to, Kind: plan.Left, On: on}
			if tt.filter {
				in = &plan.Filter{In: in, Cond: &expression.IsNull{X: to.Field(&n, "id").Ref()}}
			}
			key := plan.Value{Column: n.Column("key", sdk.TypeInt64), X: to.Field(&n, tt.reads).Ref()}
			p := &plan.Project{In: in, Values: []plan.Value{key}}
			plan.DropKeyJoins(&plan.Aggregate{In: p, By: []int{key.ID}})
			if got := p.In == plan.Relation(home); got != tt.dropped {
				t.Errorf("dropped is %v", got)
			}
			if got := expression.Columns(p.Values[0].X)[0].ID == from.ID; got != tt.dropped {
				t.Errorf("the key is that of the rows: %v", got)
			}
		})
	}
}
