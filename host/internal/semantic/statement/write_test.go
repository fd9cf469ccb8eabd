package statement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// form counts what a statement is made of.
type form struct{ Selects, CTEs, Joins int }

func formOf(t *testing.T, name, text string) form {
	t.Helper()
	tokens, err := engine(t, name).Tokens(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var f form
	for _, token := range tokens {
		switch {
		case token.IsWord(text, "SELECT"):
			f.Selects++
		case token.IsWord(text, "JOIN"):
			f.Joins++
		}
	}
	f.CTEs = strings.Count(text, " AS (\n")
	return f
}

// Each plan has the rows of its meaning, and no more SELECTs than it needs.
func TestRelations(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		plan func(*shop) plan.Relation
		form form
		rows string
	}{
		{"filter, groups, filter, order and bounds are one SELECT", func(s *shop) plan.Relation {
			grouped := where(s.perStatus(where(s.orders, above(s.amount, 10))), above(s.count, 0))
			return project(&plan.Sort{In: project(grouped, same(s.status, s.total)...), By: []plan.Order{{X: s.total.Ref(), Desc: true}}, Limit: 2}, same(s.status, s.total)...)
		}, form{Selects: 1}, "status total\npaid 130\nopen 50"},
		{"groups of groups are a subquery", func(s *shop) plan.Relation {
			outer := s.value("most", &expression.Aggregate{Function: expression.Max, X: s.total.Ref()})
			return &plan.Aggregate{In: s.perStatus(s.orders), Values: []plan.Value{outer}}
		}, form{Selects: 2}, "most\n137"},
		{"a condition on a computed value of groups is in HAVING", func(s *shop) plan.Relation {
			double := s.value("double", binary(expression.Multiply, s.total.Ref(), expression.Int(2)))
			return sorted(where(project(s.perStatus(s.orders), append(same(s.status), double)...), above(double.Column, 99)), s.status)
		}, form{Selects: 1}, "status double\nopen 100\npaid 274"},
		{"a condition on a window is a subquery", func(s *shop) plan.Relation {
			number := plan.WindowValue{Column: s.numbers.Column("number", sdk.TypeInt64), Function: plan.RowNumber,
				Partition: []expression.Node{s.status.Ref()}, By: []plan.Order{{X: s.amount.Ref(), Desc: true}}}
			w := &plan.Window{In: s.orders, Values: []plan.WindowValue{number}}
			return sorted(project(where(w, binary(expression.Equal, number.Ref(), expression.Int(1))), same(s.id)...), s.id)
		}, form{Selects: 2}, "id\n1\n2\n4"},
		{"a window that nobody reads is not written", func(s *shop) plan.Relation {
			number := plan.WindowValue{Column: s.numbers.Column("number", sdk.TypeInt64), Function: plan.RowNumber}
			return s.perStatus(where(&plan.Window{In: s.orders, Values: []plan.WindowValue{number}}, above(s.amount, 20)))
		}, form{Selects: 1}, "status n total\nopen 1 50\npaid 2 130"},
		{"distinct rows are grouped in a subquery", func(s *shop) plan.Relation {
			distinct := &plan.Project{In: s.orders, Values: same(s.status), Distinct: true}
			return &plan.Aggregate{In: distinct, Values: []plan.Value{s.counted}}
		}, form{Selects: 2}, "n\n3"},
		{"groups are distinct rows in a subquery", func(s *shop) plan.Relation {
			distinct := &plan.Project{In: s.perStatus(where(s.orders, above(s.amount, 40))), Values: same(s.count), Distinct: true}
			return distinct
		}, form{Selects: 2}, "n\n1"},
		{"a condition on bounded rows is a subquery", func(s *shop) plan.Relation {
			first := sorted(s.orders, s.id)
			first.Limit = 2
			return project(where(first, binary(expression.Equal, s.status.Ref(), expression.Text("paid"))), same(s.id)...)
		}, form{Selects: 2}, "id\n1"},
		{"a shared relation that is read twice is one CTE", func(s *shop) plan.Relation {
			shared := &plan.Shared{In: s.perStatus(s.orders), Name: "by_status"}
			all := &plan.Aggregate{In: shared, Values: []plan.Value{s.agg(expression.Sum, s.total, "all")}}
			return sorted(&plan.Join{L: project(shared, same(s.status, s.total)...), R: all, Kind: plan.Cross}, s.status)
		}, form{Selects: 3, CTEs: 1, Joins: 1}, "status total all\nopen 50 207\npaid 137 207\n- 20 207"},
		{"a shared relation that reads another follows it", func(s *shop) plan.Relation {
			inner := &plan.Shared{In: s.perStatus(s.orders), Name: "inner"}
			outer := &plan.Shared{In: where(inner, above(s.count, 1)), Name: "outer"}
			most := s.agg(expression.Max, s.total, "most")
			return project(&plan.Join{L: outer, R: &plan.Aggregate{In: inner, Values: []plan.Value{most}}, Kind: plan.Cross}, same(s.status, most.Column)...)
		}, form{Selects: 4, CTEs: 2, Joins: 1}, "status most\npaid 137"},
		{"a join to a table is in the same SELECT", func(s *shop) plan.Relation {
			j := &plan.Join{L: s.orders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer)}
			return sorted(&plan.Aggregate{In: j, By: []int{s.name.ID}, Values: []plan.Value{s.summed}}, s.name)
		}, form{Selects: 1, Joins: 1}, "name total\nann 150\nbob 30\n- 27"},
		{"an inner join to filtered rows is in the same SELECT", func(s *shop) plan.Relation {
			j := &plan.Join{L: s.orders, R: where(s.customers, above(s.customer, 1)), On: equal(s.buyer, s.customer)}
			return project(j, same(s.id, s.name)...)
		}, form{Selects: 1, Joins: 1}, "id name\n3 bob"},
		{"a left join to filtered rows is a subquery", func(s *shop) plan.Relation {
			j := &plan.Join{L: s.orders, R: where(s.customers, above(s.customer, 1)), Kind: plan.Left, On: equal(s.buyer, s.customer)}
			return sorted(project(j, same(s.id, s.name)...), s.id)
		}, form{Selects: 2, Joins: 1}, "id name\n1 -\n2 -\n3 bob\n4 -\n5 -"},
		{"a left join to computed values is a subquery, for they are NULL without a partner", func(s *shop) plan.Relation {
			known := s.value("known", expression.Int(1))
			j := &plan.Join{L: s.orders, R: project(s.customers, append(same(s.customer), known)...), Kind: plan.Left, On: equal(s.buyer, s.customer)}
			return sorted(project(j, append(same(s.id), plan.Value{Column: known.Column, X: known.Ref()})...), s.id)
		}, form{Selects: 2, Joins: 1}, "id known\n1 1\n2 1\n3 1\n4 -\n5 -"},
		{"a left join to joined rows is a subquery", func(s *shop) plan.Relation {
			right := &plan.Join{L: s.customers, R: where(s.orders, above(s.amount, 40)), On: equal(s.buyer, s.customer)}
			list := &plan.Scan{Table: plan.Table{Name: "list", Query: "SELECT 1 AS id UNION ALL SELECT 2"}}
			id := list.Field(&s.numbers, "id")
			j := &plan.Join{L: list, R: project(right, same(s.customer, s.amount)...), Kind: plan.Left, On: equal(id, s.customer)}
			return sorted(project(j, same(id, s.amount)...), id, s.amount)
		}, form{Selects: 4, Joins: 2}, "id amount\n1 50\n1 100\n2 -"},
		{"a condition before an outer join is one on its rows", func(s *shop) plan.Relation {
			j := &plan.Join{L: where(s.customers, above(s.customer, 1)), R: s.orders, Kind: plan.Left, On: equal(s.buyer, s.customer)}
			return sorted(project(j, same(s.name, s.amount)...), s.name)
		}, form{Selects: 1, Joins: 1}, "name amount\nbob 30\ncem -"},
		{"a mark is an EXISTS, also beside its opposite", func(s *shop) plan.Relation {
			mark := s.numbers.Column("related", sdk.TypeBool)
			ref := expression.NewColumn(mark.ID, sdk.TypeBool)
			ref.Condition = true
			j := &plan.Join{L: s.customers, R: where(s.orders, above(s.amount, 40)), Kind: plan.Mark, On: equal(s.buyer, s.customer), Mark: mark}
			return sorted(project(where(j, &expression.Unary{Op: expression.Not, X: ref}), same(s.name)...), s.name)
		}, form{Selects: 2}, "name\nbob\ncem"},
		{"groups by a mark are a subquery", func(s *shop) plan.Relation {
			mark := s.numbers.Column("related", sdk.TypeBool)
			ref := expression.NewColumn(mark.ID, sdk.TypeBool)
			ref.Condition = true
			related := s.value("related", &expression.Case{Whens: []expression.When{{Condition: ref, Result: expression.Int(1)}}, Else: expression.Int(0)})
			j := &plan.Join{L: s.customers, R: s.orders, Kind: plan.Mark, On: equal(s.buyer, s.customer), Mark: mark}
			return sorted(&plan.Aggregate{In: project(j, related), By: []int{related.ID}, Values: []plan.Value{s.counted}}, related.Column)
		}, form{Selects: 3}, "related n\n0 1\n1 2"},
		{"groups by a constant are a subquery, for a number is a place in some engines", func(s *shop) plan.Relation {
			one := s.value("one", expression.Int(7))
			return &plan.Aggregate{In: project(s.orders, one), By: []int{one.ID}, Values: []plan.Value{s.counted}}
		}, form{Selects: 2}, "one n\n7 5"},
		{"a column that nobody reads is not written", func(s *shop) plan.Relation {
			shared := &plan.Shared{In: project(s.orders, append(same(s.id), s.value("unread", s.day.Ref()))...), Name: "some"}
			return sorted(project(where(shared, above(s.id, 4)), same(s.id)...), s.id)
		}, form{Selects: 2, CTEs: 1}, "id\n5"},
		{"inputs of a union below each other, NULL for what one does not have", func(s *shop) plan.Relation {
			n, m := s.numbers.Column("id", sdk.TypeInt64), s.numbers.Column("name", sdk.TypeText)
			u := &plan.Union{In: []plan.Relation{s.orders, s.customers}, Out: []plan.UnionColumn{
				{Column: n, From: []int{s.id.ID, s.customer.ID}}, {Column: m, From: []int{0, s.name.ID}}}}
			return sorted(where(u, above(n, 2)), n, m)
		}, form{Selects: 3}, "id name\n3 cem\n3 -\n4 -\n5 -"},
		{"a union member of bounded rows", func(s *shop) plan.Relation {
			n := s.numbers.Column("id", sdk.TypeInt64)
			first := sorted(s.orders, s.id)
			first.Limit = 1
			n.Name = "number"
			u := &plan.Union{In: []plan.Relation{first, s.customers}, Out: []plan.UnionColumn{{Column: n, From: []int{s.id.ID, s.customer.ID}}}}
			return sorted(u, n)
		}, form{Selects: 4}, "number\n1\n1\n2\n3"},
		{"a column of a type that nobody knows is NULL as that of another input is", func(s *shop) plan.Relation {
			a, b := &plan.Shared{In: project(s.orders, same(s.id, s.day)...), Name: "a"}, &plan.Shared{In: project(s.customers, same(s.customer)...), Name: "b"}
			n, m := s.numbers.Column("id", sdk.TypeInt64), s.numbers.Column("day", sdk.TypeUnspecified)
			u := &plan.Union{In: []plan.Relation{a, b}, Out: []plan.UnionColumn{
				{Column: n, From: []int{s.id.ID, s.customer.ID}}, {Column: m, From: []int{s.day.ID, 0}}}}
			return sorted(where(u, binary(expression.Equal, n.Ref(), expression.Int(3))), m)
		}, form{Selects: 6, CTEs: 2}, "id day\n3 2024-02-01\n3 -"},
		{"a spine between constants", func(s *shop) plan.Relation {
			month := s.numbers.Column("month", sdk.TypeDate)
			return sorted(&plan.Spine{Out: month, Grain: dialect.Month, From: expression.Text("2024-01-01"), To: expression.Text("2024-03-01")}, month)
		}, form{Selects: 4}, "month\n2024-01-01\n2024-02-01\n2024-03-01"},
		{"a spine between values of a relation", func(s *shop) plan.Relation {
			shared := &plan.Shared{In: project(where(s.orders, above(s.amount, 29)), same(s.day)...), Name: "days"}
			first, last := s.agg(expression.Min, s.day, "first"), s.agg(expression.Max, s.day, "last")
			month := s.numbers.Column("month", sdk.TypeDate)
			trunc := func(c plan.Column) expression.Node {
				return &expression.Call{Function: "date_trunc", Args: []expression.Node{expression.Text("month"), c.Ref()}}
			}
			return sorted(&plan.Spine{Out: month, Grain: dialect.Month, From: trunc(first.Column), To: trunc(last.Column),
				Ends: &plan.Aggregate{In: shared, Values: []plan.Value{first, last}}}, month)
		}, form{}, "month\n2024-01-01\n2024-02-01"},
		{"whole rows beside a value", func(s *shop) plan.Relation {
			twice := s.value("twice", binary(expression.Multiply, s.customer.Ref(), expression.Int(2)))
			p := project(where(s.customers, above(s.customer, 2)), twice)
			p.Whole = s.customers
			return p
		}, form{Selects: 1}, "twice id name\n6 3 cem"},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := written(t, "sqlite", tt.plan(newShop()))
			if got := formOf(t, "sqlite", text); got != tt.form && tt.form != (form{}) {
				t.Errorf("got %+v, want %+v:\n%s", got, tt.form, text)
			}
			if diff := cmp.Diff(tt.rows, rows(t, shopData, text)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}
