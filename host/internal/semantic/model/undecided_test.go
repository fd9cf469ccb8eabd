package model

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// TestUndecidedLinks: where no join leads somewhere, the refusal names the links that
// nobody decided on and the command that does; where one does, they are not in its way.
func TestUndecidedLinks(t *testing.T) {
	t.Parallel()
	ref := func(schema, name string) sdk.TableRef { return sdk.TableRef{Schema: schema, Name: name} }
	table := func(schema, name string, columns ...string) *Table {
		t := &Table{Ref: ref(schema, name), PrimaryKey: columns[:1]}
		for _, c := range columns {
			t.Columns = append(t.Columns, Column{Name: c, Type: sdk.TypeInt64})
		}
		return t
	}
	key := func(column string, to *Table) ForeignKey {
		return ForeignKey{Columns: []string{column}, To: to.Ref, ToColumns: to.PrimaryKey, Inferred: true}
	}
	brands := table("shop", "brands", "brand_id", "name")
	products := table("shop", "products", "product_id", "brand_id")
	products.ForeignKeys = []ForeignKey{key("brand_id", brands)}
	dim := table("wh", "dim_prod", "prod_key", "brand")
	reviews := table("web", "reviews", "review_id", "prod_id")
	reviews.Undecided = []ForeignKey{key("prod_id", products), key("prod_id", dim)}
	votes := table("web", "votes", "vote_id", "review_id")
	votes.ForeignKeys = []ForeignKey{key("review_id", reviews)}
	strange := table("web", "strange", "id", "x'y")
	strange.Undecided = []ForeignKey{key("x'y", brands)}
	m := Build(Input{Tables: []*Table{brands, products, dim, reviews, votes, strange}})
	for _, tt := range []struct{ home, ref, want, hint string }{
		{"reviews", "products.product_id", "no join leads from reviews to products for certain: web.reviews(prod_id) may refer to shop.products(product_id) or wh.dim_prod(prod_key), and nobody decided (ambiguous_path)", "accept 'web.reviews(prod_id)' 'shop.products(product_id)'"},
		{"votes", "brands.name", "no join leads from votes to brands for certain: web.reviews(prod_id) may refer to shop.products(product_id) or wh.dim_prod(prod_key), and nobody decided (ambiguous_path)", "accept 'web.reviews(prod_id)' 'shop.products(product_id)'"},
		{"votes", "dim_prod.brand", "no join leads from votes to dim_prod for certain: web.reviews(prod_id) may refer to shop.products(product_id) or wh.dim_prod(prod_key), and nobody decided (ambiguous_path)", "accept 'web.reviews(prod_id)' 'wh.dim_prod(prod_key)'"},
		{"strange", "brands.name", "no join leads from strange to brands for certain: web.strange(x'y) may refer to shop.brands(brand_id), and nobody decided (ambiguous_path)", "relationships --status review"},
		{"brands", "dim_prod.brand", "no join leads from brands to dim_prod (no_join_path)", "add a join"},
		{"products", "brands.name", "→ brands", ""},
	} {
		if got := way(t, m, tt.home, tt.ref); got != tt.want {
			t.Errorf("%s from %s: %s, want %s", tt.ref, tt.home, got, tt.want)
		}
		home, err := m.FindSource(tt.home)
		if err != nil {
			t.Fatal(err)
		}
		found, err := m.Lookup(home.ID, strings.Split(tt.ref, ".")...)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", tt.ref, found, err)
		}
		if _, err := m.Path(home.ID, found[0].Ref); err != nil && !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, tt.hint) {
			t.Errorf("%s from %s: the hint is %q, want %q", tt.ref, tt.home, sdk.AsError(err, sdk.SourceHost).Hint, tt.hint)
		}
	}
}
