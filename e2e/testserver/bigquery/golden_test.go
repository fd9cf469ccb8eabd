package bigquery_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/duckdb/duckdb-go/v2"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

// tables of the semantic layer's golden files: {int}, {text}, {num}, {real} and {bool} are types.
const goldenTables = `
CREATE TABLE regions (id {int}, title {text});
CREATE TABLE customers (id {int}, name {text}, segment {text}, region_id {int});
CREATE TABLE orders (id {int}, customer_id {int}, status {text}, amount {num}, day DATE);
CREATE TABLE items (id {int}, order_id {int}, category {text}, qty {int});
CREATE TABLE tickets (id {int}, customer_id {int}, kind {text}, hours {real}, day DATE);
CREATE TABLE stock (day DATE, sku {text}, on_hand {int});
CREATE TABLE keyless (order_id {int}, note {text});
CREATE TABLE fiscal_days (day DATE, quarter {text}, year {int});
CREATE TABLE t (id {int}, qty {int}, price {num}, rate {real}, name {text}, status {text}, day DATE, {at} {datetime}, instant {instant}, paid {bool}, key {text});
INSERT INTO regions VALUES (1, 'north'), (2, 'south');
INSERT INTO customers VALUES (1, 'ann', 'retail', 1), (2, 'bob', NULL, 2), (3, 'cem', 'trade', NULL), (4, 'dee', 'retail', 9);
INSERT INTO orders VALUES (1, 1, 'paid', 100, DATE '2024-01-30'), (2, 1, 'open', 50, DATE '2024-01-31'), (3, 2, 'paid', 30.25, DATE '2024-02-01'),
  (4, 4, NULL, 20, DATE '2024-02-29'), (5, 77, 'paid', 7, DATE '2024-03-05'), (6, NULL, 'open', 3, DATE '2024-03-05');
INSERT INTO items VALUES (1, 1, 'food', 2), (2, 1, 'food', 5), (3, 1, 'toys', 1), (4, 2, 'food', 1), (5, 3, NULL, 4), (6, 99, 'toys', 10);
INSERT INTO tickets VALUES (1, 1, 'bug', 1.5, DATE '2024-01-30'), (2, 1, 'ask', 2.5, DATE '2024-02-02'), (3, 3, 'bug', 4, DATE '2024-02-10'), (4, 2, NULL, 8, DATE '2024-03-01');
INSERT INTO stock VALUES (DATE '2024-01-30', 'a', 5), (DATE '2024-01-31', 'a', 4), (DATE '2024-01-30', 'b', 9), (DATE '2024-02-28', 'a', 7), (DATE '2024-02-29', 'b', 1);
INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (2, 'y');
INSERT INTO fiscal_days VALUES (DATE '2024-01-30', '2023Q4', 2023), (DATE '2024-01-31', '2023Q4', 2023), (DATE '2024-02-01', '2024Q1', 2024), (DATE '2024-02-29', '2024Q1', 2024),
  (DATE '2024-03-01', '2024Q1', 2024), (DATE '2024-03-05', '2024Q1', 2024), (DATE '2024-03-15', '2024Q1', 2024);
INSERT INTO t VALUES (1, 3, 10.5, 0.25, 'PROMO_x', 'paid', DATE '2024-05-15', CAST('2024-05-15 13:14:15.5' AS {datetime}), CAST('2024-05-15 11:14:15+00' AS {instant}), TRUE, 'k'),
  (2, 0, 2, 3.5, '2024-03-10', 'a', DATE '2023-12-31', CAST('2023-12-31 00:00:00' AS {datetime}), CAST('2023-12-31 23:59:59+00' AS {instant}), FALSE, 'l'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
`

// golden returns a server and a DuckDB with the same rows.
func golden(t *testing.T) (*bigquery.Client, *sql.DB) {
	t.Helper()
	s := fixture.Start(t)
	there := strings.NewReplacer("{int}", "INT64", "{at}", "`at`", "{text}", "STRING", "{num}", "NUMERIC", "{real}", "FLOAT64", "{bool}", "BOOL", "{datetime}", "DATETIME", "{instant}", "TIMESTAMP",
		"CREATE TABLE ", "CREATE TABLE lab.", "INSERT INTO ", "INSERT INTO lab.").Replace(goldenTables)
	s.Exec(t, "CREATE SCHEMA lab;"+there)
	here := strings.NewReplacer("{int}", "BIGINT", "{at}", `"at"`, "{text}", "VARCHAR", "{num}", "DECIMAL(38,9)", "{real}", "DOUBLE", "{bool}", "BOOLEAN", "{datetime}", "TIMESTAMP", "{instant}", "TIMESTAMPTZ").Replace(goldenTables)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1) // the zone is a session's
	if _, err := db.Exec("SET TimeZone = 'UTC';" + here); err != nil {
		t.Fatal(err)
	}
	return client(t, s), db
}

// dialects reads a golden file of the compiler: its statements by dialect.
func statements(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(text), "\n-- ") {
		name, statement, ok := strings.Cut(part, "\n")
		if statement = strings.TrimSpace(statement); ok && !strings.Contains(name, " ") && statement != "" {
			found[name] = statement
		}
	}
	return found
}

// beyond are statements whose arrays of periods have bounds from sub-selects: the fixture
// makes arrays by a lambda expression of DuckDB, which takes none.
var beyond = map[string]bool{"distinct_windows": true, "gaps": true, "gaps_of_members": true, "one_read_of_values": true,
	"windows_of_all_days": true, "windows_per_entity": true}

// TestGoldenStatements runs the compiler's golden statements on the fixture: each gives the
// rows that the statement of the same request for DuckDB gives.
func TestGoldenStatements(t *testing.T) {
	t.Parallel()
	c, db := golden(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "host", "internal", "semantic", "compile", "testdata", "sql", "*.sql"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	executed, unwritten := 0, 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		both := statements(t, file)
		if both["bigquery"] == "" {
			t.Logf("not written for bigquery: %s", name)
			unwritten++
			continue
		}
		if beyond[name] {
			q := c.Query(both["bigquery"])
			q.DefaultProjectID, q.DefaultDatasetID = c.Project(), "lab"
			if _, _, err := rows(t.Context(), q); err == nil || !strings.Contains(err.Error(), "subqueries in lambda expressions") {
				t.Errorf("%s is not refused as it was: %v", name, err)
			}
			continue
		}
		compare(t, c, db, name, both["bigquery"], both["duckdb"])
		executed++
	}
	t.Logf("%d statements executed, %d refused by the fixture, %d that the compiler does not write for bigquery", executed, len(beyond), unwritten)
	if executed < 15 {
		t.Errorf("only %d statements were there to execute", executed)
	}
}

// notRun are golden expressions that are no expression of the table below.
var notRun = map[string]string{
	"orders.name":          "a name of another table",
	"region.orders.name":   "a name of another table",
	"12345678901234567890": "BigQuery has no integer as large, and refuses it as the fixture does",
	"name::date":           "a text that is no date fails in both",
	"name::timestamptz":    "a text that is no time fails in both",
}

// TestGoldenExpressions runs the printer's golden expressions on the fixture.
func TestGoldenExpressions(t *testing.T) {
	t.Parallel()
	c, db := golden(t)
	of := func(dialect string) map[string]string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "host", "internal", "semantic", "expression", "testdata", dialect+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		all, input := map[string]string{}, ""
		for line := range strings.Lines(string(text)) {
			if written, ok := strings.CutPrefix(line, "    "); ok {
				all[input] = strings.TrimSpace(written)
			}
			input = strings.TrimSpace(line)
		}
		return all
	}
	theirs, ours := of("bigquery"), of("duckdb")
	executed, unwritten := 0, 0
	for input, written := range theirs {
		switch {
		case notRun[input] != "":
		case strings.HasPrefix(written, "!") || strings.HasPrefix(ours[input], "!"):
			unwritten++
		default:
			compare(t, c, db, input, "SELECT "+written+" AS v FROM `t`", "SELECT "+ours[input]+" AS v FROM \"t\"")
			executed++
		}
	}
	t.Logf("%d expressions executed, none refused by the fixture, %d that are not written for bigquery or duckdb", executed, unwritten)
	if executed < 70 {
		t.Errorf("only %d expressions were there to execute", executed)
	}
}

func compare(t *testing.T, c *bigquery.Client, db *sql.DB, name, there, here string) {
	t.Helper()
	q := c.Query(there)
	q.DefaultProjectID, q.DefaultDatasetID = c.Project(), "lab"
	got, _, err := rows(t.Context(), q)
	if err != nil {
		t.Errorf("%s was refused: %v\n%s", name, err, there)
		return
	}
	want, err := duckRows(t.Context(), db, here)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, here)
		return
	}
	var lines []string
	for _, r := range got {
		lines = append(lines, plain(r))
	}
	if !strings.Contains(there, "ORDER BY") {
		slices.Sort(lines)
		slices.Sort(want)
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%s gives\n%s\nDuckDB gives\n%s\n%s", name, strings.Join(lines, "\n"), strings.Join(want, "\n"), there)
	}
}

func duckRows(ctx context.Context, db *sql.DB, statement string) (lines []string, err error) {
	found, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	names, err := found.Columns()
	if err != nil {
		return nil, err
	}
	for found.Next() {
		scanned, into := make([]any, len(names)), make([]any, len(names))
		for i := range scanned {
			into[i] = &scanned[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		values := make([]bigquery.Value, len(names))
		for i, v := range scanned {
			values[i] = v
		}
		lines = append(lines, plain(values))
	}
	return lines, found.Err()
}

// plain writes a row so that both engines' values of a meaning are one text.
func plain(values []bigquery.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		switch x := v.(type) {
		case *big.Rat:
			parts[i] = x.FloatString(6)
		case *big.Int:
			parts[i] = new(big.Rat).SetInt(x).FloatString(6)
		case duckdb.Decimal:
			r, _ := new(big.Rat).SetString(x.String())
			parts[i] = r.FloatString(6)
		case float64:
			parts[i] = fmt.Sprintf("%.6f", x)
		case int64, int32, int8:
			parts[i] = fmt.Sprintf("%d.000000", x)
		case civil.Date:
			parts[i] = x.In(time.UTC).Format(time.RFC3339Nano)
		case civil.DateTime:
			parts[i] = x.In(time.UTC).Format(time.RFC3339Nano)
		case time.Time:
			parts[i] = x.UTC().Format(time.RFC3339Nano)
		default:
			parts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(parts, " | ")
}

// forms of the dialect with the values of their parameters, and what each gives.
var forms = map[string]struct{ with, want string }{
	"cast": {"{x}='12' {type}=INT64", "12"}, "cast.try": {"{x}='a' {type}=INT64", "<nil>"}, "literal.true": {"", "true"}, "literal.false": {"", "false"},
	"divide": {"{a}=7 {b}=2", "3.5"}, "equal.null_safe": {"{a}=NULL {b}=NULL", "true"},
	"agg.approx_distinct": {"{x}=1", "1"}, "agg.avg": {"{x}=3", "3"}, "agg.count": {"{x}=1", "1"}, "agg.count_distinct": {"{x}='a'", "1"}, "agg.max": {"{x}=4", "4"},
	"agg.min": {"{x}=4", "4"}, "agg.sum": {"{x}=5", "5"}, "agg.string": {"{x}=v {sep}=','", "a,b"},
	"text.contains": {"{x}='aBc' {p}='BC'", "true"}, "text.starts_with": {"{x}='aBc' {p}='AB'", "true"}, "text.ends_with": {"{x}='aBc' {p}='BC'", "true"},
	"text.like": {"{x}='a%c' {p}='a\\\\%_'", "true"}, "text.ilike": {"{x}='ABC' {p}='a%'", "true"},
	"time.epoch_s": {"{x}=1700000000", "2023-11-14T22:13:20"}, "time.epoch_ms": {"{x}=1700000000123", "2023-11-14T22:13:20.123000000"},
	"time.text_iso":     {"{x}='2024-05-15T13:14:15+02:00'", "2024-05-15T11:14:15"},
	"zone.from_instant": {"{x}=TIMESTAMP'2024-07-01T12:00:00Z' {zone}='Europe/Berlin'", "2024-07-01T14:00:00"},
	"zone.from_utc":     {"{x}=DATETIME'2024-07-01T12:00:00' {zone}='Europe/Berlin'", "2024-07-01T14:00:00"},
	"zone.to_utc":       {"{x}=DATETIME'2024-07-01T12:00:00' {zone}='Europe/Berlin'", "2024-07-01T10:00:00"},
	"trunc.second":      {"{x}=DATETIME'2024-05-15T13:14:15.5'", "2024-05-15T13:14:15"}, "trunc.minute": {"{x}=DATETIME'2024-05-15T13:14:15.5'", "2024-05-15T13:14:00"},
	"trunc.hour": {"{x}=DATETIME'2024-05-15T13:14:15.5'", "2024-05-15T13:00:00"}, "trunc.day": {"{x}=DATETIME'2024-05-15T13:14:15.5'", "2024-05-15"},
	"trunc.week": {"{x}=DATE'2024-05-19'", "2024-05-13"}, "trunc.month": {"{x}=DATE'2024-05-19'", "2024-05-01"}, "trunc.quarter": {"{x}=DATE'2024-05-19'", "2024-04-01"},
	"trunc.year": {"{x}=DATETIME'2024-05-19T00:00:00'", "2024-01-01"},
	"add.second": {"{x}=DATETIME'2024-05-15T13:14:15.5' {n}=-1", "2024-05-15T13:14:14.500000000"}, "add.minute": {"{x}=DATETIME'2024-05-15T13:14:15' {n}=2", "2024-05-15T13:16:15"},
	"add.hour": {"{x}=DATETIME'2024-05-15T13:14:15' {n}=12", "2024-05-16T01:14:15"}, "add.day": {"{x}=DATE'2024-02-28' {n}=2", "2024-03-01"}, "add.week": {"{x}=DATE'2024-02-28' {n}=-1", "2024-02-21"},
	"add.month": {"{x}=DATE'2024-01-31' {n}=1", "2024-02-29"}, "add.quarter": {"{x}=DATE'2024-11-30' {n}=1", "2025-02-28"}, "add.year": {"{x}=DATE'2024-02-29' {n}=1", "2025-02-28"},
}

// sequences are the forms that make a row for each period, from and to two of them.
var sequences = map[string][]string{
	"spine.second": {"DATETIME '2024-01-01 00:00:00'", "DATETIME '2024-01-01 00:00:02'"}, "spine.minute": {"DATETIME '2024-01-01 00:00:00'", "DATETIME '2024-01-01 00:02:59'"},
	"spine.hour": {"DATETIME '2024-01-01 22:00:00'", "DATETIME '2024-01-02 00:00:00'"}, "spine.day": {"DATE '2024-02-28'", "DATE '2024-03-01'"}, "spine.week": {"DATE '2024-01-01'", "DATE '2024-01-15'"},
	"spine.month": {"DATE '2024-01-31'", "DATE '2024-03-31'"}, "spine.quarter": {"DATE '2024-01-01'", "DATE '2024-09-30'"}, "spine.year": {"DATE '2022-01-01'", "DATE '2024-12-31'"},
}

// TestForms runs every form of the dialect.
func TestForms(t *testing.T) {
	t.Parallel()
	c, _ := golden(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "sdk", "dialect", "testdata", "bigquery.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dialects []struct{ Forms map[string]string }
	if err := json.Unmarshal(text, &dialects); err != nil {
		t.Fatal(err)
	}
	for name, form := range dialects[0].Forms {
		if between := sequences[name]; between != nil {
			statement := strings.NewReplacer("{from}", between[0], "{to}", between[1]).Replace(form)
			if got := one(t, c, "SELECT COUNT(*) FROM ("+statement+") AS s"); got != int64(3) {
				t.Errorf("%s gives %v rows, want 3: %s", name, got, statement)
			}
			continue
		}
		f, known := forms[name]
		switch {
		case known:
			for part := range strings.FieldsSeq(f.with) {
				parameter, value, _ := strings.Cut(part, "=")
				form = strings.ReplaceAll(form, parameter, value)
			}
			from := ""
			if name == "agg.string" {
				from = " FROM UNNEST(['b', 'a']) AS v"
			}
			if got := fmt.Sprint(one(t, c, "SELECT "+form+from)); got != f.want {
				t.Errorf("%s gives %s, want %s: %s", name, got, f.want, form)
			}
		case strings.HasPrefix(name, "order."):
			got := one(t, c, "SELECT STRING_AGG(IFNULL(CAST(x AS STRING), '-'), '') FROM (SELECT x FROM UNNEST([2, 1, NULL, 3]) AS x ORDER BY "+strings.ReplaceAll(form, "{x}", "x")+" LIMIT 9) AS s")
			if want := map[string]string{"order.asc_nulls_first": "-123", "order.asc_nulls_last": "123-", "order.desc_nulls_first": "-321", "order.desc_nulls_last": "321-"}[name]; got != want {
				t.Errorf("%s gives %v, want %s", name, got, want)
			}
		case name == "sample.percent":
			if got := one(t, c, "SELECT COUNT(*) FROM "+strings.NewReplacer("{table}", "lab.orders", "{percent}", "100").Replace(form)); got != int64(6) {
				t.Errorf("%s gives %v", name, got)
			}
		case name == "sample.hash":
			if got := one(t, c, "SELECT "+strings.ReplaceAll(form, "{x}", "12")); got != one(t, c, "SELECT FARM_FINGERPRINT('12')") {
				t.Errorf("%s gives %v", name, got)
			}
		case strings.HasPrefix(name, "frame.last_rows."):
			if got := one(t, c, "SELECT SUM(s) FROM (SELECT SUM(x) OVER (ORDER BY x "+strings.ReplaceAll(form, "{n}", "1")+") AS s FROM UNNEST([1, 2, 3]) AS x) AS q"); got != int64(1+3+5) {
				t.Errorf("%s gives %v", name, got)
			}
		case name == "time.now":
			if _, ok := one(t, c, "SELECT "+form).(civil.DateTime); !ok {
				t.Errorf("%s gives no DATETIME", name)
			}
		case name == "nested.field":
			if got := one(t, c, "SELECT "+strings.NewReplacer("{x}", "q.s", "{field}", "`a`").Replace(form)+" FROM (SELECT STRUCT(5 AS a) AS s) AS q"); got != int64(5) {
				t.Errorf("%s gives %v", name, got)
			}
		case name == "nested.unnest":
			if got := one(t, c, "SELECT SUM(e) FROM (SELECT [1, 2] AS l) AS q "+strings.NewReplacer("{x}", "q.l", "{name}", "`e`").Replace(form)); got != int64(3) {
				t.Errorf("%s gives %v", name, got)
			}
		default:
			t.Errorf("the form %s has no case here: %s", name, form)
		}
	}
}
