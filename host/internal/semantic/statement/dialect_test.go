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

// Bounds are written in the style of the dialect.
func TestLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		style         dialect.LimitStyle
		ordered       bool
		limit, offset int
		head, tail    string
	}{
		{"all", dialect.LimitOffset, true, 0, 0, "SELECT [", "ASC"},
		{"a limit", dialect.LimitOffset, true, 5, 0, "SELECT [", "\nLIMIT 5"},
		{"an offset", dialect.LimitOffset, true, 5, 2, "SELECT [", "\nLIMIT 5 OFFSET 2"},
		{"top", dialect.LimitTop, true, 5, 0, "SELECT TOP (5) [", "ASC"},
		{"top with an offset", dialect.LimitTop, true, 5, 2, "SELECT [", "ASC\nOFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY"},
		{"top without an order", dialect.LimitTop, false, 5, 0, "SELECT TOP (5) [", `FROM [orders]`},
		{"an offset without an order", dialect.LimitTop, false, 5, 2, "SELECT [", "\nORDER BY (SELECT NULL)\nOFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY"},
		{"fetch", dialect.LimitFetch, true, 5, 0, "SELECT [", "ASC\nOFFSET 0 ROWS FETCH FIRST 5 ROWS ONLY"},
		{"fetch with an offset", dialect.LimitFetch, true, 5, 2, "SELECT [", "ASC\nOFFSET 2 ROWS FETCH FIRST 5 ROWS ONLY"},
		{"fetch without an order", dialect.LimitFetch, false, 5, 0, "SELECT [", "FROM [orders]\nOFFSET 0 ROWS FETCH FIRST 5 ROWS ONLY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, d := newShop(), engine(t, "sqlserver")
			d.Limit = tt.style
			root := sorted(project(s.orders, same(s.id)...))
			if tt.ordered {
				root.By = []plan.Order{{X: s.id.Ref()}}
			}
			root.Limit, root.Offset = tt.limit, tt.offset
			text, err := statement.Write(d, root, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(text, tt.head) || !strings.HasSuffix(text, tt.tail) {
				t.Errorf("got\n%s", text)
			}
		})
	}
}

// Where a key of the order is written twice, the engine would have to find a
// computed key of the groups again: they are grouped in a subquery.
func TestGroupsByComputedKeys(t *testing.T) {
	t.Parallel()
	for name, selects := range map[string]int{"sqlite": 1, "postgres": 1, "duckdb": 1, "bigquery": 1, "snowflake": 1, "mysql": 2, "sqlserver": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			key := s.value("month", expression.NewForm(dialect.Trunc(dialect.Month), s.day.Ref(), sdk.TypeDate, nil))
			grouped := &plan.Aggregate{In: project(s.orders, key, same(s.amount)[0]), By: []int{key.ID}, Values: []plan.Value{s.summed}}
			text := written(t, name, sorted(grouped, key.Column))
			if got := formOf(t, name, text).Selects; got != selects {
				t.Errorf("%d SELECTs, not %d:\n%s", got, selects, text)
			}
			plain := newShop()
			text = written(t, name, sorted(plain.perStatus(plain.orders), plain.status))
			if got := formOf(t, name, text).Selects; got != 1 {
				t.Errorf("groups by a column have %d SELECTs:\n%s", got, text)
			}
		})
	}
}

// An engine that fills the columns of an outer join with defaults reads a table that
// may have no partner through columns that can be NULL.
func TestNullableOfOuterJoins(t *testing.T) {
	t.Parallel()
	s := newShop()
	text := written(t, "clickhouse", sorted(project(&plan.Join{L: s.orders, R: s.customers, Kind: plan.Left, On: equal(s.buyer, s.customer)}, same(s.id, s.name)...), s.id))
	const want = "LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers`"
	if !strings.Contains(strings.ReplaceAll(text, `"`, "`"), want) {
		t.Errorf("there is no %s in\n%s", want, text)
	}
}

// What a dialect cannot write is refused by its name; a plan that makes no sense is a
// fault of this program.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		plan func(*shop, *dialect.Dialect) plan.Relation
		kind sdk.Kind
	}{
		{"a spine without a form", func(s *shop, d *dialect.Dialect) plan.Relation {
			delete(d.Forms, dialect.Spine(dialect.Month))
			return &plan.Spine{Out: s.day, Grain: dialect.Month, From: expression.Text("2024-01-01"), To: expression.Text("2024-02-01")}
		}, sdk.KindUnsupported},
		{"an order without a form", func(s *shop, d *dialect.Dialect) plan.Relation {
			delete(d.Forms, dialect.AscNullsLast)
			return sorted(s.orders, s.id)
		}, sdk.KindUnsupported},
		{"an aggregate without a form", func(s *shop, d *dialect.Dialect) plan.Relation {
			delete(d.Forms, dialect.Sum)
			return s.perStatus(s.orders)
		}, sdk.KindUnsupported},
		{"a bound in words of a later version", func(s *shop, d *dialect.Dialect) plan.Relation {
			d.Limit = "qualify"
			return sorted(s.orders, s.id)
		}, sdk.KindUnsupported},
		{"zones in words of a later version", func(s *shop, d *dialect.Dialect) plan.Relation {
			d.Zones = "stars"
			return sorted(s.orders, s.id)
		}, sdk.KindUnsupported},
		{"a column of no relation", func(s *shop, _ *dialect.Dialect) plan.Relation { return where(s.orders, above(s.customer, 1)) }, sdk.KindInternal},
		{"a name", func(s *shop, _ *dialect.Dialect) plan.Relation {
			return where(s.orders, &expression.Name{Parts: []string{"id"}})
		}, sdk.KindInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := engine(t, "sqlite")
			text, err := statement.Write(d, tt.plan(newShop(), d), nil)
			if err == nil || sdk.KindOf(err) != tt.kind {
				t.Errorf("%v, want the kind %v:\n%s", err, tt.kind, text)
			}
		})
	}
}
