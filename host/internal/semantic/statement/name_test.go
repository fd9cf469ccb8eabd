package statement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
)

// Names of one kind differ where an engine looks for them, and none hides another.
func TestNames(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		plan func(*shop) plan.Relation
		// has and lacks are parts of the text.
		has, lacks []string
		rows       string
	}{
		{"an alias is not called as a column of the result", func(s *shop) plan.Relation {
			return sorted(&plan.Aggregate{In: s.orders, Values: []plan.Value{s.value("orders", &expression.Aggregate{Function: expression.Count})}})
		}, []string{`FROM "orders" AS "orders_2"`, `AS "orders"`}, nil, "orders\n5"},
		{"a result that is called as another column of its table is of a subquery", func(s *shop) plan.Relation {
			amount := s.agg(expression.Sum, s.amount, "amount")
			return sorted(where(&plan.Aggregate{In: s.orders, By: []int{s.status.ID}, Values: []plan.Value{amount}}, above(amount.Column, 40)), amount.Column)
		}, []string{`SUM("orders"."amount") AS "amount_2"`, `"orders_2"."amount_2" AS "amount"`}, nil, "status amount\nopen 50\npaid 137"},
		{"a column that is called as itself stays", func(s *shop) plan.Relation {
			return sorted(project(s.orders, same(s.id)...), s.id)
		}, []string{`SELECT "orders"."id" AS "id"`}, []string{"(SELECT"}, "id\n1\n2\n3\n4\n5"},
		{"a column of a shared relation is not called as another of its table", func(s *shop) plan.Relation {
			shared := &plan.Shared{In: &plan.Aggregate{In: s.orders, By: []int{s.status.ID}, Values: []plan.Value{s.agg(expression.Max, s.amount, "DAY")}}, Name: "x"}
			return sorted(where(project(shared, same(s.status)...), expression.Conjoin(above(shared.Columns()[1], 40))), s.status)
		}, []string{`AS "DAY_2"`}, nil, "status\nopen\npaid"},
		{"two columns of one name", func(s *shop) plan.Relation {
			a, b := s.agg(expression.Min, s.amount, "x"), s.agg(expression.Max, s.amount, "X")
			shared := &plan.Shared{In: &plan.Aggregate{In: s.orders, Values: []plan.Value{a, b}}, Name: "x"}
			return project(shared, s.value("low", a.Ref()), s.value("high", b.Ref()))
		}, []string{`AS "x"`, `AS "X_2"`}, nil, "low high\n7 100"},
		{"a shared relation is not called as a table", func(s *shop) plan.Relation {
			shared := &plan.Shared{In: project(where(s.orders, above(s.amount, 40)), same(s.id, s.buyer)...), Name: "Customers"}
			return sorted(project(&plan.Join{L: shared, R: s.customers, On: equal(s.buyer, s.customer)}, same(s.id, s.name)...), s.id)
		}, []string{`WITH "Customers_2" AS`, `JOIN "customers"`}, nil, "id name\n1 ann\n2 ann"},
		{"nor as a table of a person's query, quoted or not", func(s *shop) plan.Relation {
			list := &plan.Scan{Table: plan.Table{Name: "list", Query: `SELECT id FROM "Customers" -- all`}}
			id := list.Field(&s.numbers, "id")
			shared := &plan.Shared{In: project(where(s.orders, above(s.amount, 40)), same(s.id, s.buyer)...), Name: "customers"}
			return sorted(project(&plan.Join{L: shared, R: list, On: equal(s.buyer, id)}, same(s.id, s.buyer)...), s.id)
		}, []string{`WITH "customers_2" AS`, "-- all\n) AS \"list\""}, nil, "id customer_id\n1 1\n2 1"},
		{"two shared relations of one name, but for its case", func(s *shop) plan.Relation {
			a := &plan.Shared{In: project(where(s.orders, above(s.amount, 40)), same(s.id, s.buyer)...), Name: "part"}
			b := &plan.Shared{In: project(s.customers, same(s.customer)...), Name: "PART"}
			return sorted(project(&plan.Join{L: a, R: b, On: equal(s.buyer, s.customer)}, same(s.id)...), s.id)
		}, []string{`"part" AS (`, `"PART_2" AS (`}, nil, "id\n1\n2"},
		{"a table that is joined twice", func(s *shop) plan.Relation {
			again := &plan.Scan{Table: s.orders.Table}
			buyer, other := again.Field(&s.numbers, "customer_id"), again.Field(&s.numbers, "id")
			j := &plan.Join{L: s.orders, R: again, On: expression.Conjoin(equal(s.buyer, buyer), binary(expression.Less, s.id.Ref(), other.Ref()))}
			return project(j, s.value("a", s.id.Ref()), s.value("b", other.Ref()))
		}, []string{`JOIN "orders" AS "orders_2"`}, nil, "a b\n1 2"},
		{"a name with quotes", func(s *shop) plan.Relation {
			return project(where(s.customers, above(s.customer, 2)), s.value(`the "name"; --`, s.name.Ref()))
		}, []string{`AS "the ""name""; --"`}, nil, "the \"name\"; --\ncem"},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := written(t, "sqlite", tt.plan(newShop()))
			for _, part := range tt.has {
				if !strings.Contains(text, part) {
					t.Errorf("there is no %s in\n%s", part, text)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(text, part) {
					t.Errorf("there is %s in\n%s", part, text)
				}
			}
			if diff := cmp.Diff(tt.rows, rows(t, shopData, text)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}

// Names inside of a statement fit into the identifiers of the engine, are cut
// between characters, and still differ.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 100) // 200 bytes
	for _, name := range []string{"postgres", "mysql", "sqlserver", "sqlite", "clickhouse"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			a, b := s.value(long+"a", s.id.Ref()), s.value(long+"b", s.buyer.Ref())
			s.orders.Table.Name, s.customers.Table.Name = long, long
			shared := &plan.Shared{In: project(s.orders, a, b), Name: long}
			again := &plan.Shared{In: project(s.customers, same(s.customer)...), Name: long}
			root := project(&plan.Join{L: shared, R: again, On: equal(b.Column, s.customer)}, s.value("x", a.Ref()), s.value("y", b.Ref()))
			text := written(t, name, root)
			d := engine(t, name)
			tokens, err := d.Tokens(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			different := map[string]bool{}
			for _, token := range tokens {
				if part := d.Unquote(text, token); strings.HasPrefix(part, "ä") {
					different[part] = true
					if most := d.MaxIdentifierBytes; most > 0 && len(part) > most {
						t.Errorf("%s has %d bytes", part, len(part))
					}
					if strings.Trim(part, "äab_23456789") != "" {
						t.Errorf("%q is cut within a character", part)
					}
				}
			}
			if most := d.MaxIdentifierBytes; most > 0 && len(different) < 2 { // CTEs, aliases and columns come in pairs
				t.Errorf("there are %d names in\n%s", len(different), text)
			}
			if name == "sqlite" {
				if diff := cmp.Diff("x y\n1 1\n2 1\n3 2", rows(t, shopData, text)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// The columns of the result have names that the engine takes, each another one; the
// names that fit stay as they are.
func TestLongNamesOfTheResult(t *testing.T) {
	t.Parallel()
	s := newShop()
	long := strings.Repeat("x", 130)
	root := project(s.orders, s.value(long+"a", s.id.Ref()), s.value(long+"b", s.buyer.Ref()), s.value("id", s.amount.Ref()))
	for name, want := range map[string][]string{
		"postgres":  {strings.Repeat("x", 58), strings.Repeat("x", 58) + "_2", "id"},
		"sqlserver": {strings.Repeat("x", 123), strings.Repeat("x", 123) + "_2", "id"},
		"sqlite":    {long + "a", long + "b", "id"},
	} {
		text, d := written(t, name, root), engine(t, name)
		for _, n := range want {
			if !strings.Contains(text, " AS "+d.QuoteIdentifier(n)) {
				t.Errorf("%s: there is no column %s in\n%s", name, n, text)
			}
		}
	}
}

// A type that nobody knows makes no NULL of a type of its own.
func TestNullOfUnknownType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ  sdk.Type
		want string
	}{
		{sdk.TypeInt64, "CAST(NULL AS bigint)"},
		{sdk.TypeUnspecified, `(SELECT MAX("a"."day") FROM "a" WHERE 1 = 0)`},
	} {
		s := newShop()
		a := &plan.Shared{In: project(s.orders, same(s.day)...), Name: "a"}
		c := s.numbers.Column("day", tt.typ)
		text := written(t, "postgres", &plan.Union{In: []plan.Relation{a, s.customers}, Out: []plan.UnionColumn{{Column: c, From: []int{s.day.ID, 0}}}})
		if !strings.Contains(text, tt.want) {
			t.Errorf("there is no %s in\n%s", tt.want, text)
		}
	}
}
