package catalog

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// BenchmarkShow measures pages of a small and of a large warehouse, each after its first request.
func BenchmarkShow(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		f := newFixture(b)
		var tables []*sdk.Table
		var found []relationship.Relationship
		for i := range n {
			one := table(fmt.Sprintf("orders_of_%06d", i), "id", "customer_id", "amount", "created_at")
			one.Schema, one.Comment = fmt.Sprintf("schema_%02d", i%40), "All orders that came in by a channel"
			if i > 40 && i%2 == 0 {
				to := tables[i/100]
				one.Keys = append(one.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{"customer_id"}, Ref: to.TableRef, RefColumns: []string{"id"}})
			} else if i > 40 && i%10 == 1 {
				r := inferred("", "customer_id", "", relationship.Review, .7)
				r.From, r.To = one.TableRef, tables[i/100].TableRef
				found = append(found, r)
			}
			tables = append(tables, one)
		}
		f.scan(b, "s1", tables, nil, found...)
		p := &pages{f.Services}
		for _, c := range []struct {
			name, query, table string
			show               func(*pages) func(r *page.Request) error
		}{
			{"first", "", "", shows((*pages).tables)},
			{"schema", "schema=schema_07", "", shows((*pages).tables)},
			{"name", "name=orders_of_09", "", shows((*pages).tables)},
			{"last", "cursor=schema_39.a", "", shows((*pages).tables)},
			{"table", "", "schema_07.orders_of_000047", shows((*pages).table)},
			{"joins", "", "", shows((*pages).joins)},
			{"er", "focus=schema_00.orders_of_000000&hops=2", "", shows((*pages).picture)},
		} {
			query, err := url.ParseQuery(c.query)
			if err != nil {
				b.Fatal(err)
			}
			r := &page.Request{Query: query, URL: &url.URL{Path: "/console/catalog/wh", RawQuery: c.query}, Path: func(w string) string {
				if w == "table" {
					return c.table
				}
				return "wh"
			}}
			show := c.show(p)
			b.Run(fmt.Sprintf("tables=%d/%s", n, c.name), func(b *testing.B) {
				if err := show(r); err != nil { // what is kept until the next scan or decision is made once
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := show(r); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func shows(show func(*pages, context.Context, *page.Request) (*page.View, error)) func(*pages) func(*page.Request) error {
	return func(p *pages) func(*page.Request) error {
		return func(r *page.Request) error {
			_, err := show(p, context.Background(), r)
			return err
		}
	}
}
