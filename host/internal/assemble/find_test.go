package assemble

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

func (f *fixture) schema(t testing.TB, r SchemaRequest) *SchemaAnswer {
	t.Helper()
	a, err := f.Schema(t.Context(), r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return a
}

func foundTables(a *SchemaAnswer) string {
	var all []string
	for _, r := range a.Results {
		all = append(all, string(r.ConnectionID)+"/"+r.Table)
	}
	return strings.Join(all, " ")
}

// Hits are grouped by their tables, with what is known of them.
func TestSchema(t *testing.T) {
	t.Parallel()
	f := shop(t)
	a := f.schema(t, SchemaRequest{Query: "customer"})
	if a.Total != 2 || a.NextCursor != nil || len(a.Results) != 2 {
		t.Fatalf("answer: %s", encode(a))
	}
	want := `{"table":"main.customers","connectionId":"shop","tableRef":{"db":"main","name":"customers"},"description":"Who buys.","rowCount":300,"joins":["main.orders"],"score":1}`
	if diff := cmp.Diff(want, encode(a.Results[0])); diff != "" {
		t.Errorf("the table itself (-want +got):\n%s", diff)
	}
	want = `{"table":"main.orders","connectionId":"shop","tableRef":{"db":"main","name":"orders"},"description":"One row per order.","rowCount":6000,` +
		`"matchedColumns":[{"name":"customer_id","type":"bigint"}],"joins":["main.customers"],"score":`
	if got := encode(a.Results[1]); !strings.HasPrefix(got, want) {
		t.Errorf("a table by a column (-want +got):\n%s", cmp.Diff(want, got))
	}
	if f.leases != 0 {
		t.Errorf("%d sessions were asked for", f.leases)
	}
}

// Every input changes the answer; words need not stand together, and % and _ are no wildcards.
func TestSchemaInputs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, connection.Connection{ID: "shop", Connector: "foodb"}, connection.Connection{ID: "crm", Connector: "foodb"}, connection.Connection{ID: "new", Connector: "foodb"})
	f.scan(t, "shop", nil,
		table("main.orders", 5, "", "id bigint", "shipped_to_country text: the date is elsewhere", "discount_pct bigint: 100% off"),
		table("main.parcels", 5, "", "id bigint", "weight bigint"))
	f.scan(t, "crm", nil, table("main.leads", 5, "", "id bigint", "country text"))
	for _, tt := range []struct {
		name string
		r    SchemaRequest
		want string
	}{
		{"words of a name that do not stand together", SchemaRequest{Query: "shipped country"}, "shop/main.orders"},
		{"all connections", SchemaRequest{Query: "country"}, "crm/main.leads shop/main.orders"},
		{"one connection", SchemaRequest{Query: "country", Connection: "crm"}, "crm/main.leads"},
		{"one that was never scanned", SchemaRequest{Query: "country", Connection: "new"}, ""},
		{"a limit", SchemaRequest{Query: "country", Limit: 1}, "crm/main.leads"},
		{"a wildcard is text", SchemaRequest{Query: "%"}, ""},
		{"another", SchemaRequest{Query: "w%t"}, ""},
		{"a single character", SchemaRequest{Query: "countr_"}, "crm/main.leads shop/main.orders"},
	} {
		if got := foundTables(f.schema(t, tt.r)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if a := f.schema(t, SchemaRequest{Query: "country"}); a.Total != 2 || !strings.Contains(strings.Join(a.Notes, "\n"), "loam scan new") {
		t.Errorf("notes: %s", encode(a))
	}
	if a := f.schema(t, SchemaRequest{Query: "quokka", Connection: "crm"}); !strings.Contains(strings.Join(a.Notes, "\n"), `"quokka"`) {
		t.Errorf("notes: %s", encode(a))
	}
}

// Following the cursor lists every table once, in the order of one page; a cursor of other arguments is refused.
func TestSchemaPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var tables []*sdk.Table
	for i := range 45 {
		tables = append(tables, table(fmt.Sprintf("main.order_part_%c%c", 'a'+i/7, 'a'+i%7), 5, "", "id bigint", "order_note text"))
	}
	f.scan(t, "shop", nil, tables...)
	whole := foundTables(f.schema(t, SchemaRequest{Query: "order", Limit: 100}))
	r := SchemaRequest{Query: "order"}
	var pages []string
	for {
		a := f.schema(t, r)
		if a.Total != 45 || len(a.Results) > 20 {
			t.Fatalf("%d of %d", len(a.Results), a.Total)
		}
		pages = append(pages, foundTables(a))
		if a.NextCursor == nil {
			break
		}
		r.Cursor = *a.NextCursor
	}
	if diff := cmp.Diff(whole, strings.Join(pages, " ")); diff != "" || len(pages) != 3 {
		t.Errorf("%d pages (-one +many):\n%s", len(pages), diff)
	}
	for _, bad := range []SchemaRequest{
		{Query: "order", Limit: 21, Cursor: r.Cursor}, {Query: "note", Cursor: r.Cursor}, {Query: "order", Connection: "shop", Cursor: r.Cursor},
		{Query: " "}, {Query: strings.Repeat("ü", 501)}, {Query: "x", Limit: 101}, {Query: "x", Limit: -1},
	} {
		if _, err := f.Schema(t.Context(), bad); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := f.Schema(t.Context(), SchemaRequest{Query: "x", Connection: "shpo"}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an unknown connection: %v", err)
	}
}

// A caller who may use one connection reads nothing of others.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, connection.Connection{ID: "shop", Connector: "foodb"}, connection.Connection{ID: "crm", Connector: "foodb"})
	f.scan(t, "shop", nil, table("main.orders", 5, "", "id bigint", "country text"))
	f.scan(t, "crm", nil, table("main.leads", 5, "", "id bigint", "country text"))
	f.write(t, "wiki/global/lead.md", "---\ntitle: Lead\nsummary: A person.\nconnections: [crm]\n---\n")
	f.write(t, "wiki/global/order.md", "---\ntitle: Order\nsummary: A parcel.\nconnections: [shop]\n---\n")
	f.write(t, "semantic-layer/crm/leads.yaml", "name: leads\ntable: main.leads\nprimary_key: [id]\nsegments: [{name: hot, expr: \"country = 'DE'\"}]\n")
	all := f.connections
	ctx := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"shop"}}})
	f.connections = all[:1] // as application.connections restricts them
	for _, r := range []ContextRequest{{Depth: Domain}, {Depth: Columns}} {
		a, err := f.Context(ctx, r)
		if err != nil || strings.Contains(strings.ToLower(encode(a)), "lead") || !strings.Contains(encode(a), "parcel") {
			t.Errorf("%+v: %v, %s", r, err, encode(a))
		}
	}
	a, err := f.Schema(ctx, SchemaRequest{Query: "country quokka"})
	if err != nil || foundTables(a) != "shop/main.orders" || strings.Contains(encode(a), "quokka") {
		t.Errorf("%v, %s", err, encode(a))
	}
}
