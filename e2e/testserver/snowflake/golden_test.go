package snowflake_test

import (
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

var update = flag.Bool("update", false, "write the golden files anew")

// semantic is where the semantic layer keeps what it writes for each dialect.
const semantic = "../../../host/internal/semantic"

// section returns what a golden file has for Snowflake.
func section(t *testing.T, path string) string {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(all), "-- snowflake\n")
	if !ok {
		t.Fatalf("%s has nothing for snowflake", path)
	}
	for _, next := range []string{"-- sqlite\n", "-- sqlserver\n"} {
		rest, _, _ = strings.Cut(rest, next)
	}
	return strings.TrimSpace(rest)
}

// outcome runs a query and says what came of it.
func outcome(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return "refused: " + err.Error()
	}
	return fmt.Sprintf("executed, %d rows", n)
}

const shopTables = `
CREATE TABLE regions (id INTEGER PRIMARY KEY, title TEXT);
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, segment TEXT, region_id INTEGER);
INSERT INTO customers VALUES (1, 'ann', 'retail', 1), (2, 'bob', NULL, 2), (3, 'cem', 'trade', NULL), (4, 'dee', 'retail', 9);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, amount INTEGER, day DATE);
INSERT INTO orders VALUES (1, 1, 'paid', 100, '2024-01-30'), (2, 1, 'open', 50, '2024-01-31'), (3, 2, 'paid', 30, '2024-02-01'),
 (4, 4, NULL, 20, '2024-02-29'), (5, 77, 'paid', 7, '2024-03-05'), (6, NULL, 'open', 3, '2024-03-05');
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER, category TEXT, qty INTEGER);
INSERT INTO items VALUES (1, 1, 'food', 2), (2, 1, 'food', 5), (3, 1, 'toys', 1), (4, 2, 'food', 1), (5, 3, NULL, 4), (6, 99, 'toys', 10);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, customer_id INTEGER, kind TEXT, hours REAL, day DATE);
INSERT INTO tickets VALUES (1, 1, 'bug', 1.5, '2024-01-30'), (2, 1, 'ask', 2.5, '2024-02-02'), (3, 3, 'bug', 4, '2024-02-10'), (4, 2, NULL, 8, '2024-03-01');
CREATE TABLE stock (day DATE, sku TEXT, on_hand INTEGER, PRIMARY KEY (day, sku));
INSERT INTO stock VALUES ('2024-01-30', 'a', 5), ('2024-01-31', 'a', 4), ('2024-01-30', 'b', 9), ('2024-02-28', 'a', 7), ('2024-02-29', 'b', 1);
CREATE TABLE fiscal_days AS SELECT DATEADD(DAY, range, DATE '2023-01-01') AS day, YEAR(day) || '-' || QUARTER(day) AS quarter, YEAR(day)::NUMBER(4,0) AS year FROM range(800);
`

// The tables of the claims: about orders, their bills, customers and days.
const claimTables = `
CREATE SCHEMA sales; CREATE SCHEMA crm;
CREATE TABLE sales.orders (id INT, shop INT, number INT, customer_id INT, placed INT);
INSERT INTO sales.orders VALUES (1, 1, 1, 7, 1700000000), (2, 1, 2, 8, NULL);
CREATE TABLE sales.bills (order_id INT); INSERT INTO sales.bills VALUES (1), (1);
CREATE TABLE crm.customers (id INT, since TIMESTAMP_NTZ); INSERT INTO crm.customers VALUES (7, '2020-01-01');
CREATE TABLE sales.days (at TIMESTAMP_NTZ, season TEXT, year INT); INSERT INTO sales.days VALUES ('2024-01-01', 'winter', 2024);
`

// expressionTable has the columns of the expressions.
const expressionTable = `
CREATE SCHEMA "region";
CREATE TABLE "region"."orders" ("id" INT, "qty" INT, "price" NUMBER(10,2), "rate" FLOAT, "name" TEXT, "status" TEXT, "day" DATE, "at" TIMESTAMP_NTZ,
 "instant" TIMESTAMP_TZ, "paid" BOOLEAN, "key" TEXT, "doc" VARIANT, "anything" TEXT);
INSERT INTO "region"."orders" ("id", "qty", "price", "rate", "name", "status", "day", "at", "paid", "key")
 VALUES (1, 2, 9.50, 0.5, '2024-05-15', 'paid', '2024-05-15', '2024-05-15 13:14:15.123456789', TRUE, 'k');
`

// TestTheSemanticLayersTextsRun says of each text that the semantic layer writes for
// Snowflake whether the fixture executes or refuses it, or whether there is none.
func TestTheSemanticLayersTextsRun(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, shopTables)
	s.Exec(t, claimTables)
	s.Exec(t, expressionTable)
	db := open(t, config(s))
	db.SetMaxOpenConns(1)
	var got bytes.Buffer
	for _, pattern := range []string{"compile/testdata/sql/*.sql", "claim/testdata/*.sql"} {
		paths, err := filepath.Glob(filepath.Join(semantic, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("there are no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			name, _ := filepath.Rel(semantic, path)
			text := section(t, path)
			came := "no text of the dialect"
			if !strings.HasPrefix(text, "-- ") {
				came = outcome(t, db, text)
			}
			fmt.Fprintf(&got, "%s: %s\n", name, came)
		}
	}
	expressions, err := os.ReadFile(filepath.Join(semantic, "expression/testdata/snowflake.golden"))
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for line := range strings.Lines(string(expressions)) {
		line = strings.TrimRight(line, "\n")
		text, indented := strings.CutPrefix(line, "    ")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case !indented:
			source = line
		case strings.HasPrefix(text, "! "):
			fmt.Fprintf(&got, "%s: no text of the dialect\n", source)
		default:
			fmt.Fprintf(&got, "%s: %s\n", source, outcome(t, db, "SELECT "+text+` AS v FROM "region"."orders"`))
		}
	}
	const file = "testdata/semantic.txt"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got), written anew with -update\n%s", file, diff)
	}
}
