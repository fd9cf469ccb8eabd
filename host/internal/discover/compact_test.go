package discover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// profiled is what a profile of 1000 rows counted.
func profiled(column string, nulls, distinct int64, bounds ...string) sdk.ColumnStats {
	s := sdk.ColumnStats{Column: column, Rows: 1000, Complete: true, Nulls: nulls, Distinct: distinct, MinLength: -1, MaxLength: -1}
	if len(bounds) == 2 {
		s.Min, s.Max = &bounds[0], &bounds[1]
	}
	return s
}

// labelled has a whole list of values.
func labelled(column string, counts ...any) sdk.ColumnStats {
	s := profiled(column, 0, int64(len(counts)/2))
	s.ValuesComplete = true
	for i := 0; i < len(counts); i += 2 {
		s.Values = append(s.Values, counts[i].(string))
		s.Counts = append(s.Counts, int64(counts[i+1].(int)))
	}
	return s
}

func TestColumnLine(t *testing.T) {
	t.Parallel()
	stats := func(s sdk.ColumnStats, change func(*sdk.ColumnStats)) *sdk.ColumnStats {
		if change != nil {
			change(&s)
		}
		return &s
	}
	tests := []struct {
		want string
		c    Column
	}{
		{"id bigint; key; 1..1000", Column{Type: sdk.TypeInt64, NativeType: "bigint", Name: "id", Marks: []string{"key"}, Stats: stats(profiled("", 0, 1000, "1", "1000"), nil)}},
		{"no int; unique; 1..1000", Column{Type: sdk.TypeInt64, NativeType: "int", Name: "no", Stats: stats(profiled("", 0, 1000, "1", "1000"), nil)}},
		{"n int; null 7%; 30 distinct; 1..9; in EUR -- Net. -- Old.", Column{
			Type: sdk.TypeInt64, NativeType: "int", Name: "n", Unit: "EUR", Description: "Net.", Comment: "Old.", Stats: stats(profiled("", 70, 30, "1", "9"), nil),
		}},
		{"n int; null <1%; ~900 distinct; 1..9", Column{
			Type: sdk.TypeInt64, NativeType: "int", Name: "n", Stats: stats(profiled("", 1, 900, "1", "9"), func(s *sdk.ColumnStats) { s.DistinctApprox = true }),
		}},
		{"at timestamp; null >99%; 2 distinct; 2024-01-05..2025-12-31", Column{
			Type: sdk.TypeTimestamp, NativeType: "timestamp", Name: "at", Stats: stats(profiled("", 998, 2, "2024-01-05 21:39:31", "2025-12-31T23:00:00Z"), func(s *sdk.ColumnStats) { s.Complete = false }),
		}},
		{`status text; paid (700), "on, hold" (299), "" (1) -- One line.`, Column{
			NativeType: "text", Name: "status", Description: "One\nline.", Comment: "One line.", Stats: stats(labelled("", "paid", 700, "on, hold", 299, "", 1), nil),
		}},
		{"flag int; 0 (600), 1 (400)", Column{Type: sdk.TypeInt64, NativeType: "int", Name: "flag", Stats: stats(labelled("", "0", 600, "1", 400), nil)}},
		{"one text; x", Column{NativeType: "text", Name: "one", Stats: stats(labelled("", "x", 1000), nil)}},
		{"region int; fk; 2 distinct; 1..2", Column{
			Type: sdk.TypeInt64, NativeType: "int", Name: "region", Marks: []string{"fk"},
			Stats: stats(labelled("", "1", 600, "2", 400), func(s *sdk.ColumnStats) { s.Min, s.Max = &s.Values[0], &s.Values[1] }),
		}},
		{"sku text; 800 distinct; e.g. a, b, c", Column{
			NativeType: "text", Name: "sku", Stats: stats(profiled("", 0, 800), func(s *sdk.ColumnStats) { s.Values, s.Counts = []string{"a", "b", "c", "d"}, []int64{9, 8, 7, 6} }),
		}},
		{"mail text; null 3%; 873 distinct; withheld: it looks like an address", Column{
			NativeType: "text", Name: "mail", Withheld: "it looks like an address", Stats: stats(profiled("", 27, 873, "a", "z"), nil),
		}},
		{"gone text; always NULL", Column{NativeType: "text", Name: "gone", Stats: stats(profiled("", 1000, 0), nil)}},
		{"new text; nullable", Column{NativeType: "text", Name: "new", Nullable: true}},
		{"pin text; nullable; withheld: secret", Column{NativeType: "text", Name: "pin", Nullable: true, Withheld: "secret"}},
		{`"a;b" text`, Column{NativeType: "text", Name: "a;b"}},
	}
	for _, tt := range tests {
		if got := tt.c.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// shop is a warehouse with all that an answer shows.
func shop(t *testing.T) snapshot {
	orders := primary(table("shop.orders", "One row per order.", "id bigint", "customer_id bigint", "status text", "mail text", "total numeric: Gross.", "day date"), "id")
	orders.ByteEstimate = 1_234_000
	orders.Keys = append(orders.Keys, sdk.Key{Kind: sdk.KeyPartition, Columns: []string{"day"}})
	view := table("shop.totals", "", "customer_id bigint")
	view.Kind, view.RowEstimate, view.Definition = sdk.TableView, -1, "SELECT customer_id\nFROM orders\n"
	s := snapshot{id: "s1", tables: []*sdk.Table{
		foreign(orders, "", "customer_id", "shop.customers", "id"), view,
		primary(table("shop.customers", "", "id bigint", "region_id bigint", "name text"), "id"),
		primary(table("shop.regions", "Where.", "id bigint"), "id"), primary(table("shop.refunds", "", "order_id bigint"), "order_id"),
		table("raw.unrelated", "", "x text"),
	}}
	for _, day := range []string{"01", "02", "03", "04"} {
		s.tables = append(s.tables, table("raw.events_2024"+day, "", "id bigint", "kind text"))
	}
	s.tables = append(s.tables, table("raw.events_1", "", "other text"))
	s.profiles = map[string][]sdk.ColumnStats{
		"shop.orders": {
			profiled("id", 0, 1000, "1", "1000"), profiled("customer_id", 40, 90, "1", "99"), labelled("status", "paid", 900, "open", 100),
			profiled("mail", 0, 950), profiled("total", 0, 800, "1.50", "990.00"), profiled("day", 0, 300, "2024-01-01", "2024-12-31"),
		},
	}
	s.withheld = map[string][]catalog.Withheld{"shop.orders": {{Column: "mail", Reason: "it looks like an address"}}}
	s.attached = inferred(t,
		relationship.Relationship{Link: link("shop.customers", "region_id", "shop.regions", "id"), Origin: relationship.Inferred, Status: relationship.Accepted, Score: .9},
		relationship.Relationship{Link: link("shop.refunds", "order_id", "shop.orders", "id"), Origin: relationship.Inferred, Status: relationship.Accepted, Score: .8})
	return s
}

func (f *fixture) ask(t *testing.T, r EntitiesRequest) string {
	t.Helper()
	r.Connection = "shop"
	a, err := f.Entities(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(strings.TrimPrefix(a.Text(), "connection shop, as scanned 2026-01-02T03:04:05Z\n"), "\n")
}

// What an agent asks, call by call, and what it sees.
func TestConversation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", shop(t))
	f.write(t, "semantic-layer/shop/orders.yaml", "name: orders\ntable: shop.orders\ndescription: What customers bought.\ndimensions:\n  - name: total\n    unit: EUR\n    description: With tax.\n")
	for _, tt := range []struct {
		name string
		r    EntitiesRequest
		want string
	}{
		{"a table", EntitiesRequest{Entities: []EntityQuery{{Display: "orders"}}}, `shop.orders: table; 12 rows; 1.23 MB; one row per id; partitioned by day
-- What customers bought.
-- One row per order.
  id bigint; key; 1..1000
  customer_id bigint; fk; null 4%; 90 distinct; 1..99
  status text; paid (900), open (100)
  mail text; 950 distinct; withheld: it looks like an address
  total numeric; 800 distinct; 1.50..990.00; in EUR -- With tax. -- Gross.
  day date; partition; 300 distinct; 2024-01-01..2024-12-31
joins
  customer_id -> shop.customers.id; n:1; declared
  id <- shop.refunds.order_id; 1:1; inferred 0.80`},
		{"a view", EntitiesRequest{Entities: []EntityQuery{{Display: "totals"}}}, `shop.totals: view; no profile: ranges and values are not known
  customer_id bigint; nullable
definition
SELECT customer_id
FROM orders`},
		{"a copy", EntitiesRequest{Entities: []EntityQuery{{Display: "events_202402", Columns: []string{"id"}}}}, `raw.events_202402: table; 12 rows; 3 other tables of the same columns, the last raw.events_202404; no profile: ranges and values are not known
  id bigint`},
		{"a schema", EntitiesRequest{Schema: "shop"}, `tables
  shop.customers; 12 rows; 3 columns: id, region_id, name
  shop.orders; 12 rows; 6 columns: What customers bought.
  shop.refunds; 12 rows; 1 column: order_id
  shop.regions; 12 rows; 1 column: Where.
  shop.totals (view); 1 column: customer_id`},
		{"a schema with copies", EntitiesRequest{Schema: "RAW"}, `tables
  raw.events_1; 12 rows; 1 column: other
  raw.events_202404; and 3 like it; 12 rows; 2 columns: id, kind
  raw.unrelated; 12 rows; 1 column: x`},
		{"a pattern", EntitiesRequest{Schema: "*.re*"}, `tables
  shop.refunds; 12 rows; 1 column: order_id
  shop.regions; 12 rows; 1 column: Where.`},
		{"all schemas, from the seventh entry on", EntitiesRequest{Schema: "*", Offset: 6}, `schemas
  raw: 6 tables
  shop: 5 tables
tables
  shop.regions; 12 rows; 1 column: Where.
  shop.totals (view); 1 column: customer_id`},
		{"no such schema", EntitiesRequest{Schema: "shpo"}, `not_found: connection shop has no schema or table like "shpo" in its snapshot; take a schema that exists, a pattern such as "*order*.*", or "*" for all
did you mean: shop`},
		{"a join", EntitiesRequest{Between: []EntityQuery{{Display: "refunds"}, {Display: "regions"}}}, `ways
  n:1: shop.refunds.order_id -> shop.orders.id 1:1 inferred 0.80, shop.orders.customer_id -> shop.customers.id n:1 declared, shop.customers.region_id -> shop.regions.id n:1 inferred 0.90`},
		{"the other way round", EntitiesRequest{Between: []EntityQuery{{Display: "customers"}, {Display: "orders"}}}, `ways
  1:n: shop.customers.id <- shop.orders.customer_id 1:n declared
note: A way that is 1:n or n:m repeats rows of shop.customers: aggregate the other side first.`},
		{"no join", EntitiesRequest{Between: []EntityQuery{{Display: "orders"}, {Display: "unrelated"}}},
			`note: No joins of up to 4 steps lead from shop.orders to raw.unrelated. Undecided ones are not used: entity_details of each table lists them.`},
	} {
		if diff := cmp.Diff(tt.want, f.ask(t, tt.r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Of many ways the first are shown, and the answer says that there may be others.
func TestManyWays(t *testing.T) {
	t.Parallel()
	for links, cut := range map[int]bool{maxPaths - 1: false, maxPaths + 2: true} {
		f := newFixture(t)
		tables := []*sdk.Table{primary(table("s.films", "", "id bigint"), "id"), primary(table("s.actors", "", "id bigint"), "id")}
		for i := range links {
			link := table(fmt.Sprintf("s.link_%c", 'a'+i), "", "film_id bigint", "actor_id bigint")
			tables = append(tables, foreign(foreign(link, "", "film_id", "s.films", "id"), "", "actor_id", "s.actors", "id"))
		}
		f.scan(t, "shop", snapshot{id: "s1", tables: tables})
		a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Between: []EntityQuery{{Display: "films"}, {Display: "actors"}}})
		if err != nil || len(a.Paths) != min(links, maxPaths) || strings.Contains(strings.Join(a.Notes, " "), "there may be others") != cut {
			t.Errorf("%d ways: %v, %q, %v", links, a.Paths, a.Notes, err)
		}
	}
}

// Pages of columns and of tables lose none and show none twice.
func TestPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tables := []*sdk.Table{wide("s.wide", 220)}
	for i := range 130 {
		tables = append(tables, table(fmt.Sprintf("s.t%c%c", 'a'+i/26, 'a'+i%26), "", "a text"))
	}
	f.scan(t, "shop", snapshot{id: "s1", tables: tables})
	columns, listed := map[string]int{}, map[string]int{}
	for offset := 0; offset < 220; {
		a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "wide"}}, Offset: offset})
		if err != nil || len(a.Entities[0].Columns) == 0 || a.Entities[0].TotalColumns != 220 {
			t.Fatalf("%+v, %v", a, err)
		}
		if n := len(compact(t, a)); n > 4000 {
			t.Errorf("a page has %d bytes", n)
		}
		for _, c := range a.Entities[0].Columns {
			columns[c.Name]++
		}
		offset += len(a.Entities[0].Columns)
	}
	for offset := 0; offset < 131; {
		a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Schema: "s", Offset: offset})
		if err != nil || len(a.Tables) == 0 || a.TotalTables != 131 {
			t.Fatalf("%+v, %v", a, err)
		}
		for _, one := range a.Tables {
			listed[one.Display]++
		}
		offset += len(a.Tables)
	}
	for name, times := range columns {
		if times != 1 {
			t.Errorf("column %s is shown %d times", name, times)
		}
	}
	if len(columns) != 220 || len(listed) != 131 {
		t.Errorf("%d columns and %d tables", len(columns), len(listed))
	}
	a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "wide"}}, Offset: 900})
	if err != nil || len(a.Entities[0].Columns) != 0 || len(a.Notes) != 1 {
		t.Errorf("behind the last: %+v, %v", a, err)
	}
}

// Rows are shown when they are asked for: those of the columns that are shown, with
// what is withheld in its place.
func TestSample(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text := func(all ...string) (values []*string) {
		for _, v := range all {
			values = append(values, &v)
		}
		return values
	}
	orders := table("s.orders", "", "id bigint", "email text", "note text", "added text")
	f.scan(t, "shop", snapshot{
		id: "s1", tables: []*sdk.Table{orders, table("s.old", "", "id bigint"), table("s.bare", "", "id bigint"), table("s.empty", "", "id bigint")},
		profiles: map[string][]sdk.ColumnStats{
			"s.orders": {values("id"), values("email"), values("note")}, "s.old": {values("id")}, "s.empty": {{Column: "id"}},
		},
		withheld: map[string][]catalog.Withheld{"s.orders": {{Column: "email", Reason: "it is called like an e-mail address"}}},
		cells: map[string][]catalog.Cells{
			"s.orders": {{Column: "id", Values: text("7", "3", "5")}, {Column: "note", Values: append(text("NULL", "late, again"), nil)}},
			"s.empty":  {},
		},
	})
	ask := func(r EntitiesRequest) *EntitiesAnswer {
		t.Helper()
		r.Connection = "shop"
		a, err := f.Entities(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	all := []EntityQuery{{Display: "orders"}, {Display: "old"}, {Display: "bare"}, {Display: "empty"}}
	if a := ask(EntitiesRequest{Entities: all}); a.Entities[0].Sample != nil || a.Notes != nil {
		t.Errorf("rows were not asked for: %+v", a)
	}
	a := ask(EntitiesRequest{Entities: all, Sample: 2})
	want := []string{"id, email, note, added", `7, (withheld), "NULL", (not profiled)`, `3, (withheld), "late, again", (not profiled)`}
	if diff := cmp.Diff(want, a.Entities[0].Sample); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if !strings.Contains(a.Text(), "rows\n  id, email") {
		t.Errorf("the text has no rows:\n%s", a.Text())
	}
	notes := strings.Join(a.Notes, "\n")
	for _, part := range []string{"s.old was profiled when no rows were kept: run loam scan shop", "s.bare has no rows to show, because it has no profile: loam scan shop --mode enriched", "s.empty was empty"} {
		if !strings.Contains(notes, part) {
			t.Errorf("no note says %q:\n%s", part, notes)
		}
	}
	a = ask(EntitiesRequest{Entities: []EntityQuery{{Display: "orders", Columns: []string{"note", "id"}}}, Sample: 9})
	if diff := cmp.Diff([]string{"id, note", `7, "NULL"`, `3, "late, again"`, "5, NULL"}, a.Entities[0].Sample); diff != "" {
		t.Errorf("rows of two columns (-want +got):\n%s", diff)
	}
}

// Rows count for the size of an answer like lines of columns.
func TestSampleFits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := wide("s.wide", 60)
	var stats []sdk.ColumnStats
	var cells []catalog.Cells
	long := strings.Repeat("x", 100)
	for _, c := range w.Columns {
		stats = append(stats, values(c.Name))
		cells = append(cells, catalog.Cells{Column: c.Name, Values: []*string{&long, &long, &long}})
	}
	f.scan(t, "shop", snapshot{
		id: "s1", tables: []*sdk.Table{w}, profiles: map[string][]sdk.ColumnStats{"s.wide": stats}, cells: map[string][]catalog.Cells{"s.wide": cells},
	})
	const most = 8000
	a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "wide"}}, Sample: 3, MaxChars: most})
	if err != nil {
		t.Fatal(err)
	}
	e := a.Entities[0]
	if n := len(compact(t, a)); n > most*11/10 || len(e.Sample) != 4 || len(e.Columns) < leastColumns || len(e.Columns) == 60 {
		t.Errorf("%d bytes, %d columns, rows %q", n, len(e.Columns), e.Sample)
	}
	if got := strings.Count(e.Sample[1], long); got != len(e.Columns) || len(a.Notes) == 0 {
		t.Errorf("%d cells of %d columns, notes %q", got, len(e.Columns), a.Notes)
	}
}

// Nine columns with all that is known of them take no more than 700 bytes.
func TestNineColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	orders := primary(table("main.orders", "", "id bigint", "customer_id bigint", "bill_region_id bigint", "ship_region_id bigint", "status text", "currency text", "cents bigint", "ordered_at timestamptz", "shipped_at timestamptz"), "id")
	regions := primary(table("main.regions", "", "id bigint"), "id")
	f.scan(t, "shop", snapshot{id: "sync-20261123T070906.217Z-75vemail", tables: []*sdk.Table{
		foreign(foreign(orders, "", "bill_region_id", "main.regions", "id"), "", "ship_region_id", "main.regions", "id"), regions,
	}, profiles: map[string][]sdk.ColumnStats{"main.orders": {
		profiled("id", 0, 1000, "1", "1000"), profiled("customer_id", 80, 900, "1", "900"), profiled("bill_region_id", 0, 12, "1", "12"), profiled("ship_region_id", 0, 12, "1", "12"),
		labelled("status", "shipped", 500, "paid", 250, "pending", 150, "cancelled", 100), labelled("currency", "EUR", 700, "GBP", 200, "CHF", 100),
		labelled("cents", "490", 500, "990", 300, "0", 200), profiled("ordered_at", 0, 1000, "2024-01-05 21:39:31", "2025-12-31 19:38:14"), profiled("shipped_at", 430, 570, "2024-01-08 11:39:31", "2026-01-05 02:38:14"),
	}}})
	a := f.entities(t, EntityQuery{Display: "orders"})
	if n := len(a.Text()); n > 700 {
		t.Errorf("the text has %d bytes:\n%s", n, a.Text())
	}
	if n := len(compact(t, a.Entities[0].Columns)); n > 700 {
		t.Errorf("the columns have %d bytes", n)
	}
}

// TestSearchText writes references of each shape.
func TestSearchText(t *testing.T) {
	t.Parallel()
	known := func(s string) *string { return &s }
	a := &SearchAnswer{
		Refs: []Ref{
			{Kind: "wiki", ID: "churn", Score: 1, Summary: known("Who\nleft."), Snippet: known("# Churn\n\nWho left"), Standing: Standing{Trust: "agent", Flags: []string{"conflict", "stale"}}},
			{Kind: "table", ID: "main.orders_9", Score: .9, Snippet: known("id, status"), ConnectionID: "shop", Copies: 8},
			{Kind: "column", ID: "main.orders.status", Score: .8, Partial: true, ConnectionID: "shop", Summary: known("Where it is."), Snippet: known("Where it is.")},
		},
		Notes: []string{`No name or text has "x".`},
	}
	want := `wiki churn; agent; conflict; stale -- Who left.
  # Churn Who left
table main.orders_9; shop; and 8 like it
  id, status
column main.orders.status; shop; partial -- Where it is.
note: No name or text has "x".`
	if diff := cmp.Diff(want, a.Text()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
