package statement_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// engine reads a recorded dialect: the first, which is for the newest servers.
func engine(t testing.TB, name string) *dialect.Dialect {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sdk", "dialect", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

// shop scans two tables; a test has one of its own, for scans remember their fields.
type shop struct {
	numbers                                        plan.Numbers
	orders, customers                              *plan.Scan
	id, buyer, status, amount, day, customer, name plan.Column
	count, total                                   plan.Column
	counted, summed                                plan.Value
}

const shopData = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO customers VALUES (1, 'ann'), (2, 'bob'), (3, 'cem');
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, amount INTEGER, day TEXT);
INSERT INTO orders VALUES
 (1, 1, 'paid', 100, '2024-01-30'), (2, 1, 'open', 50, '2024-01-31'), (3, 2, 'paid', 30, '2024-02-01'),
 (4, 9, NULL, 20, '2024-02-29'), (5, NULL, 'paid', 7, '2024-04-05');
`

func newShop() *shop {
	s := &shop{
		orders:    &plan.Scan{Table: plan.Table{Name: "orders", Path: []string{"orders"}}, Unique: [][]string{{"id"}}},
		customers: &plan.Scan{Table: plan.Table{Name: "customers", Path: []string{"customers"}}, Unique: [][]string{{"id"}}},
	}
	n := &s.numbers
	s.id, s.buyer, s.status = s.orders.Field(n, "id"), s.orders.Field(n, "customer_id"), s.orders.Field(n, "status")
	s.amount, s.day = s.orders.Field(n, "amount"), s.orders.Field(n, "day")
	s.customer, s.name = s.customers.Field(n, "id"), s.customers.Field(n, "name")
	s.counted = s.value("n", &expression.Aggregate{Function: expression.Count})
	s.summed = s.value("total", &expression.Aggregate{Function: expression.Sum, X: s.amount.Ref()})
	s.count, s.total = s.counted.Column, s.summed.Column
	return s
}

// value is a new column of an expression.
func (s *shop) value(name string, x expression.Node) plan.Value {
	return plan.Value{Column: s.numbers.Column(name, sdk.TypeInt64), X: x}
}

// perStatus are groups of orders with their number and total.
func (s *shop) perStatus(in plan.Relation) *plan.Aggregate {
	return &plan.Aggregate{In: in, By: []int{s.status.ID}, Values: []plan.Value{s.counted, s.summed}}
}

func same(columns ...plan.Column) (all []plan.Value) {
	for _, c := range columns {
		all = append(all, plan.Value{Column: c, X: c.Ref()})
	}
	return all
}

func project(in plan.Relation, values ...plan.Value) *plan.Project {
	return &plan.Project{In: in, Values: values}
}

func where(in plan.Relation, cond expression.Node) *plan.Filter {
	return &plan.Filter{In: in, Cond: cond}
}

func sorted(in plan.Relation, by ...plan.Column) *plan.Sort {
	s := &plan.Sort{In: in}
	for _, c := range by {
		s.By = append(s.By, plan.Order{X: c.Ref()})
	}
	return s
}

func binary(op expression.BinaryOp, l, r expression.Node) expression.Node {
	return &expression.Binary{Op: op, Left: l, Right: r}
}

func equal(l, r plan.Column) expression.Node { return binary(expression.Equal, l.Ref(), r.Ref()) }

func above(c plan.Column, n int64) expression.Node {
	return binary(expression.Greater, c.Ref(), expression.Int(n))
}

func (s *shop) agg(f expression.AggregateFunction, c plan.Column, name string) plan.Value {
	return s.value(name, &expression.Aggregate{Function: f, X: c.Ref()})
}

// written is the text of a plan, which the guard takes.
func written(t testing.TB, name string, root plan.Relation) string {
	t.Helper()
	d := engine(t, name)
	text, err := statement.Write(d, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := statement.Write(d, root, nil); err != nil || again != text {
		t.Fatalf("%v: the plan has two texts:\n%s\n\n%s", err, text, again)
	}
	if err := readonly.Check(text, d); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// rows is what SQLite answers, a line per row under the names of the columns.
func rows(t testing.TB, schema, query string) string {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	all, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	defer all.Close()
	names, err := all.Columns()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{strings.Join(names, " ")}
	for all.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := all.Scan(into...); err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(values))
		for i, v := range values {
			if cells[i] = fmt.Sprint(v); v == nil {
				cells[i] = "-"
			}
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if err := all.Err(); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	return strings.Join(lines, "\n")
}
