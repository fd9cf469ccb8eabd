package bigquery_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

const shop = `
CREATE SCHEMA shop OPTIONS (description = 'the shop');
CREATE TABLE shop.customers (
  id INT64 NOT NULL OPTIONS (description = 'key'),
  name STRING,
  address STRUCT<city STRING OPTIONS (description = 'where'), zip STRING>,
  tags ARRAY<STRING>,
  PRIMARY KEY (id) NOT ENFORCED
) OPTIONS (description = 'who buys', labels = [('team', 'sales')]);
CREATE TABLE shop.orders (
  id INT64 NOT NULL, customer_id INT64, amount NUMERIC(10, 2), day DATE,
  PRIMARY KEY (id) NOT ENFORCED,
  CONSTRAINT who FOREIGN KEY (customer_id) REFERENCES shop.customers (id) NOT ENFORCED
) PARTITION BY day CLUSTER BY customer_id, id OPTIONS (require_partition_filter = FALSE);
INSERT INTO shop.customers (id, name, address, tags) VALUES (1, 'Ann', STRUCT('Bern' AS city, '3000' AS zip), ['a', 'b']), (2, NULL, NULL, []);
INSERT INTO shop.orders VALUES (1, 1, 10.5, DATE '2024-01-31'), (2, 1, NULL, DATE '2024-02-01'), (3, 2, 7, NULL);
CREATE VIEW shop.paid AS SELECT id, amount FROM shop.orders WHERE amount IS NOT NULL;
`

// dry returns what a dry run says.
func dry(t *testing.T, c *bigquery.Client, sql string) (*bigquery.JobStatistics, *bigquery.QueryStatistics, error) {
	t.Helper()
	q := c.Query(sql)
	q.DryRun = true
	j, err := q.Run(t.Context())
	if err != nil {
		return nil, nil, err
	}
	all := j.LastStatus().Statistics
	return all, all.Details.(*bigquery.QueryStatistics), nil
}

func TestDryRunTellsTheStatementTypeAndRunsNothing(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop)
	c := client(t, s)
	for sql, want := range map[string]string{
		"SELECT * FROM shop.orders":                    "SELECT",
		"(SELECT 1)":                                   "SELECT",
		"WITH a AS (SELECT 1 AS x) SELECT x FROM a":    "SELECT",
		"/* x */ insert shop.orders (id) values (9)":   "INSERT",
		"UPDATE shop.orders SET amount = 1 WHERE TRUE": "UPDATE",
		"DELETE FROM shop.orders WHERE TRUE":           "DELETE",
		"DELETE shop.orders WHERE TRUE":                "DELETE",
		"MERGE shop.orders t USING shop.customers s ON t.id = s.id WHEN MATCHED THEN DELETE":                      "MERGE",
		"MERGE INTO shop.orders t USING (SELECT 5 AS id) s ON FALSE WHEN NOT MATCHED THEN INSERT (id) VALUES (5)": "MERGE",
		"TRUNCATE TABLE shop.orders":                                         "TRUNCATE_TABLE",
		"CREATE TABLE shop.n (a INT64)":                                      "CREATE_TABLE",
		"CREATE OR REPLACE TABLE shop.orders AS SELECT 1 AS a":               "CREATE_TABLE_AS_SELECT",
		"CREATE VIEW shop.w AS SELECT 1 AS a":                                "CREATE_VIEW",
		"CREATE SCHEMA other":                                                "CREATE_SCHEMA",
		"CREATE FUNCTION shop.f() AS (1)":                                    "CREATE_FUNCTION",
		"DROP TABLE shop.orders":                                             "DROP_TABLE",
		"DROP VIEW shop.paid":                                                "DROP_VIEW",
		"DROP SCHEMA shop CASCADE":                                           "DROP_SCHEMA",
		"ALTER TABLE shop.orders ADD COLUMN z INT64":                         "ALTER_TABLE",
		"EXPORT DATA OPTIONS (uri = 'gs://b/*', format = 'CSV') AS SELECT 1": "EXPORT_DATA",
		"CALL shop.p()":                                                      "CALL",
		"SELECT 1; DROP TABLE shop.orders":                                   "SCRIPT",
		"DECLARE x INT64 DEFAULT 1; SELECT x":                                "SCRIPT",
		"EXECUTE IMMEDIATE 'DROP TABLE shop.orders'":                         "SCRIPT",
	} {
		_, d, err := dry(t, c, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if d.StatementType != want {
			t.Errorf("%s is a %s, want %s", sql, d.StatementType, want)
		}
	}
	if n := one(t, c, "SELECT COUNT(*) FROM shop.orders"); n != int64(3) {
		t.Errorf("%v orders are left", n)
	}
	all, d, err := dry(t, c, "SELECT id, o.amount AS a FROM `loam-test.shop.orders` AS o JOIN shop.customers USING (id)")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.ReferencedTables) != 2 || d.ReferencedTables[0].TableID != "orders" || len(d.Schema) != 2 || d.Schema[1].Name != "a" || d.Schema[1].Type != bigquery.NumericFieldType {
		t.Errorf("the dry run says %+v", d)
	}
	if all.TotalBytesProcessed != 3*8+2*16+2*8 { // ids, amounts, the customers' ids
		t.Errorf("%d bytes", all.TotalBytesProcessed)
	}
}

// TestWritesRun: a write that arrives happens, so that a test sees what a guard let through.
func TestWritesRun(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop)
	c := client(t, s)
	for _, sql := range []string{
		"INSERT INTO shop.orders (id, amount) VALUES (4, 1)", "UPDATE shop.orders SET amount = 2 WHERE id = 4", "DELETE FROM shop.orders WHERE id < 3",
		"CREATE TABLE shop.copy AS SELECT id, amount FROM shop.orders", "DROP TABLE shop.orders",
	} {
		if _, _, err := rows(t.Context(), c.Query(sql)); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if got := one(t, c, "SELECT STRING_AGG(CAST(id AS STRING), ',' ORDER BY id) FROM shop.copy"); got != "3,4" {
		t.Errorf("the copy has %v", got)
	}
	if e := refused(t, c.Query("SELECT * FROM shop.orders")); e.Code != 404 {
		t.Errorf("a dropped table: %v", e)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop+"CREATE SCHEMA secret; CREATE TABLE secret.t (a INT64); CREATE SCHEMA far OPTIONS (location = 'EU'); CREATE TABLE far.t (a INT64)")
	s.Close("secret", "")
	c := client(t, s)
	for _, v := range []struct {
		sql    string
		code   int
		reason string
		text   string
	}{
		{"SELECT nosuch FROM shop.orders", 400, "invalidQuery", "Unrecognized name: nosuch at [1:8]"},
		{"SELECT\n  id,\n  'ü', nosuch FROM shop.orders", 400, "invalidQuery", "Unrecognized name: nosuch at [3:8]"},
		{"SELEC 1", 400, "invalidQuery", "Unexpected identifier \"SELEC\" at [1:1]"},
		{"SELECT 'a", 400, "invalidQuery", "Unclosed string literal at [1:8]"},
		{"SELECT (1", 400, "invalidQuery", "at [1:10]"},
		{"SELECT nosuch(1)", 400, "invalidQuery", "Function not found: nosuch"},
		{"SELECT 1 / 0", 400, "invalidQuery", "division by zero"},
		{"SELECT 1::INT64", 400, "invalidQuery", "at [1:9]"},
		{"SELECT 1 UNION SELECT 2", 400, "invalidQuery", "Expected keyword ALL or keyword DISTINCT"},
		{"SELECT 1 AS a, 2 AS a", 400, "invalidQuery", "Duplicate column names"},
		{"SELECT [1, NULL]", 400, "invalidQuery", "null element"},
		{"SELECT * FROM orders", 400, "invalidQuery", "must be qualified"},
		{"SELECT * FROM shop.Orders", 404, "notFound", "Table loam-test:shop.Orders was not found in location US"},
		{"SELECT * FROM nowhere.t", 404, "notFound", "Dataset loam-test:nowhere was not found"},
		{"SELECT * FROM secret.t", 403, "accessDenied", "User does not have permission to query table loam-test:secret.t"},
		{"SELECT * FROM `other-project`.a.b", 403, "accessDenied", "other-project"},
		{"SELECT * FROM shop.orders, far.t", 404, "notFound", "Dataset loam-test:far was not found in location US"},
		{"SHOW TABLES", 400, "invalidQuery", "SHOW"},
		{"PRAGMA version", 400, "invalidQuery", "PRAGMA"},
		{"SELECT * FROM 'a.csv'", 400, "invalidQuery", "at [1:15]"},
		{"SELECT * FROM read_csv('a.csv')", 501, "notImplemented", "read_csv"},
		{"SELECT read_text('/etc/passwd')", 400, "invalidQuery", "Function not found"},
	} {
		e := refused(t, c.Query(v.sql))
		if e.Code != v.code || !strings.Contains(e.Message, v.text) || len(e.Errors) == 0 || e.Errors[0].Reason != v.reason {
			t.Errorf("%s: %v, want %d %s with %q", v.sql, e, v.code, v.reason, v.text)
		}
	}
	q := c.Query("SELECT * FROM shop.orders")
	q.MaxBytesBilled = 1000
	if e := refused(t, q); e.Errors[0].Reason != "bytesBilledLimitExceeded" || !strings.Contains(e.Message, "1000. 10485760 or higher") {
		t.Errorf("too many bytes: %v", e)
	}
	q = c.Query("SELECT * FROM shop.orders")
	q.Location = "EU"
	if e := refused(t, q); e.Code != 404 || !strings.Contains(e.Message, "was not found in location EU") {
		t.Errorf("another location: %v", e)
	}
	q = c.Query("SELECT 1")
	q.Labels = map[string]string{"Team": "x"}
	if e := refused(t, q); e.Code != 400 {
		t.Errorf("a label in capitals: %v", e)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, fixture.PageSize(1000))
	c := client(t, s)
	for _, timeout := range []time.Duration{0, time.Minute} { // by jobs.query and by jobs.insert
		q := c.Query("SELECT x, [x] AS l FROM UNNEST(GENERATE_ARRAY(1, 2500)) AS x ORDER BY x")
		q.JobTimeout = timeout
		all, _, err := rows(t.Context(), q)
		if err != nil || len(all) != 2500 {
			t.Fatalf("%d rows, %v", len(all), err)
		}
		for i, r := range all {
			if r[0] != int64(i+1) || r[1].([]bigquery.Value)[0] != int64(i+1) {
				t.Fatalf("row %d is %v", i, r)
			}
		}
	}
}

// slow takes DuckDB minutes.
const slow = `SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 30000)) AS a, UNNEST(GENERATE_ARRAY(1, 30000)) AS b, UNNEST(GENERATE_ARRAY(1, 300)) AS c WHERE MOD(a * b, c) = 1`

func TestCancelEndsTheStatement(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	c := client(t, s)
	q := c.Query(slow)
	q.JobID = "mine"
	j, err := q.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Running(); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("%v run", got)
	}
	if err := j.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	var told *googleapi.Error
	if _, err := j.Wait(t.Context()); !errors.As(err, &told) || told.Errors[0].Reason != "stopped" {
		t.Errorf("waiting ended with %v", err)
	}
	status, err := j.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var e *bigquery.Error
	if !errors.As(status.Err(), &e) || e.Reason != "stopped" {
		t.Errorf("the job ended with %v", status.Err())
	}
	if got := s.Running(); len(got) != 0 {
		t.Errorf("%v run after the cancel", got)
	}
}

func TestJobTimeout(t *testing.T) {
	t.Parallel()
	c := client(t, fixture.Start(t))
	q := c.Query(slow)
	q.JobTimeout = 50 * time.Millisecond
	if e := refused(t, q); e.Errors[0].Reason != "stopped" || !strings.Contains(e.Message, "timed out") {
		t.Errorf("a job past its time: %v", e)
	}
}

func TestPlants(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	c := client(t, s)
	s.Plant(fixture.Plant{Match: "wolf", DryRun: true, StatementType: "INSERT"})
	if _, d, err := dry(t, c, "SELECT 'wolf'"); err != nil || d.StatementType != "INSERT" {
		t.Errorf("%+v %v", d, err)
	}
	if got := one(t, c, "SELECT 'wolf'"); got != "wolf" {
		t.Errorf("the run gave %v", got)
	}
	s.Plant(fixture.Plant{Error: fixture.QuotaExceeded, Times: 1})
	if e := refused(t, c.Query("SELECT 1")); e.Code != 403 || e.Errors[0].Reason != "quotaExceeded" {
		t.Errorf("a quota: %v", e)
	}
	hold := make(chan struct{})
	remove := s.Plant(fixture.Plant{Match: "held", Hold: hold})
	j, err := c.Query("SELECT 'held'").Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status, err := j.Status(t.Context()); err != nil || status.State != bigquery.Running {
		t.Errorf("a job that is held: %+v %v", status, err)
	}
	close(hold)
	remove()
	if status, err := j.Wait(t.Context()); err != nil || status.Err() != nil {
		t.Errorf("a job that was held: %+v %v", status, err)
	}
}

func TestRequestsAndJobs(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	c := client(t, s)
	q := c.Query("SELECT 1")
	q.JobIDConfig.JobID, q.JobTimeout, q.MaxBytesBilled, q.Labels, q.Location = "told", time.Minute, 20<<20, map[string]string{"team": "sales"}, "US"
	if _, _, err := rows(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, r := range s.Requests() {
		kinds = append(kinds, r.Kind)
	}
	first := s.Requests()[0]
	if first.Kind != "query" || first.Statement != "SELECT 1" || first.Job != "told" || first.Labels["team"] != "sales" || first.MaximumBytesBilled != 20<<20 ||
		first.JobTimeoutMs != 60000 || first.Location != "US" || first.Account != "reader@loam-test.iam.gserviceaccount.com" || slices.Contains(kinds, "refused") {
		t.Errorf("the log has %+v of %v", first, kinds)
	}
	jobs := c.Jobs(t.Context())
	j, err := jobs.Next()
	if err != nil {
		t.Fatal(err)
	}
	if config, err := j.Config(); err != nil || j.ID() != "told" || config.(*bigquery.QueryConfig).Labels["team"] != "sales" || j.LastStatus().Statistics == nil {
		t.Errorf("the list has %s %+v %v", j.ID(), config, err)
	}
	if _, err := jobs.Next(); !errors.Is(err, iterator.Done) {
		t.Errorf("a second job: %v", err)
	}
	jobs = c.Jobs(t.Context())
	jobs.AllUsers = true
	if _, err := jobs.Next(); err == nil {
		t.Error("a reader lists the jobs of all users")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := rows(ctx, c.Query("SELECT 1")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
