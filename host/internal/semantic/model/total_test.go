package model

import (
	"cmp"
	"testing"
)

// A join is total where the engine enforces a foreign key of just its columns, of which none is
// ever NULL, to a key of the other side; whoever wrote the join, on either side.
func TestTotal(t *testing.T) {
	t.Parallel()
	const byFile = "name: orders\njoins: [{to: customers, on: orders.customer_id = customers.id, relationship: many_to_one}]"
	for _, tt := range []struct {
		name   string
		way    string // "" = customers
		files  []string
		change func(orders, customers *Table)
		total  bool
	}{
		{"as scanned", "", nil, nil, true},
		{"to a unique key", "", nil, func(_, customers *Table) {
			customers.PrimaryKey, customers.UniqueKeys = []string{"name"}, [][]string{{"id"}}
		}, true},
		{"a column that can be NULL", "", nil, func(orders, _ *Table) { orders.Columns[1].NotNull = false }, false},
		{"a key that the engine does not enforce", "", nil, func(orders, _ *Table) { orders.ForeignKeys[0].Enforced = false }, false},
		{"to no key", "", nil, func(_, customers *Table) { customers.PrimaryKey = nil }, false},
		{"to a part of a key", "", nil, func(_, customers *Table) { customers.PrimaryKey = []string{"id", "name"} }, false},
		{"to another table", "", []string{byFile}, func(orders, _ *Table) { orders.ForeignKeys[0].To.Name = "regions" }, false},
		{"declared by the file", "", []string{byFile}, nil, true},
		{"declared by the other side", "", []string{"name: customers\njoins: [{to: orders, on: customers.id = orders.customer_id, relationship: one_to_many}]"}, nil, true},
		{"claimed by the file alone", "", []string{byFile},
			func(orders, _ *Table) { orders.ForeignKeys = nil }, false},
		{"on more than the key", "buyer", []string{"name: orders\njoins: [{to: customers, role: buyer, on: orders.customer_id = buyer.id AND orders.id = buyer.region, relationship: many_to_one}]"}, nil, false},
		{"filtered", "buyer", []string{"name: orders\njoins: [{to: customers, role: buyer, on: orders.customer_id = buyer.id AND buyer.region = 1, relationship: many_to_one}]"}, nil, false},
		{"of a query", "", []string{"name: customers\nsql: SELECT * FROM shop.customers\nprimary_key: [id]", byFile},
			func(orders, customers *Table) {
				customers.Ref.Name, orders.ForeignKeys[0].To.Name = "clients", "clients"
			}, false},
		{"on a time that is stored as something else", "", []string{"name: customers\ndimensions: [{name: id, type: time, column_type: epoch_s}]"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			orders := table("shop.orders", "id", "id int64", "customer_id int64").refer("customer_id", "shop.customers", "id")
			customers := table("shop.customers", "id", "id int64", "name text", "region int64")
			orders.Columns[0].NotNull, orders.Columns[1].NotNull, orders.ForeignKeys[0].Enforced = true, true, true
			if tt.change != nil {
				tt.change(orders, customers)
			}
			in := Input{Tables: []*Table{orders, customers}}
			for i, text := range tt.files {
				in.Files = append(in.Files, Parse(string(rune('a'+i))+".yaml", []byte(text)))
			}
			m := Build(in)
			total := map[string]bool{}
			for _, id := range m.order {
				for _, e := range m.graph.up[id] {
					total[m.sources[id].Name+" "+e.Name] = e.Total
				}
			}
			way := "orders " + cmp.Or(tt.way, "customers")
			if got, there := total[way]; got != tt.total || !there {
				t.Errorf("%s is total: %t, of %v", way, got, total)
			}
		})
	}
}

// A composite key is total as a whole, in any order of its columns, and the row's own key as well.
func TestTotalComposite(t *testing.T) {
	t.Parallel()
	items := table("items", "id", "id int64", "maker int64", "part text").refer("maker,part", "stock", "maker,part")
	notes := table("notes", "id", "id int64").refer("id", "items", "id")
	for _, one := range []*Table{items, notes} {
		one.ForeignKeys[0].Enforced = true
		for i := range one.Columns {
			one.Columns[i].NotNull = true
		}
	}
	m := Build(Input{Tables: []*Table{items, notes, table("stock", "part,maker", "maker int64", "part text")}})
	clean(t, m)
	for from, to := range map[string]string{"items": "stock", "notes": "items"} {
		path, err := m.Path(source(t, m, from).ID, Ref{Source: source(t, m, to).ID})
		if err != nil {
			t.Fatal(err)
		}
		if !path.Steps[0].Total {
			t.Errorf("%s to %s is not total", from, to)
		}
	}
	back, err := m.Path(source(t, m, "items").ID, Ref{Source: source(t, m, "notes").ID})
	if err == nil && back.Steps[0].Total && !back.Steps[0].Down {
		t.Error("an item need have no note")
	}
}

// What a scan finds of a column or of the other table's key changes the joins of a model that is
// built on the one before.
func TestTotalReloaded(t *testing.T) {
	t.Parallel()
	tables := func(notNull bool, key string) []*Table {
		orders := table("orders", "id", "id int64", "customer_id int64").refer("customer_id", "customers", "id")
		orders.Columns[1].NotNull, orders.ForeignKeys[0].Enforced = notNull, true
		return []*Table{orders, table("customers", key, "id int64", "name text"), table("beside", "id", "id int64")}
	}
	m := Build(Input{Tables: tables(true, "id")})
	for _, step := range []struct {
		notNull bool
		key     string
	}{{false, "id"}, {true, "id"}, {true, "name"}, {true, "id"}} {
		m = m.WithColumns(tables(step.notNull, step.key), nil)
		path, err := m.Path(source(t, m, "orders").ID, Ref{Source: source(t, m, "customers").ID})
		if err != nil {
			t.Fatal(err)
		}
		if want := step.notNull && step.key == "id"; path.Steps[0].Total != want {
			t.Errorf("%+v: total is %t", step, !want)
		}
	}
}
