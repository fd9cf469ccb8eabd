package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// choices is what a refusal of the semantic layer says beside its message.
type choices struct {
	Code, Member           string
	DidYouMean, Candidates []string
	Fix                    string
}

func (f *failure) choices(t testing.TB) (c choices) {
	t.Helper()
	unmarshal(t, f.Details, &c)
	return c
}

// rows asks sl_query and returns its rows as every engine writes them.
func (s *server) rows(t *testing.T, request string) []string {
	t.Helper()
	return plainCells(t, s.semantic(t, request).Rows)
}

// refuses asks for what must be refused, with a code and saying what.
func (s *server) refuses(t *testing.T, request, code string, says ...string) *failure {
	t.Helper()
	failed := s.refusal(t, request)
	if failed.Code != code && (failed.Details == nil || failed.choices(t).Code != code) {
		t.Errorf("%s: code %s, want %s: %+v", request, failed.Code, code, failed)
	}
	for _, want := range says {
		if all := failed.Message + failed.Hint + string(failed.Details); !strings.Contains(all, want) {
			t.Errorf("%s: does not say %q: %+v %s", request, want, failed, failed.Details)
		}
	}
	return failed
}

// chinookProject is the sample with its files on SQLite, scanned.
func chinookProject(t testing.TB) string {
	t.Helper()
	dir := sqliteProject(t, sampleScript(t, "chinook-sqlite"))
	semanticFiles(t, dir, "chinook")
	scan(t, dir)
	return dir
}

func semanticFile(dir, name string) string {
	return filepath.Join(dir, "semantic-layer", "warehouse", name)
}

// Tables that nobody wrote about are sources: what the scan inferred joins them,
// unless a person rejects it.
func TestSemanticLayerWithoutFiles(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := sqliteProject(t, strings.Join(storeScript("INTEGER", "TEXT", "", func(n int) string { return fmt.Sprintf("hex(zeroblob(%d))", n/2) }), ";"))
	s := stdioServer(t, dir)
	const bySegment = `{"measures": ["order_lines.row_count"], "dimensions": ["customers.segment"]}`
	s.refuses(t, bySegment, "unknown_member", "loam scan warehouse")
	rescan(t, dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "warehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := plainRows(selectRows(t, db, `SELECT segment, count(*) FROM order_lines l JOIN orders o ON o.id = l.order_id JOIN customers c ON c.id = o.customer_id GROUP BY 1 ORDER BY 1`))
	if diff := cmp.Diff(want, s.rows(t, bySegment)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	decide := func(verb string) {
		t.Helper()
		if r := loam(t, dir, "catalog", "relationships", verb, "-c", "warehouse", "orders(customer_id)", "customers(id)"); r.code != 0 {
			t.Fatalf("%s: exit %d: %s", verb, r.code, r.stderr)
		}
	}
	decide("reject")
	s.refuses(t, bySegment, "no_join_path", "customers")
	if got := s.rows(t, `{"measures": ["order_lines.row_count"], "dimensions": ["orders.status"]}`); len(got) != 2 {
		t.Errorf("what is left of the joins: %q", got)
	}
	decide("accept")
	if diff := cmp.Diff(want, s.rows(t, bySegment)); diff != "" {
		t.Errorf("accepted again (-want +got):\n%s", diff)
	}
}

// A column that may refer to two tables joins neither: an answer over the wrong one is
// a number that looks right. The refusal names both and the command that decides, and
// what was decided outlasts a full scan.
func TestRivalsAreLeftToAPerson(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := sqliteProject(t, `
CREATE TABLE products (product_id INTEGER, band TEXT);
CREATE TABLE dim_prod (prod_key INTEGER, brand TEXT);
CREATE TABLE reviews (review_id INTEGER, prod_id INTEGER, rating INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO products SELECT i, 'band ' || i % 3 FROM n;
INSERT INTO dim_prod SELECT 301 - product_id, 'brand ' || product_id % 4 FROM products;
INSERT INTO reviews SELECT a.product_id * 3 + b.product_id, (a.product_id * 7) % 300 + 1, b.product_id FROM products a JOIN products b ON b.product_id <= 3;
`)
	rescan(t, dir)
	s := stdioServer(t, dir)
	const byBand, byBrand = `{"measures": ["reviews.row_count"], "dimensions": ["products.band"]}`, `{"measures": ["reviews.row_count"], "dimensions": ["dim_prod.brand"]}`
	ends := []string{"main.reviews(prod_id)", "main.products(product_id)"}
	for _, request := range []string{byBand, byBrand} {
		s.refuses(t, request, "ambiguous_path", "main.dim_prod(prod_key)", "main.products(product_id)", "loam catalog relationships accept")
	}
	if r := loam(t, dir, append([]string{"catalog", "relationships", "accept"}, ends...)...); r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "warehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := plainRows(selectRows(t, db, `SELECT band, count(*) FROM reviews JOIN products ON product_id = prod_id GROUP BY 1 ORDER BY 1`))
	for _, when := range []string{"at once", "after a full scan"} {
		if diff := cmp.Diff(want, s.rows(t, byBand)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
		s.refuses(t, byBrand, "no_join_path")
		scan(t, dir, "--full")
	}
}

const ktxScript = `
CREATE SCHEMA shop;
CREATE TABLE shop.customers (customer_id int PRIMARY KEY, plan_code varchar(20), secret_note text);
INSERT INTO shop.customers SELECT i, (ARRAY['starter', 'pro'])[1 + i % 2], 'note' FROM generate_series(1, 10) i;
CREATE TABLE shop.orders (order_id bigint PRIMARY KEY, customer_id int, referrer_id int, amount_cents numeric(38, 0), placed_at timestamp, is_gift boolean);
INSERT INTO shop.orders SELECT i, 1 + i % 12, 1 + i % 3, i * 1000, timestamp '2023-07-01' + i * interval '10 day', i % 2 = 0 FROM generate_series(1, 40) i;
`

// The folder of a ktx project answers as it stands, scanned or not.
func TestSemanticLayerOfKtx(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	db := testserver.Postgres(t).Database(t, ktxScript)
	dir := warehouse(t, db, testserver.PostgresReader)
	semanticFiles(t, dir, "ktx")
	s := stdioServer(t, dir)
	const plan = `(SELECT plan_code FROM shop.customers c WHERE c.customer_id = o.%s)`
	for _, scanned := range []bool{false, true} {
		if scanned {
			rescan(t, dir)
		}
		checkValid(t, dir)
		for _, q := range []question{
			{
				"a disabled join is no second way", `{"measures": ["revenue", "order_count", "revenue_per_order"], "dimensions": ["customers.plan_code"]}`,
				`SELECT ` + fmt.Sprintf(plan, "customer_id") + `, sum(amount_cents) / 100.0, count(*), sum(amount_cents) / 100.0 / count(*) FROM shop.orders o GROUP BY 1 ORDER BY 1 NULLS LAST`,
			},
			{
				"an alias is a role", `{"measures": ["orders.revenue"], "dimensions": ["referrer.plan_code"]}`,
				`SELECT ` + fmt.Sprintf(plan, "referrer_id") + `, sum(amount_cents) / 100.0 FROM shop.orders o GROUP BY 1 ORDER BY 1 NULLS LAST`,
			},
			{
				"a filter and a segment of a measure", `{"measures": ["orders.big_orders"]}`,
				`SELECT count(*) FROM shop.orders WHERE amount_cents > 10000 AND placed_at >= '2024-01-01'`,
			},
			{
				"a query that inherits its columns", `{"measures": ["large_orders.large_amount"], "dimensions": ["large_orders.placed_at.year", "customers.plan_code"]}`,
				`SELECT date_trunc('year', placed_at)::date::text, ` + fmt.Sprintf(plan, "customer_id") + `, sum(amount_cents) / 100.0 FROM shop.orders o WHERE amount_cents > 10000 GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST`,
			},
			{"an aggregate in one key", `{"measures": ["customers.customer_count"]}`, `SELECT count(DISTINCT customer_id) FROM shop.customers`},
		} {
			var want [][]any
			for _, row := range db.Rows(t, testserver.PostgresReader, q.sql) {
				cells := make([]any, len(row))
				for i, cell := range row {
					if cell != "NULL" {
						cells[i] = cell
					}
				}
				want = append(want, cells)
			}
			if diff := cmp.Diff(plainRows(want), s.rows(t, q.request)); diff != "" {
				t.Errorf("%s, scanned %t (-want +got):\n%s", q.name, scanned, diff)
			}
		}
		s.refuses(t, `{"measures": ["orders.revenue"], "dimensions": ["orders.is_gift"]}`, "hidden_member")
		s.refuses(t, `{"measures": ["orders.revenue"], "dimensions": ["customers.secret_note"]}`, "hidden_member")
	}
}

// What is edited, broken, mended, added and removed while the server runs is so
// from the next call on, over MCP and on the command line.
func TestSemanticLayerIsEdited(t *testing.T) {
	t.Parallel()
	heavy(t, "a semantic layer that changes while it is asked")
	dir := chinookProject(t)
	s := stdioServer(t, dir)
	const invoiced, tracks = `{"measures": ["Invoice.invoiced"]}`, `{"measures": ["Track.tracks"]}`
	path := semanticFile(dir, "Invoice.yaml")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := func(request string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, s.rows(t, request)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
	want(invoiced, "2328.6")
	for _, broken := range []string{
		"measures: [\n", "name: Invoice\nmeasures: {invoiced", "name: Invoice\n\tmeasures: []\n", "name: Invoice\nname: Invoice\n",
		"name: Invoice\nmeasures:\n  - {name: invoiced, agg: summ, expr: Total}\n",
		"name: Invoice\nmeasures:\n  - {name: invoiced, agg: sum, expr: Totl}\n",
	} {
		writeFile(t, path, broken)
		s.refuses(t, invoiced, "broken_definition")
		want(tracks, "3503") // one broken file takes no other down
		r := loam(t, dir, "sl", "validate")
		if r.code == 0 || !strings.Contains(r.stdout+r.stderr, "Invoice.yaml:") {
			t.Errorf("loam sl validate of %q: exit %d: %s%s", broken, r.code, r.stdout, r.stderr)
		}
	}
	writeFile(t, path, strings.Replace(string(good), "expr: Total, format", "expr: Total * 2, format", 1))
	want(invoiced, "4657.2")
	writeFile(t, path+".new", string(good))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	want(invoiced, "2328.6")
	writeFile(t, semanticFile(dir, "media.yaml"), "name: MediaType\nmeasures:\n  - {name: kinds, agg: count}\n")
	want(`{"measures": ["kinds"]}`, "5")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, invoiced, "unknown_member", "Invoice")
	want(`{"measures": ["Invoice.row_count"]}`, "412")
	if err := os.RemoveAll(filepath.Join(dir, "semantic-layer")); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, `{"measures": ["kinds"]}`, "unknown_member")
	want(`{"measures": ["Invoice.row_count"]}`, "412")
}

// A rescan that loses a column breaks what used it, with the reason, and no more.
func TestSemanticLayerAfterRescan(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := chinookProject(t)
	s := stdioServer(t, dir)
	const hours = `{"measures": ["Track.hours"]}`
	before := s.rows(t, hours)
	execSQLite(t, dir, `ALTER TABLE Track RENAME COLUMN Milliseconds TO Length`)
	s.refusal(t, hours) // as the engine says
	rescan(t, dir)
	s.refuses(t, hours, "broken_definition", "Milliseconds")
	s.refuses(t, `{"measures": ["Track.tracks"], "dimensions": ["Track.is_long"]}`, "broken_definition", "Milliseconds")
	if got := s.rows(t, `{"measures": ["Track.tracks"]}`); !slices.Equal(got, []string{"3503"}) {
		t.Errorf("tracks %q", got)
	}
	execSQLite(t, dir, `ALTER TABLE Track RENAME COLUMN Length TO Milliseconds`)
	rescan(t, dir)
	if diff := cmp.Diff(before, s.rows(t, hours)); diff != "" {
		t.Errorf("the column is back (-before +after):\n%s", diff)
	}
}

// Whatever is killed between two calls, the next one answers.
func TestSemanticLayerSurvives(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := chinookProject(t)
	const request = `{"measures": ["Invoice.invoiced"]}`
	s := stdioServer(t, dir)
	want := s.rows(t, request)
	for _, pid := range connectors(t, s.cmd.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	// A call that was under way to it may be repeated, as its error says.
	if failed := s.ask(t, "sl_query", arguments(t, request), &answered{}); failed != nil && !failed.Retryable {
		t.Errorf("the first call: %+v", failed)
	}
	if diff := cmp.Diff(want, s.rows(t, request)); diff != "" {
		t.Errorf("after the connector was killed (-want +got):\n%s", diff)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stdioServer(t, dir).rows(t, request)); diff != "" {
		t.Errorf("after the host was killed (-want +got):\n%s", diff)
	}
}

// With the warehouse gone, what needs no rows still works.
func TestSemanticLayerWithoutWarehouse(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := chinookProject(t)
	ask := func(format string) result {
		t.Helper()
		return loam(t, dir, "sl", "query", "-m", "Invoice.invoiced", "-b", "Customer.Country", "--format", format)
	}
	before := ask("sql")
	if before.code != 0 {
		t.Fatalf("exit %d: %s", before.code, before.stderr)
	}
	if err := os.Rename(filepath.Join(dir, "warehouse.db"), filepath.Join(dir, "away.db")); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"sql", "plan"} {
		if r := ask(format); r.code != 0 || r.stdout == "" || format == "sql" && r.stdout != before.stdout {
			t.Errorf("--format %s: exit %d: %s%s", format, r.code, r.stdout, r.stderr)
		}
	}
	for _, args := range [][]string{{"list"}, {"show", "Invoice"}, {"validate"}} {
		if r := loam(t, dir, append([]string{"sl"}, args...)...); r.code != 0 {
			t.Errorf("sl %v: exit %d: %s", args, r.code, r.stderr)
		}
	}
	if r := ask("table"); r.code == 0 || !strings.Contains(r.stderr, "warehouse.db") {
		t.Errorf("--format table: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// A cache that cannot be kept costs time and nothing else; many processes that
// fill it at once agree.
func TestSemanticLayerCache(t *testing.T) {
	heavy(t, "a semantic layer that changes while it is asked")
	t.Parallel()
	dir := chinookProject(t)
	for i := range 40 { // fewer are not worth a cache
		writeFile(t, semanticFile(dir, fmt.Sprintf("more_%d.yaml", i)), fmt.Sprintf("name: more_%d\ntable: main.Genre\nmeasures:\n  - {name: more_%d, agg: count}\n", i, i))
	}
	cache := filepath.Join(dir, ".loam", "semantic")
	all := func(what string) {
		t.Helper()
		var together sync.WaitGroup
		for range 6 {
			together.Go(func() {
				r := loam(t, dir, "sl", "query", "-m", "Invoice.invoiced", "--format", "json")
				var got answered
				if r.code == 0 && json.Unmarshal([]byte(r.stdout), &got) == nil && len(got.Rows) == 1 && string(got.Rows[0][0]) == "2328.6" {
					return
				}
				t.Errorf("%s: exit %d: %s%s", what, r.code, r.stdout, r.stderr)
			})
		}
		together.Wait()
	}
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	all("without a cache")
	damaged := 0
	err := filepath.WalkDir(cache, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			damaged++
			err = os.WriteFile(path, []byte("no cache at all\x00"), 0o600)
		}
		return err
	})
	if err != nil || damaged == 0 {
		t.Fatalf("%d files of the cache: %v", damaged, err)
	}
	all("damaged")
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	writeFile(t, cache, "in the way") // as good as a folder without permission, for root too
	all("not writable")
}
