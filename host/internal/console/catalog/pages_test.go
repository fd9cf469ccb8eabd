package catalog

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/sdk"
)

// says fails the test unless a page has all texts.
func says(t *testing.T, p *consoletest.Page, texts ...string) {
	t.Helper()
	if p.Status != 200 {
		t.Errorf("%s has the status %d", p.Path, p.Status)
	}
	for _, text := range texts {
		if !strings.Contains(p.Text, text) {
			t.Errorf("%s does not say %q:\n%s", p.Path, text, p.Text)
		}
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog")
	says(t, p, "wh foodb", "enriched 10", "empty foodb never: loam scan empty", "loam catalog list")
	says(t, b.Get(p.Link("empty")), "This connection was never scanned", "loam scan empty")
	if p := b.Get("catalog/none"); p.Status != 404 {
		t.Errorf("an unknown connection: %d", p.Status)
	}
	if p := b.Get("catalog/empty/joins"); p.Status != 404 || !strings.Contains(p.Text, "loam scan empty") {
		t.Errorf("joins of a connection that was never scanned: %d %s", p.Status, p.Text)
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	display := "shop.orders"
	dbTables := catalog.RefOf(ref("orders"))
	f.refs = []discover.Ref{{Kind: "column", ID: display + ".email", TableRef: &dbTables, ColumnName: "email"}}
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh")
	says(t, p, "shop 10", "shop.orders table 1,200 4 One row per purchase", "shop.totals view – 1", "10 shown of 10 tables", "3 joins wait for a person", "loam catalog tables -c wh")
	says(t, b.Get("catalog/wh?schema=SHOP&kind=view&name=TOT"), "1 shown of 1 table", "shop.totals")
	says(t, b.Get("catalog/wh?name=shop.o"), "1 shown of 1 table", "shop.orders")
	says(t, b.Get("catalog/wh?schema=none"), "No table matches", "loam scan wh")
	says(t, b.Get("catalog/wh?q=mail"), "asked for mail", "shop.orders email")
	if p := b.Get("catalog/wh?kind=other"); p.Status != 422 {
		t.Errorf("an unknown kind: %d", p.Status)
	}
	for _, l := range p.Links {
		if strings.HasPrefix(l.To, "/console/catalog") && b.Get(strings.TrimPrefix(l.To, "/console/")).Status != 200 {
			t.Errorf("the link to %s is broken", l.To)
		}
	}
	var data tablesPage
	if status := b.JSON("catalog/wh?name=orders", &data); status != 200 || len(data.Tables) != 1 || data.Tables[0].Display != "shop.orders" || *data.Tables[0].Rows != 1200 {
		t.Errorf("as JSON: %d %+v", status, data.Tables)
	}
}

// Pages follow each other without a gap, also when the table that begins a page is gone.
func TestTablesPaging(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var tables []*sdk.Table
	for i := range 150 {
		tables = append(tables, table(fmt.Sprintf("t%03d", i), "id"))
	}
	f.scan(t, "s1", tables, nil)
	b := consoletest.Open(t, Pages(f.Services))
	for _, filter := range []string{"", "&schema=shop", "&name=t"} {
		seen, at := 0, "catalog/wh?x=1"+filter
		for at != "" {
			var data tablesPage
			b.JSON(at, &data)
			for _, row := range data.Tables {
				if want := fmt.Sprintf("shop.t%03d", seen); string(row.Display) != want {
					t.Fatalf("%s: %s instead of %s", at, row.Display, want)
				}
				seen++
			}
			if data.Pager.Total != 150 {
				t.Errorf("%s: %d tables in all", at, data.Pager.Total)
			}
			if at = ""; data.Pager.Next != "" {
				at = "catalog/wh?cursor=" + url.QueryEscape(data.Pager.Next) + filter
			}
		}
		if seen != 150 {
			t.Errorf("%q: %d tables on all pages", filter, seen)
		}
	}
	var data tablesPage
	b.JSON("catalog/wh?cursor=shop.t0605", &data)
	if data.Tables[0].Display != "shop.t061" {
		t.Errorf("behind a missing table: %s", data.Tables[0].Display)
	}
	says(t, b.Get("catalog/wh?cursor=shop.t060"), "60 shown of 150 tables", "First page", "Next page")
}

func TestTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh/table/shop.orders")
	says(t, p, "One row per purchase", "shop.orders A purchase", "customer_id bigint fk 25 % 3", "7 (9), 8 (4), …", "withheld: e-mail addresses", "primary id",
		"shop.orders ( customer_id ) shop.customers ( id ) n:1 declared", "orders_customer_fk",
		"shop.orders ( agent_id ) shop.agents ( id ) n:1 undecided 92 % name 92 %, contained 97 %; 3 of 100 values missing",
		"shop.items ( order_id ) shop.orders ( id )", "loam catalog show -c wh shop.orders")
	if p.Link("shop.orders") == "" || !strings.Contains(p.Body, `href="/console/semantic/wh/shop.orders"`) {
		t.Error("no link to the source")
	}
	says(t, b.Get("catalog/wh/table/orders"), "One row per purchase")
	says(t, b.Get("catalog/wh/table/shop.totals"), "SELECT id FROM orders", "none: loam scan")
	if p := b.Get("catalog/wh/table/nothing"); p.Status != 404 {
		t.Errorf("an unknown table: %d", p.Status)
	}
	var data tablePage
	if b.JSON("catalog/wh/table/shop.orders", &data); len(data.Columns) != 4 || len(data.To) != 3 || data.Columns[3].Withheld == "" {
		t.Errorf("as JSON: %+v", data)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	form := b.Get("catalog/wh/table/shop.orders").Form("describe")
	says(t, b.Submit(*form, url.Values{"description": {"A purchase\r\nof a customer"}}), "Change ab12, the description, is approved")
	if len(f.calls) != 1 || f.calls[0].Entity != "shop.orders" || f.calls[0].Values[0] != "A purchase\nof a customer" || f.actors[0].Channel != "console" {
		t.Errorf("calls: %+v by %+v", f.calls, f.actors)
	}
	if p := b.Submit(*form, url.Values{"description": {" "}}); p.Status != 422 {
		t.Errorf("an empty description: %d", p.Status)
	}
	if reader := consoletest.As(t, consoletest.ReaderToken, Pages(f.Services)).Get("catalog/wh/table/shop.orders"); reader.Form("describe") != nil || reader.Form("sample") != nil {
		t.Error("a reader sees forms that are not for readers")
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh/er?focus=orders&hops=2")
	says(t, p, "Tables around shop.orders", "shop.orders refers to shop.customers; referred to by shop.items (inferred)", "crow's foot")
	if strings.Contains(p.Text, "shop.agents") {
		t.Error("an undecided join is part of the picture")
	}
	for _, link := range p.Links {
		if strings.HasPrefix(link.To, "?focus=") && b.Get("catalog/wh/er"+link.To).Status != 200 {
			t.Errorf("the link to %s is broken", link.To)
		}
	}
	for as, begin := range map[string]string{"svg": "<svg ", "mermaid": "erDiagram\n"} {
		file := b.Get("catalog/wh/er?focus=orders&as=" + as)
		if !strings.HasPrefix(file.Body, begin) || !strings.Contains(file.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("as %s: %v %.80s", as, file.Header, file.Body)
		}
	}
	says(t, b.Get("catalog/wh/er"), "Tables of wh", "shop.staff")
	says(t, b.Get("catalog/wh/er?schema=shop"), "Tables of the schema shop", "shop.log_2024")
	for _, bad := range []string{"focus=none", "schema=none", "hops=3&focus=orders"} {
		if p := b.Get("catalog/wh/er?" + bad); p.Status != 404 && p.Status != 422 {
			t.Errorf("%s: %d", bad, p.Status)
		}
	}
}

// A table that hundreds refer to: the picture has 40 boxes, and says which are missing.
func TestPictureOfHub(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tables := []*sdk.Table{table("hub", "id")}
	for i := range 300 {
		one := table("referring_table_number_"+strings.Repeat("x", i%40)+string(rune('a'+i%26))+strings.Repeat("y", i/26), "id", "hub_id", "another_column", "and_another")
		one.Keys = append(one.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{"hub_id"}, Ref: ref("hub"), RefColumns: []string{"id"}})
		tables = append(tables, one)
	}
	f.scan(t, "s1", tables, nil)
	b := consoletest.Open(t, Pages(f.Services))
	var data picturePage
	b.JSON("catalog/wh/er?focus=hub", &data)
	if len(data.Tables) != 40 || len(data.Missing) != 40 || data.More != 221 {
		t.Errorf("%d tables, %d missing and %d more", len(data.Tables), len(data.Missing), data.More)
	}
	says(t, b.Get("catalog/wh/er?focus=hub"), "Missing besides 221 others")
	says(t, b.Get("catalog/wh/er?schema=shop"), "The schema has 301 tables: too many for a picture")
	says(t, b.Get("catalog/wh/er"), "Name a table")
}

// A schema of 60 tables, each of which refers to two others, fits a page.
func TestPictureOfSchema(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tableName := func(i int) string { return fmt.Sprintf("sales_order_position_part_%02d", i) }
	var tables []*sdk.Table
	for i := range 60 {
		columns := []string{"position_id"}
		for j := range 12 {
			columns = append(columns, fmt.Sprintf("reference_to_a_part_%02d", j))
		}
		one := table(tableName(i), columns...)
		for j := range min(2, i) {
			one.Keys = append(one.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: columns[j+1 : j+2], Ref: ref(tableName((i*7 + j*3) % i)), RefColumns: []string{"position_id"}})
		}
		tables = append(tables, one)
	}
	f.scan(t, "s1", tables, nil)
	b := consoletest.Open(t, Pages(f.Services))
	says(t, b.Get("catalog/wh/er?schema=shop"), "Tables of the schema shop", tableName(59))
	for _, one := range tables { // each refers to ten
		for j := range 8 {
			one.Keys = append(one.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{fmt.Sprintf("reference_to_a_part_%02d", j+3)}, Ref: ref(tableName(5 * j)), RefColumns: []string{"position_id"}})
		}
	}
	f.scan(t, "s2", tables, nil)
	says(t, b.Get("catalog/wh/er?schema=shop"), "The picture is too large for a page", tableName(59))
	if file := b.Get("catalog/wh/er?schema=shop&as=svg"); !strings.Contains(file.Body, "</svg>") {
		t.Error("it cannot be saved")
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	says(t, b.Get("catalog/wh/snapshots"), "s1", "nothing to compare it with", "loam scan wh")
	changedTable := table("customers", "id", "region")
	changedTable.Comment = "Who bought"
	f.scan(t, "s2", []*sdk.Table{changedTable, table("fresh", "id"), table("staff", "id")}, nil)
	p := b.Get("catalog/wh/snapshots")
	says(t, p, "1 table added, 8 removed, 1 changed", "added shop.fresh", "removed shop.agents", "changed shop.customers", "changed: comment: “” → “Who bought”", "added: column region bigint", "removed: column country bigint", "10 shown of 10 tables")
	says(t, b.Get("catalog/wh/snapshots?from=s2&to=s2"), "Nothing changed between the two")
	says(t, b.Get("catalog/wh/snapshots?cursor=gone.table"), "10 shown of 10 tables")
	if p := b.Get("catalog/wh/snapshots?from=none"); p.Status != 404 {
		t.Errorf("an unknown snapshot: %d", p.Status)
	}
}
