package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// table makes a scanned table of columns like "id int64", with a primary key.
func table(name, key string, columns ...string) *Table {
	t := &Table{Ref: refNamed(name)}
	if key != "" {
		t.PrimaryKey = strings.Split(key, ",")
	}
	types := map[string]sdk.Type{}
	for _, typ := range sdk.Types() {
		types[typ.String()] = typ
	}
	for _, c := range columns {
		column, typ, _ := strings.Cut(c, " ")
		t.Columns = append(t.Columns, Column{Name: column, Type: types[typ]})
	}
	return t
}

func refNamed(name string) sdk.TableRef {
	ref, _ := split(name, nil)
	return ref
}

func (t *Table) refer(columns, to, toColumns string) *Table {
	t.ForeignKeys = append(t.ForeignKeys, ForeignKey{Columns: strings.Split(columns, ","), To: refNamed(to), ToColumns: strings.Split(toColumns, ",")})
	return t
}

func shop() []*Table {
	return []*Table{
		table("shop.regions", "id", "id int64", "name text"),
		table("shop.customers", "id", "id int64", "name text", "segment text", "region_id int64", "partner_id int64").
			refer("region_id", "shop.regions", "id").refer("partner_id", "shop.customers", "id"),
		table("shop.orders", "id", "id int64", "customer_id int64", "ship_region_id int64", "bill_region_id int64", "amount decimal", "placed_at timestamp", "opened time", "raw bytes").
			refer("customer_id", "shop.customers", "id").refer("ship_region_id", "shop.regions", "id").refer("bill_region_id", "shop.regions", "id"),
		table("shop.items", "order_id,line", "order_id int64", "line int64", "part text", "maker int64", "paid bool").
			refer("order_id", "shop.orders", "id").refer("maker,part", "shop.stock", "maker,part"),
		table("shop.stock", "maker,part", "maker int64", "part text", "on_hand int64"),
		table("shop.notes", "order_id", "order_id int64", "text text").refer("order_id", "shop.orders", "id"),
		table("shop.log", "", "at timestamp_tz", "line text"),
		table("old.orders", "id", "id int64", "was text"),
	}
}

func TestScannedTables(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: shop()})
	clean(t, m)
	orders := source(t, m, "shop.orders")
	var got []string
	for _, d := range orders.Dimensions {
		got = append(got, strings.TrimSpace(d.Name+" "+d.Type.String()))
	}
	want := []string{"id number", "customer_id number", "ship_region_id number", "bill_region_id number", "amount number", "placed_at time", "opened", "raw"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dimensions (-want +got):\n%s", diff)
	}
	if len(orders.Measures) != 1 || orders.Measures[0].Name != RowCount || orders.Measures[0].Agg != "count" {
		t.Errorf("measures %v", orders.Measures)
	}
	if items := source(t, m, "items"); len(items.Grain) != 2 || len(items.Joins[1].Equal) != 2 || items.Joins[1].On.Value != "items.maker = stock.maker AND items.part = stock.part" {
		t.Errorf("items has the grain %v and the join %v", items.Grain, items.Joins[1].On)
	}
	if log := source(t, m, "log"); log.Grain != nil {
		t.Errorf("log has the grain %v", log.Grain)
	}
	if _, err := m.FindSource("orders"); sdk.AsError(err, sdk.SourceHost).Code != CodeAmbiguous {
		t.Errorf("orders of two schemas: %v", err)
	}
	if notes := source(t, m, "notes"); notes.Joins[0].Relationship != OneToOne {
		t.Errorf("notes have at most one order each: %s", notes.Joins[0].Relationship)
	}
	for _, tt := range []struct{ home, ref, want string }{
		{"shop.orders", "customers.name", "→ customers"},
		{"shop.orders", "ship_region.name", "→ ship_region"},
		{"shop.orders", "regions.name", "shop.orders leads to three regions"},
		{"items", "customers.segment", "→ orders → customers"},
		{"items", "stock.on_hand", "→ stock"},
		{"customers", "partner.name", "→ partner"},
		{"customers", "partner.regions.name", "→ partner → regions"},
		{"shop.orders", "notes.text", "→ notes"},
		{"notes", "customers.name", "→ orders → customers"},
		{"log", "customers.name", "no join leads from log to customers (no_join_path)"},
		{"stock", "shop.orders.id", "⇒ items → orders"},
	} {
		got := way(t, m, tt.home, tt.ref)
		if strings.HasPrefix(tt.want, "shop.orders leads") {
			if strings.Count(got, " over ") < 3 || !strings.Contains(got, CodeAmbiguousPath) {
				t.Errorf("%s from %s: %s", tt.ref, tt.home, got)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s from %s (-want +got):\n%s", tt.ref, tt.home, diff)
		}
	}
}

// TestRolesAreStable tests that the name of a join depends on its key alone.
func TestRolesAreStable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keys [][3]string
		want []string
	}{
		{"one key", [][3]string{{"ship_region_id", "regions", "id"}}, []string{""}},
		{"two keys", [][3]string{{"ship_region_id", "regions", "id"}, {"bill_region_id", "regions", "id"}}, []string{"ship_region", "bill_region"}},
		{"three keys in another order", [][3]string{{"home_region_id", "regions", "id"}, {"bill_region_id", "regions", "id"}, {"ship_region_id", "regions", "id"}}, []string{"home_region", "bill_region", "ship_region"}},
		{"camel case", [][3]string{{"shipRegionId", "regions", "id"}, {"billRegionID", "regions", "id"}}, []string{"shipRegion", "billRegion"}},
		{"two keys of one name", [][3]string{{"region_id", "regions", "id"}, {"region_key", "regions", "key"}}, []string{"region_id_regions", "region_key_regions"}},
		{"a key named like the table", [][3]string{{"regions_id", "regions", "id"}, {"bill_region_id", "regions", "id"}}, []string{"", "bill_region"}},
		{"to itself", [][3]string{{"parent_id", "t", "id"}}, []string{"parent"}},
		{"to itself by the table's name", [][3]string{{"t_id", "t", "id"}}, []string{"t_id_t"}},
		{"composite", [][3]string{{"a,b", "regions", "a,b"}, {"c,d", "regions", "a,b"}}, []string{"a_b", "c_d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			from := table("t", "id", "id int64")
			for _, k := range tt.keys {
				from.refer(k[0], k[1], k[2])
			}
			var got []string
			for _, j := range newDraft(&group{ref: from.Ref, table: from}, nil).joins {
				got = append(got, j.Role.Value)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOverlays(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"overlay.yaml": `
name: shop.orders
description: What was bought.
dimensions:
  - {name: AMOUNT, unit: EUR}
  - {name: net, type: number, expr: amount / 1.19}
  - {name: raw, visibility: hidden}
  - {name: placed_on, expr: placed_at, type: time, column_type: date}
exclude_columns: [opened]
measures:
  - {name: revenue, agg: sum, expr: net}
  - {name: row_count, agg: count, label: Orders}
joins:
  - {to: customers, role: buyer, on: orders.customer_id = buyer.id, relationship: many_to_one}
disable_joins: [bill_region]
`,
		"same.yaml": `
name: stock
table: shop.stock
measures: [{name: stock, expr: sum(on_hand)}]
`,
		"beside.yaml": `
name: vip
table: shop.customers
primary_key: [id]
dimensions: [{name: id}]
`,
		"query.yaml": `
name: shop.log
sql: SELECT 1 AS one;
dimensions: [{name: one, type: number}]
`,
	}
	in := Input{Tables: shop(), Dialect: postgres(t, "shop")}
	for name, text := range files {
		in.Files = append(in.Files, Parse(name, []byte(text)))
	}
	m := Build(in)
	clean(t, m)
	orders := source(t, m, "shop.orders")
	if orders.Description != "What was bought." || !orders.Scanned || orders.File != "overlay.yaml" {
		t.Errorf("description %q, scanned %t, file %s", orders.Description, orders.Scanned, orders.File)
	}
	by := map[string]Dimension{}
	for _, d := range orders.Dimensions {
		by[d.Name] = d
	}
	if by["amount"].Unit != "EUR" || by["amount"].Column != "amount" || by["net"].Expr == nil || by["net"].Column != "" {
		t.Errorf("amount %+v, net %+v", by["amount"], by["net"])
	}
	if by["raw"].Visibility != Hidden || by["opened"].Visibility != Hidden {
		t.Errorf("raw %v, opened %v", by["raw"].Visibility, by["opened"].Visibility)
	}
	if got := measureOf(t, m, "shop.orders", RowCount); got.Label != "Orders" || len(orders.Measures) != 2 {
		t.Errorf("row_count %+v of %d measures", got, len(orders.Measures))
	}
	var joins []string
	for _, j := range orders.Joins {
		joins = append(joins, m.called(&j))
	}
	if diff := cmp.Diff([]string{"buyer", "ship_region"}, joins); diff != "" {
		t.Errorf("joins (-want +got):\n%s", diff)
	}
	if stock := source(t, m, "stock"); len(stock.Dimensions) != 3 || len(stock.Measures) != 2 {
		t.Errorf("stock has %d dimensions and %d measures", len(stock.Dimensions), len(stock.Measures))
	}
	if vip := source(t, m, "vip"); vip.Scanned || vip.Table.String() != "shop.customers" || vip.Identity != "vip" {
		t.Errorf("vip is %+v", vip)
	}
	if log := source(t, m, "log"); log.SQL != "SELECT 1 AS one" || log.Scanned || len(log.Dimensions) != 1 {
		t.Errorf("log is %q with %d dimensions", log.SQL, len(log.Dimensions))
	}
	if members, err := m.Lookup(Metrics, "shop", "orders", "raw"); sdk.AsError(err, sdk.SourceHost) == nil || sdk.AsError(err, sdk.SourceHost).Code != CodeHidden {
		t.Errorf("a hidden dimension: %v, %v", members, err)
	}
}

// TestColumnsThatAreNotThere tests references to columns that the scan did not find.
func TestColumnsThatAreNotThere(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: shop(), Files: []*File{Parse("orders.yaml", []byte(`
name: shop.orders
dimensions:
  - {name: amout, type: number}
  - {name: double, type: number, expr: amonut * 2}
measures:
  - {name: revenue, agg: sum, expr: amount}
  - {name: wrong, agg: sum, expr: customers.segmnt}
column_overrides:
  - {name: pLaced_at, label: Placed}
  - {name: openend, visibility: hidden}
exclude_columns: [rawe]
primary_key: [idd]
`))}})
	var got []string
	for _, p := range m.Problems() {
		got = append(got, p.String())
	}
	want := []string{
		"orders.yaml:4:12: dimensions.amout: orders has no column amout; did you mean amount?",
		"orders.yaml:5:40: dimensions.double.expr: orders has no column or dimension amonut; did you mean amount?",
		"orders.yaml:8:35: measures.wrong.expr: customers has no column or dimension segmnt; did you mean customers.segment?",
		"orders.yaml:11:12: column_overrides.openend: orders has no column openend; did you mean opened?",
		"orders.yaml:12:19: exclude_columns: orders has no column rawe; did you mean raw?",
		"orders.yaml:13:15: primary_key: orders has no column idd; did you mean id?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// Nobody knows the grain any more, so the source cannot be used at all.
	if _, err := m.Lookup(Metrics, "shop", "orders", "revenue"); sdk.AsError(err, sdk.SourceHost).Code != CodeBroken {
		t.Errorf("a measure of a source without its key: %v", err)
	}
}

// The short name of a family of copies has the newest of them for a candidate.
func TestShortNameOfCopies(t *testing.T) {
	t.Parallel()
	m := Build(Input{Tables: []*Table{table("sales_20240101", "id", "id"), table("sales_20240103", "id", "id"), table("sales_20240102", "id", "id"), table("salaries", "id", "id")}})
	_, err := m.FindSource("sales")
	if diff := cmp.Diff([]string{"sales_20240103"}, sdk.AsError(err, sdk.SourceHost).Candidates); diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
