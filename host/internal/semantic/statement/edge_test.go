package statement_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// What SQL evaluates in another order than the plan, or names otherwise, gets a
// subquery; what makes no sense is refused.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		plan       func(*shop) plan.Relation
	}{
		{"one row of all, none of whose values is read", "id\n1", func(s *shop) plan.Relation {
			one := &plan.Aggregate{In: s.orders, Values: []plan.Value{s.counted}}
			return project(&plan.Join{L: where(s.orders, binary(expression.Less, s.id.Ref(), expression.Int(2))), R: one, Kind: plan.Cross}, same(s.id)...)
		}},
		{"constant of one row", "x\n1", func(s *shop) plan.Relation {
			return project(&plan.Aggregate{In: s.orders, Values: []plan.Value{s.counted}}, s.value("x", expression.Int(1)))
		}},
		{"distinct rows of a union that reads one column", "n\n5", func(s *shop) plan.Relation {
			c := s.numbers.Column("s", sdk.TypeText)
			d := &plan.Project{In: s.orders, Distinct: true, Values: same(s.status, s.id)}
			return &plan.Aggregate{In: &plan.Union{In: []plan.Relation{d}, Out: []plan.UnionColumn{{Column: c, From: []int{s.status.ID}}}}, Values: []plan.Value{s.counted}}
		}},
		{"order over a window, column dropped", "id\n5\n4\n3\n2\n1", func(s *shop) plan.Relation {
			number := plan.WindowValue{Column: s.numbers.Column("number", sdk.TypeInt64), Function: plan.RowNumber, By: []plan.Order{{X: s.id.Ref(), Desc: true}}}
			return project(sorted(&plan.Window{In: s.orders, Values: []plan.WindowValue{number}}, number.Column), same(s.id)...)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := written(t, "sqlite", tt.plan(newShop()))
			if got := rows(t, shopData, text); got != tt.want {
				t.Errorf("got %q, want %q from\n%s", got, tt.want, text)
			}
		})
	}
	t.Run("mysql: computed key renamed twice", func(t *testing.T) {
		s := newShop()
		month := s.value("m", expression.NewForm(dialect.Trunc(dialect.Month), s.day.Ref(), sdk.TypeDate, nil))
		again := s.value("k", month.Ref())
		r := sorted(&plan.Aggregate{In: project(project(s.orders, month), again), By: []int{again.ID}, Values: []plan.Value{s.counted}}, again.Column)
		text := written(t, "mysql", r)
		if formOf(t, "mysql", text).Selects != 2 {
			t.Error(text)
		}
	})
	t.Run("HAVING over a computed key", func(t *testing.T) {
		s := newShop()
		month := s.value("m", expression.NewForm(dialect.Trunc(dialect.Month), s.day.Ref(), sdk.TypeDate, nil))
		r := where(&plan.Aggregate{In: project(s.orders, month), By: []int{month.ID}, Values: []plan.Value{s.counted}}, binary(expression.Greater, month.Ref(), expression.Text("2024-01-01")))
		if text := written(t, "postgres", r); strings.Contains(text, "HAVING") {
			t.Error(text)
		}
	})
	t.Run("sqlserver: order in a subquery without bounds", func(t *testing.T) {
		s := newShop()
		r := &plan.Aggregate{In: sorted(s.orders, s.id), Values: []plan.Value{s.counted}}
		if text := written(t, "sqlserver", r); strings.Contains(text, "ORDER BY") {
			t.Error(text)
		}
	})
	t.Run("clickhouse: union member column called as a physical one", func(t *testing.T) {
		s := newShop()
		amount := s.agg(expression.Sum, s.amount, "amount")
		g := where(&plan.Aggregate{In: s.orders, By: []int{s.status.ID}, Values: []plan.Value{amount}}, above(amount.Column, 1))
		out := s.numbers.Column("amount", sdk.TypeInt64)
		text := written(t, "clickhouse", &plan.Union{In: []plan.Relation{g}, Out: []plan.UnionColumn{{Column: out, From: []int{amount.ID}}}})
		if strings.Contains(text, `) AS "amount" FROM "orders"`) || strings.Contains(text, ") AS `amount` FROM `orders`") {
			t.Error(text)
		}
	})
	t.Run("refused", func(t *testing.T) {
		s := newShop()
		skipped := sorted(project(s.orders, same(s.id)...), s.id)
		skipped.Offset = 3
		first := &plan.Sort{In: s.customers, By: []plan.Order{{X: s.customer.Ref()}}, Limit: 3}
		whole := project(first, s.value("x", s.customer.Ref()))
		whole.Whole = s.customers
		for _, r := range []plan.Relation{skipped, whole} {
			if text, err := statement.Write(engine(t, "sqlite"), r, nil); sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("%v\n%s", err, text)
			}
		}
	})
	t.Run("native", func(t *testing.T) {
		s := newShop()
		d := engine(t, "sqlite")
		n, err := expression.ParseNative("amount << 1", d)
		if err != nil {
			t.Fatal(err)
		}
		as := func(c plan.Column) expression.Node {
			x, err := expression.Substitute(n, func(*expression.Name) (expression.Node, error) { return c.Ref(), nil })
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		if expression.String(as(s.amount)) == expression.String(as(s.customer)) {
			t.Error("native fragments over different columns are the same")
		}
	})
}
