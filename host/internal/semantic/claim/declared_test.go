package claim_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/host/internal/semantic/model"
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

// built is the model of files that are sound.
func built(t testing.TB, d *dialect.Dialect, texts ...string) *model.Model {
	t.Helper()
	in := model.Input{Dialect: d}
	for i, text := range texts {
		in.Files = append(in.Files, model.Parse(string(rune('a'+i))+".yaml", []byte(text)))
	}
	m := model.Build(in)
	for _, p := range append(m.Problems(), m.Validate()...) {
		t.Error(p)
	}
	return m
}

// ask runs a claim's statement, after the guard has seen it.
func ask(t testing.TB, db *sql.DB, m *model.Model, d *dialect.Dialect, c claim.Claim) (found claim.Finding) {
	t.Helper()
	text, err := c.Statement(m, d, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := readonly.Check(text, d); err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		cells := make([][]byte, len(values))
		for i, v := range values {
			if cells[i], err = json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := found.Read(cells); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// What the data says of each kind of claim, to the row.
func TestFindings(t *testing.T) {
	t.Parallel()
	const (
		orders    = "name: orders\ntable: orders\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: customer, type: number}, {name: shop, type: string}, {name: day, type: time, column_type: date}]\nmeasures: [{name: n, agg: count}]\n"
		customers = "name: customers\ntable: customers\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: shop, type: string}, {name: since, type: time, column_type: date}, {name: until, type: time, column_type: date}]\n"
		join      = `joins: [{to: customers, on: "orders.customer = customers.id", relationship: many_to_one}]` + "\n"
		pair      = `joins: [{to: customers, on: "orders.customer = customers.id AND orders.shop = customers.shop", relationship: many_to_one}]` + "\n"
		validity  = `joins: [{to: customers, on: "orders.customer = customers.id AND orders.day >= customers.since AND orders.day < customers.until", relationship: many_to_one}]` + "\n"
		tables    = "CREATE TABLE orders (id, customer, shop, day); CREATE TABLE customers (id, shop, since, until);"
	)
	for _, tt := range []struct {
		name, data string
		files      []string
		at         int // of the claims of the first source
		want       claim.Finding
		message    string
	}{
		{
			name: "a key that holds", files: []string{orders}, data: "INSERT INTO orders (id) VALUES (1), (2), (3)",
			want: claim.Finding{Rows: 3, Most: 1}, message: "orders.id tells rows apart.",
		},
		{
			name: "no rows", files: []string{orders},
			message: "orders has no rows, so nothing is known of orders.id.",
		},
		{
			name: "values that repeat", files: []string{orders}, data: "INSERT INTO orders (id) VALUES (1), (7), (7), (9), (9), (9)",
			want:    claim.Finding{Rows: 6, Violations: 2, Most: 3, Examples: []string{"7", "9"}},
			message: "orders.id is not unique: 2 values repeat (up to 3 times). Rows with the same key are taken for one by finer dimensions, and joins to orders lead to several rows: measures are counted too rarely or too often.",
		},
		{
			name: "keys that are NULL are no values that repeat", files: []string{orders}, data: "INSERT INTO orders (id) VALUES (1), (NULL), (NULL)",
			want:    claim.Finding{Rows: 3, Nulls: 2, Most: 2},
			message: "2 rows of orders have no whole key orders.id: finer dimensions take them for one row.",
		},
		{
			name: "a composite key", files: []string{"name: stock\ntable: orders\nprimary_key: [id, shop]\ndimensions: [{name: id, type: number}, {name: shop, type: string}]\n"},
			data:    "INSERT INTO orders (id, shop) VALUES (1, 'a'), (1, 'b'), (2, 'a'), (2, 'a'), (2, NULL)",
			want:    claim.Finding{Rows: 5, Nulls: 1, Violations: 1, Most: 2, Examples: []string{"2, a"}},
			message: "(stock.id, stock.shop) is not unique: 1 value repeats (up to 2 times) and 1 row of stock has no whole key. Rows with the same key are taken for one by finer dimensions, and joins to stock lead to several rows: measures are counted too rarely or too often.",
		},
		{
			name: "a unique key may be NULL", files: []string{"name: stock\ntable: orders\nunique_keys: [[shop]]\ndimensions: [{name: shop, type: string}]\n"},
			data: "INSERT INTO orders (shop) VALUES ('a'), (NULL), (NULL)",
			want: claim.Finding{Rows: 3, Nulls: 2, Most: 2}, message: "stock.shop tells rows apart.",
		},
		{
			name: "a computed key", files: []string{"name: stock\ntable: orders\nprimary_key: [code]\ndimensions: [{name: code, type: string, expr: \"lower(shop)\"}]\n"},
			data:    "INSERT INTO orders (shop) VALUES ('A'), ('a'), ('b')",
			want:    claim.Finding{Rows: 3, Violations: 1, Most: 2, Examples: []string{"a"}},
			message: "stock.code is not unique: 1 value repeats (up to 2 times). Rows with the same key are taken for one by finer dimensions, and joins to stock lead to several rows: measures are counted too rarely or too often.",
		},
		{
			name: "a join that holds", files: []string{orders + join, customers}, at: 1,
			data: "INSERT INTO orders (customer) VALUES (1), (1), (2); INSERT INTO customers (id) VALUES (1), (2), (3), (3)",
			want: claim.Finding{Rows: 3, Most: 1}, message: "Each row of orders leads to one row of customers.",
		},
		{
			name: "no rows to join", files: []string{orders + join, customers}, at: 1, data: "INSERT INTO customers (id) VALUES (1)",
			message: "orders has no rows, so nothing is known of the join to customers.",
		},
		{
			name: "nothing to join with", files: []string{orders + join, customers}, at: 1, data: "INSERT INTO orders (customer) VALUES (1)",
			want:    claim.Finding{Rows: 1, Orphans: 1, Examples: []string{"1"}},
			message: "1 row of orders leads to no row of customers, 100% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "orphans are not rows without a key", files: []string{orders + join, customers}, at: 1,
			data:    "INSERT INTO orders (customer) VALUES (1), (1), (8), (8), (9), (NULL), (NULL); INSERT INTO customers (id) VALUES (1), (NULL)",
			want:    claim.Finding{Rows: 7, Nulls: 2, Orphans: 3, Most: 1, Examples: []string{"8", "9"}},
			message: "3 rows of orders lead to no row of customers, 60% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "rows without a key alone", files: []string{orders + join, customers}, at: 1,
			data: "INSERT INTO orders (customer) VALUES (1), (NULL); INSERT INTO customers (id) VALUES (1)",
			want: claim.Finding{Rows: 2, Nulls: 1, Most: 1}, message: "Each row of orders leads to at most one row of customers; 1 row of orders has no key.",
		},
		{
			name: "many to one that is many to many", files: []string{orders + join, customers}, at: 1,
			data:    "INSERT INTO orders (customer) VALUES (1), (1), (2), (5); INSERT INTO customers (id) VALUES (1), (1), (1), (2)",
			want:    claim.Finding{Rows: 4, Orphans: 1, Violations: 2, Most: 3, Examples: []string{"1"}},
			message: "2 rows of orders lead to several rows of customers (up to 3): measures of orders are counted too often by what customers has, and filters on customers; 1 row of orders leads to no row of customers, 25% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "a composite join with a key of which a part is missing", files: []string{orders + pair, customers}, at: 1,
			data:    "INSERT INTO orders (customer, shop) VALUES (1, 'a'), (1, 'b'), (1, NULL), (NULL, 'a'); INSERT INTO customers (id, shop) VALUES (1, 'a'), (1, NULL)",
			want:    claim.Finding{Rows: 4, Nulls: 2, Orphans: 1, Most: 1, Examples: []string{"1, b"}},
			message: "1 row of orders leads to no row of customers, 50% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "ranges of validity that overlap", files: []string{orders + validity, customers}, at: 1,
			data: `INSERT INTO orders (customer, day) VALUES (1, '2024-01-05'), (1, '2024-02-05'), (1, '2024-02-05'), (1, '2025-01-01'), (1, NULL);
				INSERT INTO customers (id, since, until) VALUES (1, '2024-01-01', '2024-03-01'), (1, '2024-02-01', '2024-04-01'), (2, '2024-01-01', '2026-01-01')`,
			want:    claim.Finding{Rows: 5, Nulls: 1, Orphans: 1, Violations: 2, Most: 2, Examples: []string{"1, 2024-02-05"}},
			message: "2 rows of orders lead to several rows of customers (up to 2): measures of orders are counted too often by what customers has, and filters on customers; 1 row of orders leads to no row of customers, 25% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "ranges of validity that only touch", files: []string{orders + validity, customers}, at: 1,
			data: `INSERT INTO orders (customer, day) VALUES (1, '2024-01-31'), (1, '2024-02-01');
				INSERT INTO customers (id, since, until) VALUES (1, '2024-01-01', '2024-02-01'), (1, '2024-02-01', '2024-04-01')`,
			want: claim.Finding{Rows: 2, Most: 1}, message: "Each row of orders leads to one row of customers.",
		},
		{
			name: "one to one that is many to one", files: []string{orders + `joins: [{to: customers, on: "orders.customer = customers.id", relationship: one_to_one}]`, customers}, at: 1,
			data:    "INSERT INTO orders (customer) VALUES (1), (1), (2); INSERT INTO customers (id) VALUES (1), (2), (3)",
			want:    claim.Finding{Rows: 3, Most: 1, Back: 1, BackMost: 2, Examples: []string{"1"}},
			message: "1 row of customers has several rows of orders (up to 2) that lead to it, so it is no one_to_one: measures of customers are counted too often by what orders has.",
		},
		{
			name: "one to one that holds", files: []string{orders + `joins: [{to: customers, on: "orders.customer = customers.id", relationship: one_to_one}]`, customers}, at: 1,
			data: "INSERT INTO orders (customer) VALUES (1), (2); INSERT INTO customers (id) VALUES (1), (2), (3)",
			want: claim.Finding{Rows: 2, Most: 1, BackMost: 1}, message: "Each row of orders leads to one row of customers.",
		},
		{
			name: "one to many is many to one from the other side", files: []string{customers + `joins: [{to: orders, on: "orders.customer = customers.id", relationship: one_to_many}]`, orders}, at: 1,
			data:    "INSERT INTO orders (customer) VALUES (1), (1), (4); INSERT INTO customers (id) VALUES (1), (1), (2)",
			want:    claim.Finding{Rows: 3, Orphans: 1, Violations: 2, Most: 2, Examples: []string{"1"}},
			message: "2 rows of orders lead to several rows of customers (up to 2): measures of orders are counted too often by what customers has, and filters on customers; 1 row of orders leads to no row of customers, 33.3% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "a calendar with days in several periods", files: []string{"name: fiscal\ntable: orders\ncalendar: {date: day, periods: {season: shop, fiscal_year: customer}}\ndimensions: [{name: day, type: time, column_type: date}, {name: shop, type: string}, {name: customer, type: number}]\n"},
			data: `INSERT INTO orders (day, shop, customer) VALUES ('2024-01-01', 'a', 1), ('2024-01-01', 'a', 1), ('2024-01-02', 'a', 1), ('2024-01-02', 'b', 1), ('2024-01-02', 'b', 1),
				('2024-01-03', 'b', 1), ('2024-01-03', NULL, 2), ('2024-01-04', 'b', 2), ('2024-01-04', NULL, NULL), (NULL, 'c', 3), (NULL, 'd', 4)`,
			want:    claim.Finding{Rows: 9, Violations: 2, Most: 3, Examples: []string{"2024-01-02", "2024-01-03"}},
			message: "fiscal has 2 days whose rows differ in a period (up to 3 rows for a day): times of such a day are of no period.",
		},
		{
			name: "a calendar whose days repeat alike", files: []string{"name: fiscal\ntable: orders\ncalendar: {date: day, periods: {season: shop}}\ndimensions: [{name: day, type: time, column_type: date}, {name: shop, type: string}]\n"},
			data: `INSERT INTO orders (day, shop) VALUES ('2024-01-01', 'a'), ('2024-01-01', 'a'), ('2024-01-02', 'b')`,
			want: claim.Finding{Rows: 3, Most: 2}, message: "Each day of fiscal is in one period of a name.",
		},
		{
			name: "a calendar without days", files: []string{"name: fiscal\ntable: orders\ncalendar: {date: day, periods: {season: shop}}\ndimensions: [{name: day, type: time, column_type: date}, {name: shop, type: string}]\n"},
			data: `INSERT INTO orders (shop) VALUES ('a')`, message: "fiscal has no days, so nothing is known of its periods.",
		},
		{
			name: "values of other types that are equal", files: []string{orders + join, customers}, at: 1, // 2 and 2.0
			data:    "INSERT INTO orders (customer) VALUES (2); INSERT INTO customers (id) VALUES (2), (2.0)",
			want:    claim.Finding{Rows: 1, Violations: 1, Most: 2, Examples: []string{"2"}},
			message: "1 row of orders leads to several rows of customers (up to 2): measures of orders are counted too often by what customers has, and filters on customers.",
		},
		{
			name: "a query as a source, and a role", files: []string{
				"name: sales\nsql: |\n  SELECT id, customer AS \"buy\"\"er.id\" FROM orders -- all\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\njoins: [{role: buyer, to: customers, on: 'sales.\"buy\"\"er.id\" = buyer.id', relationship: many_to_one}]\n", customers,
			}, at: 1,
			data:    "INSERT INTO orders (id, customer) VALUES (1, 1), (2, 3); INSERT INTO customers (id) VALUES (1)",
			want:    claim.Finding{Rows: 2, Orphans: 1, Most: 1, Examples: []string{"3"}},
			message: "1 row of sales leads to no row of customers, 50% of those with a key: by what customers has they are the group NULL.",
		},
		{
			name: "a source that leads to itself", files: []string{"name: staff\ntable: staff\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\njoins: [{role: boss, to: staff, on: \"staff.boss_id = boss.id\", relationship: many_to_one}]\n"}, at: 1,
			data: "CREATE TABLE staff (id, boss_id); INSERT INTO staff VALUES (1, NULL), (2, 1), (3, 1), (4, 9)",
			want: claim.Finding{Rows: 4, Nulls: 1, Orphans: 1, Most: 1, Examples: []string{"9"}}, message: "1 row of staff leads to no row of staff, 33.3% of those with a key: by what staff has they are the group NULL.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db, err := sql.Open("sqlite", ":memory:")
			if err != nil {
				t.Fatal(err)
			}
			db.SetMaxOpenConns(1)
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
			if _, err := db.ExecContext(t.Context(), tables+tt.data); err != nil {
				t.Fatal(err)
			}
			d := engine(t, "sqlite")
			m := built(t, d, tt.files...)
			first, err := m.FindSource(firstName(tt.files[0]))
			if err != nil {
				t.Fatal(err)
			}
			c := claim.Of(m, first.ID)[tt.at]
			got := ask(t, db, m, d, c)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(claim.Finding{})); diff != "" {
				text, _ := c.Statement(m, d, true)
				t.Errorf("(-want +got):\n%s\n%s", diff, text)
			}
			if message := c.Message(m, &got); message != tt.message {
				t.Errorf("the message is\n%s\nnot\n%s", message, tt.message)
			}
		})
	}
}

func firstName(file string) string {
	var name string
	for _, r := range file[len("name: "):] {
		if r == '\n' {
			break
		}
		name += string(r)
	}
	return name
}

// Engines give the rows of the two directions in any order, and sums in any type.
func TestRead(t *testing.T) {
	t.Parallel()
	cells := func(texts ...string) (all [][]byte) {
		for _, text := range texts {
			all = append(all, []byte(text))
		}
		return all
	}
	there := cells("1", `"4"`, "1.0", "2", "null", "3", "null", "null", `"8"`, `"9"`)
	back := cells("2", "5", "0", "0", "1", "2", `"7"`, `"7"`, "null", "null")
	want := claim.Finding{Rows: 4, Nulls: 1, Orphans: 2, Most: 3, Back: 1, BackMost: 2, Examples: []string{"7"}}
	for _, order := range [][][][]byte{{there, back}, {back, there}} {
		var got claim.Finding
		for _, row := range order {
			if err := got.Read(row); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(claim.Finding{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if rate := got.OrphanRate(); rate < 0.66 || rate > 0.67 {
			t.Errorf("the rate of orphans is %v", rate)
		}
	}
	for _, row := range [][][]byte{cells("1", "2"), cells("1", "1.5", "0", "0", "0", "0"), cells("1", `"many"`, "0", "0", "0", "0")} {
		if err := new(claim.Finding).Read(row); err == nil {
			t.Errorf("%q is a row of a check", row)
		}
	}
	if got := claim.Text([]byte(`"` + strings.Repeat("ä", 200) + `"`)); len([]rune(got)) != claim.MaxExample {
		t.Errorf("an example of %d characters", len([]rune(got)))
	}
}

// Names are what they are, with quotes, dots and spaces in them.
func TestNames(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	const script = `CREATE TABLE "a.b ""c""" ("i.d" INTEGER, "x'y""z" TEXT); INSERT INTO "a.b ""c""" VALUES (1, 'p'), (1, 'q'), (NULL, 'p');
		CREATE TABLE "select" ("group by" TEXT); INSERT INTO "select" VALUES ('p'), ('p')`
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	odd, other := sdk.TableRef{Schema: "main", Name: `a.b "c"`}, sdk.TableRef{Schema: "main", Name: "select"}
	m := model.Build(model.Input{Dialect: d, Tables: []*model.Table{
		{
			Ref: odd, PrimaryKey: []string{"i.d"}, UniqueKeys: [][]string{{"i.d", `x'y"z`}, {"i.d"}},
			Columns:     []model.Column{{Name: "i.d", Type: sdk.TypeInt64}, {Name: `x'y"z`, Type: sdk.TypeText}},
			ForeignKeys: []model.ForeignKey{{Columns: []string{`x'y"z`}, To: other, ToColumns: []string{"group by"}}},
		},
		{Ref: other, Columns: []model.Column{{Name: "group by", Type: sdk.TypeText}}},
	}})
	for s := range m.Sources() {
		if s.Table != odd {
			continue
		}
		all := claim.Of(m, s.ID)
		want := []claim.Finding{
			{Rows: 3, Nulls: 1, Violations: 1, Most: 2, Examples: []string{"1"}},
			{Rows: 3, Nulls: 1, Most: 1}, // the other unique key is the primary one
			{Rows: 3, Orphans: 1, Violations: 2, Most: 2, Examples: []string{"p"}},
		}
		if len(all) != len(want) {
			t.Fatalf("%d claims, not %d", len(all), len(want))
		}
		for i, c := range all {
			if diff := cmp.Diff(want[i], ask(t, db, m, d, c), cmpopts.IgnoreUnexported(claim.Finding{})); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", c.Kind, c.Columns(m), diff)
			}
		}
	}
}

// A join that both sides declare is asked about once; a role of other columns is
// another claim.
func TestIdentity(t *testing.T) {
	t.Parallel()
	m := built(t, engine(t, "sqlite"), `
name: orders
table: orders
primary_key: [id]
dimensions: [{name: id, type: number}]
joins:
  - {to: customers, on: "orders.customer = customers.id AND orders.shop = customers.shop", relationship: many_to_one}
  - {role: payer, to: customers, on: "payer.shop = orders.shop AND payer.id = orders.customer", relationship: many_to_one}
  - {role: giver, to: customers, on: "orders.giver = giver.id", relationship: many_to_one}
`, `
name: customers
table: customers
dimensions: [{name: id, type: number}]
joins:
  - {to: orders, on: "customers.shop = orders.shop AND customers.id = orders.customer", relationship: one_to_many}
`)
	asked := map[string][]string{}
	for s := range m.Sources() {
		for _, c := range claim.Of(m, s.ID) {
			id := c.Identity(m)
			asked[id] = append(asked[id], string(c.Kind)+" "+strings.Join(c.Columns(m), " "))
		}
	}
	var sizes []int
	for _, all := range asked {
		sizes = append(sizes, len(all))
	}
	slices.Sort(sizes)
	if diff := cmp.Diff([]int{1, 1, 3}, sizes); diff != "" {
		t.Errorf("claims by what they ask: %v", asked)
	}
}
