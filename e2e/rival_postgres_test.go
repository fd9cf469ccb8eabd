package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// rivalScript makes a shop and its star schema, which number products alike and in
// another order, and reviews in both and outside of both, without a key.
const rivalScript = `
CREATE SCHEMA shop; CREATE SCHEMA wh; CREATE SCHEMA web;
CREATE TABLE shop.products (product_id int, band text);
CREATE TABLE wh.dim_prod (prod_key int, brand text);
INSERT INTO shop.products SELECT i, 'band ' || i % 3 FROM generate_series(1, 300) i;
INSERT INTO wh.dim_prod SELECT 301 - i, 'brand ' || i % 4 FROM generate_series(1, 300) i;
CREATE TABLE shop.reviews (review_id int, prod_id int);
CREATE TABLE wh.fact_reviews (review_no int, prod_key int);
CREATE TABLE web.ratings (rating_id int, prod_id int);
INSERT INTO shop.reviews SELECT i, i * 7 % 300 + 1 FROM generate_series(1, 900) i;
INSERT INTO wh.fact_reviews SELECT 5000 + i, i * 7 % 300 + 1 FROM generate_series(1, 900) i;
INSERT INTO web.ratings SELECT i, i * 7 % 300 + 1 FROM generate_series(1, 900) i;
GRANT USAGE ON SCHEMA shop, wh, web TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, wh, web TO PUBLIC;
`

// Of two tables that a column may refer to, that of its own schema is meant. Outside of
// both schemas a person is asked: the refusal names both and the command that decides.
func TestPostgresRivalsAcrossSchemas(t *testing.T) {
	heavy(t, "rivals across schemas")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, rivalScript)
	dir := warehouse(t, db, testserver.PostgresReader)
	scan(t, dir)
	s := stdioServer(t, dir)
	for request, query := range map[string]string{
		`{"measures": ["reviews.row_count"], "dimensions": ["products.band"]}`:       "SELECT band, count(*)::text FROM shop.reviews JOIN shop.products ON product_id = prod_id GROUP BY 1 ORDER BY 1",
		`{"measures": ["fact_reviews.row_count"], "dimensions": ["dim_prod.brand"]}`: "SELECT brand, count(*)::text FROM wh.fact_reviews f JOIN wh.dim_prod d ON d.prod_key = f.prod_key GROUP BY 1 ORDER BY 1",
	} {
		var want []string
		for _, row := range db.Rows(t, testserver.PostgresReader, query) {
			want = append(want, strings.Join(row, " | "))
		}
		if diff := cmp.Diff(want, s.rows(t, request)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
	for _, dimension := range []string{"products.band", "dim_prod.brand"} {
		s.refuses(t, `{"measures": ["ratings.row_count"], "dimensions": ["`+dimension+`"]}`, "ambiguous_path",
			"wh.dim_prod(prod_key)", "shop.products(product_id)", "loam catalog relationships accept")
	}
}
