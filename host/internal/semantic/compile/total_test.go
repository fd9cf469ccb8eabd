package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// scannedShop is orders of customers of regions, as scanned; enforced = the engine enforces their
// foreign keys, and no column can be NULL.
func scannedShop(enforced bool) model.Input {
	in := model.Input{Files: []*model.File{model.Parse("orders.yaml", []byte(`
name: orders
measures:
  - {name: revenue, agg: sum, expr: amount}
  - {name: average, agg: avg, expr: amount}
`))}}
	refers := map[string]string{"orders": "customers", "customers": "regions"}
	for name, columns := range map[string][]string{"orders": {"id", "customers_id", "amount"}, "customers": {"id", "regions_id", "age"}, "regions": {"id", "size"}} {
		t := &model.Table{Ref: sdk.TableRef{Name: name}, PrimaryKey: []string{"id"}}
		for _, c := range columns {
			t.Columns = append(t.Columns, model.Column{Name: c, Type: sdk.TypeInt64, NotNull: enforced})
		}
		if to := refers[name]; to != "" {
			t.ForeignKeys = []model.ForeignKey{{Columns: []string{to + "_id"}, To: sdk.TableRef{Name: to}, ToColumns: []string{"id"}, Enforced: enforced}}
		}
		in.Tables = append(in.Tables, t)
	}
	return in
}

// Where the engine guarantees each row its partners, joins are inner ones, nobody's orders need no
// group, and what is grouped by the foreign key is not grouped again.
func TestTotalJoins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, request, open, total string }{
		{"a dimension", `{"measures": ["orders.revenue"], "dimensions": ["regions.size"]}`,
			"FROM orders LEFT JOIN customers ON orders.customers_id = customers.id LEFT JOIN regions ON customers.regions_id = regions.id\nGROUP BY regions.size",
			"FROM orders JOIN customers ON orders.customers_id = customers.id JOIN regions ON customers.regions_id = regions.id\nGROUP BY regions.size"},
		{"a condition on groups", `{"measures": ["orders.revenue"], "dimensions": ["customers.id", "customers.age"], "filters": ["orders.revenue > 10"]}`,
			"FROM (SELECT orders_3.id AS id, customers_2.age AS age_2, orders_3.revenue AS revenue FROM (SELECT customers.id AS id, SUM(orders_2.revenue) AS revenue" +
				" FROM (SELECT orders.customers_id AS id, SUM(orders.amount) AS revenue FROM orders GROUP BY orders.customers_id) AS orders_2" +
				" LEFT JOIN customers ON orders_2.id = customers.id WHERE orders_2.revenue > 10 OR customers.id IS NULL GROUP BY customers.id HAVING SUM(orders_2.revenue) > 10) AS orders_3" +
				" LEFT JOIN customers AS customers_2 ON orders_3.id = customers_2.id) AS orders_4",
			"FROM (SELECT orders.customers_id AS id, SUM(orders.amount) AS revenue FROM orders GROUP BY orders.customers_id HAVING SUM(orders.amount) > 10) AS orders_2" +
				" JOIN customers ON orders_2.id = customers.id"},
		{"the key alone", `{"measures": ["orders.revenue"], "dimensions": ["customers.id"]}`,
			"FROM (SELECT orders.customers_id AS id, SUM(orders.amount) AS revenue FROM orders GROUP BY orders.customers_id) AS orders_2" +
				" LEFT JOIN customers ON orders_2.id = customers.id\nGROUP BY customers.id",
			"FROM orders\nGROUP BY orders.customers_id"},
		{"what could not be added up", `{"measures": ["orders.average"], "dimensions": ["customers.id", "customers.age"], "filters": ["orders.average > 10"]}`,
			"FROM (SELECT orders_2.id AS id, customers_2.age AS age_2, orders_2.average AS average FROM (SELECT customers.id AS id, AVG(orders.amount) AS average" +
				" FROM orders LEFT JOIN customers ON orders.customers_id = customers.id GROUP BY customers.id HAVING AVG(orders.amount) > 10) AS orders_2" +
				" LEFT JOIN customers AS customers_2 ON orders_2.id = customers_2.id) AS orders_3",
			"FROM (SELECT orders.customers_id AS id, AVG(orders.amount) AS average FROM orders GROUP BY orders.customers_id HAVING AVG(orders.amount) > 10) AS orders_2" +
				" JOIN customers ON orders_2.id = customers.id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := engine(t, "duckdb")
			for enforced, want := range map[bool]string{false: tt.open, true: tt.total} {
				in := scannedShop(enforced)
				in.Dialect = d
				q, err := compiled(t, model.Build(in), d, tt.request)
				if err != nil {
					t.Fatal(err)
				}
				_, from, _ := strings.Cut(strings.ReplaceAll(q.SQL, `"`, ""), "\n")
				from, _, _ = strings.Cut(from, "\nORDER BY")
				if diff := cmp.Diff(want, from); diff != "" {
					t.Errorf("enforced %t (-want +got):\n%s\n%s", enforced, diff, from)
				}
			}
		})
	}
}
