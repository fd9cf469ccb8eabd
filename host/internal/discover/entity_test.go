package discover

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// sales is a small warehouse: two schemas with an orders table each.
func sales() snapshot {
	orders := primary(table("public.orders", "One row per order.", "id bigint", "customer_id bigint", "region_no bigint", "Status text: paid or not", "STATUS text",
		"total numeric", "day date", "seen timestamptz", "open boolean", "body json"), "id")
	items := primary(table("public.order_items", "", "order_id bigint", "line_no bigint", "sku text"), "order_id", "line_no")
	refunds := table("public.refunds", "", "id bigint", "order_id bigint", "line_no bigint", "sku text")
	view := table("public.order_totals", "", "order_id bigint")
	view.Kind, view.RowEstimate = sdk.TableMaterialized, -1
	external := table("public.archive", "", "id bigint")
	external.Kind = sdk.TableExternal
	return snapshot{id: "s1", tables: []*sdk.Table{
		foreign(orders, "orders_customer_fk", "customer_id", ".customers", "id"),
		foreign(items, "", "order_id", "public.orders", "id"),
		foreign(refunds, "", "order_id line_no", "public.order_items", "order_id line_no"),
		view, external, primary(table("public.customers", "", "id bigint", "name text"), "id"),
		primary(table("public.regions", "", "no bigint"), "no"), table("staging.orders", "", "id bigint"), table("public.we.ird", "", "a.b text"),
	}}
}

func link(from, column, to, toColumn string) relationship.Link {
	return relationship.Link{From: ref(from), Columns: strings.Fields(column), To: ref(to), ToColumns: strings.Fields(toColumn)}
}

func inferred(t *testing.T, all ...relationship.Relationship) []byte {
	t.Helper()
	data, err := (&relationship.Result{Relationships: all}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (f *fixture) entities(t testing.TB, queries ...EntityQuery) *EntitiesAnswer {
	t.Helper()
	a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: queries})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func compact(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEntity(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", sales())
	got := compact(t, f.entities(t, EntityQuery{Display: "PUBLIC.Orders", Columns: []string{"id", "Status", "total", "day", "b*"}}))
	want := `{"connectionId":"shop","snapshot":{"syncId":"s1","extractedAt":"2026-01-02T03:04:05Z"},"entities":[{"display":"public.orders","kind":"table","rows":12,` +
		`"facts":["one row per id","no profile: ranges and values are not known"],"comment":"One row per order.",` +
		`"columns":["id bigint; key","Status text; nullable -- paid or not","total numeric; nullable","day date; nullable","body json; nullable"],` +
		`"joins":["customer_id -\u003e public.customers.id; n:1; declared","id \u003c- public.order_items.order_id; 1:n; declared"]}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestEntityNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", sales())
	tests := []struct {
		name string
		q    EntityQuery
		want string // kind display rows, or code input: candidates
	}{
		{"a view without an estimate", EntityQuery{Display: "order_totals"}, "view public.order_totals ?"},
		{"external", EntityQuery{Display: "archive"}, "external public.archive 12"},
		{"by its parts", EntityQuery{Ref: sdk.TableRef{Schema: "staging", Name: "orders"}}, "table staging.orders 12"},
		{"quoted", EntityQuery{Display: `"public"."orders"`}, "table public.orders 12"},
		{"as it is shown", EntityQuery{Display: `public."we.ird"`}, `table public."we.ird" 12`},
		{"in two schemas", EntityQuery{Display: "orders"}, "ambiguous orders: public.orders staging.orders"},
		{"in two schemas, by its parts", EntityQuery{Ref: sdk.TableRef{Name: "Orders"}}, "ambiguous Orders: public.orders staging.orders"},
		{"a typo", EntityQuery{Display: "public.custmers"}, "not_found public.custmers: public.customers"},
		{"a partition of a table", EntityQuery{Display: "public.refunds_2024_01"}, "not_found public.refunds_2024_01: public.refunds"},
		{"a longer word", EntityQuery{Display: "public.refundsarchived"}, "not_found public.refundsarchived: "},
		{"nothing like it", EntityQuery{Display: "public.zzzzzzzzz"}, "not_found public.zzzzzzzzz: "},
		{"quoted in another case", EntityQuery{Display: `public."Orders"`}, `not_found public."Orders": public.orders staging.orders`},
		{"far too long", EntityQuery{Display: strings.Repeat("é", 1<<19)}, "not_found " + strings.Repeat("é", 200) + "…: "},
		{"NUL", EntityQuery{Display: "\x00"}, "not_found \x00: "},
		{"empty", EntityQuery{}, `not_found "": `},
	}
	var queries []EntityQuery
	for _, tt := range tests {
		queries = append(queries, tt.q)
	}
	a := f.entities(t, queries...)
	var got, want []string
	for _, e := range a.Entities {
		rows := "?"
		if e.Rows != nil {
			rows = fmt.Sprint(*e.Rows)
		}
		got = append(got, e.Kind+" "+e.Display+" "+rows)
	}
	for _, e := range a.Errors {
		got = append(got, e.Code+" "+e.Input+": "+strings.Join(e.Candidates, " "))
		if e.Code == codeNotFound && !strings.Contains(e.Message, "loam scan shop") {
			t.Errorf("the message does not say how to scan again: %s", e.Message)
		}
	}
	for _, tt := range tests {
		want = append(want, tt.want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// Where the engine has no estimate, a profile of all rows is one; of some it is none.
func TestEntityRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := snapshot{id: "s1", profiles: map[string][]sdk.ColumnStats{"s.whole": {values("a")}, "s.sampled": {values("a")}, "s.estimated": {values("a")}}}
	s.profiles["s.sampled"][0].Complete = false
	for name := range s.profiles {
		s.tables = append(s.tables, table(name, "", "a text"))
	}
	s.tables = append(s.tables, table("s.none", "", "a text"))
	for _, one := range s.tables {
		if one.Name != "estimated" {
			one.RowEstimate = -1
		}
	}
	f.scan(t, "shop", s)
	a := f.entities(t, EntityQuery{Display: "whole"}, EntityQuery{Display: "sampled"}, EntityQuery{Display: "estimated"}, EntityQuery{Display: "none"})
	var got []*int64
	for _, e := range a.Entities {
		got = append(got, e.Rows)
	}
	if want := "[1000,null,12,null]"; compact(t, got) != want {
		t.Errorf("rows %s, want %s", compact(t, got), want)
	}
}

func TestEntityColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", sales())
	a := f.entities(t,
		EntityQuery{Display: "public.orders", Columns: []string{"TOTAL", "id", "id", "status", "custmer_id"}},
		EntityQuery{Display: "public.orders", Columns: []string{"STATUS", strings.Repeat("x", 1<<20)}})
	var got []string
	for _, e := range a.Entities {
		for _, c := range e.Columns {
			got = append(got, c.Name)
		}
		got = append(got, fmt.Sprint(len(e.Joins), " joins"))
	}
	for _, e := range a.Errors {
		got = append(got, e.Code+" "+e.Input+": "+strings.Join(e.Candidates, " "))
	}
	want := []string{
		"id", "total", "2 joins", "STATUS", "2 joins",
		"ambiguous public.orders.status: Status STATUS", "not_found public.orders.custmer_id: customer_id",
		"not_found public.orders." + strings.Repeat("x", 200) + "…: ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns and errors (-want +got):\n%s", diff)
	}
}

// keys are the lines of the joins of a table that start from it.
func (f *fixture) keys(t *testing.T, table string) (all []string) {
	t.Helper()
	for _, j := range f.entities(t, EntityQuery{Display: table}).Entities[0].Joins {
		if !j.incoming {
			all = append(all, j.String())
		}
	}
	return all
}

func TestForeignKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	region := link("public.orders", "region_no", "public.regions", "no")
	sku := link("public.refunds", "order_id line_no sku", "public.order_items", "order_id line_no sku")
	s := sales()
	s.attached = inferred(t,
		relationship.Relationship{Link: region, Origin: relationship.Inferred, Status: relationship.Accepted, Score: 0.93049},
		relationship.Relationship{Link: sku, Origin: relationship.Inferred, Status: relationship.Review, Score: 0.6, Evidence: relationship.Evidence{
			Key:    1,
			Rivals: []relationship.Link{link("public.refunds", "order_id line_no sku", "staging.orders", "a b c")},
		}})
	f.scan(t, "shop", s)
	const declared = "customer_id -> public.customers.id; n:1; declared"
	const composite = "(order_id, line_no) -> public.order_items(order_id, line_no); n:1; declared"
	check := func(when, table string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, f.keys(t, table)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("declared and inferred", "public.orders", declared, "region_no -> public.regions.no; n:1; inferred 0.93")
	check("not yet reviewed", "public.refunds", composite,
		"(order_id, line_no, sku) -> public.order_items(order_id, line_no, sku); n:1; undecided 0.60: staging.orders(a, b, c) fits too, a person has to choose")

	decide := func(all ...relationship.Decision) {
		t.Helper()
		if err := relationship.PutDecisions(f.Keys.File("shop"), all); err != nil {
			t.Fatal(err)
		}
	}
	rejected, accepted := relationship.Rejected, relationship.Accepted
	decide(relationship.Decision{Link: region, Status: rejected}, relationship.Decision{Link: sku, Status: accepted},
		relationship.Decision{Link: link("public.orders", "customer_id", "public.customers", "id"), Status: rejected},
		relationship.Decision{Link: link("public.orders", "gone", "public.regions", "no"), Status: accepted},
		relationship.Decision{Link: link("public.orders", "region_no", "public.gone", "no"), Status: accepted},
		relationship.Decision{Link: link("public.orders", "region_no", "public.regions", "gone"), Status: accepted})
	check("rejected, and links whose ends are gone", "public.orders", declared)
	check("accepted by a person", "public.refunds", composite,
		"(order_id, line_no, sku) -> public.order_items(order_id, line_no, sku); n:1; accepted by a person")

	t.Log("a rescan in which nothing was inferred, and no decisions")
	decide()
	f.scan(t, "shop", snapshot{id: "s2", tables: sales().tables})
	check("after a rescan", "public.orders", declared)

	if err := os.WriteFile(f.Keys.File("shop"), []byte("<<<<<<<"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "public.orders"}}})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindInvalid || e.Hint == "" {
		t.Errorf("with decisions that cannot be understood: %v", err)
	}
}

func TestEntitiesAreOfTheLatestSnapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := open(t, f.dir)
	f.scan(t, "shop", sales())
	ask := EntityQuery{Display: "public.customers"}
	if got := other.entities(t, ask); len(got.Entities[0].Columns) != 2 || got.Snapshot.SyncID != "s1" {
		t.Errorf("before: %+v", got)
	}
	f.scan(t, "shop", snapshot{id: "s2", tables: []*sdk.Table{table("public.customers", "", "id bigint", "name text", "vat text")}})
	for _, one := range []*fixture{f, other} {
		if got := one.entities(t, ask); len(got.Entities[0].Columns) != 3 || got.Snapshot.SyncID != "s2" {
			t.Errorf("after: %+v", got)
		}
	}
	if id, err := other.Scanned("shop"); err != nil || id.SyncID != "s2" || id.Counts.Columns != 3 {
		t.Errorf("Scanned = %+v, %v", id, err)
	}
	if id, err := other.Scanned("crm"); err != nil || id != nil {
		t.Errorf("Scanned of a connection that never was = %+v, %v", id, err)
	}
}

func TestEntitiesRefuse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", sales())
	tests := []struct {
		name, connection string
		kind             sdk.Kind
		hint             string
	}{
		{"an unknown connection", "shpo", sdk.KindNotFound, "crm, shop"},
		{"no connection", "", sdk.KindNotFound, "crm, shop"},
		{"never scanned", "crm", sdk.KindNotFound, "loam scan crm"},
	}
	for _, tt := range tests {
		_, err := f.Entities(t.Context(), EntitiesRequest{Connection: connection.ID(tt.connection)})
		if e := sdk.AsError(err, ""); e == nil || e.Kind != tt.kind || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	packs, err := filepath.Glob(filepath.Join(f.dir, "catalog", "shop", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	content, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := 64; i < len(content); i++ {
		content[i] ^= 0xff
	}
	if err := os.WriteFile(packs[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = open(t, f.dir).Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "public.orders"}}})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindUnavailable || e.Hint == "" {
		t.Errorf("a damaged catalog: %v", err)
	}
}

// wide makes a table of so many columns.
func wide(name string, columns int) *sdk.Table {
	var all []string
	for i := range columns {
		all = append(all, fmt.Sprintf("measurement_%04d numeric", i))
	}
	return table(name, "", all...)
}

func TestNothingIsCutSilently(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	verbose := table("public.verbose", strings.Repeat("é", maxComment), "a text: "+strings.Repeat("é", maxComment+1), "b text: short")
	all := []*sdk.Table{wide("public.wide", 3000), wide("public.wider", 3001), wide("public.narrow", 20), verbose}
	for i := range 17 {
		all = append(all, wide(fmt.Sprintf("public.t%02d", i), 5))
	}
	f.scan(t, "shop", snapshot{id: "s1", tables: all})
	tests := []struct {
		name     string
		max      int
		queries  []string
		columns  map[string]int // of the tables that lost some, how many at least
		whole    []string
		comments bool
	}{
		{"a wide one", 0, []string{"wide"}, map[string]int{"public.wide": 80}, nil, false},
		{"wide ones share what others leave", 0, []string{"wide", "narrow", "wider", "t00"}, map[string]int{"public.wide": 80, "public.wider": 80}, []string{"public.narrow", "public.t00"}, false},
		{"no limit", -1, []string{"wide", "verbose"}, nil, []string{"public.wide", "public.verbose"}, false},
		{"hardly any", 1, []string{"wide", "t00"}, map[string]int{"public.wide": 10}, []string{"public.t00"}, false},
		{"long comments", 0, []string{"verbose"}, nil, []string{"public.verbose"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var queries []EntityQuery
			for _, name := range tt.queries {
				queries = append(queries, EntityQuery{Display: name})
			}
			a, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: queries, MaxChars: tt.max})
			if err != nil {
				t.Fatal(err)
			}
			size := len([]rune(compact(t, a)))
			t.Logf("%d characters", size)
			if tt.max == 0 && (size > defaultChars*11/10) {
				t.Errorf("%d characters, wanted at most %d", size, defaultChars)
			}
			for _, e := range a.Entities {
				least, cutShort := tt.columns[e.Display]
				if cutShort != (e.TotalColumns > 0) || len(e.Columns) < least || cutShort == slices.Contains(tt.whole, e.Display) {
					t.Errorf("%s: %d of %d columns", e.Display, len(e.Columns), e.TotalColumns)
				}
				said := slices.ContainsFunc(a.Notes, func(n string) bool {
					return strings.Contains(n, e.Display+":") && strings.Contains(n, "name the ones you want in columns")
				})
				if said != cutShort {
					t.Errorf("%s: notes %q", e.Display, a.Notes)
				}
			}
			if said := strings.Contains(strings.Join(a.Notes, ""), "end with …"); said != tt.comments {
				t.Errorf("notes %q", a.Notes)
			}
		})
	}
	t.Run("the rest by name", func(t *testing.T) {
		t.Parallel()
		a := f.entities(t, EntityQuery{Display: "wide", Columns: []string{"measurement_2999"}})
		if e := a.Entities[0]; len(e.Columns) != 1 || e.Columns[0].Name != "measurement_2999" || e.TotalColumns > 0 || a.Notes != nil {
			t.Errorf("answer: %+v", a)
		}
	})
}

func TestDamagedAttachmentIsAnError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", snapshot{id: "s1", tables: sales().tables, attached: []byte("no JSON")})
	_, err := f.Entities(t.Context(), EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "public.orders"}}})
	if sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("err = %v", err)
	}
}
