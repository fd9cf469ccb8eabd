package semantic

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// scanned commits a snapshot of many tables with a measure each, which the layer makes.
func (f *fixture) scanned(t testing.TB, tables int) {
	t.Helper()
	w, err := f.catalogs.Of("shop").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tables {
		table := sdk.Table{TableRef: sdk.TableRef{Schema: "main", Name: fmt.Sprintf("table_%05d", i)}}
		for c := range 12 {
			table.Columns = append(table.Columns, sdk.Column{Name: fmt.Sprint("column_", c), Type: sdk.TypeInt64})
		}
		if err := w.Table(&table); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: fmt.Sprint("s", tables), ExtractedAt: now, Mode: catalog.Structural}); err != nil {
		t.Fatal(err)
	}
}

// views are the pages of a shop, shown once each.
func (f *fixture) views(t testing.TB) map[string]func() {
	t.Helper()
	p := &pages{f.Services}
	request := func(query string, path ...string) *page.Request {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		return &page.Request{Query: values, Now: now, URL: &url.URL{Path: "/console/semantic"}, Path: func(name string) string {
			for i := 0; i < len(path); i += 2 {
				if path[i] == name {
					return path[i+1]
				}
			}
			return ""
		}}
	}
	show := func(f func() (*page.View, error)) func() {
		return func() {
			if _, err := f(); err != nil {
				t.Error(err)
			}
		}
	}
	return map[string]func(){
		"connections": show(func() (*page.View, error) { return p.connections(t.Context(), request("")) }),
		"sources": show(func() (*page.View, error) {
			return p.sources(t.Context(), request("from=all", "connection", "shop"))
		}),
		"source": show(func() (*page.View, error) {
			return p.source(t.Context(), request("", "connection", "shop", "source", "orders"))
		}),
		"measure": show(func() (*page.View, error) {
			return p.measure(t.Context(), request("", "connection", "shop", "member", "orders.revenue"))
		}),
	}
}

// A model of thousands of sources is not copied for a page.
func TestCostDoesNotGrow(t *testing.T) {
	cost := func(tables int) map[string]float64 {
		f := newFixture(t)
		f.scanned(t, tables)
		all := map[string]float64{}
		for name, show := range f.views(t) {
			show()
			all[name] = testing.AllocsPerRun(5, show)
		}
		return all
	}
	small, large := cost(100), cost(1500)
	for name, allocs := range large {
		if allocs > small[name]+200 {
			t.Errorf("%s makes %.0f allocations with 100 tables, %.0f with 1,500", name, small[name], allocs)
		}
	}
}

// BenchmarkPages measures the pages beside 20,000 sources.
func BenchmarkPages(b *testing.B) {
	f := newFixture(b)
	f.scanned(b, 20_000)
	for name, show := range f.views(b) {
		b.Run(name, func(b *testing.B) {
			show()
			b.ReportAllocs()
			for b.Loop() {
				show()
			}
		})
	}
}
