package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// foodb counts how often its connector is started.
type foodb struct{ started *atomic.Int32 }

func (foodb) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: []dialect.Dialect{{Name: "foosql"}}}, nil
}

func (foodb) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f foodb) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	f.started.Add(1)
	return nil, nil, errors.New("no warehouse is asked")
}

// fixture is a project folder with the page on it.
type fixture struct {
	dir      string
	catalogs *catalog.Set
	browser  *consoletest.Browser
	started  atomic.Int32
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}, {ID: "crm", Connector: "foodb"}})
	}
	pages, err := wiki.Open(filepath.Join(f.dir, "wiki"), "")
	if err != nil {
		t.Fatal(err)
	}
	f.catalogs = catalog.NewSet(filepath.Join(f.dir, "catalog"))
	keys := foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") })
	layers := layer.New(layer.Config{Dir: filepath.Join(f.dir, "semantic-layer"), Cache: filepath.Join(f.dir, "cache"), Catalogs: f.catalogs, Keys: keys, Logger: log})
	index := indexer.New(indexer.Config{Dir: filepath.Join(f.dir, "index"), Connections: connections, Catalogs: f.catalogs, Semantic: layers, Wiki: pages, Logger: log})
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	found := discover.New(discover.Config{
		Warehouses: warehouse.New(connections, foodb{&f.started}, log), Catalogs: f.catalogs, Index: index, Wiki: pages, Keys: keys, Now: time.Now, Logger: log,
	})
	f.browser = consoletest.Open(t, Pages(Services{Discover: found, Connections: connections}))
	return f
}

func (f *fixture) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// scan commits a snapshot of the connection shop: a table with a column "status" of these values, and "email" withheld.
func (f *fixture) scan(t *testing.T, schema, name, comment string, values ...string) {
	t.Helper()
	w, err := f.catalogs.Of("shop").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	table := &sdk.Table{
		TableRef: sdk.TableRef{Schema: schema, Name: name}, Kind: sdk.TableBase, Comment: comment, RowEstimate: 12, ByteEstimate: -1,
		Columns: []sdk.Column{{Name: "status", NativeType: "text", Type: sdk.TypeText, Comment: comment}, {Name: "email", NativeType: "text", Type: sdk.TypeText}},
	}
	stats := sdk.ColumnStats{Column: "status", Rows: 12, Complete: true, Distinct: int64(len(values)), Values: values, Counts: make([]int64, len(values)), ValuesComplete: true, MinLength: -1, MaxLength: -1}
	profile := &catalog.Profile{At: at, Stats: []sdk.ColumnStats{stats}, Withheld: []catalog.Withheld{{Column: "email", Reason: "personal"}}}
	if err := errors.Join(w.Table(table), w.Profile(table.TableRef, profile)); err != nil {
		t.Fatal(err)
	}
	id := catalog.Identity{SyncID: "s1", ScanRunID: "r1", ExtractedAt: at, Mode: catalog.Enriched, Coverage: catalog.Coverage{SampledRows: 100, ValuesPerColumn: 10, ProfiledAt: at}}
	if _, err := w.Commit(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// to returns the address of the link with these words; "" = there is none.
func to(p *consoletest.Page, words string) string {
	for _, l := range p.Links {
		if l.Text == words {
			return l.To
		}
	}
	return ""
}

func TestSearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "sales", "orders", "What customers bought.", "shipped", "returned")
	f.write(t, "wiki/global/metrics/orders.md", "---\norigin: agent\n---\n# Orders\n\nOrders count when they are shipped.\n")
	f.write(t, "semantic-layer/shop/orders.yaml", "name: orders\ntable: sales.orders\nmeasures: [{name: orders_shipped, agg: count, filter: \"status = 'shipped'\"}]\ndimensions: [{name: order_state, expr: status, type: string}]\n")
	p := f.browser.Get("search?q=orders")
	for words, want := range map[string]string{
		"metrics/orders": "/console/wiki/metrics/orders", "orders.orders_shipped": "/console/measure/shop/orders.orders_shipped", "orders": "/console/semantic/shop/orders",
	} {
		if got := to(p, words); got != want {
			t.Errorf("%q leads to %q, want %q: %v", words, got, want, p.Links)
		}
	}
	if !strings.Contains(p.Text, "agent") || !strings.Contains(p.Text, "measure") || !strings.Contains(p.Text, "loam search orders") {
		t.Errorf("the page: %s", p.Text)
	}
	if p := f.browser.Get("search?q=order+state&kind=sl_dimension"); to(p, "orders.order_state") != "/console/semantic/shop/orders" {
		t.Errorf("dimensions: %v, %s", p.Links, p.Text)
	}
	if p := f.browser.Get("search?q=orders&kind=table&connection=shop"); to(p, "sales.orders") != "/console/catalog/shop/table/sales.orders" || !strings.Contains(p.Text, "loam search --kind table -c shop orders") {
		t.Errorf("tables: %v, %s", p.Links, p.Text)
	}
	if p := f.browser.Get("search?q=status&kind=column"); to(p, "sales.orders.status") != "/console/catalog/shop/table/sales.orders" || to(p, "sales.orders.email") != "" {
		t.Errorf("columns: %v", p.Links)
	}
	p = f.browser.Get("search?q=shipped")
	if !strings.Contains(p.Text, "Columns with this value") || to(p, "sales.orders.status") != "/console/catalog/shop/table/sales.orders" {
		t.Errorf("a value: %s", p.Text)
	}
	p = f.browser.Get("search?q=somebody@example.com&kind=value")
	for _, want := range []string{"Where it was not found", "may be in columns whose values are not kept", "sales.orders.email: personal", "crm: its values were never sampled", "loam search --value"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing: %s", want, p.Text)
		}
	}
	if n := f.started.Load(); n != 0 {
		t.Errorf("a connector was started %d times", n)
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 60 {
		f.write(t, fmt.Sprintf("wiki/global/p%02d.md", i), "# Page\n\nRevenue is gross.\n")
	}
	seen := map[string]bool{}
	at := "search?q=revenue&kind=wiki"
	for range 5 {
		p := f.browser.Get(at)
		for _, l := range p.Links {
			if strings.HasPrefix(l.To, "/console/wiki/") {
				if seen[l.To] {
					t.Errorf("%s twice", l.To)
				}
				seen[l.To] = true
			}
		}
		if at = p.Link("Next page"); at == "" {
			break
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d hits of 60", len(seen))
	}
	if p := f.browser.Get("search"); !strings.Contains(p.Text, "loam search WORD...") || p.Status != 200 {
		t.Errorf("nothing asked: %s", p.Text)
	}
	if p := f.browser.Get("search?q=xqzzy"); !strings.Contains(p.Text, "Nothing was found") {
		t.Errorf("nothing found: %s", p.Text)
	}
	var data results
	if status := f.browser.JSON("search?q=revenue", &data); status != 200 || len(data.Hits) != listed || data.Pager.Next != "25" || data.Hits[0].Kind != "wiki" {
		t.Errorf("as JSON: %d, %+v", status, data.Pager)
	}
	for _, bad := range []string{"kind=x", "connection=x", "cursor=x", "cursor=9999"} {
		if p := f.browser.Get("search?q=a&" + bad); p.Status != 422 && p.Status != 404 {
			t.Errorf("%s: status %d", bad, p.Status)
		}
	}
	if p := f.browser.Get("search?q=" + strings.Repeat("x", 3000)); p.Status != 422 {
		t.Errorf("a long query: %d", p.Status)
	}
}

// Names, comments and values of a warehouse, and queries, are text.
func TestHostileText(t *testing.T) {
	t.Parallel()
	hostile := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "\u202eevil", "' onclick='x", `<svg/onload=x>`, "../../logout", "a?b#c%2f"}
	f := newFixture(t)
	all := strings.Join(hostile, " orders ")
	f.scan(t, hostile[0]+" orders", "orders "+all, all+strings.Repeat("x", 20_000), append(hostile, strings.Repeat("y", 300))...)
	f.write(t, "wiki/global/odd.md", "---\ntitle: \"<script>orders</script>\"\n---\n# <script>\n\norders "+strings.ReplaceAll(all, "\n", " ")+"\n")
	for _, query := range append([]string{"orders", "evil", strings.Repeat("y", 300)}, hostile...) {
		for _, kind := range []string{"", "value"} {
			p := f.browser.Get("search?q=" + url.QueryEscape(query) + "&kind=" + kind)
			if p.Status != 200 || strings.ContainsAny(strings.ReplaceAll(p.Body, `value="`+"\u202e", ""), "\u202e") {
				t.Errorf("%.40q of kind %q: status %d", query, kind, p.Status)
			}
		}
	}
	p := f.browser.Get("search?q=orders&kind=table")
	if len(p.Links) == 0 || !strings.Contains(p.Body, "&lt;script&gt;") {
		t.Errorf("the table was not found: %s", p.Text)
	}
	for _, l := range p.Links {
		if strings.Contains(l.Text, "<script>") && (!strings.HasPrefix(l.To, "/console/catalog/shop/table/") || strings.Count(l.To, "/") != 5) {
			t.Errorf("a link leads to %s", l.To)
		}
	}
}

// everyKind finds a hit of each kind, in which an agent or a warehouse wrote all texts.
type everyKind struct{ text string }

func (e everyKind) Search(context.Context, discover.SearchRequest) (*discover.SearchAnswer, error) {
	a := &discover.SearchAnswer{Notes: []string{e.text}}
	for _, k := range kinds {
		a.Refs = append(a.Refs, discover.Ref{
			Kind: k.name, ID: e.text, Summary: &e.text, Snippet: &e.text, MatchedOn: "name", ConnectionID: "shop", TableRef: &catalog.TableRef{Name: e.text}, ColumnName: e.text, Source: e.text,
		})
	}
	return a, nil
}

func (e everyKind) Values(context.Context, discover.ValuesRequest) (*discover.ValuesAnswer, error) {
	return &discover.ValuesAnswer{}, nil
}

// Files and notes have pages of the same texts as tables: nothing of a hit is more than text, whatever its kind.
func TestHostileHitsOfEveryKind(t *testing.T) {
	t.Parallel()
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}})
	}
	for _, text := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "\u202eevil", strings.Repeat("y", 20_000), "../../logout?a#b%2f", "\x00\n\r\t"} {
		b := consoletest.Open(t, Pages(Services{Discover: everyKind{text}, Connections: connections}))
		p := b.Get("search?q=evil")
		if p.Status != 200 || len(p.Body) > 60<<10 || strings.Contains(p.Body, "<script>alert") || strings.Contains(p.Body, "<img") || strings.Contains(p.Body, "\u202e") {
			t.Errorf("%.40q: %d, %d bytes", text, p.Status, len(p.Body))
		}
		for _, l := range p.Links {
			if !strings.HasPrefix(l.To, "/console/") && !strings.HasPrefix(l.To, "#") && !strings.HasPrefix(l.To, "?") {
				t.Errorf("%.40q: a link to %.80q", text, l.To)
			}
		}
	}
}
