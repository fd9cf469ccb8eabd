package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// meaning writes what the names of an expression mean: a column as it is, a
// dimension in angle brackets.
func meaning(m *Model, e *Expr) string {
	var all []string
	for _, r := range e.Refs {
		all = append(all, fieldText(m, r.Field))
	}
	return strings.Join(all, " ")
}

func fieldText(m *Model, f Field) string {
	if f.Dimension != 0 {
		return "<" + m.Dimension(f.Dimension).Name + ">"
	}
	return f.Column
}

func shopTables() []*Table {
	return []*Table{
		{
			Ref: sdk.TableRef{Name: "orders"}, PrimaryKey: []string{"id"},
			Columns: []Column{
				{Name: "id", Type: sdk.TypeInt64}, {Name: "cid", Type: sdk.TypeInt64}, {Name: "amount", Type: sdk.TypeDecimal},
				{Name: "status", Type: sdk.TypeText}, {Name: "day", Type: sdk.TypeDate},
			},
			ForeignKeys: []ForeignKey{{Columns: []string{"cid"}, To: sdk.TableRef{Name: "customers"}, ToColumns: []string{"code"}}},
		},
		{
			Ref: sdk.TableRef{Name: "customers"}, PrimaryKey: []string{"code"},
			Columns: []Column{{Name: "code", Type: sdk.TypeInt64}, {Name: "name", Type: sdk.TypeText}},
		},
	}
}

const shadowing = `name: orders
dimensions:
  - {name: id, expr: "concat('o', id)"}
  - {name: cid, expr: "orders.cid + 1"}
  - {name: AMOUNT, type: string, expr: "round(amount)"}
  - {name: status, expr: "length(status)"}
  - {name: day, type: time, expr: "date_trunc('month', day)"}
  - {name: large, expr: "amount > orders.amount AND STATUS = 'paid'"}
measures:
  - {name: revenue, agg: sum, expr: amount, filter: "status = 'paid' AND orders.status > 3"}
  - {name: closing, agg: sum, expr: amount, non_additive: {dimension: day, pick: last, per: [cid, orders.cid]}}
  - {name: shown, agg: sum, expr: orders.amount, non_additive: {dimension: orders.day, pick: last}}
  - {name: part, type: share, measure: revenue, within: [status]}
  - {name: best, type: nested, agg: max, measure: revenue, per: [cid]}
segments:
  - {name: paid, expr: "status = 'paid'"}
`

// A name alone that is a column means the column in the definitions of its own
// source, whatever computed dimension is called like it.
func TestShadowedColumns(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: shopTables(), Files: []*File{
		Parse("orders.yaml", []byte(shadowing)),
		Parse("customers.yaml", []byte("name: customers\ndimensions: [{name: code, expr: \"code * 2\"}]\nmeasures: [{name: sold, agg: sum, expr: orders.amount}]\n")),
	}})
	clean(t, m)
	orders, customers := source(t, m, "orders"), source(t, m, "customers")
	got := map[string]string{}
	for i := range orders.Dimensions {
		if d := &orders.Dimensions[i]; d.Expr != nil {
			got["dimension "+d.Name] = meaning(m, d.Expr)
			if d.Logical != sdk.TypeUnspecified || d.Column != "" {
				t.Errorf("%s is computed and has the column %q of type %s", d.Name, d.Column, d.Logical)
			}
		}
	}
	for _, s := range []*Source{orders, customers} {
		for i := range s.Measures {
			x := &s.Measures[i]
			text := []string{}
			if x.Expr != nil {
				text = append(text, meaning(m, x.Expr))
			}
			for _, f := range x.Filter {
				text = append(text, "where "+meaning(m, f))
			}
			if n := x.NonAdditive; n != nil {
				text = append(text, "at "+fieldText(m, n.Time))
				for _, r := range n.Per {
					text = append(text, "per "+fieldText(m, r.Field))
				}
			}
			for _, r := range x.Within {
				text = append(text, "within "+fieldText(m, r.Field))
			}
			for _, r := range x.Per {
				text = append(text, "per "+fieldText(m, r.Field))
			}
			if text := strings.Join(text, " "); text != "" {
				got["measure "+x.Name] = text
			}
		}
	}
	got["segment paid"] = meaning(m, orders.Segments[0].Expr)
	got["foreign key"] = fieldText(m, orders.Joins[0].Equal[0].From) + " = " + fieldText(m, orders.Joins[0].Equal[0].To)
	got["primary key"] = fieldText(m, orders.Grain[0])
	want := map[string]string{
		"dimension id": "id", "dimension cid": "cid", "dimension amount": "amount", "dimension status": "status", "dimension day": "day",
		"dimension large": "amount <amount> status",
		"measure revenue": "amount where status <status>", "measure closing": "amount at day per cid per <cid>",
		"measure shown": "<amount> at <day>", "measure part": "within <status>", "measure best": "per cid", "measure sold": "<amount>",
		"segment paid": "status", "foreign key": "cid = code", "primary key": "id",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, want := range map[string]Type{"amount": String, "status": AnyType, "day": Time} {
		if d := orders.Dimensions[orders.full().find(name, isDimension)]; d.Type != want {
			t.Errorf("%s is of type %v, not %v: what the scan says is about the column", name, d.Type, want)
		}
	}
	found, err := m.Lookup(orders.ID, "amount")
	if err != nil || len(found) != 1 || found[0].Dimension == 0 {
		t.Errorf("a request finds %v, %v, not the dimension", found, err)
	}
}

// A join relates columns, with and without the names of its sources.
func TestShadowedJoins(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"cid = customers.code", "orders.cid = customers.code", "customers.code = cid"} {
		m := Build(Input{Tables: shopTables(), Files: []*File{
			Parse("orders.yaml", []byte(`name: orders
dimensions: [{name: cid, expr: "cid + 1"}]
joins: [{to: customers, "on": "`+on+`", relationship: many_to_one}]
`)),
			Parse("customers.yaml", []byte("name: customers\ndimensions: [{name: code, expr: \"code * 2\"}]\n")),
		}})
		clean(t, m)
		joins := source(t, m, "orders").Joins
		if len(joins) != 1 || len(joins[0].Equal) != 1 {
			t.Fatalf("%s: %+v", on, joins)
		}
		if got := fieldText(m, joins[0].Equal[0].From) + " = " + fieldText(m, joins[0].Equal[0].To); got != "cid = code" {
			t.Errorf("%s relates %s", on, got)
		}
	}
}

// The columns of a source that was not scanned are those that its files show: a
// dimension that names itself is made of a column, and so is one that a file
// below has as a column. Any other name is that of the dimension.
func TestShadowedColumnsWithoutScan(t *testing.T) {
	t.Parallel()
	sqlite := &dialect.Dialect{Name: "sqlite", DefaultSchema: "main"}
	for _, tt := range []struct{ name, dims, below, want string }{
		{"its own name is a column", `{name: amount, expr: "round(amount)"}`, "", "amount"},
		{"its own name with the source is a column", `{name: amount, expr: "round(sales.amount)"}`, "", "amount"},
		{"another name is not", `{name: amount, expr: "price * qty"}`, "", "<amount>"},
		{"a column is its own dimension", `{name: amount}`, "", "<amount>"},
		{"a file of tables has the column", `{name: amount, expr: "price * qty"}`, `{name: amount, type: number}`, "amount"},
		{"a file of tables has another column", `{name: amount, expr: "price * qty"}`, `{name: price, type: number}`, "<amount>"},
		{"in the SQL of the engine", `{name: amount, expr: "amount COLLATE binary", dialect: sqlite}`, "", "amount"},
	} {
		text := "name: sales\ndimensions: [" + tt.dims + "]\nmeasures: [{name: total, agg: sum, expr: amount}]\n"
		files := []*File{Parse("sales.yaml", []byte(text+"table: sales\n"))}
		if tt.below != "" {
			files = []*File{Parse("sales.yaml", []byte(text)), Parse("_schema/main.yaml", []byte("tables: {sales: {table: sales, columns: ["+tt.below+"]}}\n"))}
		}
		m := Build(Input{Dialect: sqlite, Files: files})
		clean(t, m)
		if got := meaning(m, source(t, m, "sales").Measures[0].Expr); got != tt.want {
			t.Errorf("%s: %s, not %s", tt.name, got, tt.want)
		}
	}
}

// The column is there for the other definitions when the dimension cannot be used.
func TestShadowedByBroken(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: shopTables(), Files: []*File{Parse("orders.yaml", []byte(`name: orders
dimensions: [{name: amount, expr: "amount +"}, {name: cid, expr: nothing}]
measures: [{name: revenue, agg: sum, expr: amount}, {name: sum_of, agg: sum, expr: cid}]
`))}})
	orders := source(t, m, "orders")
	for _, x := range orders.Measures {
		if x.Broken != "" {
			t.Errorf("%s: %s", x.Name, x.Broken)
		}
	}
	if n := len(m.Problems()); n != 2 {
		t.Errorf("%d problems: %v", n, m.Problems())
	}
}

func TestShadowingWarns(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: shopTables(), Files: []*File{
		Parse("orders.yaml", []byte(`name: orders
dimensions:
  - {name: amount, expr: "round(amount)"}
  - {name: status, type: string, label: State}
  - {name: large, expr: "amount > 3"}
`)),
		Parse("sales.yaml", []byte(`name: sales
table: sales
dimensions: [{name: price, expr: "price / 100"}, {name: worth, expr: "price * qty"}]
`)),
	}})
	clean(t, m)
	var got []string
	for _, w := range m.Warnings() {
		got = append(got, w.String())
	}
	text := "%s: is called like a column: in definitions of %s the name alone means the column, and %[2]s.%[3]s means this dimension; give the dimension another name to tell them apart"
	want := []string{
		fmt.Sprintf(text, "orders.yaml:3:12: dimensions.amount", "orders", "amount"),
		fmt.Sprintf(text, "sales.yaml:3:21: dimensions.price", "sales", "price"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Files that change are read again as a whole model is: what shadows, warns and
// joins does not depend on what was before.
func TestShadowingReloads(t *testing.T) {
	t.Parallel()
	plain := Parse("customers.yaml", []byte("name: customers\n"))
	computed := Parse("customers.yaml", []byte("name: customers\ndimensions: [{name: code, expr: \"code * 2\"}]\n"))
	join := Parse("orders.yaml", []byte("name: orders\njoins: [{to: customers, \"on\": orders.cid = customers.code, relationship: many_to_one}]\n"))
	before := Build(Input{Tables: shopTables(), Files: []*File{join, plain}})
	after := before.With(computed)
	fresh := Build(Input{Tables: shopTables(), Files: []*File{join, computed}})
	if got, want := fieldText(after, source(t, after, "orders").Joins[0].Equal[0].To), "code"; got != want {
		t.Errorf("the join is to %s, not %s", got, want)
	}
	if diff := cmp.Diff(dump(fresh), dump(after)); diff != "" {
		t.Errorf("-fresh +after:\n%s", diff)
	}
}
