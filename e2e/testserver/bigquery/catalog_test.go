package bigquery_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

func TestMetadata(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop+"CREATE SCHEMA secret; CREATE TABLE secret.t (a INT64)")
	s.Close("secret", "")
	c := client(t, s)
	datasets := c.Datasets(t.Context())
	d, err := datasets.Next()
	if err != nil || d.DatasetID != "shop" {
		t.Fatalf("%+v %v", d, err)
	}
	if next, err := datasets.Next(); !errors.Is(err, iterator.Done) {
		t.Errorf("a second dataset: %+v %v", next, err)
	}
	if md, err := d.Metadata(t.Context()); err != nil || md.Location != "US" || md.Description != "the shop" {
		t.Errorf("%+v %v", md, err)
	}
	var told *googleapi.Error
	if _, err := c.Dataset("secret").Metadata(t.Context()); !errors.As(err, &told) || told.Code != 403 || told.Errors[0].Reason != "accessDenied" {
		t.Errorf("a dataset that is closed: %v", err)
	}
	if _, err := d.Table("nosuch").Metadata(t.Context()); !errors.As(err, &told) || told.Code != 404 {
		t.Errorf("no table: %v", err)
	}
	var names []string
	for tables := d.Tables(t.Context()); ; {
		table, err := tables.Next()
		if errors.Is(err, iterator.Done) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, table.TableID)
	}
	if fmt.Sprint(names) != "[customers orders paid]" {
		t.Errorf("the tables are %v", names)
	}
	customers, err := d.Table("customers").Metadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := customers.Schema; !f[0].Required || f[0].Description != "key" || f[2].Type != bigquery.RecordFieldType || f[2].Schema[0].Description != "where" || !f[3].Repeated {
		t.Errorf("the schema is %+v", f)
	}
	if customers.Description != "who buys" || customers.Labels["team"] != "sales" || customers.NumRows != 2 || customers.NumBytes == 0 || customers.TableConstraints.PrimaryKey.Columns[0] != "id" {
		t.Errorf("customers are %+v", customers)
	}
	orders, err := d.Table("orders").Metadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if k := orders.TableConstraints.ForeignKeys; orders.TimePartitioning.Field != "day" || fmt.Sprint(orders.Clustering.Fields) != "[customer_id id]" || len(k) != 1 ||
		k[0].Name != "who" || k[0].ReferencedTable.TableID != "customers" || k[0].ColumnReferences[0].ReferencedColumn != "id" || orders.Schema[2].Precision != 10 {
		t.Errorf("orders are %+v", orders)
	}
	paid, err := d.Table("paid").Metadata(t.Context())
	if err != nil || paid.Type != bigquery.ViewTable || !strings.HasPrefix(paid.ViewQuery, "SELECT id, amount FROM shop.orders") {
		t.Errorf("paid is %+v %v", paid, err)
	}
	read := d.Table("customers").Read(t.Context())
	var row []bigquery.Value
	if err := read.Next(&row); err != nil || fmt.Sprint(row) != "[1 Ann [Bern 3000] [a b]]" {
		t.Errorf("the first row is %v %v", row, err)
	}
}

// TestInformationSchema reads what Google's manual documents of the views.
func TestInformationSchema(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop+`CREATE SCHEMA secret; CREATE TABLE secret.t (a INT64);
CREATE TABLE shop.buckets (n INT64, v STRING) PARTITION BY RANGE_BUCKET(n, GENERATE_ARRAY(0, 100, 10));
INSERT INTO shop.buckets VALUES (5, 'a'), (15, 'b'), (16, 'c'), (NULL, 'd')`)
	s.Close("secret", "")
	c := client(t, s)
	for sql, want := range map[string]string{
		"SELECT schema_name, location FROM `region-us`.INFORMATION_SCHEMA.SCHEMATA":                                                                                       "[[shop US]]",
		"SELECT table_name, table_type FROM shop.INFORMATION_SCHEMA.TABLES ORDER BY table_name":                                                                           "[[buckets BASE TABLE] [customers BASE TABLE] [orders BASE TABLE] [paid VIEW]]",
		"SELECT table_name FROM `loam-test`.`region-us`.INFORMATION_SCHEMA.TABLES WHERE table_schema = 'secret'":                                                          "[]",
		"SELECT c.column_name, c.data_type, c.is_nullable FROM `loam-test.shop.INFORMATION_SCHEMA.COLUMNS` AS c WHERE table_name = 'customers' ORDER BY ordinal_position": "[[id INT64 NO] [name STRING YES] [address STRUCT<city STRING, zip STRING> YES] [tags ARRAY<STRING> YES]]",
		"SELECT COLUMNS.column_name FROM shop.INFORMATION_SCHEMA.COLUMNS WHERE is_partitioning_column = 'YES' ORDER BY 1":                                                 "[[day] [n]]",
		"SELECT column_name, clustering_ordinal_position FROM shop.INFORMATION_SCHEMA.COLUMNS WHERE clustering_ordinal_position IS NOT NULL ORDER BY 2":                   "[[customer_id 1] [id 2]]",
		"SELECT field_path, data_type, description FROM shop.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS WHERE table_name = 'customers' AND description IS NOT NULL ORDER BY 1": "[[address.city STRING where] [id INT64 key]]",
		"SELECT option_name, option_type, option_value FROM shop.INFORMATION_SCHEMA.TABLE_OPTIONS WHERE table_name = 'customers' ORDER BY 1":                              `[[description STRING "who buys"] [labels ARRAY<STRUCT<STRING, STRING>> [('team', 'sales')]]]`,
		"SELECT view_definition FROM shop.INFORMATION_SCHEMA.VIEWS":                                                                                                       "[[SELECT id, amount FROM shop.orders WHERE amount IS NOT NULL]]",
		"SELECT partition_id, total_rows FROM shop.INFORMATION_SCHEMA.PARTITIONS WHERE table_name = 'orders' ORDER BY 1":                                                  "[[20240131 1] [20240201 1] [__NULL__ 1]]",
		"SELECT partition_id, total_rows FROM shop.INFORMATION_SCHEMA.PARTITIONS WHERE table_name = 'buckets' ORDER BY 1":                                                 "[[0 1] [10 2] [__NULL__ 1]]",
		"SELECT constraint_name, constraint_type FROM shop.INFORMATION_SCHEMA.TABLE_CONSTRAINTS ORDER BY 1":                                                               "[[customers.pk$ PRIMARY KEY] [orders.pk$ PRIMARY KEY] [who FOREIGN KEY]]",
		"SELECT constraint_name, column_name, ordinal_position, position_in_unique_constraint FROM shop.INFORMATION_SCHEMA.KEY_COLUMN_USAGE ORDER BY 1":                   "[[customers.pk$ id 1 <nil>] [orders.pk$ id 1 <nil>] [who customer_id 1 1]]",
		"SELECT table_name, column_name FROM shop.INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE WHERE constraint_name = 'who'":                                               "[[customers id]]",
		"SELECT table_name, total_rows FROM `region-us`.INFORMATION_SCHEMA.TABLE_STORAGE WHERE table_schema = 'shop' AND NOT deleted ORDER BY 1":                          "[[buckets 4] [customers 2] [orders 3]]",
	} {
		got, _, err := rows(t.Context(), c.Query(sql))
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s gives\n%v %v, want\n%s", sql, got, err, want)
		}
	}
	s.Exec(t, "CREATE TABLE shop.later (a INT64)")
	if got := one(t, c, "SELECT COUNT(*) FROM shop.INFORMATION_SCHEMA.TABLES"); got != int64(5) {
		t.Errorf("after another table there are %v", got)
	}
	for sql, reason := range map[string]string{
		"SELECT * FROM secret.INFORMATION_SCHEMA.TABLES":                             "accessDenied",
		"SELECT * FROM nowhere.INFORMATION_SCHEMA.TABLES":                            "notFound",
		"SELECT * FROM shop.INFORMATION_SCHEMA.NOSUCH":                               "notFound",
		"SELECT * FROM shop.INFORMATION_SCHEMA.TABLE_STORAGE":                        "notFound",
		"SELECT * FROM `region-us`.INFORMATION_SCHEMA.PARTITIONS":                    "invalidQuery",
		"SELECT * FROM `region-us`.INFORMATION_SCHEMA.JOBS":                          "accessDenied",
		"SELECT nosuch FROM shop.INFORMATION_SCHEMA.TABLES":                          "invalidQuery",
		"SELECT * FROM `other`.shop.INFORMATION_SCHEMA.TABLES":                       "accessDenied",
		"SELECT * FROM `region-eu`.INFORMATION_SCHEMA.TABLES, shop.orders, secret.t": "accessDenied",
	} {
		if e := refused(t, c.Query(sql)); e.Errors[0].Reason != reason {
			t.Errorf("%s: %v, want %s", sql, e, reason)
		}
	}
}

func TestJobsView(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop)
	c := client(t, s, "bigquery.jobs.listAll")
	q := c.Query("SELECT id FROM shop.orders")
	q.JobID, q.Labels = "earlier", map[string]string{"team": "sales"}
	if _, _, err := rows(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{"JOBS", "JOBS_BY_PROJECT", "JOBS_BY_USER"} {
		got, _, err := rows(t.Context(), c.Query("SELECT query, statement_type, state, total_bytes_processed, referenced_tables[OFFSET(0)].table_id, labels[SAFE_OFFSET(0)].value, error_result FROM `region-us`.INFORMATION_SCHEMA."+view+" WHERE job_id = 'earlier'"))
		if err != nil || fmt.Sprint(got) != "[[SELECT id FROM shop.orders SELECT DONE 24 orders sales <nil>]]" {
			t.Errorf("%s has %v %v", view, got, err)
		}
	}
}

// TestLargeCatalog reads 5,000 tables of 20 columns.
func TestLargeCatalog(t *testing.T) {
	s := fixture.Start(t)
	s.Many(t, "big", 5000, 20)
	c := client(t, s)
	begun := time.Now()
	for sql, want := range map[string]int64{
		"SELECT COUNT(*) FROM big.INFORMATION_SCHEMA.TABLES":                                                  5000,
		"SELECT COUNT(*) FROM big.INFORMATION_SCHEMA.COLUMNS":                                                 100000,
		"SELECT COUNT(description) FROM big.INFORMATION_SCHEMA.COLUMN_FIELD_PATHS":                            5000,
		"SELECT SUM(total_rows) FROM `region-us`.INFORMATION_SCHEMA.TABLE_STORAGE WHERE table_schema = 'big'": 0,
	} {
		if got := one(t, c, sql); got != want {
			t.Errorf("%s is %v, want %d", sql, got, want)
		}
	}
	t.Logf("four views of 5,000 tables took %s", time.Since(begun).Round(time.Millisecond))
	begun = time.Now()
	all, _, err := rows(t.Context(), c.Query("SELECT table_name, column_name, data_type, ordinal_position FROM big.INFORMATION_SCHEMA.COLUMNS ORDER BY 1, 4"))
	if err != nil || len(all) != 100000 || all[99999][0] != "t999" {
		t.Errorf("%d columns, %v", len(all), err)
	}
	t.Logf("100,000 rows of COLUMNS took %s", time.Since(begun).Round(time.Millisecond))
}
